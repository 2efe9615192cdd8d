//! How often the whole server flushes commits: relaxed for the time of a load where somebody with
//! the right asks for that, and put back.
//!
//! What is to be put back is saved by the caller before anything is changed. A setting that is
//! relaxed already is not touched, so that of two loads the first one's is the one put back.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use serde::{Deserialize, Serialize};

use super::LoadError;

/// Settings, and what they are relaxed to: the log is written at each commit and flushed once a
/// second; the binary log when the system likes.
const RELAXED: [(&str, u64); 2] = [("innodb_flush_log_at_trx_commit", 2), ("sync_binlog", 0)];

/// A setting of the server and its value before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
}

/// Settings that can be relaxed, as they are now.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn current(conn: &mut Conn) -> Result<Vec<Setting>, LoadError> {
    let mut found = Vec::new();
    for (name, relaxed) in RELAXED {
        let value: Option<u64> = conn
            .query_first(format!("SELECT @@GLOBAL.{name}"))
            .await
            .map_err(|e| LoadError::from_driver("the look at its settings", &e))?;
        found.extend(
            value.filter(|v| *v != relaxed).map(|value| Setting { name: name.to_owned(), value }),
        );
    }
    Ok(found)
}

/// Relaxes settings that [`current`] gave.
///
/// # Errors
/// The user lacks the right, or the connection breaks.
pub async fn relax(conn: &mut Conn, settings: &[Setting]) -> Result<(), LoadError> {
    for (name, relaxed) in RELAXED {
        if settings.iter().any(|s| s.name == name) {
            set(conn, name, relaxed).await?;
        }
    }
    Ok(())
}

/// Puts settings back.
///
/// # Errors
/// As [`relax`].
pub async fn restore(conn: &mut Conn, settings: &[Setting]) -> Result<(), LoadError> {
    for (name, _) in RELAXED {
        if let Some(setting) = settings.iter().find(|s| s.name == name) {
            set(conn, name, setting.value).await?;
        }
    }
    Ok(())
}

async fn set(conn: &mut Conn, name: &str, value: u64) -> Result<(), LoadError> {
    conn.query_drop(format!("SET GLOBAL {name} = {value}"))
        .await
        .map_err(|e| LoadError::from_driver("a setting of the whole server", &e))
}
