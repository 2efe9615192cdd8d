//! Dates and times written year first, as ISO 8601, SQL and most programs write them.

use super::calendar::Moment;

/// Why a text is no date with the year first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotIso {
    /// Nothing but digits (and perhaps a sign and a fraction).
    Number,
    /// Three numbers with the year last, or a year of two digits: the order is not known.
    Order {
        /// Whether it reads as a date in more than one way.
        ambiguous: bool,
    },
    /// Something else.
    Other,
}

/// Eats a text from the front.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    pub const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// What is left.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether nothing is left.
    pub const fn done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, left where it is.
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Goes on past `n` bytes.
    pub fn skip(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
    }

    /// Eats one byte if it is this one.
    pub fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        if hit {
            self.skip(1);
        }
        hit
    }

    /// Eats a word, whatever its case.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let hit =
            self.rest.get(..word.len()).is_some_and(|b| b.eq_ignore_ascii_case(word.as_bytes()));
        if hit {
            self.skip(word.len());
        }
        hit
    }

    /// Eats blanks and tabs.
    pub fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.skip(1);
        }
    }

    /// Eats `least` to `most` digits; also says how many.
    pub fn digits(&mut self, least: usize, most: usize) -> Option<(u32, usize)> {
        let count = self.rest.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        if count < least || count > 9 {
            return None;
        }
        let value = self.rest.iter().take(count).fold(0, |n, b| n * 10 + u32::from(b - b'0'));
        self.skip(count);
        Some((value, count))
    }

    /// One or two digits.
    pub fn two(&mut self) -> Option<u8> {
        self.digits(1, 2).and_then(|(n, _)| u8::try_from(n).ok())
    }

    /// Digits of a fraction, any number: billionths, and whether finer digits are not zero.
    pub fn fraction(&mut self) -> Option<(u32, bool)> {
        let count = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 {
            return None;
        }
        let (digits, rest) = self.rest.split_at(count);
        let mut nanos = 0;
        for i in 0..9 {
            nanos = nanos * 10 + u32::from(digits.get(i).map_or(0, |b| b - b'0'));
        }
        let finer = digits.iter().skip(9).any(|&b| b != b'0');
        self.rest = rest;
        Some((nanos, finer))
    }

    /// `Z`, `UTC`, `GMT` or an offset such as `+02:00`, `-0730`, `+05`: seconds east of UTC.
    pub fn offset(&mut self) -> Option<i32> {
        for word in ["UTC", "GMT", "Z"] {
            if self.eat_word(word) {
                return Some(0);
            }
        }
        let sign = match self.peek() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return None,
        };
        self.skip(1);
        let (hours, _) = self.digits(2, 2)?;
        let colon = self.eat(b':');
        let minutes = match self.digits(2, 2) {
            Some((minutes, _)) => minutes,
            None if colon => return None,
            None => 0,
        };
        let secs = i32::try_from(hours * 3600 + minutes * 60).ok()?;
        (hours <= 15 && minutes <= 59).then_some(sign * secs)
    }
}

/// Reads `YYYY-MM-DD`, perhaps with a time, a fraction and an offset. The fields are not yet
/// checked against the calendar.
pub fn parse(bytes: &[u8]) -> Result<Moment, NotIso> {
    let mut at = Cursor::new(bytes);
    moment(&mut at).filter(|_| at.done()).ok_or_else(|| why_not(bytes))
}

fn moment(at: &mut Cursor<'_>) -> Option<Moment> {
    let (year, _) = at.digits(4, 4)?;
    let mark = at.peek().filter(|b| matches!(b, b'-' | b'/' | b'.'))?;
    at.skip(1);
    let month = at.two()?;
    if !at.eat(mark) {
        return None;
    }
    let day = at.two()?;
    let mut moment = Moment { year: u16::try_from(year).ok()?, month, day, ..Moment::default() };
    if at.done() {
        return Some(moment);
    }
    if !at.eat(b'T') && !at.eat(b't') {
        let before = at.rest().len();
        at.blanks();
        if at.rest().len() == before {
            return None;
        }
    }
    time_of_day(at, &mut moment)?;
    at.blanks();
    if !at.done() {
        moment.offset_secs = Some(at.offset()?);
    }
    Some(moment)
}

fn time_of_day(at: &mut Cursor<'_>, moment: &mut Moment) -> Option<()> {
    moment.timed = true;
    moment.hour = at.two()?;
    if !at.eat(b':') {
        return None;
    }
    moment.minute = u8::try_from(at.digits(2, 2)?.0).ok()?;
    if at.eat(b':') {
        moment.second = u8::try_from(at.digits(2, 2)?.0).ok()?;
        if at.eat(b'.') || at.eat(b',') {
            (moment.nanos, moment.finer) = at.fraction()?;
        }
    }
    Some(())
}

/// Tells what stands there instead, for the message.
fn why_not(bytes: &[u8]) -> NotIso {
    let unsigned = match bytes {
        [b'-' | b'+', rest @ ..] => rest,
        rest => rest,
    };
    if !unsigned.is_empty() && unsigned.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        let points = unsigned.iter().filter(|b| **b == b'.').count();
        if points < 2 {
            return NotIso::Number;
        }
    }
    let mut at = Cursor::new(bytes);
    let mut three = || -> Option<(u8, u8, usize)> {
        let first = at.two()?;
        let mark = at.peek().filter(|b| matches!(b, b'-' | b'/' | b'.'))?;
        at.skip(1);
        let second = at.two()?;
        if !at.eat(mark) {
            return None;
        }
        let (_, digits) = at.digits(2, 4)?;
        (digits != 3).then_some((first, second, digits))
    };
    match three() {
        Some((first, second, digits)) => {
            NotIso::Order { ambiguous: digits == 2 || (first <= 12 && second <= 12) }
        }
        None => NotIso::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn year_first_in_its_usual_forms() {
        let day = Moment { year: 2024, month: 3, day: 5, ..Moment::default() };
        let time = Moment { hour: 10, minute: 15, second: 30, timed: true, ..day };
        for (text, want) in [
            ("2024-03-05", day),
            ("2024/3/5", day),
            ("2024.03.05", day),
            ("2024-03-05 10:15:30", time),
            ("2024-03-05T10:15:30", time),
            ("2024-03-05t10:15:30z", Moment { offset_secs: Some(0), ..time }),
            ("2024-03-05 10:15:30 UTC", Moment { offset_secs: Some(0), ..time }),
            ("2024-03-05T10:15:30+02:00", Moment { offset_secs: Some(7200), ..time }),
            ("2024-03-05T10:15:30-0730", Moment { offset_secs: Some(-27_000), ..time }),
            ("2024-03-05 10:15:30+05", Moment { offset_secs: Some(18_000), ..time }),
            ("2024-03-05 10:15", Moment { second: 0, ..time }),
            ("2024-03-05 9:15:30", Moment { hour: 9, ..time }),
            ("2024-03-05 10:15:30.25", Moment { nanos: 250_000_000, ..time }),
            ("2024-03-05 10:15:30,000000001", Moment { nanos: 1, ..time }),
            ("2024-03-05 10:15:30.0000000001", Moment { finer: true, ..time }),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(want), "{text}");
        }
    }

    #[test]
    fn other_things_are_told_apart() {
        for (text, want) in [
            ("1212121212", NotIso::Number),
            ("20240305", NotIso::Number),
            ("1650000000.5", NotIso::Number),
            ("-5", NotIso::Number),
            ("04/05/2021", NotIso::Order { ambiguous: true }),
            ("14/05/2021", NotIso::Order { ambiguous: false }),
            ("1.2.24", NotIso::Order { ambiguous: true }),
            ("04-05-2021 10:00", NotIso::Order { ambiguous: true }),
            ("yesterday", NotIso::Other),
            ("", NotIso::Other),
            ("2024-03-05 10", NotIso::Other),
            ("2024-03-05 10:15:30 CET", NotIso::Other),
            ("2024-03-05T", NotIso::Other),
            ("2024-03-05 10:15:30.", NotIso::Other),
            ("2024-03/05", NotIso::Other),
            ("24-03-05", NotIso::Order { ambiguous: true }),
        ] {
            assert_eq!(parse(text.as_bytes()), Err(want), "{text}");
        }
    }
}
