//! What a run has done to the target so far: kept before each change, read by resume and recovery.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use mysql_async::Conn;
use serde::{Deserialize, Serialize};

use crate::load::index_ddl::DroppedIndexes;
use crate::load::staging::{self, Way};
use crate::load::{Ledger, LoadError, flush, server_files};
use crate::source::Layout;

use super::progress::{Tracker, add};

/// Records, as they were counted when the load had ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Read.
    pub rows_read: u64,
    /// Written.
    pub rows_loaded: u64,
    /// Put aside.
    pub rows_rejected: u64,
    /// Passed over.
    pub rows_skipped: u64,
}

impl Counted {
    /// As they are counted now.
    #[must_use]
    pub fn now(tracker: &Tracker) -> Self {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Self {
            rows_read: get(&tracker.rows_read),
            rows_loaded: get(&tracker.rows_loaded),
            rows_rejected: get(&tracker.rows_rejected),
            rows_skipped: get(&tracker.rows_skipped),
        }
    }

    /// Lets a tracker go on from what an earlier process had counted.
    pub fn go_on(self, tracker: &Tracker) {
        tracker.reset_load();
        add(&tracker.rows_read, self.rows_read);
        add(&tracker.rows_loaded, self.rows_loaded);
        add(&tracker.rows_rejected, self.rows_rejected);
        add(&tracker.rows_skipped, self.rows_skipped);
    }
}

/// The state of a run on the target.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunState {
    /// How rows reach the table.
    pub way: Way,
    /// The table that is written: the real one or a staging table.
    pub physical: String,
    /// Whether the run made the table itself.
    pub made_table: bool,
    /// Whether all keys stay and one connection writes in the order of the file, because a
    /// repeated key was met.
    pub exact: bool,
    /// Indexes that are to be built after the load.
    pub dropped: Option<DroppedIndexes>,
    /// Rows in the table before.
    pub rows_before: u64,
    /// Whether the engine has transactions.
    pub transactional: bool,
    /// The folder in which files for the server were written.
    #[serde(default)]
    pub server_files: Option<PathBuf>,
    /// Settings of the whole server that were changed, as they were.
    #[serde(default)]
    pub flush: Vec<flush::Setting>,
    /// Whether every row is in the physical table.
    pub loaded: bool,
    /// What was counted then.
    #[serde(default)]
    pub counted: Option<Counted>,
    /// Whether the rows were made visible.
    pub published: bool,
    /// How the file is read: a later look at a part of it might settle less.
    #[serde(default)]
    pub layout: Option<Layout>,
}

impl RunState {
    /// Whether rows are written out of sight.
    #[must_use]
    pub fn aside(&self) -> bool {
        self.way != Way::Direct
    }

    /// Whether loaded rows were made visible, though the answer to that may have been lost.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn landed(
        &self,
        conn: &mut Conn,
        database: &str,
        ledger: &Ledger,
    ) -> Result<bool, LoadError> {
        match self.way {
            Way::Direct => Ok(true),
            Way::Swap => Ok(!staging::exists(conn, database, &self.physical).await?),
            Way::Move => ledger.transferred(conn).await,
        }
    }

    /// Removes files for the server that a killed process left.
    pub fn sweep_files(&self, run_id: &str) {
        if let Some(folder) = &self.server_files {
            server_files::sweep(folder, run_id);
        }
    }

    /// Whether a resume can go on where the run stopped, rather than begin anew.
    #[must_use]
    pub fn resumable(&self) -> bool {
        self.transactional
    }
}
