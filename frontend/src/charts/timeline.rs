//! A run's steps, one lane each, on one line of time: dashed what was foretold, full what was.

use leptos::prelude::*;
use shared::run::{Progress, RunView};
use shared::units;

use crate::model::format;
use crate::model::lanes::{Lane, Stand, lanes};
use crate::text::words;

/// The lanes of a run.
#[component]
pub fn Timeline(
    #[prop(into)] view: Signal<Option<RunView>>,
    #[prop(into)] progress: Signal<Option<Progress>>,
) -> impl IntoView {
    let found = Memo::new(move |_| {
        view.with(|v| {
            v.as_ref()
                .map(|v| lanes(v.estimate.as_ref(), &v.steps, v.status.is_final()))
                .unwrap_or_default()
        })
    });
    view! {
        <ol class="lanes" data-testid="timeline">
            {move || {
                let share = progress.with(|p| p.as_ref().and_then(step_share));
                found.get().into_iter().map(|lane| row(&lane, share)).collect_view()
            }}
        </ol>
    }
    .into_any()
}

/// How far the running step is, where its size is known.
fn step_share(progress: &Progress) -> Option<f64> {
    let total = progress.step_bytes_total.filter(|t| *t > 0)?;
    Some((progress.step_bytes as f64 / total as f64).min(1.0))
}

fn row(lane: &Lane, share: Option<f64>) -> impl IntoView + use<> {
    let percent = |x: f64| format!("{x:.2}%");
    let bar = |at: Option<(f64, f64, u64)>, class: &'static str| {
        at.map(|(left, width, _)| {
            view! { <i class=class style:left=percent(left) style:width=percent(width)></i> }
        })
    };
    let was_class = if lane.stand == Stand::Runs { "was live" } else { "was" };
    let figure = match (lane.stand, lane.was, lane.said) {
        (Stand::Done, Some((_, _, ms)), _) => units::duration_ms(ms),
        (Stand::Runs, Some((_, _, ms)), _) => match share {
            Some(s) => format!("{} · {}", format::percent(s, 1.0), units::duration_ms(ms)),
            None => units::duration_ms(ms),
        },
        (_, _, Some((_, _, ms))) => format!("≈ {}", units::duration_ms(ms)),
        _ => "–".to_owned(),
    };
    let waits = lane.stand == Stand::Waits;
    view! {
        <li class:waits=waits data-testid="step-row" data-step=lane.step.as_str()>
            <span class="cut" title=words::step_why(lane.step)>{words::step(lane.step)}</span>
            <span class="lane">{bar(lane.said, "said")}{bar(lane.was, was_class)}</span>
            <span class="right nowrap">{figure}</span>
        </li>
    }
    .into_any()
}
