//! Whether the service is there, and what it says of itself.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorCode;
use shared::api::About;
use shared::people::{Action, allows};

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
    /// Whether it asks for a login.
    pub stranger: RwSignal<bool>,
}

impl Service {
    /// Begins to ask.
    pub fn start() -> Self {
        let service = Self {
            about: RwSignal::new(None),
            away: RwSignal::new(false),
            locked: RwSignal::new(false),
            stranger: RwSignal::new(false),
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

    /// Whether whoever looks at the page may do this; until the service has said who they are, it
    /// is to say no itself.
    pub fn may(self, action: Action) -> Memo<bool> {
        Memo::new(move |_| {
            self.about.with(|a| a.as_ref().is_none_or(|a| allows(a.role, action, true)))
        })
    }

    /// Asks now.
    pub async fn ask(self) {
        let answer = api::about().await;
        let error = answer.as_ref().err();
        set(self.away, error.is_some_and(api::is_away));
        set(self.locked, error.is_some_and(|e| e.code == ErrorCode::Unauthenticated));
        set(self.stranger, error.is_some_and(|e| e.code == ErrorCode::LoginNeeded));
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
