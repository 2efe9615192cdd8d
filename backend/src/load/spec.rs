//! Everything that a loader needs to know, settled before the first row.

use std::sync::Arc;
use std::time::Duration;

use shared::plan::{Choice, OnDuplicate, OnError, Order, Strategy};
use shared::target::{Capabilities, Flavour, IndexKind, TableFacts};

use super::{Cancel, LoadError, Session, Turnstile, ledger, server_files};
use crate::domain::{Fit, ServerFiles, WireColumn, Wrap};
use crate::target::TargetSpec;

/// Column of a staging table that tells the row of the file.
pub(super) const ROW_COLUMN: &str = "_plimsoll_row";
/// Column of a staging table that numbers the rows of all files in the order of reading.
pub(super) const NUMBER_COLUMN: &str = "_plimsoll_n";
/// Column of a staging table that tells the line of the file.
pub(super) const LINE_COLUMN: &str = "_plimsoll_line";

/// A key whose values may not be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNames {
    /// Its name; `PRIMARY` for the primary key.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<String>,
}

/// How often and how patiently a chunk is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts after the first.
    pub tries: u32,
    /// Wait before the second attempt; each further one waits twice as long.
    pub wait_first: Duration,
    /// Longest wait.
    pub wait_max: Duration,
}

impl Default for RetryPolicy {
    /// Enough for a server that restarts: about half a minute in all.
    fn default() -> Self {
        Self { tries: 12, wait_first: Duration::from_millis(30), wait_max: Duration::from_secs(5) }
    }
}

impl RetryPolicy {
    /// How long to wait before attempt `attempt` (from 0) is made again.
    #[must_use]
    pub fn wait(&self, attempt: u32) -> Duration {
        let factor = 1_u32.checked_shl(attempt.min(16)).unwrap_or(u32::MAX);
        self.wait_first.saturating_mul(factor).min(self.wait_max)
    }
}

/// What a loader writes, where and how.
#[derive(Debug, Clone)]
pub struct LoadSpec {
    /// The server.
    pub target: TargetSpec,
    /// The database.
    pub database: String,
    /// The physical table: the real one or a staging table.
    pub table: String,
    /// Its engine.
    pub engine: String,
    /// Whether the engine has transactions.
    pub transactional: bool,
    /// The server's family.
    pub flavour: Flavour,
    /// The server's version.
    pub version: (u16, u16, u16),
    /// Columns that the rows fill, in the order of the canonical form.
    pub columns: Vec<WireColumn>,
    /// How rows are written.
    pub strategy: Strategy,
    /// What a repeated key means.
    pub on_duplicate: OnDuplicate,
    /// Whether the first bad record stops the run (its chunk is undone).
    pub stop_on_reject: bool,
    /// Bytes of one INSERT at most.
    pub batch_bytes: u64,
    /// Rows of one INSERT at most.
    pub batch_rows: Option<u32>,
    /// The server's limit for one packet.
    pub max_allowed_packet: u64,
    /// Name of the ledger table, in the same database.
    pub ledger: String,
    /// How the session is set.
    pub session: Session,
    /// Columns that the server computes.
    pub generated: Vec<String>,
    /// Unique keys of the table, for naming duplicates.
    pub keys: Vec<KeyNames>,
    /// Whether the server reads files, and from where.
    pub server_files: ServerFiles,
    /// How the names of such files begin.
    pub file_prefix: String,
    /// Whether the table was empty and is nobody else's while it is loaded.
    pub alone: bool,
    /// Whether other indexes than the primary key are there meanwhile.
    pub secondary_keys: bool,
    /// Whether the server numbers a column.
    pub numbered: bool,
    /// Whether the table is partitioned.
    pub partitioned: bool,
    /// Whether LOAD DATA LOCAL is allowed.
    pub local_infile: bool,
    /// Whether it is a Galera node.
    pub galera: bool,
    /// Whether each row carries its row and line of the file, into a staging table made for that.
    pub positions: bool,
    /// Whether the chunks come in the order of the primary key (sorted, or found so).
    pub sorted: bool,
    /// Patience.
    pub retry: RetryPolicy,
    /// Chunks strictly one after another, where their order decides what stays.
    pub turnstile: Option<Arc<Turnstile>>,
    /// The switch that stops the run.
    pub cancel: Cancel,
}

impl LoadSpec {
    /// The spec for writing straight into `table`. For a staging table change
    /// [`LoadSpec::table`] afterwards.
    #[must_use]
    pub fn new(
        target: &TargetSpec,
        table: &TableFacts,
        columns: Vec<WireColumn>,
        choice: &Choice,
        capabilities: &Capabilities,
        run_id: &str,
    ) -> Self {
        let transactional = capabilities
            .engines
            .iter()
            .find(|e| e.name.eq_ignore_ascii_case(&table.engine))
            .is_none_or(|e| e.transactions);
        let keys = unique_keys(table);
        let sorted = choice.order == Order::SortByPrimaryKey;
        let turnstile =
            needs_order(choice.on_duplicate, &keys, sorted).then(|| Arc::new(Turnstile::default()));
        Self {
            target: target.clone(),
            database: table.database.clone(),
            table: table.name.clone(),
            engine: table.engine.clone(),
            transactional,
            flavour: capabilities.flavour,
            version: capabilities.version,
            columns,
            strategy: choice.strategy,
            on_duplicate: choice.on_duplicate,
            stop_on_reject: choice.on_error == OnError::Stop,
            batch_bytes: choice.batch_bytes,
            batch_rows: choice.batch_rows,
            max_allowed_packet: capabilities.max_allowed_packet,
            ledger: ledger::table_name(run_id),
            session: Session::default(),
            generated: table
                .columns
                .iter()
                .filter(|c| c.generated)
                .map(|c| c.name.clone())
                .collect(),
            keys,
            server_files: ServerFiles::Off,
            file_prefix: server_files::prefix(run_id),
            alone: table.empty && table.foreign_keys.is_empty(),
            secondary_keys: table.indexes.iter().any(|i| i.kind != IndexKind::Primary),
            numbered: table.columns.iter().any(|c| c.auto_increment),
            partitioned: table.partitioned,
            local_infile: capabilities.local_infile,
            galera: capabilities.galera,
            positions: false,
            sorted,
            retry: RetryPolicy::default(),
            turnstile,
            cancel: Cancel::new(),
        }
    }

    /// Lets the rows carry their row and line of the file, for a staging table made by
    /// [`super::staging::create_with_positions`].
    #[must_use]
    pub fn with_positions(mut self) -> Self {
        if !self.positions {
            self.positions = true;
            // The numbers of the rows have a key.
            self.secondary_keys = true;
            for name in [ROW_COLUMN, LINE_COLUMN, NUMBER_COLUMN] {
                self.columns.push(WireColumn::text(name, Wrap::Plain));
            }
        }
        self
    }

    /// Whether the engine is `name`.
    #[must_use]
    pub fn is_engine(&self, name: &str) -> bool {
        self.engine.eq_ignore_ascii_case(name)
    }

    /// Whether the whole file is one transaction.
    #[must_use]
    pub fn one_transaction(&self) -> bool {
        match self.strategy {
            Strategy::SingleTransaction => true,
            Strategy::EngineBulk => !self.is_engine("RocksDB"),
            Strategy::LoadData
            | Strategy::LoadDataServer
            | Strategy::Insert
            | Strategy::BulkProtocol
            | Strategy::RowByRow => false,
        }
    }

    /// Whether rows go in by INSERT.
    pub(super) fn by_insert(&self) -> bool {
        match self.strategy {
            Strategy::Insert | Strategy::SingleTransaction | Strategy::RowByRow => true,
            // LOAD DATA knows no rule that writes over the values of a row.
            Strategy::LoadData | Strategy::LoadDataServer => {
                self.on_duplicate == OnDuplicate::Update
            }
            // The bulk protocol's answer does not tell new rows from changed ones.
            Strategy::BulkProtocol => self.on_duplicate != OnDuplicate::Reject,
            Strategy::EngineBulk => false,
        }
    }

    /// Whether the whole file is one statement.
    #[must_use]
    pub fn one_statement(&self) -> bool {
        self.strategy == Strategy::EngineBulk && self.one_transaction()
    }

    /// The statements that set a writing session.
    pub(super) fn session_statements(&self) -> Vec<String> {
        // The statement that gets InnoDB's bulk insert is one that checks neither kind of key.
        let bulk = self.strategy == Strategy::EngineBulk && self.is_engine("InnoDB");
        let session = Session {
            unique_checks: self.session.unique_checks && !bulk,
            foreign_key_checks: self.session.foreign_key_checks && !bulk,
            ..self.session.clone()
        };
        session.statements(self.flavour, &self.engine)
    }

    /// Whether the server and the engine can do what is asked for.
    ///
    /// # Errors
    /// [`LoadError::Unfit`] with the reason.
    pub fn check(&self) -> Result<(), LoadError> {
        let fit = Fit {
            strategy: self.strategy,
            engine: &self.engine,
            flavour: self.flavour,
            version: self.version,
            galera: self.galera,
            local_infile: self.local_infile,
            server_files: &self.server_files,
            on_duplicate: self.on_duplicate,
            alone: self.alone,
            sorted: self.sorted,
            secondary_keys: self.secondary_keys,
            numbered: self.numbered,
            partitioned: self.partitioned,
        };
        match fit.hindrance() {
            Some(h) => Err(LoadError::Unfit(format!("{} {}", h.finding, h.advice))),
            None => Ok(()),
        }
    }
}

/// Unique keys of a table, the primary key first.
pub(super) fn unique_keys(table: &TableFacts) -> Vec<KeyNames> {
    table
        .indexes
        .iter()
        .filter(|i| matches!(i.kind, IndexKind::Primary | IndexKind::Unique))
        .map(|i| KeyNames { name: i.name.clone(), columns: i.columns.clone() })
        .collect()
}

/// Whether chunks must be written one after another for the end to be as one loader would leave
/// it. Rows sorted by the primary key lie together with their like, so only a second unique key
/// asks for order then.
#[must_use]
pub(super) fn needs_order(on_duplicate: OnDuplicate, keys: &[KeyNames], sorted: bool) -> bool {
    on_duplicate != OnDuplicate::Reject && keys_decide(keys, sorted)
}

/// Whether the order of chunks can decide which of two rows with one key stays.
#[must_use]
pub fn keys_decide(keys: &[KeyNames], sorted: bool) -> bool {
    let only_primary = keys.iter().all(|k| k.name == "PRIMARY");
    let together = sorted && only_primary;
    !(keys.is_empty() || together)
}

/// The most writing connections that make sense, and why, where there is a limit.
#[must_use]
pub fn workers_max(
    strategy: Strategy,
    engine: &str,
    transactional: bool,
) -> Option<(u32, &'static str)> {
    if !transactional {
        return Some((1, "The engine lets one session write at a time."));
    }
    match strategy {
        Strategy::SingleTransaction => Some((1, "One transaction has one connection.")),
        Strategy::EngineBulk if engine.eq_ignore_ascii_case("RocksDB") => Some((
            1,
            "MyRocks loses rows, and may fail, where two sessions load a table in bulk at once.",
        )),
        Strategy::EngineBulk => {
            Some((1, "The engine's bulk loader is one statement that locks the table."))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_matters_only_where_a_repeated_key_decides() {
        let key = |name: &str| KeyNames { name: name.into(), columns: vec!["a".into()] };
        let (primary, both) = ([key("PRIMARY")], [key("PRIMARY"), key("uq")]);
        assert!(!needs_order(OnDuplicate::Reject, &both, false));
        assert!(!needs_order(OnDuplicate::Replace, &[], false));
        assert!(needs_order(OnDuplicate::Replace, &primary, false));
        assert!(!needs_order(OnDuplicate::Replace, &primary, true));
        assert!(needs_order(OnDuplicate::Update, &both, true));
    }

    #[test]
    fn waits_grow_up_to_the_limit() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait(0), Duration::from_millis(30));
        assert_eq!(policy.wait(1), Duration::from_millis(60));
        assert_eq!(policy.wait(40), policy.wait_max);
    }
}
