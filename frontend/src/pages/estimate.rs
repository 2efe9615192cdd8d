//! The capacity question and its answer, and how right earlier answers were.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::capacity::CapacityAnswer;
use shared::plan::Candidate;
use shared::target::TargetView;
use shared::units;

use super::checks::Checks;
use crate::api;
use crate::charts::Curve;
use crate::components::{Bones, Empty, ErrorNote, Field, Glyph, Note, Select, TextInput, Tone};
use crate::model::format::{of_ten, range_ms};
use crate::model::question::{Question, clock, number};
use crate::state::Latest;
use crate::state::import::Import;
use crate::text::foresee as t;

/// After the last key, so long until the question is asked.
const TYPE_MS: u32 = 250;

type Asked = Option<Result<CapacityAnswer, ErrorBody>>;

/// `/estimate`.
#[component]
pub fn EstimatePage() -> impl IntoView {
    super::title(t::ESTIMATE);
    let place = expect_context::<Import>().place;
    place.refresh();
    let question = RwSignal::new(Question::default());
    Effect::new(move |_| {
        let first =
            place.targets.with(|t| t.as_ref().and_then(|t| t.first().map(|t| t.id.clone())));
        if let Some(id) = first
            && question.with_untracked(|q| q.target_id.is_empty())
        {
            question.update(|q| q.target_id = id);
        }
    });
    let answer = RwSignal::new(None::<Result<CapacityAnswer, ErrorBody>>);
    ask(question, answer);
    let none = Memo::new(move |_| place.targets.with(|t| t.as_ref().is_some_and(Vec::is_empty)));
    view! {
        <div class="head"><h1>{t::ESTIMATE}</h1><span class="dim">{t::BEFORE}</span></div>
        {move || if none.get() {
            view! {
                <section class="card">
                    <Empty glyph=Glyph::Database title=t::NO_TARGET_TITLE text=t::NO_TARGET>
                        <a class="btn" href="/targets">{t::TO_TARGETS}</a>
                    </Empty>
                </section>
            }.into_any()
        } else {
            view! {
                <QuestionCard question targets=place.targets />
                <div aria-live="polite">{move || answer_view(answer, question)}</div>
            }.into_any()
        }}
        <Checks />
    }
    .into_any()
}

/// Asks whenever the question can be read, once the typing rests.
fn ask(question: RwSignal<Question>, answer: RwSignal<Asked>) {
    let latest = Latest::new();
    Effect::new(move |_| {
        let request = question.with(Question::request);
        let ticket = latest.ask();
        spawn_local(async move {
            TimeoutFuture::new(TYPE_MS).await;
            if !latest.is_last(ticket) {
                return;
            }
            let Some(request) = request else {
                let _ = answer.try_set(None);
                return;
            };
            let found = api::capacity(&request).await;
            if latest.is_last(ticket) {
                let _ = answer.try_set(Some(found));
            }
        });
    });
    on_cleanup(move || {
        latest.ask();
    });
}

#[component]
fn QuestionCard(
    question: RwSignal<Question>,
    targets: RwSignal<Option<Vec<TargetView>>>,
) -> impl IntoView {
    let target_options = Signal::derive(move || {
        let all = targets.get().unwrap_or_default();
        all.into_iter().map(|t| (t.id, t.name)).collect::<Vec<_>>()
    });
    let engines = ["", "InnoDB", "RocksDB", "Aria", "MyISAM", "TokuDB"].map(|e| {
        (e.to_owned(), if e.is_empty() { t::ANY_ENGINE.to_owned() } else { e.to_owned() })
    });
    let orders =
        [("random", t::RANDOM), ("sorted", t::IN_ORDER)].map(|(v, w)| (v.to_owned(), w.to_owned()));
    let get = move |read: fn(&Question) -> &String| {
        Signal::derive(move || question.with(|q| read(q).clone()))
    };
    let odd = move |read: fn(&Question) -> &String| {
        Signal::derive(move || question.with(|q| number(read(q)).is_none()))
    };
    let time = move |read: fn(&Question) -> &String| {
        Signal::derive(move || question.with(|q| !read(q).is_empty() && clock(read(q)).is_none()))
    };
    view! {
        <section class="card">
            <header><h2>{t::QUESTION}</h2></header>
            <div class="body ask" data-testid="question">
                <Field label=t::TARGET.to_owned() id="q-target">
                    <Select id="q-target" testid="q-target" value=get(|q| &q.target_id) options=target_options
                        change=move |v| question.update(|q| q.target_id = v) />
                </Field>
                <Field label=t::ROWS.to_owned() id="q-rows" wrong=odd(|q| &q.rows) hint=Signal::stored(Some(t::ROWS_HINT.to_owned()))>
                    <TextInput id="q-rows" testid="q-rows" value=get(|q| &q.rows) input=move |v| question.update(|q| q.rows = v) />
                </Field>
                <Field label=t::ROW_BYTES.to_owned() id="q-bytes" wrong=odd(|q| &q.row_bytes)>
                    <TextInput id="q-bytes" value=get(|q| &q.row_bytes) input=move |v| question.update(|q| q.row_bytes = v) />
                </Field>
                <Field label=t::INDEXES.to_owned() id="q-indexes" wrong=odd(|q| &q.indexes)>
                    <TextInput id="q-indexes" value=get(|q| &q.indexes) input=move |v| question.update(|q| q.indexes = v) />
                </Field>
                <Field label=t::ROWS_BEFORE.to_owned() id="q-before" wrong=odd(|q| &q.rows_before)>
                    <TextInput id="q-before" value=get(|q| &q.rows_before) input=move |v| question.update(|q| q.rows_before = v) />
                </Field>
                <Field label=t::ENGINE.to_owned() id="q-engine">
                    <Select id="q-engine" value=get(|q| &q.engine) options=engines.to_vec()
                        change=move |v| question.update(|q| q.engine = v) />
                </Field>
                <Field label=t::ORDER.to_owned() id="q-order">
                    <Select id="q-order" value=get(|q| &q.order) options=orders.to_vec()
                        change=move |v| question.update(|q| q.order = v) />
                </Field>
                <Field label=t::START.to_owned() id="q-start" wrong=time(|q| &q.start)>
                    <TextInput id="q-start" value=get(|q| &q.start) input=move |v| question.update(|q| q.start = v) />
                </Field>
                <Field label=t::DONE_BY.to_owned() id="q-by" wrong=time(|q| &q.by)>
                    <TextInput id="q-by" testid="q-by" value=get(|q| &q.by) input=move |v| question.update(|q| q.by = v) />
                </Field>
            </div>
        </section>
    }
    .into_any()
}

fn answer_view(answer: RwSignal<Asked>, question: RwSignal<Question>) -> AnyView {
    match answer.get() {
        None if question.with(|q| q.request().is_none()) => {
            view! { <section class="card"><div class="body dim">{t::NOT_YET}</div></section> }
                .into_any()
        }
        None => view! { <section class="card"><Bones lines=3 /></section> }.into_any(),
        Some(Err(error)) => view! { <ErrorNote error testid="estimate-error" /> }.into_any(),
        Some(Ok(found)) => found_view(found),
    }
}

fn found_view(found: CapacityAnswer) -> AnyView {
    let Some(first) = found.candidates.first().cloned() else { return ().into_any() };
    let disk = found.disk;
    let fits = found.window.as_ref().map(|w| {
        let class = match w.chance {
            c if c >= 0.9 => "tag good",
            c if c >= 0.5 => "tag warn",
            _ => "tag bad",
        };
        view! { <div><span class=class data-testid="fits">{t::fits(w.chance)}</span></div> }
    });
    let bend = found.bend.clone().or_else(|| found.bend_unsorted.clone());
    let bend = bend.map(|b| {
        let tone = if b.reached { Tone::Warn } else { Tone::Plain };
        view! { <Note tone>{b.words}</Note> }
    });
    let title =
        format!("{} rows into {} ({})", units::count(found.rows), found.target, found.server);
    let estimate = &first.estimate;
    let range = format!(
        "{} in {} cases, {}",
        range_ms(estimate.low_ms, estimate.high_ms),
        of_ten(estimate.coverage),
        estimate.basis
    );
    let prechecks = found.prechecks.clone().into_iter().map(|p| {
        view! { <Note tone=Tone::Plain>{format!("{} {}", p.finding, p.consequence)}</Note> }
    });
    view! {
        <div class="two">
            <section class="card">
                <header><h2>{title}</h2></header>
                <div class="body stack"><Curve answer=found.clone() /><small>{t::DOTS}</small></div>
            </section>
            <section class="card">
                <header><h2>{t::ANSWER}</h2></header>
                <div class="body stack">
                    <div>
                        <span class="figure" data-testid="estimate-expected">{units::duration_ms(estimate.expected_ms)}</span>
                        <br />
                        <small>{range}</small>
                    </div>
                    {fits}
                    <dl class="facts">
                        <dt>{t::WAY}</dt><dd>{first.title.clone()}</dd>
                        <dt>{t::DATA}</dt><dd>{units::bytes(disk.data_bytes)}</dd>
                        <dt>{t::INDEX_DISK}</dt><dd>{units::bytes(disk.index_bytes)}</dd>
                        <dt>{t::MEANWHILE}</dt><dd>{units::bytes(disk.temporary_bytes)}</dd>
                        <dt>{t::LOGS}</dt><dd>{units::bytes(disk.log_bytes)}</dd>
                    </dl>
                    {bend}
                    <div class="notes">{prechecks.collect_view()}</div>
                </div>
            </section>
        </div>
        {ways(&found.candidates)}
    }
    .into_any()
}

fn ways(candidates: &[Candidate]) -> AnyView {
    let rows = candidates.iter().map(|c| {
        let why = c.why_not.clone().unwrap_or_else(|| c.reasons.join(" "));
        view! {
            <tr>
                <td><b>{c.title.clone()}</b></td>
                <td class="n nowrap">{units::duration_ms(c.estimate.expected_ms)}
                    <small>{range_ms(c.estimate.low_ms, c.estimate.high_ms)}</small></td>
                <td class="n nowrap">{c.disk_bytes.map(units::bytes)}</td>
                <td>{why}</td>
            </tr>
        }
    });
    view! {
        <section class="card">
            <header><h2>{t::WAYS}</h2></header>
            <div class="wide" tabindex="0">
                <table class="ways" data-testid="ways">
                    <thead><tr><th>{t::WAY}</th><th class="n">{t::TIME}</th><th class="n">{t::DISK}</th><th>{t::WHY}</th></tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}
