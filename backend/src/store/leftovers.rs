//! Ended runs that have left something on their target, until it is swept.

use shared::run::RunStatus;

use super::runs::changed;
use super::{Store, StoreError};

impl Store {
    /// Ended runs of which something may still be on their target, oldest first.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn runs_left_behind(&self) -> Result<Vec<String>, StoreError> {
        Ok(sqlx::query_scalar(
            "SELECT id FROM runs WHERE left_behind = 1
               AND status NOT IN ('queued', 'running', 'reverting') ORDER BY id",
        )
        .fetch_all(&self.reader)
        .await?)
    }

    /// Takes an ended run's leave to go on, if nobody has gone on with it meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Stale`], or if the control database refuses.
    pub async fn run_give_up(&self, id: &str, status: RunStatus) -> Result<(), StoreError> {
        let done = sqlx::query("UPDATE runs SET resumable = 0 WHERE id = ? AND status = ?")
            .bind(id)
            .bind(status.as_str())
            .execute(&self.writer)
            .await?;
        changed(id, status, done.rows_affected())
    }

    /// Records that nothing of a run's own is on its target any more, and what remains.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_swept(&self, id: &str, outcome: &str) -> Result<(), StoreError> {
        sqlx::query("UPDATE runs SET outcome = ?, left_behind = 0, secret = NULL WHERE id = ?")
            .bind(outcome)
            .bind(id)
            .execute(&self.writer)
            .await?;
        Ok(())
    }
}
