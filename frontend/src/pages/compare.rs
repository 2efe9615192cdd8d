//! Two runs side by side.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::run::RunView;

use crate::charts::CurvePair;
use crate::components::{Bones, Empty, ErrorNote, Glyph, Icon, More, StatusTag};
use crate::model::compare::{self, Fact, Figure};
use crate::model::query;
use crate::route::Route;
use crate::state::Latest;
use crate::text::{self, record as t};
use crate::{api, browser};

/// Both, or what is wrong with either.
type Pair = Option<Result<(RunView, RunView), ErrorBody>>;

/// `/runs/compare?a=…&b=…`.
#[component]
pub fn ComparePage() -> impl IntoView {
    super::title(t::COMPARE_TITLE);
    let route = expect_context::<Route>();
    let asked = Memo::new(move |_| (route.param("a"), route.param("b")));
    let pair = RwSignal::new(None::<Result<(RunView, RunView), ErrorBody>>);
    let latest = Latest::new();
    Effect::new(move |_| {
        let ticket = latest.ask();
        let (Some(a), Some(b)) = asked.get() else { return };
        spawn_local(async move {
            let found = match (api::run(&a).await, api::run(&b).await) {
                (Ok(a), Ok(b)) => Ok((a, b)),
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
            if latest.is_last(ticket) {
                let _ = pair.try_set(Some(found));
            }
        });
    });
    let both = Memo::new(move |_| asked.with(|(a, b)| a.is_some() && b.is_some()));
    let swap = move || asked.with(|(a, b)| Some(query::compare(b.as_deref()?, a.as_deref()?)));
    view! {
        <div class="head">
            <h1>{t::COMPARE_TITLE}</h1>
            <span class="push">
                {move || swap().map(|to| view! { <a class="btn" href=to data-testid="compare-swap"><Icon glyph=Glyph::Compare />{t::SWAP}</a> })}
                <a class="btn" href="/runs">{text::TO_RUNS}</a>
            </span>
        </div>
        {move || if both.get() { shown(&pair.get()).into_any() } else {
            view! { <section class="card"><Empty glyph=Glyph::Compare title=t::COMPARE_TITLE text=t::COMPARE_PICK /></section> }.into_any()
        }}
    }
    .into_any()
}

fn shown(pair: &Pair) -> impl IntoView + use<> {
    match pair {
        None => view! { <section class="card"><Bones lines=8 /></section> }.into_any(),
        Some(Err(error)) => {
            view! { <ErrorNote error=error.clone() testid="compare-error" /> }.into_any()
        }
        Some(Ok((a, b))) => both(a, b).into_any(),
    }
}

fn both(a: &RunView, b: &RunView) -> impl IntoView + use<> {
    let figures = compare::figures(a, b).into_iter().map(|f| figure(&f)).collect_view();
    let steps = compare::steps(a, b).into_iter().map(|f| figure(&f)).collect_view();
    let (different, same) = compare::facts(a, b);
    view! {
        <div class="stack" data-testid="compare">
            <div class="pair">{card("a", a)}{card("b", b)}</div>
            <section class="card">
                <header><h2>{t::FIGURES}</h2></header>
                <ul class="body versus">{figures}</ul>
            </section>
            <section class="card">
                <header><h2>{t::STEPS}</h2></header>
                <ul class="body versus">{steps}</ul>
            </section>
            <section class="card">
                <header><h2>{t::THROUGHPUT}</h2><span class="dim">{t::THROUGHPUT_LABEL}</span></header>
                <div class="body"><CurvePair a=a.curve.clone() b=b.curve.clone() /></div>
            </section>
            <section class="card">
                <header><h2>{t::DIFFERENT}</h2></header>
                <div class="body stack">
                    {if different.is_empty() {
                        view! { <p class="dim">{t::NOTHING_DIFFERENT}</p> }.into_any()
                    } else {
                        facts(&different, "compare-different").into_any()
                    }}
                    <More title=t::SAME.to_owned()>{facts(&same, "compare-same")}</More>
                </div>
            </section>
        </div>
    }
    .into_any()
}

fn card(side: &'static str, run: &RunView) -> impl IntoView + use<> {
    let head = format!("{} → {}.{}", run.file, run.database, run.table);
    let when = browser::moment(run.started_at.as_ref().unwrap_or(&run.created_at));
    view! {
        <section class=format!("card side {side}") data-testid=format!("compare-{side}")>
            <div class="body">
                <div class="row wrap">
                    <span class="mark-side" aria-hidden="true">{side.to_ascii_uppercase()}</span>
                    <a href=format!("/runs/{}", run.run_id)><b>{head}</b></a>
                    <StatusTag status=run.status />
                </div>
                <small>{format!("{} · {} · {}", run.who, when, run.server)}</small>
            </div>
        </section>
    }
    .into_any()
}

/// One figure of both, as bars to one scale.
fn figure(figure: &Figure) -> impl IntoView + use<> {
    let bar = |class: &'static str, value: Option<f64>, words: &str| {
        let share = value.map_or(0.0, |v| figure.share(v) * 100.0);
        view! {
            <span class="lane"><i class=class style:width=format!("{share:.1}%")></i></span>
            <span class="right nowrap">{words.to_owned()}</span>
        }
    };
    let times = figure.times().map(t::times);
    let better = figure.is_better();
    view! {
        <li>
            <span class="what">{figure.name.clone()}</span>
            <span class="bars">
                {bar("was a", figure.a, &figure.a_words)}
                {bar("was b", figure.b, &figure.b_words)}
            </span>
            <span class="times" class:good=better == Some(true) class:bad=better == Some(false)>{times}</span>
        </li>
    }
    .into_any()
}

fn facts(facts: &[Fact], testid: &'static str) -> impl IntoView + use<> {
    let rows = facts
        .iter()
        .map(|f| {
            view! { <tr><th scope="row">{f.name}</th><td>{f.a.clone()}</td><td>{f.b.clone()}</td></tr> }
        })
        .collect_view();
    view! {
        <div class="wide">
            <table class="facts-table" data-testid=testid>
                <thead><tr><th><span class="only-read">{t::WHAT}</span></th><th scope="col">"A"</th><th scope="col">"B"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
