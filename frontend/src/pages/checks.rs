//! Predicted against actual: by target, then run by run; odd runs can be left out.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::capacity::{CheckedEstimates, LeaveOut, RunCheck};
use shared::units;

use crate::api;
use crate::components::{Bones, Button, ErrorNote, Look, Toasts};
use crate::model::format::range_ms;
use crate::text::foresee as t;

/// Runs that are shown.
const SHOWN: usize = 40;

type Found = RwSignal<Option<Result<CheckedEstimates, ErrorBody>>>;

fn refresh(found: Found) {
    spawn_local(async move {
        let answer = api::check_estimates().await;
        let _ = found.try_set(Some(answer));
    });
}

/// How right estimates were so far.
#[component]
pub fn Checks() -> impl IntoView {
    let found = RwSignal::new(None);
    refresh(found);
    view! {
        <section class="card" data-testid="checks">
            <header><h2>{t::CHECK}</h2></header>
            {move || match found.get() {
                None => view! { <Bones lines=3 /> }.into_any(),
                Some(Err(error)) => view! { <div class="body"><ErrorNote error /></div> }.into_any(),
                Some(Ok(all)) if all.runs.is_empty() => {
                    view! { <div class="body dim">{t::CHECK_NONE}</div> }.into_any()
                }
                Some(Ok(all)) => tables(&all, found),
            }}
        </section>
    }
    .into_any()
}

fn tables(all: &CheckedEstimates, found: Found) -> AnyView {
    let targets = all.targets.iter().map(|c| {
        view! {
            <tr>
                <td>{c.target.clone()}</td>
                <td class="n">{units::count(c.runs)}</td>
                <td class="n">{t::share(c.median_error)}</td>
                <td class="n">{t::share(c.held)}</td>
                <td class="n">{t::share(c.promised)}</td>
            </tr>
        }
    });
    let runs = all.runs.iter().take(SHOWN).map(|r| row(r, found));
    view! {
        <div class="wide" tabindex="0">
            <table>
                <thead><tr><th>{t::TARGET}</th><th class="n">{t::RUNS}</th><th class="n">{t::HALF_WITHIN}</th><th class="n">{t::HELD}</th><th class="n">{t::PROMISED}</th></tr></thead>
                <tbody>{targets.collect_view()}</tbody>
            </table>
        </div>
        <div class="wide" tabindex="0">
            <table data-testid="checked-runs">
                <thead><tr><th>{t::WHAT}</th><th class="n">{t::ROWS}</th><th class="n">{t::FORETOLD}</th><th class="n">{t::TOOK}</th><th class="n">{t::OFF}</th><th></th></tr></thead>
                <tbody>{runs.collect_view()}</tbody>
            </table>
        </div>
        <div class="body"><small>{t::LEAVE_OUT_WHY}</small></div>
    }
    .into_any()
}

fn row(r: &RunCheck, found: Found) -> AnyView {
    let toasts = expect_context::<Toasts>();
    let (id, left_out) = (StoredValue::new(r.run_id.clone()), r.left_out);
    let press = move || {
        spawn_local(async move {
            let Some(run_id) = id.try_get_value() else { return };
            match api::leave_out(&LeaveOut { run_id, left_out: !left_out }).await {
                Ok(()) => refresh(found),
                Err(error) => toasts.bad(&error),
            }
        });
    };
    let class = match (r.left_out, r.held) {
        (true, _) => "tag",
        (false, true) => "tag good",
        (false, false) => "tag warn",
    };
    let words = if r.left_out { t::TAKE_BACK } else { t::LEAVE_OUT };
    view! {
        <tr>
            <td class="what"><a href=format!("/runs/{}", r.run_id)>{r.what.clone()}</a><small>{r.target.clone()}</small></td>
            <td class="n">{units::count(r.rows)}</td>
            <td class="n nowrap">{units::duration_ms(r.estimate.expected_ms)}
                <small>{range_ms(r.estimate.low_ms, r.estimate.high_ms)}</small></td>
            <td class="n nowrap">{units::duration_ms(r.actual_ms)}</td>
            <td class="n"><span class=class>{t::percent(r.error)}</span></td>
            <td class="n"><Button label=words.to_owned() look=Look::Bare press /></td>
        </tr>
    }
    .into_any()
}
