//! Character sets of columns: which characters they have, and how many bytes each takes.

use std::sync::Arc;

use encoding_rs::Encoding;
use shared::error::ErrorCode;

use super::charset_tables::SETS;
use super::fault::{Fault, fault, shown};

/// A column's character set.
#[derive(Debug, Clone)]
pub struct Charset {
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Every character, one to four bytes.
    Utf8,
    /// Characters up to U+FFFF, one to three bytes.
    Utf8mb3,
    Ascii,
    /// Two bytes a character, up to U+FFFF.
    Ucs2,
    /// Two or four bytes.
    Utf16,
    Utf32,
    /// One byte a character: a bit for each character up to U+FFFF.
    OneByte(Arc<[u64]>),
    /// One to four bytes a character, by an encoder and a rule for what the server has of it.
    Wide(&'static Encoding, fn(u32, &[u8]) -> bool),
    /// A set whose table is not known here: only its ASCII part is taken.
    Unknown,
}

impl Charset {
    /// The set that a server calls by this name; without a name all characters are taken.
    #[must_use]
    pub fn named(name: Option<&str>) -> Self {
        let name = name.unwrap_or("utf8mb4").to_ascii_lowercase();
        let kind = match name.as_str() {
            "utf8mb4" | "binary" => Kind::Utf8,
            "utf8" | "utf8mb3" => Kind::Utf8mb3,
            "ascii" => Kind::Ascii,
            "ucs2" => Kind::Ucs2,
            "utf16" | "utf16le" => Kind::Utf16,
            "utf32" => Kind::Utf32,
            "gb18030" => Kind::Wide(encoding_rs::GB18030, |_, _| true),
            "euckr" => Kind::Wide(encoding_rs::EUC_KR, |_, _| true),
            "sjis" => Kind::Wide(encoding_rs::SHIFT_JIS, sjis),
            "cp932" => Kind::Wide(encoding_rs::SHIFT_JIS, cp932),
            "ujis" => Kind::Wide(encoding_rs::EUC_JP, ujis),
            "eucjpms" => Kind::Wide(encoding_rs::EUC_JP, eucjpms),
            "big5" => Kind::Wide(encoding_rs::BIG5, big5),
            "gbk" => Kind::Wide(encoding_rs::GBK, gbk),
            "gb2312" => Kind::Wide(encoding_rs::GBK, gb2312),
            other => match SETS.iter().find(|(set, _)| *set == other) {
                Some((_, characters)) => Kind::OneByte(bits(characters)),
                None => Kind::Unknown,
            },
        };
        Self { name, kind }
    }

    /// Whether its bytes below 128 are not ASCII, so that nothing can be said of it here.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.name == "swe7"
    }

    /// Bytes of an ASCII character.
    #[must_use]
    pub const fn ascii_bytes(&self) -> u64 {
        match self.kind {
            Kind::Ucs2 | Kind::Utf16 => 2,
            Kind::Utf32 => 4,
            _ => 1,
        }
    }

    /// Bytes of a text in this set, or the first character that it lacks.
    pub fn len_of(&self, text: &str) -> Result<u64, char> {
        match &self.kind {
            Kind::Utf8 => Ok(text.len() as u64),
            Kind::Utf8mb3 => {
                text.chars().find(|c| *c > '\u{FFFF}').map_or(Ok(text.len() as u64), Err)
            }
            Kind::Ascii | Kind::Unknown => {
                text.chars().find(|c| !c.is_ascii()).map_or(Ok(text.len() as u64), Err)
            }
            Kind::Ucs2 => sum(text, |c| (c <= '\u{FFFF}').then_some(2)),
            Kind::Utf16 => Ok(2 * text.encode_utf16().count() as u64),
            Kind::Utf32 => Ok(4 * text.chars().count() as u64),
            Kind::OneByte(bits) => sum(text, |c| {
                let code = u32::from(c) as usize;
                let has =
                    c.is_ascii() || bits.get(code / 64).is_some_and(|w| w >> (code % 64) & 1 == 1);
                has.then_some(1)
            }),
            Kind::Wide(encoding, rule) => sum(text, |c| wide_len(encoding, *rule, c)),
        }
    }

    /// The refusal of a character that the set lacks.
    #[cold]
    #[must_use]
    pub fn lacks(&self, c: char, value: &[u8]) -> Box<Fault> {
        let value = shown(value);
        let code = format!("U+{:04X}", u32::from(c));
        let name = &self.name;
        let message = match self.kind {
            Kind::Unknown => format!(
                "{value} holds {c} ({code}), and which characters beyond ASCII the column's \
                 character set {name} has is not known here: make the column utf8mb4"
            ),
            _ => format!(
                "{value} holds {c} ({code}), which the column's character set {name} does not \
                 have: make the column utf8mb4"
            ),
        };
        fault(ErrorCode::NotInCharset, message)
    }
}

fn sum(text: &str, mut len: impl FnMut(char) -> Option<u64>) -> Result<u64, char> {
    text.chars().try_fold(0, |sum, c| Ok(sum + len(c).ok_or(c)?))
}

fn bits(characters: &str) -> Arc<[u64]> {
    let mut bits = vec![0_u64; 1024];
    for c in characters.chars() {
        let code = u32::from(c) as usize;
        if let Some(word) = bits.get_mut(code / 64) {
            *word |= 1 << (code % 64);
        }
    }
    bits.into()
}

fn wide_len(encoding: &'static Encoding, rule: fn(u32, &[u8]) -> bool, c: char) -> Option<u64> {
    if c.is_ascii() {
        return Some(1);
    }
    let mut buffer = [0; 4];
    let (bytes, _, lost) = encoding.encode(c.encode_utf8(&mut buffer));
    (!lost && rule(u32::from(c), &bytes)).then_some(bytes.len() as u64)
}

// The rules below were found by asking MariaDB 10.11 and MySQL 9 for every character up to U+FFFF:
// what they let pass, both servers store and give back unchanged. They leave some rare characters
// out (private use, vendor rows) that a server would take.

const JIS_DOUBTS: [u32; 10] =
    [0x80, 0xA5, 0x203E, 0x2225, 0xFF0D, 0xFF3C, 0xFF5E, 0xFFE0, 0xFFE1, 0xFFE2];

fn is_private(c: u32) -> bool {
    (0xE000..0xF900).contains(&c)
}

fn sjis(c: u32, bytes: &[u8]) -> bool {
    match bytes {
        [kana] => (0xA1..=0xDF).contains(kana),
        [lead, _] => {
            matches!(lead, 0x81..=0x84 | 0x88..=0x9F | 0xE0..=0xEA) && !JIS_DOUBTS.contains(&c)
        }
        _ => false,
    }
}

fn cp932(c: u32, bytes: &[u8]) -> bool {
    match bytes {
        [kana] => (0xA1..=0xDF).contains(kana),
        [_, _] => c != 0x2212 && !is_private(c),
        _ => false,
    }
}

fn is_jis_row(bytes: &[u8]) -> bool {
    matches!(bytes, [0x8E | 0xA1..=0xA8 | 0xB0..=0xF4, _])
}

fn ujis(c: u32, bytes: &[u8]) -> bool {
    is_jis_row(bytes) && !JIS_DOUBTS.contains(&c)
}

fn eucjpms(c: u32, bytes: &[u8]) -> bool {
    is_jis_row(bytes) && c != 0x2212
}

fn big5(c: u32, bytes: &[u8]) -> bool {
    let row = match bytes {
        [0xA4..=0xC5 | 0xC9..=0xF8, _] => true,
        [0xA1, trail] => *trail < 0xC2,
        [0xA3, trail] => *trail < 0xC0,
        [0xC6, trail] => *trail <= 0x7E,
        [0xF9, trail] => *trail <= 0xD5,
        _ => false,
    };
    row && !matches!(c, 0x2027 | 0x2574 | 0xFE51) && !is_private(c)
}

fn is_vertical_form(c: u32) -> bool {
    (0xFE10..0xFE50).contains(&c)
}

fn gbk(c: u32, bytes: &[u8]) -> bool {
    let row = match bytes {
        [0x81..=0xA0 | 0xB0..=0xF7, _] => true,
        [0xA1 | 0xA3..=0xA7, trail] => *trail >= 0xA1,
        [0xA8, trail] => matches!(trail, 0x40..=0x95 | 0xA1..=0xBA | 0xC5..=0xFE),
        [0xAA..=0xAF | 0xF8..=0xFD, trail] => *trail < 0xA1,
        _ => false,
    };
    row && !is_private(c) && !is_vertical_form(c)
}

fn gb2312(c: u32, bytes: &[u8]) -> bool {
    let row = matches!(bytes, [0xB0..=0xF7 | 0xA1 | 0xA3..=0xA7, 0xA1..=0xFE]);
    row && !is_private(c) && !is_vertical_form(c) && !matches!(c, 0xB7 | 0x2014)
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
            ("cp850", "Größe", Ok(5)),
            ("latin5", "İstanbul", Ok(8)),
            ("latin5", "€", Err('€')),
            ("ucs2", "ab", Ok(4)),
            ("ucs2", "𠮷", Err('𠮷')),
            ("utf16", "a😀", Ok(6)),
            ("utf32", "a😀", Ok(8)),
            ("sjis", "日本ｶﾅ", Ok(6)),
            ("sjis", "～", Err('～')),
            ("ujis", "日本", Ok(4)),
            ("gbk", "中文a", Ok(5)),
            ("gb2312", "鎔", Err('鎔')),
            ("big5", "中文", Ok(4)),
            ("euckr", "한글", Ok(4)),
            ("gb18030", "中😀", Ok(6)),
            ("made_up", "é", Err('é')),
        ] {
            assert_eq!(Charset::named(Some(set)).len_of(text), want, "{set} {text}");
        }
    }
}
