//! After a crash: runs whose process is gone are marked, indexes they dropped come back.

use shared::error::{ErrorBody, ErrorCode};
use shared::run::RunStatus;

use crate::load::index_ddl::DroppedIndexes;
use crate::load::{Ledger, flush};
use crate::store::{RunEnd, RunSaved, RunTick};
use crate::target;

use super::gather;
use super::state::RunState;
use super::{RunError, RunInput, Runs};

impl Runs {
    /// At start-up: marks runs whose process is gone, puts back what they left half done.
    ///
    /// # Errors
    /// If the control database refuses. A target that cannot be reached is only logged.
    pub async fn recover(&self) -> Result<(), RunError> {
        self.recover_marks().await?;
        self.sweep_trials().await?;
        for run_id in self.inner.store.journal_open_runs().await? {
            let saved = self.saved(&run_id).await?;
            // A run that can go on builds its indexes at its own end; until then readers of the
            // table would wait for rows that are only half there, so they come back all the same.
            if !saved.view.status.is_final() {
                continue;
            }
            if let Err(e) = self.rebuild_indexes(&saved).await {
                tracing::warn!(run = %run_id, error = %e, "indexes could not be built again yet");
            }
        }
        self.restore_settings().await
    }

    /// Puts back settings of whole servers that dead runs have changed.
    async fn restore_settings(&self) -> Result<(), RunError> {
        for run_id in self.inner.store.runs_left_behind().await? {
            let saved = self.saved(&run_id).await?;
            let state = saved.state.clone().and_then(|s| serde_json::from_value(s).ok());
            let Some(mut state) = state.filter(|s: &RunState| !s.flush.is_empty()) else {
                continue;
            };
            let input = RunInput::from_saved(&saved)?;
            let put_back = async {
                let mut conn = target::connect(&input.target).await?;
                flush::restore(&mut conn, &state.flush).await?;
                let _ = conn.disconnect().await;
                Ok::<_, RunError>(())
            };
            if let Err(e) = put_back.await {
                tracing::warn!(run = %run_id, error = %e, "a setting of the server is not back yet");
                continue;
            }
            state.flush.clear();
            let value = serde_json::to_value(&state).map_err(crate::store::StoreError::from)?;
            self.inner.store.run_state(&run_id, &value).await?;
        }
        Ok(())
    }

    /// Marks runs whose process is gone as interrupted; touches no target.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn recover_marks(&self) -> Result<(), RunError> {
        for saved in self.inner.store.runs_unfinished().await? {
            if self.nobody_works_on(&saved) {
                self.mark(&saved).await?;
            }
        }
        Ok(())
    }

    async fn mark(&self, saved: &RunSaved) -> Result<(), RunError> {
        let v = &saved.view;
        let full = self.saved(&v.run_id).await?;
        let state: Option<RunState> =
            full.state.clone().and_then(|s| serde_json::from_value(s).ok());
        if let Some(state) = &state {
            state.sweep_files(&v.run_id);
        }
        let resumable = state.as_ref().is_none_or(|s| s.aside() || s.resumable());
        let tick = RunTick {
            step: v.step,
            steps: full.view.steps,
            rows_read: v.rows_read,
            rows_loaded: v.rows_loaded,
            rows_rejected: v.rows_rejected,
            rows_skipped: v.rows_skipped,
            bytes_read: v.bytes_read,
            retries: v.retries,
            elapsed_ms: v.elapsed_ms,
        };
        let end = RunEnd {
            status: RunStatus::Interrupted,
            tick,
            error: Some(ErrorBody::new(
                ErrorCode::Interrupted,
                "The service stopped while the run was under way.",
            )),
            outcome: Some(outcome(&v.table, state.as_ref(), resumable)),
            resumable,
            curve: Vec::new(),
            left_behind: state.is_some(),
        };
        match self.inner.store.run_end(&v.run_id, v.status, &end).await {
            // Someone else marked it, or it ended after all.
            Err(crate::store::StoreError::Stale { .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Builds the indexes that a run dropped and that are not back.
    pub(super) async fn rebuild_indexes(&self, saved: &RunSaved) -> Result<(), RunError> {
        let lines = self.inner.store.journal(&saved.view.run_id).await?;
        if lines.is_empty() {
            return Ok(());
        }
        let input = RunInput::from_saved(saved)?;
        let spec = input.target.clone().with_database(&input.database);
        let mut conn = target::connect(&spec).await?;
        for line in lines {
            let dropped: DroppedIndexes =
                serde_json::from_str(&line.plan).map_err(crate::store::StoreError::from)?;
            dropped.rebuild(&mut conn).await?;
        }
        self.inner.store.journal_clear(&saved.view.run_id).await?;
        let _ = conn.disconnect().await;
        Ok(())
    }

    /// Whether the table still has the definition that a run began with.
    pub(super) async fn table_is_the_same(
        &self,
        run_id: &str,
        input: &RunInput,
        state: &RunState,
        fingerprint: &str,
    ) -> Result<bool, RunError> {
        let spec = input.target.clone().with_database(&input.database);
        let mut conn = target::connect(&spec).await?;
        let ledger = Ledger::of_run(&input.database, run_id);
        if state.aside()
            && state.loaded
            && state.landed(&mut conn, &input.database, &ledger).await?
        {
            // It is the run's own table that stands there now.
            return Ok(true);
        }
        let facts = target::table_facts(&mut conn, &input.database, &input.table).await?;
        let _ = conn.disconnect().await;
        let dropped = state.dropped.as_ref().filter(|d| d.table == input.table);
        let away = dropped.map_or(&[][..], |d| &d.definitions);
        // A table that the run makes itself is there since.
        let made = state.made_table && fingerprint == "new";
        Ok(fingerprint.is_empty()
            || made
            || gather::fingerprint(facts.as_ref(), away) == fingerprint)
    }
}

fn outcome(table: &str, state: Option<&RunState>, resumable: bool) -> String {
    match state {
        None => format!("Nothing was changed; {table} is as it was."),
        Some(s) if s.published => format!("All rows are in {table}."),
        Some(s) if s.aside() && s.loaded => format!(
            "The rows were about to be seen: {table} has either all or none of them; resume ends it."
        ),
        Some(s) if s.aside() => format!(
            "{table} is as it was. What was written waits in {}; resume goes on with it.",
            s.physical
        ),
        Some(_) if resumable => {
            format!(
                "Whole chunks are in {table}, the ledger knows which; resume goes on after them."
            )
        }
        Some(_) => format!(
            "The engine has no transactions: rows that were written are in {table}, it is not known how many."
        ),
    }
}
