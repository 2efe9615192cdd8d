//! MariaDB InnoDB's bulk insert: an empty table, one transaction, one statement.
//!
//! With `unique_checks = 0` and `foreign_key_checks = 0` the first statement into an empty table
//! writes its rows past the undo log and sorts every index before it is built. Only that one
//! statement gets it, so all chunks flow through a single LOAD DATA, and it is all or nothing: a
//! repeated key undoes everything. Bad records cannot be told here; `load_data` tells them. Until
//! the statement ends, whoever reads the table waits (seen on 10.11: also plain reads).

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::plan::OnDuplicate;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::lane::{Fast, Written};
use super::loader::clean_counts;
use super::{Cancel, ChunkCounts, ChunkOutcome, Ledger, LoadError, failpoint, load_data};
use crate::domain::EncodedChunk;

const DOING: &str = "the bulk insert";

/// A LOAD DATA that is under way.
#[derive(Debug)]
pub(super) struct Stream {
    /// Items for the server; the statement ends when this goes.
    items: mpsc::Sender<io::Result<Bytes>>,
    statement: JoinHandle<(Conn, Result<(), LoadError>)>,
    lines: Vec<(u64, ChunkCounts)>,
    rows: u64,
}

impl Stream {
    /// Begins the transaction and the statement.
    pub(super) fn begin(mut conn: Conn, load: String) -> Self {
        let (items, receiver) = mpsc::channel::<io::Result<Bytes>>(16);
        let statement = tokio::spawn(async move {
            let rows = stream::unfold(receiver, |mut r| async { r.recv().await.map(|i| (i, r)) });
            conn.set_infile_handler(async move { Ok(rows.boxed()) });
            let mut outcome = conn.query_drop("START TRANSACTION").await;
            if outcome.is_ok() {
                outcome = conn.query_drop(load).await;
            }
            (conn, outcome.map_err(|e| LoadError::from_driver(DOING, &e)))
        });
        Self { items, statement, lines: Vec::new(), rows: 0 }
    }

    /// Hands a chunk on; waits while the server is behind.
    pub(super) async fn write(
        &mut self,
        chunk: &Arc<EncodedChunk>,
        cancel: &Cancel,
    ) -> Result<ChunkOutcome, LoadError> {
        for item in load_data::items(chunk, cancel.clone()) {
            if self.items.send(item).await.is_err() {
                // The statement has ended by itself: why is told when it is finished.
                break;
            }
            cancel.check()?;
        }
        let written = Written { loaded: chunk.rows(), skipped: 0, replaced: 0 };
        let counts = clean_counts(chunk, written);
        self.rows += chunk.rows();
        self.lines.push((chunk.index, counts.clone()));
        Ok(ChunkOutcome { index: chunk.index, counts, ..ChunkOutcome::default() })
    }

    /// Ends the statement, judges it, writes the ledger and commits.
    pub(super) async fn finish(self, ledger: &Ledger) -> Result<Conn, LoadError> {
        let Self { items, statement, lines, rows } = self;
        drop(items);
        let (mut conn, outcome) =
            statement.await.map_err(|e| LoadError::Lost { doing: DOING, reason: e.to_string() })?;
        outcome.map_err(refused)?;
        if let Fast::Surprise(why) = load_data::judge(&mut conn, OnDuplicate::Reject, rows).await? {
            return Err(unfit(&why));
        }
        for (chunk, counts) in &lines {
            ledger.write(&mut conn, *chunk, counts).await?;
        }
        failpoint::hit("before_commit");
        let committed = conn.query_drop("COMMIT").await;
        committed.map_err(|e| refused(LoadError::from_driver(DOING, &e)))?;
        failpoint::hit("after_commit");
        Ok(conn)
    }
}

fn refused(error: LoadError) -> LoadError {
    match error {
        LoadError::Server { code: 1062 | 1180, message, .. } => unfit(&message),
        other => other,
    }
}

fn unfit(why: &str) -> LoadError {
    LoadError::Unfit(format!(
        "InnoDB's bulk insert did not go as foreseen and left nothing ({why}). Choose load_data: \
         it names each bad record."
    ))
}
