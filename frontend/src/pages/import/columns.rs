//! What each column of the file holds, and what was passed over between its records.

use leptos::prelude::*;
use shared::profile::{ColumnProfile, Profile};
use shared::units;

use crate::components::{More, Show};
use crate::model::format;
use crate::state::import::{Import, Reader};
use crate::text::import as t;

/// Columns shown at most.
const COLUMNS_SHOWN: usize = 500;
const VALUE_CHARS: usize = 40;

/// The columns in numbers, once the service has looked.
#[component]
pub fn ColumnFacts(import: Import) -> impl IntoView {
    let seen = Memo::new(move |_| {
        import.seen.with(|s| {
            let read = s.as_ref().filter(|s| s.by == Reader::Service);
            read.map(|s| s.profile.clone()).filter(|p| !p.columns.is_empty())
        })
    });
    let title = Signal::derive(move || {
        let whole = seen.with(|p| p.as_ref().is_some_and(|p| p.whole));
        if whole { t::COLUMN_FACTS } else { t::COLUMN_FACTS_PART }.to_owned()
    });
    view! {
        <Show when=move || seen.with(Option::is_some)>
            <More title testid="column-facts">
                {move || seen.with(|p| p.as_ref().map(table))}
            </More>
        </Show>
    }
    .into_any()
}

/// Lines passed over and the order of the file, as one sentence; empty where there is nothing to say.
pub fn passed_over(profile: &Profile) -> String {
    let mut said = Vec::new();
    if profile.empty_lines > 0 {
        said.push(format::plural(profile.empty_lines, "empty line", "empty lines"));
    }
    if profile.comment_lines > 0 {
        said.push(format::plural(profile.comment_lines, "comment line", "comment lines"));
    }
    let key = profile.primary_key.first();
    let sorted = profile.columns.iter().find(|c| c.ascending && Some(&c.name) == key);
    let order = sorted.map(|c| t::sorted_by(&c.name));
    let passed = (!said.is_empty()).then(|| t::passed_over(&said.join(", ")));
    passed.into_iter().chain(order).collect::<Vec<_>>().join(", ")
}

fn table(profile: &Profile) -> impl IntoView + use<> {
    let rows = profile.columns.iter().take(COLUMNS_SHOWN).map(row).collect_view();
    view! {
        <div class="wide" tabindex="0" role="region" aria-label=t::COLUMN_FACTS>
            <table data-testid="column-facts-table">
                <thead>
                    <tr>
                        <th scope="col">{t::COLUMN}</th>
                        <th scope="col">{t::TYPE}</th>
                        <th scope="col" class="n">{t::NULLS}</th>
                        <th scope="col" class="n">{t::EMPTIES}</th>
                        <th scope="col" class="n">{t::DISTINCT}</th>
                        <th scope="col">{t::LEAST}</th>
                        <th scope="col">{t::GREATEST}</th>
                        <th scope="col" class="n">{t::LONGEST}</th>
                        <th scope="col">{t::ORDER}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(c: &ColumnProfile) -> impl IntoView + use<> {
    let value = |v: &Option<String>| v.as_deref().map(|v| format::cut(v, VALUE_CHARS));
    let order = match (c.unique, c.ascending) {
        (true, true) => t::UNIQUE_ASCENDING,
        (true, false) => t::UNIQUE,
        (false, true) => t::ASCENDING,
        (false, false) => "",
    };
    view! {
        <tr>
            <td><b>{c.name.clone()}</b></td>
            <td class="nowrap" title=c.why.clone()><span class="type">{c.column_type.to_sql()}</span></td>
            <td class="n">{units::count(c.nulls)}</td>
            <td class="n">{units::count(c.empties)}</td>
            <td class="n">{c.distinct_estimate.map(units::count)}</td>
            <td class="mono cut">{value(&c.min)}</td>
            <td class="mono cut">{value(&c.max)}</td>
            <td class="n">{units::count(c.longest_chars)}</td>
            <td>{order}</td>
        </tr>
    }
    .into_any()
}
