//! BINARY, VARBINARY and BLOB: bytes, sent as hexadecimal digits so that no character set touches
//! them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use shared::error::ErrorCode;

use super::fault::{Checked, fault, shown};
use super::number::trim;

/// How bytes are written in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Hexadecimal digits, perhaps after `0x` or `\x`, within `x'…'`, or parted as a UUID.
    Hex,
    /// Base64, the usual or the URL alphabet, padded or not.
    Base64,
}

impl Spelling {
    /// The bytes that a field spells.
    pub fn decode(self, bytes: &[u8]) -> Checked<Vec<u8>> {
        let text = trim(bytes);
        match self {
            Self::Hex => hex(text).ok_or_else(|| {
                fault(
                    ErrorCode::InvalidValue,
                    format!("{} is no even number of hexadecimal digits", shown(bytes)),
                )
            }),
            Self::Base64 => base64(text).ok_or_else(|| {
                fault(ErrorCode::InvalidValue, format!("{} is no base64", shown(bytes)))
            }),
        }
    }
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    // MIME breaks its lines.
    let whole: Vec<u8> = text.iter().copied().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    [&STANDARD, &URL_SAFE, &STANDARD_NO_PAD, &URL_SAFE_NO_PAD]
        .into_iter()
        .find_map(|engine| engine.decode(&whole).ok())
}

/// The bytes of hexadecimal digits.
#[must_use]
pub fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let text = match text {
        [b'0' | b'\\', b'x' | b'X', rest @ ..] | [b'x' | b'X', b'\'', rest @ .., b'\''] => rest,
        rest => rest,
    };
    let dashes = [8, 13, 18, 23];
    let is_uuid = text.len() == 36 && dashes.iter().all(|at| text.get(*at) == Some(&b'-'));
    let digits: Vec<u8> = text
        .iter()
        .enumerate()
        .filter(|(i, _)| !(is_uuid && dashes.contains(i)))
        .map(|(_, b)| char::from(*b).to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

/// Appends bytes as hexadecimal digits.
pub fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.reserve(bytes.len() * 2);
    for b in bytes {
        for nibble in [b >> 4, b & 15] {
            out.push(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0'));
        }
    }
}

/// A column of bytes. Its canonical text is their hexadecimal digits.
#[derive(Debug, Clone)]
pub struct Binary {
    bytes_max: u64,
    fixed: bool,
    /// Whether somebody said how the file spells the bytes.
    settled: bool,
    sql_type: String,
}

impl Binary {
    /// A column of so many bytes; `fixed` for BINARY, which pads shorter values.
    #[must_use]
    pub fn new(bytes_max: u64, fixed: bool, settled: bool, sql_type: &str) -> Self {
        Self { bytes_max, fixed, settled, sql_type: sql_type.to_owned() }
    }

    /// Whether the column keeps values of one length only.
    #[must_use]
    pub const fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Checks and writes one field, its spelling already undone.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        if !self.settled && bytes.len() > 2 && bytes.starts_with(b"0x") && hex(bytes).is_some() {
            return Err(fault(
                ErrorCode::Ambiguous,
                format!(
                    "{} looks like bytes in hexadecimal digits: list the column under hex_columns \
                     to store the bytes, or under binary_columns to store these letters",
                    shown(bytes)
                ),
            ));
        }
        let len = bytes.len() as u64;
        if len > self.bytes_max {
            return Err(fault(
                ErrorCode::TooLong,
                format!(
                    "{} has {len} bytes, {} holds {}: shorten it or make the column longer; if the \
                     file has it in hexadecimal digits or base64, list the column under \
                     hex_columns or base64_columns",
                    shown(bytes),
                    self.sql_type,
                    self.bytes_max
                ),
            ));
        }
        if self.fixed && len < self.bytes_max {
            return Err(fault(
                ErrorCode::InvalidValue,
                format!(
                    "{} has {len} bytes, and {} would add zero bytes to make {}: give it all its \
                     bytes or make the column VARBINARY",
                    shown(bytes),
                    self.sql_type,
                    self.bytes_max
                ),
            ));
        }
        push_hex(out, bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hex_in_its_spellings() {
        for text in [
            "0x7A0C93F20B1D4E5586A7C3D2E1F00918",
            "7a0c93f20b1d4e5586a7c3d2e1f00918",
            "X'7A0C93F20B1D4E5586A7C3D2E1F00918'",
            "\\x7a0c93f20b1d4e5586a7c3d2e1f00918",
            "7a0c93f2-0b1d-4e55-86a7-c3d2e1f00918",
        ] {
            let bytes = Spelling::Hex.decode(text.as_bytes()).expect(text);
            assert_eq!((bytes.len(), bytes.first()), (16, Some(&0x7A)), "{text}");
        }
        assert_eq!(Spelling::Hex.decode(b"0x").expect("empty"), Vec::<u8>::new());
        for text in ["0x7", "xyz", "0x 00", "00-11"] {
            assert!(Spelling::Hex.decode(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn base64_in_both_alphabets() {
        for text in ["+/8=", "-_8=", "+/8", " +/8=\r\n"] {
            assert_eq!(Spelling::Base64.decode(text.as_bytes()).expect(text), [0xFB, 0xFF]);
        }
        assert!(Spelling::Base64.decode(b"a").is_err());
        assert!(Spelling::Base64.decode("ä".as_bytes()).is_err());
    }

    #[test]
    fn lengths_are_kept_exactly() {
        let check = |column: &Binary, bytes: &[u8]| {
            let mut out = Vec::new();
            column.encode(bytes, &mut out).map(|()| out).map_err(|f| f.code)
        };
        let key = Binary::new(2, true, true, "binary(2)");
        assert_eq!(check(&key, b"\x00\xFF"), Ok(b"00FF".to_vec()));
        assert_eq!(check(&key, b"\x00"), Err(ErrorCode::InvalidValue));
        assert_eq!(check(&key, b"abc"), Err(ErrorCode::TooLong));
        let blob = Binary::new(255, false, false, "tinyblob");
        assert_eq!(check(&blob, b""), Ok(Vec::new()));
        assert_eq!(check(&blob, b"0x00FF"), Err(ErrorCode::Ambiguous));
        assert_eq!(check(&blob, b"0x00F"), Ok(b"3078303046".to_vec()));
    }

    proptest! {
        #[test]
        fn bytes_survive_hex(bytes: Vec<u8>) {
            let mut out = Vec::new();
            push_hex(&mut out, &bytes);
            prop_assert_eq!(hex(&out), Some(bytes));
        }
    }
}
