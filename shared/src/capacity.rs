//! The capacity question: how long, how much disk, which way, does it fit into the night? And how
//! right earlier answers were.

use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::options::ImportOptions;
use crate::plan::{Candidate, Precheck};

/// `POST /estimate`: a load that is only thought of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityRequest {
    /// The target.
    pub target_id: String,
    /// Rows to be loaded.
    pub rows: u64,
    /// Bytes of one record as text; 0 takes those of the rows that are in the table.
    pub row_bytes: f64,
    /// The database of the table, where it is not the target's own.
    #[serde(default)]
    pub database: Option<String>,
    /// A table whose definition, rows and indexes are taken.
    #[serde(default)]
    pub table: Option<String>,
    /// Columns.
    #[serde(default)]
    pub columns: Option<u32>,
    /// Indexes beside the primary key.
    #[serde(default)]
    pub indexes: u32,
    /// Whether the rows come in the order of the primary key.
    #[serde(default = "yes")]
    pub in_key_order: bool,
    /// Rows in the table before.
    #[serde(default)]
    pub rows_before: u64,
    /// Milliseconds until it must be done.
    #[serde(default)]
    pub within_ms: Option<u64>,
    /// Wishes: engine, strategy, workers and so on.
    #[serde(default)]
    pub options: ImportOptions,
}

const fn yes() -> bool {
    true
}

/// Disk that a load needs, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DiskNeed {
    /// The rows.
    pub data_bytes: u64,
    /// The indexes.
    pub index_bytes: u64,
    /// On the server meanwhile: what an index build sorts, the old table beside the new one.
    pub temporary_bytes: u64,
    /// Redo and binary log.
    pub log_bytes: u64,
}

impl DiskNeed {
    /// All of it.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.data_bytes + self.index_bytes + self.temporary_bytes + self.log_bytes
    }
}

/// A point of the curve: time against rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Rows.
    pub rows: u64,
    /// Lower end of the range.
    pub low_ms: u64,
    /// Expected.
    pub expected_ms: u64,
    /// Upper end of the range.
    pub high_ms: u64,
}

/// A past run beside the curve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dot {
    /// The run.
    pub run_id: String,
    /// Its rows.
    pub rows: u64,
    /// What it took.
    pub ms: u64,
    /// How it was done, in a few words.
    pub title: String,
}

/// Where memory ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bend {
    /// Rows in the table from which each row waits for the disk.
    pub rows: u64,
    /// Whether the load goes beyond it.
    pub reached: bool,
    /// In words, with the numbers.
    pub words: String,
}

/// Whether it fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Milliseconds that there are.
    pub within_ms: u64,
    /// The chance that they are enough, 0 to 1.
    pub chance: f64,
    /// In words.
    pub words: String,
}

/// The answer to a capacity question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityAnswer {
    /// The target's name.
    pub target: String,
    /// Flavour and version of the server.
    pub server: String,
    /// Rows asked for.
    pub rows: u64,
    /// Bytes of one record.
    pub row_bytes: f64,
    /// Every way, best first.
    pub candidates: Vec<Candidate>,
    /// Findings, worst first.
    pub prechecks: Vec<Precheck>,
    /// Disk that the first way needs.
    pub disk: DiskNeed,
    /// Where memory ends for the first way; none where it writes in order.
    pub bend: Option<Bend>,
    /// Where it would end for a way that keeps the file's order and all indexes.
    pub bend_unsorted: Option<Bend>,
    /// Whether it fits, where a time was named.
    pub window: Option<Window>,
    /// Time against rows, the first way.
    pub curve: Vec<CurvePoint>,
    /// Past runs on this target by the same engine.
    pub dots: Vec<Dot>,
}

/// A run's time as foretold and as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCheck {
    /// The run.
    pub run_id: String,
    /// The target's name.
    pub target: String,
    /// What was loaded where.
    pub what: String,
    /// Rows.
    pub rows: u64,
    /// What was foretold.
    pub estimate: Estimate,
    /// What it took.
    pub actual_ms: u64,
    /// By how much it took longer, as a share; negative where it was quicker.
    pub error: f64,
    /// Whether it was within the range.
    pub held: bool,
    /// Whether estimates leave it out.
    pub left_out: bool,
    /// When it was asked for, RFC 3339.
    pub created_at: String,
}

/// How right the estimates of one target were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetCheck {
    /// The target's name.
    pub target: String,
    /// Runs that were foretold and not left out.
    pub runs: u64,
    /// The median of how far they were off, as a share.
    pub median_error: f64,
    /// The share of runs within their range.
    pub held: f64,
    /// The share that was promised.
    pub promised: f64,
}

/// `GET /estimate/check`: predicted against actual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedEstimates {
    /// By target.
    pub targets: Vec<TargetCheck>,
    /// The runs, newest first.
    pub runs: Vec<RunCheck>,
}

/// `POST /estimate/left-out`: takes an odd run out of the estimates, or back in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaveOut {
    /// The run.
    pub run_id: String,
    /// Whether it is left out from now on.
    pub left_out: bool,
}
