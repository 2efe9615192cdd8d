//! Throughput over time of the runs that match.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::api::{RunQuery, RunTrend};

use super::Asked;
use crate::api;
use crate::browser;
use crate::charts::TrendChart;
use crate::components::{Glyph, Icon, Show};
use crate::state::Latest;
use crate::text::record as t;

/// Whether the chart is folded away, kept beyond the tab.
const FOLDED: &str = "plimsoll.trend";

#[component]
pub fn Trend(asked: Asked) -> impl IntoView {
    let trend = RwSignal::new(RunTrend::default());
    let latest = Latest::new();
    // Sorting and paging draw no other picture.
    let filters = Memo::new(move |_| {
        asked.query.with(|q| RunQuery {
            limit: None,
            offset: None,
            sort: None,
            ascending: None,
            ..q.clone()
        })
    });
    let open = RwSignal::new(browser::recall(FOLDED).is_none());
    Effect::new(move |_| {
        let query = filters.get();
        let ticket = latest.ask();
        if !open.get() {
            return;
        }
        spawn_local(async move {
            // The list below says what is wrong, if anything is.
            if let Ok(found) = api::run_trend(&query).await
                && latest.is_last(ticket)
            {
                let _ = trend.try_set(found);
            }
        });
    });
    let points =
        Memo::new(move |_| trend.with(|t| t.series.iter().map(|s| s.points.len()).sum::<usize>()));
    view! {
        <details class="card fold" open=open.get_untracked() data-testid="trend"
            on:toggle=move |e| {
                let now = event_target::<web_sys::Element>(&e).has_attribute("open");
                browser::keep(FOLDED, (!now).then_some("folded"));
                if open.get_untracked() != now {
                    open.set(now);
                }
            }>
            <summary><Icon glyph=Glyph::Chevron size=12 /><h2>{t::TREND}</h2><span class="dim">{t::TREND_TEXT}</span></summary>
            <div class="body">
                <Show when=move || { points.get() > 1 } fallback=|| view! { <p class="dim">{t::TREND_NONE}</p> }>
                    <TrendChart trend />
                </Show>
            </div>
        </details>
    }
    .into_any()
}
