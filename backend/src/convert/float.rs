//! FLOAT and DOUBLE: finite numbers.

use shared::error::ErrorCode;

use super::fault::{Checked, Fault, fault, shown};
use super::integer::not_a_number;
use super::number::{Marks, Parts};

/// A FLOAT or DOUBLE column.
#[derive(Debug, Clone)]
pub struct Float {
    single: bool,
    unsigned: bool,
    marks: Marks,
    sql_type: String,
}

impl Float {
    /// A column; `single` for FLOAT. Such a column keeps about 7 digits (FLOAT) or 16 (DOUBLE) of
    /// any number by its nature, so more digits are not refused.
    #[must_use]
    pub fn new(single: bool, unsigned: bool, marks: Marks, sql_type: &str) -> Self {
        Self { single, unsigned, marks, sql_type: sql_type.to_owned() }
    }

    /// Checks and writes one field.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let parts = Parts::parse(bytes, self.marks)
            .map_err(|why| not_a_number(bytes, why, self.marks, "a finite number"))?;
        let start = out.len();
        parts.push(out);
        let text = out.get(start..).unwrap_or_default();
        let fits = std::str::from_utf8(text).is_ok_and(|t| self.fits(t, parts.is_zero()));
        if fits && !(self.unsigned && parts.negative && !parts.is_zero()) {
            return Ok(());
        }
        out.truncate(start);
        Err(self.out_of_range(bytes))
    }

    /// Whether it neither overflows nor vanishes.
    fn fits(&self, text: &str, zero: bool) -> bool {
        let Ok(value) = text.parse::<f64>() else { return false };
        if self.single {
            // Below the least normal number, servers and machines disagree.
            zero || (value.abs() <= f64::from(f32::MAX)
                && value.abs() >= f64::from(f32::MIN_POSITIVE))
        } else {
            zero || (value.is_finite() && value.abs() >= f64::MIN_POSITIVE)
        }
    }

    #[cold]
    fn out_of_range(&self, bytes: &[u8]) -> Box<Fault> {
        fault(
            ErrorCode::OutOfRange,
            format!("{} is outside the range of {}", shown(bytes), self.sql_type),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(single: bool, unsigned: bool, text: &str) -> Result<String, ErrorCode> {
        let column = Float::new(single, unsigned, Marks::PLAIN, "float");
        let mut out = Vec::new();
        column.encode(text.as_bytes(), &mut out).map_err(|f| f.code)?;
        Ok(String::from_utf8(out).expect("ASCII"))
    }

    #[test]
    fn finite_numbers_only() {
        for (text, want) in [
            ("1.5", "1.5"),
            ("-2e10", "-2e10"),
            ("1E-5", "1e-5"),
            ("+.25", "0.25"),
            ("0", "0"),
            ("1.7976931348623157e308", "1.7976931348623157e308"),
            ("0.1", "0.1"),
        ] {
            assert_eq!(check(false, false, text).as_deref(), Ok(want), "{text}");
        }
        for text in ["1e309", "-1e999999", "1e-400"] {
            assert_eq!(check(false, false, text), Err(ErrorCode::OutOfRange), "{text}");
        }
        for text in ["nan", "inf", "Infinity", "1,5", "", "0x1p3", "1.5f"] {
            assert_eq!(check(false, false, text), Err(ErrorCode::InvalidValue), "{text}");
        }
        assert_eq!(check(true, false, "3.4028234e38").as_deref(), Ok("3.4028234e38"));
        assert_eq!(check(true, false, "3.5e38"), Err(ErrorCode::OutOfRange));
        assert_eq!(check(true, false, "1e-46"), Err(ErrorCode::OutOfRange));
        assert_eq!(check(false, true, "-1"), Err(ErrorCode::OutOfRange));
        assert_eq!(check(false, true, "-0").as_deref(), Ok("-0"));
    }
}
