//! What a single value looks like.

/// The looks of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A whole number.
    Int {
        /// The number, where it has at most 18 digits.
        value: Option<i64>,
        /// Digits without leading zeros.
        digits: u32,
        /// Whether it is below zero.
        negative: bool,
        /// Whether it begins with a zero that a number would not have, or with a plus sign.
        coded: bool,
    },
    /// A number with a decimal mark.
    Decimal {
        /// Digits before the mark, leading zeros left out.
        digits: u32,
        /// Digits after it.
        scale: u32,
        /// Whether it is below zero.
        negative: bool,
        /// Whether it begins with a zero that a number would not have, or with a plus sign.
        coded: bool,
    },
    /// A number with an exponent that is plainly one: with a decimal mark or a signed exponent.
    Float,
    /// `true` or `false`.
    Bool,
    /// `2024-03-05`.
    Date,
    /// `2024-03-05 10:15:30`.
    Datetime {
        /// Digits after the second.
        fsp: u32,
        /// What is said of the zone.
        zone: Zone,
    },
    /// `10:15:30`.
    Time {
        /// Digits after the second.
        fsp: u32,
    },
    /// A date of three numbers that is not year, month, day between hyphens.
    OtherDate(OtherDate),
    /// The old placeholder `0000-00-00`, with or without a time.
    ZeroDate,
    /// A UUID between hyphens.
    Uuid,
    /// A JSON object or array.
    Json,
    /// Anything else.
    Text,
}

/// The zone of a date with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Nothing is said.
    None,
    /// UTC.
    Utc,
    /// Another offset.
    Offset,
}

/// A date such as `05/03/2024`, whose order must be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherDate {
    /// Between the numbers.
    pub separator: u8,
    /// The first number.
    pub first: u32,
    /// The second.
    pub second: u32,
    /// The year has four digits and comes first, last; or has two.
    pub year: Year,
    /// What follows the date.
    pub time: Clock,
}

/// Where the year stands in an [`OtherDate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Year {
    /// Four digits, first.
    First,
    /// Four digits, last.
    Last,
    /// Two digits.
    Short,
}

/// The time of day after an [`OtherDate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// None.
    None,
    /// Hours and minutes.
    Minutes,
    /// Hours, minutes and seconds.
    Seconds,
}

/// Tells what `value` looks like. `decimal` is the mark of its numbers.
#[must_use]
pub fn shape(value: &[u8], decimal: u8) -> Shape {
    match value {
        [b'0'..=b'9' | b'-' | b'+' | b'.' | b',', ..] => {
            if value.len() == 36 && is_uuid(value) {
                Shape::Uuid
            } else {
                numeric(value, decimal)
            }
        }
        [b't' | b'T' | b'f' | b'F', ..]
            if value.eq_ignore_ascii_case(b"true") || value.eq_ignore_ascii_case(b"false") =>
        {
            Shape::Bool
        }
        [b'{', .., b'}'] | [b'[', .., b']'] if super::json::is_json(value) => Shape::Json,
        [b'a'..=b'f' | b'A'..=b'F', ..] if value.len() == 36 && is_uuid(value) => Shape::Uuid,
        _ => Shape::Text,
    }
}

fn is_uuid(value: &[u8]) -> bool {
    value.iter().enumerate().all(|(i, b)| match i {
        8 | 13 | 18 | 23 => *b == b'-',
        _ => b.is_ascii_hexdigit(),
    })
}

fn numeric(value: &[u8], decimal: u8) -> Shape {
    let (sign, digits) = match value {
        [b'-', rest @ ..] => (Some(true), rest),
        [b'+', rest @ ..] => (Some(false), rest),
        _ => (None, value),
    };
    let negative = sign == Some(true);
    let mut number = 0_i64;
    let mut whole = 0;
    for byte in digits {
        if !byte.is_ascii_digit() {
            break;
        }
        if whole < 18 {
            number = number * 10 + i64::from(byte - b'0');
        }
        whole += 1;
    }
    let zeros = if digits.first() == Some(&b'0') {
        digits.iter().take_while(|b| **b == b'0').count()
    } else {
        0
    };
    let significant = (whole - zeros.min(whole)) as u32;
    let coded = (whole > 1 && zeros > 0) || sign == Some(false);
    let Some(next) = digits.get(whole) else {
        if whole == 0 {
            return Shape::Text;
        }
        let value = (whole <= 18).then_some(if negative { -number } else { number });
        return Shape::Int { value, digits: significant.max(1), negative, coded };
    };
    let rest = digits.get(whole..).unwrap_or_default();
    if *next == decimal {
        let after = rest.get(1..).unwrap_or_default();
        let scale = after.iter().take_while(|b| b.is_ascii_digit()).count();
        if scale + whole == 0 {
            return Shape::Text;
        }
        return match after.get(scale..).unwrap_or_default() {
            [] => Shape::Decimal { digits: significant, scale: scale as u32, negative, coded },
            exponent if is_exponent(exponent) => Shape::Float,
            _ if sign.is_none() => date_or_time(value, whole),
            _ => Shape::Text,
        };
    }
    match next {
        // 1e-5 is a number, 12E3 a part's code.
        b'e' | b'E' if whole > 0 && is_exponent(rest) && rest.len() > 2 => match rest.get(1) {
            Some(b'+' | b'-') => Shape::Float,
            _ => Shape::Text,
        },
        b'-' | b'/' | b':' | b'.' if sign.is_none() => date_or_time(value, whole),
        _ => Shape::Text,
    }
}

fn is_exponent(text: &[u8]) -> bool {
    let [b'e' | b'E', rest @ ..] = text else { return false };
    let digits = match rest {
        [b'+' | b'-', digits @ ..] => digits,
        digits => digits,
    };
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Up to `most` digits at the start of `text`: their value and what follows.
fn digits(text: &[u8], most: usize) -> Option<(u32, usize, &[u8])> {
    let count = text.iter().take(most + 1).take_while(|b| b.is_ascii_digit()).count();
    if count == 0 || count > most {
        return None;
    }
    let value = text.iter().take(count).fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    Some((value, count, text.get(count..)?))
}

fn date_or_time(value: &[u8], whole: usize) -> Shape {
    if value.get(whole) == Some(&b':') {
        return match clock(value) {
            Some((Clock::Seconds, fsp, [])) => Shape::Time { fsp },
            _ => Shape::Text,
        };
    }
    date(value).unwrap_or(Shape::Text)
}

fn date(value: &[u8]) -> Option<Shape> {
    let (first, first_len, rest) = digits(value, 4)?;
    let (&separator, rest) = rest.split_first()?;
    let (second, second_len, rest) = digits(rest, 2)?;
    let (&again, rest) = rest.split_first()?;
    if again != separator {
        return None;
    }
    let (third, third_len, rest) = digits(rest, 4)?;
    if separator == b'-' && first_len == 4 {
        return iso(first, second, third, second_len == 2 && third_len == 2, rest);
    }
    let time = match rest {
        [] => Clock::None,
        [b' ', rest @ ..] => match clock(rest)? {
            (kind, 0, []) => kind,
            _ => return None,
        },
        _ => return None,
    };
    let year = match (first_len, third_len) {
        (4, 1 | 2) => Year::First,
        (1 | 2, 4) => Year::Last,
        (1 | 2, 2) => Year::Short,
        _ => return None,
    };
    let fits = match year {
        Year::First => (1..=12).contains(&second) && (1..=31).contains(&third),
        Year::Last | Year::Short => {
            (1..=31).contains(&first) && (1..=31).contains(&second) && (first <= 12 || second <= 12)
        }
    };
    fits.then_some(Shape::OtherDate(OtherDate { separator, first, second, year, time }))
}

/// A date with the year first between hyphens, and what follows it.
fn iso(year: u32, month: u32, day: u32, padded: bool, rest: &[u8]) -> Option<Shape> {
    if year == 0 && month == 0 && day == 0 {
        let zero = rest.is_empty() || clock(rest.get(1..)?).is_some();
        return zero.then_some(Shape::ZeroDate);
    }
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return None,
    };
    if !(1..=days).contains(&day) || !padded {
        return None;
    }
    let rest = match rest {
        [] => return Some(Shape::Date),
        [b' ' | b'T' | b't', rest @ ..] => rest,
        _ => return None,
    };
    let (_, fsp, rest) = clock(rest)?;
    if fsp > 6 {
        return None;
    }
    let zone = match rest {
        [] => Zone::None,
        b"Z" | b"z" | b"+00:00" | b"+0000" | b"+00" | b"-00:00" => Zone::Utc,
        [b'+' | b'-', h1, h2] if two(*h1, *h2)? <= 14 => Zone::Offset,
        [b'+' | b'-', h1, h2, b':', m1, m2] | [b'+' | b'-', h1, h2, m1, m2]
            if two(*h1, *h2)? <= 14 && two(*m1, *m2)? < 60 =>
        {
            Zone::Offset
        }
        _ => return None,
    };
    Some(Shape::Datetime { fsp, zone })
}

fn two(tens: u8, ones: u8) -> Option<u32> {
    (tens.is_ascii_digit() && ones.is_ascii_digit())
        .then(|| u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
}

/// A time of day at the start of `text`: its kind, digits after the second, what follows.
fn clock(text: &[u8]) -> Option<(Clock, u32, &[u8])> {
    let (hours, _, rest) = digits(text, 2)?;
    let [b':', m1, m2, rest @ ..] = rest else { return None };
    if hours > 23 || two(*m1, *m2)? > 59 {
        return None;
    }
    let [b':', s1, s2, rest @ ..] = rest else { return Some((Clock::Minutes, 0, rest)) };
    if two(*s1, *s2)? > 59 {
        return None;
    }
    let [b'.', fraction @ ..] = rest else { return Some((Clock::Seconds, 0, rest)) };
    let places = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    if places == 0 {
        return None;
    }
    Some((Clock::Seconds, places as u32, fraction.get(places..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Shape {
        shape(text.as_bytes(), b'.')
    }

    #[test]
    fn numbers_and_codes_are_told_apart() {
        assert_eq!(
            of("42"),
            Shape::Int { value: Some(42), digits: 2, negative: false, coded: false }
        );
        assert_eq!(
            of("-7"),
            Shape::Int { value: Some(-7), digits: 1, negative: true, coded: false }
        );
        assert!(matches!(of("0"), Shape::Int { coded: false, .. }));
        assert!(matches!(of("02134"), Shape::Int { coded: true, .. }));
        assert!(matches!(of("+4912"), Shape::Int { coded: true, .. }));
        assert!(matches!(of("98765432109876543210"), Shape::Int { value: None, digits: 20, .. }));
        assert_eq!(
            of("1.50"),
            Shape::Decimal { digits: 1, scale: 2, negative: false, coded: false }
        );
        assert!(matches!(of("0.5"), Shape::Decimal { digits: 0, coded: false, .. }));
        assert!(matches!(of(".5"), Shape::Decimal { scale: 1, .. }));
        assert!(matches!(of("1e-5"), Shape::Float));
        assert!(matches!(of("1.5E10"), Shape::Float));
        for text in ["12E3", "1E05", "5E0", "7.4.2", "12abc", "-", "+", ".", "1,234", "--1", "1-2"]
        {
            assert_eq!(of(text), Shape::Text, "{text}");
        }
        assert!(matches!(shape(b"1,5", b','), Shape::Decimal { scale: 1, .. }));
    }

    #[test]
    fn dates_and_times_are_what_they_look_like() {
        assert_eq!(of("2024-02-29"), Shape::Date);
        assert_eq!(of("2023-02-29"), Shape::Text);
        assert_eq!(of("0000-00-00"), Shape::ZeroDate);
        assert_eq!(of("0000-00-00 00:00:00"), Shape::ZeroDate);
        assert_eq!(of("2024-03-05 10:15:30"), Shape::Datetime { fsp: 0, zone: Zone::None });
        assert_eq!(of("2024-03-05T10:15:30.250Z"), Shape::Datetime { fsp: 3, zone: Zone::Utc });
        assert_eq!(of("2024-03-05T10:15+02:00"), Shape::Datetime { fsp: 0, zone: Zone::Offset });
        assert_eq!(of("10:15:30.5"), Shape::Time { fsp: 1 });
        assert_eq!(of("10:15"), Shape::Text);
        let day_first = OtherDate {
            separator: b'/',
            first: 14,
            second: 5,
            year: Year::Last,
            time: Clock::None,
        };
        assert_eq!(of("14/05/2021"), Shape::OtherDate(day_first));
        assert!(matches!(of("5.3.2024 10:15"), Shape::OtherDate(d) if d.time == Clock::Minutes));
        assert!(matches!(of("2024/03/05"), Shape::OtherDate(d) if d.year == Year::First));
        assert_eq!(of("192.168.1.1"), Shape::Text);
        assert_eq!(of("32/13/2021"), Shape::Text);
    }

    #[test]
    fn words_ids_and_documents() {
        assert_eq!(of("TRUE"), Shape::Bool);
        assert_eq!(of("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), Shape::Uuid);
        assert_eq!(of("081d4fae-7dec-11d0-a765-00a0c91e6bf6"), Shape::Uuid);
        assert_eq!(of("{\"a\": 1}"), Shape::Json);
        assert_eq!(of("{a}"), Shape::Text);
        assert_eq!(of(""), Shape::Text);
    }
}
