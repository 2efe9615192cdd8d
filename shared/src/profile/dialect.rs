//! How delimited text is written, judged by the structure of many records.

use super::evaluate::{Evaluation, evaluate};
use super::grammar::Grammar;
use super::{Dialect, Evidence, LineEnd};
use crate::options::ImportOptions;
use crate::{ErrorBody, ErrorCode};

/// Bytes of the sample by which the dialect is judged.
const JUDGED_BYTES: usize = 96 << 10;
/// Physical lines that may come before the table.
const PREAMBLE_LINES_MAX: usize = 40;

/// Delimiters that are tried, with the weight of each.
const DELIMITERS: [(&str, f64); 9] = [
    (",", 1.0),
    ("\t", 1.0),
    (";", 1.0),
    ("|", 1.0),
    ("\u{1}", 1.0),
    ("\u{1f}", 1.0),
    ("^", 0.6),
    (":", 0.25),
    (" ", 0.2),
];

/// What was found, and why.
#[derive(Debug, Clone)]
pub struct Found {
    /// The dialect; its header is judged elsewhere.
    pub dialect: Dialect,
    /// Why.
    pub evidence: Vec<Evidence>,
    /// What a person should look at.
    pub warnings: Vec<String>,
}

struct Attempt {
    dialect: Dialect,
    evaluation: Evaluation,
    score: f64,
}

/// Finds the dialect of `text`. What the options set is not questioned.
///
/// # Errors
/// An option that cannot be followed.
pub fn detect(text: &[u8], complete: bool, options: &ImportOptions) -> Result<Found, ErrorBody> {
    let judged = text.get(..JUDGED_BYTES).unwrap_or(text);
    let last = complete && judged.len() == text.len();
    let mut base = Dialect {
        skip_rows: options.skip_rows.unwrap_or(0),
        comment: options.comment.clone().filter(|c| !c.is_empty()),
        trim: options.trim.unwrap_or(false),
        line_end: line_end(judged),
        decimal: mark(options.decimal.as_deref(), "decimal")?.unwrap_or('.'),
        thousands: mark(options.thousands.as_deref(), "thousands")?,
        header: false,
        ..Dialect::default()
    };
    let declared = declared_delimiter(judged, options);
    if declared.is_some() {
        base.skip_rows = 1;
    }
    let mut best = best_of(judged, last, attempts(&base, declared.as_deref(), options)?, options)
        .ok_or_else(|| ErrorBody::new(ErrorCode::Internal, "no dialect was tried"))?;
    let mut evidence = Vec::new();
    let mut warnings = Vec::new();
    outfile_escapes(judged, &mut best, options);
    blanks(judged, last, &mut best, options);
    preamble(judged, last, &mut best, options);
    trailing(&mut best);
    explain(&best, declared.is_some(), options, &mut evidence);
    if best.evaluation.share() < 0.9 && best.evaluation.records > 2 {
        warnings.push(format!(
            "{} of the first {} records do not have {} fields",
            best.evaluation.records - best.evaluation.alike,
            best.evaluation.records,
            best.evaluation.fields
        ));
    }
    Ok(Found { dialect: best.dialect, evidence, warnings })
}

/// The attempt that fits best; of equals the first.
fn best_of(
    text: &[u8],
    last: bool,
    dialects: Vec<(Dialect, f64)>,
    options: &ImportOptions,
) -> Option<Attempt> {
    let mut best: Option<Attempt> = None;
    // Well-formed quoted fields and bad records with double quotes, by delimiter.
    let mut quoting: Vec<(String, usize, usize)> = Vec::new();
    for (dialect, weight) in dialects {
        let mut next = attempt(text, last, dialect, weight);
        let e = &next.evaluation;
        if next.dialect.quote == Some('\'') && options.quote.is_none() && e.quoted == 0 {
            continue;
        }
        if next.dialect.quote == Some('"') {
            quoting.push((next.dialect.delimiter.clone(), e.quoted, e.faults));
        } else if next.dialect.quote.is_none() && options.quote.is_none() {
            let of_delimiter = |q: &&(String, usize, usize)| q.0 == next.dialect.delimiter;
            let well_quoted =
                quoting.iter().filter(of_delimiter).any(|(_, good, bad)| *good >= (*bad).max(1));
            next.score *= match (e.opened, e.enclosed) {
                // Between commas, a quote that never closes is a fault to be told.
                (1.., 0) if matches!(next.dialect.delimiter.as_str(), "," | ";") => 0.6,
                // Elsewhere, quotes that open cells and never close them are inches and the like.
                (1.., 0) if e.share() >= 0.99 => 1.1,
                _ if well_quoted => 0.85,
                _ => 0.98,
            };
        }
        if best.as_ref().is_none_or(|b| next.score > b.score * 1.000_001) {
            best = Some(next);
        }
    }
    best
}

/// A single ASCII character, for the marks of numbers.
fn mark(text: Option<&str>, name: &str) -> Result<Option<char>, ErrorBody> {
    let Some(text) = text.filter(|t| !t.is_empty()) else { return Ok(None) };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii() => Ok(Some(c)),
        _ => Err(ErrorBody::new(
            ErrorCode::BadOption,
            format!("{name} must be one ASCII character, not {text:?}"),
        )),
    }
}

/// The delimiter of a first line such as `sep=;`, which spreadsheets write.
fn declared_delimiter(text: &[u8], options: &ImportOptions) -> Option<String> {
    if options.skip_rows.is_some() {
        return None;
    }
    let line = text.split(|b| *b == b'\n' || *b == b'\r').next()?;
    let line = line.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).unwrap_or(line);
    let declared = line.strip_prefix(b"sep=").or_else(|| line.strip_prefix(b"SEP="))?;
    match declared {
        [one] => Some(char::from(*one).to_string()).filter(|_| one.is_ascii()),
        b"\\t" => Some("\t".to_owned()),
        _ => None,
    }
}

fn line_end(text: &[u8]) -> LineEnd {
    let (mut lf, mut crlf, mut cr) = (0_u64, 0_u64, 0_u64);
    for at in memchr::memchr2_iter(b'\n', b'\r', text) {
        let byte = text.get(at).copied().unwrap_or_default();
        if byte == b'\r' {
            match text.get(at + 1) {
                Some(b'\n') => crlf += 1,
                Some(_) => cr += 1,
                None => {}
            }
        } else if at == 0 || text.get(at - 1) != Some(&b'\r') {
            lf += 1;
        }
    }
    match (lf, crlf, cr) {
        (0, 0, 0) if text.last() == Some(&b'\r') => LineEnd::Cr,
        (0, 0, 1..) => LineEnd::Cr,
        (_, _, _) if cr > lf + crlf => LineEnd::Any,
        (0, 1.., _) => LineEnd::Crlf,
        (1.., 1.., _) => LineEnd::Mixed,
        _ => LineEnd::Lf,
    }
}

/// All dialects worth trying, likeliest first, with their weights.
fn attempts(
    base: &Dialect,
    declared: Option<&str>,
    options: &ImportOptions,
) -> Result<Vec<(Dialect, f64)>, ErrorBody> {
    let set = options.delimiter.as_deref().filter(|d| !d.is_empty()).or(declared);
    let delimiters: Vec<(&str, f64)> = match set {
        Some(delimiter) => vec![(unescaped_tab(delimiter), 1.0)],
        None => DELIMITERS.to_vec(),
    };
    let one = |text: &str, name: &str| match text.chars().next() {
        None => Ok(None),
        Some(c) if c.is_ascii() && text.len() == 1 => Ok(Some(c)),
        Some(_) => Err(ErrorBody::new(
            ErrorCode::BadOption,
            format!("{name} must be one ASCII character or empty, not {text:?}"),
        )),
    };
    let quotes: Vec<Option<char>> = match &options.quote {
        Some(quote) => vec![one(quote, "quote")?],
        None => vec![Some('"'), None, Some('\'')],
    };
    let escapes: Vec<Option<char>> = match &options.escape {
        Some(escape) => vec![one(escape, "escape")?],
        None => vec![None, Some('\\')],
    };
    let mut all = Vec::new();
    for (delimiter, weight) in delimiters {
        for quote in &quotes {
            for escape in &escapes {
                // Without evidence to the contrary, a backslash is data.
                let odd = f64::from(u8::from(escape.is_some() && options.escape.is_none()))
                    + f64::from(u8::from(*quote == Some('\'') && options.quote.is_none()));
                let dialect = Dialect {
                    delimiter: delimiter.to_owned(),
                    quote: *quote,
                    escape: *escape,
                    ..base.clone()
                };
                all.push((dialect, weight * (1.0 - 0.02 * odd)));
            }
        }
    }
    Ok(all)
}

fn unescaped_tab(delimiter: &str) -> &str {
    if delimiter == "\\t" { "\t" } else { delimiter }
}

fn attempt(text: &[u8], last: bool, dialect: Dialect, weight: f64) -> Attempt {
    let evaluation = evaluate(text, last, &dialect);
    // Blanks and colons part words too: they must part every record alike.
    let unlikely = weight < 0.5 && (evaluation.share() < 0.95 || evaluation.records < 3);
    let score = if unlikely { 0.0 } else { evaluation.score() * weight };
    Attempt { dialect, evaluation, score }
}

/// The server's own export escapes with backslashes and has no quotes: nothing breaks without
/// knowing it, but values come out wrong.
fn outfile_escapes(text: &[u8], best: &mut Attempt, options: &ImportOptions) {
    if options.escape.is_some()
        || best.dialect.escape.is_some()
        || best.evaluation.quoted > 0
        || memchr::memchr(b'"', text).is_some()
    {
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
            Some(b) if *b == delimiter => {}
            Some(_) => return,
        }
        at += 1;
    }
    if pairs > 0 {
        best.dialect.escape = Some('\\');
    }
}

/// Blanks after delimiters: before a quote they hide it, before a number they make it text.
fn blanks(text: &[u8], last: bool, best: &mut Attempt, options: &ImportOptions) {
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
fn preamble(text: &[u8], last: bool, best: &mut Attempt, options: &ImportOptions) {
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
fn trailing(best: &mut Attempt) {
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

fn explain(best: &Attempt, declared: bool, options: &ImportOptions, out: &mut Vec<Evidence>) {
    let e = &best.evaluation;
    let d = &best.dialect;
    let mut say = |about: &str, settled: String, why: String, confidence: f64, set: bool| {
        let (why, confidence) =
            if set { ("set by you".to_owned(), 1.0) } else { (why, confidence) };
        out.push(Evidence { about: about.to_owned(), settled, why, confidence, set });
    };
    let fields = e.fields - usize::from(d.trailing_delimiter);
    let why = if declared {
        "the first line says so".to_owned()
    } else if e.fields < 2 {
        "no delimiter parts the records: they are one column".to_owned()
    } else {
        format!("it parts {} of {} records into {fields} fields", e.alike, e.records)
    };
    let certain = if declared { 1.0 } else { e.share() * if e.records < 3 { 0.7 } else { 0.98 } };
    say("delimiter", delimiter_name(&d.delimiter), why, certain, options.delimiter.is_some());
    let quote = match d.quote {
        Some('"') => "double quotes".to_owned(),
        Some('\'') => "single quotes".to_owned(),
        Some(other) => other.to_string(),
        None => "no quotes".to_owned(),
    };
    let why = match (d.quote, e.quoted) {
        (None, _) => "with quotes as data the records fit better".to_owned(),
        (Some(_), 0) => "no field is quoted; this is the usual one".to_owned(),
        (Some(_), n) => format!("{n} fields stand in quotes, {} records badly", e.faults),
    };
    let certain = if e.quoted > 0 { 0.98 * (1.0 - e.fault_share()) } else { 0.7 };
    say("quote", quote, why, certain, options.quote.is_some());
    let (settled, why, certain) = match d.escape {
        Some(c) => (format!("{c} before a character"), "records fit only with it", 0.9),
        None if e.doubled => {
            ("doubled quotes".to_owned(), "quotes inside quotes are doubled", 0.98)
        }
        None => ("none: a quote is doubled".to_owned(), "nothing needs another", 0.8),
    };
    say("escape", settled, why.to_owned(), certain, options.escape.is_some());
    if d.skip_rows > 0 {
        let why = if declared {
            "it names the delimiter".to_owned()
        } else {
            format!("lines before the table do not have its {fields} fields")
        };
        say("skip_rows", format!("{} lines", d.skip_rows), why, 0.8, options.skip_rows.is_some());
    }
    if let Some(comment) = &d.comment {
        let why = "the lines before the table begin with it".to_owned();
        say("comment", comment.clone(), why, 0.85, options.comment.is_some());
    }
    if d.trim {
        let why = "blanks follow the delimiters".to_owned();
        say("trim", "blanks around fields go".to_owned(), why, 0.85, options.trim.is_some());
    }
    if d.trailing_delimiter {
        let why = "every record ends with a delimiter and nothing after it".to_owned();
        say("trailing_delimiter", "closes each record".to_owned(), why, 0.9, false);
    }
    let settled = match d.line_end {
        LineEnd::Lf => "LF",
        LineEnd::Crlf => "CRLF",
        LineEnd::Cr => "CR",
        LineEnd::Mixed => "LF and CRLF mixed",
        LineEnd::Any => "CR, LF and CRLF mixed",
    };
    say("line_end", settled.to_owned(), "as the first lines end".to_owned(), 0.95, false);
}

fn delimiter_name(delimiter: &str) -> String {
    match delimiter {
        "," => "comma".to_owned(),
        "\t" => "tab".to_owned(),
        ";" => "semicolon".to_owned(),
        "|" => "bar".to_owned(),
        " " => "blank".to_owned(),
        ":" => "colon".to_owned(),
        other if other.chars().all(|c| c.is_ascii_control()) => {
            other.bytes().map(|b| format!("0x{b:02X}")).collect::<Vec<_>>().join(" ")
        }
        other => other.to_owned(),
    }
}
