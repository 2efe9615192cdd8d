//! Where records end in a stretch of delimited text: the sequential scan that cuts chunks.

use memchr::{memchr, memchr2};

use super::grammar::{Grammar, NoRecord, Spans};

/// What a scan found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// First byte after the last whole record.
    pub end: usize,
    /// Whole records up to there.
    pub records: u64,
    /// Physical lines up to there.
    pub lines: u64,
    /// Empty lines up to there.
    pub blanks: u64,
    /// Comment lines up to there.
    pub comments: u64,
}

impl Grammar {
    /// Counts the whole records of `data`, which begins with a record; with `last`, what is left
    /// at the end is a record too.
    #[must_use]
    pub fn cut(&self, data: &[u8], last: bool) -> Cut {
        if self.simple { self.cut_simple(data, last) } else { self.cut_general(data, last) }
    }

    fn cut_general(&self, data: &[u8], last: bool) -> Cut {
        let mut cut = Cut::default();
        let mut spans = Spans::default();
        let mut at = 0;
        while at < data.len() {
            if let Some((kind, next, closed)) = self.no_record(data, at) {
                if !closed && !last {
                    break;
                }
                cut.pass(kind, next);
                at = next;
                continue;
            }
            let split = self.split(data, at, &mut spans);
            if !split.closed && !last {
                break;
            }
            cut.records += 1;
            cut.lines += split.lines;
            cut.end = split.next;
            at = split.next;
        }
        cut
    }

    /// The same for one-byte delimiters without escapes: from quote to quote and line to line.
    fn cut_simple(&self, data: &[u8], last: bool) -> Cut {
        let Some(quote) = self.quote else { return self.cut_lines(data, last) };
        let delimiter = self.delimiter.first().copied().unwrap_or(b',');
        let mut cut = Cut::default();
        // Lines within the record at hand that were passed inside quotes.
        let mut inner_lines = 0;
        let mut record_start = 0;
        // Where a quote that continues a quoted field (a doubled one) would stand.
        let mut reopen = usize::MAX;
        let mut at = 0;
        if let Some(next) = self.skip_comments(data, 0, last, &mut cut) {
            (at, record_start) = (next, next);
        }
        while let Some(found) = memchr2(quote, b'\n', data.get(at..).unwrap_or_default()) {
            let mut here = at + found;
            if data.get(here) == Some(&quote) {
                let opens = here == record_start
                    || here == reopen
                    || here.checked_sub(1).and_then(|p| data.get(p)) == Some(&delimiter);
                at = here + 1;
                if !opens {
                    continue;
                }
                let Some(after) = after_quote(data, at, quote, &mut inner_lines) else { break };
                (at, reopen) = (after, after);
                if data.get(after) != Some(&b'\n') {
                    continue;
                }
                // Mostly, the last field is the quoted one.
                here = after;
            }
            let line = data.get(record_start..here).unwrap_or_default();
            if line.is_empty() || line == b"\r" {
                cut.blanks += 1;
            } else {
                cut.records += 1;
            }
            cut.lines += 1 + inner_lines;
            inner_lines = 0;
            at = here + 1;
            record_start = at;
            cut.end = at;
            if self.comment.is_some()
                && let Some(next) = self.skip_comments(data, at, last, &mut cut)
            {
                (at, record_start) = (next, next);
            }
        }
        self.finish(data, record_start, last, 1 + inner_lines, cut)
    }

    /// The same where quotes have no meaning.
    fn cut_lines(&self, data: &[u8], last: bool) -> Cut {
        let mut cut = Cut::default();
        let mut at = self.skip_comments(data, 0, last, &mut cut).unwrap_or(0);
        while let Some(found) = memchr(b'\n', data.get(at..).unwrap_or_default()) {
            if found == 0 || (found == 1 && data.get(at) == Some(&b'\r')) {
                cut.blanks += 1;
            } else {
                cut.records += 1;
            }
            cut.lines += 1;
            at += found + 1;
            cut.end = at;
            if self.comment.is_some()
                && let Some(next) = self.skip_comments(data, at, last, &mut cut)
            {
                at = next;
            }
        }
        self.finish(data, at, last, 1, cut)
    }

    fn finish(&self, data: &[u8], at: usize, last: bool, lines: u64, mut cut: Cut) -> Cut {
        if last && at < data.len() {
            match self.no_record(data, at) {
                Some((kind, next, _)) => cut.pass(kind, next),
                None => {
                    cut.records += 1;
                    cut.lines += lines;
                }
            }
            cut.end = data.len();
        }
        cut
    }

    fn skip_comments(&self, data: &[u8], at: usize, last: bool, cut: &mut Cut) -> Option<usize> {
        let comment = self.comment.as_ref()?;
        let mut at = at;
        while data.get(at..).is_some_and(|rest| rest.starts_with(comment)) {
            let (_, next, closed) = self.physical_line(data, at);
            if !closed && !last {
                break;
            }
            cut.pass(NoRecord::Comment, next);
            at = next;
        }
        Some(at)
    }
}

/// The byte after the quote that closes a field, the search beginning at `at`; counts the lines that
/// end within it. None where none closes it.
#[inline]
fn after_quote(data: &[u8], at: usize, quote: u8, lines: &mut u64) -> Option<usize> {
    let mut at = at;
    loop {
        let found = memchr2(quote, b'\n', data.get(at..)?)?;
        at += found + 1;
        if data.get(at - 1) == Some(&quote) {
            return Some(at);
        }
        *lines += 1;
    }
}

impl Cut {
    fn pass(&mut self, kind: NoRecord, next: usize) {
        match kind {
            NoRecord::Blank => self.blanks += 1,
            NoRecord::Comment => self.comments += 1,
        }
        self.lines += 1;
        self.end = next;
    }
}
