//! BIT(n): the number that its bits make.

use shared::error::ErrorCode;

use super::fault::{Checked, fault, shown};
use super::integer::{not_a_number, truth};
use super::number::{Marks, Parts, trim};

/// A BIT column. Its canonical text is the number in decimal digits.
#[derive(Debug, Clone)]
pub struct Bit {
    bits: u8,
    max: u64,
    marks: Marks,
}

impl Bit {
    /// A column of 1 to 64 bits.
    #[must_use]
    pub fn new(bits: u8, marks: Marks) -> Self {
        let bits = bits.clamp(1, 64);
        Self { bits, max: u64::MAX >> (64 - u32::from(bits)), marks }
    }

    /// Checks and writes one field: true, false, or the number that the bits make.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        if let Some(truth) = truth(bytes) {
            out.push(if truth { b'1' } else { b'0' });
            return Ok(());
        }
        let text = trim(bytes);
        if text.len() > 1 && text.starts_with(b"0") && text.iter().all(|b| matches!(b, b'0' | b'1'))
        {
            return Err(fault(
                ErrorCode::Ambiguous,
                format!(
                    "{} can be a number or bits: write a number without leading zeros",
                    shown(bytes)
                ),
            ));
        }
        let parts = Parts::parse(text, self.marks)
            .map_err(|why| not_a_number(bytes, why, self.marks, "a number of bits"))?;
        let value = parts
            .whole
            .iter()
            .try_fold(0_u64, |n, d| n.checked_mul(10)?.checked_add(u64::from(d - b'0')))
            .filter(|n| *n <= self.max);
        let whole = parts.exponent.is_none() && parts.frac.iter().all(|d| *d == b'0');
        match value {
            Some(value) if whole && (!parts.negative || value == 0) => {
                out.extend_from_slice(value.to_string().as_bytes());
                Ok(())
            }
            _ => Err(fault(
                ErrorCode::OutOfRange,
                format!(
                    "{} is outside the range of BIT({}), the whole numbers 0 to {}",
                    shown(bytes),
                    self.bits,
                    self.max
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bits: u8, text: &str) -> Result<String, ErrorCode> {
        let mut out = Vec::new();
        Bit::new(bits, Marks::PLAIN).encode(text.as_bytes(), &mut out).map_err(|f| f.code)?;
        Ok(String::from_utf8(out).expect("ASCII"))
    }

    #[test]
    fn digits_are_the_number_and_words_are_truths() {
        for (bits, text, want) in [
            (1, "true", "1"),
            (1, "FALSE", "0"),
            (1, "0", "0"),
            (9, "108", "108"),
            (9, "1", "1"),
            (9, "511", "511"),
            (64, "18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(check(bits, text).as_deref(), Ok(want), "{text}");
        }
        for (bits, text, want) in [
            (1, "2", ErrorCode::OutOfRange),
            (9, "512", ErrorCode::OutOfRange),
            (9, "-1", ErrorCode::OutOfRange),
            (9, "1.5", ErrorCode::OutOfRange),
            (4, "0101", ErrorCode::Ambiguous),
            (1, "\u{1}", ErrorCode::InvalidValue),
            (9, "abc", ErrorCode::InvalidValue),
            (64, "18446744073709551616", ErrorCode::OutOfRange),
        ] {
            assert_eq!(check(bits, text), Err(want), "{text}");
        }
    }
}
