//! A panel that opens at a button and closes by Escape, a press elsewhere or leaving it.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FocusEvent, KeyboardEvent, Node};

use super::icon::{Glyph, Icon};
use crate::text;

/// A button and its panel.
#[component]
pub fn Popover(
    /// What the button shows.
    button: ViewFn,
    /// Classes of the button.
    #[prop(into)]
    class: Signal<String>,
    /// What it says to a screen reader, where its content does not.
    #[prop(optional, into)]
    label: Option<String>,
    /// Whether the panel hangs from the button's right end.
    #[prop(optional)]
    end: bool,
    #[prop(optional, into)] testid: Option<String>,
    open: RwSignal<bool>,
    children: ChildrenFn,
) -> impl IntoView {
    let whole = NodeRef::<html::Div>::new();
    let trigger = NodeRef::<html::Button>::new();
    let leave = move |e: FocusEvent| {
        let to = e.related_target().and_then(|t| t.dyn_into::<Node>().ok());
        let inside = whole.get_untracked().is_some_and(|w| w.contains(to.as_ref()));
        // A press on bare ground inside the panel moves the focus nowhere: that is no leaving.
        if to.is_some() && !inside {
            open.set(false);
        }
    };
    let keys = move |e: KeyboardEvent| {
        if e.key() == "Escape" && open.get_untracked() {
            e.stop_propagation();
            open.set(false);
            if let Some(button) = trigger.get_untracked() {
                let _ = button.focus();
            }
        }
    };
    let outside = window_event_listener(leptos::ev::pointerdown, move |e| {
        if !open.try_get_untracked().unwrap_or(false) {
            return;
        }
        let at = e.target().and_then(|t| t.dyn_into::<Node>().ok());
        if !whole.get_untracked().is_some_and(|w| w.contains(at.as_ref())) {
            open.set(false);
        }
    });
    on_cleanup(move || outside.remove());
    view! {
        <div class="pop" class:end=end node_ref=whole on:focusout=leave on:keydown=keys>
            <button type="button" class=move || class.get() node_ref=trigger aria-label=label
                aria-expanded=move || open.get().to_string() data-testid=testid
                on:click=move |_| open.update(|o| *o = !*o)>
                {button.run()}
            </button>
            {move || open.get().then(|| view! { <div class="panel">{children()}</div> })}
        </div>
    }
    .into_any()
}

/// A question mark that explains a word while it is pointed at or has the focus.
#[component]
pub fn Term(#[prop(into)] text: String) -> impl IntoView {
    let words = format!("{} {text}", text::EXPLAIN);
    view! {
        <span class="tip">
            <button type="button" class="term" aria-label=words
                on:keydown=move |e| {
                    let button = event_target::<web_sys::HtmlElement>(&e);
                    if e.key() == "Escape" {
                        let _ = button.blur();
                    }
                }>
                <Icon glyph=Glyph::Help size=14 />
            </button>
            <span class="bubble" aria-hidden="true">{text}</span>
        </span>
    }
    .into_any()
}
