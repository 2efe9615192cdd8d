//! Counting on the server's side, and the statistics afterwards.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::ddl::quote_table;

use super::{ChunkCounts, LoadError, failpoint};

/// Rows in a table, counted.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn count(conn: &mut Conn, database: &str, table: &str) -> Result<u64, LoadError> {
    failpoint::hit("before_count");
    let statement = format!("SELECT COUNT(*) FROM {}", quote_table(database, table));
    let count: Option<u64> = conn
        .query_first(statement)
        .await
        .map_err(|e| LoadError::from_driver("the count of its rows", &e))?;
    Ok(count.unwrap_or(0))
}

/// Sums of all chunks.
#[must_use]
pub fn sum<'a>(chunks: impl IntoIterator<Item = &'a ChunkCounts>) -> ChunkCounts {
    let mut total = ChunkCounts::default();
    for chunk in chunks {
        total.rows_read += chunk.rows_read;
        total.rows_loaded += chunk.rows_loaded;
        total.rows_skipped += chunk.rows_skipped;
        total.rows_rejected += chunk.rows_rejected;
        total.rows_replaced += chunk.rows_replaced;
    }
    total
}

/// Whether every record is accounted for and the table has grown by what was written.
///
/// # Errors
/// [`LoadError::Verify`] with both sides of the sum that does not come out.
pub fn agree(before: u64, after: u64, total: &ChunkCounts) -> Result<(), LoadError> {
    let told = total.rows_loaded + total.rows_skipped + total.rows_rejected;
    if told != total.rows_read {
        return Err(LoadError::Verify(format!(
            "{} records were read, but {} written + {} passed over + {} put aside are {told}.",
            total.rows_read, total.rows_loaded, total.rows_skipped, total.rows_rejected
        )));
    }
    let want = (before + total.rows_loaded).saturating_sub(total.rows_replaced);
    if want != after {
        return Err(LoadError::Verify(format!(
            "The table should have {want} rows now ({before} before, {} written, {} of them in \
             the place of others), but it has {after}. If nobody else writes to it, the load is \
             not complete.",
            total.rows_loaded, total.rows_replaced
        )));
    }
    Ok(())
}

/// Lets the server refresh its statistics of a table.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn analyze(conn: &mut Conn, database: &str, table: &str) -> Result<(), LoadError> {
    failpoint::hit("before_analyze");
    let statement = format!("ANALYZE TABLE {}", quote_table(database, table));
    conn.query_drop(statement)
        .await
        .map_err(|e| LoadError::from_driver("the refresh of statistics", &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_must_come_out_on_both_sides() {
        let total = ChunkCounts {
            rows_read: 10,
            rows_loaded: 7,
            rows_skipped: 2,
            rows_rejected: 1,
            rows_replaced: 3,
            rejects: vec![],
        };
        assert!(agree(5, 9, &total).is_ok());
        assert!(agree(5, 12, &total).is_err());
        assert!(agree(5, 9, &ChunkCounts { rows_skipped: 1, ..total }).is_err());
    }
}
