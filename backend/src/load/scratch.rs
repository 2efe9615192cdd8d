//! Scratch tables of trials: made for one load each, dropped after it, and found again by their
//! names after a crash.

use std::time::Instant;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Params, Value};
use shared::ddl::{quote_name, quote_table};

use super::LoadError;
use super::staging::{self, run};

/// Name of a scratch table: which trial it is of, and which of its loads.
#[must_use]
pub fn name(trial_id: &str, number: usize) -> String {
    format!("_plimsoll_t_{}_{number}", trial_id.to_ascii_lowercase())
}

/// Makes an empty table with the columns, keys and options of `like`, without its triggers and
/// foreign keys.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn create_like(
    conn: &mut Conn,
    database: &str,
    like: &str,
    name: &str,
) -> Result<(), LoadError> {
    let statement = format!(
        "CREATE TABLE {} LIKE {}",
        quote_table(database, name),
        quote_table(database, like)
    );
    run(conn, "a scratch table", statement).await
}

/// Makes an empty table for the service's own rows, a shop's orders, with three indexes or without.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn create_orders(
    conn: &mut Conn,
    database: &str,
    name: &str,
    engine: &str,
    indexed: bool,
) -> Result<(), LoadError> {
    let indexes = if indexed {
        ", UNIQUE KEY u_email (email), KEY k_city (city, amount), KEY k_created (created_at)"
    } else {
        ""
    };
    let statement = format!(
        "CREATE TABLE {} (id BIGINT NOT NULL PRIMARY KEY, email VARCHAR(64) NOT NULL, \
         city VARCHAR(32) NOT NULL, amount DECIMAL(12,2) NOT NULL, level INT NOT NULL, \
         created_at DATETIME NOT NULL, note VARCHAR(100) NOT NULL{indexes}) ENGINE = {} \
         DEFAULT CHARSET = utf8mb4",
        quote_table(database, name),
        quote_name(engine)
    );
    run(conn, "a scratch table", statement).await
}

/// Inserts rows one by one by a prepared statement, in one transaction, until they are in or it is
/// time to stop; how many went in.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn insert_prepared(
    conn: &mut Conn,
    database: &str,
    table: &str,
    rows: &[Vec<String>],
    until: Instant,
) -> Result<u64, LoadError> {
    let doing = "a prepared insert";
    let columns = rows.first().map_or(0, Vec::len);
    let marks = vec!["?"; columns].join(", ");
    let statement = format!("INSERT INTO {} VALUES ({marks})", quote_table(database, table));
    let failed = |e: mysql_async::Error| LoadError::from_driver(doing, &e);
    let statement = conn.prep(statement).await.map_err(failed)?;
    run(conn, doing, "START TRANSACTION".to_owned()).await?;
    let mut sent = 0;
    for row in rows {
        if Instant::now() >= until {
            break;
        }
        conn.exec_drop(&statement, Params::Positional(row.iter().map(Value::from).collect()))
            .await
            .map_err(failed)?;
        sent += 1;
    }
    run(conn, doing, "COMMIT".to_owned()).await?;
    Ok(sent)
}

/// Drops one scratch table.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn drop(conn: &mut Conn, database: &str, name: &str) -> Result<(), LoadError> {
    let statement = format!("DROP TABLE IF EXISTS {}", quote_table(database, name));
    run(conn, "the dropping of a scratch table", statement).await
}

/// Drops everything that a trial and its loads may have left in a database.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn sweep(
    conn: &mut Conn,
    database: &str,
    trial_id: &str,
    run_ids: &[String],
) -> Result<(), LoadError> {
    let trial = trial_id.to_ascii_lowercase();
    for (kind, owner, table) in staging::leftovers(conn, database).await? {
        let scratch = kind == 't' && owner.split('_').next() == Some(trial.as_str());
        if scratch || run_ids.iter().any(|id| id.eq_ignore_ascii_case(&owner)) {
            drop(conn, database, &table).await?;
        }
    }
    Ok(())
}
