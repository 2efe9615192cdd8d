//! The journal of dropped indexes: written before an index goes, read by start-up recovery.

use sqlx::Row;

use super::{Store, StoreError};

/// An index that a run dropped and that has not been built again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedIndex {
    /// The run.
    pub run_id: String,
    /// The database of the table.
    pub database: String,
    /// The table as it is named on the server (a staging table's own name).
    pub table: String,
    /// What dropped it.
    pub drop_sql: String,
    /// What builds it again.
    pub rebuild_sql: String,
    /// The same in the form that recovery works with.
    pub plan: String,
}

impl Store {
    /// Records index DDL, all of it or none, before any of it is run.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn journal_write(&self, dropped: &[DroppedIndex]) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        for (i, d) in dropped.iter().enumerate() {
            sqlx::query(
                "INSERT INTO run_dropped_indexes
                   (run_id, ordinal, database_name, table_name, drop_sql, rebuild_sql, plan, rebuilt)
                 VALUES (?, ?, ?, ?, ?, ?, ?, 0)
                 ON CONFLICT (run_id, ordinal) DO UPDATE SET drop_sql = excluded.drop_sql,
                   rebuild_sql = excluded.rebuild_sql, plan = excluded.plan, rebuilt = 0",
            )
            .bind(&d.run_id)
            .bind(i as i64)
            .bind(&d.database)
            .bind(&d.table)
            .bind(&d.drop_sql)
            .bind(&d.rebuild_sql)
            .bind(&d.plan)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Records that all indexes of a run are back.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn journal_clear(&self, run_id: &str) -> Result<(), StoreError> {
        sqlx::query("UPDATE run_dropped_indexes SET rebuilt = 1 WHERE run_id = ?")
            .bind(run_id)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    /// What a run dropped and has not built again, in the order in which it was dropped.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn journal(&self, run_id: &str) -> Result<Vec<DroppedIndex>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM run_dropped_indexes WHERE run_id = ? AND rebuilt = 0 ORDER BY ordinal",
        )
        .bind(run_id)
        .fetch_all(&self.reader)
        .await?;
        let each = rows.iter().map(|row| {
            Ok(DroppedIndex {
                run_id: row.try_get("run_id")?,
                database: row.try_get("database_name")?,
                table: row.try_get("table_name")?,
                drop_sql: row.try_get("drop_sql")?,
                rebuild_sql: row.try_get("rebuild_sql")?,
                plan: row.try_get("plan")?,
            })
        });
        each.collect()
    }

    /// Runs that have dropped indexes which are not back.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn journal_open_runs(&self) -> Result<Vec<String>, StoreError> {
        Ok(sqlx::query_scalar(
            "SELECT DISTINCT run_id FROM run_dropped_indexes WHERE rebuilt = 0 ORDER BY run_id",
        )
        .fetch_all(&self.reader)
        .await?)
    }
}
