//! Putting back what a run changed that did not end well, and saying what remains.

use mysql_async::Conn;
use shared::error::{ErrorBody, ErrorCode};
use shared::units;

use crate::load::staging::{self, Way};
use crate::load::{Ledger, verify};
use crate::target;

use super::RunError;
use super::job::Job;
use super::state::RunState;

/// What remains.
#[derive(Debug)]
pub struct Left {
    /// In one sentence.
    pub sentence: String,
    /// Whether the run can go on later.
    pub resumable: bool,
    /// Whether no row of the run is in the table.
    pub nothing: bool,
    /// Whether something of the run's own may still be on the target.
    pub behind: bool,
}

impl Left {
    fn nothing(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), resumable: false, nothing: true, behind: false }
    }
}

/// Removes the tables that a run made aside.
///
/// # Errors
/// The server refuses or the connection breaks.
pub(super) async fn sweep(job: &Job, conn: &mut Conn, state: &RunState) -> Result<(), RunError> {
    let database = &job.input.database;
    if state.aside() {
        staging::sweep(conn, database, &job.input.table, &job.run_id).await?;
    }
    Ok(Ledger::of_run(database, &job.run_id).drop(conn).await?)
}

/// Puts back what can be put back.
pub(super) async fn undo(job: &Job, error: &ErrorBody) -> Left {
    let state = job.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let table = &job.input.table;
    let Some(state) = state else {
        return Left::nothing(format!("Nothing was changed; {table} is as it was."));
    };
    if state.published {
        return all_in(table);
    }
    state.sweep_files(&job.run_id);
    let spec = job.input.target.clone().with_database(&job.input.database);
    let Ok(mut conn) = target::connect(&spec).await else { return out_of_reach(job, &state) };
    let mut state = state;
    if let Err(e) = job.put_back(&mut conn, &mut state).await {
        tracing::warn!(run = %job.run_id, error = %e, "a setting of the server could not be put back");
        return out_of_reach(job, &state);
    }
    let ledger = Ledger::of_run(&job.input.database, &job.run_id);
    if state.loaded && state.landed(&mut conn, &job.input.database, &ledger).await.unwrap_or(false)
    {
        let _ = job.save(&RunState { published: true, ..state }).await;
        return all_in(table);
    }
    let lost = matches!(error.code, ErrorCode::ConnectionLost | ErrorCode::CannotConnect);
    if state.aside() && lost && state.resumable() {
        return Left {
            sentence: format!(
                "{table} is as it was. The chunks that were written wait in {}; resume goes on with them.",
                state.physical
            ),
            resumable: true,
            nothing: false,
            behind: true,
        };
    }
    let undone = if state.aside() {
        sweep(job, &mut conn, &state)
            .await
            .map(|()| Left::nothing(format!("Nothing is left behind; {table} is as it was.")))
    } else {
        direct(job, &mut conn, &state).await
    };
    let _ = conn.disconnect().await;
    undone.unwrap_or_else(|e| {
        tracing::warn!(run = %job.run_id, error = %e, "not all could be put back");
        out_of_reach(job, &state)
    })
}

/// Rows that were written into the table itself.
async fn direct(job: &Job, conn: &mut Conn, state: &RunState) -> Result<Left, RunError> {
    let (database, table) = (&job.input.database, &job.input.table);
    if let Some(dropped) = &state.dropped {
        dropped.rebuild(conn).await?;
        job.inner.store.journal_clear(&job.run_id).await?;
        job.save(&RunState { dropped: None, ..state.clone() }).await?;
    }
    let ledger = Ledger::of_run(database, &job.run_id);
    if !state.transactional {
        let now = verify::count(conn, database, &state.physical).await?;
        ledger.drop(conn).await?;
        let written = now.saturating_sub(state.rows_before);
        if written == 0 {
            return Ok(Left::nothing(format!("No row was written; {table} is as it was.")));
        }
        return Ok(Left {
            sentence: format!(
                "The engine has no transactions: {} rows were written to {table} and stay there.",
                units::count(written)
            ),
            resumable: false,
            nothing: false,
            behind: false,
        });
    }
    let committed = ledger.committed(conn).await?;
    let rows = verify::sum(committed.values()).rows_loaded + ledger.rows_of_parts(conn).await?;
    if rows == 0 {
        ledger.drop(conn).await?;
        if state.made_table {
            staging::drop_made(conn, database, table).await?;
        }
        return Ok(Left::nothing(format!("No row was written; {table} is as it was.")));
    }
    Ok(Left {
        sentence: format!(
            "{} whole chunks with {} rows are in {table} and stay there; resume goes on after them.",
            units::count(committed.len() as u64),
            units::count(rows)
        ),
        resumable: state.resumable(),
        nothing: false,
        behind: true,
    })
}

fn all_in(table: &str) -> Left {
    Left {
        sentence: format!("All rows are in {table}; resume ends the run."),
        resumable: true,
        nothing: false,
        behind: true,
    }
}

fn out_of_reach(job: &Job, state: &RunState) -> Left {
    let table = &job.input.table;
    let sentence = match state.way {
        Way::Direct => format!(
            "The server could not be reached to look: whole chunks may be in {table}; its ledger knows which."
        ),
        Way::Swap | Way::Move if state.loaded => format!(
            "{table} has either all or none of the rows: the server could not be reached to look. Resume ends the run."
        ),
        Way::Swap | Way::Move => format!(
            "{table} is as it was. The server could not be reached to remove {}.",
            state.physical
        ),
    };
    Left { sentence, resumable: state.resumable(), nothing: false, behind: true }
}
