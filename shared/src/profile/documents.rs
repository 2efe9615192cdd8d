//! The profile of JSON lines and of a JSON array of objects.

use std::borrow::Cow;
use std::collections::HashMap;

use super::delimited::{PREVIEW_ROWS, settle_columns};
use super::infer::Scope;
use super::json::{self, Kind};
use super::sample::blank;
use super::stats::{Rules, Stats};
use super::{Dialect, Profile, names};
use crate::ErrorBody;
use crate::options::{Format, ImportOptions};

/// What is gathered over objects: a column for each key, in the order in which they turn up.
#[derive(Debug, Clone)]
pub struct Gathered {
    /// The keys.
    pub keys: Vec<String>,
    /// What their values have in common; NULLs do not count missing keys.
    pub stats: Vec<Stats>,
    /// Objects read.
    pub records: u64,
    /// Records that are no well-formed object.
    pub bad: u64,
    /// The first of them, from 1; 0 where there is none.
    pub first_bad: u64,
    places: HashMap<Vec<u8>, usize>,
    rules: Rules,
    exact: bool,
}

impl Gathered {
    /// Nothing yet. With `exact`, repeated values are found for certain.
    #[must_use]
    pub fn new(options: &ImportOptions, exact: bool) -> Self {
        let markers = options.null.clone().unwrap_or_default();
        Self {
            keys: Vec::new(),
            stats: Vec::new(),
            records: 0,
            bad: 0,
            first_bad: 0,
            places: HashMap::new(),
            rules: Rules {
                decimal: b'.',
                thousands: None,
                markers: markers.into_iter().map(String::into_bytes).collect(),
                quoted_null: options.quoted_null.unwrap_or(false),
            },
            exact,
        }
    }

    /// The column of a key.
    fn place(&mut self, key: &[u8]) -> usize {
        if let Some(place) = self.places.get(key) {
            return *place;
        }
        let place = self.keys.len();
        self.keys.push(String::from_utf8_lossy(key).into_owned());
        self.stats.push(if self.exact { Stats::exact() } else { Stats::default() });
        self.places.insert(key.to_vec(), place);
        place
    }

    /// Takes in one object. `row` is its number, from 1. Gives its values by column, for a preview.
    pub fn add(&mut self, record: &[u8], row: u64) -> Vec<(usize, Option<String>)> {
        self.records += 1;
        let mut found = Vec::new();
        let result = json::members(record, |member| {
            let key = json::unescape(member.key)?;
            let value = record.get(member.start..member.end).unwrap_or_default();
            let value = match member.kind {
                Kind::Null => None,
                Kind::Text => Some(json::unescape(value)?),
                Kind::Number => Some(as_number(value)),
                _ => Some(Cow::Borrowed(value)),
            };
            found.push((key, value, member.kind));
            Ok(())
        });
        if result.is_err() {
            self.bad += 1;
            if self.first_bad == 0 {
                self.first_bad = row;
            }
            return Vec::new();
        }
        let mut shown = Vec::new();
        for (key, value, kind) in found {
            let place = self.place(&key);
            let Some(stats) = self.stats.get_mut(place) else { continue };
            let quoted = matches!(kind, Kind::Text | Kind::Nested);
            stats.add(value.as_deref().unwrap_or_default(), quoted, value.is_none(), &self.rules);
            shown.push((place, value.map(|v| String::from_utf8_lossy(&v).into_owned())));
        }
        shown
    }

    /// Takes in what was gathered elsewhere in the file.
    pub fn merge(&mut self, other: Self) {
        self.records += other.records;
        self.bad += other.bad;
        self.first_bad = match (self.first_bad, other.first_bad) {
            (0, n) | (n, 0) => n,
            (a, b) => a.min(b),
        };
        for (key, stats) in other.keys.into_iter().zip(other.stats) {
            let place = self.place(key.as_bytes());
            if let Some(mine) = self.stats.get_mut(place) {
                mine.merge(stats);
            }
        }
    }

    /// The columns' statistics, with missing keys counted as NULL.
    #[must_use]
    pub fn settled(&self) -> Vec<Stats> {
        let mut stats = self.stats.clone();
        let good = self.records - self.bad;
        for column in &mut stats {
            let missing = good.saturating_sub(column.fields);
            column.fields += missing;
            column.nulls += missing;
        }
        stats
    }
}

/// Profiles the first part of a file of JSON objects.
///
/// # Errors
/// None at present; kept so that options can be refused.
pub fn sample(
    text: &[u8],
    complete: bool,
    format: Format,
    options: &ImportOptions,
) -> Result<Profile, ErrorBody> {
    let mut profile = blank(options);
    let mut gathered = Gathered::new(options, true);
    let mut shown = Vec::new();
    let mut bytes = 0;
    let mut each = |record: &[u8]| {
        bytes += record.len() + 1;
        let row = gathered.records + 1;
        let cells = gathered.add(record, row);
        if shown.len() < PREVIEW_ROWS && !cells.is_empty() {
            shown.push(cells);
        }
    };
    if format == Format::Jsonl {
        profile.empty_lines = json_lines(text, complete, &mut each);
    } else {
        let mut at = json::array_start(text);
        loop {
            let start = json::between(text, at);
            let end = match json::value_end(text, start) {
                Some(end) if end < text.len() || complete => end,
                _ if complete && start < text.len() => text.len(),
                _ => break,
            };
            each(text.get(start..end).unwrap_or_default());
            at = end;
        }
    }
    profile.format = format;
    profile.whole = complete;
    profile.rows = complete.then_some(gathered.records);
    profile.record_bytes = bytes as f64 / gathered.records.max(1) as f64;
    let columns = gathered.keys.len();
    profile.preview = shown
        .into_iter()
        .map(|cells| {
            let mut row = vec![None; columns];
            for (place, value) in cells {
                if let Some(cell) = row.get_mut(place) {
                    *cell = value;
                }
            }
            row
        })
        .collect();
    settle(&mut profile, &gathered, Scope { whole: complete, options });
    Ok(profile)
}

/// A number with an exponent, with a decimal point: `1e2` alone would be taken for a code.
fn as_number(value: &[u8]) -> Cow<'_, [u8]> {
    let at = value.iter().position(|b| matches!(b, b'e' | b'E'));
    let (digits, exponent) = value.split_at(at.unwrap_or(value.len()));
    if exponent.is_empty() || digits.contains(&b'.') {
        return Cow::Borrowed(value);
    }
    Cow::Owned([digits, b".0", exponent].concat())
}

fn json_lines(text: &[u8], complete: bool, each: &mut impl FnMut(&[u8])) -> u64 {
    let mut blanks = 0;
    let mut lines = text.split(|b| *b == b'\n').peekable();
    while let Some(line) = lines.next() {
        let cut_off = lines.peek().is_none() && !complete;
        let line = line.trim_ascii();
        if line.is_empty() {
            blanks += u64::from(lines.peek().is_some());
        } else if !cut_off {
            each(line);
        }
    }
    blanks
}

/// Fills in the columns of a profile from what was gathered.
pub fn settle(profile: &mut Profile, gathered: &Gathered, scope: Scope<'_>) {
    profile.dialect = None::<Dialect>;
    if gathered.bad > 0 {
        profile.warnings.push(format!(
            "{} of {} records are no well-formed JSON objects; the first of them is data row {}",
            gathered.bad, gathered.records, gathered.first_bad
        ));
    }
    let columns = names::legal(&gathered.keys);
    settle_columns(profile, &columns, &gathered.keys, &gathered.settled(), scope);
}
