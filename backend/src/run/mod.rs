//! A run's life: asked for, planned, checked, loaded, verified, published; cancelled, interrupted,
//! resumed. No SQL text and no web framework here.

mod error;
mod input;
mod progress;

pub use error::RunError;
pub use input::RunInput;

use std::path::PathBuf;
use std::sync::Arc;

use shared::api::{CheckAnswer, RejectPage};
use shared::error::ErrorCode;
use shared::plan::PlanView;
use shared::run::{ImportReport, Progress, RunView};
use tokio::sync::watch;

use crate::store::Store;

/// Every run of this service.
#[derive(Debug, Clone)]
pub struct Runs {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
}

fn soon<T>() -> Result<T, RunError> {
    Err(RunError::refuse(ErrorCode::Internal, "This is still being built."))
}

impl Runs {
    /// The runs of a data folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn new(store: Store) -> Result<Self, RunError> {
        Ok(Self { inner: Arc::new(Inner { store }) })
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
    pub async fn plan(&self, _input: &RunInput) -> Result<PlanView, RunError> {
        soon()
    }

    /// Reads and checks the whole file against the table; loads nothing.
    ///
    /// # Errors
    /// As [`Runs::plan`].
    pub async fn check(&self, _input: &RunInput) -> Result<CheckAnswer, RunError> {
        soon()
    }

    /// Records a run and begins it; it goes on by itself.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn start(&self, _input: RunInput) -> Result<RunView, RunError> {
        soon()
    }

    /// A run as it stands, with the live numbers of one that is under way here.
    ///
    /// # Errors
    /// If there is none, or the control database refuses.
    pub async fn view(&self, run_id: &str) -> Result<RunView, RunError> {
        Err(RunError::no_run(run_id))
    }

    /// The progress of a run that is under way in this process; none for any other. The channel
    /// closes when the run has ended and its record is written.
    #[must_use]
    pub fn subscribe(&self, _run_id: &str) -> Option<watch::Receiver<Progress>> {
        None
    }

    /// Waits for a run to end.
    ///
    /// # Errors
    /// As [`Runs::view`].
    pub async fn wait(&self, run_id: &str) -> Result<RunView, RunError> {
        self.view(run_id).await
    }

    /// Asks a run to stop, wherever it runs. Returns at once.
    ///
    /// # Errors
    /// If there is none, it has ended, or the control database refuses.
    pub async fn cancel(&self, run_id: &str) -> Result<RunView, RunError> {
        self.view(run_id).await
    }

    /// Goes on with a run that was interrupted, failed or cancelled.
    ///
    /// # Errors
    /// If it cannot be resumed, or the file, the table or the options changed.
    pub async fn resume(&self, run_id: &str, _who: &str) -> Result<RunView, RunError> {
        self.view(run_id).await
    }

    /// At start-up: marks runs whose process is gone, puts back what they left half done.
    ///
    /// # Errors
    /// If the control database refuses. A target that cannot be reached is only logged.
    pub async fn recover(&self) -> Result<(), RunError> {
        Ok(())
    }

    /// Marks runs whose process is gone as interrupted; touches no target.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn recover_marks(&self) -> Result<(), RunError> {
        Ok(())
    }

    /// What `import --json` prints.
    ///
    /// # Errors
    /// As [`Runs::view`].
    pub async fn report(&self, _run_id: &str) -> Result<ImportReport, RunError> {
        soon()
    }

    /// A page of a run's rejects, in file order.
    ///
    /// # Errors
    /// As [`Runs::view`], or if the file cannot be read.
    pub async fn rejects(
        &self,
        _run_id: &str,
        _offset: u64,
        _limit: u64,
    ) -> Result<RejectPage, RunError> {
        soon()
    }

    /// The file of all rejects as CSV; none where there are none.
    #[must_use]
    pub fn rejects_csv(&self, run_id: &str) -> Option<PathBuf> {
        let path = self.inner.store.run_dir(run_id).join("rejects.csv");
        path.exists().then_some(path)
    }
}
