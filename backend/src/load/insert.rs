//! Multi-row INSERT: the strategy `insert`, and what the slow lane is made of.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::plan::OnDuplicate;

use super::lane::{self, Written};
use super::sql::{Statements, push_values};
use super::{LoadError, LoadSpec};
use crate::domain::EncodedChunk;

const DOING: &str = "an INSERT";
/// Rows of one statement where nothing else limits them: beyond a thousand nothing is gained.
const ROWS_MAX: usize = 5_000;
/// Room for the packet's head and the server's own bookkeeping.
const PACKET_MARGIN: u64 = 4_096;

/// What came of one statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// How many of the rows that were given it carried.
    pub(super) rows: usize,
    pub(super) written: Written,
    /// Warnings of the server.
    pub(super) warnings: u16,
}

/// A row that no statement can carry.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooLarge {
    /// Bytes that the row needs.
    pub(super) bytes: u64,
}

/// Builds statements in one buffer that is used again and again.
#[derive(Debug)]
pub(super) struct Inserter<'a> {
    spec: &'a LoadSpec,
    statements: &'a Statements,
    buffer: Vec<u8>,
}

impl<'a> Inserter<'a> {
    pub(super) fn new(spec: &'a LoadSpec, statements: &'a Statements) -> Self {
        Self { spec, statements, buffer: Vec::new() }
    }

    /// Puts as many of `rows` as fit into one statement; returns how many.
    pub(super) fn fill(&mut self, chunk: &EncodedChunk, rows: &[usize]) -> Result<usize, TooLarge> {
        let packet = self.spec.max_allowed_packet.saturating_sub(PACKET_MARGIN).max(1024) as usize;
        let wanted = usize::try_from(self.spec.batch_bytes).unwrap_or(usize::MAX);
        let most = self.spec.batch_rows.map_or(ROWS_MAX, |r| r.max(1) as usize);
        let tail = self.statements.insert_tail.as_bytes();
        self.buffer.clear();
        self.buffer.extend_from_slice(self.statements.insert_head.as_bytes());
        let mut taken = 0;
        for &i in rows.iter().take(most) {
            let before = self.buffer.len();
            if taken > 0 {
                self.buffer.push(b',');
            }
            push_values(chunk.row(i), &self.spec.columns, self.spec.flavour, &mut self.buffer);
            let bytes = self.buffer.len() + tail.len();
            if taken == 0 && bytes > packet {
                return Err(TooLarge { bytes: bytes as u64 });
            }
            if taken > 0 && (bytes > packet || bytes > wanted) {
                self.buffer.truncate(before);
                break;
            }
            taken += 1;
        }
        self.buffer.extend_from_slice(tail);
        Ok(taken)
    }

    /// Sends the statement that was filled with `rows` rows.
    pub(super) async fn send(&self, conn: &mut Conn, rows: usize) -> Result<Sent, LoadError> {
        conn.query_drop(&self.buffer[..]).await.map_err(|e| LoadError::from_driver(DOING, &e))?;
        let written = counts(conn, rows as u64, self.spec.on_duplicate);
        Ok(Sent { rows, written, warnings: lane::warnings(conn, self.spec).await? })
    }
}

/// What the server's answer to an INSERT of `rows` rows says.
pub(super) fn counts(conn: &Conn, rows: u64, rule: OnDuplicate) -> Written {
    let affected = conn.affected_rows();
    match rule {
        OnDuplicate::Reject => Written { loaded: affected, skipped: 0, replaced: 0 },
        // Each row counts once, and once more for each row that it displaced.
        OnDuplicate::Replace => {
            Written { loaded: rows, skipped: 0, replaced: affected.saturating_sub(rows) }
        }
        // A row that was there counts nothing, since nothing about it changed.
        OnDuplicate::Skip => {
            Written { loaded: affected, skipped: rows.saturating_sub(affected), replaced: 0 }
        }
        // New rows count once, changed ones twice, unchanged ones not at all.
        OnDuplicate::Update => {
            let changed = match rows {
                1 => u64::from(affected == 2),
                _ => number_after(&conn.info(), "Duplicates:").unwrap_or(0),
            };
            let new = affected.saturating_sub(2 * changed);
            Written { loaded: rows, skipped: 0, replaced: rows.saturating_sub(new) }
        }
    }
}

/// The number behind a word of the server's answer: `Records: 5  Deleted: 0  Skipped: 2`.
pub(super) fn number_after(info: &str, word: &str) -> Option<u64> {
    let (_, rest) = info.split_once(word)?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_read() {
        let info = "Records: 5  Deleted: 1  Skipped: 2  Warnings: 3";
        assert_eq!(number_after(info, "Records:"), Some(5));
        assert_eq!(number_after(info, "Warnings:"), Some(3));
        assert_eq!(number_after(info, "Duplicates:"), None);
    }
}
