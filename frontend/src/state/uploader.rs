//! Drives an upload: does what its state machine says and tells it what came of it.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::api::NewSource;
use shared::{ErrorBody, ErrorCode};
use web_sys::{File, XmlHttpRequest};

use super::Latest;
use crate::api::tus::{self, Fault, Patch};
use crate::model::upload::{Action, Event, Phase, Piece, Upload, fingerprint};
use crate::text::import as t;
use crate::{api, browser};

/// The one upload of the page.
#[derive(Clone, Copy)]
pub struct Uploader {
    /// How it stands.
    pub state: RwSignal<Upload>,
    /// In the order of the upload's pieces.
    files: StoredValue<Vec<File>, LocalStorage>,
    request: StoredValue<Option<XmlHttpRequest>, LocalStorage>,
    turn: Latest,
}

impl Uploader {
    /// No upload yet.
    pub fn new() -> Self {
        Self {
            state: RwSignal::new(Upload::default()),
            files: StoredValue::new_local(Vec::new()),
            request: StoredValue::new_local(None),
            turn: Latest::new(),
        }
    }

    /// Starts files that are to be one source, or goes on with those that were begun before.
    pub fn start(self, files: Vec<File>) {
        self.break_off();
        let piece = |file: &File| Piece {
            name: file.name(),
            bytes: file.size() as u64,
            id: browser::recall(&key_of(file)),
        };
        let (upload, action) = Upload::start(files.iter().map(piece).collect());
        self.files.set_value(files);
        self.state.set(upload);
        self.drive(action);
    }

    /// Takes up what was known before a reload.
    pub fn reloaded(self, upload: Upload) {
        self.break_off();
        self.files.set_value(Vec::new());
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
        self.forget_files();
        let ids = if forget { self.state.with_untracked(Upload::ids) } else { Vec::new() };
        if !ids.is_empty() {
            spawn_local(async move {
                for id in ids {
                    let _ = tus::delete(&id).await;
                }
            });
        }
        self.files.set_value(Vec::new());
        self.state.set(Upload::default());
    }

    fn break_off(self) {
        self.turn.ask();
        if let Some(xhr) = self.request.try_update_value(Option::take).flatten() {
            let _ = xhr.abort();
        }
    }

    /// The file that is on its way.
    fn file(self) -> Option<File> {
        let at = self.state.with_untracked(|u| u.at);
        self.files.with_value(|files| files.get(at).cloned())
    }

    /// Remembers what the service calls the file that is on its way.
    fn remember(self, id: Option<&str>) {
        if let Some(file) = self.file() {
            browser::keep(&key_of(&file), id);
        }
    }

    fn forget_files(self) {
        self.files.with_value(|files| files.iter().for_each(|f| browser::keep(&key_of(f), None)));
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
                self.forget_files();
            }
        });
    }

    async fn act(self, action: &Action) -> Option<Event> {
        let piece = self.state.with_untracked(|u| u.piece().cloned());
        let Piece { name, bytes, id } = piece.unwrap_or_default();
        match action {
            Action::Stop => None,
            Action::Join => Some(self.join().await),
            Action::Create => Some(match tus::create(&name, bytes).await {
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

    async fn join(self) -> Event {
        let uploads = self.state.with_untracked(Upload::ids);
        match api::make_source(&NewSource { files: Vec::new(), uploads }).await {
            Ok(source) => Event::Joined(source.id),
            Err(error) if api::is_away(&error) => Event::Lost,
            Err(error) => Event::Refused(error),
        }
    }

    async fn ask(self, id: &str) -> Event {
        match tus::offset(id).await {
            Ok(offset) => Event::Offset(offset),
            Err(fault) => self.event(fault),
        }
    }

    async fn send(self, id: &str, from: u64, bytes: u64) -> Event {
        let part = self.file().and_then(|f| browser::slice(&f, from, from + bytes).ok());
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
        let Some(file) = self.file() else { return false };
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

/// The mark by which a file is known again after a reload.
fn key_of(file: &File) -> String {
    fingerprint(&file.name(), file.size() as u64, file.last_modified())
}

fn unreadable() -> ErrorBody {
    ErrorBody::new(ErrorCode::BadRequest, t::NOT_READ).with_hint(t::NOT_READ_HINT)
}
