//! The requests and answers of the HTTP API under `/api/v1`.

use serde::{Deserialize, Serialize};

use crate::options::ImportOptions;
use crate::people::Role;
use crate::plan::Choice;
use crate::profile::Profile;
use crate::run::{Reject, RunView};

/// `GET /about`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Version of the service.
    pub version: String,
    /// The name under which the caller's runs are recorded.
    pub who: String,
    /// What the caller is.
    #[serde(default)]
    pub role: Role,
    /// Whether the caller has an account and a login.
    #[serde(default)]
    pub account: bool,
    /// Largest upload, in bytes.
    pub upload_bytes_max: u64,
    /// Free bytes on the disk that takes uploads.
    pub disk_free_bytes: u64,
    /// Runs that are queued or running now.
    pub runs_active: u64,
    /// Whether a folder on the service's machine was opened for imports.
    #[serde(default)]
    pub files: bool,
}

/// An uploaded file, or one that is still arriving.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceView {
    /// Identity; for an upload also the last part of its tus address.
    pub id: String,
    /// The file's name as the person knows it.
    pub name: String,
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes that have arrived.
    pub received_bytes: u64,
    /// Whether all of it is here.
    pub complete: bool,
    /// Who uploaded it.
    pub who: String,
    /// When, RFC 3339.
    pub created_at: String,
    /// The names of its files where it is no upload of its own: files on the service's machine, or
    /// several uploads as one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// What several files are called as one.
#[must_use]
pub fn joint_name<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first, rest @ ..] => format!("{} and {} more", first.as_ref(), rest.len()),
    }
}

/// `POST /sources`: a source made of files that are already there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSource {
    /// Paths or patterns (`2024/*.csv.gz`) within the folder that was opened for the service.
    #[serde(default)]
    pub files: Vec<String>,
    /// Complete uploads of one shape, in the order in which they are read.
    #[serde(default)]
    pub uploads: Vec<String>,
}

/// `GET /files`: what lies in a folder that was opened for the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderView {
    /// The folder, within the one that was opened; empty for that itself.
    pub path: String,
    /// Folders first, then files, by name.
    pub entries: Vec<FolderEntry>,
    /// How many more there are.
    pub more: u64,
}

/// One entry of a [`FolderView`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderEntry {
    /// Its name.
    pub name: String,
    /// Its path, as `POST /sources` takes it.
    pub path: String,
    /// Whether it is a folder.
    pub folder: bool,
    /// Bytes; 0 for a folder.
    pub bytes: u64,
    /// When it was changed, RFC 3339.
    pub modified: Option<String>,
}

/// `POST /sources/{id}/profile`: reads the file with these options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileRequest {
    /// What the person has set.
    #[serde(default)]
    pub options: ImportOptions,
    /// Whether the whole file is read, for types that hold for every row.
    #[serde(default)]
    pub whole: bool,
}

/// The answer to a profile request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileAnswer {
    /// The file.
    pub source: SourceView,
    /// What is in it.
    pub profile: Profile,
}

/// `GET /targets/{id}/databases`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Databases {
    /// Names, the server's own left out.
    pub databases: Vec<String>,
}

/// `POST /plan` and `POST /runs`: a file, a table and wishes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanRequest {
    /// The uploaded file.
    pub source_id: String,
    /// The target.
    pub target_id: String,
    /// The database.
    pub database: String,
    /// The table; made where it is missing.
    pub table: String,
    /// A recipe by its name; what is set below wins over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// A recipe that the options were taken from already, so that its use is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_recipe: Option<String>,
    /// Options and wishes.
    #[serde(default)]
    pub options: ImportOptions,
    /// The statement that makes the table, if the person edited it.
    #[serde(default)]
    pub create_table: Option<String>,
    /// The way that the person picked; none takes the planner's first.
    #[serde(default)]
    pub choice: Option<Choice>,
}

/// By what a page of the history is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunSort {
    /// When it was asked for.
    #[default]
    Created,
    /// Rows that went in.
    Rows,
    /// Rows a second.
    Rate,
    /// How long it took.
    Took,
    /// The file's name.
    File,
}

impl RunSort {
    /// Every one of them.
    pub const ALL: [Self; 5] = [Self::Created, Self::Rows, Self::Rate, Self::Took, Self::File];

    /// The name used in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Rows => "rows",
            Self::Rate => "rate",
            Self::Took => "took",
            Self::File => "file",
        }
    }
}

/// `GET /runs`: filters, all optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunQuery {
    /// Free text over file, database and table.
    #[serde(default)]
    pub text: Option<String>,
    /// Status by its wire name.
    #[serde(default)]
    pub status: Option<String>,
    /// Target by its name.
    #[serde(default)]
    pub target: Option<String>,
    /// Person.
    #[serde(default)]
    pub who: Option<String>,
    /// Engine.
    #[serde(default)]
    pub engine: Option<String>,
    /// Strategy by its wire name.
    #[serde(default)]
    pub strategy: Option<String>,
    /// Database.
    #[serde(default)]
    pub database: Option<String>,
    /// Table.
    #[serde(default)]
    pub table: Option<String>,
    /// Asked for at this moment or later: RFC 3339, or a day (UTC).
    #[serde(default)]
    pub from: Option<String>,
    /// Asked for at this moment or earlier, a day counting to its end.
    #[serde(default)]
    pub to: Option<String>,
    /// By what the page is sorted.
    #[serde(default)]
    pub sort: Option<RunSort>,
    /// Whether the least comes first; else the newest, the most, the fastest, the longest.
    #[serde(default)]
    pub ascending: Option<bool>,
    /// Runs to a page, 50 by default, at most 500.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Runs to pass over.
    #[serde(default)]
    pub offset: Option<u64>,
}

/// A page of the history, newest first unless sorted otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunPage {
    /// The runs, without their reasons, findings and SQL.
    pub runs: Vec<RunView>,
    /// How many match in all.
    pub total: u64,
}

/// `GET /runs/facets`: the values that the history's filters can take.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacets {
    /// Targets by name.
    pub targets: Vec<String>,
    /// People.
    pub people: Vec<String>,
    /// Engines.
    pub engines: Vec<String>,
    /// Strategies by their wire names.
    pub strategies: Vec<String>,
}

/// `GET /runs/trend`: throughput over time, of the runs that match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTrend {
    /// One for each engine and strategy, the one with most runs first.
    pub series: Vec<TrendSeries>,
    /// Runs with fewer rows are left out: their time is mostly that of setting out.
    pub rows_min: u64,
}

/// The throughput of one engine with one strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendSeries {
    /// The engine.
    pub engine: String,
    /// The strategy by its wire name.
    pub strategy: String,
    /// In the order of time.
    pub points: Vec<TrendPoint>,
}

/// One run, or several that lie close together in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendPoint {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// Rows a second: the middle one of several.
    pub rows_per_sec: f64,
    /// The slowest.
    pub low: f64,
    /// The fastest.
    pub high: f64,
    /// How many runs.
    pub runs: u64,
    /// The run, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// A page of a run's rejects, in file order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RejectPage {
    /// The rejects.
    pub rejects: Vec<Reject>,
    /// How many there are in all.
    pub total: u64,
}

/// `POST /check`: the whole file read, checked against the table, nothing loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// Records read.
    pub rows_read: u64,
    /// Records that would be refused.
    pub rows_refused: u64,
    /// Refusals by column and code.
    pub counts: Vec<RefusalCount>,
    /// The first thousand.
    pub rejects: Vec<Reject>,
    /// How long it took.
    pub elapsed_ms: u64,
}

/// How many records a column refuses for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalCount {
    /// The column, none where the whole record is at fault.
    pub column: Option<String>,
    /// The code.
    pub code: crate::error::ErrorCode,
    /// How many.
    pub count: u64,
}
