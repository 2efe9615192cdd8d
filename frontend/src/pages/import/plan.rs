//! Part 3: the ways to load the file, each with its time, and why.

use leptos::prelude::*;
use shared::plan::{Candidate, PlanView, Precheck, Severity};
use shared::units;

use super::PartHead;
use super::wishes::Wishes;
use crate::components::{
    Bones, Button, CodeBlock, Empty, ErrorNote, Glyph, Kpi, Look, More, Note, Show, Tone,
};
use crate::model::{format, ladder};
use crate::state::import::Import;
use crate::text::{import as t, words};

/// Cards in sight at first; the others are a press away.
const CARDS_SHOWN: usize = 5;

#[component]
pub fn PlanPart(import: Import) -> impl IntoView {
    let known = Memo::new(move |_| import.plan.with(Option::is_some));
    let beside = move || {
        if import.planning.get() {
            return t::PLANNING.to_owned();
        }
        import.plan.with(|p| p.as_ref().map(|p| t::ways(p.candidates.len())).unwrap_or_default())
    };
    let stand = move || if known.get() { "on" } else { "" };
    view! {
        <section class="card" data-testid="part-plan" aria-busy=move || import.planning.get().to_string()>
            <PartHead number=3 name=t::PLAN beside=Signal::derive(beside) stand=Signal::derive(stand)>
                <CheckButton import />
            </PartHead>
            {move || import.plan_fault.get().map(|error| view! { <div class="body"><ErrorNote error testid="plan-error" /></div> })}
            {move || {
                if known.get() {
                    view! { <Cards import /> <Chosen import /> }.into_any()
                } else if import.planning.get() {
                    view! { <Bones /> }.into_any()
                } else if import.plan_fault.with(Option::is_none) {
                    view! { <Empty glyph=Glyph::Runs title=t::PLAN_NONE text=waits_for(import) /> }.into_any()
                } else {
                    ().into_any()
                }
            }}
            <div class="body">
                <More title=t::WISHES.to_owned() testid="wishes"><Wishes import /></More>
            </div>
        </section>
    }
    .into_any()
}

fn waits_for(import: Import) -> &'static str {
    if !import.has_file() {
        t::PLAN_WAITS_FILE
    } else if !import.uploader.state.with(|u| u.is_done()) {
        t::PLAN_WAITS_UPLOAD
    } else {
        t::PLAN_WAITS_TABLE
    }
}

#[component]
fn Cards(import: Import) -> impl IntoView {
    let taken = Memo::new(move |_| import.taken().map(|(at, _)| at));
    let all = RwSignal::new(false);
    let n = Memo::new(move |_| import.plan.with(|p| p.as_ref().map_or(0, |p| p.candidates.len())));
    // The cards stay as they are while the choice moves among them: one of them has the focus.
    let beyond = Memo::new(move |_| taken.get().filter(|at| *at >= CARDS_SHOWN));
    let shown = move |at: usize| all.get() || at < CARDS_SHOWN || beyond.get() == Some(at);
    let cards = move || {
        import.plan.with(|plan| {
            let candidates = plan.as_ref().map(|p| p.candidates.as_slice()).unwrap_or_default();
            let scale = ladder::scale_ms(candidates);
            let cards = candidates
                .iter()
                .enumerate()
                .filter(|(at, _)| shown(*at))
                .map(|(at, c)| card(import, at, c, scale, taken))
                .collect_view();
            let end = (!candidates.is_empty()).then(|| units::duration_ms(scale));
            view! {
                {cards}
                {end.map(|end| view! { <div class="scale-foot" aria-hidden="true"><span>"0"</span><span>{end}</span></div> })}
            }
        })
    };
    let label = move || if all.get() { t::FEWER_WAYS.to_owned() } else { t::all_ways(n.get()) };
    view! {
        <div class="plans" role="radiogroup" aria-label=t::PLAN data-testid="plan-cards">{cards}</div>
        <Show when=move || { CARDS_SHOWN < n.get() }>
            <div class="more-ways">
                <Button label=Signal::derive(label) look=Look::Bare testid="all-ways"
                    press=move || all.update(|a| *a = !*a) />
            </div>
        </Show>
    }
    .into_any()
}

fn card(
    import: Import,
    at: usize,
    candidate: &Candidate,
    scale_ms: u64,
    taken: Memo<Option<usize>>,
) -> impl IntoView + use<> {
    let bar = ladder::bar(candidate, scale_ms);
    let percent = |x: f64| format!("{x:.2}%");
    let choice = candidate.choice.clone();
    let engine = choice.engine.clone();
    let strategy = choice.strategy.as_str();
    let estimate = &candidate.estimate;
    let range = format::range_ms(estimate.low_ms, estimate.high_ms);
    let why = candidate.why_not.clone().or_else(|| candidate.reasons.first().cloned());
    view! {
        <label class="plan" data-testid=format!("plan-card-{at}") data-strategy=strategy data-engine=engine>
            <input type="radio" name="plan" prop:checked=move || taken.get() == Some(at)
                on:change=move |_| import.form.update(|f| f.choice = Some(choice.clone())) />
            <span class="title">{candidate.title.clone()}</span>
            <span class="time" title=range.clone()>{units::duration_ms(estimate.expected_ms)}</span>
            {why.map(|w| view! { <span class="why">{w}</span> })}
            <span class="scale" title=range>
                <i class:open=bar.open style:left=percent(bar.left) style:width=percent(bar.width)></i>
                <u style:left=percent(bar.mark)></u>
            </span>
        </label>
    }
    .into_any()
}

/// The taken card in full: time, reasons, findings, SQL.
#[component]
fn Chosen(import: Import) -> impl IntoView {
    move || {
        let (at, candidate) = import.taken()?;
        import.plan.with(|plan| plan.as_ref().map(|plan| chosen(at, &candidate, plan)))
    }
}

fn chosen(at: usize, candidate: &Candidate, plan: &PlanView) -> impl IntoView + use<> {
    let e = &candidate.estimate;
    let basis = e.basis.clone();
    let disk = candidate.disk_bytes.map(units::bytes);
    let reasons = candidate.reasons.iter().map(|r| view! { <li>{r.clone()}</li> }).collect_view();
    // The SQL is that of the first way.
    let sql = (at == 0 && !plan.sql.is_empty()).then(|| plan.sql.join(";\n\n") + ";");
    view! {
        <div class="body stack">
            <dl class="kpis">
                <Kpi label=t::EXPECTED value=units::duration_ms(e.expected_ms) testid="expected" />
                <Kpi label=t::coverage(&format::of_ten(e.coverage)) value=format::range_ms(e.low_ms, e.high_ms) />
                {disk.map(|d| view! { <Kpi label=t::DISK value=d /> })}
            </dl>
            <small>{basis}</small>
            {prechecks(&plan.prechecks)}
            <div class="stack tight">
                <h3>{t::WHY_THIS}</h3>
                <ul class="reasons" data-testid="reasons">{reasons}</ul>
                {candidate.choice.check_first.then(|| view! { <small>{t::CHECK_FIRST}</small> })}
            </div>
            {sql.map(|code| view! {
                <More title=t::SQL.to_owned() testid="plan-sql">
                    <small>{t::SQL_HINT}</small>
                    <CodeBlock code />
                </More>
            })}
        </div>
    }
    .into_any()
}

/// Findings, each with what follows.
pub fn prechecks(all: &[Precheck]) -> impl IntoView + use<> {
    let each = all
        .iter()
        .cloned()
        .map(|p| {
            let tone = match p.severity {
                Severity::Stops => Tone::Bad,
                Severity::Warns => Tone::Warn,
                Severity::Informs => Tone::Plain,
            };
            view! {
                <Note tone>
                    <span class="only-read">{words::severity(p.severity)} ": "</span>
                    <b>{p.finding}</b>
                    <small>{p.consequence}</small>
                </Note>
            }
        })
        .collect_view();
    (!all.is_empty()).then(|| view! { <div class="notes" data-testid="prechecks">{each}</div> })
}

#[component]
fn CheckButton(import: Import) -> impl IntoView {
    let ready = Memo::new(move |_| import.plan.with(Option::is_some));
    view! {
        <Show when=move || ready.get()>
            <Button look=Look::Bare glyph=Glyph::Check testid="check-button" title=t::CHECK_HINT
                disabled=import.checking press=move || import.check_all()
                label=Signal::derive(move || if import.checking.get() { t::CHECKING } else { t::CHECK }.to_owned()) />
        </Show>
    }
    .into_any()
}
