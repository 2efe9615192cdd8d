//! What is put right once a dialect has been found: delimiters of several characters, escapes of the
//! server's own export, blanks, lines before the table, delimiters at line ends.

use super::Dialect;
use super::dialect::{Attempt, attempt};
use super::grammar::Grammar;
use crate::options::ImportOptions;

/// Physical lines that may come before the table.
const PREAMBLE_LINES_MAX: usize = 40;
/// Delimiters of several characters, by the one that is found in their place.
const WIDER: [&str; 11] =
    ["||", "::", "|~|", "~|~", "|^|", "^|^", "<|>", "|;|", ";|;", "::|::", "\u{1}\u{1}"];

/// A delimiter that only ever stands within a longer one, or parts records worse than it.
pub(super) fn wider_delimiter(
    text: &[u8],
    last: bool,
    best: &mut Attempt,
    options: &ImportOptions,
) {
    if options.delimiter.as_deref().is_some_and(|d| !d.is_empty()) {
        return;
    }
    let narrow = best.dialect.delimiter.clone();
    let count = |needle: &str| memchr::memmem::find_iter(text, needle.as_bytes()).count();
    let found = count(&narrow);
    for wider in WIDER {
        let times = count(wider);
        let each = wider.matches(narrow.as_str()).count();
        if times < best.evaluation.records {
            continue;
        }
        let dialect = Dialect { delimiter: wider.to_owned(), ..best.dialect.clone() };
        let next = attempt(text, last, dialect, 1.0);
        let (here, there) = (&next.evaluation, &best.evaluation);
        let inside = each > 0 && times * each == found && here.share() >= there.share();
        let one_column = there.fields < 2 && here.records > 1 && here.share() > 0.99;
        if here.fields > 1 && (inside || one_column || here.share() > there.share()) {
            *best = next;
            return;
        }
    }
}

/// The server's own export escapes with backslashes: nothing breaks without knowing it, but values
/// come out wrong. Backslashes tell it where each is part of a pair that the export writes.
pub(super) fn outfile_escapes(text: &[u8], best: &mut Attempt, options: &ImportOptions) {
    if options.escape.is_some() || best.dialect.escape.is_some() || best.evaluation.doubled {
        return;
    }
    let quote = best.dialect.quote.and_then(|q| u8::try_from(q).ok());
    let quoted = best.evaluation.quoted > 0;
    // Between quotes, a path may end in a backslash too: only its NULL beside them is proof.
    if (quoted || memchr::memchr(b'"', text).is_some()) && !has_bare_null(text, best) {
        return;
    }
    let delimiter = best.dialect.delimiter.as_bytes().first().copied().unwrap_or(b'\t');
    let mut pairs = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', text.get(at..).unwrap_or_default()) {
        at += found + 1;
        match text.get(at) {
            Some(b'\\') => pairs += 1,
            Some(b'N' | b'0' | b'\n') | None => {}
            Some(b) if *b == delimiter || (quoted && Some(*b) == quote) => {}
            Some(_) => return,
        }
        at += 1;
    }
    if pairs > 0 {
        best.dialect.escape = Some('\\');
    }
}

/// Whether `\N` stands alone in an unquoted field.
fn has_bare_null(text: &[u8], best: &Attempt) -> bool {
    let delimiter = best.dialect.delimiter.as_bytes();
    memchr::memmem::find_iter(text, b"\\N").any(|at| {
        let (before, after) = (text.get(..at), text.get(at + 2..));
        let begins = before.is_some_and(|b| {
            b.is_empty() || b.ends_with(delimiter) || b.ends_with(b"\n") || b.ends_with(b"\r")
        });
        let ends = after.is_some_and(|a| {
            a.is_empty() || a.starts_with(delimiter) || a.starts_with(b"\n") || a.starts_with(b"\r")
        });
        begins && ends
    })
}

/// Blanks after delimiters: before a quote they hide it, before a number they make it text.
pub(super) fn blanks(text: &[u8], last: bool, best: &mut Attempt, options: &ImportOptions) {
    if options.trim.is_some() || best.evaluation.fields < 2 || best.dialect.delimiter == " " {
        return;
    }
    let e = &best.evaluation;
    let hidden_quotes = e.blank_then_quote > 0;
    let every_record = e.records > 1 && e.with_blanks * 10 >= e.records * 9;
    if !hidden_quotes && !every_record {
        return;
    }
    let trimmed = attempt(text, last, Dialect { trim: true, ..best.dialect.clone() }, 1.0);
    if trimmed.evaluation.faults <= e.faults && trimmed.evaluation.share() >= e.share() {
        *best = Attempt { score: best.score, ..trimmed };
    }
}

/// Lines before the table: remarks with another number of fields.
pub(super) fn preamble(text: &[u8], last: bool, best: &mut Attempt, options: &ImportOptions) {
    if options.skip_rows.is_some() || best.evaluation.fields < 2 {
        return;
    }
    let grammar = Grammar::new(&best.dialect);
    let start = super::evaluate::after_lines(&grammar, text, best.dialect.skip_rows);
    let table = best.evaluation.first_alike;
    let before = text.get(start..table.max(start)).unwrap_or_default();
    let lines: Vec<&[u8]> = before
        .split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|l| !l.is_empty())
        .filter(|l| best.dialect.comment.as_ref().is_none_or(|c| !l.starts_with(c.as_bytes())))
        .collect();
    let hashes = lines.iter().filter(|l| l.starts_with(b"#")).count();
    let one_more = text.get(table..).is_some_and(|t| t.starts_with(b"#"));
    if options.comment.is_none() && hashes > 0 && hashes == lines.len() && !one_more {
        let dialect = Dialect { comment: Some("#".to_owned()), ..best.dialect.clone() };
        *best = Attempt { score: best.score, ..attempt(text, last, dialect, 1.0) };
        return;
    }
    let passed = before.iter().filter(|b| **b == b'\n').count();
    let short = best.evaluation.before_fields_max * 2 <= best.evaluation.fields.max(3);
    if lines.is_empty() || passed > PREAMBLE_LINES_MAX || !short || best.evaluation.alike < 2 {
        return;
    }
    let skip_rows = best.dialect.skip_rows + grammar.count_lines(before);
    let dialect = Dialect { skip_rows, ..best.dialect.clone() };
    *best = Attempt { score: best.score, ..attempt(text, last, dialect, 1.0) };
}

/// A delimiter that closes every record.
pub(super) fn trailing(best: &mut Attempt) {
    let e = &best.evaluation;
    if e.fields < 2 || e.alike == 0 || e.last_empty < e.alike {
        return;
    }
    // Elsewhere than in files of bars, an empty last column is a column, unless the header says so.
    let header_says_so = e.first_last_empty || e.first_fields + 1 == e.fields;
    if best.dialect.delimiter == "|" || (header_says_so && e.records > 1) {
        best.dialect.trailing_delimiter = true;
    }
}
