//! Predicted against actual, and which runs estimates leave out.

use shared::capacity::{Dot, RunCheck};
use shared::estimate::Estimate;
use shared::plan::Choice;
use sqlx::Row;

use super::{Store, StoreError};

/// Runs that put every row in.
const ENDED_WELL: &str = "status IN ('succeeded', 'succeeded_with_rejects') AND trial_id IS NULL";

impl Store {
    /// The last runs that were foretold, newest first, with what they took.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_checks(&self, limit: u32) -> Result<Vec<RunCheck>, StoreError> {
        let sql = format!(
            "SELECT id, target_name, database_name, table_name, file_name, rows_read, estimate,
               elapsed_ms, left_out, created_at FROM runs
             WHERE {ENDED_WELL} AND estimate IS NOT NULL ORDER BY id DESC LIMIT ?"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(i64::from(limit))
            .fetch_all(&self.reader)
            .await?;
        let check = |row: &sqlx::sqlite::SqliteRow| -> Result<RunCheck, StoreError> {
            let estimate: Estimate = serde_json::from_str(row.try_get("estimate")?)?;
            let actual_ms = row.try_get::<i64, _>("elapsed_ms")?.unsigned_abs();
            let text = |column: &str| row.try_get::<String, _>(column);
            Ok(RunCheck {
                run_id: text("id")?,
                target: text("target_name")?,
                what: format!(
                    "{}.{} ← {}",
                    text("database_name")?,
                    text("table_name")?,
                    text("file_name")?
                ),
                rows: row.try_get::<i64, _>("rows_read")?.unsigned_abs(),
                error: actual_ms as f64 / estimate.expected_ms.max(1) as f64 - 1.0,
                held: (estimate.low_ms..=estimate.high_ms).contains(&actual_ms),
                estimate,
                actual_ms,
                left_out: row.try_get("left_out")?,
                created_at: text("created_at")?,
            })
        };
        rows.iter().map(check).collect()
    }

    /// Past runs on a target for a chart: how each was done, and its rows and time.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_dots(
        &self,
        target: &str,
        limit: u32,
    ) -> Result<Vec<(Choice, Dot)>, StoreError> {
        let sql = format!(
            "SELECT id, choice, rows_read, elapsed_ms, database_name, table_name FROM runs
             WHERE {ENDED_WELL} AND target_name = ? AND left_out = 0 ORDER BY id DESC LIMIT ?"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(target)
            .bind(i64::from(limit))
            .fetch_all(&self.reader)
            .await?;
        let dot = |row: &sqlx::sqlite::SqliteRow| -> Result<(Choice, Dot), StoreError> {
            let choice: Choice = serde_json::from_str(row.try_get("choice")?)?;
            let table: String = row.try_get("table_name")?;
            let dot = Dot {
                run_id: row.try_get("id")?,
                rows: row.try_get::<i64, _>("rows_read")?.unsigned_abs(),
                ms: row.try_get::<i64, _>("elapsed_ms")?.unsigned_abs(),
                title: format!("{table}, {} × {}", choice.strategy.as_str(), choice.workers),
            };
            Ok((choice, dot))
        };
        rows.iter().map(dot).collect()
    }

    /// Takes a run out of the estimates, or back in; whether there is such a run.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_leave_out(&self, id: &str, left_out: bool) -> Result<bool, StoreError> {
        let done = sqlx::query("UPDATE runs SET left_out = ? WHERE id = ?")
            .bind(left_out)
            .bind(id)
            .execute(&self.writer)
            .await?;
        Ok(done.rows_affected() > 0)
    }
}
