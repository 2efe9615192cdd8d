//! Beginning runs: recorded first, then claimed, then at work by themselves.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use shared::error::ErrorCode;
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::run::{Progress, RunStatus, RunView};
use tokio::sync::watch;

use crate::load::Cancel;
use crate::store::{NewRun, now};

use super::job::{self, Job};
use super::live::Live;
use super::progress::Tracker;
use super::state::RunState;
use super::{Inner, RunError, RunInput, Runs, new_run_id};

/// How often watchers are told.
const PROGRESS_EVERY: Duration = Duration::from_millis(150);
/// The control database is told every so many times.
const TICK_EVERY: u32 = 5;

impl Runs {
    /// Records a run and begins it; it goes on by itself.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn start(&self, input: RunInput) -> Result<RunView, RunError> {
        let view = first_view(&input);
        let run = NewRun {
            input: input.kept()?,
            password: input.password(),
            options_fingerprint: input.fingerprint(),
            trial_id: input.trial.as_ref().map(|t| t.trial_id.clone()),
            view: view.clone(),
        };
        self.inner.store.run_insert(&run).await?;
        self.set_off(view.run_id.clone(), input, RunStatus::Queued, None);
        Ok(view)
    }

    /// Goes on with a run that was interrupted, failed or cancelled.
    ///
    /// # Errors
    /// If it cannot be resumed, or the file, the table or the options changed.
    pub async fn resume(&self, run_id: &str, who: &str) -> Result<RunView, RunError> {
        let saved = self.saved(run_id).await?;
        let status = saved.view.status;
        if !saved.view.resumable || !status.is_final() {
            return Err(RunError::refuse(
                ErrorCode::Conflict,
                format!("Run {run_id} is {} and cannot be resumed.", status.as_str()),
            ));
        }
        let input = RunInput::from_saved(&saved)?;
        let changed = |what: &str| {
            Err(RunError::refuse(
                ErrorCode::Changed,
                format!(
                    "{what} changed since run {run_id} began, so it cannot go on; start a new run."
                ),
            ))
        };
        if input.fingerprint() != saved.options_fingerprint {
            return changed("The options");
        }
        if !saved.file_fingerprint.is_empty()
            && job::file_fingerprint(&input).await? != saved.file_fingerprint
        {
            return changed(&format!("The file {}", input.file_name));
        }
        let state: Option<RunState> = saved.state.and_then(|s| serde_json::from_value(s).ok());
        if let Some(state) = &state
            && !state.published
            && !self.table_is_the_same(run_id, &input, state, &saved.table_fingerprint).await?
        {
            return changed(&format!("The table {}", input.table));
        }
        tracing::info!(run = run_id, who, "resumed");
        self.inner.lives.remove(run_id);
        self.set_off(run_id.to_owned(), input, status, state);
        self.view(run_id).await
    }

    fn set_off(&self, run_id: String, input: RunInput, from: RunStatus, state: Option<RunState>) {
        let tracker = Arc::new(Tracker::new(input.file_bytes()));
        let cancel = Cancel::new();
        let (sender, progress) = watch::channel(tracker.progress());
        let live = Live { tracker: Arc::clone(&tracker), cancel: cancel.clone(), progress };
        self.inner.lives.insert(&run_id, live);
        let job = Job {
            inner: Arc::clone(&self.inner),
            run_id,
            input,
            tracker,
            cancel,
            resumed: state.is_some(),
            state: Mutex::new(state),
            told: Mutex::default(),
            left_behind: AtomicBool::default(),
        };
        tokio::spawn(accompany(job, from, sender));
    }
}

/// Claims the run, lets it work, tells watchers and the control database meanwhile.
async fn accompany(job: Job, from: RunStatus, sender: watch::Sender<Progress>) {
    let (inner, run_id) = (Arc::clone(&job.inner), job.run_id.clone());
    if let Ok(_slot) = inner.slots.acquire().await {
        match inner.store.run_claim(&run_id, from, inner.lease.owner_id()).await {
            Ok(()) => {
                let beat = Beat {
                    inner: Arc::clone(&inner),
                    run_id: run_id.clone(),
                    tracker: Arc::clone(&job.tracker),
                    cancel: job.cancel.clone(),
                    target: job.input.target.clone(),
                    sender,
                };
                let work = tokio::spawn(job.run());
                beat.until(work).await;
            }
            Err(e) => tracing::error!(run = %run_id, error = %e, "the run could not be claimed"),
        }
    }
    inner.lives.remove(&run_id);
}

struct Beat {
    inner: Arc<Inner>,
    run_id: String,
    tracker: Arc<Tracker>,
    cancel: Cancel,
    target: crate::target::TargetSpec,
    sender: watch::Sender<Progress>,
}

impl Beat {
    async fn until(self, mut work: tokio::task::JoinHandle<()>) {
        let mut ticker = tokio::time::interval(PROGRESS_EVERY);
        let mut beats = 0_u32;
        loop {
            tokio::select! {
                ended = &mut work => {
                    if let Err(e) = ended {
                        tracing::error!(run = %self.run_id, error = %e, "the run broke down");
                        self.broke_down().await;
                    }
                    self.sender.send_replace(self.tracker.progress());
                    return;
                }
                _ = ticker.tick() => self.beat(&mut beats).await,
            }
        }
    }

    async fn beat(&self, beats: &mut u32) {
        self.sender.send_replace(self.tracker.progress());
        *beats += 1;
        if beats.is_multiple_of(TICK_EVERY) {
            match self.inner.store.run_tick(&self.run_id, &self.tracker.tick()).await {
                Ok(true) => self.cancel.set(),
                Ok(false) => {}
                Err(e) => tracing::warn!(run = %self.run_id, error = %e, "no heartbeat"),
            }
        }
        if self.cancel.is_set() && beats.is_multiple_of(2) && !self.tracker.is_reverting() {
            // A statement that began between the switch and the last kill dies now.
            self.cancel.cancel(&self.target).await;
        }
    }

    /// A defect of ours must not leave a run that seems to go on for ever.
    async fn broke_down(&self) {
        let end = crate::store::RunEnd {
            status: RunStatus::Interrupted,
            tick: self.tracker.tick(),
            error: Some(RunError::Lost.body()),
            outcome: None,
            resumable: true,
            curve: self.tracker.curve(),
            left_behind: true,
        };
        for from in [RunStatus::Running, RunStatus::Reverting] {
            if self.inner.store.run_end(&self.run_id, from, &end).await.is_ok() {
                return;
            }
        }
    }
}

/// A run as it is recorded before anything is known but what was asked.
fn first_view(input: &RunInput) -> RunView {
    let o = &input.options;
    let choice = input.choice.clone().unwrap_or_else(|| Choice {
        engine: o.engine.clone().unwrap_or_default(),
        strategy: o.strategy.unwrap_or(Strategy::LoadData),
        order: o.order.unwrap_or(Order::AsIs),
        index_policy: o.index_policy.unwrap_or(IndexPolicy::Keep),
        visibility: o.visibility.unwrap_or(Visibility::AsTheyArrive),
        mode: o.mode.unwrap_or(Mode::Append),
        on_duplicate: o.on_duplicate.unwrap_or(OnDuplicate::Reject),
        on_error: o.on_error.unwrap_or(OnError::Stop),
        workers: o.workers.unwrap_or(1),
        chunk_bytes: o.chunk_bytes.unwrap_or(0),
        batch_bytes: 0,
        batch_rows: o.batch_rows,
        check_first: false,
    });
    RunView {
        run_id: new_run_id(),
        who: input.who.clone(),
        status: RunStatus::Queued,
        step: None,
        file: input.file_name.clone(),
        file_bytes: input.file_bytes(),
        source_id: input.source_id.clone(),
        target: input.target.name.clone(),
        target_id: input.target_id.clone(),
        server: String::new(),
        database: input.database.clone(),
        table: input.table.clone(),
        choice,
        options: input.options.clone(),
        prechecks: Vec::new(),
        reasons: Vec::new(),
        rows_read: 0,
        rows_loaded: 0,
        rows_rejected: 0,
        rows_skipped: 0,
        bytes_read: 0,
        retries: 0,
        rows_per_sec: None,
        estimate: None,
        steps: Vec::new(),
        error: None,
        outcome: None,
        sql: Vec::new(),
        resumable: false,
        created_at: now(),
        started_at: None,
        ended_at: None,
        elapsed_ms: 0,
        curve: Vec::new(),
    }
}
