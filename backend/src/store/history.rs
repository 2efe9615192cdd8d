//! The history: filtered pages, newest first, and what the estimate learns from.

use std::collections::HashMap;

use serde_json::Value;
use shared::api::{RunPage, RunQuery};
use shared::plan::Choice;
use shared::run::StepView;
use sqlx::{QueryBuilder, Row, Sqlite};

use super::{Store, StoreError, run_row};

/// Runs to a page where the caller does not say.
const PAGE_RUNS: u32 = 50;
/// The most runs to a page.
const PAGE_RUNS_MAX: u32 = 500;

/// A past run as the estimate sees it.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The run.
    pub run_id: String,
    /// The target's name.
    pub target: String,
    /// Whether it was a load of a trial.
    pub trial: bool,
    /// The choices.
    pub choice: Choice,
    /// Rows that went in.
    pub rows: u64,
    /// Bytes of the file read.
    pub bytes: u64,
    /// Facts of file, table and server at that time.
    pub facts: Value,
    /// Steps, measured.
    pub steps: Vec<StepView>,
}

fn filter(sql: &mut QueryBuilder<Sqlite>, q: &RunQuery) {
    // The loads of a trial have a page of their own.
    sql.push(" WHERE trial_id IS NULL");
    let equal = [
        ("status", &q.status),
        ("target_name", &q.target),
        ("who", &q.who),
        ("engine", &q.engine),
        ("strategy", &q.strategy),
    ];
    for (column, value) in equal {
        if let Some(value) = value.as_deref().filter(|v| !v.is_empty()) {
            sql.push(" AND ").push(column).push(" = ").push_bind(value.to_owned());
        }
    }
    if let Some(text) = q.text.as_deref().map(str::trim).filter(|t| !t.is_empty()) {
        let escaped = text.replace('!', "!!").replace('%', "!%").replace('_', "!_");
        let pattern = format!("%{}%", escaped.to_lowercase());
        sql.push(" AND LOWER(file_name || ' ' || database_name || '.' || table_name) LIKE ")
            .push_bind(pattern)
            .push(" ESCAPE '!'");
    }
}

impl Store {
    /// A page of the history.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn runs(&self, query: &RunQuery) -> Result<RunPage, StoreError> {
        let mut sql = QueryBuilder::new("SELECT COUNT(*) FROM runs");
        filter(&mut sql, query);
        let total: i64 = sql.build_query_scalar().fetch_one(&self.reader).await?;

        let mut sql = QueryBuilder::new("SELECT ");
        sql.push(run_row::VIEW_COLUMNS).push(" FROM runs");
        filter(&mut sql, query);
        let limit = query.limit.unwrap_or(PAGE_RUNS).min(PAGE_RUNS_MAX);
        sql.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(limit));
        sql.push(" OFFSET ").push_bind(query.offset.unwrap_or(0).cast_signed());
        let rows = sql.build().fetch_all(&self.reader).await?;
        let mut runs = rows.iter().map(run_row::view).collect::<Result<Vec<_>, _>>()?;

        let ids: Vec<String> = runs.iter().map(|r| r.run_id.clone()).collect();
        for (id, step) in self.steps_of(&ids).await? {
            if let Some(run) = runs.iter_mut().find(|r| r.run_id == id) {
                run.steps.push(step);
            }
        }
        Ok(RunPage { runs, total: total.unsigned_abs() })
    }

    async fn steps_of(&self, ids: &[String]) -> Result<Vec<(String, StepView)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql = QueryBuilder::<Sqlite>::new("SELECT * FROM run_steps WHERE run_id IN (");
        let mut list = sql.separated(", ");
        for id in ids {
            list.push_bind(id.clone());
        }
        sql.push(") ORDER BY run_id, ordinal");
        let rows = sql.build().fetch_all(&self.reader).await?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            if let Some(step) = run_row::step(row)? {
                found.push((row.try_get("run_id")?, step));
            }
        }
        Ok(found)
    }

    /// The last loads that put every row in, newest first: those of one target, and as many of all
    /// others. What estimates rest on.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn observations(
        &self,
        target: &str,
        limit: u32,
    ) -> Result<Vec<Observation>, StoreError> {
        let of = |which: &str| {
            format!(
                "SELECT id, target_name, trial_id, choice, rows_read, bytes_read, facts FROM runs
                 WHERE target_name {which} ? AND status IN ('succeeded', 'succeeded_with_rejects')
                   AND facts IS NOT NULL AND left_out = 0
                 ORDER BY id DESC LIMIT ?"
            )
        };
        let mut rows = Vec::new();
        for which in ["=", "<>"] {
            let sql = sqlx::AssertSqlSafe(of(which));
            let some = sqlx::query(sql).bind(target).bind(i64::from(limit));
            rows.extend(some.fetch_all(&self.reader).await?);
        }
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            found.push(Observation {
                run_id: row.try_get("id")?,
                target: row.try_get("target_name")?,
                trial: row.try_get::<Option<String>, _>("trial_id")?.is_some(),
                choice: serde_json::from_str(row.try_get("choice")?)?,
                rows: row.try_get::<i64, _>("rows_read")?.unsigned_abs(),
                bytes: row.try_get::<i64, _>("bytes_read")?.unsigned_abs(),
                facts: serde_json::from_str(row.try_get("facts")?)?,
                steps: Vec::new(),
            });
        }
        let ids: Vec<String> = found.iter().map(|o| o.run_id.clone()).collect();
        let place: HashMap<String, usize> =
            found.iter().enumerate().map(|(i, o)| (o.run_id.clone(), i)).collect();
        for (id, step) in self.steps_of(&ids).await? {
            if let Some(o) = place.get(&id).and_then(|i| found.get_mut(*i)) {
                o.steps.push(step);
            }
        }
        Ok(found)
    }
}
