//! Runs: made, claimed, measured, ended. Every change of status is a compare-and-set.

use secrecy::SecretString;
use serde_json::Value;
use shared::error::ErrorBody;
use shared::estimate::Estimate;
use shared::plan::{Choice, Precheck};
use shared::run::{CurvePoint, RunStatus, RunStep, RunView, StepView};

use super::{Store, StoreError, now, run_row};

/// A run to be recorded.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The run; its status must be queued.
    pub view: RunView,
    /// What is needed to run it again, without a password.
    pub input: Value,
    /// The target's password, to be sealed.
    pub password: Option<SecretString>,
    /// Fingerprint of what was asked.
    pub options_fingerprint: String,
    /// The trial that it is a load of.
    pub trial_id: Option<String>,
}

/// A run as it is recorded.
#[derive(Debug, Clone)]
pub struct RunSaved {
    /// The run as people see it.
    pub view: RunView,
    /// What is needed to run it again.
    pub input: Value,
    /// The target's password.
    pub password: Option<SecretString>,
    /// What the estimate learns from.
    pub facts: Option<Value>,
    /// Columns of the table that were filled.
    pub columns: Vec<String>,
    /// Of the file.
    pub file_fingerprint: String,
    /// Of the table's definition.
    pub table_fingerprint: String,
    /// Of what was asked.
    pub options_fingerprint: String,
    /// The process that runs it.
    pub owner_id: Option<String>,
    /// When that process last said so, in milliseconds since 1970.
    pub heartbeat_ms: u64,
    /// Whether someone asked for it to be cancelled.
    pub cancel_requested: bool,
    /// What a resume has to know.
    pub state: Option<Value>,
}

/// What planning settled.
#[derive(Debug, Clone)]
pub struct RunPlanned {
    /// Flavour and version of the server.
    pub server: String,
    /// The choices.
    pub choice: Choice,
    /// Findings.
    pub prechecks: Vec<Precheck>,
    /// Reasons.
    pub reasons: Vec<String>,
    /// What is foretold.
    pub estimate: Option<Estimate>,
    /// What the estimate learns from.
    pub facts: Value,
    /// SQL that is sent, rows left out.
    pub sql: Vec<String>,
    /// Columns of the table that are filled.
    pub columns: Vec<String>,
    /// Of the file.
    pub file_fingerprint: String,
    /// Of the table's definition.
    pub table_fingerprint: String,
}

/// How far a run has come.
#[derive(Debug, Clone, Default)]
pub struct RunTick {
    /// The step it is in.
    pub step: Option<RunStep>,
    /// Steps so far.
    pub steps: Vec<StepView>,
    /// Records read.
    pub rows_read: u64,
    /// Rows written.
    pub rows_loaded: u64,
    /// Records put aside.
    pub rows_rejected: u64,
    /// Records passed over.
    pub rows_skipped: u64,
    /// Bytes of the file read.
    pub bytes_read: u64,
    /// Chunks sent again.
    pub retries: u64,
    /// How long it has taken.
    pub elapsed_ms: u64,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct RunEnd {
    /// Its last status.
    pub status: RunStatus,
    /// Its last measurements.
    pub tick: RunTick,
    /// What stopped it.
    pub error: Option<ErrorBody>,
    /// What remains, in one sentence.
    pub outcome: Option<String>,
    /// Whether it can be resumed.
    pub resumable: bool,
    /// How far it was at some moments.
    pub curve: Vec<CurvePoint>,
    /// Whether something of the run's own may still be on the target.
    pub left_behind: bool,
}

impl Store {
    /// Records a run.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_insert(&self, run: &NewRun) -> Result<(), StoreError> {
        let v = &run.view;
        let secret = match &run.password {
            Some(p) => Some(self.keeper.seal(&v.run_id, p)?),
            None => None,
        };
        sqlx::query(
            "INSERT INTO runs (id, who, status, file_name, file_bytes, source_id, target_name,
               target_id, server, database_name, table_name, engine, strategy, workers, choice,
               options, input, secret, prechecks, reasons, sql_sent, columns, rows_read,
               rows_loaded, rows_rejected, rows_skipped, bytes_read, retries, elapsed_ms,
               file_fingerprint, table_fingerprint, options_fingerprint, resumable, heartbeat_ms,
               cancel_requested, created_at, trial_id)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', '[]', '[]', '[]',
               0, 0, 0, 0, 0, 0, 0, '', '', ?, 0, 0, 0, ?, ?)",
        )
        .bind(&v.run_id)
        .bind(&v.who)
        .bind(RunStatus::Queued.as_str())
        .bind(&v.file)
        .bind(v.file_bytes.cast_signed())
        .bind(&v.source_id)
        .bind(&v.target)
        .bind(&v.target_id)
        .bind(&v.server)
        .bind(&v.database)
        .bind(&v.table)
        .bind(&v.choice.engine)
        .bind(v.choice.strategy.as_str())
        .bind(i64::from(v.choice.workers))
        .bind(serde_json::to_string(&v.choice)?)
        .bind(serde_json::to_string(&v.options)?)
        .bind(run.input.to_string())
        .bind(secret)
        .bind(&run.options_fingerprint)
        .bind(&v.created_at)
        .bind(&run.trial_id)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// One run, with its steps.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run(&self, id: &str) -> Result<Option<RunSaved>, StoreError> {
        let row = sqlx::query("SELECT * FROM runs WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.reader)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let mut saved = self.run_saved(&row)?;
        saved.view.curve = run_row::curve(&row)?;
        let steps = sqlx::query("SELECT * FROM run_steps WHERE run_id = ? ORDER BY ordinal")
            .bind(id)
            .fetch_all(&self.reader)
            .await?;
        for row in &steps {
            saved.view.steps.extend(run_row::step(row)?);
        }
        Ok(Some(saved))
    }

    /// Moves a run from one status to another, if it still is in the first.
    ///
    /// # Errors
    /// [`StoreError::Illegal`], [`StoreError::Stale`], or if the control database refuses.
    pub async fn run_transition(
        &self,
        id: &str,
        from: RunStatus,
        to: RunStatus,
    ) -> Result<(), StoreError> {
        legal(from, to)?;
        let done = sqlx::query("UPDATE runs SET status = ? WHERE id = ? AND status = ?")
            .bind(to.as_str())
            .bind(id)
            .bind(from.as_str())
            .execute(&self.writer)
            .await?;
        changed(id, from, done.rows_affected())
    }

    /// Takes a run for this process and sets it running.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if someone else took it, or if the control database refuses.
    pub async fn run_claim(
        &self,
        id: &str,
        from: RunStatus,
        owner_id: &str,
    ) -> Result<(), StoreError> {
        legal(from, RunStatus::Running)?;
        let done = sqlx::query(
            "UPDATE runs SET status = 'running', owner_id = ?, heartbeat_ms = ?, started_at = ?,
               ended_at = NULL, error = NULL, outcome = NULL, resumable = 0, cancel_requested = 0
             WHERE id = ? AND status = ?",
        )
        .bind(owner_id)
        .bind(unix_ms())
        .bind(now())
        .bind(id)
        .bind(from.as_str())
        .execute(&self.writer)
        .await?;
        changed(id, from, done.rows_affected())
    }

    /// Records what planning settled.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_planned(&self, id: &str, p: &RunPlanned) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE runs SET server = ?, engine = ?, strategy = ?, workers = ?, choice = ?,
               prechecks = ?, reasons = ?, estimate = ?, facts = ?, sql_sent = ?, columns = ?,
               file_fingerprint = ?, table_fingerprint = ? WHERE id = ?",
        )
        .bind(&p.server)
        .bind(&p.choice.engine)
        .bind(p.choice.strategy.as_str())
        .bind(i64::from(p.choice.workers))
        .bind(serde_json::to_string(&p.choice)?)
        .bind(serde_json::to_string(&p.prechecks)?)
        .bind(serde_json::to_string(&p.reasons)?)
        .bind(p.estimate.as_ref().map(serde_json::to_string).transpose()?)
        .bind(p.facts.to_string())
        .bind(serde_json::to_string(&p.sql)?)
        .bind(serde_json::to_string(&p.columns)?)
        .bind(&p.file_fingerprint)
        .bind(&p.table_fingerprint)
        .bind(id)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// Records what a resume has to know; to be called before the server is changed by it.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_state(&self, id: &str, state: &Value) -> Result<(), StoreError> {
        sqlx::query("UPDATE runs SET state = ? WHERE id = ?")
            .bind(state.to_string())
            .bind(id)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    /// Records how far a run has come and that its owner lives; whether a cancel was asked for.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_tick(&self, id: &str, tick: &RunTick) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        write_tick(&mut tx, id, tick).await?;
        let cancel = sqlx::query_scalar("SELECT cancel_requested FROM runs WHERE id = ?")
            .bind(id)
            .fetch_one(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(cancel)
    }

    /// Ends a run.
    ///
    /// # Errors
    /// [`StoreError::Illegal`], [`StoreError::Stale`], or if the control database refuses.
    pub async fn run_end(&self, id: &str, from: RunStatus, end: &RunEnd) -> Result<(), StoreError> {
        legal(from, end.status)?;
        let secs = end.tick.elapsed_ms as f64 / 1000.0;
        let ok = matches!(end.status, RunStatus::Succeeded | RunStatus::SucceededWithRejects);
        let rate = (ok && secs > 0.0).then(|| end.tick.rows_loaded as f64 / secs);
        let mut tx = self.begin().await?;
        write_tick(&mut tx, id, &end.tick).await?;
        let done = sqlx::query(
            "UPDATE runs SET status = ?, step = NULL, error = ?, outcome = ?, resumable = ?,
               rows_per_sec = ?, ended_at = ?, curve = ?, owner_id = NULL,
               secret = CASE WHEN ? THEN secret ELSE NULL END, left_behind = ?
             WHERE id = ? AND status = ?",
        )
        .bind(end.status.as_str())
        .bind(end.error.as_ref().map(serde_json::to_string).transpose()?)
        .bind(&end.outcome)
        .bind(end.resumable)
        .bind(rate)
        .bind(now())
        .bind(serde_json::to_string(&end.curve)?)
        .bind(end.resumable || end.left_behind)
        .bind(end.left_behind)
        .bind(id)
        .bind(from.as_str())
        .execute(&mut *tx)
        .await?;
        changed(id, from, done.rows_affected())?;
        tx.commit().await?;
        Ok(())
    }

    /// Asks whoever runs it to cancel a run; whether it was under way.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_request_cancel(&self, id: &str) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "UPDATE runs SET cancel_requested = 1
             WHERE id = ? AND status IN ('queued', 'running', 'reverting')",
        )
        .bind(id)
        .execute(&self.writer)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Runs that have not ended, oldest first.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn runs_unfinished(&self) -> Result<Vec<RunSaved>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM runs WHERE status IN ('queued', 'running', 'reverting') ORDER BY id",
        )
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|row| self.run_saved(row)).collect()
    }
}

async fn write_tick(
    tx: &mut sqlx::Transaction<'_, sqlx::Sqlite>,
    id: &str,
    tick: &RunTick,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE runs SET step = ?, rows_read = ?, rows_loaded = ?, rows_rejected = ?,
           rows_skipped = ?, bytes_read = ?, retries = ?, elapsed_ms = ?, heartbeat_ms = ?
         WHERE id = ?",
    )
    .bind(tick.step.map(RunStep::as_str))
    .bind(tick.rows_read.cast_signed())
    .bind(tick.rows_loaded.cast_signed())
    .bind(tick.rows_rejected.cast_signed())
    .bind(tick.rows_skipped.cast_signed())
    .bind(tick.bytes_read.cast_signed())
    .bind(tick.retries.cast_signed())
    .bind(tick.elapsed_ms.cast_signed())
    .bind(unix_ms())
    .bind(id)
    .execute(&mut **tx)
    .await?;
    sqlx::query("DELETE FROM run_steps WHERE run_id = ?").bind(id).execute(&mut **tx).await?;
    for (i, s) in tick.steps.iter().enumerate() {
        sqlx::query(
            "INSERT INTO run_steps (run_id, ordinal, step, ms, rows, bytes, done)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(id)
        .bind(i as i64)
        .bind(s.step.as_str())
        .bind(s.ms.cast_signed())
        .bind(s.rows.cast_signed())
        .bind(s.bytes.cast_signed())
        .bind(s.done)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

fn unix_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

fn legal(from: RunStatus, to: RunStatus) -> Result<(), StoreError> {
    if from.may_become(to) {
        Ok(())
    } else {
        Err(StoreError::Illegal { from: from.as_str(), to: to.as_str() })
    }
}

pub(super) fn changed(id: &str, from: RunStatus, rows: u64) -> Result<(), StoreError> {
    if rows == 1 {
        Ok(())
    } else {
        Err(StoreError::Stale { id: id.to_owned(), expected: from.as_str() })
    }
}
