//! Words for the wire's values: what each is called, and what it means in one sentence.

use crate::model::chips::About;
use shared::plan::{
    IndexPolicy, Mode, OnDuplicate, OnError, Order, Severity, Strategy, Visibility,
};
use shared::profile::Compression;
use shared::target::TlsMode;
use shared::{RunStatus, RunStep};

pub const fn status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Queued => "waiting",
        RunStatus::Running => "running",
        RunStatus::Reverting => "putting back",
        RunStatus::Succeeded => "all rows in",
        RunStatus::SucceededWithRejects => "in, with rejects",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Interrupted => "interrupted",
    }
}

pub const STATUSES: [RunStatus; 8] = [
    RunStatus::Running,
    RunStatus::Queued,
    RunStatus::Succeeded,
    RunStatus::SucceededWithRejects,
    RunStatus::Failed,
    RunStatus::Cancelled,
    RunStatus::Interrupted,
    RunStatus::Reverting,
];

pub const fn step(step: RunStep) -> &'static str {
    match step {
        RunStep::Precheck => "Look around",
        RunStep::Check => "Check the file",
        RunStep::Prepare => "Prepare",
        RunStep::Sort => "Sort by key",
        RunStep::Load => "Load",
        RunStep::RebuildIndexes => "Build indexes",
        RunStep::Verify => "Verify",
        RunStep::Publish => "Publish",
        RunStep::Analyze => "Statistics",
    }
}

pub const fn step_why(step: RunStep) -> &'static str {
    match step {
        RunStep::Precheck => "Looks at the server and the table before anything is touched.",
        RunStep::Check => "Reads the whole file and checks every value, without loading.",
        RunStep::Prepare => "Makes the table, or sets its indexes aside.",
        RunStep::Sort => {
            "Puts the rows into the order of the primary key, so the server writes each page once."
        }
        RunStep::Load => "Sends the rows, each chunk in a transaction of its own.",
        RunStep::RebuildIndexes => "Builds the indexes once over all rows.",
        RunStep::Verify => "Counts the rows on both sides.",
        RunStep::Publish => "Makes all rows visible in one moment.",
        RunStep::Analyze => "Lets the server refresh its statistics.",
    }
}

pub const fn strategy(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::LoadData => "LOAD DATA, parallel",
        Strategy::LoadDataServer => "LOAD DATA from the server's disk",
        Strategy::Insert => "INSERT, many rows each",
        Strategy::BulkProtocol => "MariaDB bulk protocol",
        Strategy::EngineBulk => "The engine's bulk loader",
        Strategy::SingleTransaction => "INSERT, one transaction",
        Strategy::RowByRow => "INSERT, row by row",
    }
}

pub const fn strategy_short(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::LoadData => "LOAD DATA",
        Strategy::LoadDataServer => "LOAD DATA (server)",
        Strategy::Insert => "INSERT",
        Strategy::BulkProtocol => "bulk protocol",
        Strategy::EngineBulk => "engine bulk",
        Strategy::SingleTransaction => "one transaction",
        Strategy::RowByRow => "row by row",
    }
}

/// A strategy by its wire name; one that this page does not know yet goes by that name.
pub fn strategy_name(wire: &str) -> String {
    let known = Strategy::ALL.into_iter().find(|s| s.as_str() == wire);
    known.map_or_else(|| wire.to_owned(), |s| strategy_short(s).to_owned())
}

pub const fn order(order: Order) -> &'static str {
    match order {
        Order::AsIs => "as in the file",
        Order::SortByPrimaryKey => "sorted by primary key",
    }
}

pub const fn index_policy(policy: IndexPolicy) -> &'static str {
    match policy {
        IndexPolicy::Keep => "keep the indexes",
        IndexPolicy::DropAndRebuild => "drop, build again after",
    }
}

pub const fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::AsTheyArrive => "as they arrive",
        Visibility::AllAtOnce => "all at once",
    }
}

pub const fn on_duplicate(rule: OnDuplicate) -> &'static str {
    match rule {
        OnDuplicate::Reject => "treat as a bad row",
        OnDuplicate::Skip => "keep the first",
        OnDuplicate::Replace => "the last wins",
        OnDuplicate::Update => "update the first",
    }
}

pub const fn on_error(rule: OnError) -> &'static str {
    match rule {
        OnError::Stop => "stop the import",
        OnError::Reject => "put it aside, go on",
    }
}

pub const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Create => "make the table",
        Mode::Append => "add to its rows",
        Mode::Replace => "replace its rows",
    }
}

pub const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Informs => "Good to know",
        Severity::Warns => "Beware",
        Severity::Stops => "Must be mended first",
    }
}

pub const fn compression(compression: Compression) -> Option<&'static str> {
    match compression {
        Compression::None => None,
        Compression::Gzip => Some("gzip"),
        Compression::Zstd => Some("Zstandard"),
        Compression::Xz => Some("xz"),
        Compression::Bzip2 => Some("bzip2"),
        Compression::Zip => Some("zip"),
    }
}

pub const fn tls(tls: TlsMode) -> &'static str {
    match tls {
        TlsMode::Off => "off",
        TlsMode::Required => "on, certificate not checked",
        TlsMode::Verify => "on, certificate checked",
    }
}

/// What is explained on hover and focus.
pub mod terms {
    pub const RECIPE: &str = "How this file is read, where its columns go and what you set for the plan, under a name. It is offered by itself for the next file with the same columns, and scripts use it by --recipe.";
    pub const ENGINE: &str = "The storage engine keeps the table's rows on disk. InnoDB suits nearly everything; RocksDB (MyRocks) packs rows much tighter and likes heavy writing; MyISAM and Aria have no transactions.";
    pub const STRATEGY: &str = "How rows are written. LOAD DATA sends them as one stream and is the fastest that every server has; INSERT with many rows a statement works where LOAD DATA is switched off.";
    pub const WORKERS: &str =
        "Connections that write at the same time. About as many as the server has free cores.";
    pub const CHUNK: &str = "The part of the file that is written in one transaction. After a crash, only whole chunks are there, and the run goes on with the next.";
    pub const INDEX_POLICY: &str = "An index kept during the load is updated with every row; one that is dropped and built again afterwards is built once, which is faster for many rows.";
    pub const VISIBILITY: &str = "All at once: rows go into a staging table that takes the table's place in one moment. As they arrive: others see each chunk as soon as it is in.";
    pub const ON_ERROR: &str =
        "What a row means that does not fit its column: nothing is ever cut or bent to fit.";
    pub const ON_DUPLICATE: &str =
        "What a row means whose key is already in the table or earlier in the file.";
    pub const MAX_RATE: &str = "Holds the import back, so that others who use the server or the line are not slowed down. It takes as much longer.";
    pub const VERIFY_SAMPLE: &str = "Rows are always counted on both sides. So many of them, from all over the file, are also read back and compared value by value with what was sent. Costs a query for each.";
    pub const SKIP_BINARY_LOG: &str = "Without these rows the log stays small and the load is a little faster, but replicas never get them, and a restore to a moment lacks them. Needs a right of its own.";
    pub const RELAX_FLUSH: &str = "For the whole server and as long as the run loads, commits are flushed to disk about once a second instead of each time: faster on slow disks. If the machine fails meanwhile, the last second of everybody's commits may be lost. Put back afterwards, after a crash too.";
    pub const PRIMARY_KEY: &str = "The column (or columns) that tell every row from every other. It must have a value in each row, and each value only once.";
    pub const NULL: &str = "Text that stands for \"no value\".";
    pub const BUFFER_POOL: &str = "The memory in which InnoDB keeps the pages it works on. A load in random order gets slow once the table is larger than this.";
    pub const ROUND_TRIP: &str = "How long a question to the server and its answer take. Many small statements pay it many times.";
    pub const LOCAL_INFILE: &str = "Whether the server takes LOAD DATA from a client. Switch it on with SET GLOBAL local_infile = 1.";
    pub const PACKET: &str = "The longest statement that the server takes (max_allowed_packet). No single row can be longer.";
    pub const FLUSH: &str = "innodb_flush_log_at_trx_commit. 1: every commit is on disk before it counts, safest. 2 or 0: faster, the last second may be lost if the machine fails.";
    pub const BINLOG: &str =
        "The log from which replicas copy. Every imported row goes through it as well.";
}

pub const fn about(about: About) -> &'static str {
    match about {
        About::Format => "format",
        About::Delimiter => "delimiter",
        About::Quote => "quote",
        About::Escape => "escape",
        About::Header => "header",
        About::SkipRows => "lines passed over",
        About::Encoding => "encoding",
        About::LineEnd => "lines end in",
        About::Null => "NULL is",
        About::Decimal => "decimal mark",
        About::Trim => "blanks",
        About::Comment => "comments begin with",
        About::DateFormat => "dates",
        About::Sheet => "sheet",
    }
}

/// A choice that the file itself has.
pub fn offer(about: About, value: &str) -> String {
    let order = match value {
        v if v.starts_with("%d") => "day first",
        v if v.starts_with("%m") => "month first",
        _ => "",
    };
    if about == About::DateFormat && !order.is_empty() {
        format!("{order} ({value})")
    } else {
        value.to_owned()
    }
}

/// What is worth knowing beyond why it was detected.
pub const fn about_why(about: About) -> Option<&'static str> {
    match about {
        About::Null => Some(terms::NULL),
        About::Encoding => Some("How the file's characters are written as bytes."),
        About::Escape => Some("The sign before a character that is to be taken as it is."),
        About::SkipRows => Some("Lines above the header or the first record."),
        About::DateFormat => Some(
            "%d day, %m month, %Y year, %y its last two digits, %b month by name, %H:%M:%S time.",
        ),
        _ => None,
    }
}
