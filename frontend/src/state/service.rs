//! Whether the service is there, and what it says of itself.

use leptos::prelude::*;
use leptos::task::spawn_local;
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
}

impl Service {
    /// Begins to ask.
    pub fn start() -> Self {
        let service = Self { about: RwSignal::new(None), away: RwSignal::new(false) };
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
        match api::about().await {
            Ok(about) => {
                if self.about.with_untracked(|a| a.as_ref() != Some(&about)) {
                    self.about.set(Some(about));
                }
                if self.away.get_untracked() {
                    self.away.set(false);
                }
            }
            Err(error) if api::is_away(&error) => self.away.set(true),
            Err(_) => {}
        }
    }
}
