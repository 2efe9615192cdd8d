//! DECIMAL: exact, never silently rounded.

use shared::error::ErrorCode;

use super::fault::{Checked, Fault, fault, shown};
use super::integer::not_a_number;
use super::number::{Marks, Parts, digits};

/// A DECIMAL column, or a FLOAT or DOUBLE with declared digits.
#[derive(Debug, Clone)]
pub struct Decimal {
    whole_max: usize,
    scale: usize,
    unsigned: bool,
    marks: Marks,
    round: bool,
    sql_type: String,
}

impl Decimal {
    /// A column with `precision` digits, `scale` of them after the point. `round` rounds half away
    /// from zero, as the server does, instead of refusing.
    #[must_use]
    pub fn new(
        precision: u8,
        scale: u8,
        unsigned: bool,
        round: bool,
        marks: Marks,
        sql_type: &str,
    ) -> Self {
        Self {
            whole_max: usize::from(precision.saturating_sub(scale)),
            scale: usize::from(scale),
            unsigned,
            marks,
            round,
            sql_type: sql_type.to_owned(),
        }
    }

    /// Checks and writes one field.
    #[inline]
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        if self.marks.are_plain() && self.is_plain(bytes) {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        self.encode_slow(bytes, out)
    }

    /// Digits, perhaps a point and digits, within the limits and without leading zeros.
    #[inline]
    fn is_plain(&self, bytes: &[u8]) -> bool {
        let text = match bytes {
            [b'-', rest @ ..] if !self.unsigned => rest,
            rest => rest,
        };
        let mut whole = 0;
        for &b in text {
            if !b.is_ascii_digit() {
                break;
            }
            whole += 1;
        }
        let whole_fits = whole <= self.whole_max
            || (whole == 1 && self.whole_max == 0 && text.first() == Some(&b'0'));
        if whole == 0 || !whole_fits || (whole > 1 && text.first() == Some(&b'0')) {
            return false;
        }
        match text.get(whole..) {
            Some([]) | None => true,
            Some([b'.', frac @ ..]) => !frac.is_empty() && frac.len() <= self.scale && digits(frac),
            Some(_) => false,
        }
    }

    #[inline(never)]
    fn encode_slow(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let parts = Parts::parse(bytes, self.marks)
            .map_err(|why| not_a_number(bytes, why, self.marks, "a number"))?;
        let (whole, mut frac) = self.shifted(&parts).ok_or_else(|| self.out_of_range(bytes))?;
        let mut whole = without_leading_zeros(whole);
        while frac.len() > self.scale && frac.last() == Some(&b'0') {
            frac.pop();
        }
        if frac.len() > self.scale {
            if !self.round {
                return Err(self.would_round(bytes, frac.len()));
            }
            round(&mut whole, &mut frac, self.scale);
        }
        if whole.len() > self.whole_max {
            return Err(self.out_of_range(bytes));
        }
        let zero = whole.iter().chain(&frac).all(|&d| d == b'0');
        if parts.negative && !zero {
            if self.unsigned {
                return Err(self.out_of_range(bytes));
            }
            out.push(b'-');
        }
        if whole.is_empty() {
            out.push(b'0');
        }
        out.extend_from_slice(&whole);
        if !frac.is_empty() {
            out.push(b'.');
            out.extend_from_slice(&frac);
        }
        Ok(())
    }

    /// Digits before and after the point once the exponent is applied; none if that would need
    /// more digits than any column has.
    fn shifted(&self, parts: &Parts<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut whole = parts.whole.to_vec();
        let mut frac = parts.frac.to_vec();
        let exponent = parts.exponent.unwrap_or(0);
        if exponent == 0 || parts.is_zero() {
            return Some((whole, frac));
        }
        // 10,000 places are past every column's digits but keep exact zeros cheap.
        let places = usize::try_from(exponent.unsigned_abs()).ok().filter(|&n| n <= 10_000)?;
        if exponent > 0 {
            let moved = places.min(frac.len());
            whole.extend(frac.drain(..moved));
            whole.extend(std::iter::repeat_n(b'0', places - moved));
        } else {
            let kept = whole.len().saturating_sub(places);
            let mut head = vec![b'0'; places.saturating_sub(whole.len())];
            head.extend(whole.drain(kept..));
            head.append(&mut frac);
            frac = head;
        }
        Some((whole, frac))
    }

    #[cold]
    fn would_round(&self, bytes: &[u8], places: usize) -> Box<Fault> {
        fault(
            ErrorCode::WouldRound,
            format!(
                "{} has {places} decimal places, {} keeps {}: set the option round, or give the \
                 column more places",
                shown(bytes),
                self.sql_type,
                self.scale
            ),
        )
    }

    #[cold]
    fn out_of_range(&self, bytes: &[u8]) -> Box<Fault> {
        let sign = if self.unsigned { " and no negative ones" } else { "" };
        fault(
            ErrorCode::OutOfRange,
            format!(
                "{} is outside the range of {}, which holds numbers of {} digits before the \
                 decimal mark{sign}",
                shown(bytes),
                self.sql_type,
                self.whole_max
            ),
        )
    }
}

fn without_leading_zeros(mut whole: Vec<u8>) -> Vec<u8> {
    let zeros = whole.iter().take_while(|&&d| d == b'0').count();
    whole.drain(..zeros);
    whole
}

/// Rounds half away from zero to `scale` places.
fn round(whole: &mut Vec<u8>, frac: &mut Vec<u8>, scale: usize) {
    let up = frac.get(scale).is_some_and(|&d| d >= b'5');
    frac.truncate(scale);
    if !up {
        return;
    }
    for digit in frac.iter_mut().rev().chain(whole.iter_mut().rev()) {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return;
        }
    }
    whole.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(precision: u8, scale: u8, round: bool, marks: Marks) -> Decimal {
        Decimal::new(
            precision,
            scale,
            false,
            round,
            marks,
            &format!("decimal({precision},{scale})"),
        )
    }

    fn check(column: &Decimal, text: &str) -> Result<String, ErrorCode> {
        let mut out = Vec::new();
        column.encode(text.as_bytes(), &mut out).map_err(|f| f.code)?;
        Ok(String::from_utf8(out).expect("ASCII"))
    }

    #[test]
    fn exact_or_refused() {
        let money = column(5, 2, false, Marks::PLAIN);
        for (text, want) in [
            ("123.45", "123.45"),
            ("-999.99", "-999.99"),
            ("1.50000", "1.50"),
            ("001.5", "1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0.00", "-0.00"),
            ("1.5e2", "150"),
            ("15e-1", "1.5"),
            ("1e-2", "0.01"),
            ("0e99999", "0"),
            (" 7 ", "7"),
        ] {
            assert_eq!(check(&money, text).as_deref(), Ok(want), "{text}");
        }
        for text in ["1.005", "0.001", "1e-3", "15e-4"] {
            assert_eq!(check(&money, text), Err(ErrorCode::WouldRound), "{text}");
        }
        for text in ["1000", "1e3", "-1000.00", "1e9999", "1e999999"] {
            assert_eq!(check(&money, text), Err(ErrorCode::OutOfRange), "{text}");
        }
        for text in ["", ".", "1,5", "abc", "1.2.3", "NaN", "$5", "5%"] {
            assert_eq!(check(&money, text), Err(ErrorCode::InvalidValue), "{text}");
        }
        let share = column(2, 2, false, Marks::PLAIN);
        assert_eq!(check(&share, "0.25").as_deref(), Ok("0.25"));
        assert_eq!(check(&share, "1.25"), Err(ErrorCode::OutOfRange));
    }

    #[test]
    fn rounding_is_half_away_from_zero_when_asked() {
        let money = column(5, 2, true, Marks::PLAIN);
        for (text, want) in [
            ("1.005", "1.01"),
            ("-1.005", "-1.01"),
            ("1.004", "1.00"),
            ("9.999", "10.00"),
            ("-0.001", "0.00"),
        ] {
            assert_eq!(check(&money, text).as_deref(), Ok(want), "{text}");
        }
        assert_eq!(check(&money, "999.995"), Err(ErrorCode::OutOfRange));
    }

    #[test]
    fn marks_and_sign() {
        let german = column(12, 2, false, Marks { decimal: ',', thousands: Some('.') });
        assert_eq!(check(&german, "1234,56").as_deref(), Ok("1234.56"));
        assert_eq!(check(&german, "3.071.250,00").as_deref(), Ok("3071250.00"));
        assert_eq!(check(&german, "1234.56"), Err(ErrorCode::InvalidValue));
        let unsigned = Decimal::new(5, 2, true, false, Marks::PLAIN, "decimal(5,2) unsigned");
        assert_eq!(check(&unsigned, "-0.0").as_deref(), Ok("0.0"));
        assert_eq!(check(&unsigned, "-0.01"), Err(ErrorCode::OutOfRange));
    }

    proptest! {
        #[test]
        fn what_fits_is_kept_to_the_digit(whole in 0_u64..10_000_000_000, cents in 0_u8..100, minus: bool) {
            let text = format!("{}{whole}.{cents:02}", if minus { "-" } else { "" });
            let money = column(12, 2, false, Marks::PLAIN);
            prop_assert_eq!(check(&money, &text), Ok(text));
        }

        #[test]
        fn fast_and_slow_ways_agree(text in "-?[0-9]{0,8}(\\.[0-9]{0,4})?") {
            let money = column(8, 3, false, Marks::PLAIN);
            let mut slow = Vec::new();
            let slow_result = money.encode_slow(text.as_bytes(), &mut slow).map_err(|f| f.code);
            match check(&money, &text) {
                Ok(fast) => {
                    prop_assert!(slow_result.is_ok());
                    prop_assert_eq!(fast.parse::<f64>().ok(), String::from_utf8(slow).ok().and_then(|t| t.parse::<f64>().ok()));
                }
                Err(code) => prop_assert_eq!(slow_result, Err(code)),
            }
        }
    }
}
