//! The texts of the pages Estimate and Trials.

use shared::trial::{TrialKind, TrialStatus};
use shared::units;

pub const ESTIMATE: &str = "Estimate";
pub const BEFORE: &str = "before a large load";
pub const QUESTION: &str = "What would it take?";
pub const ANSWER: &str = "Answer";
pub const TARGET: &str = "Target";
pub const DATABASE: &str = "Database";
pub const ROWS: &str = "Rows";
pub const ROW_BYTES: &str = "Bytes a row";
pub const INDEXES: &str = "Indexes beside the primary key";
pub const ROWS_BEFORE: &str = "Rows in the table already";
pub const ENGINE: &str = "Engine";
pub const ANY_ENGINE: &str = "The server's default";
pub const ORDER: &str = "The rows come";
pub const IN_ORDER: &str = "in key order";
pub const RANDOM: &str = "in any order";
pub const START: &str = "Start";
pub const DONE_BY: &str = "Done by";
pub const ROWS_HINT: &str = "2M and 1,000,000 are understood.";
pub const NOT_YET: &str = "Fill in numbers, and the answer appears here.";
pub const NO_TARGET_TITLE: &str = "No server to ask";
pub const NO_TARGET: &str = "An estimate is made for a server: save a target first.";
pub const TO_TARGETS: &str = "Targets";
pub const CURVE_LABEL: &str = "Time against rows, both on scales of powers";
pub const AS_TABLE: &str = "As a table";
pub const EXPECTED: &str = "Expected";
pub const RANGE: &str = "Range";
pub const DATA: &str = "Rows on disk";
pub const INDEX_DISK: &str = "Indexes on disk";
pub const MEANWHILE: &str = "Meanwhile";
pub const LOGS: &str = "Binary log";
pub const WAYS: &str = "Ways, best first";
pub const WAY: &str = "Way";
pub const TIME: &str = "Time";
pub const DISK: &str = "Disk";
pub const WHY: &str = "Why";
pub const DOTS: &str = "Dots are past runs on this server by the same engine, whatever their tables; the curve is for the rows and indexes asked for.";

pub const CHECK: &str = "How right it was";
pub const CHECK_NONE: &str =
    "Once a run has ended, what was foretold stands here beside what it took.";
pub const TOOK: &str = "Took";
pub const FORETOLD: &str = "Foretold";
pub const OFF: &str = "Off by";
pub const WHAT: &str = "What";
pub const RUNS: &str = "Runs";
pub const HALF_WITHIN: &str = "Half within";
pub const HELD: &str = "In the range";
pub const PROMISED: &str = "Promised";
pub const LEAVE_OUT: &str = "Leave out";
pub const TAKE_BACK: &str = "Take back";
pub const LEAVE_OUT_WHY: &str = "An odd run (another load on the server, a cold disk) need not count: leave it out, and estimates no longer learn from it.";

pub const TRIALS: &str = "Trials";
pub const TRIALS_WHY: &str = "methods measured on your own server";
pub const LADDER: &str = "Climb the ladder";
pub const LADDER_WHAT: &str = "Loads rows of its own by every method, from one row at a time up to parallel LOAD DATA, into scratch tables that are dropped again. It takes about a minute.";
pub const RACES: &str =
    "A race of the plan's ways on a file's own rows: plimsoll trial FILE --to URL --table NAME.";
pub const SECONDS: &str = "Seconds at most";
pub const TRIALS_NONE_TITLE: &str = "No trial yet";
pub const TRIALS_NONE: &str = "A trial shows what each method gains on this very server, and makes estimates right from the first run on.";
pub const ROWS_PER_SEC: &str = "Rows/s";
pub const TIMES_SLOWEST: &str = "Over the slowest";
pub const WHOLE_FILE: &str = "Whole file";
pub const STOP: &str = "Stop";

/// `9.3×`.
pub fn times(factor: f64) -> String {
    if factor >= 10.0 { format!("{factor:.0}×") } else { format!("{factor:.1}×") }
}

/// The line of the window.
pub fn window_line(time: &str) -> String {
    format!("the window: {time}")
}

/// The line of the bend.
pub fn bend_line(rows: u64) -> String {
    format!("memory ends: {} rows", units::count(rows))
}

/// Signed whole percent.
pub fn percent(share: f64) -> String {
    format!("{:+.0} %", share * 100.0)
}

/// Whole percent.
pub fn share(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Whether it fits, for the tag.
pub fn fits(chance: f64) -> String {
    let percent = (chance * 100.0).clamp(0.0, 100.0);
    match percent {
        p if p >= 99.5 => "fits the window: over 99 %".to_owned(),
        p if p < 0.5 => "does not fit the window".to_owned(),
        p => format!("fits the window: {p:.0} %"),
    }
}

/// What a trial races.
pub fn kind(kind: TrialKind) -> &'static str {
    match kind {
        TrialKind::Race => "Race",
        TrialKind::Ladder => "Ladder",
    }
}

/// A trial's status.
pub fn status(status: TrialStatus) -> &'static str {
    match status {
        TrialStatus::Running => "under way",
        TrialStatus::Done => "done",
        TrialStatus::Failed => "failed",
        TrialStatus::Cancelled => "stopped",
        TrialStatus::Interrupted => "interrupted",
    }
}
