//! A run as people see it: its status, its steps, its progress and its rejects.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorBody, ErrorCode};
use crate::estimate::Estimate;
use crate::options::ImportOptions;
use crate::plan::{Choice, Precheck};

/// Where a run stands. Not to be confused with the step it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Waits for its turn.
    Queued,
    /// Under way.
    Running,
    /// Puts back what it changed, after a failure or a cancel.
    Reverting,
    /// Every row is in.
    Succeeded,
    /// Every row is in or put aside.
    SucceededWithRejects,
    /// Stopped by an error.
    Failed,
    /// Stopped by a person.
    Cancelled,
    /// The service stopped under it; it can be resumed.
    Interrupted,
}

impl RunStatus {
    /// The name used in JSON and in the control database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Reverting => "reverting",
            Self::Succeeded => "succeeded",
            Self::SucceededWithRejects => "succeeded_with_rejects",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether nothing more will happen by itself.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Reverting)
    }

    /// Whether a run in this status may go on in `next`.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        use RunStatus::{
            Cancelled, Failed, Interrupted, Queued, Reverting, Running, Succeeded,
            SucceededWithRejects,
        };
        match self {
            Queued => matches!(next, Running | Cancelled | Failed | Interrupted),
            Running => matches!(
                next,
                Reverting | Succeeded | SucceededWithRejects | Failed | Cancelled | Interrupted
            ),
            Reverting => matches!(next, Failed | Cancelled | Interrupted),
            Interrupted | Failed | Cancelled => matches!(next, Queued | Running),
            Succeeded | SucceededWithRejects => false,
        }
    }
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStep {
    /// Looks at the server and the table.
    Precheck,
    /// Reads and checks the whole file without loading.
    Check,
    /// Makes the table, the staging table and the ledger; drops indexes.
    Prepare,
    /// Sorts by the primary key.
    Sort,
    /// Writes rows.
    Load,
    /// Builds the indexes.
    RebuildIndexes,
    /// Counts on both sides.
    Verify,
    /// Makes the rows visible.
    Publish,
    /// Lets the server refresh its statistics.
    Analyze,
}

impl RunStep {
    /// The name used in JSON and in the control database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Precheck => "precheck",
            Self::Check => "check",
            Self::Prepare => "prepare",
            Self::Sort => "sort",
            Self::Load => "load",
            Self::RebuildIndexes => "rebuild_indexes",
            Self::Verify => "verify",
            Self::Publish => "publish",
            Self::Analyze => "analyze",
        }
    }
}

/// A run whose helper tables and files were removed, or could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweptRun {
    /// The run.
    pub run_id: String,
    /// The database of its table.
    pub database: String,
    /// Its table.
    pub table: String,
    /// Whether nothing of its own is left.
    pub done: bool,
    /// What remains, in one sentence; else what went wrong.
    pub outcome: String,
}

/// One step of a run, measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepView {
    /// The step.
    pub step: RunStep,
    /// How long it took, or has taken so far.
    pub ms: u64,
    /// Rows that went through it.
    pub rows: u64,
    /// Bytes of the file that went through it.
    pub bytes: u64,
    /// Whether it has ended.
    #[serde(default)]
    pub done: bool,
}

/// How far a run was at a moment: one point of its curve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Time since the run began.
    pub at_ms: u64,
    /// The step it was in.
    pub step: RunStep,
    /// Rows that had gone through that step.
    pub rows: u64,
    /// Bytes of the file that had gone through that step.
    pub bytes: u64,
}

/// What one writing connection does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerRate {
    /// Rows it has written.
    pub rows: u64,
    /// Rows a second, over the last seconds.
    pub rows_per_sec: f64,
    /// Bytes a second of the rows as they are sent, over the last seconds.
    pub bytes_per_sec: f64,
}

/// A record that could not be stored unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// Data row from 1, header not counted.
    pub row: u64,
    /// Physical line from 1, header counted.
    pub line: u64,
    /// The column, where one is at fault.
    pub column: Option<String>,
    /// The value, cut to a readable length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The key or constraint, where one is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The code.
    pub code: ErrorCode,
    /// Why, and what to do.
    pub message: String,
    /// The record as it stands in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

/// A run: what was asked, how it stands, what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The run's identity.
    pub run_id: String,
    /// Who started it.
    pub who: String,
    /// Where it stands.
    pub status: RunStatus,
    /// The step it is in, while it runs.
    pub step: Option<RunStep>,
    /// The file's name, or the first of several.
    pub file: String,
    /// Bytes of the file as uploaded.
    pub file_bytes: u64,
    /// The source, where it was uploaded.
    pub source_id: Option<String>,
    /// The target's name.
    pub target: String,
    /// The target's identity, where it is a saved one.
    pub target_id: Option<String>,
    /// Flavour and version of the server, for example "MariaDB 10.11.19".
    pub server: String,
    /// The database.
    pub database: String,
    /// The table.
    pub table: String,
    /// The choices.
    pub choice: Choice,
    /// What was asked.
    pub options: ImportOptions,
    /// Findings before the load.
    #[serde(default)]
    pub prechecks: Vec<Precheck>,
    /// Reasons of the plan.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// Records read.
    pub rows_read: u64,
    /// Rows in the table by this run.
    pub rows_loaded: u64,
    /// Records put aside.
    pub rows_rejected: u64,
    /// Records passed over by the user's own rule.
    pub rows_skipped: u64,
    /// Bytes of the file read.
    pub bytes_read: u64,
    /// Chunks that were sent again.
    pub retries: u64,
    /// Rows a second over the whole run, once it has ended.
    pub rows_per_sec: Option<f64>,
    /// What was foretold before the load.
    pub estimate: Option<Estimate>,
    /// Steps so far.
    pub steps: Vec<StepView>,
    /// The error, if one stopped it.
    pub error: Option<ErrorBody>,
    /// What remains in the table after a failure or a cancel, in one sentence.
    #[serde(default)]
    pub outcome: Option<String>,
    /// SQL that was sent, rows left out.
    #[serde(default)]
    pub sql: Vec<String>,
    /// Whether it can be resumed.
    pub resumable: bool,
    /// When it was asked for, RFC 3339, UTC.
    pub created_at: String,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended.
    pub ended_at: Option<String>,
    /// How long it took, or has taken so far.
    pub elapsed_ms: u64,
    /// How far it was at some moments; only told of a single run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
}

/// What the event stream of a run sends, some times a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Where it stands.
    pub status: RunStatus,
    /// The step it is in.
    pub step: Option<RunStep>,
    /// Steps so far, with the running one.
    pub steps: Vec<StepView>,
    /// Records read.
    pub rows_read: u64,
    /// Rows written so far.
    pub rows_loaded: u64,
    /// Records put aside so far.
    pub rows_rejected: u64,
    /// Records passed over so far.
    pub rows_skipped: u64,
    /// Bytes of the file that have gone through the running step.
    pub step_bytes: u64,
    /// Bytes that the running step has to do, where known.
    pub step_bytes_total: Option<u64>,
    /// Rows a second, over the last seconds.
    pub rows_per_sec: f64,
    /// Bytes a second, over the last seconds.
    pub bytes_per_sec: f64,
    /// Remaining time as a range in milliseconds, where it can be told.
    pub remaining_ms: Option<(u64, u64)>,
    /// Chunks that were sent again.
    pub retries: u64,
    /// How long it has taken.
    pub elapsed_ms: u64,
    /// The writing connections, while rows are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerRate>,
}

/// What `plimsoll import --json` prints: the contract for scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// The run's identity.
    pub run_id: String,
    /// Where it ended.
    pub status: RunStatus,
    /// Records read.
    pub rows_read: u64,
    /// Rows in the table by this run.
    pub rows_loaded: u64,
    /// Records put aside.
    pub rows_rejected: u64,
    /// Records passed over by the user's own rule.
    pub rows_skipped: u64,
    /// The first thousand rejects.
    pub rejects: Vec<Reject>,
    /// Where all rejects are.
    pub rejects_file: Option<String>,
    /// The error, if one stopped it.
    pub error: Option<ErrorBody>,
    /// The table.
    pub table: String,
    /// The table's columns that were filled.
    pub columns: Vec<String>,
    /// The choices.
    pub plan: Choice,
    /// What was foretold before the load.
    pub estimate: Option<Estimate>,
    /// Steps, measured.
    pub steps: Vec<StepView>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// What remains in the table after a failure or a cancel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [RunStatus; 8] = [
        RunStatus::Queued,
        RunStatus::Running,
        RunStatus::Reverting,
        RunStatus::Succeeded,
        RunStatus::SucceededWithRejects,
        RunStatus::Failed,
        RunStatus::Cancelled,
        RunStatus::Interrupted,
    ];

    #[test]
    fn success_is_never_left_and_nothing_becomes_itself() {
        for from in ALL {
            assert!(!from.may_become(from), "{from:?}");
            for to in ALL {
                if matches!(from, RunStatus::Succeeded | RunStatus::SucceededWithRejects) {
                    assert!(!from.may_become(to), "{from:?} → {to:?}");
                }
            }
        }
    }

    #[test]
    fn names_match_the_wire() {
        for status in ALL {
            assert_eq!(
                serde_json::to_value(status).ok(),
                Some(serde_json::Value::String(status.as_str().to_owned()))
            );
        }
    }
}
