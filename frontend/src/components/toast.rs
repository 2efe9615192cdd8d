//! Short messages in the corner; read out, gone after a while.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;

use super::icon::{Glyph, Icon};
use super::note::Tone;
use crate::text;

const STAY_MS: u32 = 6000;

#[derive(Clone)]
struct Toast {
    id: u64,
    tone: Tone,
    words: String,
    hint: Option<String>,
}

/// Where messages are put.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl Toasts {
    /// An empty corner.
    pub fn new() -> Self {
        Self { list: RwSignal::new(Vec::new()), next: StoredValue::new(0) }
    }

    /// Says that something went well.
    pub fn good(self, words: &str) {
        self.add(Tone::Good, words.to_owned(), None);
    }

    /// Says what went wrong and what to do.
    pub fn bad(self, error: &ErrorBody) {
        self.add(Tone::Bad, error.message.clone(), error.hint.clone());
    }

    fn add(self, tone: Tone, words: String, hint: Option<String>) {
        let id = self.next.try_update_value(|n| {
            *n += 1;
            *n
        });
        let Some(id) = id else { return };
        self.list.update(|l| l.push(Toast { id, tone, words, hint }));
        spawn_local(async move {
            TimeoutFuture::new(STAY_MS).await;
            self.remove(id);
        });
    }

    fn remove(self, id: u64) {
        let _ = self.list.try_update(|l| l.retain(|t| t.id != id));
    }
}

/// The corner itself.
#[component]
pub fn Toaster(toasts: Toasts) -> impl IntoView {
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || toasts.list.get() key=|t| t.id let:toast>
                <div class=format!("note {}", toast.tone.class())>
                    <Icon glyph=toast.tone.glyph() />
                    <div>
                        {toast.words}
                        {toast.hint.map(|h| view! { <small>{h}</small> })}
                    </div>
                    <button type="button" class="term" aria-label=text::CLOSE
                        on:click=move |_| toasts.remove(toast.id)>
                        <Icon glyph=Glyph::Cross size=14 />
                    </button>
                </div>
            </For>
        </div>
    }
    .into_any()
}
