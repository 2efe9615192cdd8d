//! Tables and files that ended runs have left on their targets, and when they go.
//!
//! The rule: what belongs to a run that cannot go on goes at once; what belongs to one that can be
//! resumed goes once nobody has resumed it for a week, or for as long as the sweep is told. Rows
//! that are in the table itself stay, and the run's record says how many.

use std::time::Duration;

use mysql_async::Conn;
use shared::run::SweptRun;
use shared::units;

use crate::load::staging;
use crate::load::{Ledger, flush, verify};
use crate::store::{RunSaved, StoreError};
use crate::target;

use super::state::RunState;
use super::{RunError, RunInput, Runs};

/// How long a run that can be resumed is waited for.
pub const KEEP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl Runs {
    /// Sweeps what ended runs have left; those that can be resumed are given up after `keep`.
    /// A target that cannot be reached is tried again the next time.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn sweep_runs(&self, keep: Duration) -> Result<Vec<SweptRun>, RunError> {
        self.recover_marks().await?;
        let mut swept = Vec::new();
        for run_id in self.inner.store.runs_left_behind().await? {
            let saved = self.saved(&run_id).await?;
            let waits = saved.view.resumable && age(&saved) < keep;
            if !saved.view.status.is_final() || waits {
                continue;
            }
            let (outcome, done) = match self.sweep_run(&saved).await {
                Ok(outcome) => (outcome, true),
                // Somebody has just resumed it.
                Err(RunError::Store(StoreError::Stale { .. })) => continue,
                Err(e) => {
                    tracing::warn!(run = %run_id, error = %e, "what it left stays for now");
                    (e.body().message, false)
                }
            };
            let (database, table) = (saved.view.database, saved.view.table);
            swept.push(SweptRun { run_id, database, table, done, outcome });
        }
        Ok(swept)
    }

    async fn sweep_run(&self, saved: &RunSaved) -> Result<String, RunError> {
        let view = &saved.view;
        let state: Option<RunState> =
            saved.state.clone().and_then(|s| serde_json::from_value(s).ok());
        let input = RunInput::from_saved(saved)?;
        let spec = input.target.clone().with_database(&input.database);
        let mut conn = target::connect(&spec).await?;
        self.inner.store.run_give_up(&view.run_id, view.status).await?;
        self.rebuild_indexes(saved).await?;
        let outcome = match &state {
            Some(state) => remove(&mut conn, &input, &view.run_id, state).await?,
            None => format!("Nothing was changed; {} is as it was.", input.table),
        };
        let _ = conn.disconnect().await;
        self.inner.store.run_swept(&view.run_id, &outcome).await?;
        Ok(outcome)
    }
}

/// Removes a run's own tables and files; what remains, in one sentence.
async fn remove(
    conn: &mut Conn,
    input: &RunInput,
    run_id: &str,
    state: &RunState,
) -> Result<String, RunError> {
    state.sweep_files(run_id);
    flush::restore(conn, &state.flush).await?;
    let (database, table) = (&input.database, &input.table);
    let ledger = Ledger::of_run(database, run_id);
    let landed = state.published || (state.loaded && state.landed(conn, database, &ledger).await?);
    let committed = verify::sum(ledger.committed(conn).await?.values()).rows_loaded
        + ledger.rows_of_parts(conn).await?;
    if state.aside() {
        staging::sweep(conn, database, table, run_id).await?;
    }
    if state.made_table && committed == 0 && !landed {
        let rows = match staging::exists(conn, database, table).await? {
            true => verify::count(conn, database, table).await?,
            false => 0,
        };
        if rows == 0 {
            staging::drop_made(conn, database, table).await?;
        }
    }
    ledger.drop(conn).await?;
    Ok(if landed {
        format!("All rows are in {table}.")
    } else if state.aside() || (state.transactional && committed == 0) {
        format!("Nothing is left behind; {table} is as it was.")
    } else if state.transactional {
        format!(
            "The run was given up: whole chunks with {} rows are in {table} and stay there.",
            units::count(committed)
        )
    } else {
        format!(
            "The engine has no transactions: rows that were written are in {table}, it is not \
             known how many."
        )
    })
}

fn age(saved: &RunSaved) -> Duration {
    let ended = saved.view.ended_at.as_deref().unwrap_or(&saved.view.created_at);
    let Ok(ended) = chrono::DateTime::parse_from_rfc3339(ended) else { return Duration::ZERO };
    (chrono::Utc::now() - ended.to_utc()).to_std().unwrap_or_default()
}
