//! The history: every run, filtered by the address.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};
use shared::ErrorBody;
use shared::api::{RunPage, RunQuery};
use shared::plan::Strategy;
use shared::run::RunView;
use shared::units;

use crate::components::{
    Bones, Button, Empty, ErrorNote, Field, Glyph, Look, Meter, Pager, Select, StatusTag,
};
use crate::model::{format, query};
use crate::state::Latest;
use crate::text::{self, record as t, words};
use crate::{api, browser};

/// While a shown run is under way, the page is asked for again this often.
const LIVE_MS: u32 = 1500;
/// After the last key, so long until the search.
const TYPE_MS: u32 = 200;

/// `/runs`.
#[component]
pub fn RunsPage() -> impl IntoView {
    super::title(t::RUNS);
    let map = use_query_map();
    let asked = Memo::new(move |_| map.with(|m| query::from_params(|name| m.get(name))));
    let page = RwSignal::new(None::<Result<RunPage, ErrorBody>>);
    let latest = Latest::new();
    Effect::new(move |_| {
        let query = asked.get();
        let ticket = latest.ask();
        spawn_local(follow(query, page, latest, ticket));
    });
    on_cleanup(move || {
        latest.ask();
    });
    let navigate = use_navigate();
    let go = move |query: RunQuery| {
        let search = query::to_search(&query, false);
        let to = if search.is_empty() { "/runs".to_owned() } else { format!("/runs?{search}") };
        navigate(
            &to,
            NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() },
        );
    };
    let go = StoredValue::new_local(go);
    let change = move |with: &dyn Fn(&mut RunQuery)| {
        let mut query = asked.get_untracked();
        query.offset = None;
        with(&mut query);
        go.with_value(|go| go(query));
    };
    let count = move |get: fn(&RunPage) -> u64| {
        Signal::derive(move || {
            page.with(|p| p.as_ref().and_then(|p| p.as_ref().ok().map(get))).unwrap_or(0)
        })
    };
    let total = count(|p| p.total);
    view! {
        <div class="head">
            <h1>{t::RUNS}</h1>
            <span class="dim" data-testid="runs-total">{move || (total.get() > 0).then(|| units::count(total.get()))}</span>
            <span class="push"><a class="btn go" href="/">{text::TO_IMPORT}</a></span>
        </div>
        <section class="card">
            <Filters asked change />
            {move || match page.get() {
                None => view! { <Bones lines=8 /> }.into_any(),
                Some(Err(error)) => view! { <div class="body"><ErrorNote error testid="runs-error" /></div> }.into_any(),
                Some(Ok(found)) if found.runs.is_empty() => nothing(query::is_filtered(&asked.get_untracked())).into_any(),
                Some(Ok(found)) => table(found.runs).into_any(),
            }}
            <Show when=move || total.get() != 0>
                <Pager offset=Signal::derive(move || asked.with(|q| q.offset.unwrap_or(0))) total
                    shown=count(|p| p.runs.len() as u64) page=u64::from(query::PAGE_ROWS)
                    go=move |to| change(&|q| q.offset = Some(to)) />
            </Show>
        </section>
    }
    .into_any()
}

/// Asks for a page, and again while something on it moves.
async fn follow(
    query: RunQuery,
    page: RwSignal<Option<Result<RunPage, ErrorBody>>>,
    latest: Latest,
    ticket: u64,
) {
    loop {
        let answer = api::runs(&query).await;
        if !latest.is_last(ticket) {
            return;
        }
        let moving = match &answer {
            Ok(found) => found.runs.iter().any(|r| !r.status.is_final()),
            Err(error) => api::is_away(error),
        };
        let same = page.try_with_untracked(|p| p.as_ref() == Some(&answer)).unwrap_or(true);
        if !same {
            let _ = page.try_set(Some(answer));
        }
        // A run that someone else starts shows up as well, only later.
        TimeoutFuture::new(if moving { LIVE_MS } else { LIVE_MS * 4 }).await;
        if !latest.is_last(ticket) {
            return;
        }
    }
}

fn nothing(filtered: bool) -> impl IntoView {
    if filtered {
        view! { <Empty glyph=Glyph::Search title=t::NO_MATCH_TITLE text=t::NO_MATCH /> }.into_any()
    } else {
        view! {
            <Empty glyph=Glyph::Runs title=t::NONE_TITLE text=t::NONE>
                <a class="btn" href="/">{text::TO_IMPORT}</a>
            </Empty>
        }
        .into_any()
    }
}

#[component]
fn Filters(
    asked: Memo<RunQuery>,
    change: impl Fn(&dyn Fn(&mut RunQuery)) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let typing = Latest::new();
    let typed = move |set: fn(&mut RunQuery, Option<String>)| {
        move |v: String| {
            let ticket = typing.ask();
            spawn_local(async move {
                TimeoutFuture::new(TYPE_MS).await;
                if typing.is_last(ticket) {
                    let v = Some(v.trim().to_owned()).filter(|v| !v.is_empty());
                    change(&|q| set(q, v.clone()));
                }
            });
        }
    };
    let picked = move |set: fn(&mut RunQuery, Option<String>)| {
        move |v: String| change(&|q| set(q, Some(v.clone()).filter(|v| !v.is_empty())))
    };
    let get = move |get: fn(&RunQuery) -> &Option<String>| {
        Signal::derive(move || asked.with(|q| get(q).clone()).unwrap_or_default())
    };
    let any = || (String::new(), t::ANY.to_owned());
    let statuses: Vec<_> = std::iter::once(any())
        .chain(words::STATUSES.map(|s| (s.as_str().to_owned(), words::status(s).to_owned())))
        .collect();
    let strategies: Vec<_> = std::iter::once(any())
        .chain(Strategy::ALL.map(|s| (s.as_str().to_owned(), words::strategy_short(s).to_owned())))
        .collect();
    let filtered = Memo::new(move |_| asked.with(query::is_filtered));
    view! {
        <div class="filters" role="search" aria-label=t::RUNS>
            {text_filter("text", t::FILTER_TEXT, t::FILTER_TEXT_HINT, "filter-text", get(|q| &q.text), typed(|q, v| q.text = v))}
            <Field label=t::STATUS.to_owned() id="f-status">
                <Select id="f-status" testid="filter-status" value=get(|q| &q.status) options=statuses change=picked(|q, v| q.status = v) />
            </Field>
            <Field label=t::STRATEGY.to_owned() id="f-strategy">
                <Select id="f-strategy" testid="filter-strategy" value=get(|q| &q.strategy) options=strategies change=picked(|q, v| q.strategy = v) />
            </Field>
            {text_filter("", t::ENGINE, t::ANY, "filter-engine", get(|q| &q.engine), typed(|q, v| q.engine = v))}
            {text_filter("", t::TARGET, t::ANY, "filter-target", get(|q| &q.target), typed(|q, v| q.target = v))}
            {text_filter("", t::WHO, t::EVERYONE, "filter-who", get(|q| &q.who), typed(|q, v| q.who = v))}
            <Show when=move || filtered.get()>
                <Button label=t::CLEAR.to_owned() look=Look::Bare glyph=Glyph::Cross testid="filter-clear"
                    press=move || change(&|q| *q = RunQuery { limit: q.limit, ..RunQuery::default() }) />
            </Show>
        </div>
    }
    .into_any()
}

fn text_filter(
    class: &'static str,
    label: &'static str,
    placeholder: &'static str,
    testid: &'static str,
    value: Signal<String>,
    input: impl Fn(String) + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <Field label=label.to_owned() id=testid class>
            <input id=testid type="search" autocomplete="off" placeholder=placeholder data-testid=testid
                prop:value=move || value.get() on:input=move |e| input(event_target_value(&e)) />
        </Field>
    }
    .into_any()
}

fn table(runs: Vec<RunView>) -> impl IntoView {
    let rows = runs.into_iter().map(row).collect_view();
    view! {
        <div class="wide">
            <table class="history" data-testid="history-table">
                <thead>
                    <tr>
                        <th>{t::STATUS}</th>
                        <th>{t::WHAT}</th>
                        <th class="n">{t::ROWS}</th>
                        <th class="n">{t::RATE}</th>
                        <th class="n">{t::TOOK}</th>
                        <th>{t::HOW}</th>
                        <th>{t::WHO}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(run: RunView) -> impl IntoView {
    let live = !run.status.is_final();
    let share =
        if run.file_bytes > 0 { run.bytes_read as f64 / run.file_bytes as f64 } else { 0.0 };
    let secs = run.elapsed_ms as f64 / 1000.0;
    let rate = run
        .rows_per_sec
        .or_else(|| {
            (live && secs > 0.3 && run.rows_loaded > 0).then(|| run.rows_loaded as f64 / secs)
        })
        .map(|r| units::rows_per_sec(r).replace(" rows/s", ""));
    let said = run.estimate.as_ref().map(|e| t::said(&format::range_ms(e.low_ms, e.high_ms)));
    let how = format!(
        "{} × {} · {}",
        words::strategy_short(run.choice.strategy),
        run.choice.workers,
        run.choice.engine
    );
    let beside = match (&run.error, run.rows_rejected) {
        (Some(error), _) => Some(format::cut(&error.message, 90)),
        (None, 0) => None,
        (None, n) => Some(format!("{} {}", units::count(n), t::PUT_ASIDE.to_lowercase())),
    };
    view! {
        <tr data-testid="history-row" data-run=run.run_id.clone() data-status=run.status.as_str()>
            <td>
                <StatusTag status=run.status />
                {live.then(|| view! { <Meter share=Signal::stored(share) label=run.file.clone() /> })}
            </td>
            <td class="what">
                <a href=format!("/runs/{}", run.run_id)>{run.file}</a>
                <small>{format!("{}.{} · {}", run.database, run.table, run.target)}</small>
                {beside.map(|b| view! { <small>{b}</small> })}
            </td>
            <td class="n rows">{units::count(run.rows_loaded)}</td>
            <td class="n rate">{rate.unwrap_or_else(|| "–".to_owned())}</td>
            <td class="n nowrap took">{units::duration_ms(run.elapsed_ms)}<small>{said}</small></td>
            <td class="how">{how}</td>
            <td class="by">{run.who}<small class="nowrap">{browser::when(&run.created_at)}</small></td>
        </tr>
    }
    .into_any()
}
