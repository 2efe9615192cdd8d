//! What a run has done to the target so far: kept before each change, read by resume and recovery.

use serde::{Deserialize, Serialize};

use crate::load::index_ddl::DroppedIndexes;
use crate::load::staging::Way;
use crate::source::Layout;

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
    /// Whether the whole file is one transaction, so that nothing is in before its end.
    pub one_transaction: bool,
    /// Whether every row is in the physical table.
    pub loaded: bool,
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

    /// Whether a resume can go on where the run stopped, rather than begin anew.
    #[must_use]
    pub fn resumable(&self) -> bool {
        self.transactional && !self.one_transaction
    }
}
