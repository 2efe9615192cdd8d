//! The choices of an import, and a plan as people see it.

use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::run::RunStep;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Parallel LOAD DATA LOCAL from memory.
    LoadData,
    /// LOAD DATA of a file that the server itself can read.
    LoadDataServer,
    /// INSERT with many rows a statement.
    Insert,
    /// MariaDB's COM_STMT_BULK_EXECUTE.
    BulkProtocol,
    /// The engine's own bulk loader.
    EngineBulk,
    /// INSERT with many rows a statement, one transaction for the whole file.
    SingleTransaction,
    /// One INSERT and one transaction a row, for comparison.
    RowByRow,
}

impl Strategy {
    /// Every strategy, in the order in which they are offered.
    pub const ALL: [Self; 7] = [
        Self::LoadData,
        Self::LoadDataServer,
        Self::EngineBulk,
        Self::BulkProtocol,
        Self::Insert,
        Self::SingleTransaction,
        Self::RowByRow,
    ];

    /// The name used on the command line, in JSON and in the control database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LoadData => "load_data",
            Self::LoadDataServer => "load_data_server",
            Self::Insert => "insert",
            Self::BulkProtocol => "bulk_protocol",
            Self::EngineBulk => "engine_bulk",
            Self::SingleTransaction => "single_transaction",
            Self::RowByRow => "row_by_row",
        }
    }
}

/// What becomes of the table's secondary indexes during the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexPolicy {
    /// They stay and are kept up row by row.
    #[default]
    Keep,
    /// They are dropped first and built once afterwards.
    DropAndRebuild,
}

/// The order in which rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As they lie in the file.
    #[default]
    AsIs,
    /// By the table's primary key.
    SortByPrimaryKey,
}

/// When other sessions see the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Chunk by chunk.
    #[default]
    AsTheyArrive,
    /// All in one moment: a staging table and a swap.
    AllAtOnce,
}

/// What a key that is already there means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDuplicate {
    /// The record is bad.
    #[default]
    Reject,
    /// The first row stays.
    Skip,
    /// The last row wins, whole.
    Replace,
    /// The last row's values are written over the first's.
    Update,
}

/// What becomes of the table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The table is made.
    Create,
    /// Rows are added.
    #[default]
    Append,
    /// The file's rows take the place of the table's.
    Replace,
}

/// What a bad record means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The run stops.
    #[default]
    Stop,
    /// The record is put aside and the run goes on.
    Reject,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Informs,
    /// Works, with a consequence.
    Warns,
    /// Must be mended first.
    Stops,
}

/// A named finding before anything is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Precheck {
    /// A stable name, for example `local_infile_off`.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was found, in one sentence.
    pub finding: String,
    /// What follows for the choice, and what to do.
    pub consequence: String,
}

/// The choices that make one way to load a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The storage engine of the table.
    pub engine: String,
    /// How rows are written.
    pub strategy: Strategy,
    /// In which order.
    pub order: Order,
    /// What becomes of the indexes.
    pub index_policy: IndexPolicy,
    /// When rows are seen.
    pub visibility: Visibility,
    /// Create, append or replace.
    pub mode: Mode,
    /// What a repeated key means.
    pub on_duplicate: OnDuplicate,
    /// What a bad record means.
    pub on_error: OnError,
    /// Writing connections.
    pub workers: u32,
    /// Bytes of the file in one chunk.
    pub chunk_bytes: u64,
    /// Bytes of one INSERT statement at most.
    pub batch_bytes: u64,
    /// Rows of one INSERT statement at most; none means as many as fit.
    pub batch_rows: Option<u32>,
    /// Whether the whole file is checked before its first row is written.
    pub check_first: bool,
}

/// One way to load the file, with what it would cost and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The choices.
    pub choice: Choice,
    /// A short title, for example "LOAD DATA × 2, indexes after".
    pub title: String,
    /// How long it would take.
    pub estimate: Estimate,
    /// Why it is good, in plain words with the numbers they rest on.
    pub reasons: Vec<String>,
    /// Why it was not chosen; none for the first.
    pub why_not: Option<String>,
    /// Disk that the loaded table would take, in bytes.
    pub disk_bytes: Option<u64>,
}

/// One column of the table and where its values come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedColumn {
    /// The column of the table.
    pub column: String,
    /// Its SQL type.
    pub sql_type: String,
    /// The column of the file, none where the table's default or a constant fills it.
    pub from: Option<String>,
    /// In words: "by name", "constant", "the table's default", "computed by the server".
    pub how: String,
}

/// A plan as people see it: what will happen, why, and how long it will take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanView {
    /// Every way, best first; the first is the plan unless another is asked for.
    pub candidates: Vec<Candidate>,
    /// Findings, worst first.
    pub prechecks: Vec<Precheck>,
    /// Where each column's values come from.
    pub mapping: Vec<MappedColumn>,
    /// Columns of the file that go nowhere.
    pub unused: Vec<String>,
    /// The steps of the first way.
    pub steps: Vec<RunStep>,
    /// The SQL that the first way sends, in order, rows left out.
    pub sql: Vec<String>,
    /// The statement that makes the table, where it is made.
    pub create_table: Option<String>,
}
