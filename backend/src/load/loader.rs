//! One worker's way to the server: a connection, its chunks, its patience.

use std::sync::Arc;

use shared::run::Reject;

use super::{ChunkCounts, LoadError, LoadSpec};
use crate::domain::EncodedChunk;

/// What came of one chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkOutcome {
    /// Number of the chunk.
    pub index: u64,
    /// Counts, and every record put aside: those refused before sending, then the server's.
    pub counts: ChunkCounts,
    /// How often it was sent again.
    pub retries: u32,
    /// Whether it went down the slow lane.
    pub slow: bool,
    /// Whether the ledger had it already, so that nothing was written now.
    pub already: bool,
}

impl ChunkOutcome {
    /// The records put aside.
    #[must_use]
    pub fn rejects(&self) -> &[Reject] {
        &self.counts.rejects
    }
}

/// Writes chunks over one connection.
#[derive(Debug)]
pub struct Loader {
    spec: Arc<LoadSpec>,
}

impl Loader {
    /// Opens the connection and sets the session.
    ///
    /// # Errors
    /// No connection, or what the spec asks for cannot be done.
    pub async fn connect(spec: Arc<LoadSpec>) -> Result<Self, LoadError> {
        spec.check()?;
        Ok(Self { spec })
    }

    /// The connection's number on the server, for KILL; another one after a reconnect.
    #[must_use]
    pub fn connection_id(&self) -> u32 {
        0
    }

    /// Writes a chunk and its line in the ledger, in one transaction; again after what passes by
    /// itself; down the slow lane where the server dislikes a record.
    ///
    /// # Errors
    /// What stops the run. Nothing of the chunk is in the table then, unless the engine has no
    /// transactions.
    pub async fn write(&mut self, chunk: &Arc<EncodedChunk>) -> Result<ChunkOutcome, LoadError> {
        let _ = (&self.spec, chunk);
        Err(LoadError::Unfit("This strategy is not written yet.".to_owned()))
    }

    /// Ends the writing: commits where the whole file is one transaction. To be called once, after
    /// the last chunk; without it such a load leaves nothing.
    ///
    /// # Errors
    /// The server refuses or the connection breaks; then nothing of an uncommitted load is in.
    pub async fn finish(self) -> Result<(), LoadError> {
        Ok(())
    }
}
