//! TIME: a time of day or a span of up to 838 hours, either way.

use shared::error::ErrorCode;

use super::column::{Reading, push_clock, push_fraction};
use super::format::DateFormat;
use super::iso::Cursor;
use crate::convert::fault::{Checked, fault, shown};
use crate::convert::number::trim;

/// The longest span, in seconds.
const SECS_MAX: u64 = 838 * 3600 + 59 * 60 + 59;

/// A TIME column.
#[derive(Debug, Clone)]
pub struct Duration {
    fsp: u8,
    format: Option<DateFormat>,
    round: bool,
    sql_type: String,
}

struct Span {
    negative: bool,
    secs: u64,
    nanos: u32,
    finer: bool,
}

impl Duration {
    /// A column with `fsp` digits of a second's fraction.
    #[must_use]
    pub fn new(fsp: u8, reading: &Reading, sql_type: &str) -> Self {
        let format = reading.format.clone().filter(|f| f.has_clock() && !f.has_date());
        Self { fsp: fsp.min(6), format, round: reading.round, sql_type: sql_type.to_owned() }
    }

    /// Checks and writes one field.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = trim(bytes);
        let mut span = self.read(text).ok_or_else(|| not_a_time(text))?;
        let unit = 10_u32.pow(9 - u32::from(self.fsp));
        let rest = span.nanos % unit;
        if rest != 0 || span.finer {
            if !self.round {
                return Err(fault(
                    ErrorCode::WouldRound,
                    format!(
                        "{} has more digits of a second than {} keeps ({}): set the option round, \
                         or give the column more digits",
                        shown(text),
                        self.sql_type,
                        self.fsp
                    ),
                ));
            }
            span.nanos = span.nanos - rest + if rest >= unit / 2 { unit } else { 0 };
            if span.nanos >= 1_000_000_000 {
                span.nanos -= 1_000_000_000;
                span.secs += 1;
            }
        }
        if span.secs > SECS_MAX || (span.secs == SECS_MAX && span.nanos > 0) {
            return Err(fault(
                ErrorCode::OutOfRange,
                format!(
                    "{} is outside the range of {}, -838:59:59 to 838:59:59",
                    shown(text),
                    self.sql_type
                ),
            ));
        }
        if span.negative && (span.secs, span.nanos) != (0, 0) {
            out.push(b'-');
        }
        let part = |n: u64| u8::try_from(n).unwrap_or_default();
        let hours = u32::try_from(span.secs / 3600).unwrap_or_default();
        push_clock(hours, part(span.secs / 60 % 60), part(span.secs % 60), out);
        push_fraction(span.nanos, self.fsp, out);
        Ok(())
    }

    fn read(&self, text: &[u8]) -> Option<Span> {
        if let Some(moment) = self.format.as_ref().and_then(|f| f.read(text)) {
            if moment.hour > 23 || moment.minute > 59 || moment.second > 59 {
                return None;
            }
            let secs = u64::from(moment.hour) * 3600
                + u64::from(moment.minute) * 60
                + u64::from(moment.second);
            return Some(Span { negative: false, secs, nanos: moment.nanos, finer: moment.finer });
        }
        let mut at = Cursor::new(text);
        let negative = at.eat(b'-');
        let (hours, _) = at.digits(1, 5)?;
        at.eat(b':').then_some(())?;
        let (minutes, _) = at.digits(2, 2)?;
        let mut span = Span { negative, secs: 0, nanos: 0, finer: false };
        let mut seconds = 0;
        if at.eat(b':') {
            (seconds, _) = at.digits(2, 2)?;
            if at.eat(b'.') || at.eat(b',') {
                (span.nanos, span.finer) = at.fraction()?;
            }
        }
        if !at.done() || minutes > 59 || seconds > 59 {
            return None;
        }
        span.secs = u64::from(hours) * 3600 + u64::from(minutes) * 60 + u64::from(seconds);
        Some(span)
    }
}

#[cold]
fn not_a_time(text: &[u8]) -> Box<crate::convert::fault::Fault> {
    let why = if text.iter().all(u8::is_ascii_digit) && !text.is_empty() {
        "a plain number could be seconds or hhmmss"
    } else {
        "it should look like 10:15:30; minutes and seconds go from 00 to 59"
    };
    fault(ErrorCode::InvalidValue, format!("{} is not a time: {why}", shown(text)))
}
