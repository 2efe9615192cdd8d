//! Part 2: where the rows go.

use leptos::prelude::*;
use shared::units;

use super::PartHead;
use super::match_table::MatchTable;
use super::new_table::NewTablePart;
use crate::components::{Combobox, Empty, ErrorNote, Field, Glyph, Note, Seg, Select, Show, Tone};
use crate::model::form::Into;
use crate::model::names;
use crate::state::import::Import;
use crate::text::{import as t, record};

#[component]
pub fn TablePart(import: Import) -> impl IntoView {
    let form = import.form;
    let place = import.place;
    let beside = move || {
        let name = form.with(|f| f.table().to_owned());
        let size = place
            .facts
            .with(|f| f.as_ref().map(|f| t::table_size(&f.engine, f.rows_estimate, f.empty)));
        let database = form.with(|f| f.database.clone());
        match (name.is_empty() || database.is_empty(), size) {
            (true, _) => String::new(),
            (_, Some(size)) => format!("{database}.{name} · {size}"),
            (_, None) => format!("{database}.{name}"),
        }
    };
    let stand = move || if import.has_file() { "on" } else { "" };
    let into = Memo::new(move |_| form.with(|f| f.into));
    view! {
        <section class="card" data-testid="part-table">
            <PartHead number=2 name=t::TABLE beside=Signal::derive(beside) stand=Signal::derive(stand)>
                <Seg label=t::INTO testid="into" small=true
                    value=Signal::derive(move || if into.get() == Into::New { "new" } else { "existing" }.to_owned())
                    options=vec![("new", t::NEW_TABLE), ("existing", t::OLD_TABLE)]
                    change=move |v| form.update(|f| {
                        f.into = if v == "new" { Into::New } else { Into::Existing };
                        f.choice = None;
                    }) />
            </PartHead>
            {move || place.error.get().map(|error| view! { <div class="body"><ErrorNote error testid="place-error" /></div> })}
            <Where import />
            {move || match into.get() {
                Into::New => view! { <NewTablePart import /> }.into_any(),
                Into::Existing => view! { <MatchTable import /> }.into_any(),
            }}
        </section>
    }
    .into_any()
}

#[component]
fn Where(import: Import) -> impl IntoView {
    let form = import.form;
    let place = import.place;
    let none = move || place.targets.with(|t| t.as_ref().is_some_and(Vec::is_empty));
    view! {
        <Show when=none>
            <Empty glyph=Glyph::Database title=record::TARGETS_NONE_TITLE text=t::NO_TARGETS>
                <a class="btn go" href="/targets">{t::ADD_TARGET}</a>
            </Empty>
        </Show>
        <Show when=move || !none()>
            <div class="body place">
                <TargetField import />
                <Field label=t::DATABASE.to_owned() id="database">
                    <Select id="database" testid="database-select" value=Signal::derive(move || form.with(|f| f.database.clone()))
                        options=Signal::derive(move || {
                            place.databases.get().into_iter().map(|d| (d.clone(), d)).collect::<Vec<_>>()
                        })
                        change=move |v| form.update(|f| {
                            f.database = v;
                            f.old_table = String::new();
                            f.choice = None;
                        }) />
                </Field>
                <TableField import />
            </div>
        </Show>
    }
    .into_any()
}

#[component]
fn TargetField(import: Import) -> impl IntoView {
    let form = import.form;
    let place = import.place;
    let server = move || {
        place.capabilities.with(|c| {
            c.as_ref()
                .map(|c| format!("{}, {}", c.server, t::away(&record::round_trip(c.round_trip_us))))
        })
    };
    let options = move || {
        place
            .targets
            .get()
            .unwrap_or_default()
            .into_iter()
            .map(|t| (t.id, t.name))
            .collect::<Vec<_>>()
    };
    view! {
        <Field label=t::TARGET.to_owned() id="target" hint=Signal::derive(server)>
            <Select id="target" testid="target-select" options=Signal::derive(options)
                value=Signal::derive(move || form.with(|f| f.target_id.clone().unwrap_or_default()))
                change=move |v| form.update(|f| {
                    f.target_id = Some(v);
                    f.old_table = String::new();
                    f.choice = None;
                }) />
        </Field>
    }
    .into_any()
}

#[component]
fn TableField(import: Import) -> impl IntoView {
    let form = import.form;
    let place = import.place;
    let into = Memo::new(move |_| form.with(|f| f.into));
    let fault = Signal::derive(move || {
        form.with(|f| {
            (f.into == Into::New && !f.new_table.is_empty())
                .then(|| names::table_name_fault(&f.new_table))
        })
        .flatten()
    });
    let tables = move || {
        place.tables.with(|all| {
            all.iter()
                .flatten()
                .filter(|t| t.engine.is_some())
                .map(|t| {
                    let rows = t.rows_estimate.map(|r| format!("≈ {}", units::count(r)));
                    (t.name.clone(), rows.unwrap_or_default())
                })
                .collect::<Vec<_>>()
        })
    };
    let taken = move || {
        form.with(|f| f.into == Into::New && !f.new_table.is_empty())
            && place.tables.with(|all| {
                let name = form.with(|f| f.new_table.clone());
                all.iter().flatten().any(|t| t.name.eq_ignore_ascii_case(&name))
            })
    };
    view! {
        <Field label=t::TABLE_NAME.to_owned() id="table" wrong=Signal::derive(move || fault.get().is_some())
            hint=Signal::derive(move || fault.get().map(str::to_owned))>
            {move || match into.get() {
                Into::New => view! {
                    <input id="table" type="text" autocomplete="off" spellcheck="false" data-testid="table-name"
                        prop:value=move || form.with(|f| f.new_table.clone())
                        on:input=move |e| form.update(|f| {
                            f.new_table = event_target_value(&e);
                            f.create_table = None;
                        }) />
                }.into_any(),
                Into::Existing => view! {
                    <Combobox id="table" testid="table-select" placeholder=t::CHOOSE_TABLE
                        value=Signal::derive(move || form.with(|f| f.old_table.clone()))
                        options=Signal::derive(tables)
                        pick=move |v| form.update(|f| {
                            f.old_table = v;
                            f.options.columns.clear();
                            f.choice = None;
                        }) />
                }.into_any(),
            }}
        </Field>
        <Show when=taken>
            <div class="wide-note">
                <Note tone=Tone::Warn testid="table-taken">
                    {t::TABLE_TAKEN}
                    " "
                    <button type="button" class="btn bare" on:click=move |_| form.update(|f| {
                        f.into = Into::Existing;
                        f.old_table = f.new_table.clone();
                    })>{t::TABLE_TAKEN_USE}</button>
                </Note>
            </div>
        </Show>
        <Show when=move || into.get() == Into::Existing && place.tables.with(|t| t.as_ref().is_some_and(Vec::is_empty))>
            <div class="wide-note"><Note tone=Tone::Plain>{t::NO_TABLES}</Note></div>
        </Show>
    }
    .into_any()
}
