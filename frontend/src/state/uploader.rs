//! Drives an upload: does what its state machine says and tells it what came of it.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::{ErrorBody, ErrorCode};
use web_sys::{File, XmlHttpRequest};

use super::Latest;
use crate::api::tus::{self, Fault, Patch};
use crate::browser;
use crate::model::upload::{Action, Event, Phase, Upload, fingerprint};
use crate::text::import as t;

/// The one upload of the page.
#[derive(Clone, Copy)]
pub struct Uploader {
    /// How it stands.
    pub state: RwSignal<Upload>,
    file: StoredValue<Option<File>, LocalStorage>,
    request: StoredValue<Option<XmlHttpRequest>, LocalStorage>,
    turn: Latest,
}

impl Uploader {
    /// No upload yet.
    pub fn new() -> Self {
        Self {
            state: RwSignal::new(Upload::default()),
            file: StoredValue::new_local(None),
            request: StoredValue::new_local(None),
            turn: Latest::new(),
        }
    }

    /// Starts a file, or goes on with it if a part of it was uploaded before.
    pub fn start(self, file: File) {
        self.break_off();
        let key = fingerprint(&file.name(), file.size() as u64, file.last_modified());
        let (upload, action) =
            Upload::start(&file.name(), file.size() as u64, browser::recall(&key));
        self.file.set_value(Some(file));
        self.state.set(upload);
        self.drive(action);
    }

    /// Takes up what was known before a reload.
    pub fn reloaded(self, upload: Upload) {
        self.break_off();
        self.file.set_value(None);
        self.state.set(upload);
    }

    /// Holds on.
    pub fn pause(self) {
        self.state.update(|u| {
            u.on(Event::Pause, browser::now_ms());
        });
        self.break_off();
    }

    /// Goes on.
    pub fn resume(self) {
        let action = self.tell(Event::Resume);
        self.drive(action);
    }

    /// Stops; `forget` also deletes what has arrived.
    pub fn cancel(self, forget: bool) {
        self.break_off();
        self.remember(None);
        if forget && let Some(id) = self.state.with_untracked(|u| u.id.clone()) {
            spawn_local(async move {
                let _ = tus::delete(&id).await;
            });
        }
        self.file.set_value(None);
        self.state.set(Upload::default());
    }

    fn break_off(self) {
        self.turn.ask();
        if let Some(xhr) = self.request.try_update_value(Option::take).flatten() {
            let _ = xhr.abort();
        }
    }

    fn remember(self, id: Option<&str>) {
        self.file.with_value(|file| {
            if let Some(file) = file {
                let key = fingerprint(&file.name(), file.size() as u64, file.last_modified());
                browser::keep(&key, id);
            }
        });
    }

    fn tell(self, event: Event) -> Action {
        self.state.try_update(|u| u.on(event, browser::now_ms())).unwrap_or(Action::Stop)
    }

    fn drive(self, first: Action) {
        let turn = self.turn.ask();
        spawn_local(async move {
            let mut action = first;
            while action != Action::Stop {
                let event = self.act(&action).await;
                if !self.turn.is_last(turn) {
                    return;
                }
                let Some(event) = event else { return };
                if let Event::Created(id) = &event {
                    self.remember(Some(id));
                }
                action = self.tell(event);
            }
            // What is complete needs no memory: choosing the file again uploads it again.
            if self.state.with_untracked(Upload::is_done) {
                self.remember(None);
            }
        });
    }

    async fn act(self, action: &Action) -> Option<Event> {
        let (name, total, id) =
            self.state.with_untracked(|u| (u.name.clone(), u.total, u.id.clone()));
        match action {
            Action::Stop => None,
            Action::Create => Some(match tus::create(&name, total).await {
                Ok(id) => Event::Created(id),
                Err(fault) => self.event(fault),
            }),
            Action::Ask => Some(self.ask(&id?).await),
            Action::Wait(ms) => {
                TimeoutFuture::new(*ms).await;
                match id {
                    Some(id) => Some(self.ask(&id).await),
                    None => Some(Event::Gone),
                }
            }
            Action::Send { from, bytes } => Some(self.send(&id?, *from, *bytes).await),
        }
    }

    async fn ask(self, id: &str) -> Event {
        match tus::offset(id).await {
            Ok(offset) => Event::Offset(offset),
            Err(fault) => self.event(fault),
        }
    }

    async fn send(self, id: &str, from: u64, bytes: u64) -> Event {
        let part = self.file.with_value(|file| {
            file.as_ref().and_then(|f| browser::slice(f, from, from + bytes).ok())
        });
        let Some(part) = part else { return Event::Refused(unreadable()) };
        let turn_free = self;
        let progress = move |sent: u64| {
            let sending = turn_free.state.try_with_untracked(|u| u.phase == Phase::Sending);
            if sending == Some(true) {
                turn_free.tell(Event::Sent(sent));
            }
        };
        let Ok(patch) = Patch::send(id, from, &part, progress) else {
            return Event::Refused(unreadable());
        };
        self.request.set_value(Some(patch.handle()));
        let answer = patch.finish().await;
        match answer {
            Ok(offset) => Event::Offset(offset),
            // A file that changed or went away breaks the request as a lost connection does.
            Err(Fault::Lost) if !self.is_readable(from).await => Event::Refused(unreadable()),
            Err(fault) => self.event(fault),
        }
    }

    async fn is_readable(self, from: u64) -> bool {
        let Some(file) = self.file.with_value(Clone::clone) else { return false };
        let Ok(part) = browser::slice(&file, from, from + 1) else { return false };
        wasm_bindgen_futures::JsFuture::from(part.array_buffer()).await.is_ok()
    }

    fn event(self, fault: Fault) -> Event {
        match fault {
            Fault::Lost => Event::Lost,
            Fault::Gone => {
                self.remember(None);
                Event::Gone
            }
            Fault::Refused(error) => Event::Refused(error),
        }
    }
}

fn unreadable() -> ErrorBody {
    ErrorBody::new(ErrorCode::BadRequest, t::NOT_READ).with_hint(t::NOT_READ_HINT)
}
