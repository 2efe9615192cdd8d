//! The import in hand: file, profile, place, plan, run. It outlives the page, and by the browser's
//! tab storage a reload.

mod planning;
mod reading;
mod recipes;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use shared::api::{CheckAnswer, SourceView, joint_name};
use shared::plan::{Candidate, Mode, PlanView};
use shared::profile::{Compression, Profile, compression_of, sample};
use shared::run::RunView;
use shared::{ErrorBody, ErrorCode};
use web_sys::File;

use super::Latest;
use super::place::Place;
use super::service::Service;
use super::uploader::Uploader;
use crate::model::form::{Form, Into};
use crate::model::upload::Upload;
use crate::model::{ladder, matching, names, shapes};
use crate::text::import as t;
use crate::{api, browser};
pub use recipes::Recipes;

/// The first part of a file, for the preview.
const HEAD_BYTES: u64 = 1 << 20;
const STORE: &str = "plimsoll.import";

/// Who has read the file so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The browser, its first part.
    Browser,
    /// The service.
    Service,
}

/// A profile and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// What the file holds.
    pub profile: Profile,
    /// Who says so.
    pub by: Reader,
}

/// The first part of the file, unpacked.
#[derive(Debug, Clone, Default)]
struct Head {
    bytes: Vec<u8>,
    complete: bool,
    packed: Compression,
    /// Whether it is of one file only.
    alone: bool,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    form: Form,
    name: String,
    bytes: u64,
    /// Of several files that are not one source yet: how much had arrived.
    #[serde(default)]
    received: u64,
    upload_id: Option<String>,
    run_id: Option<String>,
}

/// The import in hand.
#[derive(Clone, Copy)]
pub struct Import {
    /// What the person asked for.
    pub form: RwSignal<Form>,
    /// The upload.
    pub uploader: Uploader,
    /// Where rows go.
    pub place: Place,
    /// What the file holds.
    pub seen: RwSignal<Option<Seen>>,
    /// Why the file cannot be read.
    pub fault: RwSignal<Option<ErrorBody>>,
    /// Whether a reader is at work.
    pub reading: RwSignal<bool>,
    /// The plan.
    pub plan: RwSignal<Option<PlanView>>,
    /// Why there is none.
    pub plan_fault: RwSignal<Option<ErrorBody>>,
    /// Whether one is being made.
    pub planning: RwSignal<bool>,
    /// What a check of every row found, and whether it still holds.
    pub check: RwSignal<Option<Result<CheckAnswer, ErrorBody>>>,
    /// Whether a check is under way.
    pub checking: RwSignal<bool>,
    /// What was kept for other files.
    pub recipes: Recipes,
    /// The run that was started.
    pub run_id: RwSignal<Option<String>>,
    /// Why it could not be started.
    pub start_fault: RwSignal<Option<ErrorBody>>,
    /// Whether it is being started.
    pub starting: RwSignal<bool>,
    /// Whether a start waits for the plan that is being made.
    start_waits: StoredValue<bool>,
    head: StoredValue<Head>,
    /// Counts files, so that the same one taken up again is read again.
    round: RwSignal<u32>,
    latest_read: Latest,
    latest_plan: Latest,
    latest_check: Latest,
    service: Service,
}

impl Import {
    /// The import that the tab remembers, or a fresh one.
    pub fn start(service: Service) -> Self {
        let kept: Option<Kept> =
            browser::recall_tab(STORE).and_then(|text| browser::from_json(&text));
        let form = RwSignal::new(kept.as_ref().map(|k| k.form.clone()).unwrap_or_default());
        let import = Self {
            form,
            uploader: Uploader::new(),
            place: Place::follow(form),
            seen: RwSignal::new(None),
            fault: RwSignal::new(None),
            reading: RwSignal::new(false),
            plan: RwSignal::new(None),
            plan_fault: RwSignal::new(None),
            planning: RwSignal::new(false),
            check: RwSignal::new(None),
            checking: RwSignal::new(false),
            recipes: Recipes::start(),
            run_id: RwSignal::new(kept.as_ref().and_then(|k| k.run_id.clone())),
            start_fault: RwSignal::new(None),
            starting: RwSignal::new(false),
            start_waits: StoredValue::new(false),
            head: StoredValue::new(Head::default()),
            round: RwSignal::new(0),
            latest_read: Latest::new(),
            latest_plan: Latest::new(),
            latest_check: Latest::new(),
            service,
        };
        if let Some(kept) = kept {
            import.take_up(kept);
        }
        import.follow_reading();
        import.follow_plan();
        import.follow_store();
        import
    }

    /// Whether there is a file.
    pub fn has_file(self) -> bool {
        self.uploader.state.with(|u| !u.name.is_empty()) || self.seen.with(Option::is_some)
    }

    /// Takes files that are to be one source: previews the first and begins to upload them.
    pub fn take(self, mut files: Vec<File>) {
        files.sort_by_key(File::name);
        let Some(first) = files.first().cloned() else { return };
        let file_names: Vec<String> = files.iter().map(File::name).collect();
        let (name, bytes) = (joint_name(&file_names), files.iter().map(|f| f.size() as u64).sum());
        let again = self.uploader.state.with_untracked(|u| {
            u.phase == crate::model::upload::Phase::Missing && u.name == name && u.total == bytes
        });
        if !again {
            self.forget(true);
            self.form.update(|f| f.for_new_file(&names::table_for_files(&file_names)));
        }
        if let Some(error) = files.iter().find_map(|f| self.refuse(f.size() as u64)) {
            self.fault.set(Some(error));
            return;
        }
        let ticket = self.latest_read.ask();
        if files.len() == 1 {
            self.uploader.start(files.clone());
        }
        spawn_local(async move {
            let head = head_of(&first).await;
            if !self.latest_read.is_last(ticket) {
                return;
            }
            let Some(head) = head else {
                let error = ErrorBody::new(ErrorCode::BadRequest, t::NOT_READ);
                self.fault.set(Some(error.with_hint(t::NOT_READ_HINT)));
                return;
            };
            self.head.set_value(Head { alone: files.len() == 1, ..head });
            self.read_head(&first.name(), bytes);
            if files.len() > 1 {
                self.take_several(files, ticket).await;
            }
        });
    }

    /// Uploads files whose beginnings show the same columns; says it where they do not.
    async fn take_several(self, files: Vec<File>, ticket: u64) {
        let options = self.form.with_untracked(Form::reading);
        let mut first = None;
        for file in &files {
            let Some(head) = head_of(file).await else { continue };
            let name = file.name();
            // What the browser cannot read the service will.
            let Ok(profile) = sample(&head.bytes, head.complete, &name, &options) else { continue };
            let Some((of_first, first)) = &first else {
                first = Some((profile, name));
                continue;
            };
            if let Some(error) = shapes::difference((first, of_first), (&name, &profile)) {
                if self.latest_read.is_last(ticket) {
                    self.head.set_value(Head::default());
                    self.seen.set(None);
                    self.fault.set(Some(error));
                }
                return;
            }
        }
        if self.latest_read.is_last(ticket) {
            self.uploader.start(files);
        }
    }

    fn refuse(self, bytes: u64) -> Option<ErrorBody> {
        if bytes == 0 {
            let error = ErrorBody::new(ErrorCode::EmptyFile, t::EMPTY_FILE);
            return Some(error.with_hint(t::EMPTY_FILE_HINT));
        }
        let max = self.service.about.with_untracked(|a| a.as_ref().map(|a| a.upload_bytes_max))?;
        (bytes > max).then(|| {
            ErrorBody::new(ErrorCode::TooLarge, t::too_large(bytes, max))
                .with_hint(t::TOO_LARGE_HINT)
        })
    }

    /// Forgets file, plan and run; the place to import into stays.
    pub fn forget(self, delete: bool) {
        self.round.update(|n| *n += 1);
        self.latest_read.ask();
        self.latest_plan.ask();
        let unused = self.run_id.with_untracked(Option::is_none);
        self.uploader.cancel(delete && unused);
        self.head.set_value(Head::default());
        self.seen.set(None);
        self.fault.set(None);
        self.reading.set(false);
        self.plan.set(None);
        self.plan_fault.set(None);
        self.planning.set(false);
        self.check.set(None);
        self.recipes.declined.set(false);
        self.run_id.set(None);
        self.start_fault.set(None);
    }

    /// Whether files of the service's machine may be picked.
    pub fn has_folder(self) -> bool {
        self.service.about.with(|a| a.as_ref().is_some_and(|a| a.files))
    }

    /// Takes up files that the service has already.
    pub fn take_source(self, source: &SourceView) {
        self.forget(true);
        let own = [source.name.clone()];
        let of = if source.files.is_empty() { own.as_slice() } else { source.files.as_slice() };
        self.form.update(|f| f.for_new_file(&names::table_for_files(of)));
        let SourceView { id, name, bytes, .. } = source;
        self.uploader.reloaded(Upload::reloaded(name, *bytes, Some(id), *bytes));
    }

    /// Takes up a file that the service has, with what was asked of it in an earlier run.
    pub fn again(self, run: &RunView) {
        let Some(source_id) = run.source_id.clone() else { return };
        self.forget(false);
        self.form.update(|f| {
            f.target_id = run.target_id.clone().or(f.target_id.take());
            f.database.clone_from(&run.database);
            // A run that was to make its table and did not come through left none behind.
            let made = run.choice.mode != Mode::Create || run.rows_loaded > 0;
            f.into = if made { Into::Existing } else { Into::New };
            f.old_table = if made { run.table.clone() } else { String::new() };
            f.new_table.clone_from(&run.table);
            f.create_table = None;
            f.choice = None;
            f.options = run.options.clone();
            f.options.mode = None;
        });
        self.uploader.reloaded(Upload::reloaded(
            &run.file,
            run.file_bytes,
            Some(&source_id),
            run.file_bytes,
        ));
    }

    /// Puts a run aside that has ended, to change something and start another.
    pub fn change(self) {
        self.run_id.set(None);
        self.start_fault.set(None);
        self.check.set(None);
    }

    fn take_up(self, kept: Kept) {
        let Kept { name, bytes, received, .. } = kept;
        let Some(id) = kept.upload_id else {
            if !name.is_empty() {
                self.uploader.reloaded(Upload::reloaded(&name, bytes, None, received));
            }
            return;
        };
        self.reading.set(true);
        spawn_local(async move {
            match api::source(&id).await {
                Ok(SourceView { received_bytes, bytes, name, .. }) => {
                    self.uploader.reloaded(Upload::reloaded(
                        &name,
                        bytes,
                        Some(&id),
                        received_bytes,
                    ));
                }
                Err(error) if api::is_away(&error) => {
                    self.uploader.reloaded(Upload::reloaded(&name, bytes, Some(&id), 0));
                }
                // The service has cleared it away: begin anew.
                Err(_) => self.run_id.set(None),
            }
            self.reading.set(false);
        });
    }

    fn follow_store(self) {
        Effect::new(move |_| {
            let kept = self.uploader.state.with(|u| Kept {
                form: self.form.get(),
                name: u.name.clone(),
                bytes: u.total,
                received: u.confirmed,
                upload_id: u.id.clone(),
                run_id: self.run_id.get(),
            });
            browser::keep_tab(STORE, browser::to_json(&kept).as_deref());
        });
    }

    /// The card that is taken: its place and itself.
    pub fn taken(self) -> Option<(usize, Candidate)> {
        let choice = self.form.with(|f| f.choice.clone());
        self.plan.with(|plan| {
            let candidates = &plan.as_ref()?.candidates;
            let at = ladder::taken(candidates, choice.as_ref());
            candidates.get(at).cloned().map(|c| (at, c))
        })
    }

    /// Columns of the table that must have a value and get none.
    pub fn missing(self) -> Vec<String> {
        self.matches(|m, _| matching::missing(m).into_iter().map(str::to_owned).collect())
            .unwrap_or_default()
    }

    /// Something of the matching, once file and table are known.
    pub fn matches<T>(self, with: impl FnOnce(&[matching::Match], &Profile) -> T) -> Option<T> {
        let set =
            self.form.with(|f| (f.into == Into::Existing).then(|| f.options.columns.clone()))?;
        self.place.facts.with(|facts| {
            self.seen.with(|seen| {
                let (facts, seen) = (facts.as_ref()?, seen.as_ref()?);
                Some(with(&matching::matches(facts, &seen.profile, &set), &seen.profile))
            })
        })
    }
}

/// The first part of a file, unpacked where the browser can.
async fn head_of(file: &File) -> Option<Head> {
    let bytes = browser::first_bytes(file, HEAD_BYTES).await.ok()?;
    let packed = compression_of(&bytes);
    let complete = file.size() as u64 <= HEAD_BYTES;
    if packed == Compression::Gzip
        && let Some((bytes, complete)) =
            browser::first_bytes_inside(file, HEAD_BYTES as usize).await
    {
        return Some(Head { bytes, complete, packed, alone: true });
    }
    Some(Head { bytes, complete, packed: Compression::None, alone: true })
}
