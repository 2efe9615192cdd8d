//! Shipped rates of each engine: microseconds on one writing connection.
//!
//! Measured on one machine with two cores, 50,000 to 2,000,000 rows of 94 bytes in seven columns,
//! MariaDB 10.11 and MySQL 9. Other machines differ by a factor that the fit learns; the ratios
//! carry over better.

use shared::target::Flavour;

/// Engines that cost alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EngineClass {
    /// InnoDB, and what a TiDB calls so.
    Innodb,
    /// MyRocks.
    Rocksdb,
    /// TokuDB.
    Tokudb,
    /// Aria.
    Aria,
    /// MyISAM.
    Myisam,
    /// Held in memory.
    Memory,
    /// Everything else.
    Other,
}

impl EngineClass {
    /// How many there are.
    pub const COUNT: usize = 7;

    /// The class of an engine by its name.
    #[must_use]
    pub fn of(engine: &str) -> Self {
        match engine.to_ascii_lowercase().as_str() {
            "innodb" | "" => Self::Innodb,
            "rocksdb" => Self::Rocksdb,
            "tokudb" => Self::Tokudb,
            "aria" => Self::Aria,
            "myisam" => Self::Myisam,
            "memory" | "heap" => Self::Memory,
            _ => Self::Other,
        }
    }

    /// Whether a row or an index entry goes to its place in a tree of pages at once, so that rows
    /// out of order cost more and more reads once the tree is larger than memory.
    #[must_use]
    pub const fn updates_in_place(self) -> bool {
        matches!(self, Self::Innodb | Self::Other)
    }

    /// Whether the table's rows lie in the order of its primary key.
    #[must_use]
    pub const fn clusters(self) -> bool {
        !matches!(self, Self::Aria | Self::Myisam | Self::Memory)
    }
}

/// A cost that grows with the logarithm of the table's rows: deeper trees, colder caches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deepening {
    /// Microseconds at 50,000 rows.
    pub at_50k: f64,
    /// Microseconds more with each doubling.
    pub per_doubling: f64,
}

impl Deepening {
    const fn new(at_50k: f64, per_doubling: f64) -> Self {
        Self { at_50k, per_doubling }
    }

    /// Microseconds of all rows from `before` to `after`, rather than of the last one.
    pub(super) fn total_us(self, before: u64, after: u64) -> f64 {
        let up_to = |rows: u64| {
            let rows = rows as f64;
            let doublings = (rows.max(1.0) / 50_000.0).log2();
            rows * self.per_doubling.mul_add(doublings, self.at_50k).max(self.at_50k * 0.4)
        };
        (up_to(after) - up_to(before)).max(0.0)
    }
}

/// What an engine takes, in microseconds a row unless said otherwise.
#[derive(Debug, Clone, Copy)]
pub(super) struct EngineRates {
    /// A row, whatever is in it.
    pub row: f64,
    /// A column more.
    pub column: f64,
    /// A byte of the record.
    pub byte: f64,
    /// More where rows come out of key order, in memory.
    pub scatter: Deepening,
    /// An index entry, rows in key order.
    pub entry: Deepening,
    /// An index entry, rows out of key order.
    pub entry_scattered: Deepening,
    /// A row and index of building indexes afterwards.
    pub build: Deepening,
    /// A row counted where there is the primary key alone.
    pub count: f64,
    /// A row counted where there are other indexes, which are then what is read.
    pub count_indexed: f64,
    /// A row more where it comes by an INSERT or the bulk protocol: what an engine without
    /// transactions does for each statement's row, and not for LOAD DATA's.
    pub by_statement: f64,
    /// A commit that waits for the disk.
    pub commit: f64,
}

/// The shipped rates of an engine on a family of servers, by its ordinary way of writing.
pub(super) const fn rates(class: EngineClass, flavour: Flavour) -> EngineRates {
    match (class, flavour) {
        (EngineClass::Innodb, Flavour::Mariadb) => INNODB_MARIADB,
        (EngineClass::Innodb, Flavour::Mysql) => INNODB_MYSQL,
        (_, Flavour::Tidb) => TIDB,
        (EngineClass::Rocksdb, _) => ROCKSDB,
        (EngineClass::Tokudb, _) => TOKUDB,
        (EngineClass::Aria, _) => ARIA,
        (EngineClass::Myisam, _) => MYISAM,
        (EngineClass::Memory, _) => MEMORY,
        (EngineClass::Other, _) => INNODB_MYSQL,
    }
}

/// The shipped rates of an engine's own bulk loader.
pub(super) const fn bulk_rates(class: EngineClass, flavour: Flavour) -> EngineRates {
    let usual = rates(class, flavour);
    let sorted_later = Deepening::new(0.55, 0.06);
    match class {
        EngineClass::Rocksdb => EngineRates { row: 0.5, column: 0.03, byte: 0.007, ..usual },
        EngineClass::Tokudb => EngineRates { row: 0.7, byte: 0.008, entry: sorted_later, ..usual },
        EngineClass::Aria => {
            let entry = Deepening::new(3.0, 0.15);
            EngineRates { row: 0.7, entry, entry_scattered: entry, ..usual }
        }
        EngineClass::Myisam => {
            let entry = Deepening::new(1.3, 0.12);
            EngineRates { row: 0.95, entry, entry_scattered: entry, ..usual }
        }
        // Entries of a whole table are gathered, sorted and written once.
        _ => EngineRates { entry: sorted_later, entry_scattered: sorted_later, ..usual },
    }
}

const INNODB_MARIADB: EngineRates = EngineRates {
    row: 0.9,
    column: 0.04,
    byte: 0.0085,
    scatter: Deepening::new(0.5, 0.33),
    entry: Deepening::new(0.93, 0.24),
    entry_scattered: Deepening::new(1.23, 0.45),
    build: Deepening::new(0.5, 0.07),
    count: 0.08,
    count_indexed: 0.08,
    by_statement: 0.0,
    commit: 100.0,
};

const INNODB_MYSQL: EngineRates = EngineRates {
    row: 0.95,
    column: 0.09,
    byte: 0.0185,
    scatter: Deepening::new(0.6, 0.35),
    entry: Deepening::new(1.5, 0.3),
    entry_scattered: Deepening::new(1.9, 0.5),
    build: Deepening::new(0.75, 0.09),
    count: 0.06,
    count_indexed: 0.06,
    by_statement: 0.0,
    commit: 340.0,
};

const ROCKSDB: EngineRates = EngineRates {
    row: 1.1,
    column: 0.06,
    byte: 0.0135,
    scatter: Deepening::new(0.6, 0.03),
    entry: Deepening::new(3.5, 0.08),
    entry_scattered: Deepening::new(4.1, 0.08),
    build: Deepening::new(1.5, 0.1),
    count: 0.35,
    count_indexed: 1.8,
    by_statement: 0.0,
    commit: 100.0,
};

const TOKUDB: EngineRates = EngineRates {
    row: 1.6,
    column: 0.08,
    byte: 0.015,
    scatter: Deepening::new(0.3, 0.03),
    entry: Deepening::new(1.8, 0.05),
    entry_scattered: Deepening::new(1.9, 0.05),
    build: Deepening::new(1.0, 0.05),
    count: 0.3,
    count_indexed: 0.3,
    by_statement: 0.0,
    commit: 100.0,
};

// Each row and entry is logged, unless LOAD DATA meets an empty table.
const ARIA: EngineRates = EngineRates {
    row: 1.0,
    column: 0.05,
    byte: 0.0106,
    scatter: Deepening::new(0.05, 0.01),
    entry: Deepening::new(7.1, 1.0),
    entry_scattered: Deepening::new(8.0, 1.2),
    build: Deepening::new(0.45, 0.18),
    count: 0.01,
    count_indexed: 0.01,
    by_statement: 4.3,
    commit: 20.0,
};

const MYISAM: EngineRates = EngineRates {
    entry: Deepening::new(1.9, 0.25),
    entry_scattered: Deepening::new(2.1, 0.3),
    build: Deepening::new(0.35, 0.25),
    by_statement: 0.0,
    ..ARIA
};

const MEMORY: EngineRates = EngineRates {
    row: 0.4,
    byte: 0.009,
    entry: Deepening::new(0.4, 0.05),
    entry_scattered: Deepening::new(0.5, 0.08),
    by_statement: 0.0,
    commit: 1.0,
    ..ARIA
};

const TIDB: EngineRates = EngineRates {
    row: 5.0,
    column: 0.3,
    byte: 0.05,
    scatter: Deepening::new(0.3, 0.05),
    entry: Deepening::new(4.0, 0.1),
    entry_scattered: Deepening::new(4.5, 0.1),
    build: Deepening::new(2.0, 0.1),
    count: 0.2,
    count_indexed: 0.2,
    by_statement: 0.0,
    commit: 3000.0,
};
