//! Rows by INSERT into a table without transactions: what is written stays, so each statement is
//! followed to its last row.
//!
//! Such an engine stops at the first bad row and keeps those before it. MariaDB tells which row
//! that was; elsewhere each row is a statement of its own.

use std::sync::Arc;

use shared::plan::{OnDuplicate, Strategy};
use shared::target::Flavour;

use super::insert::Inserter;
use super::lane::{Written, surprise};
use super::loader::Loader;
use super::slow::{row_at_fault, too_large};
use super::{ChunkCounts, ChunkOutcome, Disposition, LoadError, LoadSpec, failpoint, reject};
use crate::domain::EncodedChunk;

/// Writes a chunk; of bad records none is in.
pub(super) async fn write(
    loader: &mut Loader,
    chunk: &Arc<EncodedChunk>,
) -> Result<ChunkOutcome, LoadError> {
    let (spec, statements) = (Arc::clone(&loader.spec), loader.statements.clone());
    let ledger = loader.ledger.clone();
    let conn = loader.conn()?;
    let rows: Vec<usize> = (0..chunk.origins.len()).collect();
    let at_once = if tells_row(&spec) { usize::MAX } else { 1 };
    let mut inserter = Inserter::new(&spec, &statements);
    let (mut written, mut rejects) = (Written::default(), chunk.rejects.clone());
    let mut next = 0;
    while let Some(rest) = rows.get(next..).filter(|rest| !rest.is_empty()) {
        spec.cancel.check()?;
        let bad = match inserter.fill(chunk, rest.get(..at_once).unwrap_or(rest)) {
            Err(large) => {
                next += 1;
                Some(too_large(&spec, chunk, next - 1, large.bytes))
            }
            Ok(taken) => match inserter.send(conn, taken).await {
                Ok(sent) => match surprise(&spec, taken as u64, sent.written, sent.warnings) {
                    None => {
                        written.add(sent.written);
                        next += taken;
                        None
                    }
                    Some(why) => return Err(not_undone(&spec, chunk.index, &why)),
                },
                Err(error) if error.disposition() == Disposition::Reject => {
                    let number = match taken {
                        1 => Some(1),
                        _ => row_at_fault(conn, &spec, taken).await?,
                    };
                    let Some(number) = number else {
                        return Err(not_undone(&spec, chunk.index, &error.to_string()));
                    };
                    written.loaded += number as u64 - 1;
                    next += number;
                    reject::from_error(&spec, chunk, next - 1, &error)
                }
                Err(error) => return Err(error),
            },
        };
        if let Some(bad) = bad {
            if spec.stop_on_reject {
                return Err(LoadError::Refused(Box::new(bad)));
            }
            rejects.push(bad);
        }
    }
    let counts = ChunkCounts {
        rows_read: chunk.rows_read,
        rows_loaded: written.loaded,
        rows_skipped: written.skipped,
        rows_rejected: rejects.len() as u64,
        rows_replaced: written.replaced,
        rejects,
    };
    failpoint::hit("before_commit");
    ledger.write(conn, chunk.index, &counts).await?;
    failpoint::hit("after_commit");
    Ok(ChunkOutcome { index: chunk.index, counts, ..ChunkOutcome::default() })
}

/// Whether a statement of many rows can be followed: the server says at which it stopped, and
/// each row before it counts as one.
fn tells_row(spec: &LoadSpec) -> bool {
    spec.flavour == Flavour::Mariadb
        && spec.version >= (10, 7, 0)
        && spec.on_duplicate == OnDuplicate::Reject
        && spec.strategy != Strategy::RowByRow
}

/// What was written cannot be undone, and why that matters.
pub(super) fn not_undone(spec: &LoadSpec, chunk: u64, why: &str) -> LoadError {
    LoadError::NotUndone(format!(
        "Chunk {chunk} did not go in as foreseen ({why}), and the engine {} cannot undo it. Load \
         into InnoDB, or all at once through a staging table, and look at the records first with \
         a check.",
        spec.engine
    ))
}
