//! What `import --json` prints.

use shared::run::ImportReport;

use super::rejects::REPORTED;
use super::{RunError, Runs};

impl Runs {
    /// What `import --json` prints.
    ///
    /// # Errors
    /// As [`Runs::view`].
    pub async fn report(&self, run_id: &str) -> Result<ImportReport, RunError> {
        let saved = self.saved(run_id).await?;
        let rejects = self.rejects(run_id, 0, REPORTED as u64).await?.rejects;
        let file = self.inner.store.run_dir(run_id).join("rejects.jsonl");
        let view = saved.view;
        Ok(ImportReport {
            run_id: view.run_id,
            status: view.status,
            rows_read: view.rows_read,
            rows_loaded: view.rows_loaded,
            rows_rejected: view.rows_rejected,
            rows_skipped: view.rows_skipped,
            rejects,
            rejects_file: file.exists().then(|| file.display().to_string()),
            error: view.error,
            table: view.table,
            columns: saved.columns,
            plan: view.choice,
            estimate: view.estimate,
            steps: view.steps,
            elapsed_ms: view.elapsed_ms,
            outcome: view.outcome,
        })
    }
}
