//! What the history is cut down to.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::api::{RunFacets, RunQuery};

use super::Asked;
use crate::api;
use crate::components::{Button, Field, Glyph, Look, Select, Show};
use crate::model::query;
use crate::state::Latest;
use crate::text::{record as t, words};

/// After the last key, so long until the search.
const TYPE_MS: u32 = 200;

/// One of the text filters.
type Place = fn(&mut RunQuery) -> &mut Option<String>;

#[component]
pub fn Filters(asked: Asked) -> impl IntoView {
    let facets = RwSignal::new(RunFacets::default());
    spawn_local(async move {
        // Without them a filter offers what is set and "any"; the list of runs says what is wrong.
        if let Ok(found) = api::run_facets().await {
            let _ = facets.try_set(found);
        }
    });
    let offered = move |get: fn(&RunFacets) -> &Vec<String>| {
        Signal::derive(move || {
            let words = |v: &String| (v.clone(), v.clone());
            facets.with(|f| get(f).iter().map(words).collect::<Vec<_>>())
        })
    };
    let statuses = words::STATUSES.map(|s| (s.as_str().to_owned(), words::status(s).to_owned()));
    let strategies = Signal::derive(move || {
        let words = |v: &String| (v.clone(), words::strategy_name(v));
        facets.with(|f| f.strategies.iter().map(words).collect::<Vec<_>>())
    });
    let filtered = Memo::new(move |_| asked.query.with(query::is_filtered));
    view! {
        <div class="filters" role="search" aria-label=t::RUNS>
            <Search asked />
            {choice(asked, t::STATUS, "filter-status", |q| &mut q.status, Signal::stored(statuses.to_vec()))}
            {choice(asked, t::STRATEGY, "filter-strategy", |q| &mut q.strategy, strategies)}
            {choice(asked, t::ENGINE, "filter-engine", |q| &mut q.engine, offered(|f| &f.engines))}
            {choice(asked, t::TARGET, "filter-target", |q| &mut q.target, offered(|f| &f.targets))}
            {choice(asked, t::WHO, "filter-who", |q| &mut q.who, offered(|f| &f.people))}
            {day(asked, t::FROM, "filter-from", |q| &mut q.from)}
            {day(asked, t::TO, "filter-to", |q| &mut q.to)}
            <Narrowed asked />
            <Show when=move || filtered.get()>
                <Button label=t::CLEAR.to_owned() look=Look::Bare glyph=Glyph::Cross testid="filter-clear"
                    press=move || asked.change(|q| *q = RunQuery {
                        limit: q.limit, sort: q.sort, ascending: q.ascending, ..RunQuery::default()
                    }) />
            </Show>
        </div>
    }
    .into_any()
}

/// What one filter is set to now.
fn now(asked: Asked, place: Place) -> Signal<String> {
    Signal::derive(move || place(&mut asked.query.get()).clone().unwrap_or_default())
}

fn set(asked: Asked, place: Place, value: &str) {
    let value = Some(value.trim().to_owned()).filter(|v| !v.is_empty());
    asked.change(|q| *place(q) = value);
}

#[component]
fn Search(asked: Asked) -> impl IntoView {
    let typing = Latest::new();
    let input = move |value: String| {
        let ticket = typing.ask();
        spawn_local(async move {
            TimeoutFuture::new(TYPE_MS).await;
            if typing.is_last(ticket) {
                set(asked, |q| &mut q.text, &value);
            }
        });
    };
    let value = now(asked, |q| &mut q.text);
    view! {
        <Field label=t::FILTER_TEXT.to_owned() id="filter-text" class="text">
            <input id="filter-text" type="search" autocomplete="off" placeholder=t::FILTER_TEXT_HINT
                data-testid="filter-text" prop:value=move || value.get()
                on:input=move |e| input(event_target_value(&e)) />
        </Field>
    }
    .into_any()
}

fn choice(
    asked: Asked,
    label: &'static str,
    id: &'static str,
    place: Place,
    offered: Signal<Vec<(String, String)>>,
) -> impl IntoView {
    let value = now(asked, place);
    let options = Signal::derive(move || {
        let mut options = vec![(String::new(), t::ANY.to_owned())];
        options.extend(offered.get());
        let set = value.get();
        if !options.iter().any(|(v, _)| *v == set) {
            // An address may ask for what there is no run of.
            options.push((set.clone(), set));
        }
        options
    });
    view! {
        <Field label=label.to_owned() id>
            <Select id testid=id value options change=move |v| set(asked, place, &v) />
        </Field>
    }
    .into_any()
}

fn day(asked: Asked, label: &'static str, id: &'static str, place: Place) -> impl IntoView {
    let value = now(asked, place);
    view! {
        <Field label=label.to_owned() id>
            <input id=id type="date" data-testid=id prop:value=move || value.get()
                on:change=move |e| set(asked, place, &event_target_value(&e)) />
        </Field>
    }
    .into_any()
}

/// The table that "compare with…" has cut the history down to.
#[component]
fn Narrowed(asked: Asked) -> impl IntoView {
    let table = Memo::new(move |_| {
        asked.query.with(|q| {
            let parts = [q.database.as_deref(), q.table.as_deref()];
            parts.into_iter().flatten().collect::<Vec<_>>().join(".")
        })
    });
    view! {
        <Show when=move || !table.with(String::is_empty)>
            <Button label=Signal::derive(move || t::only_table(&table.get())) glyph=Glyph::Cross
                testid="filter-table" press=move || asked.change(|q| {
                    q.database = None;
                    q.table = None;
                }) />
        </Show>
    }
    .into_any()
}
