//! The grammar's careful road: delimiters of several bytes, escapes, blanks around fields, lone
//! carriage returns.

use memchr::{memchr, memchr2};

use super::grammar::{Fault, Grammar, NULL, QUOTED, SCRATCH, Spans, Split};

enum Border {
    Delimiter,
    Line { next: usize, closed: bool },
    None,
}

impl Grammar {
    /// Reads the quoted field at `start` with doubled quotes and escapes.
    pub(super) fn quoted_general(
        &self,
        data: &[u8],
        start: usize,
        quote: u8,
        out: &mut Spans,
        lines: &mut u64,
    ) -> Option<usize> {
        let scratch_start = out.scratch.len();
        let mut from = start + 1;
        loop {
            let rest = data.get(from..).unwrap_or_default();
            let found = match self.escape {
                Some(escape) => memchr2(quote, escape, rest),
                None => memchr(quote, rest),
            };
            let Some(found) = found else {
                out.scratch.extend_from_slice(rest);
                *lines += self.count_lines(data.get(start..).unwrap_or_default());
                out.push(scratch_start, out.scratch.len(), QUOTED | SCRATCH);
                return None;
            };
            out.scratch.extend_from_slice(rest.get(..found).unwrap_or_default());
            let at = from + found;
            if data.get(at) == Some(&quote) {
                if data.get(at + 1) == Some(&quote) {
                    out.scratch.push(quote);
                    from = at + 2;
                    continue;
                }
                *lines += self.count_lines(data.get(start..at).unwrap_or_default());
                out.push(scratch_start, out.scratch.len(), QUOTED | SCRATCH);
                return Some(at + 1);
            }
            match data.get(at + 1) {
                Some(&b) => out.scratch.push(self.unescaped(b)),
                None => out.scratch.extend(self.escape),
            }
            from = (at + 2).min(data.len());
        }
    }

    #[inline]
    fn unescaped(&self, byte: u8) -> u8 {
        if self.escape != Some(b'\\') {
            return byte;
        }
        match byte {
            b'0' => 0,
            b'b' => 8,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'Z' => 0x1a,
            other => other,
        }
    }

    pub(super) fn split_general(&self, data: &[u8], at: usize, out: &mut Spans) -> Split {
        let mut lines = 1;
        let mut fault = None;
        let mut start = at;
        loop {
            if self.trim {
                while data.get(start).is_some_and(|b| self.is_blank(*b)) {
                    start += 1;
                }
            }
            let mut from = start;
            let mut junk = false;
            if let Some(quote) = self.quote
                && data.get(start) == Some(&quote)
            {
                let Some(mut after) = self.quoted_general(data, start, quote, out, &mut lines)
                else {
                    let fault = Some(Fault::Unclosed { field: out.spans.len().saturating_sub(1) });
                    return Split {
                        end: data.len(),
                        next: data.len(),
                        lines,
                        closed: false,
                        fault,
                    };
                };
                if self.trim {
                    while data.get(after).is_some_and(|b| self.is_blank(*b)) {
                        after += 1;
                    }
                }
                match self.border(data, after) {
                    Border::Delimiter => {
                        start = after + self.delimiter.len();
                        continue;
                    }
                    Border::Line { next, closed } => {
                        return Split { end: after, next, lines, closed, fault };
                    }
                    Border::None => {
                        let field = out.spans.len().saturating_sub(1);
                        fault = fault.or(Some(Fault::AfterQuote { field }));
                        out.spans.pop();
                        from = after;
                        junk = true;
                    }
                }
            }
            let (end, border) = self.unquoted(data, start, from, junk, out, &mut lines);
            match border {
                Border::Delimiter => start = end + self.delimiter.len(),
                Border::Line { next, closed } => return Split { end, next, lines, closed, fault },
                Border::None => {
                    return Split { end, next: data.len(), lines, closed: false, fault };
                }
            }
        }
    }

    /// What stands at `at`.
    fn border(&self, data: &[u8], at: usize) -> Border {
        let rest = data.get(at..).unwrap_or_default();
        if rest.starts_with(&self.delimiter) {
            return Border::Delimiter;
        }
        match rest.first() {
            None => Border::Line { next: at, closed: false },
            Some(b'\n') => Border::Line { next: at + 1, closed: true },
            Some(b'\r') if rest.get(1) == Some(&b'\n') => {
                Border::Line { next: at + 2, closed: true }
            }
            Some(b'\r') if self.cr_ends || (self.crlf && rest.len() == 1) => {
                let (next, closed) = self.after_cr(data, at);
                Border::Line { next, closed }
            }
            Some(_) => Border::None,
        }
    }

    /// Reads an unquoted field from `from` on; it began at `start`. Gives its end and what is there.
    fn unquoted(
        &self,
        data: &[u8],
        start: usize,
        from: usize,
        junk: bool,
        out: &mut Spans,
        lines: &mut u64,
    ) -> (usize, Border) {
        let scratch_start = out.scratch.len();
        let mut copied_to = start;
        let mut at = from;
        let mut escaped = false;
        // Blanks up to here were escaped, so trimming must leave them.
        let mut keep = start;
        let border = loop {
            let rest = data.get(at..).unwrap_or_default();
            let Some(step) = rest.iter().position(|b| self.stops[usize::from(*b)]) else {
                at = data.len();
                break Border::Line { next: at, closed: false };
            };
            at += step;
            let byte = data.get(at).copied().unwrap_or_default();
            if Some(byte) == self.escape {
                escaped = true;
                out.scratch.extend_from_slice(data.get(copied_to..at).unwrap_or_default());
                match data.get(at + 1) {
                    Some(&b) => {
                        out.scratch.push(self.unescaped(b));
                        let lone_cr = b == b'\r' && data.get(at + 2) != Some(&b'\n');
                        let new_line = b == b'\n' || (lone_cr && self.cr_ends);
                        *lines += u64::from(new_line);
                    }
                    None => out.scratch.push(byte),
                }
                at = (at + 2).min(data.len());
                copied_to = at;
                keep = at;
                continue;
            }
            match self.border(data, at) {
                Border::None => at += 1,
                border => break border,
            }
        };
        // A carriage return before the line feed belongs to the line end.
        let mut end = at;
        if matches!(border, Border::Line { .. })
            && end > keep
            && data.get(end - 1) == Some(&b'\r')
            && (data.get(end) == Some(&b'\n') || (self.crlf && end == data.len()))
        {
            end -= 1;
        }
        let record_end = end;
        if self.trim && !junk {
            while end > keep && data.get(end - 1).is_some_and(|b| self.is_blank(*b)) {
                end -= 1;
            }
        }
        if escaped {
            out.scratch.extend_from_slice(data.get(copied_to..end).unwrap_or_default());
            let raw = data.get(start..end).unwrap_or_default();
            let null = self.escape == Some(b'\\') && raw == b"\\N";
            let flags = if null { SCRATCH | NULL } else { SCRATCH };
            out.push(scratch_start, out.scratch.len(), flags);
        } else {
            out.push(start, end, 0);
        }
        (if matches!(border, Border::Delimiter) { at } else { record_end }, border)
    }
}
