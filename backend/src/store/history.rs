//! The history: filtered and sorted pages, the trend, and what the estimate learns from.

use std::collections::HashMap;

use serde_json::Value;
use shared::api::{RunFacets, RunPage, RunQuery, RunSort};
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
        ("database_name", &q.database),
        ("table_name", &q.table),
    ];
    for (column, value) in equal {
        if let Some(value) = value.as_deref().filter(|v| !v.is_empty()) {
            sql.push(" AND ").push(column).push(" = ").push_bind(value.to_owned());
        }
    }
    if let Some(from) = q.from.as_deref().filter(|v| !v.is_empty()) {
        sql.push(" AND created_at >= ").push_bind(from.to_owned());
    }
    if let Some(to) = q.to.as_deref().filter(|v| !v.is_empty()) {
        // Behind every moment that begins like this: a day counts to its end.
        sql.push(" AND created_at <= ").push_bind(format!("{to}~"));
    }
    if let Some(text) = q.text.as_deref().map(str::trim).filter(|t| !t.is_empty()) {
        let escaped = text.replace('!', "!!").replace('%', "!%").replace('_', "!_");
        let pattern = format!("%{}%", escaped.to_lowercase());
        sql.push(" AND LOWER(file_name || ' ' || database_name || '.' || table_name) LIKE ")
            .push_bind(pattern)
            .push(" ESCAPE '!'");
    }
}

/// Identities sort by time, so that they settle every draw.
fn order(sql: &mut QueryBuilder<Sqlite>, q: &RunQuery) {
    let way = if q.ascending == Some(true) { "ASC" } else { "DESC" };
    let column = match q.sort.unwrap_or_default() {
        RunSort::Created => "",
        RunSort::Rows => "rows_loaded",
        RunSort::Rate => "rows_per_sec IS NULL, rows_per_sec",
        RunSort::Took => "elapsed_ms",
        RunSort::File => "file_name COLLATE NOCASE",
    };
    if column.is_empty() {
        sql.push(format!(" ORDER BY id {way}"));
    } else {
        sql.push(format!(" ORDER BY {column} {way}, id DESC"));
    }
}

/// A run of the trend.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendRun {
    /// The run.
    pub run_id: String,
    /// When it was asked for.
    pub created_at: String,
    /// Its engine.
    pub engine: String,
    /// Its strategy by its wire name.
    pub strategy: String,
    /// Rows a second.
    pub rows_per_sec: f64,
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
        order(&mut sql, query);
        sql.push(" LIMIT ").push_bind(i64::from(limit));
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

    /// Whose run it is.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_who(&self, id: &str) -> Result<Option<String>, StoreError> {
        let who = sqlx::query_scalar("SELECT who FROM runs WHERE id = ?").bind(id);
        Ok(who.fetch_optional(&self.reader).await?)
    }

    /// The values that filters can take.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_facets(&self) -> Result<RunFacets, StoreError> {
        Ok(RunFacets {
            targets: self.values_of("target_name").await?,
            people: self.values_of("who").await?,
            engines: self.values_of("engine").await?,
            strategies: self.values_of("strategy").await?,
        })
    }

    /// The values of a column that has an index of its own.
    async fn values_of(&self, column: &'static str) -> Result<Vec<String>, StoreError> {
        let mut sql = QueryBuilder::<Sqlite>::new("SELECT DISTINCT ");
        sql.push(column).push(" FROM runs WHERE ").push(column).push(" <> '' ORDER BY 1");
        Ok(sql.build_query_scalar().fetch_all(&self.reader).await?)
    }

    /// The newest runs that match, with their throughput; those of fewer rows are left out.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn run_trend(
        &self,
        query: &RunQuery,
        rows_min: u64,
        limit: u32,
    ) -> Result<Vec<TrendRun>, StoreError> {
        let mut sql =
            QueryBuilder::new("SELECT id, created_at, engine, strategy, rows_per_sec FROM runs");
        filter(&mut sql, query);
        sql.push(" AND rows_per_sec IS NOT NULL AND rows_loaded >= ");
        sql.push_bind(rows_min.cast_signed()).push(" ORDER BY id DESC LIMIT ");
        sql.push_bind(i64::from(limit));
        let rows = sql.build().fetch_all(&self.reader).await?;
        let run = |row: &sqlx::sqlite::SqliteRow| {
            Ok(TrendRun {
                run_id: row.try_get("id")?,
                created_at: row.try_get("created_at")?,
                engine: row.try_get("engine")?,
                strategy: row.try_get("strategy")?,
                rows_per_sec: row.try_get("rows_per_sec")?,
            })
        };
        rows.iter().map(run).collect()
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
