//! DATE, DATETIME and TIMESTAMP columns.

use shared::error::ErrorCode;
use shared::options::EpochUnit;

use super::calendar::Moment;
use super::format::DateFormat;
use super::iso::{self, NotIso};
use super::zone::Zone;
use crate::convert::fault::{Checked, Fault, fault, shown, shown_bare};
use crate::convert::number::{Marks, Parts, trim};

/// What the column keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// A date.
    Date,
    /// A date and a time of day, in no zone.
    Datetime,
    /// A moment between 1970 and 2038, which the session's zone turns into clock time.
    Timestamp,
}

/// How a file's dates and times are to be read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Their declared format.
    pub format: Option<DateFormat>,
    /// The zone of the file's times and of the session.
    pub zone: Zone,
    /// Whether somebody chose the zone.
    pub zone_set: bool,
    /// Whether the zone of the session is known: a moment can be turned into its clock time.
    pub zone_known: bool,
    /// What plain numbers count.
    pub epoch: Option<EpochUnit>,
    /// Whether fractions that are too fine are rounded.
    pub round: bool,
}

/// A DATE, DATETIME or TIMESTAMP column.
#[derive(Debug, Clone)]
pub struct Temporal {
    pub(super) keeps: Keeps,
    fsp: u8,
    pub(super) reading: Reading,
    pub(super) sql_type: String,
    fast: bool,
}

impl Temporal {
    /// Whether it keeps a time of day beside the date.
    #[must_use]
    pub const fn keeps_time(&self) -> bool {
        !matches!(self.keeps, Keeps::Date)
    }

    /// A column with `fsp` digits of a second's fraction.
    #[must_use]
    pub fn new(keeps: Keeps, fsp: u8, reading: Reading, sql_type: &str) -> Self {
        let reading = Reading { format: reading.format.filter(DateFormat::has_date), ..reading };
        let fast = reading.format.is_none();
        Self { keeps, fsp: fsp.min(6), reading, sql_type: sql_type.to_owned(), fast }
    }

    /// Checks and writes one field.
    #[inline]
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        if self.fast {
            match (self.keeps, bytes.len()) {
                (Keeps::Date | Keeps::Datetime, 10) if plain_date(bytes) => {
                    out.extend_from_slice(bytes);
                    return Ok(());
                }
                (Keeps::Datetime, 19) if plain_datetime(bytes) => {
                    out.extend_from_slice(bytes);
                    return Ok(());
                }
                (Keeps::Timestamp, 19)
                    if plain_datetime(bytes)
                        && surely_in_range(bytes)
                        && self.reading.zone.is_fixed() =>
                {
                    out.extend_from_slice(bytes);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.encode_slow(bytes, out)
    }

    #[inline(never)]
    fn encode_slow(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = trim(bytes);
        let moment = self.read(text)?;
        if let Some(flaw) = moment.flaw() {
            return Err(invalid(text, self.wanted(), flaw));
        }
        let moment = self.in_zone(moment, text)?;
        let moment = self.to_precision(moment, text)?;
        if self.keeps == Keeps::Date {
            self.push_date(moment, text, out)
        } else {
            if self.keeps == Keeps::Timestamp {
                self.check_timestamp(moment, text)?;
            }
            push_datetime(moment, self.fsp, out);
            Ok(())
        }
    }

    fn wanted(&self) -> &'static str {
        if self.keeps == Keeps::Date { "a date" } else { "a date and time" }
    }

    fn read(&self, text: &[u8]) -> Checked<Moment> {
        if let Some(format) = &self.reading.format {
            if let Some(moment) = format.read(text) {
                return Ok(moment);
            }
            let iso = if format.begins_with_year() { None } else { iso::parse(text).ok() };
            return match (iso, self.reading.epoch) {
                (Some(moment), _) => Ok(moment),
                (None, Some(unit)) => self.epoch(text, unit),
                (None, None) => Err(fault(
                    ErrorCode::InvalidValue,
                    format!("{} is not written as {}", shown(text), format.as_str()),
                )),
            };
        }
        match iso::parse(text) {
            Ok(moment) => Ok(moment),
            Err(NotIso::Number) => match self.reading.epoch {
                Some(unit) => self.epoch(text, unit),
                None => Err(self.number(text)),
            },
            Err(NotIso::Order { ambiguous: true }) => Err(fault(
                ErrorCode::Ambiguous,
                format!(
                    "{} can be read with the day, the month or the year first: set date_format in \
                     the options, for example %d/%m/%Y",
                    shown(text)
                ),
            )),
            Err(NotIso::Order { ambiguous: false }) => Err(fault(
                ErrorCode::InvalidValue,
                format!(
                    "{} is not written year first: set date_format in the options, for example \
                     %d/%m/%Y or %m/%d/%Y",
                    shown(text)
                ),
            )),
            Err(NotIso::Other) => Err(invalid(
                text,
                self.wanted(),
                "it should look like 2024-03-05 or 2024-03-05 10:15:30; set date_format in the \
                 options if it is written otherwise",
            )),
        }
    }

    #[cold]
    fn number(&self, text: &[u8]) -> Box<Fault> {
        let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
        let guess = match digits {
            9..=11 => " (Unix time?)",
            13 => " (Unix time in milliseconds?)",
            16 => " (Unix time in microseconds?)",
            _ => "",
        };
        fault(
            ErrorCode::InvalidValue,
            format!(
                "{} is a {digits}-digit number{guess}, not {}: set epoch or date_format in the \
                 options if it is one",
                shown_bare(text),
                self.wanted()
            ),
        )
    }

    fn epoch(&self, text: &[u8], unit: EpochUnit) -> Checked<Moment> {
        let (per_sec, places) = match unit {
            EpochUnit::Seconds => (1_i128, 9_usize),
            EpochUnit::Milliseconds => (1_000, 6),
            EpochUnit::Microseconds => (1_000_000, 3),
        };
        let read = || -> Option<Moment> {
            let parts = Parts::parse(text, Marks::PLAIN).ok()?;
            if parts.exponent.is_some() || parts.whole.len() > 20 {
                return None;
            }
            let fold =
                |digits: &[u8]| digits.iter().fold(0_i128, |n, d| n * 10 + i128::from(d - b'0'));
            let whole = fold(&parts.whole) * (1_000_000_000 / per_sec);
            let kept = parts.frac.get(..places).unwrap_or(parts.frac);
            let frac = fold(kept) * 10_i128.pow(u32::try_from(places - kept.len()).ok()?);
            let nanos = if parts.negative { -(whole + frac) } else { whole + frac };
            let finer = parts.frac.iter().skip(places).any(|&d| d != b'0');
            let secs = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
            let rest = u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?;
            let moment = Moment::from_clock_secs(secs, rest)?;
            Some(Moment { finer, offset_secs: Some(0), ..moment })
        };
        read().ok_or_else(|| {
            invalid(text, self.wanted(), "it is no number of seconds within the years 1 to 9999")
        })
    }

    /// Drops, rounds or refuses what the column does not keep of a second.
    fn to_precision(&self, moment: Moment, text: &[u8]) -> Checked<Moment> {
        let fsp = if self.keeps == Keeps::Date { 6 } else { self.fsp };
        let unit = 10_u32.pow(9 - u32::from(fsp));
        let rest = moment.nanos % unit;
        if rest == 0 && !moment.finer {
            return Ok(moment);
        }
        if !self.reading.round {
            return Err(fault(
                ErrorCode::WouldRound,
                format!(
                    "{} has more digits of a second than {} keeps ({fsp}): set the option round, \
                     or give the column more digits",
                    shown(text),
                    self.sql_type
                ),
            ));
        }
        let nanos = moment.nanos - rest + if rest >= unit / 2 { unit } else { 0 };
        if nanos < 1_000_000_000 {
            return Ok(Moment { nanos, finer: false, ..moment });
        }
        Moment::from_clock_secs(moment.clock_secs() + 1, nanos - 1_000_000_000)
            .ok_or_else(|| self.out_of_range(text, "the years 1 to 9999"))
    }

    fn push_date(&self, moment: Moment, text: &[u8], out: &mut Vec<u8>) -> Checked {
        if (moment.hour, moment.minute, moment.second, moment.nanos) != (0, 0, 0, 0) {
            return Err(fault(
                ErrorCode::WouldRound,
                format!(
                    "{} has a time of day, which a DATE column does not keep: make the column \
                     DATETIME",
                    shown(text)
                ),
            ));
        }
        push_date(moment, out);
        Ok(())
    }

    #[cold]
    pub(super) fn out_of_range(&self, text: &[u8], range: &str) -> Box<Fault> {
        fault(
            ErrorCode::OutOfRange,
            format!("{} is outside the range of {}, {range}", shown(text), self.sql_type),
        )
    }
}

#[cold]
fn invalid(text: &[u8], wanted: &str, why: &str) -> Box<Fault> {
    fault(ErrorCode::InvalidValue, format!("{} is not {wanted}: {why}", shown(text)))
}

#[inline]
fn two(bytes: &[u8], at: usize) -> u8 {
    let digit = |i: usize| bytes.get(i).map_or(255, |b| b.wrapping_sub(b'0'));
    let (tens, ones) = (digit(at), digit(at + 1));
    if tens > 9 || ones > 9 { 255 } else { tens * 10 + ones }
}

/// `YYYY-MM-DD`, a real day: already canonical.
#[inline]
fn plain_date(bytes: &[u8]) -> bool {
    let (century, year) = (two(bytes, 0), two(bytes, 2));
    let (month, day) = (two(bytes, 5), two(bytes, 8));
    if century > 99 || year > 99 || bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return false;
    }
    let whole_year = u16::from(century) * 100 + u16::from(year);
    whole_year > 0
        && (1..=12).contains(&month)
        && day >= 1
        && (day <= 28 || day <= super::calendar::days_in_month(whole_year, month))
}

/// `YYYY-MM-DD HH:MM:SS`, a real second: already canonical.
#[inline]
fn plain_datetime(bytes: &[u8]) -> bool {
    bytes.get(10) == Some(&b' ')
        && bytes.get(13) == Some(&b':')
        && bytes.get(16) == Some(&b':')
        && two(bytes, 11) <= 23
        && two(bytes, 14) <= 59
        && two(bytes, 17) <= 59
        && plain_date(bytes)
}

/// Whether the year alone says that a TIMESTAMP holds it, in any zone.
#[inline]
fn surely_in_range(bytes: &[u8]) -> bool {
    let year = bytes.get(..4).unwrap_or_default();
    (b"1971".as_slice()..=b"2037".as_slice()).contains(&year)
}

fn push_padded(out: &mut Vec<u8>, value: u32, width: u32) {
    for place in (0..width).rev() {
        let digit = value / 10_u32.pow(place) % 10;
        out.push(b'0' + u8::try_from(digit).unwrap_or_default());
    }
}

fn push_date(moment: Moment, out: &mut Vec<u8>) {
    push_padded(out, u32::from(moment.year), 4);
    out.push(b'-');
    push_padded(out, u32::from(moment.month), 2);
    out.push(b'-');
    push_padded(out, u32::from(moment.day), 2);
}

fn push_datetime(moment: Moment, fsp: u8, out: &mut Vec<u8>) {
    push_date(moment, out);
    out.push(b' ');
    push_clock(u32::from(moment.hour), moment.minute, moment.second, out);
    push_fraction(moment.nanos, fsp, out);
}

/// `HH:MM:SS`, with three digits for the hours where they need them.
pub fn push_clock(hours: u32, minute: u8, second: u8, out: &mut Vec<u8>) {
    push_padded(out, hours, if hours > 99 { 3 } else { 2 });
    out.push(b':');
    push_padded(out, u32::from(minute), 2);
    out.push(b':');
    push_padded(out, u32::from(second), 2);
}

/// The fraction in `fsp` digits, nothing where it is zero.
pub fn push_fraction(nanos: u32, fsp: u8, out: &mut Vec<u8>) {
    if nanos > 0 && fsp > 0 {
        out.push(b'.');
        push_padded(out, nanos / 10_u32.pow(9 - u32::from(fsp)), u32::from(fsp));
    }
}
