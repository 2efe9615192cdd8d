//! A chunk: consecutive records of one source, the unit of work, commit, retry and resume.

use shared::run::Reject;

/// Raw records as UTF-8, cut at record ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the chunk from 0; the same file and options always give the same chunks.
    pub index: u64,
    /// Which of several files it is from.
    pub file: u32,
    /// Data row of its first record, from 1.
    pub first_row: u64,
    /// Physical line of its first record, from 1.
    pub first_line: u64,
    /// Bytes of the file as it lies (packed) that were read up to the end of this chunk, over all
    /// files: what progress is counted in.
    pub file_bytes_end: u64,
    /// The records.
    pub data: Vec<u8>,
}

/// Where an encoded row came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOrigin {
    /// Data row from 1.
    pub row: u64,
    /// Physical line from 1.
    pub line: u64,
    /// End of the encoded row in [`EncodedChunk::data`]; it begins where the one before it ends.
    pub end: u32,
    /// The raw record in [`EncodedChunk::raw`]; both zero where it was not kept.
    pub raw_start: u32,
    /// See `raw_start`.
    pub raw_end: u32,
}

/// Checked rows in the one canonical form, ready for the server.
///
/// Canonical form: fields in the order of the wire columns, parted by a tab, rows ended by a line
/// feed; `\\`, `\t`, `\n`, `\r` and `\0` stand for backslash, tab, line feed, carriage return and
/// NUL; `\N` alone is NULL. It is at once the body of LOAD DATA with those clauses and, field by
/// field between quotes, the body of an INSERT.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedChunk {
    /// Number of the chunk.
    pub index: u64,
    /// Records read, good or bad.
    pub rows_read: u64,
    /// One for each row of `data`.
    pub origins: Vec<RowOrigin>,
    /// The rows.
    pub data: Vec<u8>,
    /// The chunk's raw records, for rejects that only the server can tell.
    pub raw: Vec<u8>,
    /// Records that were refused.
    pub rejects: Vec<Reject>,
    /// See [`Chunk::file_bytes_end`].
    pub file_bytes_end: u64,
    /// Bytes of raw records in this chunk.
    pub source_bytes: u64,
}

impl EncodedChunk {
    /// Rows that are to be written.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.origins.len() as u64
    }

    /// The bytes of row `i`, with its line feed.
    #[must_use]
    pub fn row(&self, i: usize) -> &[u8] {
        let start = match i.checked_sub(1).and_then(|p| self.origins.get(p)) {
            Some(before) => before.end as usize,
            None => 0,
        };
        let end = self.origins.get(i).map_or(start, |o| o.end as usize);
        self.data.get(start..end).unwrap_or_default()
    }

    /// The raw record of row `i`, empty where it was not kept.
    #[must_use]
    pub fn raw_record(&self, i: usize) -> &[u8] {
        self.origins
            .get(i)
            .and_then(|o| self.raw.get(o.raw_start as usize..o.raw_end as usize))
            .unwrap_or_default()
    }
}
