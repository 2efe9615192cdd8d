//! What is done to which load, and where: all of it from one number.

use std::fmt;

use plimsoll_tests::Flavour;
use serde_json::{Value, json};

/// How many kinds of harm there are.
pub const KINDS: u64 = 5;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    KillService,
    KillServer,
    CutConnection,
    FillDisk,
    RevokeRight,
}

impl Harm {
    pub const ALL: [Self; KINDS as usize] = [
        Self::KillService,
        Self::KillServer,
        Self::CutConnection,
        Self::FillDisk,
        Self::RevokeRight,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::KillService => "kill service",
            Self::KillServer => "kill server",
            Self::CutConnection => "cut connection",
            Self::FillDisk => "fill disk",
            Self::RevokeRight => "revoke right",
        }
    }
}

/// The table before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Not there.
    Missing,
    /// There and empty.
    Empty,
    /// With rows that stay.
    Rows,
    /// With rows that are replaced.
    Replaced,
}

/// A way to load.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub strategy: &'static str,
    pub engine: &'static str,
    pub before: Before,
    /// More options, as JSON.
    options: &'static str,
    /// Places at which it can be disturbed, beside those that every load has.
    places: &'static [&'static str],
}

impl Way {
    fn is_had_by(&self, flavour: Flavour) -> bool {
        let common = matches!(self.engine, "InnoDB" | "MyISAM")
            && !matches!(self.strategy, "engine_bulk" | "bulk_protocol");
        flavour == Flavour::MariaDb || common
    }
}

const PREPARED: [&str; 2] = ["after_create_ledger", "before_analyze"];
const CHUNKS: &[&str] = &["before_commit", "after_commit", "before_count"];
const STAGED: &[&str] = &[
    "after_create_staging",
    "before_commit",
    "after_commit",
    "before_count",
    "before_publish",
    "after_publish",
];
const DEFERRED: &[&str] = &[
    "after_create_staging",
    "after_drop_indexes",
    "before_commit",
    "after_commit",
    "before_rebuild",
    "after_rebuild",
    "before_publish",
    "after_publish",
];
const DEFERRED_DIRECT: &[&str] = &[
    "after_drop_indexes",
    "before_commit",
    "after_commit",
    "before_rebuild",
    "after_rebuild",
    "before_count",
];
const BULK: &[&str] = &[
    "after_create_staging",
    "in_engine_bulk",
    "before_commit",
    "after_commit",
    "before_rebuild",
    "before_publish",
    "after_publish",
];

const fn way(
    strategy: &'static str,
    engine: &'static str,
    before: Before,
    options: &'static str,
    places: &'static [&'static str],
) -> Way {
    Way { strategy, engine, before, options, places }
}

const DEFER: &str = r#"{"index_policy": "drop_and_rebuild"}"#;
const DEFER_APPEND: &str = r#"{"index_policy": "drop_and_rebuild", "on_error": "reject"}"#;
const SORT: &str =
    r#"{"index_policy": "drop_and_rebuild", "order": "sort_by_primary_key", "sort_bytes": 65536}"#;
const SORTED: &[&str] =
    &["in_sort", "after_create_staging", "before_commit", "after_commit", "before_publish"];
const GATHER: &str = r#"{"visibility": "all_at_once"}"#;
const ARRIVE: &str = r#"{"visibility": "as_they_arrive"}"#;

/// Every way that is disturbed.
pub const WAYS: &[Way] = &[
    way("load_data", "InnoDB", Before::Empty, DEFER, DEFERRED),
    way("load_data", "InnoDB", Before::Rows, DEFER_APPEND, DEFERRED_DIRECT),
    way("engine_bulk", "RocksDB", Before::Empty, "{}", BULK),
    way("load_data_server", "InnoDB", Before::Rows, "{}", CHUNKS),
    way("insert", "InnoDB", Before::Rows, "{}", CHUNKS),
    way("engine_bulk", "InnoDB", Before::Empty, DEFER, BULK),
    way("load_data", "InnoDB", Before::Rows, GATHER, STAGED),
    way("bulk_protocol", "InnoDB", Before::Rows, "{}", CHUNKS),
    way("load_data", "Aria", Before::Empty, DEFER, DEFERRED),
    way("row_by_row", "InnoDB", Before::Rows, r#"{"max_bytes_per_sec": 100000000}"#, CHUNKS),
    way("load_data", "InnoDB", Before::Empty, SORT, SORTED),
    way("single_transaction", "InnoDB", Before::Rows, "{}", CHUNKS),
    way("load_data", "RocksDB", Before::Rows, "{}", CHUNKS),
    way("engine_bulk", "MyISAM", Before::Empty, "{}", BULK),
    way("load_data", "InnoDB", Before::Replaced, DEFER, DEFERRED),
    way("load_data", "InnoDB", Before::Missing, ARRIVE, CHUNKS),
    way(
        "load_data_server",
        "InnoDB",
        Before::Missing,
        "{}",
        &["after_server_file", "before_commit", "before_publish", "after_publish"],
    ),
    way("insert", "MyISAM", Before::Empty, "{}", STAGED),
    way("engine_bulk", "Aria", Before::Missing, "{}", BULK),
    way("single_transaction", "InnoDB", Before::Empty, "{}", STAGED),
    way("load_data_server", "RocksDB", Before::Empty, DEFER, DEFERRED),
    way("bulk_protocol", "RocksDB", Before::Missing, "{}", STAGED),
    way("row_by_row", "InnoDB", Before::Empty, "{}", STAGED),
];

/// One disturbed run.
#[derive(Clone, Debug)]
pub struct Case {
    pub harm: Harm,
    pub way: Way,
    /// The place, and at which of its times.
    pub place: &'static str,
    pub at: u64,
    /// A number for what else is left to chance.
    pub dice: u64,
}

impl Case {
    /// Every kind of harm in turn, every way of the server in turn, the place by chance.
    pub fn of(seed: u64, flavour: Flavour) -> Self {
        let dice = mix(seed);
        let ways: Vec<Way> = WAYS.iter().filter(|w| w.is_had_by(flavour)).copied().collect();
        let way = ways[((seed / KINDS + seed % KINDS * 5) % ways.len() as u64) as usize];
        let places: Vec<&str> = way.places.iter().chain(&PREPARED).copied().collect();
        let place = places[(dice % places.len() as u64) as usize];
        let many = matches!(place, "before_commit" | "after_commit" | "in_engine_bulk" | "in_sort");
        // A load that is one transaction commits once.
        let once = way.strategy == "single_transaction"
            || (way.strategy == "engine_bulk"
                && way.engine != "RocksDB"
                && place != "in_engine_bulk");
        let at = if many && !once { 1 + (dice >> 16) % 6 } else { 1 };
        Self { harm: Harm::ALL[(seed % KINDS) as usize], way, place, at, dice }
    }

    /// Rows of the file.
    pub fn rows(&self) -> u64 {
        if self.way.strategy == "row_by_row" { 600 } else { 4_000 }
    }

    /// Rows in the table before, ids from a million on.
    pub fn rows_before(&self) -> u64 {
        match self.way.before {
            Before::Missing | Before::Empty => 0,
            Before::Rows | Before::Replaced => 40,
        }
    }

    /// Rows in the table after a success.
    pub fn rows_after(&self) -> u64 {
        match self.way.before {
            Before::Rows => self.rows() + self.rows_before(),
            _ => self.rows(),
        }
    }

    /// The options of the import.
    pub fn options(&self) -> Value {
        let mut options: Value = serde_json::from_str(self.way.options).unwrap_or_default();
        options["strategy"] = json!(self.way.strategy);
        options["chunk_bytes"] =
            json!(if self.way.strategy == "row_by_row" { 8_192 } else { 32_768 });
        options["workers"] = json!(1 + self.dice % 3);
        if self.way.before == Before::Replaced {
            options["mode"] = json!("replace");
        }
        if self.way.before == Before::Missing {
            options["engine"] = json!(self.way.engine);
            options["primary_key"] = json!(["id"]);
        }
        options
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Way { strategy, engine, before, options, .. } = self.way;
        let (harm, place, at) = (self.harm.name(), self.place, self.at);
        write!(f, "{harm} at {place}:{at} of {strategy} into {engine} ({before:?}, {options})")
    }
}

/// A number that looks random and depends on `seed` alone (splitmix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
