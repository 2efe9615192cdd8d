//! What is to be loaded, and where, in numbers.

use serde::{Deserialize, Serialize};
use shared::target::Flavour;

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
}

impl Shape {
    /// Mean bytes of a record.
    #[must_use]
    pub fn record_bytes(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.bytes as f64 / self.rows as f64 }
    }

    /// Bytes that the clustered rows of the table take once loaded: about the text's size, and the
    /// engine's own share of each row and page.
    #[must_use]
    pub fn data_bytes_after(&self) -> u64 {
        let new = self.rows as f64 * (self.record_bytes() + 22.0) * 1.08;
        self.bytes_before + new as u64
    }

    /// Bytes that the whole table takes once loaded, indexes included.
    #[must_use]
    pub fn table_bytes_after(&self) -> u64 {
        let entry = 0.28f64.mul_add(self.record_bytes(), 14.0) * 1.3;
        self.data_bytes_after() + (self.rows as f64 * entry * f64::from(self.indexes)) as u64
    }
}
