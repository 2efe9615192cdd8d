//! The whole file in one statement: what the bulk loaders of most engines ask for.
//!
//! MariaDB's InnoDB, with `unique_checks = 0` and `foreign_key_checks = 0`, writes the rows of the
//! first statement into an empty table past the undo log and sorts every index before it is built;
//! Aria and MyISAM build their plain indexes at the end of it; TokuDB runs its loader. None does
//! that for a second statement, so all chunks flow through a single LOAD DATA, and it is all or
//! nothing: a repeated key undoes everything (where the engine can), and bad records cannot be
//! told here. The table must be the run's own: until the statement ends, whoever reads an InnoDB
//! table waits (seen on 10.11: also plain reads), and a table without transactions keeps what was
//! written.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::lane::{Fast, Written};
use super::loader::clean_counts;
use super::sql::load_from_server;
use super::{
    ChunkCounts, ChunkOutcome, Disposition, Ledger, LoadError, LoadSpec, failpoint, load_data,
    server_files,
};
use crate::domain::EncodedChunk;

const DOING: &str = "the bulk load";

/// A load that is under way.
#[derive(Debug)]
pub(super) struct OneStatement {
    spec: Arc<LoadSpec>,
    road: Road,
    lines: Vec<(u64, ChunkCounts)>,
    rows: u64,
}

/// How rows reach the statement.
#[derive(Debug)]
enum Road {
    /// The statement runs, and takes them from memory as they come.
    Stream { items: mpsc::Sender<io::Result<Bytes>>, statement: Statement },
    /// They are gathered in a file; the statement comes last.
    File { conn: Conn, file: NamedTempFile, writer: tokio::fs::File },
}

type Statement = JoinHandle<(Conn, Result<(), LoadError>)>;

impl OneStatement {
    /// Begins: with the statement, or with its file where the loader refuses LOCAL.
    pub(super) async fn begin(
        conn: Conn,
        spec: &Arc<LoadSpec>,
        load: &str,
    ) -> Result<Self, LoadError> {
        let road = if spec.is_engine("TokuDB") {
            let folder = load_data::folder(spec)?.to_owned();
            let prefix = spec.file_prefix.clone();
            let file =
                tokio::task::spawn_blocking(move || server_files::write(&folder, &prefix, &[]));
            let file = file.await.map_err(io::Error::other)??;
            let writer = tokio::fs::File::from_std(file.reopen()?);
            Road::File { conn, file, writer }
        } else {
            stream(conn, load.to_owned())
        };
        Ok(Self { spec: Arc::clone(spec), road, lines: Vec::new(), rows: 0 })
    }

    /// Hands a chunk on; waits while the server is behind.
    pub(super) async fn write(
        &mut self,
        chunk: &Arc<EncodedChunk>,
    ) -> Result<ChunkOutcome, LoadError> {
        match &mut self.road {
            Road::Stream { items, statement } => {
                for item in load_data::items(chunk, self.spec.cancel.clone()) {
                    if items.send(item).await.is_err() {
                        self.spec.cancel.check()?;
                        // The statement has ended before its rows did.
                        let (_, outcome) = statement.await.map_err(io::Error::other)?;
                        return Err(outcome.err().map_or_else(ended_early, refused));
                    }
                    self.spec.cancel.check()?;
                }
            }
            Road::File { writer, .. } => {
                self.spec.cancel.check()?;
                writer.write_all(&chunk.data).await?;
            }
        }
        let written = Written { loaded: chunk.rows(), skipped: 0, replaced: 0 };
        let counts = clean_counts(chunk, written);
        self.rows += chunk.rows();
        self.lines.push((chunk.index, counts.clone()));
        failpoint::hit("in_engine_bulk");
        Ok(ChunkOutcome { index: chunk.index, counts, ..ChunkOutcome::default() })
    }

    /// Ends the statement, judges it, writes the ledger and commits.
    pub(super) async fn finish(self, ledger: &Ledger) -> Result<Conn, LoadError> {
        let Self { spec, road, lines, rows } = self;
        let mut conn = match road {
            Road::Stream { items, statement } => {
                drop(items);
                let (conn, outcome) = statement.await.map_err(io::Error::other)?;
                outcome.map_err(refused)?;
                conn
            }
            Road::File { mut conn, file, mut writer } => {
                writer.flush().await?;
                let load = load_from_server(&spec, &file.path().to_string_lossy());
                run(&mut conn, load).await.map_err(refused)?;
                conn
            }
        };
        if let Fast::Surprise(why) = load_data::judge(&mut conn, &spec, rows).await? {
            return Err(LoadError::BulkRefused(why));
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

fn stream(mut conn: Conn, load: String) -> Road {
    let (items, receiver) = mpsc::channel::<io::Result<Bytes>>(16);
    let statement = tokio::spawn(async move {
        let rows = stream::unfold(receiver, |mut r| async { r.recv().await.map(|i| (i, r)) });
        conn.set_infile_handler(async move { Ok(rows.boxed()) });
        let outcome = run(&mut conn, load).await;
        (conn, outcome)
    });
    Road::Stream { items, statement }
}

async fn run(conn: &mut Conn, load: String) -> Result<(), LoadError> {
    let mut outcome = conn.query_drop("START TRANSACTION").await;
    if outcome.is_ok() {
        outcome = conn.query_drop(load).await;
    }
    outcome.map_err(|e| LoadError::from_driver(DOING, &e))
}

/// What a record may be the cause of is told as such: then the load is made again by a way that
/// can name it.
fn refused(error: LoadError) -> LoadError {
    // At the commit InnoDB says no more than that it failed (1180).
    let by_record = matches!(error, LoadError::Server { code: 1180, .. })
        || error.disposition() == Disposition::Reject;
    if by_record { LoadError::BulkRefused(error.to_string()) } else { error }
}

fn ended_early() -> LoadError {
    LoadError::BulkRefused("the statement ended before its rows did".to_owned())
}
