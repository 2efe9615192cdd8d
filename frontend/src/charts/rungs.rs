//! The loads of a trial as bars to scale, with their table.

use leptos::prelude::*;
use shared::trial::TrialResult;
use shared::units;

use crate::components::More;
use crate::text::foresee as t;

/// The bars: rows a second, the longest fills the width.
#[component]
pub fn Rungs(results: Vec<TrialResult>) -> impl IntoView {
    let top = results.iter().map(|r| r.rows_per_sec).fold(1.0, f64::max);
    let timed = results.iter().filter(|r| r.rows_per_sec > 0.0);
    let slowest = timed.map(|r| r.rows_per_sec).fold(f64::INFINITY, f64::min);
    let bars = results.iter().map(|r| bar(r, top, slowest)).collect_view();
    let lines = results.iter().map(|r| line(r, slowest)).collect_view();
    view! {
        <ul class="rungs" data-testid="rungs">{bars}</ul>
        <More title=t::AS_TABLE.to_owned()>
            <div class="wide" tabindex="0">
                <table data-testid="rungs-table">
                    <thead>
                        <tr>
                            <th>{t::WAY}</th>
                            <th class="n">{t::ROWS}</th>
                            <th class="n">{t::TOOK}</th>
                            <th class="n">{t::ROWS_PER_SEC}</th>
                            <th class="n">{t::TIMES_SLOWEST}</th>
                            <th class="n">{t::WHOLE_FILE}</th>
                        </tr>
                    </thead>
                    <tbody>{lines}</tbody>
                </table>
            </div>
        </More>
    }
    .into_any()
}

fn bar(r: &TrialResult, top: f64, slowest: f64) -> impl IntoView + use<> {
    let share = (r.rows_per_sec / top * 100.0).clamp(0.0, 100.0);
    let words = match &r.note {
        Some(note) => note.clone(),
        None => format!(
            "{} · {}",
            units::rows_per_sec(r.rows_per_sec),
            t::times(r.rows_per_sec / slowest)
        ),
    };
    view! {
        <li>
            <span class="what">{r.title.clone()}</span>
            <span class="rung"><i style:width=format!("{share:.2}%")></i></span>
            <span class="n">{words}</span>
        </li>
    }
}

fn line(r: &TrialResult, slowest: f64) -> impl IntoView + use<> {
    let known = r.rows_per_sec > 0.0;
    let or = |words: String| if known { words } else { "–".to_owned() };
    let whole = r.whole.as_ref().map(|e| units::duration_ms(e.expected_ms));
    view! {
        <tr>
            <td>{r.title.clone()} {r.note.clone().map(|n| view! { <small>{n}</small> })}</td>
            <td class="n">{units::count(r.rows)}</td>
            <td class="n">{units::duration_ms(r.ms)}</td>
            <td class="n">{or(units::rows_per_sec(r.rows_per_sec))}</td>
            <td class="n">{or(t::times(r.rows_per_sec / slowest))}</td>
            <td class="n">{whole.unwrap_or_else(|| "–".to_owned())}</td>
        </tr>
    }
}
