//! Numbers as people write them, taken apart without loss.

use std::borrow::Cow;

/// The marks of the file's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// Between units and tenths.
    pub decimal: char,
    /// Between groups of three digits, where there is one.
    pub thousands: Option<char>,
}

impl Marks {
    /// A point and no thousands mark.
    pub const PLAIN: Self = Self { decimal: '.', thousands: None };

    /// Whether a plain `1234.56` means what it says.
    #[must_use]
    pub fn are_plain(self) -> bool {
        self.decimal == '.' && self.thousands != Some('.')
    }
}

/// A number taken apart: `-1,234.50e-3` has the whole digits `1234`, the decimal digits `50` and
/// the exponent -3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts<'a> {
    /// Whether a minus stands before it.
    pub negative: bool,
    /// Digits before the decimal mark, thousands marks taken out; may be empty.
    pub whole: Cow<'a, [u8]>,
    /// Digits after it; may be empty, but not both.
    pub frac: &'a [u8],
    /// The power of ten, where one is written.
    pub exponent: Option<i64>,
}

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotANumber {
    /// Something else stands there.
    Other,
    /// Thousands marks that do not part groups of three.
    Groups,
    /// A comma where no comma is expected: perhaps a mark that nobody declared.
    Comma,
}

/// Drops blanks and tabs around a field that is no text.
#[inline]
#[must_use]
pub fn trim(bytes: &[u8]) -> &[u8] {
    match (bytes.first(), bytes.last()) {
        (Some(b' ' | b'\t'), _) | (_, Some(b' ' | b'\t')) => bytes.trim_ascii(),
        _ => bytes,
    }
}

impl<'a> Parts<'a> {
    /// Takes a number apart; blanks around it are allowed.
    pub fn parse(bytes: &'a [u8], marks: Marks) -> Result<Self, NotANumber> {
        let bytes = trim(bytes);
        let (negative, rest) = match bytes {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let mut buffer = [0; 4];
        let mark = marks.decimal.encode_utf8(&mut buffer).as_bytes();
        let end = rest.iter().position(|b| matches!(b, b'e' | b'E'));
        let (mantissa, power) = match end {
            Some(at) => {
                let (mantissa, power) = rest.split_at(at);
                (mantissa, Some(power.get(1..).unwrap_or_default()))
            }
            None => (rest, None),
        };
        let (whole, frac) = match memchr::memmem::find(mantissa, mark) {
            Some(at) => {
                let (whole, frac) = mantissa.split_at(at);
                (whole, frac.get(mark.len()..).unwrap_or_default())
            }
            None => (mantissa, [].as_slice()),
        };
        let whole = ungroup(whole, marks.thousands)?;
        if whole.is_empty() && frac.is_empty() || !digits(&whole) || !digits(frac) {
            let comma = marks.decimal != ',' && memchr::memchr(b',', bytes).is_some();
            return Err(if comma { NotANumber::Comma } else { NotANumber::Other });
        }
        let exponent = match power {
            Some(power) => Some(exponent(power).ok_or(NotANumber::Other)?),
            None => None,
        };
        Ok(Self { negative, whole, frac, exponent })
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.whole.iter().chain(self.frac).all(|&d| d == b'0')
    }

    /// The number as every server reads it: a point, no marks, no plus, no blanks.
    pub fn push(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        if self.whole.is_empty() {
            out.push(b'0');
        }
        out.extend_from_slice(&self.whole);
        if !self.frac.is_empty() {
            out.push(b'.');
            out.extend_from_slice(self.frac);
        }
        if let Some(exponent) = self.exponent {
            out.extend_from_slice(format!("e{exponent}").as_bytes());
        }
    }
}

/// Whether all bytes are digits (true for none).
#[inline]
#[must_use]
pub fn digits(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_digit)
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if text.is_empty() || text.len() > 9 || !digits(text) {
        return None;
    }
    let value = text.iter().fold(0_i64, |n, d| n * 10 + i64::from(d - b'0'));
    Some(if negative { -value } else { value })
}

/// Takes thousands marks out: first group of one to three digits, then groups of three.
fn ungroup(whole: &[u8], mark: Option<char>) -> Result<Cow<'_, [u8]>, NotANumber> {
    let Some(mark) = mark else { return Ok(Cow::Borrowed(whole)) };
    let mut buffer = [0; 4];
    let mark = mark.encode_utf8(&mut buffer).as_bytes();
    if memchr::memmem::find(whole, mark).is_none() {
        return Ok(Cow::Borrowed(whole));
    }
    let mut plain = Vec::with_capacity(whole.len());
    let mut rest = whole;
    let mut first = true;
    loop {
        let at = memchr::memmem::find(rest, mark);
        let group = rest.get(..at.unwrap_or(rest.len())).unwrap_or_default();
        if !digits(group) {
            return Err(NotANumber::Other);
        }
        let fits = if first { matches!(group.len(), 1..=3) } else { group.len() == 3 };
        if !fits {
            return Err(NotANumber::Groups);
        }
        first = false;
        plain.extend_from_slice(group);
        match at {
            Some(at) => rest = rest.get(at + mark.len()..).unwrap_or_default(),
            None => return Ok(Cow::Owned(plain)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, marks: Marks) -> Result<String, NotANumber> {
        let mut out = Vec::new();
        Parts::parse(text.as_bytes(), marks)?.push(&mut out);
        Ok(String::from_utf8(out).expect("ASCII"))
    }

    const GERMAN: Marks = Marks { decimal: ',', thousands: Some('.') };

    #[test]
    fn marks_are_taken_out() {
        for (text, want) in [
            ("1234,56", "1234.56"),
            ("3.071.250,00", "3071250.00"),
            ("-3,25", "-3.25"),
            ("1.000", "1000"),
            ("12", "12"),
            ("-0,99", "-0.99"),
            (" +7 ", "7"),
            (",5", "0.5"),
            ("1e-7", "1e-7"),
        ] {
            assert_eq!(plain(text, GERMAN).as_deref(), Ok(want), "{text}");
        }
        let swiss = Marks { decimal: '.', thousands: Some('’') };
        assert_eq!(plain("1’234’567.5", swiss).as_deref(), Ok("1234567.5"));
    }

    #[test]
    fn wrong_groups_are_not_guessed() {
        for text in ["1.5", "1.00", "12.34.567", "1234.567", ".500", "1..000"] {
            assert_eq!(plain(text, GERMAN), Err(NotANumber::Groups), "{text}");
        }
        assert_eq!(plain("1,234", Marks::PLAIN), Err(NotANumber::Comma));
        for text in ["", "-", "12abc", "1.2.3", "0x1F", "1e", "e5", "١", "--1", "1 2", "NaN", "inf"]
        {
            assert_eq!(plain(text, Marks::PLAIN), Err(NotANumber::Other), "{text}");
        }
    }
}
