//! The runs of one page, and the two that are picked to be compared.

use leptos::prelude::*;
use shared::api::RunSort;
use shared::run::RunView;
use shared::units;

use super::Asked;
use crate::browser;
use crate::components::{Button, Glyph, Icon, Look, Meter, Show, StatusTag};
use crate::model::{format, query};
use crate::route::Route;
use crate::text::{record as t, words};

/// Runs picked to be compared, two at most: their identities and names.
#[derive(Clone, Copy)]
pub struct Picks(RwSignal<Vec<(String, String)>>);

impl Picks {
    /// The one that a run's page brought along in the address (`with`), or none.
    pub fn from_address(route: Route) -> Self {
        let with = route.param_now("with");
        let name = with.as_ref().map(|_| t::THIS_RUN.to_owned()).unwrap_or_default();
        Self(RwSignal::new(with.map(|id| vec![(id, name)]).unwrap_or_default()))
    }

    fn has(self, id: &str) -> bool {
        self.0.with(|all| all.iter().any(|(picked, _)| picked == id))
    }

    /// Picks a run or puts it back; a third takes the place of the second.
    fn toggle(self, id: &str, name: &str) {
        self.0.update(|all| {
            if all.iter().any(|(picked, _)| picked == id) {
                all.retain(|(picked, _)| picked != id);
            } else {
                all.truncate(1);
                all.push((id.to_owned(), name.to_owned()));
            }
        });
    }
}

/// What is picked, and the way to see it side by side.
#[component]
pub fn CompareBar(picks: Picks) -> impl IntoView {
    let words = move || {
        picks.0.with(|all| match all.as_slice() {
            [] => None,
            [(_, one)] => Some(t::pick_another(one)),
            [(_, a), (_, b), ..] => Some(t::picked_both(a, b)),
        })
    };
    let address = move || {
        picks.0.with(|all| match all.as_slice() {
            [(a, _), (b, _), ..] => Some(query::compare(a, b)),
            _ => None,
        })
    };
    view! {
        <Show when=move || words().is_some()>
            <div class="strip plain" role="status" data-testid="compare-bar">
                <Icon glyph=Glyph::Compare />
                <span>{words}</span>
                <span class="push row">
                    {move || address().map(|to| view! { <a class="btn go" href=to data-testid="compare-go">{t::COMPARE}</a> })}
                    <Button label=t::CLEAR.to_owned() look=Look::Bare press=move || picks.0.set(Vec::new()) />
                </span>
            </div>
        </Show>
    }
    .into_any()
}

/// The table of runs.
pub fn table(runs: Vec<RunView>, asked: Asked, picks: Picks) -> impl IntoView {
    let rows = runs.into_iter().map(|run| row(run, picks)).collect_view();
    view! {
        <div class="wide">
            <table class="history" data-testid="history-table">
                <thead>
                    <tr>
                        <th class="pick"><span class="only-read">{t::COMPARE}</span></th>
                        <th>{t::STATUS}</th>
                        {sorted(asked, RunSort::File, t::WHAT, "")}
                        {sorted(asked, RunSort::Rows, t::ROWS, "n")}
                        {sorted(asked, RunSort::Rate, t::RATE, "n")}
                        {sorted(asked, RunSort::Took, t::TOOK, "n")}
                        <th>{t::HOW}</th>
                        {sorted(asked, RunSort::Created, t::WHO, "")}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The head of a column that sorts.
fn sorted(asked: Asked, sort: RunSort, words: &'static str, class: &'static str) -> impl IntoView {
    let order = Memo::new(move |_| {
        asked.query.with(|q| {
            let on = q.sort.unwrap_or_default() == sort;
            match (on, q.ascending == Some(true)) {
                (false, _) => "none",
                (true, true) => "ascending",
                (true, false) => "descending",
            }
        })
    });
    view! {
        <th class=class aria-sort=move || order.get()>
            <button type="button" class="sort" data-testid=format!("sort-{}", sort.as_str())
                on:click=move |_| asked.change(|q| query::sort_by(q, sort))>
                {words}
                <Icon glyph=Glyph::Down size=12 />
            </button>
        </th>
    }
    .into_any()
}

fn row(run: RunView, picks: Picks) -> impl IntoView {
    let live = !run.status.is_final();
    let share =
        if run.file_bytes > 0 { run.bytes_read as f64 / run.file_bytes as f64 } else { 0.0 };
    let secs = run.elapsed_ms as f64 / 1000.0;
    let rate = run
        .rows_per_sec
        .or_else(|| {
            (live && secs > 0.3 && run.rows_loaded > 0).then(|| run.rows_loaded as f64 / secs)
        })
        .map(|r| units::rows_per_sec(r).replace(" rows/s", ""));
    let said = run.estimate.as_ref().map(|e| t::said(&format::range_ms(e.low_ms, e.high_ms)));
    let how = format!(
        "{} × {} · {}",
        words::strategy_short(run.choice.strategy),
        run.choice.workers,
        run.choice.engine
    );
    let beside = match (&run.error, run.rows_rejected) {
        (Some(error), _) => Some(format::cut(&error.message, 90)),
        (None, 0) => None,
        (None, n) => Some(format!("{} {}", units::count(n), t::PUT_ASIDE.to_ascii_lowercase())),
    };
    view! {
        <tr data-testid="history-row" data-run=run.run_id.clone() data-status=run.status.as_str()>
            <td class="pick">{pick(&run, picks)}</td>
            <td>
                <StatusTag status=run.status />
                {live.then(|| view! { <Meter share=Signal::stored(share) label=run.file.clone() /> })}
            </td>
            <td class="what">
                <a href=format!("/runs/{}", run.run_id)>{run.file}</a>
                <small>{format!("{}.{} · {}", run.database, run.table, run.target)}</small>
                {beside.map(|b| view! { <small>{b}</small> })}
            </td>
            <td class="n rows">{units::count(run.rows_loaded)}</td>
            <td class="n rate">{rate.unwrap_or_else(|| "–".to_owned())}</td>
            <td class="n nowrap took">{units::duration_ms(run.elapsed_ms)}<small>{said}</small></td>
            <td class="how">{how}</td>
            <td class="by">{run.who}<small class="nowrap" title=browser::moment(&run.created_at)>{browser::when(&run.created_at)}</small></td>
        </tr>
    }
    .into_any()
}

fn pick(run: &RunView, picks: Picks) -> impl IntoView + use<> {
    let (id, shown) = (run.run_id.clone(), run.run_id.clone());
    let file = run.file.clone();
    view! {
        <input type="checkbox" aria-label=t::compare_this(&file) title=t::COMPARE data-testid="pick-run"
            prop:checked=move || picks.has(&shown)
            on:change=move |_| picks.toggle(&id, &file) />
    }
}
