//! Part 4: the button, and the run that it starts.

use leptos::prelude::*;
use shared::units;

use super::PartHead;
use crate::charts::Timeline;
use crate::components::{Button, ErrorNote, Glyph, Icon, Look, Note, Show, StatusTag, Tone};
use crate::model::format;
use crate::pages::run_parts::{CancelButton, Figures, Verdict};
use crate::state::import::Import;
use crate::state::live::Live;
use crate::text::{import as t, record};

#[component]
pub fn RunPart(import: Import) -> impl IntoView {
    let live = Live::new();
    Effect::new(move |_| match import.run_id.get() {
        Some(id) => live.watch(&id),
        None => live.forget(),
    });
    // An import changes tables: what is known of the place is old once it has ended.
    Effect::new(move |before: Option<bool>| {
        let over = live.view.with(|v| v.as_ref().is_some_and(|v| v.status.is_final()));
        if over && before == Some(false) {
            import.place.refresh();
        }
        over
    });
    let status = Memo::new(move |_| live.view.with(|v| v.as_ref().map(|v| v.status)));
    let stand = move || match status.get() {
        Some(s) if s.is_final() => "done",
        Some(_) => "on",
        None => "",
    };
    view! {
        <section class="card run-part" data-testid="part-run">
            <PartHead number=4 name=t::RUN beside="".to_owned() stand=Signal::derive(stand)>
                {move || status.get().map(|status| view! { <StatusTag status testid="run-status" /> })}
            </PartHead>
            {move || if import.run_id.with(Option::is_some) {
                view! { <Going import live /> }.into_any()
            } else {
                view! { <Start import /> }.into_any()
            }}
        </section>
    }
    .into_any()
}

#[component]
fn Start(import: Import) -> impl IntoView {
    let stopped = Memo::new(move |_| import.stopped());
    let ready = Memo::new(move |_| import.plan.with(Option::is_some) && !import.starting.get());
    let label = move || {
        if import.starting.get() {
            return t::STARTING.to_owned();
        }
        import.seen.with(|s| {
            s.as_ref().map_or_else(
                || t::import_rows(None, false),
                |s| t::import_rows(s.profile.rows, s.profile.whole),
            )
        })
    };
    view! {
        <div class="body stack">
            <CheckResult import />
            <div class="go-row">
                <Button look=Look::Go large=true testid="import-button" label=Signal::derive(label)
                    disabled=Signal::derive(move || !ready.get() || stopped.get()) press=move || import.run() />
                <span class="dim">{move || if stopped.get() { t::STOPPED_BY } else { t::RUN_WAITS }}</span>
            </div>
            {move || import.start_fault.get().map(|error| view! { <ErrorNote error testid="start-error" /> })}
        </div>
    }
    .into_any()
}

/// What a check of every row found.
#[component]
fn CheckResult(import: Import) -> impl IntoView {
    move || {
        import.check.get().map(|answer| match answer {
            Err(error) => view! { <ErrorNote error testid="check-error" /> }.into_any(),
            Ok(found) if found.rows_refused == 0 => view! {
                <Note tone=Tone::Good testid="check-result">
                    {t::check_good(found.rows_read, &units::duration_ms(found.elapsed_ms))}
                </Note>
            }.into_any(),
            Ok(found) => {
                let first = found.rejects.iter().take(5).map(|r| {
                    let place = record::position(Some(r.row), Some(r.line), r.column.as_deref());
                    view! { <small>{place.unwrap_or_default()} ": " {format::cut(&r.message, 200)}</small> }
                }).collect_view();
                view! {
                    <Note tone=Tone::Warn testid="check-result">
                        <b>{t::check_bad(found.rows_refused, found.rows_read)}</b>
                        {first}
                    </Note>
                }.into_any()
            }
        })
    }
}

#[component]
fn Going(import: Import, live: Live) -> impl IntoView {
    let running =
        Memo::new(move |_| live.view.with(|v| v.as_ref().is_some_and(|v| !v.status.is_final())));
    let address = move || import.run_id.get().map(|id| format!("/runs/{id}")).unwrap_or_default();
    view! {
        <div class="body stack">
            {move || live.error.get().map(|error| view! { <ErrorNote error /> })}
            <Show when=move || live.lost.get()>
                <Note tone=Tone::Warn>{record::LIVE_LOST}</Note>
            </Show>
            <Verdict view=live.view />
            <Timeline view=live.view progress=live.progress />
            <Figures live />
            <div class="go-row">
                <a class="btn" href=address data-testid="open-run">{t::OPEN_RUN} <Icon glyph=Glyph::Arrow /></a>
                <CancelButton live />
                {move || if running.get() {
                    view! { <span class="dim">{t::RUN_LEAVE}</span> }.into_any()
                } else {
                    view! {
                        <Button label=t::CHANGE.to_owned() glyph=Glyph::Again testid="change-again"
                            title=t::CHANGE_HINT press=move || import.change() />
                        <Button label=t::AGAIN.to_owned() glyph=Glyph::Upload testid="import-another"
                            press=move || import.forget(false) />
                    }.into_any()
                }}
            </div>
        </div>
    }
    .into_any()
}
