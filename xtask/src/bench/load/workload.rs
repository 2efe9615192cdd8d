//! What is loaded, and what it is compared with.

use super::server::Family;
use crate::bench::orders::Ids;

/// What a load is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The client's LOAD DATA LOCAL in one session, into a table of the same engine.
    Plain,
    /// The same, into a table of InnoDB.
    PlainInnodb,
    /// This program, told not to sort.
    Unsorted,
}

/// One line of the table.
pub struct Workload {
    /// What to type.
    pub name: &'static str,
    /// What is loaded, for a reader.
    pub about: &'static str,
    pub family: Family,
    pub pool_mb: u32,
    pub engine: &'static str,
    pub ids: Ids,
    pub rows: u64,
    /// Rows that are in the table before.
    pub rows_before: u64,
    /// Whether the table has three indexes beside its primary key.
    pub indexes: bool,
    pub against: Against,
    /// The options of this program's run, beside what it chooses itself.
    pub options: &'static str,
    /// How many times faster it is meant to be at least.
    pub wanted: f64,
}

const SORTED: Workload = Workload {
    name: "key-order",
    about: "key order, primary key only",
    family: Family::Mariadb,
    pool_mb: 2048,
    engine: "InnoDB",
    ids: Ids::InOrder,
    rows: 2_000_000,
    rows_before: 0,
    indexes: false,
    against: Against::Plain,
    options: "{}",
    wanted: 1.5,
};

/// Every workload, in the order in which they are run.
pub const WORKLOADS: &[Workload] = &[
    SORTED,
    Workload {
        name: "indexes",
        about: "key order, 3 indexes",
        indexes: true,
        wanted: 2.2,
        ..SORTED
    },
    Workload {
        name: "random-indexes",
        about: "random order, 3 indexes",
        ids: Ids::Shuffled,
        indexes: true,
        wanted: 3.2,
        ..SORTED
    },
    Workload {
        name: "small-pool",
        about: "random order, primary key only, pool 64 MB",
        ids: Ids::Shuffled,
        pool_mb: 64,
        wanted: 25.0,
        ..SORTED
    },
    Workload {
        name: "small-pool-indexes",
        about: "random order, 3 indexes, pool 64 MB",
        ids: Ids::Shuffled,
        pool_mb: 64,
        indexes: true,
        wanted: 30.0,
        ..SORTED
    },
    Workload {
        name: "mysql",
        about: "MySQL, random order, 3 indexes",
        family: Family::Mysql,
        ids: Ids::Shuffled,
        indexes: true,
        wanted: 3.0,
        ..SORTED
    },
    Workload {
        name: "myrocks",
        about: "MyRocks, key order, against InnoDB's plain load",
        engine: "RocksDB",
        against: Against::PlainInnodb,
        wanted: 2.0,
        ..SORTED
    },
    Workload {
        name: "append",
        about: "500,000 rows more for a table of 2,000,000, 3 indexes",
        rows: 500_000,
        rows_before: 2_000_000,
        indexes: true,
        wanted: 0.95,
        ..SORTED
    },
    Workload {
        name: "sort-beyond-memory",
        about: "20,000,000 random rows, sorted in 128 MB, pool 256 MB, against not sorting",
        ids: Ids::Shuffled,
        rows: 20_000_000,
        pool_mb: 256,
        against: Against::Unsorted,
        options: "{\"sort_bytes\": 134217728}",
        wanted: 1.0,
        ..SORTED
    },
];

/// The statement that makes the table.
pub fn create_table(engine: &str, indexes: bool) -> String {
    let keys = if indexes {
        ", UNIQUE KEY uq_email (email), KEY k_city (city, amount), KEY k_created (created_at)"
    } else {
        ""
    };
    format!(
        "CREATE TABLE bench.orders (id BIGINT PRIMARY KEY, email VARCHAR(64) NOT NULL, \
         city VARCHAR(32), amount DECIMAL(12,2), level INT, created_at DATETIME, \
         note VARCHAR(100){keys}) ENGINE={engine}"
    )
}
