//! Trials: the ladder on one's own server, and what earlier trials found.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::options::ImportOptions;
use shared::target::TargetView;
use shared::trial::{TrialKind, TrialPage, TrialRequest, TrialStatus, TrialView};
use shared::units;

use crate::charts::Rungs;
use crate::components::{
    Bones, Button, Empty, ErrorNote, Field, Glyph, Look, Select, TextInput, Toasts,
};
use crate::model::format::plural;
use crate::state::Latest;
use crate::state::import::Import;
use crate::text::foresee as t;
use crate::{api, browser};

/// While a trial is under way the page is asked for again this often; else less.
const LIVE_MS: u32 = 700;

type Found = RwSignal<Option<Result<TrialPage, ErrorBody>>>;

/// `/trials`.
#[component]
pub fn TrialsPage() -> impl IntoView {
    super::title(t::TRIALS);
    let place = expect_context::<Import>().place;
    place.refresh();
    let found: Found = RwSignal::new(None);
    let latest = Latest::new();
    let ticket = latest.ask();
    spawn_local(follow(found, latest, ticket));
    on_cleanup(move || {
        latest.ask();
    });
    view! {
        <div class="head"><h1>{t::TRIALS}</h1><span class="dim">{t::TRIALS_WHY}</span></div>
        <Begin targets=place.targets />
        {move || match found.get() {
            None => view! { <section class="card"><Bones lines=6 /></section> }.into_any(),
            Some(Err(error)) => view! { <ErrorNote error testid="trials-error" /> }.into_any(),
            Some(Ok(page)) if page.trials.is_empty() => view! {
                <section class="card">
                    <Empty glyph=Glyph::Bars title=t::TRIALS_NONE_TITLE text=t::TRIALS_NONE />
                </section>
            }.into_any(),
            Some(Ok(page)) => page.trials.into_iter().map(card).collect_view().into_any(),
        }}
    }
    .into_any()
}

async fn follow(found: Found, latest: Latest, ticket: u64) {
    loop {
        let answer = api::trials().await;
        if !latest.is_last(ticket) {
            return;
        }
        let running = |v: &TrialView| v.status == TrialStatus::Running;
        let moving = answer.as_ref().is_ok_and(|page| page.trials.iter().any(running));
        let same = found.try_with_untracked(|p| p.as_ref() == Some(&answer)).unwrap_or(true);
        if !same {
            let _ = found.try_set(Some(answer));
        }
        TimeoutFuture::new(if moving { LIVE_MS } else { LIVE_MS * 4 }).await;
        if !latest.is_last(ticket) {
            return;
        }
    }
}

/// The ladder's button, and where it is to stand.
#[component]
fn Begin(targets: RwSignal<Option<Vec<TargetView>>>) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let target = RwSignal::new(String::new());
    let database = RwSignal::new(String::new());
    let seconds = RwSignal::new("60".to_owned());
    let pick = move |id: String| {
        let own = targets.with_untracked(|all| {
            let all = all.as_deref().unwrap_or_default();
            all.iter().find(|t| t.id == id).and_then(|t| t.database.clone())
        });
        database.set(own.unwrap_or_default());
        target.set(id);
    };
    Effect::new(move |_| {
        let first = targets.with(|t| t.as_ref().and_then(|t| t.first().map(|t| t.id.clone())));
        if let Some(id) = first
            && target.with_untracked(String::is_empty)
        {
            pick(id);
        }
    });
    let options = Signal::derive(move || {
        let all = targets.get().unwrap_or_default();
        all.into_iter().map(|t| (t.id, t.name)).collect::<Vec<_>>()
    });
    let asking = RwSignal::new(false);
    let begin = move || {
        let request = TrialRequest {
            kind: TrialKind::Ladder,
            source_id: None,
            target_id: target.get_untracked(),
            database: database.get_untracked(),
            table: None,
            options: ImportOptions::default(),
            seconds: seconds.get_untracked().trim().parse().ok(),
            rows_max: None,
        };
        asking.set(true);
        spawn_local(async move {
            if let Err(error) = api::start_trial(&request).await {
                toasts.bad(&error);
            }
            let _ = asking.try_set(false);
        });
    };
    let lacks = Signal::derive(move || {
        asking.get() || target.with(String::is_empty) || database.with(String::is_empty)
    });
    view! {
        <section class="card">
            <header><h2>{t::LADDER}</h2></header>
            <div class="body stack">
                <p>{t::LADDER_WHAT}</p>
                <div class="ask">
                    <Field label=t::TARGET.to_owned() id="l-target">
                        <Select id="l-target" value=target options change=pick />
                    </Field>
                    <Field label=t::DATABASE.to_owned() id="l-database">
                        <TextInput id="l-database" value=database input=move |v| database.set(v) />
                    </Field>
                    <Field label=t::SECONDS.to_owned() id="l-seconds">
                        <TextInput id="l-seconds" value=seconds input=move |v| seconds.set(v) />
                    </Field>
                </div>
                <div>
                    <Button label=t::LADDER.to_owned() look=Look::Go glyph=Glyph::Bars disabled=lacks
                        testid="climb" press=begin />
                </div>
                <small>{t::RACES}</small>
            </div>
        </section>
    }
    .into_any()
}

fn card(trial: TrialView) -> AnyView {
    let toasts = expect_context::<Toasts>();
    let id = StoredValue::new(trial.id.clone());
    let stop = move || {
        spawn_local(async move {
            let Some(id) = id.try_get_value() else { return };
            if let Err(error) = api::cancel_trial(&id).await {
                toasts.bad(&error);
            }
        });
    };
    let running = trial.status == TrialStatus::Running;
    let class = match trial.status {
        TrialStatus::Running => "tag run",
        TrialStatus::Done => "tag good",
        TrialStatus::Failed => "tag bad",
        TrialStatus::Cancelled | TrialStatus::Interrupted => "tag warn",
    };
    let where_ =
        format!("{}, {} · {}", trial.target, trial.server, browser::when(&trial.created_at));
    let took = format!(
        "{}, {}",
        plural(trial.results.len() as u64, "load", "loads"),
        units::duration_ms(trial.elapsed_ms)
    );
    view! {
        <section class="card" data-testid="trial" data-status=trial.status.as_str()>
            <header>
                <h2>{format!("{}: {}", t::kind(trial.kind), trial.what)}</h2>
                <span class="dim">{where_}</span>
                <span class="push">
                    <span class=class>{running.then(|| view! { <span class="dot"></span> })} {t::status(trial.status)}</span>
                    {running.then(|| view! { <Button label=t::STOP.to_owned() look=Look::Bare press=stop /> })}
                </span>
            </header>
            <div class="body stack">
                {trial.error.map(|error| view! { <ErrorNote error /> })}
                {trial.words.into_iter().map(|w| view! { <p>{w}</p> }).collect_view()}
                <Rungs results=trial.results />
                <small>{took}</small>
            </div>
        </section>
    }
    .into_any()
}
