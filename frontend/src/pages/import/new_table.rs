//! A new table: its engine, its columns with their types, its key, its statement.

use leptos::prelude::*;
use shared::ddl::NewTable;
use shared::profile::ColumnProfile;

use crate::components::{Button, Empty, Glyph, Look, More, Note, Show, Term, Tone};
use crate::model::form::{Form, with_types};
use crate::model::format;
use crate::state::import::{Import, Seen};
use crate::text::{import as t, words::terms};

#[component]
pub fn NewTablePart(import: Import) -> impl IntoView {
    let known = Memo::new(move |_| {
        import.seen.with(|s| s.as_ref().is_some_and(|s| !s.profile.columns.is_empty()))
    });
    view! {
        <Engines import />
        {move || if known.get() {
            view! { <Columns import /> <Statement import /> }.into_any()
        } else {
            view! { <Empty glyph=Glyph::Table title=t::TABLE_NONE text=t::TABLE_WAITS /> }.into_any()
        }}
    }
    .into_any()
}

/// The engines that the server has, each in plain words.
#[component]
fn Engines(import: Import) -> impl IntoView {
    let form = import.form;
    let engines = Memo::new(move |_| {
        import
            .place
            .capabilities
            .with(|c| c.as_ref().map(|c| c.engines.clone()).unwrap_or_default())
    });
    let chosen = Memo::new(move |_| {
        let set = form.with(|f| f.options.engine.clone());
        engines.with(|all| {
            set.filter(|s| all.iter().any(|e| e.name.eq_ignore_ascii_case(s)))
                .or_else(|| all.iter().find(|e| e.default).map(|e| e.name.clone()))
                .unwrap_or_default()
        })
    });
    view! {
        <Show when=move || engines.with(|e| !e.is_empty())>
            <div class="body stack tight">
                <div class="label" id="engine-label">{t::ENGINE} <Term text=terms::ENGINE /></div>
                <div class="choices" role="radiogroup" aria-labelledby="engine-label" data-testid="engine-select"
                    data-value=move || chosen.get()>
                    <For each=move || engines.get() key=|e| e.name.clone() let:engine>
                        {
                            let name = engine.name.clone();
                            let pick = engine.name.clone();
                            let testid = format!("engine-{}", engine.name.to_ascii_lowercase());
                            view! {
                                <label class="choice">
                                    <input type="radio" name="engine" value=engine.name.clone() data-testid=testid
                                        prop:checked=move || chosen.get() == name
                                        on:change=move |_| form.update(|f| {
                                            f.options.engine = Some(pick.clone());
                                            f.choice = None;
                                        }) />
                                    <span>
                                        <b>{engine.name}</b>
                                        {engine.default.then(|| view! { " " <span class="faint">{t::ENGINE_DEFAULT}</span> })}
                                    </span>
                                    <small>{engine.words}</small>
                                </label>
                            }
                        }
                    </For>
                </div>
            </div>
        </Show>
    }
    .into_any()
}

/// The primary key in force: set by the person, else suggested.
fn key_of(form: &Form, seen: &Seen) -> Vec<String> {
    form.options.primary_key.clone().unwrap_or_else(|| seen.profile.primary_key.clone())
}

#[component]
fn Columns(import: Import) -> impl IntoView {
    let form = import.form;
    let columns = Memo::new(move |_| {
        import.seen.with(|s| s.as_ref().map(|s| s.profile.columns.clone()).unwrap_or_default())
    });
    let key = Memo::new(move |_| {
        import.seen.with(|s| s.as_ref().map(|s| form.with(|f| key_of(f, s))).unwrap_or_default())
    });
    let toggle = move |name: &str| {
        let mut now = key.get_untracked();
        if now.iter().any(|k| k == name) {
            now.retain(|k| k != name);
        } else {
            now.push(name.to_owned());
        }
        form.update(|f| {
            f.options.primary_key = Some(now);
            f.create_table = None;
        });
    };
    view! {
        <div class="match" tabindex="0" role="region" aria-label=t::COLUMN>
            <table data-testid="columns-table">
                <thead>
                    <tr>
                        <th scope="col">{t::COLUMN}</th>
                        <th scope="col">{t::TYPE}</th>
                        <th scope="col">{t::KEY} " " <Term text=terms::PRIMARY_KEY /></th>
                        <th scope="col">{t::SAMPLES}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || columns.get().into_iter().map(|c| column(import, c, key, toggle)).collect_view()}
                </tbody>
            </table>
        </div>
        <Show when=move || key.with(Vec::is_empty) && form.with(|f| f.create_table.is_none())>
            <div class="body"><Note tone=Tone::Warn>{t::KEY_NONE}</Note></div>
        </Show>
    }
    .into_any()
}

/// A column's type: written over in place; why it was chosen shows while it has the focus.
#[component]
fn TypeCell(import: Import, column: ColumnProfile) -> impl IntoView {
    let form = import.form;
    let detected = column.column_type.to_sql();
    let name = column.name.clone();
    let now = {
        let (name, detected) = (name.clone(), detected.clone());
        Memo::new(move |_| {
            let own = form.with(|f| f.types.iter().find(|(n, _)| *n == name).map(|t| t.1.clone()));
            own.unwrap_or_else(|| detected.clone())
        })
    };
    let range = column.min.clone().zip(column.max.clone());
    let range = range.map(|(a, b)| format!("{} … {}", format::cut(&a, 24), format::cut(&b, 24)));
    let label = format!("{}: {name}", t::CHANGE_TYPE);
    let testid = format!("type-{name}");
    let was = detected.clone();
    let set = move |value: &str| {
        form.update(|f| {
            f.set_type(&name, value, &detected);
            f.create_table = None;
        });
    };
    view! {
        <input class="type-input" class:set=move || now.with(|n| *n != was) type="text" autocomplete="off" spellcheck="false"
            aria-label=label title=column.why.clone() placeholder=t::TYPE_FREE data-testid=testid prop:value=move || now.get()
            on:change=move |e| set(&event_target_value(&e)) />
        <small class="type-why">{column.why} {range.map(|r| view! { <br /> {r} })}</small>
    }
    .into_any()
}

fn column(
    import: Import,
    column: ColumnProfile,
    key: Memo<Vec<String>>,
    toggle: impl Fn(&str) + Copy + 'static,
) -> impl IntoView {
    let name = column.name.clone();
    let picked = column.name.clone();
    let shown = column.clone();
    let null = if column.nullable { "NULL" } else { "NOT NULL" };
    let samples = format::cut(&column.samples.join(" · "), 80);
    view! {
        <tr>
            <td><b title=column.name.clone()>{column.name.clone()}</b></td>
            <td><div class="type-cell"><TypeCell import column=shown /><small class="faint nowrap">{null}</small></div></td>
            <td>
                <input type="checkbox" aria-label=format!("{}: {}", t::PRIMARY_KEY, column.name)
                    data-testid=format!("key-{}", column.name)
                    prop:checked=move || key.with(|k| k.contains(&name))
                    on:change=move |_| toggle(&picked) />
            </td>
            <td class="samples cut">{samples}</td>
        </tr>
    }
    .into_any()
}

/// The statement, to read and to edit.
#[component]
fn Statement(import: Import) -> impl IntoView {
    let form = import.form;
    // Types that the person set make a statement of their own, as if it had been edited.
    let typed = Memo::new(move |_| {
        import.seen.with(|s| {
            let s = s.as_ref()?;
            form.with(|f| {
                let engine = f.options.engine.as_deref();
                let table =
                    NewTable::from_profile(f.table(), &s.profile, engine, Some(&key_of(f, s)));
                (!f.types.is_empty()).then(|| with_types(table, &f.types).to_sql())
            })
        })
    });
    Effect::new(move |_| {
        if let Some(sql) = typed.get() {
            form.update(|f| f.create_table = Some(sql));
        }
    });
    let suggested = Memo::new(move |_| {
        let planned = import.plan.with(|p| p.as_ref().and_then(|p| p.create_table.clone()));
        let own = import.seen.with(|s| {
            s.as_ref().map(|s| {
                form.with(|f| {
                    let key = key_of(f, s);
                    let engine = f.options.engine.as_deref();
                    NewTable::from_profile(f.table(), &s.profile, engine, Some(&key)).to_sql()
                })
            })
        });
        let edited = form.with(|f| f.create_table.is_some());
        planned.filter(|_| !edited).or(own).unwrap_or_default()
    });
    let edited = Memo::new(move |_| form.with(|f| f.create_table.is_some()));
    let shown = move || form.with(|f| f.create_table.clone()).unwrap_or_else(|| suggested.get());
    view! {
        <div class="body">
            <More testid="ddl" title=Signal::derive(move || {
                if edited.get() { format!("{} ({})", t::DDL, t::DDL_EDITED) } else { t::DDL.to_owned() }
            })>
                <textarea rows="10" spellcheck="false" aria-label=t::DDL data-testid="ddl-text"
                    prop:value=shown
                    on:change=move |e| {
                        let text = event_target_value(&e);
                        let own = (text.trim() != suggested.get_untracked().trim()).then_some(text);
                        form.update(|f| {
                            f.types.clear();
                            f.create_table = own;
                        });
                    }></textarea>
                <small>{t::DDL_HINT}</small>
                <Show when=move || edited.get()>
                    <div><Button label=t::DDL_RESET.to_owned() look=Look::Bare glyph=Glyph::Again
                        press=move || form.update(|f| {
                            f.types.clear();
                            f.create_table = None;
                        }) /></div>
                </Show>
            </More>
        </div>
    }
    .into_any()
}
