//! Pieces of a run that the import page and the run's page share.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::RunStatus;
use shared::plan::Visibility;
use shared::run::RunView;
use shared::units;

use crate::api;
use crate::components::{Button, Dialog, Glyph, Icon, Kpi, Look, Show, Toasts, Tone};
use crate::model::format;
use crate::state::live::Live;
use crate::text::record as t;

/// What came of a run, in one sentence; nothing while it runs.
#[component]
pub fn Verdict(
    #[prop(into)] view: Signal<Option<RunView>>,
    #[prop(optional)] children: Option<ChildrenFn>,
) -> impl IntoView {
    // Not anew with each number that moves, only with what the sentence is made of.
    let said = Memo::new(move |_| view.with(|v| v.as_ref().and_then(verdict)));
    move || {
        said.get().map(|(tone, sentence, more)| {
            view! {
                <div class=format!("verdict {}", tone.class()) role="status" data-testid="verdict">
                    <Icon glyph=tone.glyph() size=22 />
                    <div>
                        <h2>{sentence}</h2>
                        {more.into_iter().map(|m| view! { <div>{m}</div> }).collect_view()}
                    </div>
                    {children.as_ref().map(|c| c())}
                </div>
            }
        })
    }
}

fn verdict(run: &RunView) -> Option<(Tone, String, Vec<String>)> {
    let table = format!("{}.{}", run.database, run.table);
    let took = t::took(&units::duration_ms(run.elapsed_ms), run.rows_per_sec);
    let error = || {
        let mut lines = Vec::new();
        if let Some(error) = &run.error {
            lines.extend(t::position(error.row, error.line, error.column.as_deref()));
            lines.extend(error.hint.clone());
        }
        lines.extend(run.outcome.clone());
        lines
    };
    let message = || run.error.as_ref().map(|e| e.message.clone());
    match run.status {
        RunStatus::Queued | RunStatus::Running | RunStatus::Reverting => None,
        RunStatus::Succeeded => Some((Tone::Good, t::all_in(run.rows_loaded, &table), vec![took])),
        RunStatus::SucceededWithRejects => {
            let sentence = t::some_in(run.rows_loaded, run.rows_rejected, &table);
            Some((Tone::Warn, sentence, vec![took]))
        }
        RunStatus::Failed => {
            Some((Tone::Bad, message().unwrap_or_else(|| t::FAILED.to_owned()), error()))
        }
        RunStatus::Cancelled => {
            Some((Tone::Warn, t::CANCELLED.to_owned(), run.outcome.clone().into_iter().collect()))
        }
        RunStatus::Interrupted => {
            let mut lines = run.outcome.clone().into_iter().collect::<Vec<_>>();
            if run.resumable {
                lines.push(t::INTERRUPTED_HINT.to_owned());
            }
            Some((Tone::Warn, t::INTERRUPTED.to_owned(), lines))
        }
    }
}

/// The figures that matter, live or at the end.
#[component]
pub fn Figures(live: Live) -> impl IntoView {
    let view = live.view;
    let of = move |get: fn(&RunView) -> u64| {
        Signal::derive(move || {
            view.with(|v| v.as_ref().map(get)).map(units::count).unwrap_or_default()
        })
    };
    let rate = Signal::derive(move || {
        let now = live.progress.with(|p| p.as_ref().map(|p| p.rows_per_sec));
        let whole = view.with(|v| v.as_ref().and_then(|v| v.rows_per_sec));
        now.or(whole)
            .map_or_else(|| "–".to_owned(), |r| units::rows_per_sec(r).replace(" rows/s", ""))
    });
    let bytes = Signal::derive(move || {
        live.progress.with(|p| p.as_ref().map(|p| units::bytes_per_sec(p.bytes_per_sec)))
    });
    let left = Signal::derive(move || {
        live.progress.with(|p| {
            let (low, high) = p.as_ref()?.remaining_ms?;
            Some(format!("{} {}", format::range_ms(low, high), t::REMAINING))
        })
    });
    let elapsed = Signal::derive(move || {
        view.with(|v| v.as_ref().map(|v| units::duration_ms(v.elapsed_ms))).unwrap_or_default()
    });
    let said = Signal::derive(move || {
        view.with(|v| {
            let e = v.as_ref()?.estimate.as_ref()?;
            Some(t::said(&format::range_ms(e.low_ms, e.high_ms)))
        })
    });
    let time_below = Signal::derive(move || left.get().or_else(|| said.get()));
    let has = move |get: fn(&RunView) -> u64| {
        Memo::new(move |_| view.with(|v| v.as_ref().map_or(0, get)) > 0)
    };
    let (skipped, retried) = (has(|v| v.rows_skipped), has(|v| v.retries));
    view! {
        <dl class="kpis">
            <Kpi label=t::ROWS_LOADED value=of(|v| v.rows_loaded) testid="run-rows" />
            <Kpi label=t::ROWS_PER_SEC value=rate below=bytes testid="run-rate" />
            <Kpi label=t::ELAPSED value=elapsed below=time_below testid="run-elapsed" />
            <Kpi label=t::PUT_ASIDE value=of(|v| v.rows_rejected) testid="run-rejects" />
            <Show when=move || skipped.get()><Kpi label=t::SKIPPED value=of(|v| v.rows_skipped) /></Show>
            <Show when=move || retried.get()><Kpi label=t::RETRIES value=of(|v| v.retries) /></Show>
        </dl>
        <LiveWords live />
    }
    .into_any()
}

/// What each writing connection does, while rows are written.
#[component]
pub fn WorkerList(live: Live) -> impl IntoView {
    let count =
        Memo::new(move |_| live.progress.with(|p| p.as_ref().map_or(0, |p| p.workers.len())));
    let of = move |i: usize| {
        live.progress
            .with(|p| p.as_ref().and_then(|p| p.workers.get(i).cloned()))
            .unwrap_or_default()
    };
    let fastest = move || {
        live.progress.with(|p| {
            let workers = p.as_ref().map(|p| p.workers.as_slice()).unwrap_or_default();
            workers.iter().map(|w| w.rows_per_sec).fold(1.0, f64::max)
        })
    };
    let rows = move || {
        (0..count.get())
            .map(|i| {
                let words = move || {
                    let w = of(i);
                    format!("{} · {}", units::rows_per_sec(w.rows_per_sec), units::bytes_per_sec(w.bytes_per_sec))
                };
                view! {
                    <li data-testid="worker-row">
                        <span>{t::worker(i + 1)}</span>
                        <span class="lane"><i class="was" style:width=move || format!("{:.1}%", of(i).rows_per_sec * 100.0 / fastest())></i></span>
                        <span class="right nowrap">{words}</span>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <Show when=move || { count.get() > 0 }>
            <div class="body stack tight">
                <h3>{t::PER_WORKER}</h3>
                <ol class="lanes workers">{rows}</ol>
            </div>
        </Show>
    }
    .into_any()
}

/// The same for a screen reader, said every tenth of the way and at the end.
#[component]
fn LiveWords(live: Live) -> impl IntoView {
    let words = Memo::new(move |_| {
        let tenth = live.progress.with(|p| {
            let p = p.as_ref()?;
            let total = p.step_bytes_total.filter(|t| *t > 0)?;
            Some((p.step, p.step_bytes * 10 / total))
        });
        tenth.map(|(step, n)| {
            let step = step.map(crate::text::words::step).unwrap_or_default();
            format!("{step} {} %", n * 10)
        })
    });
    view! { <span class="only-read" aria-live="polite">{move || words.get()}</span> }
}

/// The button that cancels a run while it runs, after saying what follows.
#[component]
pub fn CancelButton(live: Live) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let (ask, stopping) = (RwSignal::new(false), RwSignal::new(false));
    let running =
        Memo::new(move |_| live.view.with(|v| v.as_ref().is_some_and(|v| !v.status.is_final())));
    Effect::new(move |_| {
        if !running.get() {
            ask.set(false);
            stopping.set(false);
        }
    });
    let cancel = move || {
        ask.set(false);
        let Some(id) = live.view.with_untracked(|v| v.as_ref().map(|v| v.run_id.clone())) else {
            return;
        };
        stopping.set(true);
        spawn_local(async move {
            if let Err(error) = api::cancel(&id).await {
                let _ = stopping.try_set(false);
                toasts.bad(&error);
            }
        });
    };
    let consequence = move || {
        live.view.with(|v| {
            v.as_ref().map(|v| match v.choice.visibility {
                Visibility::AllAtOnce => t::CANCEL_ALL_AT_ONCE,
                Visibility::AsTheyArrive => t::CANCEL_AS_THEY_ARRIVE,
            })
        })
    };
    let label = move || if stopping.get() { t::CANCELLING } else { t::CANCEL_RUN }.to_owned();
    view! {
        <Show when=move || running.get()>
            <Button label=Signal::derive(label) glyph=Glyph::Stop look=Look::Bad disabled=stopping
                testid="cancel-button" press=move || ask.set(true) />
        </Show>
        <Dialog title=t::CANCEL_TITLE open=ask testid="cancel-dialog" footer=ViewFn::from(move || view! {
            <Button label=t::CANCEL_NO.to_owned() press=move || ask.set(false) />
            <Button label=t::CANCEL_YES.to_owned() look=Look::Bad testid="cancel-confirm" press=cancel />
        })>
            <p>{consequence}</p>
        </Dialog>
    }
    .into_any()
}
