//! One worker's way to the server: a connection, its chunks, its patience.

use std::sync::Arc;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::plan::Strategy;
use shared::run::Reject;

use super::lane::{self, Fast, Written};
use super::one_statement::OneStatement;
use super::slow::{Pass, Slow};
use super::sql::Statements;
use super::{
    ChunkCounts, Disposition, Ledger, LoadError, LoadSpec, failpoint, positions, rocksdb,
    row_by_row, untransacted,
};
use crate::domain::EncodedChunk;
use crate::target;

/// Attempts of the slow lane at one chunk: each finds at least one bad record or splits one
/// statement, so this many mean that the server is not of one mind.
const SLOW_PASSES_MAX: u32 = 10_000;
const DUPLICATE: u16 = 1062;

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
    pub(super) spec: Arc<LoadSpec>,
    pub(super) statements: Statements,
    pub(super) ledger: Ledger,
    conn: Option<Conn>,
    id: u32,
    /// Whether the one transaction of the whole file is open.
    open: bool,
    /// The one statement of the whole file, while it runs: it has the connection.
    stream: Option<OneStatement>,
}

impl Loader {
    /// Opens the connection and sets the session.
    ///
    /// # Errors
    /// No connection, or what the spec asks for cannot be done.
    pub async fn connect(spec: Arc<LoadSpec>) -> Result<Self, LoadError> {
        spec.check()?;
        let mut loader = Self {
            statements: Statements::new(&spec),
            ledger: Ledger::named(&spec.database, &spec.ledger),
            spec,
            conn: None,
            id: 0,
            open: false,
            stream: None,
        };
        loader.ensure_connected().await?;
        Ok(loader)
    }

    /// The connection's number on the server, for KILL; another one after a reconnect.
    #[must_use]
    pub const fn connection_id(&self) -> u32 {
        self.id
    }

    /// Writes a chunk and its line in the ledger, in one transaction; again after what passes by
    /// itself; down the slow lane where the server dislikes a record.
    ///
    /// # Errors
    /// What stops the run. Nothing of the chunk is in the table then, unless the engine has no
    /// transactions.
    pub async fn write(&mut self, chunk: &Arc<EncodedChunk>) -> Result<ChunkOutcome, LoadError> {
        if let Some(reject) = chunk.rejects.first().filter(|_| self.spec.stop_on_reject) {
            return Err(LoadError::Refused(Box::new(reject.clone())));
        }
        let spec = Arc::clone(&self.spec);
        let placed;
        let chunk = if spec.positions {
            placed = Arc::new(positions::append(chunk));
            &placed
        } else {
            chunk
        };
        if let Some(turnstile) = &spec.turnstile {
            turnstile.wait(chunk.index, &spec.cancel).await?;
        }
        if spec.one_statement() {
            return self.stream(chunk).await;
        }
        let outcome = self.write_patiently(chunk).await?;
        if let Some(turnstile) = &spec.turnstile {
            turnstile.done(chunk.index);
        }
        Ok(outcome)
    }

    async fn stream(&mut self, chunk: &Arc<EncodedChunk>) -> Result<ChunkOutcome, LoadError> {
        if self.stream.is_none() {
            let conn = self.conn.take().ok_or_else(closed)?;
            let load = self.statements.load_local.clone();
            self.stream = Some(OneStatement::begin(conn, &self.spec, &load).await?);
        }
        let stream = self.stream.as_mut().ok_or_else(closed)?;
        let outcome = stream.write(chunk).await;
        if outcome.is_err() {
            self.stream = None;
        }
        outcome
    }

    async fn write_patiently(
        &mut self,
        chunk: &Arc<EncodedChunk>,
    ) -> Result<ChunkOutcome, LoadError> {
        let mut retries = 0;
        loop {
            self.spec.cancel.check()?;
            let error = match self.attempt(chunk, retries > 0).await {
                Ok(outcome) => return Ok(ChunkOutcome { retries, ..outcome }),
                Err(error) => error,
            };
            self.recover(&error).await;
            // A broken stream of rows looks like a broken connection: the switch tells them apart.
            self.spec.cancel.check()?;
            // Rows of an engine without transactions stay where they are: sent again they would
            // be there twice.
            let undone = self.spec.transactional && !self.spec.one_transaction();
            if error.disposition() != Disposition::Retry || !undone {
                return Err(error);
            }
            if retries == self.spec.retry.tries {
                let last = Box::new(error);
                return Err(LoadError::Exhausted { chunk: chunk.index, tries: retries + 1, last });
            }
            tokio::select! {
                () = tokio::time::sleep(self.spec.retry.wait(retries)) => {}
                () = self.spec.cancel.wait() => return Err(LoadError::Cancelled),
            }
            retries += 1;
        }
    }

    /// Undoes what is open, or leaves a connection that can no longer be trusted.
    async fn recover(&mut self, error: &LoadError) {
        self.open = false;
        let Some(conn) = self.conn.as_mut() else { return };
        let stands = !error.breaks_connection() && conn.query_drop("ROLLBACK").await.is_ok();
        if !stands {
            let (old, id) = (self.conn.take(), self.id);
            self.spec.cancel.forget(id);
            drop(old);
            // The server may not have noticed: its transaction would hold locks until it does.
            let _ = target::kill_connection(&self.spec.target, id).await;
        }
    }

    async fn attempt(
        &mut self,
        chunk: &Arc<EncodedChunk>,
        again: bool,
    ) -> Result<ChunkOutcome, LoadError> {
        self.ensure_connected().await?;
        if again && let Some(counts) = self.known(chunk.index).await? {
            return Ok(counts);
        }
        match self.spec.strategy {
            _ if !self.spec.transactional && self.spec.by_insert() => {
                untransacted::write(self, chunk).await
            }
            Strategy::RowByRow => row_by_row::write(self, chunk).await,
            Strategy::EngineBulk if self.spec.is_engine("RocksDB") => {
                rocksdb::write(self, chunk).await
            }
            _ => self.write_in_transaction(chunk).await,
        }
    }

    /// What the ledger knows of a chunk.
    pub(super) async fn known(&mut self, chunk: u64) -> Result<Option<ChunkOutcome>, LoadError> {
        let ledger = self.ledger.clone();
        let counts = ledger.find(self.conn()?, chunk).await?;
        Ok(counts.map(|counts| ChunkOutcome {
            index: chunk,
            counts,
            already: true,
            ..ChunkOutcome::default()
        }))
    }

    pub(super) async fn write_in_transaction(
        &mut self,
        chunk: &Arc<EncodedChunk>,
    ) -> Result<ChunkOutcome, LoadError> {
        let spec = Arc::clone(&self.spec);
        self.begin().await?;
        let statements = self.statements.clone();
        let fast = lane::send(self.conn()?, &spec, &statements, chunk).await;
        let mut slow = None;
        let written = match fast {
            Ok(Fast::Clean(written)) => written,
            Ok(Fast::Surprise(why)) => {
                tracing::debug!(chunk = chunk.index, why, "down the slow lane");
                self.slow_lane(chunk, slow.insert(Slow::default()), &why).await?
            }
            Err(error) if error.disposition() == Disposition::Reject => {
                let why = error.to_string();
                self.slow_lane(chunk, slow.insert(Slow::default()), &why).await?
            }
            Err(error) => return Err(error),
        };
        if let Some(bad) = slow.as_ref().and_then(Slow::first).filter(|_| spec.stop_on_reject) {
            let refused = LoadError::Refused(Box::new(bad.clone()));
            self.undo().await?;
            return Err(refused);
        }
        let went_slow = slow.is_some();
        let counts = counts(chunk, written, slow);
        failpoint::hit("before_commit");
        let ledger = self.ledger.clone();
        match ledger.write(self.conn()?, chunk.index, &counts).await {
            Err(LoadError::Server { code: DUPLICATE, .. }) => {
                // Somebody else has stored this chunk: theirs counts.
                self.undo().await?;
                let known = self.known(chunk.index).await?;
                return known.ok_or_else(|| LoadError::Verify(ledger_broken(chunk.index)));
            }
            other => other?,
        }
        self.end().await?;
        failpoint::hit("after_commit");
        Ok(ChunkOutcome { index: chunk.index, counts, slow: went_slow, ..ChunkOutcome::default() })
    }

    /// Undoes the fast attempt and writes the good rows; leaves the transaction open.
    async fn slow_lane(
        &mut self,
        chunk: &Arc<EncodedChunk>,
        slow: &mut Slow,
        why: &str,
    ) -> Result<Written, LoadError> {
        if !self.spec.transactional {
            return Err(untransacted::not_undone(&self.spec, chunk.index, why));
        }
        let (spec, statements) = (Arc::clone(&self.spec), self.statements.clone());
        for _ in 0..SLOW_PASSES_MAX {
            self.undo().await?;
            self.begin().await?;
            match slow.pass(self.conn()?, &spec, &statements, chunk).await? {
                Pass::Done(written) => return Ok(written),
                Pass::Again => {}
            }
        }
        Err(LoadError::NotUndone(format!(
            "Chunk {} was split {SLOW_PASSES_MAX} times and still does not go in as foreseen: {why}.",
            chunk.index
        )))
    }

    /// Ends the writing: commits where the whole file is one transaction. To be called once, after
    /// the last chunk; without it such a load leaves nothing.
    ///
    /// # Errors
    /// The server refuses or the connection breaks; then nothing of an uncommitted load is in.
    pub async fn finish(mut self) -> Result<(), LoadError> {
        if let Some(stream) = self.stream.take() {
            self.conn = Some(stream.finish(&self.ledger).await?);
        }
        if self.open {
            failpoint::hit("before_commit");
            self.run("COMMIT", "the commit").await?;
            failpoint::hit("after_commit");
        }
        self.spec.cancel.forget(self.id);
        if let Some(conn) = self.conn.take() {
            // Everything is committed: how the parting goes changes nothing.
            let _ = conn.disconnect().await;
        }
        Ok(())
    }

    pub(super) fn conn(&mut self) -> Result<&mut Conn, LoadError> {
        self.conn.as_mut().ok_or_else(closed)
    }

    async fn ensure_connected(&mut self) -> Result<(), LoadError> {
        if self.conn.is_none() {
            let init = self.spec.session_statements();
            let conn = target::connect_loader(&self.spec.target, init).await?;
            self.id = conn.id();
            self.spec.cancel.register(self.id);
            self.conn = Some(conn);
        }
        Ok(())
    }

    pub(super) async fn run(
        &mut self,
        statement: &str,
        doing: &'static str,
    ) -> Result<(), LoadError> {
        let conn = self.conn()?;
        conn.query_drop(statement).await.map_err(|e| LoadError::from_driver(doing, &e))
    }

    pub(super) async fn begin(&mut self) -> Result<(), LoadError> {
        if !self.spec.transactional {
            return Ok(());
        }
        if !self.open {
            self.run("START TRANSACTION", "the start of a transaction").await?;
        }
        if self.spec.one_transaction() {
            self.open = true;
            self.run("SAVEPOINT plimsoll", "the start of a chunk").await?;
        }
        Ok(())
    }

    pub(super) async fn undo(&mut self) -> Result<(), LoadError> {
        let statement = if self.open { "ROLLBACK TO SAVEPOINT plimsoll" } else { "ROLLBACK" };
        self.run(statement, "the undoing of a chunk").await
    }

    async fn end(&mut self) -> Result<(), LoadError> {
        if self.open || !self.spec.transactional {
            return Ok(());
        }
        self.run("COMMIT", "the commit").await
    }
}

fn closed() -> LoadError {
    LoadError::Lost { doing: "the load", reason: "the connection is closed".to_owned() }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.spec.cancel.forget(self.id);
    }
}

fn counts(chunk: &EncodedChunk, written: Written, slow: Option<Slow>) -> ChunkCounts {
    let mut rejects = chunk.rejects.clone();
    rejects.extend(slow.map(Slow::into_rejects).unwrap_or_default());
    ChunkCounts {
        rows_read: chunk.rows_read,
        rows_loaded: written.loaded,
        rows_skipped: written.skipped,
        rows_rejected: rejects.len() as u64,
        rows_replaced: written.replaced,
        rejects,
    }
}

pub(super) fn clean_counts(chunk: &EncodedChunk, written: Written) -> ChunkCounts {
    counts(chunk, written, None)
}

fn ledger_broken(chunk: u64) -> String {
    format!("The ledger refuses a line for chunk {chunk} but has none.")
}
