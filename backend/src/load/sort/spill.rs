//! Sorted runs on disk.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use super::Row;

/// Numbers before each row: three lengths of four bytes, two places of eight.
const HEAD: usize = 28;

/// A sorted run in a file without a name.
#[derive(Debug)]
pub(super) struct Run {
    file: File,
}

/// Writes a run.
#[derive(Debug)]
pub(super) struct Writer {
    file: BufWriter<File>,
}

impl Writer {
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(dir)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file) })
    }

    pub(super) fn push(&mut self, row: &Row<'_>) -> io::Result<()> {
        let mut head = [0_u8; HEAD];
        head[0..4].copy_from_slice(&(row.key.len() as u32).to_le_bytes());
        head[4..8].copy_from_slice(&(row.body.len() as u32).to_le_bytes());
        head[8..12].copy_from_slice(&(row.raw.len() as u32).to_le_bytes());
        head[12..20].copy_from_slice(&row.row.to_le_bytes());
        head[20..28].copy_from_slice(&row.line.to_le_bytes());
        self.file.write_all(&head)?;
        self.file.write_all(row.key)?;
        self.file.write_all(row.body)?;
        self.file.write_all(row.raw)
    }

    pub(super) fn finish(self) -> io::Result<Run> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Run { file })
    }
}

/// Reads a run row by row; holds one.
#[derive(Debug)]
pub(super) struct Reader {
    file: BufReader<File>,
    bytes: Vec<u8>,
    key_len: usize,
    body_len: usize,
    row: u64,
    line: u64,
}

impl Reader {
    /// Opens a run at its first row; none where it has none.
    pub(super) fn open(run: Run, buffer_bytes: usize) -> io::Result<Option<Self>> {
        let mut reader = Self {
            file: BufReader::with_capacity(buffer_bytes, run.file),
            bytes: Vec::new(),
            key_len: 0,
            body_len: 0,
            row: 0,
            line: 0,
        };
        Ok(reader.advance()?.then_some(reader))
    }

    /// Moves to the next row; `false` at the end.
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        let mut head = [0_u8; HEAD];
        match self.file.read_exact(&mut head) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        let number = |at: usize| {
            let mut four = [0_u8; 4];
            four.copy_from_slice(&head[at..at + 4]);
            u32::from_le_bytes(four) as usize
        };
        let long = |at: usize| {
            let mut eight = [0_u8; 8];
            eight.copy_from_slice(&head[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        (self.key_len, self.body_len) = (number(0), number(4));
        (self.row, self.line) = (long(12), long(20));
        self.bytes.resize(self.key_len + self.body_len + number(8), 0);
        self.file.read_exact(&mut self.bytes)?;
        Ok(true)
    }

    pub(super) fn key(&self) -> &[u8] {
        self.bytes.get(..self.key_len).unwrap_or_default()
    }

    pub(super) fn current(&self) -> Row<'_> {
        let body_end = self.key_len + self.body_len;
        Row {
            key: self.key(),
            body: self.bytes.get(self.key_len..body_end).unwrap_or_default(),
            raw: self.bytes.get(body_end..).unwrap_or_default(),
            row: self.row,
            line: self.line,
        }
    }
}
