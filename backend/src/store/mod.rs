//! The control database: sources, targets, runs, the index journal. All of its SQL is in this room.
//!
//! SQLite in the data folder, in WAL mode: one writing connection, several readers, so that the
//! service and the command line can use it at the same time.

mod audit;
mod checks;
mod history;
mod journal;
mod leftovers;
mod people;
mod recipes;
mod run_row;
mod runs;
mod secret;
mod sources;
mod targets;
mod trials;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

pub use audit::Deed;
pub use history::{Observation, TrendRun};
pub use journal::DroppedIndex;
pub use people::{PersonSaved, moment};
pub use runs::{NewRun, RunEnd, RunPlanned, RunSaved, RunTick};
pub use secret::Keeper;
pub use sources::SourceSaved;
pub use targets::TargetSaved;
pub use trials::TrialSaved;

use shared::error::{ErrorBody, ErrorCode};
use shared::run::RunStatus;

/// What can go wrong with the control database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or could not be reached.
    #[error("the control database answered: {0}")]
    Sql(#[from] sqlx::Error),
    /// Its tables could not be made or brought up to date.
    #[error("the control database could not be brought up to date: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// A file of the data folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A value that was written cannot be read back.
    #[error("a stored value cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A secret could not be opened: the key file is not the one that sealed it.
    #[error("a stored password cannot be opened: the key file is not the one that sealed it")]
    Sealed,
    /// The run was changed by someone else meanwhile.
    #[error("run {id} is no longer {expected}")]
    Stale {
        /// The run.
        id: String,
        /// The status that was expected.
        expected: &'static str,
    },
    /// A change that no run may make.
    #[error("a run that is {from} cannot become {to}")]
    Illegal {
        /// From.
        from: &'static str,
        /// To.
        to: &'static str,
    },
    /// Only SQLite is supported so far.
    #[error(
        "the control database {0:?} is of a kind that this version does not support; use SQLite"
    )]
    UnsupportedUrl(String),
    /// The name is taken.
    #[error("there is already a target named {0:?}")]
    NameTaken(String),
    /// The name is taken by another recipe.
    #[error("there is already a recipe named {0:?}")]
    RecipeTaken(String),
    /// The name is or was someone's.
    #[error("there is already someone named {0:?}")]
    PersonTaken(String),
    /// Nobody would be left who may let people in.
    #[error("someone who is not kept out must be an admin")]
    NoAdmin,
}

impl StoreError {
    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Stale { .. }
            | Self::Illegal { .. }
            | Self::NameTaken(_)
            | Self::RecipeTaken(_)
            | Self::PersonTaken(_)
            | Self::NoAdmin => ErrorCode::Conflict,
            Self::UnsupportedUrl(_) => ErrorCode::BadOption,
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                ErrorCode::DiskFull
            }
            Self::Sql(_) | Self::Migrate(_) | Self::Io { .. } | Self::Json(_) | Self::Sealed => {
                ErrorCode::Internal
            }
        };
        ErrorBody::new(code, format!("{self}."))
    }
}

/// The control database and the key of its secrets.
#[derive(Clone)]
pub struct Store {
    reader: SqlitePool,
    writer: SqlitePool,
    keeper: Arc<Keeper>,
    data_dir: Arc<PathBuf>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("data_dir", &self.data_dir).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the control database of a data folder, making both where they are missing.
    ///
    /// `url` is `sqlite:PATH`, or none for `control.db` in the folder.
    ///
    /// # Errors
    /// If the folder cannot be written, the database not opened, or the URL is of another kind.
    pub async fn open(data_dir: &Path, url: Option<&str>) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: data_dir.to_owned(), source };
        std::fs::create_dir_all(data_dir.join("runs")).map_err(io)?;
        std::fs::create_dir_all(data_dir.join("sources")).map_err(io)?;
        let path = match url {
            None => data_dir.join("control.db"),
            Some(url) => match url.strip_prefix("sqlite:") {
                Some(path) => PathBuf::from(path.trim_start_matches("//")),
                None => return Err(StoreError::UnsupportedUrl(without_password(url))),
            },
        };
        let _alone = alone(data_dir).await?;
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(15));
        let writer =
            SqlitePoolOptions::new().max_connections(1).connect_with(options.clone()).await?;
        sqlx::migrate!("../migrations/sqlite").run(&writer).await?;
        let reader = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        let keeper = Arc::new(Keeper::open(&data_dir.join("secret.key"))?);
        Ok(Self { reader, writer, keeper, data_dir: Arc::new(data_dir.to_owned()) })
    }

    /// The folder of this service: control database, sources, rejects.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Where an uploaded file lies.
    #[must_use]
    pub fn source_path(&self, source_id: &str) -> PathBuf {
        self.data_dir.join("sources").join(source_id)
    }

    /// The folder of a run's own files.
    #[must_use]
    pub fn run_dir(&self, run_id: &str) -> PathBuf {
        self.data_dir.join("runs").join(run_id)
    }

    /// Begins a transaction that takes the write lock at once, so that it never fails half-way
    /// because a reader became a writer.
    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>, StoreError> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }
}

/// Lets one process at a time open a data folder: two that make a new control database at once
/// would both want to create its tables. The lock goes with the file.
async fn alone(data_dir: &Path) -> Result<std::fs::File, StoreError> {
    let path = data_dir.join("open.lock");
    let wait = {
        let path = path.clone();
        move || {
            let file =
                std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
            Ok(file)
        }
    };
    let locked = tokio::task::spawn_blocking(wait).await.map_err(std::io::Error::other);
    locked.and_then(|file| file).map_err(|source| StoreError::Io { path, source })
}

/// The moment now, RFC 3339, UTC, to the millisecond.
#[must_use]
pub fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// A new identity that sorts by time.
#[must_use]
pub fn new_id() -> String {
    ulid::Ulid::generate().to_string()
}

fn without_password(url: &str) -> String {
    url.split("://").next().map_or_else(|| url.to_owned(), |scheme| format!("{scheme}://…"))
}

fn status(text: &str) -> RunStatus {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .unwrap_or(RunStatus::Interrupted)
}

#[cfg(test)]
mod tests;
