//! What is to be loaded, and where, in numbers.

use serde::{Deserialize, Serialize};
use shared::plan::{Choice, IndexPolicy, Order, Strategy};
use shared::target::Flavour;

use super::engine::EngineClass;

/// The facts that a load's time depends on, beside the choices. Stored with every run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Records of the file.
    pub rows: u64,
    /// Bytes of those records, unpacked.
    pub bytes: u64,
    /// Whether the records come in the order of the table's primary key.
    pub in_key_order: bool,
    /// Whether the table has a primary key that the file fills.
    pub has_key: bool,
    /// Indexes beside the primary key.
    pub indexes: u32,
    /// Of those, the unique ones.
    pub unique_indexes: u32,
    /// Rows in the table before.
    pub rows_before: u64,
    /// Bytes of the table before, indexes included.
    pub bytes_before: u64,
    /// The server's buffer pool.
    pub pool_bytes: u64,
    /// The server's family.
    pub flavour: Flavour,
    /// Round trip in microseconds.
    pub round_trip_us: u64,
    /// Cores of the machine that reads and checks the file.
    pub cores: u32,
    /// Columns that the file fills; runs of old did not tell.
    #[serde(default = "usual_columns")]
    pub columns: u32,
    /// Whether rows gathered aside are copied into the table at the end, rather than swapped in.
    #[serde(default)]
    pub copies: bool,
    /// Whether each commit waits for the disk (innodb_flush_log_at_trx_commit is 1).
    #[serde(default = "yes")]
    pub flushes: bool,
    /// Whether the binary log is written.
    #[serde(default)]
    pub binary_log: bool,
    /// Mean bytes of an entry of the indexes beside the primary key, the row's key included;
    /// runs of old did not tell, and nobody knows where the table is only thought of.
    #[serde(default)]
    pub entry_width: Option<f64>,
}

const fn usual_columns() -> u32 {
    7
}

const fn yes() -> bool {
    true
}

/// Share of the buffer pool that a load can count on for its own pages.
const POOL_SHARE: f64 = 0.75;

impl Shape {
    /// Mean bytes of a record.
    #[must_use]
    pub fn record_bytes(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.bytes as f64 / self.rows as f64 }
    }

    /// The same load with another number of rows.
    #[must_use]
    pub fn with_rows(&self, rows: u64) -> Self {
        let bytes = (self.record_bytes() * rows as f64) as u64;
        Self { rows, bytes, ..self.clone() }
    }

    /// Rows in the table once loaded.
    #[must_use]
    pub const fn rows_after(&self) -> u64 {
        self.rows_before + self.rows
    }

    /// Bytes of one clustered row: about the text's size, and the engine's own share of each row
    /// and page.
    #[must_use]
    pub fn row_bytes(&self) -> f64 {
        (self.record_bytes() + 22.0) * 1.08
    }

    /// Bytes of a record whose clustered row takes so many: the other way round.
    #[must_use]
    pub fn record_bytes_of(row_bytes: f64) -> f64 {
        (row_bytes / 1.08 - 22.0).max(4.0)
    }

    /// Bytes of one entry in one index, page overhead included.
    #[must_use]
    pub fn entry_bytes(&self) -> f64 {
        let usual = || 0.28f64.mul_add(self.record_bytes(), 14.0);
        self.entry_width.unwrap_or_else(usual) * 1.3
    }

    /// Bytes that the clustered rows of the table take once loaded.
    #[must_use]
    pub fn data_bytes_after(&self) -> u64 {
        self.bytes_before + (self.rows as f64 * self.row_bytes()) as u64
    }

    /// Bytes that new index entries take.
    #[must_use]
    pub fn index_bytes_new(&self) -> u64 {
        (self.rows as f64 * f64::from(self.indexes) * self.entry_bytes()) as u64
    }

    /// Bytes that the whole table takes once loaded, indexes included.
    #[must_use]
    pub fn table_bytes_after(&self) -> u64 {
        self.data_bytes_after() + self.index_bytes_new()
    }

    /// Whether rows reach the table in the order of its key.
    #[must_use]
    pub fn is_sorted(&self, choice: &Choice) -> bool {
        self.in_key_order || choice.order == Order::SortByPrimaryKey || !self.has_key
    }

    /// Indexes that a policy keeps up row by row.
    #[must_use]
    pub fn kept(&self, policy: IndexPolicy) -> u32 {
        if policy == IndexPolicy::Keep { self.indexes } else { 0 }
    }

    /// Indexes that are kept up row by row.
    #[must_use]
    pub fn kept_indexes(&self, choice: &Choice) -> u32 {
        self.kept(choice.index_policy)
    }

    /// Bytes of the pool that a load can count on.
    #[must_use]
    pub fn usable_pool(&self) -> f64 {
        self.pool_bytes as f64 * POOL_SHARE
    }

    /// Bytes a row of what is written to at random places: clustered rows out of key order, and
    /// index entries whatever the order of the file is. An engine that writes one sorted run after
    /// the other, or appends, has none.
    #[must_use]
    pub fn scattered_row_bytes(&self, choice: &Choice) -> f64 {
        let bulk = choice.strategy == Strategy::EngineBulk;
        if !EngineClass::of(&choice.engine).updates_in_place() || bulk {
            return 0.0;
        }
        let rows = if self.is_sorted(choice) { 0.0 } else { self.row_bytes() };
        f64::from(self.kept_indexes(choice)).mul_add(self.entry_bytes(), rows)
    }

    /// Rows in the table at which what is written at random no longer fits into the pool: the
    /// bend of the curve. None where rows and entries are written in order.
    #[must_use]
    pub fn bend_rows(&self, choice: &Choice) -> Option<u64> {
        let bytes = self.scattered_row_bytes(choice);
        (bytes > 0.0).then(|| (self.usable_pool() / bytes) as u64)
    }
}
