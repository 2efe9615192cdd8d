//! The ledger: a small table beside the target table with one line for each chunk that is in.
//!
//! A chunk's rows and its line commit in one transaction, so after any crash the ledger tells
//! exactly which chunks need no sending again. Its primary key also keeps two services that
//! believe they own the same run from storing a chunk twice: the second line is refused.

use std::collections::BTreeMap;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Row};
use shared::ddl::quote_table;
use shared::run::Reject;

use super::{LoadError, failpoint};

/// Rejects of one chunk that are kept in its line, in bytes of JSON; beyond that only counted.
const REJECTS_BYTES_MAX: usize = 1 << 20;

/// The line of the copy from the staging table, beyond any chunk's number.
pub(super) const TRANSFER: u64 = u64::MAX;
const NO_SUCH_TABLE: u16 = 1146;

/// What came of one chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkCounts {
    /// Records read.
    pub rows_read: u64,
    /// Rows written: new ones and those that took the place of others.
    pub rows_loaded: u64,
    /// Rows passed over because their key was there.
    pub rows_skipped: u64,
    /// Records put aside.
    pub rows_rejected: u64,
    /// Of the rows written, how many took the place of a row (or more rows were removed for them):
    /// the table has grown by `rows_loaded - rows_replaced`.
    pub rows_replaced: u64,
    /// The records put aside, as far as they were kept.
    pub rejects: Vec<Reject>,
}

/// The ledger of one run.
#[derive(Debug, Clone)]
pub struct Ledger {
    full_name: String,
}

/// Name of the ledger table of a run.
#[must_use]
pub fn table_name(run_id: &str) -> String {
    format!("_plimsoll_l_{}", run_id.to_ascii_lowercase())
}

fn failed(error: &Error) -> LoadError {
    LoadError::from_driver("the ledger", error)
}

impl Ledger {
    /// The ledger of `run_id`, beside the tables of `database`.
    #[must_use]
    pub fn of_run(database: &str, run_id: &str) -> Self {
        Self::named(database, &table_name(run_id))
    }

    /// The ledger in table `table` of `database`.
    #[must_use]
    pub fn named(database: &str, table: &str) -> Self {
        Self { full_name: quote_table(database, table) }
    }

    /// The table's quoted name with its database.
    #[must_use]
    pub fn full_name(&self) -> &str {
        &self.full_name
    }

    /// Makes the table where it is not there. It has the engine of the loaded table where that
    /// has transactions, so that rows and lines share one.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn create(&self, conn: &mut Conn, engine: &str) -> Result<(), LoadError> {
        let engine: String =
            engine.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let engine = if engine.is_empty() { "InnoDB" } else { engine.as_str() };
        conn.query_drop(format!(
            "CREATE TABLE IF NOT EXISTS {} (\
               chunk BIGINT UNSIGNED NOT NULL PRIMARY KEY, \
               done TINYINT UNSIGNED NOT NULL, \
               rows_read BIGINT UNSIGNED NOT NULL, \
               rows_loaded BIGINT UNSIGNED NOT NULL, \
               rows_skipped BIGINT UNSIGNED NOT NULL, \
               rows_rejected BIGINT UNSIGNED NOT NULL, \
               rows_replaced BIGINT UNSIGNED NOT NULL, \
               rejects LONGTEXT NULL\
             ) ENGINE={engine} DEFAULT CHARSET=utf8mb4",
            self.full_name
        ))
        .await
        .map_err(|e| failed(&e))?;
        failpoint::hit("after_create_ledger");
        Ok(())
    }

    /// Writes the line of a chunk, within the caller's transaction.
    ///
    /// # Errors
    /// The server refuses, for example because the line is there (1062), or the connection breaks.
    pub async fn write(
        &self,
        conn: &mut Conn,
        chunk: u64,
        counts: &ChunkCounts,
    ) -> Result<(), LoadError> {
        self.put(conn, "INSERT", chunk, counts).await
    }

    /// Writes the line of a chunk that is about to be written by a bulk loader outside of any
    /// transaction. Until [`Ledger::settle`] it is not known whether its rows are in.
    ///
    /// # Errors
    /// As [`Ledger::write`].
    pub async fn announce(&self, conn: &mut Conn, chunk: u64) -> Result<(), LoadError> {
        conn.query_drop(format!(
            "INSERT IGNORE INTO {} (chunk, done, rows_read, rows_loaded, rows_skipped, \
             rows_rejected, rows_replaced, rejects) VALUES ({chunk}, 0, 0, 0, 0, 0, 0, NULL)",
            self.full_name
        ))
        .await
        .map_err(|e| failed(&e))
    }

    /// The announced chunk is in.
    ///
    /// # Errors
    /// As [`Ledger::write`].
    pub async fn settle(
        &self,
        conn: &mut Conn,
        chunk: u64,
        counts: &ChunkCounts,
    ) -> Result<(), LoadError> {
        self.put(conn, "REPLACE", chunk, counts).await
    }

    async fn put(
        &self,
        conn: &mut Conn,
        verb: &str,
        chunk: u64,
        counts: &ChunkCounts,
    ) -> Result<(), LoadError> {
        let statement = format!(
            "{verb} INTO {} (chunk, done, rows_read, rows_loaded, rows_skipped, rows_rejected, \
             rows_replaced, rejects) VALUES (?, 1, ?, ?, ?, ?, ?, ?)",
            self.full_name
        );
        let values = (
            chunk,
            counts.rows_read,
            counts.rows_loaded,
            counts.rows_skipped,
            counts.rows_rejected,
            counts.rows_replaced,
            rejects_json(&counts.rejects),
        );
        conn.exec_drop(statement, values).await.map_err(|e| failed(&e))
    }

    /// The line of one chunk, if it is in. Waits for a transaction that is about to write it: a
    /// commit whose answer was lost may still be under way.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn find(
        &self,
        conn: &mut Conn,
        chunk: u64,
    ) -> Result<Option<ChunkCounts>, LoadError> {
        let statement =
            format!("{} WHERE chunk = {chunk} AND done = 1 LOCK IN SHARE MODE", self.select());
        let row: Option<Row> = conn.query_first(statement).await.map_err(|e| failed(&e))?;
        Ok(row.as_ref().map(|row| counts(row).1))
    }

    /// Rows that are in of chunks that are not whole: those of a load row by row. Without a ledger
    /// there are none.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn rows_of_parts(&self, conn: &mut Conn) -> Result<u64, LoadError> {
        let statement = format!(
            "SELECT CAST(COALESCE(SUM(rows_loaded), 0) AS UNSIGNED) FROM {} WHERE done = 0",
            self.full_name
        );
        let rows: Option<u64> = match conn.query_first(statement).await {
            Err(Error::Server(e)) if e.code == NO_SUCH_TABLE => None,
            other => other.map_err(|e| failed(&e))?,
        };
        Ok(rows.unwrap_or(0))
    }

    /// Whether the rows of the staging table were copied. Without a ledger they were not.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn transferred(&self, conn: &mut Conn) -> Result<bool, LoadError> {
        match self.find(conn, TRANSFER).await {
            Err(LoadError::Server { code: NO_SUCH_TABLE, .. }) => Ok(false),
            other => Ok(other?.is_some()),
        }
    }

    /// Whether a chunk was announced and not settled.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn is_uncertain(&self, conn: &mut Conn, chunk: u64) -> Result<bool, LoadError> {
        let statement =
            format!("SELECT 1 FROM {} WHERE chunk = {chunk} AND done = 0", self.full_name);
        let found: Option<u8> = conn.query_first(statement).await.map_err(|e| failed(&e))?;
        Ok(found.is_some())
    }

    /// Every chunk that is in, with its counts. Without a ledger none is.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn committed(
        &self,
        conn: &mut Conn,
    ) -> Result<BTreeMap<u64, ChunkCounts>, LoadError> {
        let statement = format!("{} WHERE done = 1 AND chunk < {TRANSFER}", self.select());
        let rows: Vec<Row> = match conn.query(statement).await {
            Err(Error::Server(e)) if e.code == NO_SUCH_TABLE => return Ok(BTreeMap::new()),
            other => other.map_err(|e| failed(&e))?,
        };
        Ok(rows.iter().map(counts).collect())
    }

    /// Removes the ledger.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn drop(&self, conn: &mut Conn) -> Result<(), LoadError> {
        conn.query_drop(format!("DROP TABLE IF EXISTS {}", self.full_name))
            .await
            .map_err(|e| failed(&e))
    }

    fn select(&self) -> String {
        format!(
            "SELECT chunk, rows_read, rows_loaded, rows_skipped, rows_rejected, rows_replaced, \
             rejects FROM {}",
            self.full_name
        )
    }
}

fn counts(row: &Row) -> (u64, ChunkCounts) {
    let number = |i: usize| row.get::<Option<u64>, _>(i).flatten().unwrap_or(0);
    let rejects = row.get::<Option<String>, _>(6).flatten();
    let rejects = rejects.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default();
    let counts = ChunkCounts {
        rows_read: number(1),
        rows_loaded: number(2),
        rows_skipped: number(3),
        rows_rejected: number(4),
        rows_replaced: number(5),
        rejects,
    };
    (number(0), counts)
}

fn rejects_json(rejects: &[Reject]) -> Option<String> {
    if rejects.is_empty() {
        return None;
    }
    let mut text = String::from("[");
    for reject in rejects {
        let one = serde_json::to_string(reject).unwrap_or_default();
        if one.is_empty() || text.len() + one.len() > REJECTS_BYTES_MAX {
            break;
        }
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&one);
    }
    text.push(']');
    Some(text)
}
