//! The slow lane: strict multi-row INSERTs, split until every bad record stands alone.
//!
//! A statement that fails is undone by the server and split; one that succeeds with a warning has
//! changed a value, so the whole chunk is undone and begun again with that statement split. The
//! rest of it is sent all the same, to learn of every such statement at once; but no error is
//! believed behind a changed value, which may be what it stumbled over. No savepoints: MyRocks has
//! none.

use std::collections::{BTreeMap, BTreeSet};

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::ErrorCode;
use shared::run::Reject;
use shared::target::Flavour;

use super::insert::Inserter;
use super::lane::{Written, surprise};
use super::sql::Statements;
use super::{Disposition, LoadError, LoadSpec, failpoint, reject};
use crate::domain::EncodedChunk;

/// What is known of a chunk's bad records, kept from one attempt to the next.
#[derive(Debug, Default)]
pub(super) struct Slow {
    rejects: BTreeMap<usize, Reject>,
    /// First rows and lengths of statements that succeeded with a warning.
    split: BTreeSet<(usize, usize)>,
}

/// How an attempt ended.
#[derive(Debug)]
pub(super) enum Pass {
    /// Every good row is written.
    Done(Written),
    /// More is known now: undo everything and call again.
    Again,
}

impl Slow {
    /// The bad records, in the order of the file.
    pub(super) fn into_rejects(self) -> Vec<Reject> {
        self.rejects.into_values().collect()
    }

    /// The first bad record.
    pub(super) fn first(&self) -> Option<&Reject> {
        self.rejects.values().next()
    }

    /// Writes the good rows of a chunk within the transaction that is open.
    pub(super) async fn pass(
        &mut self,
        conn: &mut Conn,
        spec: &LoadSpec,
        statements: &Statements,
        chunk: &EncodedChunk,
    ) -> Result<Pass, LoadError> {
        failpoint::hit("in_slow_lane");
        let rows: Vec<usize> =
            (0..chunk.origins.len()).filter(|i| !self.rejects.contains_key(i)).collect();
        let mut inserter = Inserter::new(spec, statements);
        let (mut written, mut tainted) = (Written::default(), false);
        // What is left to send, the next part on top; rows go out in the order of the file, so
        // that of two rows with one key the first stays.
        let mut todo: Vec<&[usize]> = vec![&rows];
        while let Some(part) = todo.pop() {
            spec.cancel.check()?;
            let Some(&first) = part.first() else { continue };
            let taken = match inserter.fill(chunk, part) {
                Ok(taken) => taken,
                Err(large) => {
                    self.rejects.insert(first, too_large(spec, chunk, first, large.bytes));
                    todo.push(&part[1..]);
                    continue;
                }
            };
            if taken > 1 && self.split.contains(&(first, taken)) {
                push_split(&mut todo, part, taken, taken / 2);
                continue;
            }
            match inserter.send(conn, taken).await {
                Ok(sent) => match surprise(spec, sent.rows as u64, sent.written, sent.warnings) {
                    None => {
                        written.add(sent.written);
                        todo.push(&part[taken..]);
                    }
                    Some(why) => {
                        if taken > 1 {
                            self.split.insert((first, taken));
                        } else {
                            let words = first_warning(conn).await?.unwrap_or(why);
                            let code = ErrorCode::ServerWarning;
                            let bad = reject::describe(spec, chunk, first, code, &words);
                            self.rejects.insert(first, bad);
                        }
                        tainted = true;
                        todo.push(&part[taken..]);
                    }
                },
                Err(error) if error.disposition() == Disposition::Reject && tainted => {
                    return Ok(Pass::Again);
                }
                Err(error) if error.disposition() == Disposition::Reject => {
                    let bad = match taken {
                        1 => Some(1),
                        _ => row_at_fault(conn, spec, taken).await?,
                    };
                    let Some(number) = bad else {
                        push_split(&mut todo, part, taken, taken / 2);
                        continue;
                    };
                    let i = part[number - 1];
                    if let Some(reject) = reject::from_error(spec, chunk, i, &error) {
                        self.rejects.insert(i, reject);
                    }
                    todo.push(&part[number..]);
                    todo.push(&part[..number - 1]);
                }
                Err(error) => return Err(error),
            }
            if spec.stop_on_reject && !self.rejects.is_empty() {
                break;
            }
        }
        Ok(if tainted { Pass::Again } else { Pass::Done(written) })
    }
}

/// Puts the rest and the two halves of a statement back, the first half on top.
fn push_split<'a>(todo: &mut Vec<&'a [usize]>, part: &'a [usize], taken: usize, at: usize) {
    todo.push(&part[taken..]);
    todo.push(&part[at..taken]);
    todo.push(&part[..at]);
}

/// MariaDB can tell which row of a statement failed: that spares the search.
pub(super) async fn row_at_fault(
    conn: &mut Conn,
    spec: &LoadSpec,
    rows: usize,
) -> Result<Option<usize>, LoadError> {
    if spec.flavour != Flavour::Mariadb || spec.version < (10, 7, 0) {
        return Ok(None);
    }
    let failed = |e| LoadError::from_driver("the search for a bad record", &e);
    conn.query_drop("GET DIAGNOSTICS CONDITION 1 @plimsoll_row = ROW_NUMBER")
        .await
        .map_err(failed)?;
    let number: Option<Option<u64>> =
        conn.query_first("SELECT CAST(@plimsoll_row AS UNSIGNED)").await.map_err(failed)?;
    let number = number.flatten().and_then(|n| usize::try_from(n).ok());
    Ok(number.filter(|n| (1..=rows).contains(n)))
}

async fn first_warning(conn: &mut Conn) -> Result<Option<String>, LoadError> {
    let rows: Vec<(String, u16, String)> = conn
        .query("SHOW WARNINGS LIMIT 1")
        .await
        .map_err(|e| LoadError::from_driver("the search for a bad record", &e))?;
    Ok(rows.into_iter().next().map(|(_, _, words)| words))
}

pub(super) fn too_large(spec: &LoadSpec, chunk: &EncodedChunk, i: usize, bytes: u64) -> Reject {
    let words = format!(
        "it needs {bytes} bytes in one packet, and the server's max_allowed_packet is {}",
        spec.max_allowed_packet
    );
    reject::describe(spec, chunk, i, ErrorCode::RecordTooLong, &words)
}
