//! How one record of delimited text is taken apart: the one place that knows quoting.
//!
//! The browser's preview, the chunk cutter and the workers' parser all come through here, so they
//! cannot disagree about where a field or a record ends.

use memchr::{memchr, memchr2};

use super::{Dialect, LineEnd};

/// The field stood between quotes.
pub const QUOTED: u8 = 1;
/// The field's bytes lie in the scratch buffer, because they had to be unescaped.
pub const SCRATCH: u8 = 2;
/// The field is NULL by the format itself (an escaped `N`).
pub const NULL: u8 = 4;

/// Where a field lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte, in the data or in the scratch buffer.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// [`QUOTED`], [`SCRATCH`], [`NULL`].
    pub flags: u8,
}

/// The fields of one record; reused from record to record.
#[derive(Debug, Default)]
pub struct Spans {
    /// One for each field.
    pub spans: Vec<Span>,
    /// Unescaped bytes.
    pub scratch: Vec<u8>,
}

impl Spans {
    /// Forgets the record before.
    #[inline]
    pub fn clear(&mut self) {
        self.spans.clear();
        self.scratch.clear();
    }

    /// The bytes of field `i`.
    #[inline]
    #[must_use]
    pub fn bytes<'a>(&'a self, data: &'a [u8], i: usize) -> Option<&'a [u8]> {
        let span = self.spans.get(i)?;
        let from = if span.flags & SCRATCH == 0 { data } else { &self.scratch };
        from.get(span.start as usize..span.end as usize)
    }

    #[inline]
    pub(super) fn push(&mut self, start: usize, end: usize, flags: u8) {
        self.spans.push(Span { start: start as u32, end: end as u32, flags });
    }
}

/// What is wrong with a record's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The quote of this field (from 0) never closes.
    Unclosed {
        /// The field, from 0.
        field: usize,
    },
    /// Something stands between this field's (from 0) closing quote and the delimiter.
    AfterQuote {
        /// The field, from 0.
        field: usize,
    },
}

/// One record's extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// End of the record, its line end left out.
    pub end: usize,
    /// First byte after its line end.
    pub next: usize,
    /// Physical lines that it covers.
    pub lines: u64,
    /// Whether a line end was there; false for what reaches the end of the data.
    pub closed: bool,
    /// What is wrong with its form.
    pub fault: Option<Fault>,
}

/// A line that is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRecord {
    /// An empty line.
    Blank,
    /// A comment.
    Comment,
}

/// A dialect made ready for reading.
#[derive(Debug, Clone)]
pub struct Grammar {
    pub(super) delimiter: Vec<u8>,
    pub(super) quote: Option<u8>,
    pub(super) escape: Option<u8>,
    pub(super) comment: Option<Vec<u8>>,
    pub(super) trim: bool,
    trailing_delimiter: bool,
    pub(super) cr_ends: bool,
    /// A carriage return at the very end of the file belongs to its line end.
    pub(super) crlf: bool,
    /// Nothing but a one-byte delimiter, quotes and line feeds: the fast road.
    pub(super) simple: bool,
    /// Bytes at which an unquoted field may end or be escaped.
    pub(super) stops: [bool; 256],
}

impl Grammar {
    /// Makes a dialect ready. A quote or escape beyond ASCII has been refused before.
    #[must_use]
    pub fn new(dialect: &Dialect) -> Self {
        let ascii = |c: Option<char>| c.and_then(|c| u8::try_from(c).ok()).filter(u8::is_ascii);
        let delimiter = if dialect.delimiter.is_empty() {
            b",".to_vec()
        } else {
            dialect.delimiter.as_bytes().to_vec()
        };
        let quote = ascii(dialect.quote);
        let escape = ascii(dialect.escape).filter(|e| Some(*e) != quote);
        let comment =
            dialect.comment.as_ref().filter(|c| !c.is_empty()).map(|c| c.as_bytes().to_vec());
        let cr_ends = matches!(dialect.line_end, LineEnd::Cr | LineEnd::Any);
        let mut stops = [false; 256];
        for stop in delimiter.first().copied().into_iter().chain(escape).chain([b'\n']) {
            stops[usize::from(stop)] = true;
        }
        stops[usize::from(b'\r')] |= cr_ends;
        Self {
            simple: delimiter.len() == 1 && escape.is_none() && !dialect.trim && !cr_ends,
            quote,
            escape,
            comment,
            trim: dialect.trim,
            trailing_delimiter: dialect.trailing_delimiter,
            cr_ends,
            crlf: matches!(dialect.line_end, LineEnd::Crlf | LineEnd::Mixed),
            delimiter,
            stops,
        }
    }

    /// If a line that is no record begins at `at`: its kind and the first byte after it.
    #[inline]
    #[must_use]
    pub fn no_record(&self, data: &[u8], at: usize) -> Option<(NoRecord, usize, bool)> {
        let rest = data.get(at..)?;
        match rest.first()? {
            b'\n' => return Some((NoRecord::Blank, at + 1, true)),
            b'\r' => {
                if rest.get(1) == Some(&b'\n') {
                    return Some((NoRecord::Blank, at + 2, true));
                }
                if self.cr_ends {
                    return Some((NoRecord::Blank, at + 1, rest.len() > 1));
                }
                if rest.len() == 1 && self.crlf {
                    return Some((NoRecord::Blank, at + 1, false));
                }
            }
            _ => {}
        }
        if let Some(comment) = &self.comment
            && rest.starts_with(comment)
        {
            let (_, next, closed) = self.physical_line(data, at);
            return Some((NoRecord::Comment, next, closed));
        }
        if self.trim && rest.first().is_some_and(|b| self.is_blank(*b)) {
            let (end, next, closed) = self.physical_line(data, at);
            if data.get(at..end).unwrap_or_default().iter().all(|b| self.is_blank(*b)) {
                return Some((NoRecord::Blank, next, closed));
            }
        }
        None
    }

    /// The physical line at `at`: its end, the first byte after its line end, whether it has one.
    #[must_use]
    pub fn physical_line(&self, data: &[u8], at: usize) -> (usize, usize, bool) {
        let rest = data.get(at..).unwrap_or_default();
        let found = if self.cr_ends { memchr2(b'\n', b'\r', rest) } else { memchr(b'\n', rest) };
        let Some(found) = found else { return (data.len(), data.len(), false) };
        let mut end = at + found;
        if data.get(end) == Some(&b'\r') {
            let (next, closed) = self.after_cr(data, end);
            return (end, next, closed);
        }
        let next = end + 1;
        if end > at && data.get(end - 1) == Some(&b'\r') {
            end -= 1;
        }
        (end, next, true)
    }

    /// The first byte after a line end that begins with the carriage return at `at`, and whether
    /// enough bytes are there to be sure.
    pub(super) fn after_cr(&self, data: &[u8], at: usize) -> (usize, bool) {
        match data.get(at + 1) {
            Some(b'\n') => (at + 2, true),
            Some(_) => (at + 1, true),
            None => (at + 1, false),
        }
    }

    #[inline]
    pub(super) fn is_blank(&self, byte: u8) -> bool {
        (byte == b' ' || byte == b'\t') && self.delimiter.first() != Some(&byte)
    }

    /// Takes apart the record that begins at `at`, which is neither blank nor a comment.
    #[inline]
    pub fn split(&self, data: &[u8], at: usize, out: &mut Spans) -> Split {
        out.clear();
        let mut split = if self.simple {
            self.split_simple(data, at, out)
        } else {
            self.split_general(data, at, out)
        };
        if self.trailing_delimiter
            && out.spans.len() > 1
            && out.spans.last().is_some_and(|s| s.start == s.end && s.flags & QUOTED == 0)
        {
            out.spans.pop();
        }
        if !split.closed && split.next < data.len() {
            split.next = data.len();
        }
        split
    }

    fn split_simple(&self, data: &[u8], at: usize, out: &mut Spans) -> Split {
        let delimiter = self.delimiter.first().copied().unwrap_or(b',');
        let mut lines = 1;
        let mut fault = None;
        let mut start = at;
        loop {
            let Some(&first) = data.get(start) else {
                out.push(data.len(), data.len(), 0);
                return Split { end: data.len(), next: data.len(), lines, closed: false, fault };
            };
            let mut from = start;
            if Some(first) == self.quote {
                let Some(after) = self.quoted(data, start, first, out, &mut lines) else {
                    let fault = Some(Fault::Unclosed { field: out.spans.len().saturating_sub(1) });
                    return Split {
                        end: data.len(),
                        next: data.len(),
                        lines,
                        closed: false,
                        fault,
                    };
                };
                match data.get(after) {
                    Some(&b) if b == delimiter => {
                        start = after + 1;
                        continue;
                    }
                    Some(b'\n') => {
                        return Split { end: after, next: after + 1, lines, closed: true, fault };
                    }
                    None => {
                        return Split { end: after, next: after, lines, closed: false, fault };
                    }
                    Some(b'\r') if data.get(after + 1) == Some(&b'\n') => {
                        return Split { end: after, next: after + 2, lines, closed: true, fault };
                    }
                    Some(b'\r') if after + 1 == data.len() && self.crlf => {
                        return Split { end: after, next: after + 1, lines, closed: false, fault };
                    }
                    Some(_) => {
                        let field = out.spans.len().saturating_sub(1);
                        fault = fault.or(Some(Fault::AfterQuote { field }));
                        out.spans.pop();
                        from = after;
                    }
                }
            }
            let rest = data.get(from..).unwrap_or_default();
            let Some(found) = field_end(delimiter, rest) else {
                let mut end = data.len();
                if self.crlf && end > start && data.last() == Some(&b'\r') {
                    end -= 1;
                }
                out.push(start, end, 0);
                return Split { end, next: data.len(), lines, closed: false, fault };
            };
            let mut end = from + found;
            if data.get(end) == Some(&delimiter) {
                out.push(start, end, 0);
                start = end + 1;
                continue;
            }
            let next = end + 1;
            if end > start && data.get(end - 1) == Some(&b'\r') {
                end -= 1;
            }
            out.push(start, end, 0);
            return Split { end, next, lines, closed: true, fault };
        }
    }

    /// Reads the quoted field at `start` (the quote), without escapes. Gives the byte after the
    /// closing quote, or none where there is no such.
    #[inline]
    fn quoted(
        &self,
        data: &[u8],
        start: usize,
        quote: u8,
        out: &mut Spans,
        lines: &mut u64,
    ) -> Option<usize> {
        let open = start + 1;
        let mut inner_lines = 0;
        let mut from = open;
        let close = loop {
            let Some(found) = memchr2(quote, b'\n', data.get(from..).unwrap_or_default()) else {
                *lines += inner_lines;
                out.push(open, data.len(), QUOTED);
                return None;
            };
            from += found + 1;
            if data.get(from - 1) == Some(&quote) {
                break from - 1;
            }
            inner_lines += 1;
        };
        if data.get(close + 1) != Some(&quote) {
            *lines += inner_lines;
            out.push(open, close, QUOTED);
            return Some(close + 1);
        }
        self.quoted_general(data, start, quote, out, lines)
    }

    /// Line ends within `data`.
    pub(super) fn count_lines(&self, data: &[u8]) -> u64 {
        let line_feeds = count(b'\n', data);
        if !self.cr_ends {
            return line_feeds;
        }
        let lone = memchr::memchr_iter(b'\r', data).filter(|i| data.get(i + 1) != Some(&b'\n'));
        line_feeds + lone.count() as u64
    }
}

#[inline]
fn field_end(delimiter: u8, rest: &[u8]) -> Option<usize> {
    memchr2(delimiter, b'\n', rest)
}

#[inline]
pub(super) fn count(byte: u8, data: &[u8]) -> u64 {
    memchr::memchr_iter(byte, data).count() as u64
}
