//! From what a column's values have in common to its type.

use super::stats::Stats;
use super::{ColumnProfile, value};
use crate::column_type::{ColumnType, IntWidth, LobSize};
use crate::options::ImportOptions;

/// Bytes of a row beyond which MySQL and MariaDB make no table, with some room.
const ROW_BYTES_MAX: u64 = 60_000;
/// Sizes that text columns are given.
const VARCHARS: [u64; 10] = [16, 32, 64, 128, 191, 255, 500, 1000, 2000, 4000];

/// A type and its reason.
struct Verdict {
    column_type: ColumnType,
    why: String,
    date_format: Option<String>,
    warning: Option<String>,
    /// Formats of which a person must choose one.
    readings: Vec<String>,
}

impl Verdict {
    fn new(column_type: ColumnType, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { column_type, why, date_format: None, warning: None, readings: Vec::new() }
    }
}

/// What types are judged with.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Whether every record was read.
    pub whole: bool,
    /// What the person set.
    pub options: &'a ImportOptions,
}

/// The profile of one column. Adds to `warnings` what a person should look at.
#[must_use]
pub fn column(
    name: &str,
    source_name: &str,
    stats: &Stats,
    scope: Scope<'_>,
    warnings: &mut Vec<String>,
) -> ColumnProfile {
    let verdict = verdict(stats, scope);
    if let Some(warning) = verdict.warning {
        warnings.push(format!("Column {name}: {warning}"));
    }
    let is_text = verdict.column_type.is_text();
    let as_number = verdict.column_type.is_number();
    let missing = stats.nulls + if is_text { 0 } else { stats.empties + stats.quoted_empties };
    let (min, max) = stats.range(as_number);
    let text = |b: &Vec<u8>| String::from_utf8_lossy(b).into_owned();
    ColumnProfile {
        name: name.to_owned(),
        source_name: source_name.to_owned(),
        column_type: verdict.column_type,
        why: verdict.why,
        date_format: verdict.date_format,
        date_readings: verdict.readings,
        binary: false,
        nullable: missing > 0 || !scope.whole || stats.fields == 0,
        nulls: missing,
        empties: if is_text { stats.empties + stats.quoted_empties } else { 0 },
        distinct_estimate: Some(stats.distinct.estimate().min(stats.values())),
        min,
        max,
        longest_chars: stats.longest_chars,
        longest_bytes: stats.longest_bytes,
        samples: stats.samples.iter().map(text).collect(),
        unique: stats.is_unique(),
        ascending: stats.is_ascending(as_number),
    }
}

fn verdict(stats: &Stats, scope: Scope<'_>) -> Verdict {
    let c = &stats.counts;
    let values = stats.values();
    if values == 0 {
        return Verdict::new(ColumnType::Varchar { chars: 255 }, "no value was seen");
    }
    let numbers = c.ints + c.decimals + c.floats;
    if numbers == values {
        return number(stats, scope);
    }
    if c.bools + c.ints == values && c.bools > 0 && stats.only_zero_one() && c.coded == 0 {
        return Verdict::new(
            ColumnType::Other { name: "tinyint(1)".to_owned() },
            "only true and false",
        );
    }
    if c.dates + c.datetimes + c.other_dates + c.zero_dates == values {
        return date(stats, scope);
    }
    // Finer than a microsecond is more than TIME keeps.
    if c.times == values && stats.fsp_max <= 6 {
        let fsp = stats.fsp_max.min(6) as u8;
        return Verdict::new(ColumnType::Time { fsp }, "times of day");
    }
    if c.uuids == values {
        return Verdict::new(ColumnType::Char { chars: 36 }, "UUIDs");
    }
    if c.json == values {
        return Verdict::new(ColumnType::Json, "JSON documents");
    }
    let why = mixed(stats, values);
    Verdict::new(text(stats, scope), why)
}

/// Why a column is text, where most of its values are something else.
fn mixed(stats: &Stats, values: u64) -> String {
    let c = &stats.counts;
    let most = |n: u64| n * 2 > values;
    let what = if most(c.ints + c.decimals + c.floats) {
        "numbers"
    } else if most(c.dates + c.datetimes + c.other_dates) {
        "dates"
    } else if most(c.json) {
        "JSON documents"
    } else if most(c.uuids) {
        "UUIDs"
    } else {
        return format!("text of up to {} characters", stats.longest_chars);
    };
    format!("mostly {what}, but not all: text keeps every value as it is")
}

fn number(stats: &Stats, scope: Scope<'_>) -> Verdict {
    let c = &stats.counts;
    if c.coded > 0 {
        return Verdict::new(
            text(stats, scope),
            "digits with leading zeros or a plus sign: codes, not numbers",
        );
    }
    if c.floats > 0 {
        return Verdict::new(ColumnType::Double { unsigned: false }, "numbers with exponents");
    }
    let digits = stats.digits_max.max(1);
    if c.decimals == 0 {
        return integer(stats, digits, scope);
    }
    let scale = stats.scale_max;
    // Two more digits before the mark than were seen, where there is room.
    let precision = (digits + scale + 2).max(scale + 4).min(65).max(digits + scale);
    if scale > 30 || precision > 65 {
        return Verdict::new(text(stats, scope), "numbers with more digits than DECIMAL keeps");
    }
    Verdict::new(
        ColumnType::Decimal { precision: precision as u8, scale: scale as u8, unsigned: false },
        format!("numbers with up to {scale} decimal places"),
    )
}

fn integer(stats: &Stats, digits: u32, scope: Scope<'_>) -> Verdict {
    let negative = stats.counts.negatives > 0;
    if stats.counts.long_ints == 0 {
        let (low, high) = stats.int_range.unwrap_or((0, 0));
        let key_like = !scope.whole && stats.is_ascending(true) && stats.is_unique();
        // A sample may not have met the largest: leave room.
        let room = if scope.whole { 1 } else { 20 };
        let limit = i64::from(i32::MAX) / room;
        let fits = low >= -limit && high <= limit && !key_like;
        let width = if fits { IntWidth::Int } else { IntWidth::Big };
        let why = format!("whole numbers from {low} to {high}");
        return Verdict::new(ColumnType::Int { width, unsigned: false }, why);
    }
    let (least, greatest) = stats.range(true);
    let parse = |t: &Option<String>| t.as_ref().and_then(|t| t.parse::<i128>().ok());
    let why = format!("whole numbers of up to {digits} digits");
    match (parse(&least), parse(&greatest)) {
        (Some(low), Some(high))
            if digits <= 19 && low >= i64::MIN.into() && high <= i64::MAX.into() =>
        {
            Verdict::new(ColumnType::Int { width: IntWidth::Big, unsigned: false }, why)
        }
        (Some(_), Some(high))
            if digits <= 20 && !negative && high <= u64::MAX.into() && exact(digits, high) =>
        {
            Verdict::new(ColumnType::Int { width: IntWidth::Big, unsigned: true }, why)
        }
        _ if digits <= 65 => Verdict::new(
            ColumnType::Decimal {
                precision: (digits + 2).min(65) as u8,
                scale: 0,
                unsigned: false,
            },
            format!("{why}: beyond 64 bits"),
        ),
        _ => Verdict::new(text(stats, scope), format!("{why}: more than DECIMAL keeps")),
    }
}

/// The greatest value is compared through a floating-point number, so near the limit of 64 bits it
/// may not be the greatest: only clear cases pass.
fn exact(digits: u32, high: i128) -> bool {
    digits < 20 || high < 18_446_744_073_709_000_000
}

fn date(stats: &Stats, scope: Scope<'_>) -> Verdict {
    let c = &stats.counts;
    if c.zero_dates > 0 {
        let mut verdict = Verdict::new(text(stats, scope), "dates with 0000-00-00 among them");
        verdict.warning = Some(
            "0000-00-00 is no date; name it as a NULL marker to store the others as dates"
                .to_owned(),
        );
        return verdict;
    }
    if c.other_dates > 0 {
        return other_date(stats, scope);
    }
    if c.datetimes == 0 {
        return Verdict::new(ColumnType::Date, "dates, year first");
    }
    let fsp = stats.fsp_max.min(6) as u8;
    let zones = c.offsets > 0 || (c.utc > 0 && c.utc < c.datetimes);
    if zones && scope.options.time_zone.is_none() {
        let mut verdict = Verdict::new(text(stats, scope), "dates with times and offsets from UTC");
        verdict.warning = Some(
            "times carry offsets from UTC, which DATETIME does not keep: set the time zone in \
             which they are to be stored"
                .to_owned(),
        );
        return verdict;
    }
    let why = if c.utc > 0 { "dates with times in UTC" } else { "dates with times, year first" };
    Verdict::new(ColumnType::Datetime { fsp }, why)
}

fn other_date(stats: &Stats, scope: Scope<'_>) -> Verdict {
    let order = stats.order_of_dates.filter(|_| stats.counts.other_dates == stats.values());
    let Some(order) = order else {
        return Verdict::new(text(stats, scope), "dates written in more than one way");
    };
    let set = scope.options.date_format.clone().filter(|set| order.is_written_as(set));
    let Some(format) = set.clone().or_else(|| order.format()) else {
        let mut verdict = Verdict::new(text(stats, scope), "dates that can be read in two ways");
        verdict.readings = order.readings();
        verdict.warning = Some(format!(
            "{} may be day first or month first: set the date format to store dates",
            stats
                .samples
                .first()
                .map(|s| String::from_utf8_lossy(s).into_owned())
                .unwrap_or_default()
        ));
        return verdict;
    };
    let column_type = match order.like.time {
        value::Clock::None => ColumnType::Date,
        _ => ColumnType::Datetime { fsp: 0 },
    };
    let why = if set.is_some() {
        format!("dates written {format}, as set")
    } else {
        format!("dates written {format}: no other order fits all of them")
    };
    Verdict { date_format: Some(format), ..Verdict::new(column_type, why) }
}

fn text(stats: &Stats, scope: Scope<'_>) -> ColumnType {
    let longest = stats.longest_chars;
    let (room, least) = if scope.whole { (longest + longest / 2, 16) } else { (longest * 2, 255) };
    if let Some(chars) = VARCHARS.iter().find(|v| **v >= room.max(least)) {
        return ColumnType::Varchar { chars: *chars as u32 };
    }
    let bytes = stats.longest_bytes.saturating_mul(if scope.whole { 1 } else { 4 });
    let sizes = [LobSize::Plain, LobSize::Medium, LobSize::Long];
    let size = sizes.into_iter().find(|s| s.bytes_max() >= bytes).unwrap_or(LobSize::Long);
    ColumnType::Text { size }
}

/// Makes a column one of bytes, as the file's schema says.
pub fn make_binary(column: &mut ColumnProfile, whole: bool) {
    let room = column.longest_bytes * if whole { 1 } else { 4 };
    let sizes = [LobSize::Plain, LobSize::Medium, LobSize::Long];
    column.column_type = match room {
        0..=255 => ColumnType::Varbinary { bytes: 255 },
        256..=4000 => ColumnType::Varbinary { bytes: 4000 },
        _ => {
            let fits = sizes.into_iter().find(|s| s.bytes_max() >= room);
            ColumnType::Blob { size: fits.unwrap_or(LobSize::Long) }
        }
    };
    "bytes that are no text, says the file's schema".clone_into(&mut column.why);
    column.binary = true;
    column.samples.clear();
    (column.min, column.max, column.date_format) = (None, None, None);
}

/// Makes the longest text columns TEXT until a row fits the engines' limit.
pub fn fit_row(columns: &mut [ColumnProfile]) {
    let bytes = |c: &ColumnProfile| match c.column_type {
        ColumnType::Varchar { chars } => u64::from(chars) * 4 + 2,
        ColumnType::Char { chars } => u64::from(chars) * 4,
        ColumnType::Varbinary { bytes } => u64::from(bytes) + 2,
        ColumnType::Text { .. } | ColumnType::Json => 12,
        ColumnType::Decimal { .. } => 30,
        _ => 8,
    };
    let mut total: u64 = columns.iter().map(bytes).sum();
    while total > ROW_BYTES_MAX {
        let widest = columns
            .iter_mut()
            .filter(|c| matches!(c.column_type, ColumnType::Varchar { .. }))
            .max_by_key(|c| bytes(c));
        let Some(widest) = widest else { return };
        total -= bytes(widest);
        widest.column_type = ColumnType::Text { size: LobSize::Plain };
        widest.why.push_str("; TEXT, because a row of VARCHARs would be too wide");
        total += bytes(widest);
    }
}

/// The columns that would make a primary key: unique, never NULL, and looking like one.
#[must_use]
pub fn primary_key(columns: &[ColumnProfile]) -> Vec<String> {
    let fits = |c: &ColumnProfile| match c.column_type {
        ColumnType::Int { .. } | ColumnType::Char { .. } => true,
        ColumnType::Varchar { chars } => chars <= 191,
        _ => false,
    };
    let named = |c: &ColumnProfile| {
        let name = c.name.to_ascii_lowercase();
        let is = |w: &str| {
            name == w || name.ends_with(&format!("_{w}")) || name.starts_with(&format!("{w}_"))
        };
        ["id", "key", "uuid", "guid", "code", "nr", "no", "number", "pk"].iter().any(|w| is(w))
            || (c.name.ends_with("Id") || c.name.ends_with("ID"))
    };
    let candidate = columns
        .iter()
        .enumerate()
        .filter(|(_, c)| c.unique && c.nulls == 0 && c.empties == 0 && fits(c))
        .filter(|(i, c)| *i == 0 || named(c))
        .max_by_key(|(i, c)| {
            let number = matches!(c.column_type, ColumnType::Int { .. });
            (named(c) && number, *i == 0 && number, named(c), std::cmp::Reverse(*i))
        });
    candidate.map(|(_, c)| vec![c.name.clone()]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::stats::Rules;
    use super::*;

    fn rules() -> Rules {
        Rules { decimal: b'.', thousands: None, markers: Vec::new(), quoted_null: false }
    }

    fn profile_of(values: &[&str], options: &ImportOptions) -> ColumnProfile {
        let mut stats = Stats::exact();
        for value in values {
            stats.add(value.as_bytes(), false, false, &rules());
        }
        column("c", "c", &stats, Scope { whole: true, options }, &mut Vec::new())
    }

    fn check(values: &[&str], expect: &str) {
        let found = profile_of(values, &ImportOptions::default());
        assert_eq!(found.column_type.to_sql(), expect, "{values:?}: {}", found.why);
    }

    #[test]
    fn types_follow_all_values() {
        check(&["1", "-20", "3"], "int");
        check(&["1", "3000000000"], "bigint");
        check(&["1", "9223372036854775807"], "bigint");
        check(&["1", "12446744073709551615"], "bigint unsigned");
        check(&["1", "98765432109876543210"], "decimal(22,0)");
        check(&["02134", "94107"], "varchar(16)");
        check(&["12E3", "1E05"], "varchar(16)");
        check(&["1.5e10", "2"], "double");
        check(&["1", "2.25", "300.5"], "decimal(7,2)");
        check(&["true", "FALSE", "1"], "tinyint(1)");
        check(&["1", "0"], "int");
        check(&["2024-01-02", ""], "date");
        check(&["2024-01-02", "2024-01-02 03:04:05.25"], "datetime(2)");
        check(&["2024-01-02T03:04:05Z"], "datetime");
        check(&["2024-01-02T03:04:05+02:00"], "varchar(64)");
        check(&["10:20:30"], "time");
        check(&["10:20:30.123456789"], "varchar(32)");
        check(&["2024-01-02", "n/a"], "varchar(16)");
        check(&["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"], "char(36)");
        check(&["{\"a\": 1}", "[]"], "json");
        check(&["7.4", "7.4.2"], "varchar(16)");
        check(&["", ""], "varchar(255)");
    }

    #[test]
    fn dates_need_evidence_for_their_order() {
        check(&["04/05/2021", "01/02/2022"], "varchar(16)");
        check(&["04/05/2021", "14/05/2021"], "date");
        let found = profile_of(&["04/05/2021", "14/05/2021"], &ImportOptions::default());
        assert_eq!(found.date_format.as_deref(), Some("%d/%m/%Y"));
        let found = profile_of(&["04.25.2021 10:00"], &ImportOptions::default());
        assert_eq!(found.date_format.as_deref(), Some("%m.%d.%Y %H:%M"));
        check(&["13/05/2021", "05/13/2021"], "varchar(16)");
        let set =
            ImportOptions { date_format: Some("%d/%m/%Y".into()), ..ImportOptions::default() };
        assert_eq!(profile_of(&["04/05/2021"], &set).column_type, ColumnType::Date);
    }

    #[test]
    fn least_and_greatest_are_compared_as_what_they_are() {
        let found = profile_of(&["9", "10", "2.5"], &ImportOptions::default());
        assert_eq!((found.min.as_deref(), found.max.as_deref()), (Some("2.5"), Some("10")));
        let found = profile_of(&["b", "a", "c"], &ImportOptions::default());
        assert_eq!((found.min.as_deref(), found.max.as_deref()), (Some("a"), Some("c")));
        assert!(found.unique && !found.ascending);
        let found = profile_of(&["9", "10", "10"], &ImportOptions::default());
        assert!(!found.unique && found.ascending);
    }

    #[test]
    fn wide_rows_become_text() {
        let mut columns: Vec<ColumnProfile> = (0..20)
            .map(|_| {
                let long = "x".repeat(900);
                profile_of(&[&long], &ImportOptions::default())
            })
            .collect();
        fit_row(&mut columns);
        assert!(columns.iter().any(|c| matches!(c.column_type, ColumnType::Text { .. })));
    }
}
