//! CHAR, VARCHAR and TEXT: by characters, by bytes, and by the column's character set.

use shared::error::ErrorCode;

use super::charset::Charset;
use super::fault::{Checked, Fault, fault, shown, shown_bare};
use super::out::{Bytes, classify, push_escaped};

/// A column of characters.
#[derive(Debug, Clone)]
pub struct Text {
    chars_max: u64,
    bytes_max: u64,
    /// The longest ASCII text that surely fits.
    ascii_max: u64,
    charset: Charset,
    /// CHAR does not keep blanks at the end, whoever writes them.
    drops_end_blanks: bool,
    sql_type: String,
}

impl Text {
    /// CHAR(n) or VARCHAR(n).
    #[must_use]
    pub fn of_chars(chars: u32, fixed: bool, charset: Charset, sql_type: &str) -> Self {
        Self::new(u64::from(chars), u64::MAX, fixed, charset, sql_type)
    }

    /// TINYTEXT to LONGTEXT.
    #[must_use]
    pub fn of_bytes(bytes_max: u64, charset: Charset, sql_type: &str) -> Self {
        Self::new(u64::MAX, bytes_max, false, charset, sql_type)
    }

    fn new(chars: u64, bytes: u64, fixed: bool, charset: Charset, sql_type: &str) -> Self {
        Self {
            chars_max: chars,
            bytes_max: bytes,
            ascii_max: chars.min(bytes / charset.ascii_bytes()),
            charset,
            drops_end_blanks: fixed,
            sql_type: sql_type.to_owned(),
        }
    }

    /// Checks and writes one field.
    #[inline]
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let bytes = if self.drops_end_blanks { without_end_blanks(bytes) } else { bytes };
        if bytes.len() as u64 <= self.ascii_max && classify(bytes) == Bytes::Plain {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        self.encode_slow(bytes, out)
    }

    #[inline(never)]
    fn encode_slow(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = utf8(bytes)?;
        let column_bytes = self.charset.len_of(text).map_err(|c| self.charset.lacks(c, bytes))?;
        // A text never has more characters than bytes.
        if text.len() as u64 > self.chars_max {
            let chars = text.chars().count() as u64;
            if chars > self.chars_max {
                return Err(self.too_long(bytes, chars, self.chars_max, "character"));
            }
        }
        if column_bytes > self.bytes_max {
            return Err(self.too_long(bytes, column_bytes, self.bytes_max, "byte"));
        }
        push_escaped(out, bytes);
        Ok(())
    }

    #[cold]
    fn too_long(&self, bytes: &[u8], has: u64, holds: u64, unit: &str) -> Box<Fault> {
        fault(
            ErrorCode::TooLong,
            format!(
                "{} has {has} {unit}s, {} holds {holds}: shorten it or make the column longer",
                shown(bytes),
                self.sql_type
            ),
        )
    }
}

/// The field as UTF-8.
pub fn utf8(bytes: &[u8]) -> Checked<&str> {
    std::str::from_utf8(bytes).map_err(|e| {
        let at = e.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        fault(
            ErrorCode::InvalidEncoding,
            format!(
                "byte 0x{byte:02X} after \"{}\" is not valid UTF-8; if the file is in another \
                 encoding, say so in the options",
                shown_bare(bytes.get(..at).unwrap_or_default())
            ),
        )
    })
}

fn without_end_blanks(bytes: &[u8]) -> &[u8] {
    let mut bytes = bytes;
    while let [rest @ .., b' '] = bytes {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(column: &Text, text: &str) -> Result<String, ErrorCode> {
        let mut out = Vec::new();
        column.encode(text.as_bytes(), &mut out).map_err(|f| f.code)?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    fn varchar(chars: u32, charset: &str) -> Text {
        Text::of_chars(chars, false, Charset::named(Some(charset)), "varchar")
    }

    #[test]
    fn characters_are_counted_as_characters() {
        let column = varchar(5, "utf8mb4");
        for text in ["ABCDE", "😀😀😀😀😀", "ééééé", "", "ab  "] {
            assert_eq!(check(&column, text).as_deref(), Ok(text));
        }
        for text in ["ABCDEF", "😀😀😀😀😀x", "abcde "] {
            assert_eq!(check(&column, text), Err(ErrorCode::TooLong), "{text}");
        }
    }

    #[test]
    fn texts_are_counted_in_bytes_of_their_charset() {
        let tiny = Text::of_bytes(255, Charset::named(Some("utf8mb4")), "tinytext");
        assert!(check(&tiny, &"é".repeat(127)).is_ok());
        assert_eq!(check(&tiny, &"é".repeat(128)), Err(ErrorCode::TooLong));
        let latin = Text::of_bytes(255, Charset::named(Some("latin1")), "tinytext");
        assert!(check(&latin, &"é".repeat(255)).is_ok());
        assert_eq!(check(&latin, &"x".repeat(256)), Err(ErrorCode::TooLong));
        let wide = Text::of_bytes(255, Charset::named(Some("utf16")), "tinytext");
        assert!(check(&wide, &"x".repeat(127)).is_ok());
        assert_eq!(check(&wide, &"x".repeat(128)), Err(ErrorCode::TooLong));
        assert_eq!(check(&wide, &"😀".repeat(64)), Err(ErrorCode::TooLong));
    }

    #[test]
    fn char_columns_drop_blanks_at_the_end() {
        let column = Text::of_chars(3, true, Charset::named(None), "char(3)");
        assert_eq!(check(&column, "ab      ").as_deref(), Ok("ab"));
        assert_eq!(check(&column, " ab").as_deref(), Ok(" ab"));
    }

    #[test]
    fn special_characters_are_escaped() {
        let column = varchar(50, "utf8mb4");
        assert_eq!(check(&column, "a\tb\nc\\d\re\0é").as_deref(), Ok("a\\tb\\nc\\\\d\\re\\0é"));
    }

    #[test]
    fn broken_bytes_are_named() {
        let column = varchar(50, "utf8mb4");
        let fault = column.encode(b"T\xFCr", &mut Vec::new()).expect_err("broken");
        assert_eq!(fault.code, ErrorCode::InvalidEncoding);
        assert!(fault.message.contains("0xFC"), "{}", fault.message);
    }

    proptest! {
        #[test]
        fn every_text_reads_back(text: String) {
            let encoded = check(&varchar(1000, "utf8mb4"), &text).expect("fits");
            let back = crate::domain::unescape(encoded.as_bytes()).expect("not NULL");
            prop_assert_eq!(back.as_ref(), text.as_bytes());
        }
    }
}
