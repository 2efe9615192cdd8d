//! Reading the file: its first part by the browser at once, then by the service.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::api::ProfileRequest;
use shared::profile::{Compression, Profile};
use shared::{ErrorBody, ImportOptions};

use super::{Import, Reader, Seen};
use crate::api;
use crate::model::form::Form;

/// A file up to this size is read whole by itself, for types that hold for every row.
const WHOLE_BYTES_MAX: u64 = 256 << 20;

impl Import {
    /// Reads anew when the reading options change or the upload is complete.
    pub(super) fn follow_reading(self) {
        let options = Memo::new(move |_| self.form.with(Form::reading));
        let done =
            Memo::new(move |_| self.uploader.state.with(|u| u.id.clone().filter(|_| u.is_done())));
        Effect::new(move |before: Option<(ImportOptions, Option<String>, u32)>| {
            let now = (options.get(), done.get(), self.round.get());
            let new_options = before.as_ref().is_some_and(|b| b.0 != now.0);
            if new_options {
                let (name, bytes) =
                    self.uploader.state.with_untracked(|u| (u.name.clone(), u.total));
                self.read_head(&name, bytes);
            }
            if let Some(id) = &now.1
                && before.as_ref() != Some(&now)
            {
                self.read_by_service(id.clone(), new_options);
            }
            now
        });
    }

    pub(super) fn read_head(self, name: &str, file_bytes: u64) {
        let options = self.form.with_untracked(Form::reading);
        let found = self.head.with_value(|head| {
            if head.bytes.is_empty() {
                return None;
            }
            let found = shared::profile::sample(&head.bytes, head.complete, name, &options);
            Some(found.map(|p| (Profile { whole: p.whole && head.alone, ..p }, head.packed)))
        });
        match found {
            None => {}
            Some(Ok((mut profile, packed))) => {
                profile.file_bytes = file_bytes;
                if packed != Compression::None {
                    // How much is inside cannot be told from the size of the packed file.
                    profile.rows = profile.rows.filter(|_| profile.whole);
                    profile.compression = packed;
                } else if !profile.whole && profile.record_bytes > 0.0 {
                    profile.rows = Some((file_bytes as f64 / profile.record_bytes) as u64);
                }
                self.fault.set(None);
                self.seen.set(Some(Seen { profile, by: Reader::Browser }));
            }
            Some(Err(error)) => {
                self.seen.set(None);
                self.fault.set(Some(error));
            }
        }
    }

    fn read_by_service(self, id: String, wait: bool) {
        let ticket = self.latest_read.ask();
        let options = self.form.with_untracked(Form::reading);
        let bytes = self.uploader.state.with_untracked(|u| u.total);
        self.reading.set(true);
        spawn_local(async move {
            if wait {
                TimeoutFuture::new(150).await;
            }
            for whole in [false, true] {
                if !self.latest_read.is_last(ticket) {
                    return;
                }
                let request = ProfileRequest { options: options.clone(), whole };
                let answer = api::profile(&id, &request).await;
                if !self.latest_read.is_last(ticket) {
                    return;
                }
                self.take_profile(answer.map(|a| a.profile));
                let enough = self.seen.with_untracked(|s| {
                    s.as_ref().is_none_or(|s| s.profile.whole || bytes > WHOLE_BYTES_MAX)
                });
                if enough {
                    break;
                }
            }
            self.reading.set(false);
        });
    }

    /// Lets the service read every row.
    pub fn read_whole(self) {
        let Some(id) = self.uploader.state.with_untracked(|u| u.id.clone()) else { return };
        let ticket = self.latest_read.ask();
        let options = self.form.with_untracked(Form::reading);
        self.reading.set(true);
        spawn_local(async move {
            let answer = api::profile(&id, &ProfileRequest { options, whole: true }).await;
            if self.latest_read.is_last(ticket) {
                self.take_profile(answer.map(|a| a.profile));
                self.reading.set(false);
            }
        });
    }

    fn take_profile(self, answer: Result<Profile, ErrorBody>) {
        match answer {
            Ok(profile) => {
                self.fault.set(None);
                self.seen.set(Some(Seen { profile, by: Reader::Service }));
            }
            Err(error) => {
                self.fault.set(Some(error));
                self.seen.set(None);
            }
        }
    }
}
