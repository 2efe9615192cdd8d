//! What only shows: status, meters, figures, empty places, code, pages.

use leptos::prelude::*;
use shared::RunStatus;

use super::button::{Button, Look};
use super::icon::{Glyph, Icon};
use super::toast::Toasts;
use crate::browser;
use crate::text::{self, words};

/// Something that is there while a condition holds. Drawn once for all, where Leptos' own of this
/// name is made anew for each condition.
#[component]
pub fn Show(
    #[prop(into)] when: Signal<bool>,
    children: ChildrenFn,
    #[prop(optional, into)] fallback: ViewFn,
) -> impl IntoView {
    let on = Memo::new(move |_| when.get());
    (move || if on.get() { children() } else { fallback.run() }).into_any()
}

/// A run's status.
#[component]
pub fn StatusTag(
    status: RunStatus,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    let class = match status {
        RunStatus::Running | RunStatus::Reverting => "tag run",
        RunStatus::Succeeded => "tag good",
        RunStatus::SucceededWithRejects | RunStatus::Interrupted | RunStatus::Cancelled => {
            "tag warn"
        }
        RunStatus::Failed => "tag bad",
        RunStatus::Queued => "tag",
    };
    let live = matches!(status, RunStatus::Running | RunStatus::Reverting);
    view! {
        <span class=class data-testid=testid data-status=status.as_str()>
            {live.then(|| view! { <span class="dot"></span> })}
            {words::status(status)}
        </span>
    }
    .into_any()
}

/// A bar from nothing to all.
#[component]
pub fn Meter(
    /// 0 to 1.
    #[prop(into)]
    share: Signal<f64>,
    #[prop(into)] label: String,
    #[prop(optional, into)] class: Signal<&'static str>,
) -> impl IntoView {
    let percent = move || (share.get().clamp(0.0, 1.0) * 100.0).floor();
    view! {
        <div class=move || format!("bar {}", class.get()) role="progressbar" aria-label=label
            aria-valuemin="0" aria-valuemax="100" aria-valuenow=move || percent().to_string()>
            <i style:width=move || format!("{:.1}%", share.get().clamp(0.0, 1.0) * 100.0)></i>
        </div>
    }
    .into_any()
}

/// A figure and what it is. Lives in a `dl.kpis`.
#[component]
pub fn Kpi(
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    #[prop(optional, into)] below: Signal<Option<String>>,
    #[prop(optional, into)] term: Option<&'static str>,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    view! {
        <div>
            <dt>{label} {term.map(|text| view! { <super::Term text /> })}</dt>
            <dd>
                <span data-testid=testid>{move || value.get()}</span>
                {move || below.get().map(|b| view! { <small>{b}</small> })}
            </dd>
        </div>
    }
    .into_any()
}

/// A place where nothing is yet: what will be there, and how.
#[component]
pub fn Empty(
    glyph: Glyph,
    #[prop(into)] title: String,
    #[prop(into)] text: String,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty" data-testid="empty">
            <Icon glyph size=28 />
            <h2>{title}</h2>
            <p>{text}</p>
            {children.map(|c| c())}
        </div>
    }
    .into_any()
}

/// Lines that stand for what is being fetched.
#[component]
pub fn Bones(#[prop(default = 4)] lines: usize) -> impl IntoView {
    view! {
        <div class="body stack tight" aria-busy="true">
            <span class="only-read">{text::record::LOADING}</span>
            {(0..lines)
                .map(|i| {
                    let width = ["92%", "78%", "85%", "64%"].get(i % 4).copied().unwrap_or("80%");
                    view! { <span class="bone" style:width=width></span> }
                })
                .collect_view()}
        </div>
    }
    .into_any()
}

/// Something to open.
#[component]
pub fn More(
    #[prop(into)] title: Signal<String>,
    #[prop(optional)] open: bool,
    #[prop(optional)] testid: Option<&'static str>,
    children: Children,
) -> impl IntoView {
    view! {
        <details class="more" open=open data-testid=testid>
            <summary><Icon glyph=Glyph::Chevron size=12 />{move || title.get()}</summary>
            <div class="inside">{children()}</div>
        </details>
    }
    .into_any()
}

/// Code to read and to copy.
#[component]
pub fn CodeBlock(
    #[prop(into)] code: String,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    let toasts = use_context::<Toasts>();
    let shown = code.clone();
    let copy = move || {
        browser::copy(&code);
        if let Some(toasts) = toasts {
            toasts.good(text::COPIED);
        }
    };
    view! {
        <div class="stack tight">
            <pre class="code fold" tabindex="0" data-testid=testid>{shown}</pre>
            <div><Button label=text::COPY.to_owned() glyph=Glyph::Copy look=Look::Bare press=copy /></div>
        </div>
    }
    .into_any()
}

/// Back and forth through pages.
#[component]
pub fn Pager(
    #[prop(into)] offset: Signal<u64>,
    #[prop(into)] shown: Signal<u64>,
    #[prop(into)] total: Signal<u64>,
    page: u64,
    go: impl Fn(u64) + Copy + 'static,
) -> impl IntoView {
    let more = move || offset.get() + shown.get() < total.get();
    view! {
        <div class="pager" data-testid="pager">
            <span>
                {move || {
                    let from = if shown.get() == 0 { 0 } else { offset.get() + 1 };
                    text::page_of(from, offset.get() + shown.get(), total.get())
                }}
            </span>
            <span class="push row">
                <Button label=text::PREVIOUS.to_owned() testid="page-previous"
                    disabled=Signal::derive(move || offset.get() == 0)
                    press=move || go(offset.get_untracked().saturating_sub(page)) />
                <Button label=text::NEXT.to_owned() testid="page-next"
                    disabled=Signal::derive(move || !more())
                    press=move || go(offset.get_untracked() + page) />
            </span>
        </div>
    }
    .into_any()
}
