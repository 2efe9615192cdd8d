//! TINYINT to BIGINT, signed and unsigned.

use shared::column_type::IntWidth;
use shared::error::ErrorCode;

use super::fault::{Checked, Fault, fault, shown};
use super::number::{Marks, NotANumber, Parts, trim};

/// An integer column.
#[derive(Debug, Clone)]
pub struct Integer {
    max: u64,
    /// The least value without its sign.
    min_abs: u64,
    marks: Marks,
    truths: bool,
    sql_type: String,
}

impl Integer {
    /// A column of this width. `truths` lets `true` and `false` stand for 1 and 0.
    #[must_use]
    pub fn new(
        width: IntWidth,
        unsigned: bool,
        truths: bool,
        marks: Marks,
        sql_type: &str,
    ) -> Self {
        let bits = width.bits();
        let (max, min_abs) = if unsigned {
            (u64::MAX >> (64 - bits), 0)
        } else {
            (u64::MAX >> (65 - bits), 1 << (bits - 1))
        };
        Self { max, min_abs, marks, truths, sql_type: sql_type.to_owned() }
    }

    /// Checks and writes one field.
    #[inline]
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        if let Some((negative, value)) = plain(bytes) {
            let limit = if negative { self.min_abs } else { self.max };
            if value <= limit {
                out.extend_from_slice(bytes);
                return Ok(());
            }
        }
        self.encode_slow(bytes, out)
    }

    #[inline(never)]
    fn encode_slow(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let parts = match Parts::parse(bytes, self.marks) {
            Ok(parts) => parts,
            Err(_) if self.truths && truth(bytes).is_some() => {
                out.push(if truth(bytes) == Some(true) { b'1' } else { b'0' });
                return Ok(());
            }
            Err(why) => return Err(not_an_integer(bytes, why, self.marks)),
        };
        if parts.exponent.is_some() {
            return Err(fault(
                ErrorCode::InvalidValue,
                format!(
                    "{} is in scientific notation, which may have lost digits; write the whole \
                     number out",
                    shown(bytes)
                ),
            ));
        }
        if parts.frac.iter().any(|&d| d != b'0') {
            return Err(fault(
                ErrorCode::WouldRound,
                format!(
                    "{} has decimal places, which a whole-number column does not keep",
                    shown(bytes)
                ),
            ));
        }
        let value = parts
            .whole
            .iter()
            .try_fold(0_u64, |n, d| n.checked_mul(10)?.checked_add(u64::from(d - b'0')));
        let limit = if parts.negative { self.min_abs } else { self.max };
        match value {
            Some(0) => out.push(b'0'),
            Some(value) if value <= limit => {
                if parts.negative {
                    out.push(b'-');
                }
                out.extend_from_slice(value.to_string().as_bytes());
            }
            _ => return Err(self.out_of_range(bytes)),
        }
        Ok(())
    }

    #[cold]
    fn out_of_range(&self, bytes: &[u8]) -> Box<Fault> {
        let least = if self.min_abs == 0 { "0".to_owned() } else { format!("-{}", self.min_abs) };
        fault(
            ErrorCode::OutOfRange,
            format!(
                "{} is outside the range of {}, {least} to {}",
                shown(bytes),
                self.sql_type,
                self.max
            ),
        )
    }
}

/// One to nineteen digits with no leading zero, perhaps a minus, and nothing else: already
/// canonical. None leaves it to the slow path.
#[inline]
fn plain(bytes: &[u8]) -> Option<(bool, u64)> {
    let (negative, text) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let first = *text.first()?;
    if text.len() > 19 || (first == b'0' && (text.len() > 1 || negative)) {
        return None;
    }
    let mut value = 0_u64;
    for &b in text {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
    }
    Some((negative, value))
}

/// What `true` and `false` and their kin mean.
#[must_use]
pub fn truth(bytes: &[u8]) -> Option<bool> {
    let text = trim(bytes);
    let is = |word: &str| text.eq_ignore_ascii_case(word.as_bytes());
    if is("true") || is("t") || is("yes") || is("y") {
        Some(true)
    } else if is("false") || is("f") || is("no") || is("n") {
        Some(false)
    } else {
        None
    }
}

/// The sentence for something that is no number.
#[cold]
pub fn not_a_number(bytes: &[u8], why: NotANumber, marks: Marks, wanted: &str) -> Box<Fault> {
    let value = shown(bytes);
    let message = match why {
        NotANumber::Other => format!("{value} is not {wanted}"),
        NotANumber::Groups => format!(
            "{value} is not {wanted}: its thousands marks ({}) do not part groups of three digits; \
             check the decimal and thousands marks in the options",
            marks.thousands.unwrap_or(' ')
        ),
        NotANumber::Comma => format!(
            "{value} is not {wanted}: if the comma is a decimal or a thousands mark, say so in the \
             options"
        ),
    };
    fault(ErrorCode::InvalidValue, message)
}

#[cold]
fn not_an_integer(bytes: &[u8], why: NotANumber, marks: Marks) -> Box<Fault> {
    not_a_number(bytes, why, marks, "a whole number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(sql: &str, text: &str) -> Result<String, ErrorCode> {
        check_with(sql, text, Marks::PLAIN)
    }

    fn check_with(sql: &str, text: &str, marks: Marks) -> Result<String, ErrorCode> {
        let shared::column_type::ColumnType::Int { width, unsigned } =
            shared::column_type::ColumnType::parse(sql)
        else {
            panic!("{sql}")
        };
        let column = Integer::new(width, unsigned, sql == "tinyint(1)", marks, sql);
        let mut out = Vec::new();
        column.encode(text.as_bytes(), &mut out).map_err(|f| f.code)?;
        Ok(String::from_utf8(out).expect("ASCII"))
    }

    #[test]
    fn boundaries_of_every_width() {
        for (sql, least, most) in [
            ("tinyint", "-128", "127"),
            ("tinyint unsigned", "0", "255"),
            ("smallint", "-32768", "32767"),
            ("smallint unsigned", "0", "65535"),
            ("mediumint", "-8388608", "8388607"),
            ("mediumint unsigned", "0", "16777215"),
            ("int", "-2147483648", "2147483647"),
            ("int unsigned", "0", "4294967295"),
            ("bigint", "-9223372036854775808", "9223372036854775807"),
            ("bigint unsigned", "0", "18446744073709551615"),
        ] {
            for good in [least, most, "0", "1"] {
                assert_eq!(check(sql, good).as_deref(), Ok(good), "{sql}");
            }
            for limit in [least, most] {
                let n: i128 = limit.parse().expect("number");
                let past = if n > 0 { n + 1 } else { n - 1 };
                assert_eq!(check(sql, &past.to_string()), Err(ErrorCode::OutOfRange), "{sql}");
            }
        }
    }

    #[test]
    fn only_whole_numbers_as_they_are() {
        for (text, want) in
            [("007", "7"), ("+5", "5"), ("-0", "0"), (" 12\t", "12"), ("3.00", "3"), ("5.", "5")]
        {
            assert_eq!(check("int", text).as_deref(), Ok(want), "{text}");
        }
        for text in ["12abc", "1,234", "", "-", "0x10", "1e3x", "true", "'5'", "1 000", "٣"] {
            assert_eq!(check("int", text), Err(ErrorCode::InvalidValue), "{text}");
        }
        assert_eq!(check("int", "1.5"), Err(ErrorCode::WouldRound));
        assert_eq!(check("int", "1E05"), Err(ErrorCode::InvalidValue));
        assert_eq!(check("int", "98765432109876543210"), Err(ErrorCode::OutOfRange));
        assert_eq!(check("bigint unsigned", "99999999999999999999999"), Err(ErrorCode::OutOfRange));
        assert_eq!(check("int unsigned", "-0").as_deref(), Ok("0"));
    }

    #[test]
    fn truth_words_only_in_truth_columns() {
        for (text, want) in [("true", "1"), ("FALSE", "0"), ("t", "1"), ("No", "0"), ("1", "1")] {
            assert_eq!(check("tinyint(1)", text).as_deref(), Ok(want), "{text}");
        }
        assert_eq!(check("tinyint(1)", "maybe"), Err(ErrorCode::InvalidValue));
        assert_eq!(check("tinyint(1)", "127").as_deref(), Ok("127"));
    }

    #[test]
    fn declared_marks() {
        let german = Marks { decimal: ',', thousands: Some('.') };
        assert_eq!(check_with("int", "1.000", german).as_deref(), Ok("1000"));
        assert_eq!(check_with("int", "1.00", german), Err(ErrorCode::InvalidValue));
        assert_eq!(check_with("int", "1234", german).as_deref(), Ok("1234"));
        let english = Marks { decimal: '.', thousands: Some(',') };
        assert_eq!(check_with("int", "1,234", english).as_deref(), Ok("1234"));
    }

    proptest! {
        #[test]
        fn every_integer_is_itself(n: i64) {
            let text = n.to_string();
            prop_assert_eq!(check("bigint", &text), Ok(text));
        }

        #[test]
        fn no_text_panics(text in "[-+0-9.,eE ]{0,30}") {
            let _ = check("int", &text);
        }
    }
}
