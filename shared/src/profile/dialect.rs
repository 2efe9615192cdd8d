//! How delimited text is written, judged by the structure of many records.

use super::evaluate::{Evaluation, evaluate};
use super::{Dialect, Evidence, LineEnd, refine};
use crate::options::ImportOptions;
use crate::{ErrorBody, ErrorCode};

/// Bytes of the sample by which the dialect is judged.
const JUDGED_BYTES: usize = 96 << 10;

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

/// A dialect and how it fits.
pub(super) struct Attempt {
    pub dialect: Dialect,
    pub evaluation: Evaluation,
    pub score: f64,
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
    if declared.is_none() {
        refine::wider_delimiter(judged, last, &mut best, options);
    }
    refine::outfile_escapes(judged, &mut best, options);
    refine::blanks(judged, last, &mut best, options);
    refine::preamble(judged, last, &mut best, options);
    refine::trailing(&mut best);
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

pub(super) fn attempt(text: &[u8], last: bool, dialect: Dialect, weight: f64) -> Attempt {
    let evaluation = evaluate(text, last, &dialect);
    // Blanks and colons part words too: they must part every record alike.
    let unlikely = weight < 0.5 && (evaluation.share() < 0.95 || evaluation.records < 3);
    let score = if unlikely { 0.0 } else { evaluation.score() * weight };
    Attempt { dialect, evaluation, score }
}

fn explain(best: &Attempt, declared: bool, options: &ImportOptions, out: &mut Vec<Evidence>) {
    let e = &best.evaluation;
    let d = &best.dialect;
    let mut say = |about: &str, settled: String, why: String, confidence: f64, set: bool| {
        let (why, confidence) =
            if set { ("set by you".to_owned(), 1.0) } else { (why, confidence) };
        out.push(Evidence { set, ..Evidence::found(about, &settled, &why, confidence) });
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
