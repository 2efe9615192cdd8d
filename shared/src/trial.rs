//! Trials: ways to load raced on a sample, in scratch tables of the target.

use serde::{Deserialize, Serialize};

use crate::error::ErrorBody;
use crate::estimate::Estimate;
use crate::options::ImportOptions;
use crate::plan::Choice;
use crate::run::StepView;

/// What a trial races.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialKind {
    /// The planner's candidates for a file, on the file's first part.
    #[default]
    Race,
    /// Every method there is, from row by row up, on rows of the service's own.
    Ladder,
}

impl TrialKind {
    /// The name used in JSON and in the control database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Ladder => "ladder",
        }
    }
}

/// Where a trial stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialStatus {
    /// Under way.
    Running,
    /// Over.
    Done,
    /// Stopped by an error.
    Failed,
    /// Stopped by a person.
    Cancelled,
    /// The service stopped under it.
    Interrupted,
}

impl TrialStatus {
    /// The name used in JSON and in the control database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }
}

/// `POST /trials`: what is to be raced where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRequest {
    /// What is raced.
    #[serde(default)]
    pub kind: TrialKind,
    /// The uploaded file of a race.
    #[serde(default)]
    pub source_id: Option<String>,
    /// The target.
    pub target_id: String,
    /// The database in which scratch tables are made.
    pub database: String,
    /// The table of a race; scratch tables are made like it.
    #[serde(default)]
    pub table: Option<String>,
    /// Options and wishes.
    #[serde(default)]
    pub options: ImportOptions,
    /// Seconds that it may take; 20 for a race, 60 for a ladder where none are named.
    #[serde(default)]
    pub seconds: Option<u32>,
    /// Rows of one load at most.
    #[serde(default)]
    pub rows_max: Option<u64>,
}

/// One load of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// What was done, in a few words.
    pub title: String,
    /// The choices.
    pub choice: Choice,
    /// Rows that went in.
    pub rows: u64,
    /// Their bytes in the file.
    pub bytes: u64,
    /// Indexes beside the primary key.
    pub indexes: u32,
    /// Whether the rows came in the order of the primary key.
    pub in_key_order: bool,
    /// What sorting, writing and building indexes took, in milliseconds.
    pub ms: u64,
    /// Rows a second in that time.
    pub rows_per_sec: f64,
    /// The steps, measured.
    pub steps: Vec<StepView>,
    /// What the whole file would take this way, as known after the trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Estimate>,
    /// Why there is no time, or what to know of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A trial, with its loads so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialView {
    /// Identity.
    pub id: String,
    /// What is raced.
    pub kind: TrialKind,
    /// Where it stands.
    pub status: TrialStatus,
    /// Who asked for it.
    pub who: String,
    /// The target's name.
    pub target: String,
    /// Flavour and version of the server.
    pub server: String,
    /// The database.
    pub database: String,
    /// What was loaded, in words: the file and the table, or the service's own rows.
    pub what: String,
    /// Its loads, in the order in which they were made.
    pub results: Vec<TrialResult>,
    /// What it shows, in plain words.
    #[serde(default)]
    pub words: Vec<String>,
    /// What stopped it.
    pub error: Option<ErrorBody>,
    /// How long it took, or has taken so far.
    pub elapsed_ms: u64,
    /// When it was asked for, RFC 3339.
    pub created_at: String,
}

/// `GET /trials`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialPage {
    /// The newest trials, newest first.
    pub trials: Vec<TrialView>,
}
