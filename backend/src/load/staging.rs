//! Tables of a run's own: made like the target, filled out of sight, made visible in one moment.
//!
//! Two ways lead to one moment. The swap renames: instant, but only for a table that nothing
//! hangs on, since foreign keys and triggers stay with the old one. The move copies in one
//! transaction: it is for rows appended to a table in use, fires triggers once a row, and can
//! settle foreign keys that point into the table itself whatever the order of the rows.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use serde::{Deserialize, Serialize};
use shared::ddl::{quote_name, quote_table};
use shared::plan::{Mode, Visibility};
use shared::target::TableFacts;

use super::spec::{LINE_COLUMN, NUMBER_COLUMN, ROW_COLUMN};
use super::{LoadError, failpoint};

/// How rows reach the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Chunks are written into the table itself.
    Direct,
    /// A staging table takes the place of the table by one RENAME.
    Swap,
    /// The rows of a staging table are copied in one transaction.
    Move,
}

/// Which way a run takes, and why where it is not the one that was asked for.
#[must_use]
pub fn way(table: &TableFacts, mode: Mode, visibility: Visibility) -> (Way, Option<String>) {
    let to_itself = table
        .foreign_keys
        .iter()
        .find(|k| k.parent.0 == table.database && k.parent.1 == table.name);
    if let Some(key) = to_itself {
        let why = format!(
            "The foreign key {} points into the table itself: the rows are gathered first and \
             copied in one transaction, so that their order does not matter.",
            key.name
        );
        return (Way::Move, Some(why));
    }
    let fresh = table.empty || mode != Mode::Append;
    match (visibility, swap_hindrance(table)) {
        (Visibility::AsTheyArrive, _) => (Way::Direct, None),
        (Visibility::AllAtOnce, None) if fresh => (Way::Swap, None),
        (Visibility::AllAtOnce, None) => (Way::Move, None),
        (Visibility::AllAtOnce, Some(why)) => (
            Way::Move,
            Some(format!("{why}: the rows are copied in one transaction instead of a swap.")),
        ),
    }
}

/// Why a table cannot be swapped for another, if so.
#[must_use]
pub fn swap_hindrance(table: &TableFacts) -> Option<&'static str> {
    if !table.triggers.is_empty() {
        Some("The table has triggers, which a swap would lose")
    } else if !table.foreign_keys.is_empty() {
        Some("The table has foreign keys, which a swap would lose")
    } else if !table.referenced_by.is_empty() {
        Some("Other tables point to this one by foreign keys, which a swap would leave behind")
    } else {
        None
    }
}

/// Name of the staging table of a run.
#[must_use]
pub fn staging_name(run_id: &str) -> String {
    format!("_plimsoll_s_{}", run_id.to_ascii_lowercase())
}

/// Name under which the old table lies during a swap.
#[must_use]
pub fn old_name(run_id: &str) -> String {
    format!("_plimsoll_o_{}", run_id.to_ascii_lowercase())
}

pub(super) async fn run(
    conn: &mut Conn,
    doing: &'static str,
    statement: String,
) -> Result<(), LoadError> {
    conn.query_drop(statement).await.map_err(|e| LoadError::from_driver(doing, &e))
}

/// Makes an empty staging table with the columns, keys, checks and options of `like`.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn create_like(
    conn: &mut Conn,
    database: &str,
    like: &str,
    run_id: &str,
) -> Result<String, LoadError> {
    let name = staging_name(run_id);
    let statement = format!(
        "CREATE TABLE IF NOT EXISTS {} LIKE {}",
        quote_table(database, &name),
        quote_table(database, like)
    );
    run(conn, "the staging table", statement).await?;
    failpoint::hit("after_create_staging");
    Ok(name)
}

/// Lets a staging table go on numbering where the table stands, by what SHOW CREATE TABLE says of
/// it: a table made like another begins at 1.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn go_on_numbering(
    conn: &mut Conn,
    database: &str,
    staging: &str,
    create_sql: &str,
) -> Result<(), LoadError> {
    let Some(next) = next_number(create_sql) else { return Ok(()) };
    let statement =
        format!("ALTER TABLE {} AUTO_INCREMENT = {next}", quote_table(database, staging));
    run(conn, "the numbering of the staging table", statement).await
}

/// The number in `) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT …`, which no column's text can imitate:
/// it stands behind the last parenthesis that begins a line.
fn next_number(create_sql: &str) -> Option<u64> {
    let (_, options) = create_sql.rsplit_once("\n)")?;
    let (_, rest) = options.split_once(" AUTO_INCREMENT=")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Makes a staging table as [`create_like`], with more columns that carry each row's place in
/// the file (see [`super::LoadSpec::with_positions`]), for the way [`Way::Move`].
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn create_with_positions(
    conn: &mut Conn,
    database: &str,
    like: &str,
    run_id: &str,
) -> Result<String, LoadError> {
    let name = create_like(conn, database, like, run_id).await?;
    let there: Option<u64> = conn
        .exec_first(
            "SELECT COUNT(*) FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_NAME = ?",
            (database, &name, ROW_COLUMN),
        )
        .await
        .map_err(|e| LoadError::from_driver("the staging table", &e))?;
    if there == Some(0) {
        let statement = format!(
            "ALTER TABLE {} ADD COLUMN {} BIGINT UNSIGNED NOT NULL DEFAULT 0, \
             ADD COLUMN {} BIGINT UNSIGNED NOT NULL DEFAULT 0, \
             ADD COLUMN {n} BIGINT UNSIGNED NOT NULL DEFAULT 0, \
             ADD KEY {n} ({n})",
            quote_table(database, &name),
            quote_name(ROW_COLUMN),
            quote_name(LINE_COLUMN),
            n = quote_name(NUMBER_COLUMN)
        );
        run(conn, "the staging table", statement).await?;
    }
    Ok(name)
}

/// Makes a new table by a statement that a person has seen (and may have changed).
///
/// # Errors
/// The table is there, the server refuses, or the connection breaks.
pub async fn create_table(
    conn: &mut Conn,
    database: &str,
    statement: &str,
) -> Result<(), LoadError> {
    run(conn, "the opening of the database", format!("USE {}", quote_name(database))).await?;
    run(conn, "the making of the table", statement.to_owned()).await
}

/// Takes a table that was just made out of sight, under the name of a staging table.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn set_aside(
    conn: &mut Conn,
    database: &str,
    table: &str,
    staging: &str,
) -> Result<(), LoadError> {
    let statement = format!(
        "RENAME TABLE {} TO {}",
        quote_table(database, table),
        quote_table(database, staging)
    );
    run(conn, "the setting aside of the new table", statement).await
}

/// Drops a table that the run made itself and that got no row.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn drop_made(conn: &mut Conn, database: &str, table: &str) -> Result<(), LoadError> {
    let statement = format!("DROP TABLE IF EXISTS {}", quote_table(database, table));
    run(conn, "the dropping of the new table", statement).await
}

/// Swaps the filled staging table for the table, in one moment. The old one is left to
/// [`sweep`]: what can fail no more makes no doubt of what has happened.
///
/// # Errors
/// The server refuses or the connection breaks. Called again after a crash it does nothing where
/// the swap has happened.
pub async fn publish(
    conn: &mut Conn,
    database: &str,
    table: &str,
    run_id: &str,
) -> Result<(), LoadError> {
    failpoint::hit("before_publish");
    let (staging, old) = (staging_name(run_id), old_name(run_id));
    if exists(conn, database, &staging).await? {
        let statement = if exists(conn, database, table).await? {
            format!(
                "RENAME TABLE {t} TO {o}, {s} TO {t}",
                t = quote_table(database, table),
                o = quote_table(database, &old),
                s = quote_table(database, &staging)
            )
        } else {
            format!(
                "RENAME TABLE {} TO {}",
                quote_table(database, &staging),
                quote_table(database, table)
            )
        };
        run(conn, "the swap of the tables", statement).await?;
    }
    failpoint::hit("after_publish");
    Ok(())
}

/// Whether a table exists.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn exists(conn: &mut Conn, database: &str, table: &str) -> Result<bool, LoadError> {
    let found: Option<u64> = conn
        .exec_first(
            "SELECT COUNT(*) FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            (database, table),
        )
        .await
        .map_err(|e| LoadError::from_driver("the look for a table", &e))?;
    Ok(found.unwrap_or(0) > 0)
}

/// Drops the staging table of a run, whose rows nobody has seen. The table under the old name is
/// dropped only where the swap has happened, that is where `table` is there.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn sweep(
    conn: &mut Conn,
    database: &str,
    table: &str,
    run_id: &str,
) -> Result<(), LoadError> {
    let statement =
        format!("DROP TABLE IF EXISTS {}", quote_table(database, &staging_name(run_id)));
    run(conn, "the dropping of the staging table", statement).await?;
    if exists(conn, database, table).await? {
        let statement =
            format!("DROP TABLE IF EXISTS {}", quote_table(database, &old_name(run_id)));
        run(conn, "the dropping of the old table", statement).await?;
    }
    Ok(())
}

/// Tables that runs have made in a database, with the kind (`s`, `l`, `o`) and the run's id in
/// lower case: for sweeping what dead runs left.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn leftovers(
    conn: &mut Conn,
    database: &str,
) -> Result<Vec<(char, String, String)>, LoadError> {
    let names: Vec<String> = conn
        .exec(
            "SELECT TABLE_NAME FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE '\\_plimsoll\\_%'",
            (database,),
        )
        .await
        .map_err(|e| LoadError::from_driver("the look for leftovers", &e))?;
    Ok(names
        .into_iter()
        .filter_map(|name| {
            let (kind, run) = name.strip_prefix("_plimsoll_")?.split_once('_')?;
            let kind = kind.chars().next().filter(|_| kind.len() == 1)?;
            let run = run.to_owned();
            Some((kind, run, name))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_is_read() {
        let sql = "CREATE TABLE `t` (\n  `a` int COMMENT ' AUTO_INCREMENT=3'\n) ENGINE=InnoDB \
                   AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4";
        assert_eq!(next_number(sql), Some(7));
        assert_eq!(next_number("CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB"), None);
    }
}
