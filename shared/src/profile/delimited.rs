//! The profile of delimited text.

use super::cut::Cut;
use super::dialect;
use super::grammar::{Grammar, NULL, NoRecord, QUOTED, Spans};
use super::header::{self, Cells};
use super::infer::{self, Scope};
use super::sample::blank;
use super::stats::{Rules, Stats};
use super::{ColumnProfile, Dialect, Evidence, Profile, marks, names};
use crate::ErrorBody;
use crate::options::{Format, ImportOptions};

/// Records in a preview.
pub const PREVIEW_ROWS: usize = 50;
/// Records by which header, marks and NULLs are judged.
const JUDGED_ROWS: usize = 500;

/// Profiles the first part of a file that has been decoded to UTF-8.
///
/// # Errors
/// An option that cannot be followed.
pub fn sample(text: &[u8], complete: bool, options: &ImportOptions) -> Result<Profile, ErrorBody> {
    let found = dialect::detect(text, complete, options)?;
    let mut dialect = found.dialect;
    let mut profile = blank(options);
    profile.evidence = found.evidence;
    profile.warnings = found.warnings;
    let start = super::evaluate::after_lines(&Grammar::new(&dialect), text, dialect.skip_rows);
    let body = text.get(start..).unwrap_or_default();

    let cells = first_cells(&Grammar::new(&dialect), body, complete);
    let (first, others) = cells.split_first().map_or((None, &[][..]), |(f, o)| (Some(f), o));
    let first_cells: Cells =
        first.map(|r| r.iter().map(|c| c.bytes.clone()).collect()).unwrap_or_default();
    let other_cells: Vec<Cells> =
        others.iter().map(|r| r.iter().map(|c| c.bytes.clone()).collect()).collect();
    judge_header(&mut dialect, &first_cells, &other_cells, options, &mut profile);

    let data: &[Vec<Cell>] = if dialect.header { others } else { &cells };
    judge_marks(&mut dialect, data, options, &mut profile);
    judge_nulls(&dialect, data, options, &mut profile);

    let sources: Vec<String> = if dialect.header {
        first_cells.iter().map(|c| String::from_utf8_lossy(c).into_owned()).collect()
    } else {
        vec![String::new(); width(data)]
    };
    let rules = rules(&dialect, &profile);
    let mut pass = Pass::new(sources.len());
    pass.run(&dialect, &rules, body, complete);
    let columns = names::legal(&sources);
    profile.format = Format::Csv;
    profile.whole = complete;
    profile.preview = pass.preview;
    profile.empty_lines = pass.cut.blanks;
    profile.comment_lines = pass.cut.comments;
    profile.record_bytes = pass.record_bytes as f64 / (pass.cut.records.max(1)) as f64;
    profile.rows = complete.then_some(pass.cut.records);
    if pass.bad > 0 {
        profile.warnings.push(format!(
            "{} of {} records cannot be read; the first of them is data row {}",
            pass.bad, pass.cut.records, pass.first_bad
        ));
    }
    profile.dialect = Some(dialect);
    settle_columns(
        &mut profile,
        &columns,
        &sources,
        &pass.stats,
        Scope { whole: complete, options },
    );
    Ok(profile)
}

/// Fills in the columns of a profile, and what follows from them.
pub fn settle_columns(
    profile: &mut Profile,
    columns: &[String],
    sources: &[String],
    stats: &[Stats],
    scope: Scope<'_>,
) {
    profile.warnings.retain(|w| !w.starts_with("Column "));
    let binary: Vec<bool> = profile.columns.iter().map(|c| c.binary).collect();
    let mut warnings = Vec::new();
    profile.columns = columns
        .iter()
        .zip(sources)
        .zip(stats)
        .map(|((name, source), stats)| infer::column(name, source, stats, scope, &mut warnings))
        .collect();
    for (column, _) in profile.columns.iter_mut().zip(binary).filter(|(_, binary)| *binary) {
        infer::make_binary(column, scope.whole);
    }
    for (name, source) in columns.iter().zip(sources) {
        if !source.is_empty() && name != source {
            warnings.push(format!("Column {name}: the file calls it {source:?}"));
        }
    }
    profile.warnings.extend(warnings);
    profile.evidence.retain(|e| e.about != "date_format");
    profile.evidence.extend(date_format(&profile.columns, scope.options));
    infer::fit_row(&mut profile.columns);
    profile.primary_key = match &scope.options.primary_key {
        Some(set) => set.clone(),
        None => infer::primary_key(&profile.columns),
    };
}

/// What there is to say of how dates are written: a choice of the person, or a question to them.
fn date_format(columns: &[ColumnProfile], options: &ImportOptions) -> Option<Evidence> {
    if let Some(set) = &options.date_format {
        let found = Evidence::found("date_format", set, "set by you", 1.0);
        return Some(Evidence { set: true, ..found });
    }
    let column = columns.iter().find(|c| !c.date_readings.is_empty())?;
    let why = format!(
        "Column {} has dates such as {} that can be read in two ways; it stays text until the format \
         is chosen.",
        column.name,
        column.samples.first().cloned().unwrap_or_default()
    );
    let found = Evidence::found("date_format", "day or month first?", &why, 0.3);
    Some(Evidence { offers: column.date_readings.clone(), ..found })
}

/// How the values of a profiled file are to be read.
#[must_use]
pub fn rules(dialect: &Dialect, profile: &Profile) -> Rules {
    let byte = |c: char| u8::try_from(c).unwrap_or(b'.');
    Rules {
        decimal: byte(dialect.decimal),
        thousands: dialect.thousands.map(byte),
        markers: profile.null_markers.iter().map(|m| m.as_bytes().to_vec()).collect(),
        quoted_null: profile.quoted_null,
    }
}

/// A cell of the sample.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Its value.
    pub bytes: Vec<u8>,
    /// Whether it stood in quotes.
    pub quoted: bool,
}

fn width(rows: &[Vec<Cell>]) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for row in rows {
        *counts.entry(row.len()).or_insert(0_usize) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(1, |(width, _)| width)
}

fn first_cells(grammar: &Grammar, body: &[u8], complete: bool) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let mut spans = Spans::default();
    let mut at = 0;
    while at < body.len() && rows.len() < JUDGED_ROWS {
        if let Some((_, next, _)) = grammar.no_record(body, at) {
            at = next;
            continue;
        }
        let split = grammar.split(body, at, &mut spans);
        if !split.closed && !complete && !rows.is_empty() {
            break;
        }
        let is_null = |i: usize| spans.spans.get(i).is_some_and(|s| s.flags & NULL != 0);
        let cell = |i: usize| Cell {
            bytes: spans.bytes(body, i).filter(|_| !is_null(i)).unwrap_or_default().to_vec(),
            quoted: spans.spans.get(i).is_some_and(|s| s.flags & QUOTED != 0),
        };
        rows.push((0..spans.spans.len()).map(cell).collect());
        at = split.next;
    }
    rows
}

fn judge_header(
    dialect: &mut Dialect,
    first: &Cells,
    others: &[Cells],
    options: &ImportOptions,
    profile: &mut Profile,
) {
    let decimal = u8::try_from(dialect.decimal).unwrap_or(b'.');
    let (header, mut evidence) = header::judge(first, others, decimal);
    dialect.header = options.header.unwrap_or(header);
    if options.header.is_some() {
        let settled =
            if dialect.header { "the first record names the columns" } else { "no header" };
        settled.clone_into(&mut evidence.settled);
        "set by you".clone_into(&mut evidence.why);
        evidence.confidence = 1.0;
        evidence.set = true;
    }
    profile.evidence.push(evidence);
}

fn judge_marks(
    dialect: &mut Dialect,
    data: &[Vec<Cell>],
    options: &ImportOptions,
    profile: &mut Profile,
) {
    let set = options.decimal.is_some() || options.thousands.is_some();
    let found = if set { None } else { marks::judge(data, width(data)) };
    let why = match (&found, set) {
        (_, true) => "set by you".to_owned(),
        (Some(found), _) => {
            dialect.decimal = found.decimal;
            dialect.thousands = found.thousands;
            found.why.clone()
        }
        (None, false) => return,
    };
    let name = |c: char| match c {
        '.' => "point".to_owned(),
        ',' => "comma".to_owned(),
        other => format!("{other:?}"),
    };
    let thousands =
        dialect.thousands.map(|t| format!(", {} between thousands", name(t))).unwrap_or_default();
    let settled = format!("{}{thousands}", name(dialect.decimal));
    let confidence = if set { 1.0 } else { 0.85 };
    profile
        .evidence
        .push(Evidence { set, ..Evidence::found("decimal", &settled, &why, confidence) });
}

/// Markers that can only mean NULL: `\N`, and NULL among numbers or dates.
fn judge_nulls(
    dialect: &Dialect,
    data: &[Vec<Cell>],
    options: &ImportOptions,
    profile: &mut Profile,
) {
    let mut say = |settled: String, why: String, confidence, set| {
        let found = Evidence::found("null", &settled, &why, confidence);
        profile.evidence.push(Evidence { set, ..found });
    };
    if let Some(set) = &options.null {
        say(set.join(", "), "set by you".to_owned(), 1.0, true);
        return;
    }
    let plain = |r: &Vec<Cell>, i: usize| r.get(i).filter(|c| !c.quoted).map(|c| c.bytes.clone());
    let columns = width(data);
    let backslash_n =
        (0..columns).any(|i| data.iter().any(|r| plain(r, i).is_some_and(|b| b == b"\\N")));
    let mut markers = Vec::new();
    if backslash_n && dialect.escape.is_none() {
        markers.push("\\N".to_owned());
        say("\\N".to_owned(), "it stands alone in unquoted fields".to_owned(), 0.95, false);
    }
    let decimal = u8::try_from(dialect.decimal).unwrap_or(b'.');
    let word_null = (0..columns).any(|i| {
        let mut nulls = 0;
        let mut typed = 0;
        for row in data {
            let Some(bytes) = plain(row, i) else { continue };
            if bytes == b"NULL" {
                nulls += 1;
            } else if !bytes.is_empty() {
                if super::value::shape(&bytes, decimal) == super::value::Shape::Text {
                    return false;
                }
                typed += 1;
            }
        }
        nulls > 0 && typed > 0
    });
    if word_null {
        markers.push("NULL".to_owned());
        let why = "it stands among numbers or dates, unquoted".to_owned();
        say("NULL".to_owned(), why, 0.9, false);
    }
    profile.null_markers = markers;
}

/// One pass over the sample.
struct Pass {
    stats: Vec<Stats>,
    preview: Vec<Vec<Option<String>>>,
    cut: Cut,
    record_bytes: usize,
    bad: u64,
    first_bad: u64,
}

impl Pass {
    fn new(columns: usize) -> Self {
        Self {
            stats: vec![Stats::exact(); columns],
            preview: Vec::new(),
            cut: Cut::default(),
            record_bytes: 0,
            bad: 0,
            first_bad: 0,
        }
    }

    fn run(&mut self, dialect: &Dialect, rules: &Rules, body: &[u8], complete: bool) {
        let grammar = Grammar::new(dialect);
        let mut spans = Spans::default();
        let mut at = 0;
        let mut in_header = dialect.header;
        while at < body.len() {
            if let Some((kind, next, closed)) = grammar.no_record(body, at) {
                if !closed && !complete {
                    break;
                }
                match kind {
                    NoRecord::Blank => self.cut.blanks += 1,
                    NoRecord::Comment => self.cut.comments += 1,
                }
                at = next;
                continue;
            }
            let split = grammar.split(body, at, &mut spans);
            if !split.closed && !complete {
                break;
            }
            if in_header {
                in_header = false;
                at = split.next;
                continue;
            }
            self.cut.records += 1;
            self.record_bytes += split.next - at;
            at = split.next;
            if split.fault.is_some() || spans.spans.len() != self.stats.len() {
                self.bad += 1;
                if self.bad == 1 {
                    self.first_bad = self.cut.records;
                }
            } else {
                self.record(body, &spans, rules);
            }
        }
    }

    fn record(&mut self, body: &[u8], spans: &Spans, rules: &Rules) {
        let mut shown = Vec::new();
        let show = self.preview.len() < PREVIEW_ROWS;
        for (i, (stats, span)) in self.stats.iter_mut().zip(&spans.spans).enumerate() {
            let bytes = spans.bytes(body, i).unwrap_or_default();
            let quoted = span.flags & QUOTED != 0;
            let is_null = span.flags & NULL != 0;
            let nulls = stats.nulls;
            stats.add(bytes, quoted, is_null, rules);
            if show {
                let text = String::from_utf8_lossy(bytes).into_owned();
                shown.push((stats.nulls == nulls).then_some(text));
            }
        }
        if show {
            self.preview.push(shown);
        }
    }
}
