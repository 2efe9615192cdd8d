//! Listings of databases and tables.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::target::TableSummary;

use super::TargetError;

/// Databases that this user may see, without the server's own.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn databases(conn: &mut Conn) -> Result<Vec<String>, TargetError> {
    let names: Vec<String> = conn
        .query("SHOW DATABASES")
        .await
        .map_err(|e| TargetError::from_driver("the list of databases", &e))?;
    let own = ["information_schema", "mysql", "performance_schema", "sys", "metrics_schema"];
    Ok(names.into_iter().filter(|n| !own.contains(&n.to_ascii_lowercase().as_str())).collect())
}

/// Tables and views of a database, without those that a run makes for itself.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn tables(conn: &mut Conn, database: &str) -> Result<Vec<TableSummary>, TargetError> {
    let rows: Vec<Listed> = conn
        .exec(
            "SELECT TABLE_NAME, ENGINE, TABLE_ROWS, DATA_LENGTH + INDEX_LENGTH \
             FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME",
            (database,),
        )
        .await
        .map_err(|e| TargetError::from_driver("the list of tables", &e))?;
    Ok(rows
        .into_iter()
        .filter(|(name, ..)| !name.starts_with("_plimsoll_"))
        .map(|(name, engine, rows_estimate, bytes)| TableSummary {
            name,
            engine,
            rows_estimate,
            bytes,
        })
        .collect())
}

type Listed = (String, Option<String>, Option<u64>, Option<u64>);
