//! YEAR: 1901 to 2155.

use shared::error::ErrorCode;

use crate::convert::fault::{Checked, fault, shown};
use crate::convert::number::trim;

/// A YEAR column.
#[derive(Debug, Clone, Copy)]
pub struct Year;

impl Year {
    /// Checks and writes one field.
    pub fn encode(self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = trim(bytes);
        if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
            return Err(fault(ErrorCode::InvalidValue, format!("{} is not a year", shown(text))));
        }
        match text.len() {
            4 if (b"1901".as_slice()..=b"2155".as_slice()).contains(&text) => {
                out.extend_from_slice(text);
                Ok(())
            }
            1 | 2 => Err(fault(
                ErrorCode::Ambiguous,
                format!(
                    "{} does not tell the century: write the year with four digits",
                    shown(text)
                ),
            )),
            _ if text.iter().all(|b| *b == b'0') => Err(fault(
                ErrorCode::InvalidValue,
                format!(
                    "{} stands for no year: list it under null in the options to store NULL",
                    shown(text)
                ),
            )),
            _ => Err(fault(
                ErrorCode::OutOfRange,
                format!("{} is outside the range of YEAR, 1901 to 2155", shown(text)),
            )),
        }
    }
}
