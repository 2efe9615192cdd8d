//! The history: every run, filtered and sorted by the address.

mod filters;
mod table;
mod trend;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::api::{RunPage, RunQuery};
use shared::units;

use crate::api;
use crate::components::{Bones, Empty, ErrorNote, Glyph, Icon, Pager, Seg, Show};
use crate::model::query;
use crate::route::Route;
use crate::state::Latest;
use crate::state::service::Service;
use crate::text::{self, record as t};
use filters::Filters;
use table::{CompareBar, Picks};
use trend::Trend;

/// While a shown run is under way, the page is asked for again this often.
const LIVE_MS: u32 = 1500;

type Found = RwSignal<Option<Result<RunPage, ErrorBody>>>;

/// The filters in the address, and how to change them.
#[derive(Clone, Copy)]
struct Asked {
    query: Memo<RunQuery>,
    route: Route,
}

impl Asked {
    fn from_address() -> Self {
        let route = expect_context::<Route>();
        let query = Memo::new(move |_| query::from_params(|name| route.param(name)));
        Self { query, route }
    }

    /// Changes the filters; the first page of what then matches is shown.
    fn change(self, with: impl FnOnce(&mut RunQuery)) {
        let mut query = self.query.get_untracked();
        query.offset = None;
        with(&mut query);
        self.route.replace(&query::address(&query));
    }
}

/// `/runs`.
#[component]
pub fn RunsPage() -> impl IntoView {
    super::title(t::RUNS);
    let asked = Asked::from_address();
    let page: Found = RwSignal::new(None);
    let latest = Latest::new();
    Effect::new(move |_| {
        let query = asked.query.get();
        let ticket = latest.ask();
        spawn_local(follow(query, page, latest, ticket));
    });
    on_cleanup(move || {
        latest.ask();
    });
    let count = move |get: fn(&RunPage) -> u64| {
        Signal::derive(move || {
            page.with(|p| p.as_ref().and_then(|p| p.as_ref().ok().map(get))).unwrap_or(0)
        })
    };
    let total = count(|p| p.total);
    let picks = Picks::from_address(asked.route);
    let download = move || asked.query.with(api::runs_csv);
    view! {
        <div class="head">
            <h1>{t::RUNS}</h1>
            <span class="dim" data-testid="runs-total">{move || (total.get() > 0).then(|| units::count(total.get()))}</span>
            <span class="push">
                <Whose asked />
                <a class="btn" href=download download="" data-testid="runs-csv"><Icon glyph=Glyph::Download />{t::EXPORT}</a>
                <a class="btn go" href="/">{text::TO_IMPORT}</a>
            </span>
        </div>
        <CompareBar picks />
        <div class="stack">
            <Trend asked />
            <section class="card">
                <Filters asked />
                {move || match page.get() {
                    None => view! { <Bones lines=8 /> }.into_any(),
                    Some(Err(error)) => view! { <div class="body"><ErrorNote error testid="runs-error" /></div> }.into_any(),
                    Some(Ok(found)) if found.runs.is_empty() => nothing(query::is_filtered(&asked.query.get_untracked())).into_any(),
                    Some(Ok(found)) => table::table(found.runs, asked, picks).into_any(),
                }}
                <Show when=move || total.get() != 0>
                    <Pager offset=Signal::derive(move || asked.query.with(|q| q.offset.unwrap_or(0))) total
                        shown=count(|p| p.runs.len() as u64) page=u64::from(query::PAGE_ROWS)
                        go=move |to| asked.change(|q| q.offset = Some(to)) />
                </Show>
            </section>
        </div>
    }
    .into_any()
}

/// Everyone's runs or one's own.
#[component]
fn Whose(asked: Asked) -> impl IntoView {
    let service = expect_context::<Service>();
    let me = Memo::new(move |_| service.about.with(|a| a.as_ref().map(|a| a.who.clone())));
    let mine = move || asked.query.with(|q| q.who.is_some() && q.who == me.get());
    view! {
        <Seg label=t::WHOSE testid="whose" options=vec![("all", t::EVERYONES), ("mine", t::MINE)]
            value=Signal::derive(move || if mine() { "mine" } else { "all" }.to_owned())
            change=move |v| asked.change(|q| q.who = me.get_untracked().filter(|_| v == "mine")) />
    }
    .into_any()
}

/// Asks for a page, and again while something on it moves.
async fn follow(query: RunQuery, page: Found, latest: Latest, ticket: u64) {
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
