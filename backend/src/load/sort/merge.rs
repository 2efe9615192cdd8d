//! Merging sorted runs, and cutting what comes out into chunks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::Path;

use crate::domain::{EncodedChunk, RowOrigin};

use super::buffer::Buffer;
use super::spill::{Reader, Run, Writer};
use super::{Cancel, LoadError, Row};

/// A run whose row waits its turn. The heap gives the greatest, so the order is turned about;
/// among equal keys the earlier run comes first.
#[derive(Debug)]
struct Waiting {
    reader: Reader,
    run: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.reader.key().cmp(self.reader.key()).then_with(|| other.run.cmp(&self.run))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// Several runs, read as one.
#[derive(Debug)]
pub(super) struct Merge {
    heap: BinaryHeap<Waiting>,
}

impl Merge {
    pub(super) fn open(runs: Vec<Run>, budget_bytes: usize) -> Result<Self, LoadError> {
        let buffer = (budget_bytes / runs.len().max(1)).clamp(1 << 14, 1 << 20);
        let mut heap = BinaryHeap::with_capacity(runs.len());
        for (run, file) in runs.into_iter().enumerate() {
            if let Some(reader) = Reader::open(file, buffer)? {
                heap.push(Waiting { reader, run });
            }
        }
        Ok(Self { heap })
    }

    fn peek(&self) -> Option<Row<'_>> {
        self.heap.peek().map(|w| w.reader.current())
    }

    fn advance(&mut self) -> Result<(), LoadError> {
        let Some(mut top) = self.heap.peek_mut() else { return Ok(()) };
        if !top.reader.advance()? {
            std::collections::binary_heap::PeekMut::pop(top);
        }
        Ok(())
    }

    /// Writes everything as one run.
    pub(super) fn spill(mut self, dir: &Path, cancel: &Cancel) -> Result<Run, LoadError> {
        let mut writer = Writer::create(dir)?;
        let mut rows = 0_u64;
        while let Some(row) = self.peek() {
            writer.push(&row)?;
            self.advance()?;
            rows += 1;
            if rows.is_multiple_of(65_536) {
                cancel.check()?;
            }
        }
        Ok(writer.finish()?)
    }
}

#[derive(Debug)]
enum Source {
    Memory { buffer: Buffer, next: usize },
    Runs(Merge),
}

impl Source {
    fn peek(&self) -> Option<Row<'_>> {
        match self {
            Self::Memory { buffer, next } => buffer.row(*next),
            Self::Runs(merge) => merge.peek(),
        }
    }

    fn advance(&mut self) -> Result<(), LoadError> {
        match self {
            Self::Memory { next, .. } => {
                *next += 1;
                Ok(())
            }
            Self::Runs(merge) => merge.advance(),
        }
    }
}

/// The sorted rows, chunk by chunk.
#[derive(Debug)]
pub struct SortedChunks {
    source: Source,
    chunk_bytes: usize,
    cancel: Cancel,
    index: u64,
    last_key: Vec<u8>,
}

impl SortedChunks {
    pub(super) const fn from_memory(buffer: Buffer, chunk_bytes: usize, cancel: Cancel) -> Self {
        let source = Source::Memory { buffer, next: 0 };
        Self { source, chunk_bytes, cancel, index: 0, last_key: Vec::new() }
    }

    pub(super) const fn from_runs(merge: Merge, chunk_bytes: usize, cancel: Cancel) -> Self {
        let source = Source::Runs(merge);
        Self { source, chunk_bytes, cancel, index: 0, last_key: Vec::new() }
    }

    /// The next chunk; none at the end.
    ///
    /// # Errors
    /// A file cannot be read, or the run was cancelled.
    pub fn next_chunk(&mut self) -> Result<Option<EncodedChunk>, LoadError> {
        self.cancel.check()?;
        let mut chunk = EncodedChunk { index: self.index, ..EncodedChunk::default() };
        chunk.data.reserve(self.chunk_bytes + (self.chunk_bytes >> 4));
        while let Some(row) = self.source.peek() {
            let full = chunk.data.len() >= self.chunk_bytes;
            // Rows of one key stay together, so that a repeated key is met inside one chunk; but
            // no file of one key alone may grow a chunk past what its numbers can hold.
            let bounded = chunk.data.len() < (1 << 30);
            if full && !(bounded && row.key == self.last_key.as_slice()) {
                break;
            }
            if chunk.data.len() + row.body.len() >= self.chunk_bytes {
                self.last_key.clear();
                self.last_key.extend_from_slice(row.key);
            }
            push(&mut chunk, &row);
            self.source.advance()?;
        }
        if chunk.origins.is_empty() {
            return Ok(None);
        }
        self.index += 1;
        chunk.rows_read = chunk.origins.len() as u64;
        Ok(Some(chunk))
    }
}

fn push(chunk: &mut EncodedChunk, row: &Row<'_>) {
    chunk.data.extend_from_slice(row.body);
    let raw_start = chunk.raw.len() as u32;
    chunk.raw.extend_from_slice(row.raw);
    chunk.source_bytes += row.raw.len().max(row.body.len()) as u64;
    chunk.origins.push(RowOrigin {
        row: row.row,
        line: row.line,
        end: chunk.data.len() as u32,
        raw_start: if row.raw.is_empty() { 0 } else { raw_start },
        raw_end: if row.raw.is_empty() { 0 } else { chunk.raw.len() as u32 },
    });
}
