//! Dates and times in a declared format: the common part of strptime.

use super::calendar::{Moment, days_in_month};
use super::iso::Cursor;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Literal(u8),
    Blanks,
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    DayOfYear,
    DayName,
    Hour,
    Hour12,
    Minute,
    Second,
    Fraction,
    HalfOfDay,
    Offset,
    UnixSecs,
}

/// A format such as `%d/%m/%Y %H:%M`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    signs: Vec<Sign>,
    text: String,
}

impl DateFormat {
    /// Reads a format. Refuses signs that are not known and formats that leave a part open.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut signs = Vec::new();
        let mut at = text.bytes();
        while let Some(b) = at.next() {
            if b != b'%' {
                signs.push(if b.is_ascii_whitespace() { Sign::Blanks } else { Sign::Literal(b) });
                continue;
            }
            let mut letter = at.next();
            if matches!(letter, Some(b'-' | b'_' | b'0')) {
                letter = at.next();
            }
            let letter = letter.ok_or("the format ends after a %")?;
            push_sign(&mut signs, letter)
                .ok_or_else(|| format!("the sign %{} is not known", char::from(letter)))?;
        }
        let format = Self { signs, text: text.to_owned() };
        format.whole()?;
        Ok(format)
    }

    fn has(&self, sign: Sign) -> bool {
        self.signs.contains(&sign)
    }

    fn whole(&self) -> Result<(), String> {
        if self.has(Sign::UnixSecs) {
            return Ok(());
        }
        if self.has(Sign::Hour12) && !self.has(Sign::HalfOfDay) {
            return Err("%I needs %p to tell morning from evening".to_owned());
        }
        if !self.has_date() && !self.has_clock() {
            return Err("the format has neither a whole date nor a time of day".to_owned());
        }
        Ok(())
    }

    /// Whether it gives year, month and day.
    #[must_use]
    pub fn has_date(&self) -> bool {
        let year = self.has(Sign::Year) || self.has(Sign::ShortYear);
        let month = self.has(Sign::Month) || self.has(Sign::MonthName);
        self.has(Sign::UnixSecs)
            || (year && (self.has(Sign::DayOfYear) || (month && self.has(Sign::Day))))
    }

    /// Whether it gives a time of day.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        self.has(Sign::Hour) || self.has(Sign::Hour12)
    }

    /// Whether a text with the year first could be meant by it.
    #[must_use]
    pub fn begins_with_year(&self) -> bool {
        matches!(self.signs.first(), Some(Sign::Year | Sign::ShortYear))
    }

    /// The format as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Reads a text that is written so; the fields are not yet checked against the calendar.
    #[must_use]
    pub fn read(&self, bytes: &[u8]) -> Option<Moment> {
        let mut at = Cursor::new(bytes);
        let mut read = Read::default();
        for &sign in &self.signs {
            read.sign(sign, &mut at)?;
        }
        at.blanks();
        at.done().then_some(())?;
        read.finish()
    }
}

fn push_sign(signs: &mut Vec<Sign>, letter: u8) -> Option<()> {
    let group: &[Sign] = match letter {
        b'Y' => &[Sign::Year],
        b'y' => &[Sign::ShortYear],
        b'm' => &[Sign::Month],
        b'b' | b'B' | b'h' => &[Sign::MonthName],
        b'd' | b'e' => &[Sign::Day],
        b'j' => &[Sign::DayOfYear],
        b'a' | b'A' => &[Sign::DayName],
        b'H' | b'k' => &[Sign::Hour],
        b'I' | b'l' => &[Sign::Hour12],
        b'M' => &[Sign::Minute],
        b'S' => &[Sign::Second],
        b'f' => &[Sign::Fraction],
        b'p' | b'P' => &[Sign::HalfOfDay],
        b'z' | b'Z' => &[Sign::Offset],
        b's' => &[Sign::UnixSecs],
        b'F' => &[Sign::Year, Sign::Literal(b'-'), Sign::Month, Sign::Literal(b'-'), Sign::Day],
        b'T' => &[Sign::Hour, Sign::Literal(b':'), Sign::Minute, Sign::Literal(b':'), Sign::Second],
        b'R' => &[Sign::Hour, Sign::Literal(b':'), Sign::Minute],
        b'D' => {
            &[Sign::Month, Sign::Literal(b'/'), Sign::Day, Sign::Literal(b'/'), Sign::ShortYear]
        }
        b'n' | b't' => &[Sign::Blanks],
        b'%' => &[Sign::Literal(b'%')],
        _ => return None,
    };
    signs.extend_from_slice(group);
    Some(())
}

#[derive(Debug, Default)]
struct Read {
    moment: Moment,
    day_of_year: Option<u16>,
    afternoon: Option<bool>,
    hour12: bool,
    unix: Option<i64>,
}

impl Read {
    fn sign(&mut self, sign: Sign, at: &mut Cursor<'_>) -> Option<()> {
        let moment = &mut self.moment;
        match sign {
            Sign::Literal(b) => return at.eat(b).then_some(()),
            Sign::Blanks => at.blanks(),
            Sign::Year => moment.year = u16::try_from(at.digits(4, 4)?.0).ok()?,
            Sign::ShortYear => {
                let year = u16::try_from(at.digits(2, 2)?.0).ok()?;
                // POSIX: 69 to 99 are the nineteen-hundreds.
                moment.year = year + if year < 69 { 2000 } else { 1900 };
            }
            Sign::Month => moment.month = at.two()?,
            Sign::MonthName => moment.month = u8::try_from(name(&MONTHS, at)? + 1).ok()?,
            Sign::Day => {
                at.blanks();
                moment.day = at.two()?;
            }
            Sign::DayOfYear => {
                self.day_of_year = Some(u16::try_from(at.digits(1, 3)?.0).ok()?);
            }
            Sign::DayName => {
                name(&DAYS, at)?;
            }
            Sign::Hour | Sign::Hour12 => {
                at.blanks();
                moment.hour = at.two()?;
                moment.timed = true;
                self.hour12 |= sign == Sign::Hour12;
            }
            Sign::Minute => moment.minute = at.two()?,
            Sign::Second => moment.second = at.two()?,
            Sign::Fraction => (moment.nanos, moment.finer) = at.fraction()?,
            Sign::HalfOfDay => {
                self.afternoon = Some(if at.eat_word("am") || at.eat_word("a.m.") {
                    false
                } else if at.eat_word("pm") || at.eat_word("p.m.") {
                    true
                } else {
                    return None;
                });
            }
            Sign::Offset => moment.offset_secs = Some(at.offset()?),
            Sign::UnixSecs => {
                let negative = at.eat(b'-');
                let mut secs = 0_i64;
                let mut any = false;
                while let Some((digit, _)) = at.digits(1, 1) {
                    secs = secs.checked_mul(10)?.checked_add(i64::from(digit))?;
                    any = true;
                }
                any.then_some(())?;
                self.unix = Some(if negative { -secs } else { secs });
            }
        }
        Some(())
    }

    fn finish(mut self) -> Option<Moment> {
        if let Some(secs) = self.unix {
            let nanos = self.moment.nanos;
            let moment = Moment::from_clock_secs(secs, nanos)?;
            return Some(Moment { offset_secs: Some(0), finer: self.moment.finer, ..moment });
        }
        if self.hour12 {
            if !(1..=12).contains(&self.moment.hour) {
                return None;
            }
            let afternoon = self.afternoon?;
            self.moment.hour = self.moment.hour % 12 + if afternoon { 12 } else { 0 };
        }
        if let Some(day_of_year) = self.day_of_year {
            (self.moment.month, self.moment.day) = month_and_day(self.moment.year, day_of_year)?;
        }
        Some(self.moment)
    }
}

fn month_and_day(year: u16, day_of_year: u16) -> Option<(u8, u8)> {
    let mut left = day_of_year;
    for month in 1..=12 {
        let days = u16::from(days_in_month(year, month));
        if left <= days {
            return Some((month, u8::try_from(left).ok().filter(|d| *d > 0)?));
        }
        left -= days;
    }
    None
}

/// Eats an English name or its first three letters.
fn name(names: &[&str], at: &mut Cursor<'_>) -> Option<usize> {
    let hit = names.iter().position(|n| at.eat_word(n));
    hit.or_else(|| {
        // Four letters of September are as common as three.
        if names.contains(&"september") && at.eat_word("sept") {
            return Some(8);
        }
        names.iter().position(|n| n.get(..3).is_some_and(|short| at.eat_word(short)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, text: &str) -> Option<String> {
        let m = DateFormat::parse(format).expect("format").read(text.as_bytes())?;
        Some(format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} {:?}",
            m.year, m.month, m.day, m.hour, m.minute, m.second, m.nanos, m.offset_secs
        ))
    }

    #[test]
    fn formats_read_what_they_say() {
        for (format, text, want) in [
            ("%d/%m/%Y", "04/05/2021", "2021-05-04 00:00:00.000000000 None"),
            ("%d/%m/%Y", "1/3/2024", "2024-03-01 00:00:00.000000000 None"),
            ("%m/%d/%y", "12/31/98", "1998-12-31 00:00:00.000000000 None"),
            ("%Y%m%d", "20240229", "2024-02-29 00:00:00.000000000 None"),
            ("%d %B %Y", "7 September 2020", "2020-09-07 00:00:00.000000000 None"),
            ("%d-%b-%y", "07-SEP-20", "2020-09-07 00:00:00.000000000 None"),
            ("%b %d, %Y %I:%M %p", "May  7, 2020 12:05 am", "2020-05-07 00:05:00.000000000 None"),
            ("%d.%m.%Y %I:%M:%S%p", "01.02.2020 12:05:09PM", "2020-02-01 12:05:09.000000000 None"),
            (
                "%Y-%m-%dT%H:%M:%S.%f%z",
                "2020-01-02T03:04:05.25+0130",
                "2020-01-02 03:04:05.250000000 Some(5400)",
            ),
            ("%Y-%j", "2024-060", "2024-02-29 00:00:00.000000000 None"),
            (
                "%a, %d %b %Y %T %Z",
                "Tue, 05 Mar 2024 10:15:30 GMT",
                "2024-03-05 10:15:30.000000000 Some(0)",
            ),
            ("%F %R", "2024-03-05 10:15", "2024-03-05 10:15:00.000000000 None"),
            ("%s", "1212121212", "2008-05-30 04:20:12.000000000 Some(0)"),
            ("%d%%%m%%%Y", "01%02%2020", "2020-02-01 00:00:00.000000000 None"),
        ] {
            assert_eq!(read(format, text).as_deref(), Some(want), "{format} {text}");
        }
    }

    #[test]
    fn anything_else_is_not_read() {
        for (format, text) in [
            ("%d/%m/%Y", "04-05-2021"),
            ("%d/%m/%Y", "04/05/21"),
            ("%d/%m/%Y", "04/05/2021x"),
            ("%d/%m/%Y", ""),
            ("%I:%M %p", "13:00 pm"),
            ("%Y-%j", "2023-366"),
            ("%d %b %Y", "1 Foo 2020"),
        ] {
            assert_eq!(read(format, text), None, "{format} {text}");
        }
        for format in ["%Q", "%", "%d", "%I:%M", "abc", "%Y-%m"] {
            assert!(DateFormat::parse(format).is_err(), "{format}");
        }
    }
}
