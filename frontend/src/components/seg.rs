//! One of a few, all in sight. Arrow keys move.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// A row of choices, each with value and words.
#[component]
pub fn Seg(
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<String>,
    options: Vec<(&'static str, &'static str)>,
    change: impl Fn(&'static str) + Copy + 'static,
    #[prop(optional)] small: bool,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    let row = NodeRef::<html::Div>::new();
    let values: Vec<&'static str> = options.iter().map(|o| o.0).collect();
    let keys = move |e: KeyboardEvent| {
        let step = match e.key().as_str() {
            "ArrowRight" | "ArrowDown" => 1,
            "ArrowLeft" | "ArrowUp" => values.len().saturating_sub(1),
            _ => return,
        };
        e.prevent_default();
        let now = value.get_untracked();
        let at = values.iter().position(|v| *v == now).unwrap_or(0);
        let next = (at + step) % values.len().max(1);
        if let Some(v) = values.get(next) {
            change(v);
        }
        let button = row.get_untracked().and_then(|r| r.children().item(next as u32));
        if let Some(button) = button.and_then(|b| b.dyn_into::<HtmlElement>().ok()) {
            let _ = button.focus();
        }
    };
    view! {
        <div class="seg" class:small=small role="radiogroup" aria-label=label node_ref=row
            data-testid=testid on:keydown=keys>
            {options
                .into_iter()
                .map(|(v, words)| {
                    let on = move || value.get() == v;
                    view! {
                        <button type="button" role="radio" aria-checked=move || on().to_string()
                            tabindex=move || if on() { "0" } else { "-1" } data-value=v
                            on:click=move |_| change(v)>
                            {words}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
    .into_any()
}
