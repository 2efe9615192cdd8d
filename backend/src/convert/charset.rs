//! Character sets of columns: which characters they have, and how many bytes each takes.

use encoding_rs::Encoding;
use shared::error::ErrorCode;

use super::fault::{Fault, fault, shown};

/// A column's character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// Every character, one to four bytes.
    Utf8mb4,
    /// Characters up to U+FFFF, one to three bytes.
    Utf8mb3,
    /// ASCII.
    Ascii,
    /// Two bytes a character, up to U+FFFF.
    Ucs2,
    /// Two or four bytes.
    Utf16,
    /// Four bytes.
    Utf32,
    /// A code page whose table is known here.
    Table(&'static str, &'static Encoding),
    /// A set whose table is not known here: only its ASCII part is taken.
    AsciiOf,
}

impl Charset {
    /// The set that a server calls by this name; without a name all characters are taken.
    #[must_use]
    pub fn named(name: Option<&str>) -> Self {
        let Some(name) = name else { return Self::Utf8mb4 };
        let table = |name, encoding| Self::Table(name, encoding);
        match name.to_ascii_lowercase().as_str() {
            "utf8mb4" | "gb18030" | "binary" => Self::Utf8mb4,
            "utf8" | "utf8mb3" => Self::Utf8mb3,
            "ascii" => Self::Ascii,
            "ucs2" => Self::Ucs2,
            "utf16" | "utf16le" => Self::Utf16,
            "utf32" => Self::Utf32,
            // The server's latin1 is Windows-1252.
            "latin1" => table("latin1", encoding_rs::WINDOWS_1252),
            "latin2" => table("latin2", encoding_rs::ISO_8859_2),
            "cp1250" => table("cp1250", encoding_rs::WINDOWS_1250),
            "cp1251" => table("cp1251", encoding_rs::WINDOWS_1251),
            "cp1257" => table("cp1257", encoding_rs::WINDOWS_1257),
            "greek" => table("greek", encoding_rs::ISO_8859_7),
            "koi8r" => table("koi8r", encoding_rs::KOI8_R),
            "koi8u" => table("koi8u", encoding_rs::KOI8_U),
            "cp866" => table("cp866", encoding_rs::IBM866),
            _ => Self::AsciiOf,
        }
    }

    /// Bytes of an ASCII character.
    #[must_use]
    pub const fn ascii_bytes(self) -> u64 {
        match self {
            Self::Ucs2 | Self::Utf16 => 2,
            Self::Utf32 => 4,
            _ => 1,
        }
    }

    /// Bytes of a text in this set, or the first character that it lacks.
    pub fn len_of(self, text: &str) -> Result<u64, char> {
        let len = text.len() as u64;
        let lacking = match self {
            Self::Utf8mb4 => return Ok(len),
            Self::Utf8mb3 => text.chars().find(|&c| c > '\u{FFFF}'),
            Self::Ascii | Self::AsciiOf => text.chars().find(|c| !c.is_ascii()),
            Self::Ucs2 => match text.chars().find(|&c| c > '\u{FFFF}') {
                None => return Ok(2 * text.chars().count() as u64),
                some => some,
            },
            Self::Utf16 => return Ok(2 * text.encode_utf16().count() as u64),
            Self::Utf32 => return Ok(4 * text.chars().count() as u64),
            Self::Table(_, encoding) => {
                let (bytes, _, lost) = encoding.encode(text);
                if !lost {
                    return Ok(bytes.len() as u64);
                }
                text.chars().find(|c| encoding.encode(c.encode_utf8(&mut [0; 4])).2)
            }
        };
        lacking.map_or(Ok(len), Err)
    }

    /// The refusal of a character that the set lacks.
    #[cold]
    #[must_use]
    pub fn lacks(self, c: char, value: &[u8]) -> Box<Fault> {
        let value = shown(value);
        let code = format!("U+{:04X}", u32::from(c));
        let message = match self {
            Self::AsciiOf => format!(
                "{value} holds {c} ({code}), and which characters beyond ASCII the column's \
                 character set has is not known here: make the column utf8mb4"
            ),
            _ => format!(
                "{value} holds {c} ({code}), which the column's character set {} does not have: \
                 make the column utf8mb4",
                self.name()
            ),
        };
        fault(ErrorCode::NotInCharset, message)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Utf8mb4 => "utf8mb4",
            Self::Utf8mb3 => "utf8mb3",
            Self::Ascii => "ascii",
            Self::Ucs2 => "ucs2",
            Self::Utf16 => "utf16",
            Self::Utf32 => "utf32",
            Self::Table(name, _) => name,
            Self::AsciiOf => "of its own",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_know_what_they_lack() {
        for (set, text, want) in [
            ("utf8mb4", "party 🎉", Ok(10)),
            ("utf8mb3", "party 🎉", Err('🎉')),
            ("utf8mb3", "café 野", Ok(9)),
            ("latin1", "€ “Œ”", Ok(5)),
            ("latin1", "Škoda 野", Err('野')),
            ("ascii", "é", Err('é')),
            ("cp1250", "Žluťoučký", Ok(9)),
            ("cp1251", "Москва", Ok(6)),
            ("cp1251", "é", Err('é')),
            ("ucs2", "ab", Ok(4)),
            ("ucs2", "𠮷", Err('𠮷')),
            ("utf16", "a😀", Ok(6)),
            ("utf32", "a😀", Ok(8)),
            ("dec8", "é", Err('é')),
        ] {
            assert_eq!(Charset::named(Some(set)).len_of(text), want, "{set} {text}");
        }
    }
}
