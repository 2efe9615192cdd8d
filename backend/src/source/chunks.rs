//! Files cut into chunks at record ends: one sequential scan, memory of a chunk.

use std::collections::VecDeque;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shared::options::Format;
use shared::profile::Compression;
use shared::profile::cut::Cut;
use shared::profile::grammar::{Grammar, NULL, NoRecord, Spans};
use shared::profile::json;
use shared::{ErrorBody, ErrorCode};

use super::decode::Charset;
use super::open::{self, Part, Stream};
use super::{Layout, SourceError};
use crate::domain::Chunk;

/// The longest record that is read.
pub const RECORD_BYTES_MAX: u64 = 256 << 20;
/// The smallest chunk that is cut, whatever was asked for.
const CHUNK_BYTES_MIN: u64 = 1;

/// Reads files of one layout, chunk by chunk. The same files, layout and size always give the
/// same chunks.
pub struct ChunkReader {
    layout: Layout,
    charset: Charset,
    cutter: Cutter,
    chunk_bytes: u64,
    parts: VecDeque<Part>,
    open: Option<OpenPart>,
    buffer: Vec<u8>,
    ended: bool,
    next_index: u64,
    next_file: u32,
    next_row: u64,
    next_line: u64,
    file_bytes: Arc<AtomicU64>,
    blanks: u64,
    comments: u64,
    /// The part at hand is a JSON array, which must be closed.
    in_array: bool,
    array_closed: bool,
}

struct OpenPart {
    part: Part,
    stream: Stream,
    file: u32,
}

enum Cutter {
    Delimited(Box<Grammar>),
    JsonLines,
    JsonArray,
}

impl Cutter {
    fn cut(&self, data: &[u8], last: bool) -> Cut {
        match self {
            Self::Delimited(grammar) => grammar.cut(data, last),
            Self::JsonLines => json::cut_lines(data, last),
            Self::JsonArray => json::cut_array(data, last),
        }
    }
}

impl ChunkReader {
    /// Opens files that have this layout, to be cut into chunks of about `chunk_bytes`.
    ///
    /// # Errors
    /// A file that cannot be opened, an archive that cannot be read, an unknown encoding.
    pub fn open(paths: &[PathBuf], layout: &Layout, chunk_bytes: u64) -> Result<Self, SourceError> {
        let cutter = match layout.format {
            Format::Jsonl => Cutter::JsonLines,
            Format::Json => Cutter::JsonArray,
            Format::Csv | Format::Parquet | Format::Sheet => {
                Cutter::Delimited(Box::new(Grammar::new(&layout.dialect)))
            }
        };
        let whole_zip = matches!(layout.format, Format::Sheet | Format::Parquet);
        Ok(Self {
            charset: Charset::by_name(&layout.encoding)?,
            cutter,
            chunk_bytes: chunk_bytes.clamp(CHUNK_BYTES_MIN, RECORD_BYTES_MAX),
            parts: open::parts(paths, whole_zip)?.into(),
            open: None,
            buffer: Vec::new(),
            ended: true,
            next_index: 0,
            next_file: 0,
            next_row: 1,
            next_line: 1,
            file_bytes: Arc::new(AtomicU64::new(0)),
            blanks: 0,
            comments: 0,
            in_array: false,
            array_closed: false,
            layout: layout.clone(),
        })
    }

    /// The next chunk; none at the end.
    ///
    /// # Errors
    /// A file that cannot be read or is damaged; a record beyond [`RECORD_BYTES_MAX`]; a file whose
    /// header differs from the first one's.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, SourceError> {
        let mut target = self.chunk_bytes;
        loop {
            if self.buffer.is_empty() && self.ended {
                self.check_array_end()?;
                if !self.open_next()? {
                    return Ok(None);
                }
            }
            self.fill(target)?;
            let whole = self.buffer.len() as u64 <= target;
            let stretch = self.buffer.get(..target as usize).unwrap_or(&self.buffer);
            let last = whole && self.ended;
            let cut = self.cutter.cut(stretch, last);
            if cut.end == 0 {
                if last {
                    // Nothing but what the format itself puts after the last record.
                    self.buffer.clear();
                    continue;
                }
                if target >= RECORD_BYTES_MAX {
                    return Err(SourceError::RecordTooLong {
                        row: self.next_row,
                        line: self.next_line,
                        limit_bytes: RECORD_BYTES_MAX,
                    });
                }
                target = (target * 2).min(RECORD_BYTES_MAX);
                continue;
            }
            self.blanks += cut.blanks;
            self.comments += cut.comments;
            self.note_end(cut.end);
            if cut.records == 0 {
                self.buffer.drain(..cut.end);
                self.next_line += cut.lines;
                continue;
            }
            return Ok(Some(self.take(&cut)));
        }
    }

    /// Empty lines and comment lines passed so far.
    #[must_use]
    pub fn passed_lines(&self) -> (u64, u64) {
        (self.blanks, self.comments)
    }

    /// Remembers the last byte of an array that was passed.
    fn note_end(&mut self, end: usize) {
        let passed = self.buffer.get(..end).unwrap_or_default();
        if self.in_array
            && let Some(byte) = passed.trim_ascii_end().last()
        {
            self.array_closed = *byte == b']';
        }
    }

    /// An array that ends without its bracket was cut short.
    fn check_array_end(&mut self) -> Result<(), SourceError> {
        if !std::mem::take(&mut self.in_array) || self.array_closed {
            return Ok(());
        }
        let path = self.open.as_ref().map(|o| o.part.path.clone()).unwrap_or_default();
        Err(SourceError::Damaged { path, detail: "the JSON array ends without its ]".to_owned() })
    }

    fn take(&mut self, cut: &Cut) -> Chunk {
        let mut rest = Vec::new();
        if !self.ended {
            rest.reserve_exact((self.chunk_bytes as usize).max(self.buffer.len() - cut.end));
        }
        rest.extend_from_slice(self.buffer.get(cut.end..).unwrap_or_default());
        let mut data = std::mem::replace(&mut self.buffer, rest);
        data.truncate(cut.end);
        let read = self.file_bytes.load(Ordering::Relaxed);
        let plain = self.layout.compression == Compression::None && self.charset == Charset::Utf8;
        let ahead = if plain { self.buffer.len() as u64 } else { 0 };
        let chunk = Chunk {
            index: self.next_index,
            file: self.open.as_ref().map_or(0, |o| o.file),
            first_row: self.next_row,
            first_line: self.next_line,
            file_bytes_end: read.saturating_sub(ahead),
            data,
        };
        self.next_index += 1;
        self.next_row += cut.records;
        self.next_line += cut.lines;
        chunk
    }

    /// Reads on until the buffer holds `target` bytes or the part ends.
    fn fill(&mut self, target: u64) -> Result<(), SourceError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let wanted = target.saturating_sub(self.buffer.len() as u64);
        if self.ended || wanted == 0 {
            return Ok(());
        }
        self.buffer.reserve(wanted as usize);
        let got = (&mut open.stream)
            .take(wanted)
            .read_to_end(&mut self.buffer)
            .map_err(|e| open.part.read_error(e))?;
        self.ended = (got as u64) < wanted;
        Ok(())
    }

    /// Opens the next part and passes over everything before its first record.
    fn open_next(&mut self) -> Result<bool, SourceError> {
        let Some(part) = self.parts.pop_front() else { return Ok(false) };
        let stream = match self.layout.format {
            Format::Csv | Format::Jsonl | Format::Json => {
                self.charset.decode(part.open(&self.file_bytes)?)
            }
            Format::Parquet => super::parquet::stream(&part, &self.file_bytes)?,
            Format::Sheet => {
                super::sheet::stream(&part, self.layout.sheet.as_deref(), &self.file_bytes)?
            }
        };
        let file = self.next_file;
        self.next_file += 1;
        self.open = Some(OpenPart { part, stream, file });
        self.ended = false;
        self.next_line = 1;
        self.fill(self.chunk_bytes.max(64 << 10))?;
        match self.layout.format {
            Format::Csv | Format::Parquet | Format::Sheet => {
                self.skip_lines()?;
                if self.layout.dialect.header {
                    self.header()?;
                }
            }
            Format::Json => {
                let start = json::array_start(&self.buffer);
                (self.in_array, self.array_closed) = (start > 0, false);
                self.buffer.drain(..start);
            }
            Format::Jsonl => {}
        }
        Ok(true)
    }

    /// Passes over physical lines that come before anything else.
    fn skip_lines(&mut self) -> Result<(), SourceError> {
        let mut left = self.layout.dialect.skip_rows;
        let mut at = 0;
        while left > 0 {
            let Cutter::Delimited(grammar) = &self.cutter else { return Ok(()) };
            let (_, next, closed) = grammar.physical_line(&self.buffer, at);
            if closed || self.ended {
                at = next;
                left -= 1;
                self.next_line += 1;
                if at >= self.buffer.len() && self.ended {
                    break;
                }
                continue;
            }
            self.buffer.drain(..at);
            at = 0;
            self.grow()?;
        }
        self.buffer.drain(..at.min(self.buffer.len()));
        Ok(())
    }

    fn grow(&mut self) -> Result<(), SourceError> {
        let target = (self.buffer.len() as u64 * 2).max(64 << 10);
        if self.buffer.len() as u64 >= RECORD_BYTES_MAX {
            return Err(SourceError::RecordTooLong {
                row: self.next_row,
                line: self.next_line,
                limit_bytes: RECORD_BYTES_MAX,
            });
        }
        self.fill(target)
    }

    /// Passes over the header and sees that it has the columns that are expected.
    fn header(&mut self) -> Result<(), SourceError> {
        let mut spans = Spans::default();
        let mut at = 0;
        loop {
            let Cutter::Delimited(grammar) = &self.cutter else { return Ok(()) };
            if at >= self.buffer.len() && self.ended {
                self.buffer.clear();
                return Ok(());
            }
            if let Some((kind, next, closed)) = grammar.no_record(&self.buffer, at)
                && (closed || self.ended)
            {
                match kind {
                    NoRecord::Blank => self.blanks += 1,
                    NoRecord::Comment => self.comments += 1,
                }
                self.next_line += 1;
                at = next;
                continue;
            }
            let split = grammar.split(&self.buffer, at, &mut spans);
            if split.closed || self.ended {
                self.check_header(&spans)?;
                self.next_line += split.lines;
                self.buffer.drain(..split.next.min(self.buffer.len()));
                return Ok(());
            }
            self.buffer.drain(..at);
            at = 0;
            self.grow()?;
        }
    }

    fn check_header(&self, spans: &Spans) -> Result<(), SourceError> {
        let first = self.open.as_ref().is_none_or(|o| o.file == 0);
        let found = spans.spans.len();
        let expected = self.layout.columns.len();
        let name = self.open.as_ref().map(|o| o.part.name()).unwrap_or_default();
        if found != expected {
            return Err(SourceError::Body(
                ErrorBody::new(
                    ErrorCode::Changed,
                    format!("the header of {name} has {found} columns, {expected} are expected"),
                )
                .with_hint("Read the file's profile again, or import files of one shape only."),
            ));
        }
        if first {
            return Ok(());
        }
        for (i, expected) in self.layout.source_columns.iter().enumerate() {
            let is_null = spans.spans.get(i).is_some_and(|s| s.flags & NULL != 0);
            let bytes = spans.bytes(&self.buffer, i).filter(|_| !is_null).unwrap_or_default();
            let name_here = String::from_utf8_lossy(bytes);
            if name_here != expected.as_str() {
                return Err(SourceError::Body(
                    ErrorBody::new(
                        ErrorCode::UnknownColumn,
                        format!(
                            "column {} of {name} is called {name_here:?}, in the first file {expected:?}",
                            i + 1
                        ),
                    )
                    .with_hint("Files of one import must have the same columns in the same order."),
                ));
            }
        }
        Ok(())
    }
}
