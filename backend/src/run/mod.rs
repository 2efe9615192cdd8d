//! A run's life: asked for, planned, checked, loaded, verified, published; cancelled, interrupted,
//! resumed. No SQL of the control database and no web framework here.

mod attempt;
mod capacity;
mod check;
mod choose;
mod curve;
mod error;
mod gather;
mod input;
mod job;
mod learn;
mod lease;
mod limit;
mod live;
mod load;
mod mend;
mod moving;
mod pace;
mod progress;
mod publish;
mod recover;
mod rejects;
mod report;
mod sort;
mod sql;
mod start;
mod state;
mod stream;
mod sweep;
mod trend;
mod trial;
mod undo;

pub use capacity::{CapacityInput, scaled};
pub use error::RunError;
pub use input::RunInput;
pub use learn::past as past_loads;
pub use sweep::KEEP;
pub use trial::TrialInput;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use shared::api::{CheckAnswer, RejectPage, RunQuery, RunTrend};
use shared::error::ErrorCode;
use shared::plan::PlanView;
use shared::run::{Progress, RunView};
use tokio::sync::{Semaphore, watch};

use crate::store::{RunSaved, Store, new_id};

/// Runs that write at the same time; more wait their turn.
const RUNS_AT_ONCE: usize = 4;

/// Every run of this service.
#[derive(Debug, Clone)]
pub struct Runs {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    lease: lease::Lease,
    lives: live::Lives,
    slots: Semaphore,
    trials: trial::Registry,
}

impl Runs {
    /// The runs of a data folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn new(store: Store) -> Result<Self, RunError> {
        let lease = lease::Lease::take(store.data_dir())?;
        let (lives, slots) = (live::Lives::default(), Semaphore::new(RUNS_AT_ONCE));
        let trials = trial::Registry::default();
        Ok(Self { inner: Arc::new(Inner { store, lease, lives, slots, trials }) })
    }

    /// The control database.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Every way to load a file, best first. Reads the first part of the file, asks the server.
    ///
    /// # Errors
    /// If the file cannot be read, the server not asked, or the columns not matched.
    pub async fn plan(&self, input: &RunInput) -> Result<PlanView, RunError> {
        let seen = Arc::new(AtomicU64::new(0));
        let g = gather::gather(&self.inner.store, input, false, seen).await?;
        let mut view = g.view.clone();
        if let Some(choice) =
            input.choice.clone().or_else(|| view.candidates.first().map(|c| c.choice.clone()))
        {
            let way = attempt::way(&g, &choice);
            view.sql = sql::statements(&g, input, &choice, way, "run");
        }
        let _ = g.conn.disconnect().await;
        Ok(view)
    }

    /// Reads and checks the whole file against the table; loads nothing.
    ///
    /// # Errors
    /// As [`Runs::plan`].
    pub async fn check(&self, input: &RunInput) -> Result<CheckAnswer, RunError> {
        check::check(&self.inner.store, input).await
    }

    async fn saved(&self, run_id: &str) -> Result<RunSaved, RunError> {
        self.inner.store.run(run_id).await?.ok_or_else(|| RunError::no_run(run_id))
    }

    /// A run as it stands, with the live numbers of one that is under way here.
    ///
    /// # Errors
    /// If there is none, or the control database refuses.
    pub async fn view(&self, run_id: &str) -> Result<RunView, RunError> {
        let mut saved = self.saved(run_id).await?;
        let live = self.inner.lives.get(run_id);
        if self.nobody_works_on(&saved) {
            // Whoever looks is told so, and not that it goes on for ever.
            self.recover_marks().await?;
            saved = self.saved(run_id).await?;
        }
        let mut view = saved.view;
        if let Some(live) = live {
            let tick = live.tracker.tick();
            view.step = tick.step;
            view.steps = tick.steps;
            view.rows_read = tick.rows_read;
            view.rows_loaded = tick.rows_loaded;
            view.rows_rejected = tick.rows_rejected;
            view.rows_skipped = tick.rows_skipped;
            view.bytes_read = tick.bytes_read;
            view.retries = tick.retries;
            view.elapsed_ms = tick.elapsed_ms;
            view.curve = live.tracker.curve();
        }
        Ok(view)
    }

    /// The progress of a run that is under way in this process; none for any other. The channel
    /// closes when the run has ended and its record is written.
    #[must_use]
    pub fn subscribe(&self, run_id: &str) -> Option<watch::Receiver<Progress>> {
        self.inner.lives.get(run_id).map(|live| live.progress)
    }

    /// Waits for a run to end, wherever it runs.
    ///
    /// # Errors
    /// As [`Runs::view`].
    pub async fn wait(&self, run_id: &str) -> Result<RunView, RunError> {
        if let Some(mut progress) = self.subscribe(run_id) {
            while progress.changed().await.is_ok() {}
        }
        loop {
            let saved = self.saved(run_id).await?;
            if saved.view.status.is_final() {
                return Ok(saved.view);
            }
            if self.nobody_works_on(&saved) {
                self.recover_marks().await?;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    }

    /// Whether a run that has not ended is at work nowhere: its process is gone, or it is this one
    /// and could not record the end.
    fn nobody_works_on(&self, saved: &RunSaved) -> bool {
        let lease = &self.inner.lease;
        let ours = saved.owner_id.as_deref() == Some(lease.owner_id());
        !saved.view.status.is_final()
            && self.inner.lives.get(&saved.view.run_id).is_none()
            && (ours || !lease.owner_lives(saved))
    }

    /// Asks a run to stop, wherever it runs. Returns at once.
    ///
    /// # Errors
    /// If there is none, it has ended, or the control database refuses.
    pub async fn cancel(&self, run_id: &str) -> Result<RunView, RunError> {
        let saved = self.saved(run_id).await?;
        if !self.inner.store.run_request_cancel(run_id).await? {
            return Err(RunError::refuse(
                ErrorCode::Conflict,
                format!("Run {run_id} is {} and cannot be cancelled.", saved.view.status.as_str()),
            ));
        }
        if let Some(live) = self.inner.lives.get(run_id) {
            live.cancel.set();
        }
        self.view(run_id).await
    }

    /// Throughput over time of the runs that match.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn trend(&self, query: &RunQuery) -> Result<RunTrend, RunError> {
        let runs = self.inner.store.run_trend(query, trend::ROWS_MIN, trend::RUNS_MAX).await?;
        Ok(trend::trend(&runs))
    }

    /// A page of a run's rejects, in file order.
    ///
    /// # Errors
    /// As [`Runs::view`], or if the file cannot be read.
    pub async fn rejects(
        &self,
        run_id: &str,
        offset: u64,
        limit: u64,
    ) -> Result<RejectPage, RunError> {
        self.saved(run_id).await?;
        let dir = self.inner.store.run_dir(run_id);
        let page = tokio::task::spawn_blocking(move || rejects::read(&dir, offset, limit)).await;
        page.map_err(|_| RunError::Lost)?
    }

    /// The file of all rejects as CSV; none where there are none.
    #[must_use]
    pub fn rejects_csv(&self, run_id: &str) -> Option<PathBuf> {
        let path = self.inner.store.run_dir(run_id).join("rejects.csv");
        path.exists().then_some(path)
    }
}

/// The identity of a run about to be made.
fn new_run_id() -> String {
    new_id()
}
