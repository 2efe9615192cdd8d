//! A run's rejects: to browse and to download.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::api::RejectPage;
use shared::run::Reject;
use shared::units;

use super::mend::Mend;
use crate::api;
use crate::components::{Bones, ErrorNote, Glyph, Icon, Pager, Show};
use crate::model::format;
use crate::state::Latest;
use crate::text::record as t;

const PAGE: u32 = 50;
/// While a run is under way, its rejects are asked for again this often.
const LIVE_MS: u32 = 2000;

/// The table of rejects of a run; read anew when the run is over.
#[component]
pub fn Rejects(id: String, over: Memo<bool>, mendable: Memo<bool>) -> impl IntoView {
    let own = id.clone();
    let offset = RwSignal::new(0_u64);
    let page = RwSignal::new(None::<Result<RejectPage, ErrorBody>>);
    let latest = Latest::new();
    let link = api::rejects_csv(&id);
    Effect::new(move |_| {
        let ended = over.get();
        let from = offset.get();
        let ticket = latest.ask();
        let id = id.clone();
        spawn_local(async move {
            loop {
                let answer = api::rejects(&id, from, PAGE).await;
                if !latest.is_last(ticket) {
                    return;
                }
                let same = page.try_with_untracked(|p| p.as_ref() == Some(&answer));
                if same == Some(false) {
                    let _ = page.try_set(Some(answer));
                }
                if ended {
                    return;
                }
                // While the run goes on, more may come.
                TimeoutFuture::new(LIVE_MS).await;
                if !latest.is_last(ticket) {
                    return;
                }
            }
        });
    });
    on_cleanup(move || {
        latest.ask();
    });
    let good = move |get: fn(&RejectPage) -> u64| {
        Signal::derive(move || {
            page.with(|p| p.as_ref().and_then(|p| p.as_ref().ok().map(get))).unwrap_or(0)
        })
    };
    view! {
        <section class="card" data-testid="rejects">
            <header>
                <h2>{t::REJECTS}</h2>
                <span class="dim">{t::REJECTS_TEXT}</span>
                <span class="push row">
                    <Show when=move || mendable.get()>
                        <Mend id=own.clone() total=good(|p| p.total) />
                    </Show>
                    <a class="btn" href=link download="" data-testid="rejects-download">
                        <Icon glyph=Glyph::Download />
                        {t::DOWNLOAD}
                    </a>
                </span>
            </header>
            {move || match page.get() {
                None => view! { <Bones /> }.into_any(),
                Some(Err(error)) => view! { <div class="body"><ErrorNote error /></div> }.into_any(),
                Some(Ok(found)) => table(found.rejects).into_any(),
            }}
            <Show when=move || good(|p| p.total).get() != 0>
                <Pager offset total=good(|p| p.total) shown=good(|p| p.rejects.len() as u64) page=u64::from(PAGE)
                    go=move |to| offset.set(to) />
            </Show>
        </section>
    }
    .into_any()
}

fn table(rejects: Vec<Reject>) -> impl IntoView {
    let rows = rejects
        .into_iter()
        .map(|r| {
            view! {
                <tr data-testid="reject-row" data-code=r.code.as_str()>
                    <td class="n">{units::count(r.row)}</td>
                    <td class="n">{units::count(r.line)}</td>
                    <td>{r.column.or(r.key)}</td>
                    <td class="mono value">{r.value.map(|v| format::cut(&v, 80))}</td>
                    <td class="why">{r.message}</td>
                    <td class="raw"><div class="raw mono">{r.raw}</div></td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="wide" tabindex="0" role="region" aria-label=t::REJECTS>
            <table class="rejects">
                <thead>
                    <tr>
                        <th class="n">{t::ROW}</th>
                        <th class="n">{t::LINE}</th>
                        <th>{t::COLUMN}</th>
                        <th>{t::VALUE}</th>
                        <th>{t::REASON}</th>
                        <th>{t::RECORD}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
