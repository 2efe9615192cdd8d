//! Whether the service is there, and what it says of itself.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorCode;
use shared::api::About;

use crate::{api, browser};

const ASK_EVERY_MS: u32 = 4000;

/// The service's health, asked for every few seconds while the page is seen.
#[derive(Clone, Copy)]
pub struct Service {
    /// What it said last.
    pub about: RwSignal<Option<About>>,
    /// Whether it does not answer.
    pub away: RwSignal<bool>,
    /// Whether it no longer knows who this is.
    pub locked: RwSignal<bool>,
}

impl Service {
    /// Begins to ask.
    pub fn start() -> Self {
        let service = Self {
            about: RwSignal::new(None),
            away: RwSignal::new(false),
            locked: RwSignal::new(false),
        };
        spawn_local(async move {
            loop {
                if browser::is_visible() {
                    service.ask().await;
                }
                gloo_timers::future::TimeoutFuture::new(ASK_EVERY_MS).await;
            }
        });
        service
    }

    /// Asks now.
    pub async fn ask(self) {
        let answer = api::about().await;
        let error = answer.as_ref().err();
        set(self.away, error.is_some_and(api::is_away));
        set(self.locked, error.is_some_and(|e| e.code == ErrorCode::Unauthenticated));
        if let Ok(about) = answer
            && self.about.with_untracked(|a| a.as_ref() != Some(&about))
        {
            self.about.set(Some(about));
        }
    }
}

/// Sets a signal only where that changes something: whoever listens need not look again.
fn set(signal: RwSignal<bool>, now: bool) {
    if signal.get_untracked() != now {
        signal.set(now);
    }
}
