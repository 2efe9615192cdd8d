//! A stable sort of encoded rows by key bytes, within a budget of memory, spilled to disk.

mod buffer;
mod merge;
mod spill;

use std::path::{Path, PathBuf};

use crate::domain::EncodedChunk;

use super::{Cancel, LoadError, failpoint};
use buffer::Buffer;
use merge::Merge;

pub use merge::SortedChunks;

/// Runs that are read at once; more are merged in several passes.
const FAN_IN_MAX: usize = 64;

/// Gathers rows and gives them back in the order of their keys.
///
/// `key` writes the key of a row of the canonical form; keys compare as bytes. Rows with the same
/// key keep the order in which they came, and never fall into two chunks, so that what repeats a
/// key lies together.
#[derive(Debug)]
pub struct Sorter<K> {
    key: K,
    budget_bytes: usize,
    dir: PathBuf,
    cancel: Cancel,
    buffer: Buffer,
    runs: Vec<spill::Run>,
    rows: u64,
}

impl<K: FnMut(&[u8], &mut Vec<u8>)> Sorter<K> {
    /// A sorter that uses about `budget_bytes` of memory and makes its files in `dir`. The files
    /// have no names and vanish with the process.
    #[must_use]
    pub fn new(budget_bytes: u64, dir: &Path, cancel: Cancel, key: K) -> Self {
        let budget_bytes = usize::try_from(budget_bytes).unwrap_or(usize::MAX).max(1 << 16);
        Self {
            key,
            budget_bytes,
            dir: dir.to_owned(),
            cancel,
            buffer: Buffer::default(),
            runs: Vec::new(),
            rows: 0,
        }
    }

    /// Takes the rows of a chunk. Its rejects are the caller's business.
    ///
    /// # Errors
    /// A file cannot be written, or the run was cancelled.
    pub fn push(&mut self, chunk: &EncodedChunk) -> Result<(), LoadError> {
        self.cancel.check()?;
        for i in 0..chunk.origins.len() {
            self.buffer.push(chunk, i, &mut self.key);
            self.rows += 1;
            if self.buffer.bytes() >= self.budget_bytes {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Rows taken so far.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Runs written to disk so far.
    #[must_use]
    pub fn spilled_runs(&self) -> usize {
        self.runs.len()
    }

    /// Sorts what is left and gives all rows back, in chunks of about `chunk_bytes` of rows,
    /// numbered from 0. The same rows give the same chunks, whatever the budget.
    ///
    /// # Errors
    /// A file cannot be read or written, or the run was cancelled.
    pub fn finish(mut self, chunk_bytes: u64) -> Result<SortedChunks, LoadError> {
        self.cancel.check()?;
        let chunk_bytes = usize::try_from(chunk_bytes).unwrap_or(usize::MAX).clamp(1, 1 << 30);
        if self.runs.is_empty() {
            self.buffer.sort();
            return Ok(SortedChunks::from_memory(self.buffer, chunk_bytes, self.cancel));
        }
        if !self.buffer.is_empty() {
            self.spill()?;
        }
        drop(std::mem::take(&mut self.buffer));
        let mut runs = self.runs;
        while runs.len() > FAN_IN_MAX {
            // The oldest runs first and back to the front: rows of equal keys keep their order.
            let rest = runs.split_off(FAN_IN_MAX);
            let merged = Merge::open(runs, self.budget_bytes)?.spill(&self.dir, &self.cancel)?;
            runs = vec![merged];
            runs.extend(rest);
        }
        let merge = Merge::open(runs, self.budget_bytes)?;
        Ok(SortedChunks::from_runs(merge, chunk_bytes, self.cancel))
    }

    fn spill(&mut self) -> Result<(), LoadError> {
        self.cancel.check()?;
        failpoint::hit("in_sort");
        self.buffer.sort();
        let mut writer = spill::Writer::create(&self.dir)?;
        for row in self.buffer.rows() {
            writer.push(&row)?;
        }
        self.runs.push(writer.finish()?);
        self.buffer.clear();
        Ok(())
    }
}

/// One row on its way.
#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    key: &'a [u8],
    body: &'a [u8],
    raw: &'a [u8],
    row: u64,
    line: u64,
}

#[cfg(test)]
mod tests;
