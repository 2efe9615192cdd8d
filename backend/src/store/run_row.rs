//! A run's row and its steps, read back.

use secrecy::SecretString;
use serde::de::DeserializeOwned;
use shared::run::{CurvePoint, RunStep, RunView, StepView};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::runs::RunSaved;
use super::{Store, StoreError, status};

/// Columns that a page of the history needs; the rest is only read for one run.
pub(super) const VIEW_COLUMNS: &str = "id, who, status, step, file_name, file_bytes, source_id, \
     target_name, target_id, server, database_name, table_name, choice, options, \
     '[]' AS prechecks, '[]' AS reasons, estimate, error, outcome, '[]' AS sql_sent, rows_read, rows_loaded, rows_rejected, \
     rows_skipped, bytes_read, retries, rows_per_sec, elapsed_ms, resumable, created_at, \
     started_at, ended_at";

fn json<T: DeserializeOwned>(row: &SqliteRow, column: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(row.try_get::<&str, _>(column)?)?)
}

fn json_opt<T: DeserializeOwned>(row: &SqliteRow, column: &str) -> Result<Option<T>, StoreError> {
    let text = row.try_get::<Option<&str>, _>(column)?;
    Ok(text.map(serde_json::from_str).transpose()?)
}

fn count(row: &SqliteRow, column: &str) -> Result<u64, StoreError> {
    Ok(row.try_get::<i64, _>(column)?.unsigned_abs())
}

pub(super) fn step_name(text: &str) -> Option<RunStep> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).ok()
}

pub(super) fn view(row: &SqliteRow) -> Result<RunView, StoreError> {
    Ok(RunView {
        run_id: row.try_get("id")?,
        who: row.try_get("who")?,
        status: status(row.try_get("status")?),
        step: row.try_get::<Option<&str>, _>("step")?.and_then(step_name),
        file: row.try_get("file_name")?,
        file_bytes: count(row, "file_bytes")?,
        source_id: row.try_get("source_id")?,
        target: row.try_get("target_name")?,
        target_id: row.try_get("target_id")?,
        server: row.try_get("server")?,
        database: row.try_get("database_name")?,
        table: row.try_get("table_name")?,
        choice: json(row, "choice")?,
        options: json(row, "options")?,
        prechecks: json(row, "prechecks")?,
        reasons: json(row, "reasons")?,
        rows_read: count(row, "rows_read")?,
        rows_loaded: count(row, "rows_loaded")?,
        rows_rejected: count(row, "rows_rejected")?,
        rows_skipped: count(row, "rows_skipped")?,
        bytes_read: count(row, "bytes_read")?,
        retries: count(row, "retries")?,
        rows_per_sec: row.try_get("rows_per_sec")?,
        estimate: json_opt(row, "estimate")?,
        steps: Vec::new(),
        error: json_opt(row, "error")?,
        outcome: row.try_get("outcome")?,
        sql: json(row, "sql_sent")?,
        resumable: row.try_get("resumable")?,
        created_at: row.try_get("created_at")?,
        started_at: row.try_get("started_at")?,
        ended_at: row.try_get("ended_at")?,
        elapsed_ms: count(row, "elapsed_ms")?,
        curve: Vec::new(),
    })
}

pub(super) fn curve(row: &SqliteRow) -> Result<Vec<CurvePoint>, StoreError> {
    Ok(json_opt(row, "curve")?.unwrap_or_default())
}

pub(super) fn step(row: &SqliteRow) -> Result<Option<StepView>, StoreError> {
    let Some(step) = step_name(row.try_get("step")?) else { return Ok(None) };
    Ok(Some(StepView {
        step,
        ms: count(row, "ms")?,
        rows: count(row, "rows")?,
        bytes: count(row, "bytes")?,
        done: row.try_get("done")?,
    }))
}

impl Store {
    pub(super) fn run_saved(&self, row: &SqliteRow) -> Result<RunSaved, StoreError> {
        let view = view(row)?;
        let password: Option<SecretString> = row
            .try_get::<Option<Vec<u8>>, _>("secret")?
            .map(|sealed| self.keeper.open_sealed(&view.run_id, &sealed))
            .transpose()?;
        Ok(RunSaved {
            view,
            input: json(row, "input")?,
            password,
            facts: json_opt(row, "facts")?,
            columns: json(row, "columns")?,
            file_fingerprint: row.try_get("file_fingerprint")?,
            table_fingerprint: row.try_get("table_fingerprint")?,
            options_fingerprint: row.try_get("options_fingerprint")?,
            owner_id: row.try_get("owner_id")?,
            heartbeat_ms: count(row, "heartbeat_ms")?,
            cancel_requested: row.try_get("cancel_requested")?,
            state: json_opt(row, "state")?,
        })
    }
}
