//! Trials and what they measured.

use secrecy::SecretString;
use serde_json::Value;
use shared::error::ErrorBody;
use shared::trial::{TrialKind, TrialResult, TrialStatus, TrialView};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Store, StoreError};

/// Trials that a page shows.
const PAGE_TRIALS: u32 = 50;

/// A trial as it is recorded.
#[derive(Debug, Clone)]
pub struct TrialSaved {
    /// The trial as people see it.
    pub view: TrialView,
    /// What finds its scratch tables again.
    pub input: Value,
    /// The target's password.
    pub password: Option<SecretString>,
    /// The process that runs it.
    pub owner_id: Option<String>,
}

fn view(row: &SqliteRow) -> Result<TrialView, StoreError> {
    let (results, words): (Vec<TrialResult>, Vec<String>) =
        serde_json::from_str(row.try_get("results")?)?;
    let error: Option<&str> = row.try_get("error")?;
    let error: Option<ErrorBody> = error.map(serde_json::from_str).transpose()?;
    let named = |column: &str| -> Result<Value, StoreError> {
        Ok(Value::String(row.try_get::<String, _>(column)?))
    };
    Ok(TrialView {
        id: row.try_get("id")?,
        kind: serde_json::from_value::<TrialKind>(named("kind")?)?,
        status: serde_json::from_value::<TrialStatus>(named("status")?)?,
        who: row.try_get("who")?,
        target: row.try_get("target_name")?,
        server: row.try_get("server")?,
        database: row.try_get("database_name")?,
        what: row.try_get("what")?,
        results,
        words,
        error,
        elapsed_ms: row.try_get::<i64, _>("elapsed_ms")?.unsigned_abs(),
        created_at: row.try_get("created_at")?,
    })
}

impl Store {
    /// Records a trial that this process begins.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn trial_insert(
        &self,
        trial: &TrialSaved,
        target_id: Option<&str>,
    ) -> Result<(), StoreError> {
        let v = &trial.view;
        let secret = match &trial.password {
            Some(p) => Some(self.keeper.seal(&v.id, p)?),
            None => None,
        };
        sqlx::query(
            "INSERT INTO trials (id, who, kind, status, target_name, target_id, server,
               database_name, what, results, input, secret, owner_id, elapsed_ms, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[[],[]]', ?, ?, ?, 0, ?)",
        )
        .bind(&v.id)
        .bind(&v.who)
        .bind(v.kind.as_str())
        .bind(v.status.as_str())
        .bind(&v.target)
        .bind(target_id)
        .bind(&v.server)
        .bind(&v.database)
        .bind(&v.what)
        .bind(trial.input.to_string())
        .bind(secret)
        .bind(&trial.owner_id)
        .bind(&v.created_at)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// Records how far a trial has come, if it is still under way.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn trial_update(&self, v: &TrialView) -> Result<(), StoreError> {
        let over = v.status != TrialStatus::Running;
        sqlx::query(
            "UPDATE trials SET status = ?, server = ?, results = ?, error = ?, elapsed_ms = ?,
               owner_id = CASE WHEN ? THEN NULL ELSE owner_id END,
               secret = CASE WHEN ? THEN NULL ELSE secret END
             WHERE id = ? AND status = 'running'",
        )
        .bind(v.status.as_str())
        .bind(&v.server)
        .bind(serde_json::to_string(&(&v.results, &v.words))?)
        .bind(v.error.as_ref().map(serde_json::to_string).transpose()?)
        .bind(v.elapsed_ms.cast_signed())
        .bind(over)
        .bind(over)
        .bind(&v.id)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// One trial.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn trial(&self, id: &str) -> Result<Option<TrialView>, StoreError> {
        let row = sqlx::query("SELECT * FROM trials WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.reader)
            .await?;
        row.as_ref().map(view).transpose()
    }

    /// The newest trials, newest first, of one target where it is named.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn trials(&self, target: Option<&str>) -> Result<Vec<TrialView>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM trials WHERE ? IS NULL OR target_name = ? ORDER BY id DESC LIMIT ?",
        )
        .bind(target)
        .bind(target)
        .bind(i64::from(PAGE_TRIALS))
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(view).collect()
    }

    /// The loads of a trial, by their identities as runs.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn runs_of_trial(&self, id: &str) -> Result<Vec<String>, StoreError> {
        let ids = sqlx::query_scalar("SELECT id FROM runs WHERE trial_id = ? ORDER BY id");
        Ok(ids.bind(id).fetch_all(&self.reader).await?)
    }

    /// Trials that have not ended, by this process or another.
    ///
    /// # Errors
    /// If the control database refuses, or a password cannot be opened.
    pub async fn trials_unfinished(&self) -> Result<Vec<TrialSaved>, StoreError> {
        let rows = sqlx::query("SELECT * FROM trials WHERE status = 'running' ORDER BY id")
            .fetch_all(&self.reader)
            .await?;
        let saved = rows.iter().map(|row| {
            let view = view(row)?;
            let sealed: Option<Vec<u8>> = row.try_get("secret")?;
            let password = sealed.map(|s| self.keeper.open_sealed(&view.id, &s)).transpose()?;
            Ok(TrialSaved {
                input: serde_json::from_str(row.try_get("input")?)?,
                password,
                owner_id: row.try_get("owner_id")?,
                view,
            })
        });
        saved.collect()
    }
}
