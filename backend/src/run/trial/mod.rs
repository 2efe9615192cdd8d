//! Trials: ways to load raced in scratch tables of the target, bounded in time, always swept.
//!
//! Each load of a trial is a run like any other (read, checked, converted, written, verified), on
//! the first part of the file and into a scratch table; the history leaves it out, the estimate
//! learns from it. Scratch tables carry the trial's id, so that a later process finds what a dead
//! one left.

mod ladder;
mod race;
mod rows;
mod verdict;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use shared::error::{ErrorBody, ErrorCode};
use shared::options::ImportOptions;
use shared::plan::Choice;
use shared::run::{RunStatus, RunStep, RunView};
use shared::trial::{TrialKind, TrialResult, TrialStatus, TrialView};

use super::input::{KeptTarget, TrialLoad};
use super::{RunError, RunInput, Runs};
use crate::load::scratch;
use crate::store::{TrialSaved, new_id, now};
use crate::target::{self, TargetSpec};

/// Seconds of a race where nobody says.
const RACE_SECS: u32 = 20;
/// Seconds of a ladder where nobody says.
const LADDER_SECS: u32 = 60;
const SECS_MOST: u32 = 3600;
/// What a load takes beside its rows: connecting, planning, making and dropping tables.
const AROUND_LOAD_MS: u64 = 250;
/// A load that takes this many times its share is given up, and made once more on so much less.
const PATIENCE: u64 = 3;
const SMALLER_PART: u64 = 10;
/// The smallest chunk that a sample is cut into.
const CHUNK_BYTES_LEAST: u64 = 64 << 10;
/// The shortest load that is worth its while.
const LOAD_MS_LEAST: u64 = 60;

/// What is to be tried.
#[derive(Debug, Clone)]
pub struct TrialInput {
    /// Race or ladder.
    pub kind: TrialKind,
    /// The file and the table of a race.
    pub race: Option<RunInput>,
    /// The server.
    pub target: TargetSpec,
    /// The saved target, where it is one.
    pub target_id: Option<String>,
    /// The database.
    pub database: String,
    /// Seconds in all.
    pub seconds: Option<u32>,
    /// Rows of one load at most.
    pub rows_max: Option<u64>,
    /// Engine of a ladder's tables, where it is not the server's default.
    pub engine: Option<String>,
    /// Who asks.
    pub who: String,
}

/// Trials that are under way in this process, with their switches.
#[derive(Debug, Default)]
pub(super) struct Registry(Mutex<HashMap<String, Arc<AtomicBool>>>);

impl Registry {
    fn switches(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<AtomicBool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, id: &str) -> Arc<AtomicBool> {
        let switch = Arc::new(AtomicBool::new(false));
        self.switches().insert(id.to_owned(), Arc::clone(&switch));
        switch
    }

    fn cancel(&self, id: &str) -> bool {
        self.switches().get(id).is_some_and(|switch| {
            switch.store(true, Ordering::Relaxed);
            true
        })
    }

    fn end(&self, id: &str) {
        self.switches().remove(id);
    }
}

/// A trial at work.
struct Trial {
    runs: Runs,
    input: TrialInput,
    view: TrialView,
    begun: Instant,
    until: Instant,
    made: usize,
    cancelled: Arc<AtomicBool>,
}

/// A load that is to be timed.
struct Timed<'a> {
    title: String,
    choice: &'a Choice,
    input: RunInput,
    bytes_max: u64,
    /// Milliseconds that it should take.
    share_ms: u64,
    indexes: u32,
    in_key_order: bool,
}

impl Runs {
    /// Begins a trial; it goes on by itself.
    ///
    /// # Errors
    /// If the request names no file where one is needed, or the control database refuses.
    pub async fn start_trial(&self, input: TrialInput) -> Result<TrialView, RunError> {
        self.sweep_trials().await?;
        let what = match (&input.kind, &input.race) {
            (TrialKind::Race, Some(race)) => format!("{} into {}", race.file_name, race.table),
            (TrialKind::Ladder, _) => "rows of the service's own".to_owned(),
            (TrialKind::Race, None) => {
                let why = "A race needs a file and a table; without them there is the ladder.";
                return Err(RunError::refuse(ErrorCode::BadRequest, why));
            }
        };
        let seconds = input.seconds.unwrap_or(match input.kind {
            TrialKind::Race => RACE_SECS,
            TrialKind::Ladder => LADDER_SECS,
        });
        let view = TrialView {
            id: new_id(),
            kind: input.kind,
            status: TrialStatus::Running,
            who: input.who.clone(),
            target: input.target.name.clone(),
            server: String::new(),
            database: input.database.clone(),
            what,
            results: Vec::new(),
            words: Vec::new(),
            error: None,
            elapsed_ms: 0,
            created_at: now(),
        };
        let kept = KeptTarget::of(&input.target);
        let saved = TrialSaved {
            view: view.clone(),
            input: serde_json::to_value(kept).map_err(crate::store::StoreError::from)?,
            password: input.target.password.clone(),
            owner_id: Some(self.inner.lease.owner_id().to_owned()),
        };
        self.inner.store.trial_insert(&saved, input.target_id.as_deref()).await?;
        let begun = Instant::now();
        let cancelled = self.inner.trials.begin(&view.id);
        let trial = Trial {
            runs: self.clone(),
            until: begun + Duration::from_secs(u64::from(seconds.clamp(1, SECS_MOST))),
            input,
            view: view.clone(),
            begun,
            made: 0,
            cancelled,
        };
        tokio::spawn(trial.run());
        Ok(view)
    }

    /// A trial with its loads so far.
    ///
    /// # Errors
    /// If there is none, or the control database refuses.
    pub async fn trial(&self, id: &str) -> Result<TrialView, RunError> {
        self.inner.store.trial(id).await?.ok_or_else(|| {
            RunError::refuse(ErrorCode::NotFound, format!("There is no trial {id}."))
        })
    }

    /// Asks a trial of this process to stop after the load that is under way.
    ///
    /// # Errors
    /// As [`Runs::trial`]; or if it is not under way here.
    pub async fn cancel_trial(&self, id: &str) -> Result<TrialView, RunError> {
        let view = self.trial(id).await?;
        if !self.inner.trials.cancel(id) {
            let why = format!("Trial {id} is {} and cannot be cancelled.", view.status.as_str());
            return Err(RunError::refuse(ErrorCode::Conflict, why));
        }
        Ok(view)
    }

    /// Drops what trials of dead processes left on their targets.
    ///
    /// # Errors
    /// If the control database refuses. A target that cannot be reached is only logged, and tried
    /// again the next time.
    pub async fn sweep_trials(&self) -> Result<(), RunError> {
        for saved in self.inner.store.trials_unfinished().await? {
            if self.inner.lease.lives(saved.owner_id.as_deref()) {
                continue;
            }
            let kept: KeptTarget =
                serde_json::from_value(saved.input).map_err(crate::store::StoreError::from)?;
            let spec = kept.open(saved.password.as_ref(), &saved.view.database);
            match self.sweep(&spec, &saved.view).await {
                Ok(()) => {
                    let error = ErrorBody::new(
                        ErrorCode::Interrupted,
                        "The service stopped while the trial was under way; its tables are gone.",
                    );
                    let status = TrialStatus::Interrupted;
                    let view = TrialView { status, error: Some(error), ..saved.view };
                    self.inner.store.trial_update(&view).await?;
                }
                Err(e) => {
                    tracing::warn!(trial = %saved.view.id, error = %e, "scratch tables may remain");
                }
            }
        }
        Ok(())
    }

    async fn sweep(&self, target: &TargetSpec, view: &TrialView) -> Result<(), RunError> {
        let runs = self.inner.store.runs_of_trial(&view.id).await?;
        let mut conn = target::connect(&target.clone().with_database(&view.database)).await?;
        let swept = scratch::sweep(&mut conn, &view.database, &view.id, &runs).await;
        let _ = conn.disconnect().await;
        Ok(swept?)
    }
}

impl Trial {
    async fn run(mut self) {
        let raced = match self.input.kind {
            TrialKind::Race => self.race().await,
            TrialKind::Ladder => self.ladder().await,
        };
        let swept = self.runs.sweep(&self.input.target, &self.view).await;
        self.view.status = match raced.and(swept) {
            Ok(()) if self.cancelled.load(Ordering::Relaxed) => TrialStatus::Cancelled,
            Ok(()) => TrialStatus::Done,
            Err(e) => {
                self.view.error = Some(e.body());
                TrialStatus::Failed
            }
        };
        self.save().await;
        self.runs.inner.trials.end(&self.view.id);
    }

    async fn save(&mut self) {
        self.view.elapsed_ms = self.begun.elapsed().as_millis() as u64;
        if let Err(e) = self.runs.inner.store.trial_update(&self.view).await {
            tracing::error!(trial = %self.view.id, error = %e, "the trial is not recorded");
        }
    }

    /// Milliseconds that are left.
    fn left_ms(&self) -> u64 {
        self.until.saturating_duration_since(Instant::now()).as_millis() as u64
    }

    fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.left_ms() < AROUND_LOAD_MS
    }

    /// Milliseconds for one of so many loads that are still to come.
    fn share_ms(&self, loads: usize) -> u64 {
        (self.left_ms() / loads.max(1) as u64).saturating_sub(AROUND_LOAD_MS).max(LOAD_MS_LEAST)
    }

    /// A name for the next scratch table.
    fn next_table(&mut self) -> String {
        self.made += 1;
        scratch::name(&self.view.id, self.made)
    }

    /// Loads the first part of a file into a scratch table that is there, and keeps what it took.
    async fn time(&mut self, timed: Timed<'_>) -> Result<(), RunError> {
        let mut input = timed.input;
        let mut choice = timed.choice.clone();
        // Every writer is to get some chunks of a sample, however small that is.
        let most = timed.bytes_max / (2 * u64::from(choice.workers.max(1)));
        choice.chunk_bytes = choice.chunk_bytes.min(most.max(CHUNK_BYTES_LEAST));
        input.choice = Some(choice);
        input.trial =
            Some(TrialLoad { trial_id: self.view.id.clone(), bytes_max: timed.bytes_max });
        let mut ended = self.load(input.clone(), timed.share_ms).await?;
        if ended.status == RunStatus::Cancelled
            && !self.is_over()
            && let Some(trial) = &mut input.trial
        {
            // Far slower than foretold: a smaller part can still be timed.
            trial.bytes_max = (trial.bytes_max / SMALLER_PART).max(1);
            ended = self.load(input, timed.share_ms).await?;
        }
        let mut result = TrialResult {
            title: timed.title,
            choice: ended.choice.clone(),
            rows: ended.rows_loaded,
            bytes: ended.bytes_read,
            indexes: timed.indexes,
            in_key_order: timed.in_key_order,
            ms: work_ms(&ended),
            rows_per_sec: 0.0,
            steps: ended.steps.clone(),
            whole: None,
            note: None,
        };
        match ended.status {
            RunStatus::Succeeded | RunStatus::SucceededWithRejects if result.rows > 0 => {
                result.rows_per_sec = result.rows as f64 * 1e3 / result.ms.max(1) as f64;
            }
            RunStatus::Cancelled => {
                result.note = Some("Time ran out before the sample was in.".to_owned());
            }
            _ => {
                let said = ended.error.map(|e| e.message);
                result.note = Some(said.unwrap_or_else(|| "No row went in.".to_owned()));
            }
        }
        self.view.server.clone_from(&ended.server);
        self.view.results.push(result);
        self.save().await;
        Ok(())
    }

    /// Makes one load, and gives it up where it takes far longer than its share.
    async fn load(&self, input: RunInput, share_ms: u64) -> Result<RunView, RunError> {
        let run_id = self.runs.start(input).await?.run_id;
        let run_id = run_id.as_str();
        let patience = Duration::from_millis(share_ms * PATIENCE + AROUND_LOAD_MS);
        let left = self.until.saturating_duration_since(Instant::now()).min(patience);
        if tokio::time::timeout(left, self.runs.wait(run_id)).await.is_err() {
            // It may have ended between the two.
            let _ = self.runs.cancel(run_id).await;
        }
        self.runs.wait(run_id).await
    }
}

/// What sorting, writing and building indexes took.
fn work_ms(run: &RunView) -> u64 {
    let work = [RunStep::Sort, RunStep::Load, RunStep::RebuildIndexes];
    run.steps.iter().filter(|s| work.contains(&s.step)).map(|s| s.ms).sum()
}

/// Options of a load into a scratch table: what reads the file stays, what makes or fills the real
/// table goes.
fn scratch_options(options: &ImportOptions) -> ImportOptions {
    ImportOptions {
        mode: None,
        engine: None,
        visibility: None,
        on_error: Some(shared::plan::OnError::Reject),
        max_rejects: None,
        max_reject_share: None,
        strategy: None,
        order: None,
        index_policy: None,
        workers: None,
        ..options.clone()
    }
}
