//! How a writing connection is set. Settings are the session's own: they end with it.

use shared::target::Flavour;

/// The strict mode of our own. NO_AUTO_VALUE_ON_ZERO keeps a 0 of the file a 0.
const SQL_MODE: &str = "STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
    ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO";

/// Modes under which our own statements would mean something else.
const NEVER: [&str; 8] = [
    "NO_BACKSLASH_ESCAPES",
    "ANSI_QUOTES",
    "ANSI",
    "ORACLE",
    "DB2",
    "MSSQL",
    "POSTGRESQL",
    "MAXDB",
];

/// Settings of a writing session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The zone in which times are meant; none leaves the server's.
    pub time_zone: Option<String>,
    /// The user's own sql_mode instead of ours.
    pub sql_mode: Option<String>,
    /// Whether unique keys are checked row by row.
    pub unique_checks: bool,
    /// Whether foreign keys are checked row by row.
    pub foreign_key_checks: bool,
    /// Whether the binary log is passed over: replicas will not get these rows.
    pub skip_binary_log: bool,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            time_zone: None,
            sql_mode: None,
            unique_checks: true,
            foreign_key_checks: true,
            skip_binary_log: false,
        }
    }
}

impl Session {
    /// The statements that set it, for a table of `engine`.
    #[must_use]
    pub fn statements(&self, flavour: Flavour, engine: &str) -> Vec<String> {
        let on = |flag: bool| if flag { 1 } else { 0 };
        let mut settings = vec![
            format!("SESSION sql_mode = '{}'", self.mode()),
            format!("SESSION unique_checks = {}", on(self.unique_checks)),
            format!("SESSION foreign_key_checks = {}", on(self.foreign_key_checks)),
            // A worker waits for its reader, its turn and the slower half of the line.
            "SESSION wait_timeout = 28800".to_owned(),
            "SESSION net_read_timeout = 600".to_owned(),
            "SESSION net_write_timeout = 600".to_owned(),
        ];
        if matches!(flavour, Flavour::Mariadb) {
            // MySQL lets only administrators raise it.
            settings.push("SESSION max_error_count = 65535".to_owned());
        }
        if let Some(zone) = &self.time_zone {
            settings.push(format!("SESSION time_zone = {}", quote_text(zone)));
        }
        if self.skip_binary_log {
            settings.push("SESSION sql_log_bin = 0".to_owned());
        }
        if matches!(flavour, Flavour::Mariadb) {
            settings.push("SESSION max_statement_time = 0".to_owned());
            if engine.eq_ignore_ascii_case("RocksDB") {
                // One chunk is one transaction; the default stops it at a million rows.
                settings.push("SESSION rocksdb_max_row_locks = 1073741824".to_owned());
            }
        }
        let mut statements = vec!["SET NAMES utf8mb4".to_owned()];
        statements.push(format!("SET {}", settings.join(", ")));
        // Fewer gap locks between workers; the rows of a load depend on no earlier read.
        statements.push("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED".to_owned());
        statements
    }

    fn mode(&self) -> String {
        let wanted = self.sql_mode.as_deref().unwrap_or(SQL_MODE);
        let kept: Vec<&str> = wanted
            .split(',')
            .map(str::trim)
            .filter(|m| !m.is_empty() && m.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
            .filter(|m| !NEVER.iter().any(|n| n.eq_ignore_ascii_case(m)))
            .collect();
        kept.join(",")
    }
}

/// A text as a literal, under a mode in which the backslash escapes.
pub(super) fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_would_change_our_statements_is_left_out() {
        let session = Session {
            sql_mode: Some("STRICT_TRANS_TABLES, NO_BACKSLASH_ESCAPES,ansi_quotes,x'y".into()),
            time_zone: Some("it's".into()),
            ..Session::default()
        };
        let all = session.statements(Flavour::Mariadb, "RocksDB").join(";");
        assert!(all.contains("sql_mode = 'STRICT_TRANS_TABLES',"), "{all}");
        assert!(all.contains("time_zone = 'it\\'s'"), "{all}");
        assert!(all.contains("rocksdb_max_row_locks"), "{all}");
        assert!(!Session::default().statements(Flavour::Mysql, "InnoDB")[1].contains("rocksdb"));
    }
}
