//! One INSERT and one transaction a row: what many tools do, kept for comparison.
//!
//! Slow, but not careless: the ledger's line of the chunk says how many of its rows are in, and
//! each row commits together with it, so that a crash in the middle of a chunk loses and doubles
//! nothing.

use std::sync::Arc;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::run::Reject;

use super::insert::Inserter;
use super::lane::{Written, surprise};
use super::loader::Loader;
use super::{ChunkCounts, ChunkOutcome, Disposition, LoadError, failpoint, reject};
use crate::domain::EncodedChunk;

const DOING: &str = "an INSERT of one row";

/// Writes a chunk row by row, from where an earlier attempt stopped.
pub(super) async fn write(
    loader: &mut Loader,
    chunk: &Arc<EncodedChunk>,
) -> Result<ChunkOutcome, LoadError> {
    let (spec, statements) = (Arc::clone(&loader.spec), loader.statements.clone());
    let ledger = loader.ledger.clone();
    let table = ledger.full_name().to_owned();
    let conn = loader.conn()?;
    ledger.announce(conn, chunk.index).await?;
    let mut state = position(conn, &table, chunk.index).await?;
    let mut inserter = Inserter::new(&spec, &statements);
    for i in state.done..chunk.origins.len() {
        spec.cancel.check()?;
        let mut written = Written::default();
        conn.query_drop("START TRANSACTION")
            .await
            .map_err(|e| LoadError::from_driver(DOING, &e))?;
        let bad: Option<Reject> = match inserter.fill(chunk, &[i]) {
            Err(large) => Some(super::slow::too_large(&spec, chunk, i, large.bytes)),
            Ok(_) => match inserter.send(conn, 1).await {
                Ok(sent) => {
                    written = sent.written;
                    surprise(&spec, 1, sent.written, sent.warnings).map(|why| {
                        reject::describe(&spec, chunk, i, shared::ErrorCode::ServerWarning, &why)
                    })
                }
                Err(error) if error.disposition() == Disposition::Reject => {
                    reject::from_error(&spec, chunk, i, &error)
                }
                Err(error) => return Err(error),
            },
        };
        if let Some(bad) = bad {
            conn.query_drop("ROLLBACK").await.map_err(|e| LoadError::from_driver(DOING, &e))?;
            if spec.stop_on_reject {
                return Err(LoadError::Refused(Box::new(bad)));
            }
            state.rejects.push(bad);
            continue;
        }
        state.written.add(written);
        let line = format!(
            "UPDATE {table} SET rows_read = {}, rows_loaded = {}, rows_skipped = {}, \
             rows_replaced = {} WHERE chunk = {}",
            i + 1,
            state.written.loaded,
            state.written.skipped,
            state.written.replaced,
            chunk.index
        );
        conn.query_drop(line).await.map_err(|e| LoadError::from_driver(DOING, &e))?;
        failpoint::hit("before_commit");
        conn.query_drop("COMMIT").await.map_err(|e| LoadError::from_driver(DOING, &e))?;
        failpoint::hit("after_commit");
    }
    let mut rejects = chunk.rejects.clone();
    rejects.append(&mut state.rejects);
    let counts = ChunkCounts {
        rows_read: chunk.rows_read,
        rows_loaded: state.written.loaded,
        rows_skipped: state.written.skipped,
        // Rows that an earlier attempt put aside are in none of its counts.
        rows_rejected: chunk.rows_read - state.written.loaded - state.written.skipped,
        rows_replaced: state.written.replaced,
        rejects,
    };
    ledger.settle(conn, chunk.index, &counts).await?;
    Ok(ChunkOutcome { index: chunk.index, counts, ..ChunkOutcome::default() })
}

struct State {
    done: usize,
    written: Written,
    rejects: Vec<Reject>,
}

async fn position(conn: &mut Conn, table: &str, chunk: u64) -> Result<State, LoadError> {
    let found: Option<(u64, u64, u64, u64)> = conn
        .query_first(format!(
            "SELECT rows_read, rows_loaded, rows_skipped, rows_replaced FROM {table} \
             WHERE chunk = {chunk}"
        ))
        .await
        .map_err(|e| LoadError::from_driver("the ledger", &e))?;
    let (done, loaded, skipped, replaced) = found.unwrap_or_default();
    Ok(State {
        done: done as usize,
        written: Written { loaded, skipped, replaced },
        rejects: Vec::new(),
    })
}
