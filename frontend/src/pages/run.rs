//! A run: live while it goes on, a record afterwards.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::run::RunView;
use shared::units;

use super::import::prechecks;
use super::rejects::Rejects;
use super::run_parts::{CancelButton, Figures, Verdict, WorkerList};
use crate::charts::{Throughput, Timeline};
use crate::components::{
    Bones, Button, CodeBlock, ErrorNote, Glyph, Icon, Look, More, Note, Show, StatusTag, Toasts,
    Tone,
};
use crate::model::series::Series;
use crate::model::{compare, query};
use crate::route::Route;
use crate::state::import::Import;
use crate::state::live::Live;
use crate::text::{self, record as t, words};
use crate::{api, browser};

/// `/runs/{id}`.
#[component]
pub fn RunPage() -> impl IntoView {
    let id = expect_context::<Route>().run_id();
    let live = Live::new();
    Effect::new(move |_| live.watch(&id.get()));
    let known = Memo::new(move |_| live.view.with(Option::is_some));
    move || {
        if let Some(error) = live.error.get() {
            super::title(t::RUN);
            return view! {
                <div class="head"><h1>{t::RUN}</h1></div>
                <div class="stack">
                    <ErrorNote error testid="run-error" />
                    <div><a class="btn" href="/runs">{text::TO_RUNS}</a></div>
                </div>
            }
            .into_any();
        }
        if known.get() {
            view! { <Known live /> }.into_any()
        } else {
            view! { <section class="card"><Bones lines=8 /></section> }.into_any()
        }
    }
}

#[component]
fn Known(live: Live) -> impl IntoView {
    let of = move |get: fn(&RunView) -> String| {
        move || live.view.with(|v| v.as_ref().map(get)).unwrap_or_default()
    };
    let head = of(|v| format!("{} → {}.{}", v.file, v.database, v.table));
    Effect::new(move |_| super::title(&head()));
    let status = Memo::new(move |_| live.view.with(|v| v.as_ref().map(|v| v.status)));
    let over = Memo::new(move |_| status.get().is_some_and(|s| s.is_final()));
    let rejects =
        Memo::new(move |_| live.view.with(|v| v.as_ref().map_or(0, |v| v.rows_rejected)) > 0);
    // Without a saved target there is nothing to connect to again.
    let mendable = Memo::new(move |_| {
        let in_with_rejects = status.get() == Some(shared::RunStatus::SucceededWithRejects);
        in_with_rejects && live.view.with(|v| v.as_ref().is_some_and(|v| v.target_id.is_some()))
    });
    let id = live.view.with_untracked(|v| v.as_ref().map(|v| v.run_id.clone()).unwrap_or_default());
    view! {
        <div class="head">
            <h1>{head}</h1>
            {move || status.get().map(|status| view! { <StatusTag status testid="run-status" /> })}
            <span class="push"><Actions live /></span>
        </div>
        <Show when=move || live.lost.get()>
            <div class="strip" role="status" data-testid="live-lost"><Icon glyph=Glyph::Warning />{t::LIVE_LOST}</div>
        </Show>
        <Verdict view=live.view />
        <div class="run-cols">
            <div class="stack">
            <section class="card">
                <header><h2>{t::STEPS}</h2><span class="push dim">{t::STEPS_KEY}</span></header>
                <div class="body">
                    <Show when=move || status.get() == Some(shared::RunStatus::Queued)>
                        <Note tone=Tone::Plain>{t::QUEUED}</Note>
                    </Show>
                    <Timeline view=live.view progress=live.progress />
                </div>
                <div class="body"><Figures live /></div>
                <div class="body"><More title=t::AS_TABLE.to_owned()>{move || live.view.with(|v| v.as_ref().map(steps_table))}</More></div>
            </section>
            {move || { over.track(); live.view.with_untracked(|v| v.as_ref().map(why_and_sql)) }}
            </div>
            <div class="stack">
                <section class="card">
                    <header><h2>{t::THROUGHPUT}</h2></header>
                    <div class="body">
                        <Show when=move || live.series.with(Series::is_worth_drawing)
                            fallback=|| view! { <p class="dim">{t::NO_THROUGHPUT}</p> }>
                            <Throughput series=live.series />
                        </Show>
                    </div>
                    <WorkerList live />
                </section>
                {move || { over.track(); live.view.with_untracked(|v| v.as_ref().map(choices)) }}
            </div>
            <Show when=move || rejects.get()>
                <div class="full"><Rejects id=id.clone() over mendable /></div>
            </Show>
        </div>
    }
    .into_any()
}

/// What can be done with the run now.
#[component]
fn Actions(live: Live) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let import = expect_context::<Import>();
    let route = expect_context::<Route>();
    let state = Memo::new(move |_| {
        live.view.with(|v| {
            v.as_ref().map(|v| {
                (
                    v.status,
                    v.resumable && v.status.is_final(),
                    v.source_id.is_some(),
                    v.run_id.clone(),
                    query::compare_with(v),
                )
            })
        })
    });
    let resume = move || {
        let Some((_, _, _, id, _)) = state.get_untracked() else { return };
        spawn_local(async move {
            match api::resume(&id).await {
                Ok(()) => live.watch(&id),
                Err(error) => toasts.bad(&error),
            }
        });
    };
    let again = move || {
        live.view.with_untracked(|v| {
            if let Some(v) = v {
                import.again(v);
            }
        });
        route.go("/");
    };
    let copy = move || {
        browser::copy(&browser::address());
        toasts.good(text::COPIED);
    };
    view! {
        {move || {
            let (status, resumable, uploaded, _, compare) = state.get()?;
            Some(view! {
                {resumable.then(|| view! {
                    <Button label=t::RESUME.to_owned() glyph=Glyph::Play look=Look::Go testid="resume-button" press=resume />
                })}
                {status.is_final().then(|| view! {
                    <a class="btn" href=compare title=t::COMPARE_WITH_HINT data-testid="compare-with"><Icon glyph=Glyph::Compare />{t::COMPARE_WITH}</a>
                })}
                {(status.is_final() && uploaded).then(|| view! {
                    <Button label=t::RUN_AGAIN.to_owned() title=t::RUN_AGAIN_HINT glyph=Glyph::Again testid="run-again" press=again />
                })}
            })
        }}
        <CancelButton live />
        <Button label=text::COPY_LINK.to_owned() glyph=Glyph::Copy press=copy />
    }
    .into_any()
}

fn steps_table(run: &RunView) -> impl IntoView + use<> {
    let said = run.estimate.clone();
    let rows = run
        .steps
        .iter()
        .map(|s| {
            let foretold = said.as_ref().and_then(|e| e.steps.iter().find(|x| x.step == s.step));
            let foretold = foretold.map(|f| crate::model::format::range_ms(f.low_ms, f.high_ms));
            let secs = s.ms as f64 / 1000.0;
            let rate = (s.rows > 0 && s.ms > 0).then(|| units::rows_per_sec(s.rows as f64 / secs));
            view! {
                <tr>
                    <td>{words::step(s.step)}</td>
                    <td class="n nowrap">{foretold.unwrap_or_else(|| "–".to_owned())}</td>
                    <td class="n nowrap">{units::duration_ms(s.ms)}</td>
                    <td class="n">{if s.rows > 0 { units::count(s.rows) } else { "–".to_owned() }}</td>
                    <td class="n nowrap">{rate.unwrap_or_else(|| "–".to_owned())}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="wide">
            <table data-testid="steps-table">
                <thead><tr><th>{t::STEP}</th><th class="n">{t::SAID}</th><th class="n">{t::WAS}</th><th class="n">{t::ROWS}</th><th class="n">{t::RATE}</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn choices(run: &RunView) -> impl IntoView + use<> {
    let mut facts = compare::given(run);
    facts.extend(compare::asked(run));
    facts.extend([
        (t::BY, run.who.clone()),
        (t::STARTED, browser::moment(run.started_at.as_ref().unwrap_or(&run.created_at))),
        (t::RUN_ID, run.run_id.clone()),
    ]);
    view! {
        <section class="card">
            <header><h2>{t::CHOICES}</h2></header>
            <div class="body">
                <dl class="facts" data-testid="run-facts">
                    {facts.into_iter().map(|(k, v)| view! { <dt>{k.to_owned()}</dt><dd>{v}</dd> }).collect_view()}
                </dl>
            </div>
        </section>
    }
    .into_any()
}

fn why_and_sql(run: &RunView) -> impl IntoView + use<> {
    let reasons = run.reasons.iter().map(|r| view! { <li>{r.clone()}</li> }).collect_view();
    let basis = run.estimate.as_ref().map(|e| e.basis.clone());
    let code = run.sql.join(";\n\n");
    let findings = prechecks(&run.prechecks);
    view! {
        <section class="card">
            <header><h2>{t::REASONS}</h2><span class="dim">{basis}</span></header>
            <div class="body stack">
                <ul class="reasons">{reasons}</ul>
                {findings}
                {(!code.is_empty()).then(|| view! { <More title=t::SQL.to_owned() testid="run-sql"><CodeBlock code /></More> })}
            </div>
        </section>
    }
    .into_any()
}
