//! Runs, a run's page, targets.

use shared::units;

pub const RUNS: &str = "Runs";
pub const RUN: &str = "Run";
pub const FILTER_TEXT: &str = "Search";
pub const FILTER_TEXT_HINT: &str = "file, database, table";
pub const STATUS: &str = "Status";
pub const ENGINE: &str = "Engine";
pub const STRATEGY: &str = "Strategy";
pub const TARGET: &str = "Target";
pub const WHO: &str = "By";
pub const ANY: &str = "any";
pub const CLEAR: &str = "Clear";
pub const WHAT: &str = "File → table";
pub const ROWS: &str = "Rows";
pub const RATE: &str = "Rows/s";
pub const TOOK: &str = "Took";
pub const HOW: &str = "How";
pub const NONE_TITLE: &str = "No run yet";
pub const NONE: &str =
    "Every import is kept here: who, what, where, how fast, and what was refused.";
pub const NO_MATCH_TITLE: &str = "No run matches";
pub const NO_MATCH: &str = "Try fewer filters.";

pub const FROM: &str = "From";
pub const TO: &str = "To";
pub const WHOSE: &str = "Whose runs";
pub const EVERYONES: &str = "Everyone's";
pub const MINE: &str = "Mine";
pub const EXPORT: &str = "Export";
pub const THIS_RUN: &str = "the run you came from";
pub const COMPARE: &str = "Compare";
pub const COMPARE_WITH: &str = "Compare with…";
pub const COMPARE_WITH_HINT: &str = "Pick another run of this table and see both side by side";
pub fn only_table(table: &str) -> String {
    format!("only {table}")
}
pub fn compare_this(file: &str) -> String {
    format!("Compare the run of {file}")
}
pub fn pick_another(first: &str) -> String {
    format!("Comparing {first}: tick one more run.")
}
pub fn picked_both(a: &str, b: &str) -> String {
    format!("{a} and {b}")
}
pub const TREND: &str = "Throughput over time";
pub const TREND_TEXT: &str = "rows a second, by engine and strategy; runs of 1,000 rows or more";
pub const TREND_NONE: &str = "The curve begins with the second run that put 1,000 rows or more in.";
pub const TREND_WHEN: &str = "When";
pub const TREND_RUNS: &str = "Runs";
pub const TREND_RANGE: &str = "Slowest – fastest";

pub const COMPARE_TITLE: &str = "Two runs";
pub const COMPARE_PICK: &str = "Choose two runs in the history to see them side by side.";
pub const SWAP: &str = "Swap";
pub const DIFFERENT: &str = "What was different";
pub const SAME: &str = "The same in both";
pub const NOTHING_DIFFERENT: &str = "Both were made the same way.";
pub const FIGURES: &str = "Figures";
pub fn times(factor: f64) -> String {
    format!("× {factor:.2}")
}
pub const PER_WORKER: &str = "Per worker";
pub fn worker(n: usize) -> String {
    format!("Worker {n}")
}

pub const STEPS: &str = "Steps";
pub const STEPS_KEY: &str = "dashed: what was foretold";
pub const STEP: &str = "Step";
pub const SAID: &str = "Foretold";
pub const WAS: &str = "Measured";
pub const AS_TABLE: &str = "As a table";
pub const THROUGHPUT: &str = "Throughput";
pub const THROUGHPUT_LABEL: &str = "Rows per second over time";
pub const NO_THROUGHPUT: &str = "Too short a run for a curve.";
pub const LIVE_LOST: &str = "The live view lost the service; it catches up by itself.";
pub const REMAINING: &str = "left";
pub const ROWS_LOADED: &str = "Rows in";
pub const ROWS_PER_SEC: &str = "Rows/s";
pub const BYTES_PER_SEC: &str = "MB/s";
pub const PUT_ASIDE: &str = "Put aside";
pub const SKIPPED: &str = "Passed over";
pub const RETRIES: &str = "Sent again";
pub const ELAPSED: &str = "Time";
pub const CHOICES: &str = "What was chosen";
pub const REASONS: &str = "Why";
pub const SQL: &str = "SQL that was sent";
pub const MEND: &str = "Mend and load";
pub const MEND_HINT: &str = "Put the refused records right and load them alone";
pub const MEND_TEXT: &str = "The refused records as they stand in the file. Put them right; they are read, checked and added as the file was.";
pub const MEND_LOAD: &str = "Load these records";
pub const REJECTS: &str = "Rejects";
pub const REJECTS_TEXT: &str =
    "Records that could not be stored unchanged. Nothing was cut or bent to fit.";
pub const DOWNLOAD: &str = "Download CSV";
pub const LINE: &str = "Line";
pub const ROW: &str = "Row";
pub const COLUMN: &str = "Column";
pub const VALUE: &str = "Value";
pub const REASON: &str = "Why";
pub const RECORD: &str = "Record";
pub const CANCEL_RUN: &str = "Cancel";
pub const CANCEL_TITLE: &str = "Cancel this run?";
pub const CANCEL_ALL_AT_ONCE: &str =
    "Rows are still in a staging table: after a cancel the table is as it was.";
pub const CANCEL_AS_THEY_ARRIVE: &str =
    "Chunks that are in stay in; the run's page will say which rows. It can be resumed later.";
pub const CANCEL_YES: &str = "Cancel the run";
pub const CANCEL_NO: &str = "Let it run";
pub const CANCELLING: &str = "Stopping…";
pub const RESUME: &str = "Resume";
pub const RUN_AGAIN: &str = "Run again";
pub const RUN_AGAIN_HINT: &str = "Opens the import page with this file, table and options";
pub const LOADING: &str = "Loading…";
pub const QUEUED: &str = "Waits for its turn.";
pub const FILE: &str = "File";
pub const TABLE: &str = "Table";
pub const SERVER: &str = "Server";
pub const STARTED: &str = "Started";
pub const BY: &str = "By";
pub const RUN_ID: &str = "Run";
pub const WORKERS: &str = "Workers";
pub const CHUNK: &str = "Chunk";
pub const ORDER: &str = "Order";
pub const INDEXES: &str = "Indexes";
pub const VISIBILITY: &str = "Rows seen";
pub const ON_ERROR: &str = "A bad row";
pub const ON_DUPLICATE: &str = "A repeated key";
pub const MODE: &str = "Mode";
pub const MAX_RATE: &str = "At most";
pub const READ_BACK: &str = "Rows read back";
pub const FLUSHED: &str = "Commits on disk";
pub const CHECK_FIRST: &str = "Checked first";
pub const YES: &str = "yes";
pub const NO: &str = "no";

pub fn said(range: &str) -> String {
    format!("said {range}")
}
pub fn took(elapsed: &str, rate: Option<f64>) -> String {
    rate.map_or_else(|| elapsed.to_owned(), |r| format!("{elapsed} · {}", units::rows_per_sec(r)))
}
pub fn all_in(rows: u64, table: &str) -> String {
    if rows == 1 {
        format!("The row is in {table}.")
    } else {
        format!("All {} rows are in {table}.", units::count(rows))
    }
}
pub fn some_in(rows: u64, aside: u64, table: &str) -> String {
    let rows = match rows {
        1 => "1 row is".to_owned(),
        n => format!("{} rows are", units::count(n)),
    };
    format!("{rows} in {table}, {} put aside.", units::count(aside))
}
pub const INTERRUPTED: &str = "The service stopped while this run was under way.";
pub const INTERRUPTED_HINT: &str =
    "Resume goes on with the first chunk that is not in; no row comes twice.";
pub const CANCELLED: &str = "Cancelled.";
pub const FAILED: &str = "Failed.";
pub fn position(row: Option<u64>, line: Option<u64>, column: Option<&str>) -> Option<String> {
    let parts: Vec<String> = [
        row.map(|r| format!("row {}", units::count(r))),
        line.map(|l| format!("line {}", units::count(l))),
        column.map(|c| format!("column {c}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

pub const TARGETS: &str = "Targets";
pub const ADD: &str = "Add a target";
pub const TARGETS_NONE_TITLE: &str = "No target yet";
pub const TARGETS_NONE: &str = "A target is a database that files are imported into: an address, a user and a password, kept encrypted by the service.";
pub const SANDBOX: &str = "sandbox";
pub const SANDBOX_TEXT: &str =
    "The service's own private server, for trying things out. It runs while the service runs.";
pub const TEST: &str = "Test";
pub const TESTING: &str = "Connecting…";
pub const REACHABLE: &str = "reachable";
pub const UNREACHABLE: &str = "not reachable";
pub const DELETE: &str = "Delete";
pub const DELETE_TITLE: &str = "Delete this target?";
pub const DELETE_TEXT: &str = "The saved address and password go. Its databases, tables and the history of its runs stay as they are.";
pub const SAVE: &str = "Save";
pub const NAME: &str = "Name";
pub const NAME_HINT: &str = "What people here call it, for example orders-db";
pub const HOST: &str = "Host";
pub const PORT: &str = "Port";
pub const SOCKET: &str = "Unix socket";
pub const SOCKET_HINT: &str = "Instead of host and port, on the service's machine";
pub const USER: &str = "User";
pub const PASSWORD: &str = "Password";
pub const PASSWORD_HINT: &str = "Kept encrypted, never shown again";
pub const OPEN_DATABASE: &str = "Database to open first";
pub const OPTIONAL: &str = "optional";
pub const TLS: &str = "TLS";
pub const CA: &str = "Certificate authority (PEM)";
pub const SAVED: &str = "Target saved.";
pub const DELETED: &str = "Target deleted.";
pub const ENGINES: &str = "Engines";
pub const RIGHTS: &str = "Rights";
pub const ROUND_TRIP: &str = "Round trip";
pub const BUFFER_POOL: &str = "Buffer pool";
pub const LOCAL_INFILE: &str = "LOAD DATA LOCAL";
pub const PACKET: &str = "Largest packet";
pub const FLUSH: &str = "Flush at commit";
pub const BINLOG: &str = "Binary log";
pub const TIME_ZONE: &str = "Time zone";
pub const CLUSTER: &str = "Cluster";
pub const ALLOWED: &str = "allowed";
pub const SWITCHED_OFF: &str = "switched off";
pub const IMPORT_HERE: &str = "Import here";

pub fn round_trip(us: u64) -> String {
    if us < 1000 { format!("{us} µs") } else { format!("{:.1} ms", us as f64 / 1000.0) }
}

pub const KIT: &str = "Kit";

pub const ADVICE_LOCAL_INFILE: &str = "LOAD DATA LOCAL is switched off, so rows go by INSERT, which is slower. SET GLOBAL local_infile = 1 switches it on.";
pub const ADVICE_READ_ONLY: &str =
    "The server refuses writes. It may be a replica: import into its primary.";
pub const ADVICE_BUFFER_POOL: &str = "The buffer pool is small. Large loads in random key order will be slow; sorting by the primary key helps, more memory helps more.";
pub const ADVICE_ROUND_TRIP: &str =
    "The server is far away. Large statements and several workers make up for it.";
