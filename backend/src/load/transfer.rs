//! Copying the rows of a staging table into the table in one transaction.
//!
//! The staging table knows no foreign keys and no triggers, and each of its rows knows its place
//! in the file. So everything that only the table can tell is told here, with row and line: rows
//! without a parent, wherever in the file the parent stands, and keys that the table has already.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row};
use shared::ErrorCode;
use shared::ddl::{quote_name, quote_table};
use shared::plan::OnDuplicate;
use shared::run::Reject;
use shared::target::{Flavour, ForeignKeyFacts, TableFacts};

use super::ledger::TRANSFER;
use super::reject::cut;
use super::spec::{KeyNames, LINE_COLUMN, NUMBER_COLUMN, ROW_COLUMN, unique_keys};
use super::{
    ChunkCounts, Disposition, Ledger, LoadError, LoadSpec, Session, failpoint, insert, lane,
};
use crate::target;

const DOING: &str = "the copy into the table";
/// Rows removed by one statement.
const REMOVE_AT_ONCE: usize = 1_000;

/// Copies the good rows of the staging table of `spec` into `table`, in the place of the rows that
/// are there where `replace` says so; those count as replaced.
///
/// The counts tell of the rows in the staging table: those refused while they were staged are in
/// the counts of their chunks. Asked again after a crash it answers from the ledger.
///
/// # Errors
/// A bad record where such stop the run ([`LoadError::Refused`]), the server refuses, or the
/// connection breaks; then the table is as it was.
pub async fn transfer(
    spec: &LoadSpec,
    table: &TableFacts,
    replace: bool,
) -> Result<ChunkCounts, LoadError> {
    // Foreign keys are settled by what is asked below, order does not matter then.
    let session = Session { foreign_key_checks: false, ..spec.session.clone() };
    let mut tries = 0;
    loop {
        spec.cancel.check()?;
        let init = session.statements(spec.flavour, &table.engine);
        let mut conn = target::connect_loader(&spec.target, init).await?;
        let id = conn.id();
        spec.cancel.register(id);
        let copy = Copy { spec, table, replace, staging: full(spec, &spec.table) };
        let outcome = copy.run(&mut conn).await;
        spec.cancel.forget(id);
        // Closing the connection undoes what was not committed.
        let _ = conn.disconnect().await;
        match outcome {
            Err(error) if error.disposition() != Disposition::Abort && tries < spec.retry.tries => {
                tokio::time::sleep(spec.retry.wait(tries)).await;
                tries += 1;
            }
            other => return other,
        }
    }
}

fn full(spec: &LoadSpec, table: &str) -> String {
    quote_table(&spec.database, table)
}

fn failed(error: &mysql_async::Error) -> LoadError {
    LoadError::from_driver(DOING, error)
}

struct Copy<'a> {
    spec: &'a LoadSpec,
    table: &'a TableFacts,
    replace: bool,
    staging: String,
}

/// A row of the staging table that cannot go in.
struct Bad {
    number: u64,
    reject: Reject,
}

/// What rows are refused for.
#[derive(Clone, Copy)]
struct Why<'a> {
    code: ErrorCode,
    key: &'a str,
    columns: &'a [String],
}

impl Copy<'_> {
    async fn run(&self, conn: &mut Conn) -> Result<ChunkCounts, LoadError> {
        let ledger = Ledger::named(&self.spec.database, &self.spec.ledger);
        if let Some(known) = ledger.find(conn, TRANSFER).await? {
            return Ok(known);
        }
        conn.query_drop("START TRANSACTION").await.map_err(|e| failed(&e))?;
        let count = format!("SELECT COUNT(*) FROM {}", self.staging);
        let rows: Option<u64> = conn.query_first(count).await.map_err(|e| failed(&e))?;
        let cleared = if self.replace { self.clear(conn).await? } else { 0 };
        let mut rejects = Vec::new();
        if self.spec.on_duplicate == OnDuplicate::Reject {
            for key in unique_keys(self.table) {
                let bad = self.repeated(conn, &key).await?;
                self.put_aside(conn, bad, &mut rejects).await?;
            }
        }
        // A row that goes takes the parent of others with it: until nothing more goes.
        loop {
            let before = rejects.len();
            for key in &self.table.foreign_keys {
                let bad = self.orphans(conn, key).await?;
                self.put_aside(conn, bad, &mut rejects).await?;
            }
            if rejects.len() == before {
                break;
            }
        }
        let left = rows.unwrap_or(0) - rejects.len() as u64;
        let written = self.copy(conn, left).await?;
        rejects.sort_by_key(|r| r.row);
        let counts = ChunkCounts {
            rows_read: rows.unwrap_or(0),
            rows_loaded: written.loaded,
            rows_skipped: written.skipped,
            rows_rejected: rejects.len() as u64,
            rows_replaced: written.replaced + cleared,
            rejects,
        };
        failpoint::hit("before_publish");
        ledger.write(conn, TRANSFER, &counts).await?;
        conn.query_drop("COMMIT").await.map_err(|e| failed(&e))?;
        failpoint::hit("after_publish");
        Ok(counts)
    }

    /// Removes the rows that are there. Rows of other tables that point to them have their say.
    async fn clear(&self, conn: &mut Conn) -> Result<u64, LoadError> {
        let leaned_on = !self.table.referenced_by.is_empty();
        let checks = |on: u8| format!("SET SESSION foreign_key_checks = {on}");
        if leaned_on {
            conn.query_drop(checks(1)).await.map_err(|e| failed(&e))?;
        }
        let statement = format!("DELETE FROM {}", full(self.spec, &self.table.name));
        conn.query_drop(statement).await.map_err(|e| failed(&e))?;
        let cleared = conn.affected_rows();
        if leaned_on {
            conn.query_drop(checks(0)).await.map_err(|e| failed(&e))?;
        }
        Ok(cleared)
    }

    /// Rows whose key the table has already.
    async fn repeated(&self, conn: &mut Conn, key: &KeyNames) -> Result<Vec<Bad>, LoadError> {
        let known = |c: &String| self.table.column(c).is_some();
        if !key.columns.iter().all(known) {
            // A key over an expression: the copy itself will meet it.
            return Ok(Vec::new());
        }
        let matches = equal("t", &key.columns, &key.columns);
        let from = format!("JOIN {} t ON {matches}", full(self.spec, &self.table.name));
        let why = Why { code: ErrorCode::DuplicateKey, key: &key.name, columns: &key.columns };
        self.find(conn, &from, why, |value| {
            format!("repeats the value {value} of the key {}, which the table has", key.name)
        })
        .await
    }

    /// Rows for whose foreign key there is no row: neither in the table it points to nor, where it
    /// points to the table itself, among those that are about to go in.
    async fn orphans(&self, conn: &mut Conn, key: &ForeignKeyFacts) -> Result<Vec<Bad>, LoadError> {
        if key.columns.is_empty() {
            return Ok(Vec::new());
        }
        let parent = quote_table(&key.parent.0, &key.parent.1);
        let matches = equal("p", &key.parent_columns, &key.columns);
        let mut conditions: Vec<String> =
            key.columns.iter().map(|c| format!("s.{} IS NOT NULL", quote_name(c))).collect();
        conditions.push(format!("NOT EXISTS (SELECT 1 FROM {parent} p WHERE {matches})"));
        let to_itself = key.parent.0 == self.table.database && key.parent.1 == self.table.name;
        if to_itself {
            let own = format!("NOT EXISTS (SELECT 1 FROM {} p WHERE {matches})", self.staging);
            conditions.push(own);
        }
        let from = format!("WHERE {}", conditions.join(" AND "));
        let why = Why { code: ErrorCode::ForeignKey, key: &key.name, columns: &key.columns };
        self.find(conn, &from, why, |value| {
            format!(
                "has {} = {value}, for which the foreign key {} finds no row in {}",
                key.columns.join(", "),
                key.name,
                key.parent.1
            )
        })
        .await
    }

    /// The rows of the staging table that `from` finds bad; `what` says so with their value.
    async fn find(
        &self,
        conn: &mut Conn,
        from: &str,
        why: Why<'_>,
        what: impl Fn(&str) -> String,
    ) -> Result<Vec<Bad>, LoadError> {
        let shown: Vec<String> =
            why.columns.iter().map(|c| format!("COALESCE(s.{}, 'NULL')", quote_name(c))).collect();
        let statement = format!(
            "SELECT s.{}, s.{}, s.{}, CONCAT_WS('-', {}) FROM {} s {from}",
            quote_name(NUMBER_COLUMN),
            quote_name(ROW_COLUMN),
            quote_name(LINE_COLUMN),
            shown.join(", "),
            self.staging
        );
        let rows: Vec<Row> = conn.query(statement).await.map_err(|e| failed(&e))?;
        let bad = rows.iter().map(|found| {
            let number = |i: usize| found.get::<Option<u64>, _>(i).flatten().unwrap_or(0);
            let bytes = found.get::<Option<Vec<u8>>, _>(3).flatten().unwrap_or_default();
            let value = cut(&String::from_utf8_lossy(&bytes));
            let (row, line) = (number(1), number(2));
            let reject = Reject {
                row,
                line,
                column: Some(why.columns.join(", ")),
                message: format!("Row {row} (line {line}) {}.", what(&value)),
                value: Some(value),
                key: Some(why.key.to_owned()),
                code: why.code,
                raw: None,
            };
            Bad { number: number(0), reject }
        });
        Ok(bad.collect())
    }

    /// Takes bad rows out of the staging table (within the transaction).
    async fn put_aside(
        &self,
        conn: &mut Conn,
        mut bad: Vec<Bad>,
        rejects: &mut Vec<Reject>,
    ) -> Result<(), LoadError> {
        bad.sort_by_key(|b| b.number);
        if let Some(first) = bad.first().filter(|_| self.spec.stop_on_reject) {
            return Err(LoadError::Refused(Box::new(first.reject.clone())));
        }
        for part in bad.chunks(REMOVE_AT_ONCE) {
            let numbers: Vec<String> = part.iter().map(|b| b.number.to_string()).collect();
            let statement = format!(
                "DELETE FROM {} WHERE {} IN ({})",
                self.staging,
                quote_name(NUMBER_COLUMN),
                numbers.join(",")
            );
            conn.query_drop(statement).await.map_err(|e| failed(&e))?;
        }
        rejects.extend(bad.into_iter().map(|b| b.reject));
        Ok(())
    }

    async fn copy(&self, conn: &mut Conn, rows: u64) -> Result<super::lane::Written, LoadError> {
        if rows == 0 {
            return Ok(super::lane::Written::default());
        }
        let own = [ROW_COLUMN, LINE_COLUMN, NUMBER_COLUMN];
        let columns = self.spec.columns.iter().filter(|c| !own.contains(&c.name.as_str()));
        let names: Vec<String> = columns.map(|c| quote_name(&c.name)).collect();
        let rule = self.spec.on_duplicate;
        let verb = if rule == OnDuplicate::Replace { "REPLACE" } else { "INSERT" };
        let table = full(self.spec, &self.table.name);
        let taken: Vec<String> = names.iter().map(|n| format!("s.{n}")).collect();
        let tail = match rule {
            OnDuplicate::Reject | OnDuplicate::Replace => String::new(),
            OnDuplicate::Skip => {
                let first = names.first().map_or("", String::as_str);
                format!(" ON DUPLICATE KEY UPDATE {table}.{first} = {table}.{first}")
            }
            OnDuplicate::Update => {
                let each = |n: &String| match self.spec.flavour {
                    Flavour::Mysql => format!("{table}.{n} = s.{n}"),
                    Flavour::Mariadb | Flavour::Tidb => format!("{n} = VALUES({n})"),
                };
                let all: Vec<String> = names.iter().map(each).collect();
                format!(" ON DUPLICATE KEY UPDATE {}", all.join(", "))
            }
        };
        let statement = format!(
            "{verb} INTO {table} ({}) SELECT {} FROM {} s ORDER BY s.{}{tail}",
            names.join(", "),
            taken.join(", "),
            self.staging,
            quote_name(NUMBER_COLUMN)
        );
        conn.query_drop(statement).await.map_err(|e| failed(&e))?;
        let written = insert::counts(conn, rows, rule);
        let info = conn.info().into_owned();
        let warnings = lane::warnings(conn, self.spec).await?;
        if warnings > 0 || written.loaded + written.skipped != rows {
            return Err(LoadError::Verify(format!(
                "{rows} rows were to be copied into the table, the server counts {} with \
                 {warnings} warnings: {}",
                written.loaded + written.skipped,
                info
            )));
        }
        Ok(written)
    }
}

/// `p.a = s.x AND p.b = s.y`.
fn equal(alias: &str, columns: &[String], of: &[String]) -> String {
    let each: Vec<String> = columns
        .iter()
        .zip(of)
        .map(|(a, b)| format!("{alias}.{} = s.{}", quote_name(a), quote_name(b)))
        .collect();
    each.join(" AND ")
}
