//! How well a dialect fits a sample.

use super::Dialect;
use super::grammar::{Grammar, QUOTED, Spans};

/// Records by which a dialect is judged.
const RECORDS_MAX: usize = 1000;

/// How a sample looks when read by one dialect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// Records read.
    pub records: usize,
    /// Fields of most records.
    pub fields: usize,
    /// Records with that many.
    pub alike: usize,
    /// Records whose form is wrong.
    pub faults: usize,
    /// Quoted fields.
    pub quoted: usize,
    /// Whether a quote was doubled inside quotes.
    pub doubled: bool,
    /// Unquoted fields that begin with a blank and then a quote.
    pub blank_then_quote: usize,
    /// Records with such blanks after every delimiter.
    pub with_blanks: usize,
    /// Records of the usual length whose last field is empty.
    pub last_empty: usize,
    /// Fields of the first record, and whether its last is empty.
    pub first_fields: usize,
    /// See `first_fields`.
    pub first_last_empty: bool,
    /// Where the first record with the usual number of fields begins.
    pub first_alike: usize,
    /// Most fields of the records before that one.
    pub before_fields_max: usize,
    /// Unquoted cells that begin and end with a double quote.
    pub enclosed: usize,
    /// Unquoted cells that only begin with one.
    pub opened: usize,
    clean: usize,
    cells: usize,
}

impl Evaluation {
    /// Share of records with the usual number of fields.
    #[must_use]
    pub fn share(&self) -> f64 {
        ratio(self.alike, self.records)
    }

    /// Share of records whose form is wrong.
    #[must_use]
    pub fn fault_share(&self) -> f64 {
        ratio(self.faults, self.records)
    }

    /// How well the dialect fits; more is better.
    #[must_use]
    pub fn score(&self) -> f64 {
        let form = self.share().powi(2) * (1.0 - self.fault_share() / 2.0);
        let clean = 0.4 + 0.6 * ratio(self.clean, self.cells);
        let fields = if self.fields < 2 { 0.05 } else { 1.0 + 0.02 * (self.fields.min(20) as f64) };
        form * clean * fields + 0.001
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The first byte after `lines` physical lines.
#[must_use]
pub fn after_lines(grammar: &Grammar, text: &[u8], lines: u64) -> usize {
    let mut at = 0;
    for _ in 0..lines {
        at = grammar.physical_line(text, at).1;
    }
    at
}

/// Reads `text` by `dialect`. Unless it is `last`, its end may cut a record.
#[must_use]
pub fn evaluate(text: &[u8], last: bool, dialect: &Dialect) -> Evaluation {
    let grammar = Grammar::new(dialect);
    let delimiter = dialect.delimiter.as_bytes().first().copied().unwrap_or_default();
    let mut e = Evaluation::default();
    let mut spans = Spans::default();
    // Fields and start of each record.
    let mut lengths: Vec<(usize, usize, bool)> = Vec::new();
    let mut at = after_lines(&grammar, text, dialect.skip_rows);
    while at < text.len() && lengths.len() < RECORDS_MAX {
        if let Some((_, next, _)) = grammar.no_record(text, at) {
            at = next;
            continue;
        }
        let split = grammar.split(text, at, &mut spans);
        if !split.closed && !last && !lengths.is_empty() {
            break;
        }
        e.faults += usize::from(split.fault.is_some());
        let mut blanks = 0;
        for i in 0..spans.spans.len() {
            let cell = spans.bytes(text, i).unwrap_or_default();
            let quoted = spans.spans.get(i).is_some_and(|s| s.flags & QUOTED != 0);
            e.quoted += usize::from(quoted);
            e.doubled |= quoted && dialect.quote.is_some_and(|q| cell.contains(&(q as u8)));
            e.cells += 1;
            e.clean += usize::from(quoted || is_clean(cell, delimiter, dialect.escape));
            if !quoted && cell.first() == Some(&b'"') {
                let closed = cell.len() > 1 && cell.last() == Some(&b'"');
                if closed { e.enclosed += 1 } else { e.opened += 1 }
            }
            if !quoted && cell.first() == Some(&b' ') {
                blanks += 1;
                let rest = cell.trim_ascii_start();
                let opens = dialect.quote.is_some_and(|q| rest.first() == Some(&(q as u8)));
                e.blank_then_quote += usize::from(opens);
            }
        }
        e.with_blanks += usize::from(spans.spans.len() > 1 && blanks + 1 >= spans.spans.len());
        let empty = spans.spans.last().is_some_and(|s| s.start == s.end && s.flags & QUOTED == 0);
        lengths.push((spans.spans.len(), at, empty));
        at = split.next;
    }
    summarise(&mut e, &lengths);
    e
}

fn summarise(e: &mut Evaluation, lengths: &[(usize, usize, bool)]) {
    e.records = lengths.len();
    let mut counts = std::collections::HashMap::new();
    for (fields, _, _) in lengths {
        *counts.entry(*fields).or_insert(0_usize) += 1;
    }
    let most = counts.into_iter().max_by_key(|(fields, count)| (*count, *fields));
    (e.fields, e.alike) = most.unwrap_or_default();
    if let Some((fields, _, empty)) = lengths.first() {
        (e.first_fields, e.first_last_empty) = (*fields, *empty);
    }
    for (fields, start, _) in lengths {
        if *fields == e.fields {
            e.first_alike = *start;
            break;
        }
        e.before_fields_max = e.before_fields_max.max(*fields);
    }
    e.last_empty = lengths.iter().filter(|(f, _, empty)| *f == e.fields && *empty).count();
}

/// Whether an unquoted cell looks like one value, rather than like several that another dialect
/// would part or like one in quotes.
fn is_clean(cell: &[u8], delimiter: u8, escape: Option<char>) -> bool {
    let trimmed = cell.trim_ascii();
    if let [first @ (b'"' | b'\''), .., last] = trimmed
        && first == last
    {
        return false;
    }
    // A backslash that parts nothing is data.
    if escape.is_some() && trimmed.last() == Some(&b'\\') {
        return false;
    }
    let others = [b',', b'\t', b';', b'|', 1, 0x1f];
    let Some(found) = cell.iter().position(|b| others.contains(b) && *b != delimiter) else {
        return true;
    };
    // A comma within a number, or followed by a blank, is no delimiter.
    cell.get(found) == Some(&b',')
        && (cell.iter().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.' | b'-' | b'+'))
            || cell.get(found + 1) == Some(&b' '))
}
