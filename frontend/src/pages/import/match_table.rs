//! A table that is there: which column of the file fills which of its columns.

use leptos::prelude::*;
use shared::options::ColumnMapping;
use shared::profile::Profile;
use shared::target::TableFacts;

use crate::components::{Bones, Empty, Glyph, Icon, Note, Select, Show, Tone};
use crate::model::format;
use crate::model::matching::{self, Match, Without};
use crate::state::import::Import;
use crate::text::import as t;

const NOTHING: &str = "";
/// Columns of the file that fill nothing, to be dragged; the lists have all of them.
const SPARES_SHOWN: usize = 12;

#[component]
pub fn MatchTable(import: Import) -> impl IntoView {
    let waits_file = Memo::new(move |_| {
        import.seen.with(|s| s.as_ref().is_none_or(|s| s.profile.columns.is_empty()))
    });
    let waits_table = Memo::new(move |_| import.place.facts.with(Option::is_none));
    let chosen = Memo::new(move |_| import.form.with(|f| !f.old_table.is_empty()));
    move || match (waits_table.get(), waits_file.get(), chosen.get()) {
        (true, _, true) if import.place.error.with(Option::is_none) => {
            view! { <Bones /> }.into_any()
        }
        (true, ..) => ().into_any(),
        (false, true, _) => {
            view! { <Empty glyph=Glyph::Table title=t::TABLE_NONE text=t::TABLE_WAITS /> }
                .into_any()
        }
        (false, false, _) => view! { <Rows import /> }.into_any(),
    }
}

#[component]
fn Rows(import: Import) -> impl IntoView {
    let held = RwSignal::new(None::<usize>);
    let rows = move || {
        import.matches(|m, profile| {
            let options = sources(profile);
            m.iter().map(|m| row(import, m, profile, options.clone(), held)).collect_view()
        })
    };
    let missing = Memo::new(move |_| import.missing().join(", "));
    let said = Memo::new(move |_| import.form.with(|f| !f.options.columns.is_empty()));
    let leave_out = move || with_both(import, matching::write_out);
    let spare = Memo::new(move |_| {
        import
            .matches(|m, profile| {
                let name = |at| Some((at, matching::source_name(profile, at)?.to_owned()));
                matching::unused(m, profile).into_iter().filter_map(name).collect::<Vec<_>>()
            })
            .unwrap_or_default()
    });
    let unused = Memo::new(move |_| {
        spare.with(|s| s.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", "))
    });
    let spares = move || {
        spare
            .get()
            .into_iter()
            .take(SPARES_SHOWN)
            .map(|(at, name)| view! { <span class="chip flat"><Grip at held />{format::cut(&name, 40)}</span> })
            .collect_view()
    };
    view! {
        <div class="match" tabindex="0" role="region" aria-label=t::TO_TABLE>
            <table data-testid="match-table">
                <thead>
                    <tr>
                        <th scope="col">{t::FROM_FILE}</th>
                        <th></th>
                        <th scope="col">{t::TO_TABLE}</th>
                        <th scope="col">{t::FILLED_BY}</th>
                        <th scope="col" title=t::EXPRESSION_HINT>{t::EXPRESSION}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <Show when=move || !missing.with(String::is_empty)>
            <div class="body"><Note tone=Tone::Bad testid="missing-columns">{move || t::missing(&missing.get())}</Note></div>
        </Show>
        <Show when=move || !unused.with(String::is_empty)>
            <div class="body"><Note tone=Tone::Warn testid="unused-columns">
                    {move || t::unused(&format::cut(&unused.get(), 400))}
                    <div class="chips spare">{spares}</div>
                    <Show when=move || !said.get() fallback=|| view! { <small>{t::LEFT_OUT}</small> }>
                        <button type="button" class="btn bare" data-testid="leave-out" on:click=move |_| leave_out()>
                            {t::LEAVE_THEM_OUT}
                        </button>
                    </Show>
                </Note></div>
        </Show>
    }
    .into_any()
}

/// The file's columns as options, by their place.
fn sources(profile: &Profile) -> Vec<(String, String)> {
    let names = (0..profile.columns.len()).map(|at| {
        (at.to_string(), matching::source_name(profile, at).unwrap_or_default().to_owned())
    });
    std::iter::once((NOTHING.to_owned(), t::LEAVE_OUT.to_owned())).chain(names).collect()
}

fn row(
    import: Import,
    m: &Match,
    profile: &Profile,
    options: Vec<(String, String)>,
    held: RwSignal<Option<usize>>,
) -> impl IntoView + use<> {
    let name = m.column.name.clone();
    let refused = refused(import, &name);
    let from = m.from;
    let value = m.from.map(|at| at.to_string()).unwrap_or_default();
    let samples = m.from.and_then(|at| profile.columns.get(at)).map(|c| c.samples.join(" · "));
    let how = how(m);
    let bad = m.from.is_none() && m.constant.is_none() && m.without == Without::Missing;
    let assign = {
        let name = name.clone();
        move |from: Option<usize>| {
            with_both(import, |set, facts, profile| {
                matching::assign(set, facts, profile, &name, from);
            });
        }
    };
    let filled = m.from.is_some();
    let text = if filled { m.transform.clone() } else { m.constant.clone() };
    let generated = m.column.generated;
    let fill = {
        let name = name.clone();
        move |text: String| {
            with_both(import, |set, facts, profile| {
                matching::fill_with(set, facts, profile, &name, text.trim());
            });
        }
    };
    let label = format!("{}: {name}", t::EXPRESSION);
    let drop = {
        let assign = assign.clone();
        move || {
            if let Some(at) = held.get_untracked() {
                held.set(None);
                assign(Some(at));
            }
        }
    };
    let over = RwSignal::new(false);
    let takes = !m.column.generated;
    view! {
        <tr class:over=move || over.get() data-testid="match-row" data-column=name
            on:dragover=move |e| {
                if takes && held.with_untracked(Option::is_some) {
                    e.prevent_default();
                    over.set(true);
                }
            }
            on:dragleave=move |_| over.set(false)
            on:drop=move |e| {
                e.prevent_default();
                over.set(false);
                drop();
            }>
            <td class="from">
                {from.map(|at| view! { <Grip at held /> })}
                {if m.column.generated {
                    view! { <span class="faint">{t::BY_COMPUTING}</span> }.into_any()
                } else {
                    view! {
                        <Select id=format!("from-{name}") label=format!("{} → {name}", t::FROM_FILE)
                            value=Signal::stored(value) options=Signal::stored(options) change=move |v: String| assign(v.parse().ok()) />
                    }.into_any()
                }}
                {samples.map(|s| view! { <small class="samples cut">{format::cut(&s, 60)}</small> })}
            </td>
            <td class="arrow"><Icon glyph=Glyph::Arrow size=14 /></td>
            <td>
                <b title=m.column.name.clone()>{m.column.name.clone()}</b> " " <span class="type">{format::cut(&m.column.sql_type, 40)}</span>
                {m.key.then(|| view! { " " <span class="tag">{t::PRIMARY_KEY}</span> })}
            </td>
            <td>{if bad {
                view! { <span class="tag bad">{how}</span> }.into_any()
            } else {
                view! { <span class="dim">{how}</span> }.into_any()
            }} {refused}</td>
            <td>
                {(!generated).then(|| view! {
                    <input type="text" class="expression" aria-label=label spellcheck="false"
                        placeholder={if filled { t::AS_IT_IS } else { t::CONSTANT }}
                        title=t::EXPRESSION_HINT data-testid=format!("expression-{name}")
                        prop:value=text.unwrap_or_default()
                        on:change=move |e| fill(event_target_value(&e)) />
                })}
            </td>
        </tr>
    }
    .into_any()
}

/// A column of the file that can be dragged onto a row.
#[component]
fn Grip(at: usize, held: RwSignal<Option<usize>>) -> impl IntoView {
    view! {
        <span class="grip" draggable="true" title=t::DRAG_HINT data-testid="grip"
            on:dragstart=move |e| {
                if let Some(data) = e.data_transfer() {
                    // Some browsers drag nothing that carries nothing.
                    let _ = data.set_data("text/plain", &at.to_string());
                }
                held.set(Some(at));
            }
            on:dragend=move |_| held.set(None)>
            <Icon glyph=Glyph::Grip size=14 />
        </span>
    }
    .into_any()
}

/// What the last check of every row refused in a column, and why.
fn refused(import: Import, column: &str) -> impl IntoView + use<> {
    let column = column.to_owned();
    move || {
        import.check.with(|check| {
            let found = check.as_ref()?.as_ref().ok()?;
            let here = || found.counts.iter().filter(|c| c.column.as_deref() == Some(&column));
            let count: u64 = here().map(|c| c.count).sum();
            let first = found.rejects.iter().find(|r| r.column.as_deref() == Some(&column));
            let why = first.map(|r| r.message.clone()).unwrap_or_default();
            (count > 0).then(|| {
                view! { <span class="tag bad" title=why data-testid="column-refused">{t::refused(count)}</span> }
            })
        })
    }
}

fn how(m: &Match) -> &'static str {
    if m.from.is_none() && m.constant.is_some() {
        return t::BY_YOU;
    }
    match (m.from, m.set, m.without) {
        (Some(_), true, _) => t::BY_YOU,
        (Some(_), false, _) => t::BY_NAME,
        (None, _, Without::Numbered) => t::BY_NUMBERING,
        (None, _, Without::Computed) => t::BY_COMPUTING,
        (None, _, Without::Default) => t::BY_DEFAULT,
        (None, _, Without::Null) => t::BY_NULL,
        (None, _, Without::Missing) => t::BY_NOTHING,
    }
}

/// Changes the mapping, with the table and the file at hand.
fn with_both(import: Import, change: impl FnOnce(&mut Vec<ColumnMapping>, &TableFacts, &Profile)) {
    import.place.facts.with_untracked(|facts| {
        import.seen.with_untracked(|seen| {
            if let (Some(facts), Some(seen)) = (facts, seen) {
                import.form.update(|f| change(&mut f.options.columns, facts, &seen.profile));
            }
        });
    });
}
