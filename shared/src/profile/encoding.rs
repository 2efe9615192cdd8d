//! Which characters the bytes of a file are: what can be told without tables of code pages.

use std::borrow::Cow;

use super::Evidence;

/// Bytes looked at for patterns of wide characters.
const PATTERN_BYTES: usize = 4096;

/// What a look at the bytes tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The encoding.
    pub charset: Charset,
    /// Why, in one sentence.
    pub why: String,
    /// How sure, 0 to 1.
    pub confidence: f64,
}

/// An encoding, as far as it can be told here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the encodings")]
pub enum Charset {
    Utf8,
    Utf16 {
        big: bool,
    },
    Utf32 {
        big: bool,
    },
    /// None of these: one of the older encodings, to be told by its letters.
    Legacy,
}

impl Charset {
    /// Its usual name; for an older one the likeliest.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16 { big: false } => "UTF-16LE",
            Self::Utf16 { big: true } => "UTF-16BE",
            Self::Utf32 { big: false } => "UTF-32LE",
            Self::Utf32 { big: true } => "UTF-32BE",
            Self::Legacy => "windows-1252",
        }
    }

    /// Finds one of these by name; none where it is another.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "utf8mb4" | "utf8mb3" | "utf-8-sig" | "ascii" | "us-ascii" => {
                Self::Utf8
            }
            "utf-16" | "utf16" | "utf-16le" | "utf16le" => Self::Utf16 { big: false },
            "utf-16be" | "utf16be" => Self::Utf16 { big: true },
            "utf-32" | "utf32" | "utf-32le" | "utf32le" => Self::Utf32 { big: false },
            "utf-32be" | "utf32be" => Self::Utf32 { big: true },
            "cp1252" | "windows-1252" | "latin1" | "iso-8859-1" | "win1252" => Self::Legacy,
            _ => return None,
        })
    }
}

/// Judges the first bytes of a file. The end of them may cut a character.
#[must_use]
pub fn judge(bytes: &[u8]) -> Judgement {
    let mark = |charset, why: &str| Judgement { charset, why: why.to_owned(), confidence: 1.0 };
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return mark(Charset::Utf8, "the file begins with the byte order mark of UTF-8");
    }
    if bytes.starts_with(b"\xFF\xFE\0\0") {
        return mark(Charset::Utf32 { big: false }, "the file begins with its byte order mark");
    }
    if bytes.starts_with(b"\0\0\xFE\xFF") {
        return mark(Charset::Utf32 { big: true }, "the file begins with its byte order mark");
    }
    if bytes.starts_with(b"\xFF\xFE") {
        return mark(Charset::Utf16 { big: false }, "the file begins with its byte order mark");
    }
    if bytes.starts_with(b"\xFE\xFF") {
        return mark(Charset::Utf16 { big: true }, "the file begins with its byte order mark");
    }
    if let Some(charset) = wide(bytes.get(..PATTERN_BYTES).unwrap_or(bytes)) {
        let why = "every other byte is zero, as in Latin text of wide characters".to_owned();
        return Judgement { charset, why, confidence: 0.95 };
    }
    if let Some(big) = wide_by_signs(bytes.get(..PATTERN_BYTES).unwrap_or(bytes)) {
        let why = "its line ends, digits and commas stand in pairs of bytes".to_owned();
        return Judgement { charset: Charset::Utf16 { big }, why, confidence: 0.85 };
    }
    utf8_or_older(bytes)
}

/// UTF-16 of other scripts: the signs between words are ASCII in one byte order only. Gives whether
/// the most significant byte comes first.
fn wide_by_signs(bytes: &[u8]) -> Option<bool> {
    memchr::memchr(0, bytes)?;
    let is_sign = |unit: u16| matches!(unit, 9 | 10 | 13 | 0x20..=0x7E);
    let (mut little, mut big, mut units) = (0_usize, 0_usize, 0_usize);
    for pair in bytes.chunks_exact(2) {
        let [a, b] = [u16::from(pair[0]), u16::from(pair[1])];
        little += usize::from(is_sign(b << 8 | a));
        big += usize::from(is_sign(a << 8 | b));
        units += 1;
    }
    let clear = |here: usize, there: usize| here > units / 50 && here > 1 && here > there * 4;
    match (clear(little, big), clear(big, little)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    }
}

/// Latin text in UTF-16 or UTF-32 has its zeros in fixed places.
fn wide(bytes: &[u8]) -> Option<Charset> {
    let len = bytes.len() - bytes.len() % 4;
    if len < 8 {
        return None;
    }
    let mut zeros = [0_usize; 4];
    for unit in bytes.chunks_exact(4) {
        for (count, byte) in zeros.iter_mut().zip(unit) {
            *count += usize::from(*byte == 0);
        }
    }
    let units = len / 4;
    let many = |n: usize| n * 10 > units * 7;
    let few = |n: usize| n * 10 < units * 2;
    match zeros {
        [a, b, c, d] if few(a) && many(b) && many(c) && many(d) => {
            Some(Charset::Utf32 { big: false })
        }
        [a, b, c, d] if many(a) && many(b) && many(c) && few(d) => {
            Some(Charset::Utf32 { big: true })
        }
        [a, b, c, d] if few(a) && many(b) && few(c) && many(d) => {
            Some(Charset::Utf16 { big: false })
        }
        [a, b, c, d] if many(a) && few(b) && many(c) && few(d) => {
            Some(Charset::Utf16 { big: true })
        }
        _ => None,
    }
}

fn utf8_or_older(bytes: &[u8]) -> Judgement {
    let judgement = |charset, why: String, confidence| Judgement { charset, why, confidence };
    let mut rest = bytes;
    let (mut good, mut bad) = (0_usize, 0_usize);
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                good += wide_chars(text);
                break;
            }
            Err(e) => {
                let (valid, after) = rest.split_at(e.valid_up_to());
                good += wide_chars(std::str::from_utf8(valid).unwrap_or_default());
                // A character cut by the end of the sample is no fault.
                let Some(length) = e.error_len() else { break };
                bad += 1;
                rest = after.get(length..).unwrap_or_default();
            }
        }
    }
    match (good, bad) {
        (0, 0) => judgement(Charset::Utf8, "only ASCII characters were seen".to_owned(), 0.9),
        (_, 0) => {
            let why = format!("{good} characters beyond ASCII, all of them good UTF-8");
            judgement(Charset::Utf8, why, 0.99)
        }
        // One stray byte in a UTF-8 file is to be reported, not to change the whole file.
        _ if good > bad * 2 => {
            let why = format!("{good} good UTF-8 characters against {bad} stray bytes");
            judgement(Charset::Utf8, why, 0.8)
        }
        _ => {
            let why = format!("{bad} bytes are not UTF-8");
            judgement(Charset::Legacy, why, 0.4)
        }
    }
}

fn wide_chars(text: &str) -> usize {
    text.bytes().filter(|b| *b >= 0xC0).count()
}

/// Bytes of this encoding as UTF-8, for a preview; what cannot be decoded becomes U+FFFD. Gives
/// UTF-8 through unchanged, but for a byte order mark.
#[must_use]
pub fn decode(bytes: &[u8], charset: Charset) -> Cow<'_, [u8]> {
    match charset {
        Charset::Utf8 => Cow::Borrowed(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)),
        Charset::Utf16 { big } => {
            let units = bytes.chunks_exact(2).map(|u| {
                let pair = [u[0], u[1]];
                if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
            });
            let text: String = char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            Cow::Owned(text.strip_prefix('\u{FEFF}').unwrap_or(&text).as_bytes().to_vec())
        }
        Charset::Utf32 { big } => {
            let text: String = bytes
                .chunks_exact(4)
                .map(|u| {
                    let quad = [u[0], u[1], u[2], u[3]];
                    let code =
                        if big { u32::from_be_bytes(quad) } else { u32::from_le_bytes(quad) };
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                })
                .collect();
            Cow::Owned(text.strip_prefix('\u{FEFF}').unwrap_or(&text).as_bytes().to_vec())
        }
        Charset::Legacy => {
            Cow::Owned(bytes.iter().map(|b| windows_1252(*b)).collect::<String>().into_bytes())
        }
    }
}

/// A character of Windows-1252.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or(char::from(byte)),
        other => char::from(other),
    }
}

impl Judgement {
    /// As evidence for a person.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        Evidence::found("encoding", self.charset.name(), &self.why, self.confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: Charset) {
        assert_eq!(judge(bytes).charset, expect, "{bytes:?}");
    }

    #[test]
    fn encodings_are_told_by_mark_pattern_and_form() {
        check(b"\xEF\xBB\xBFa", Charset::Utf8);
        check(b"plain", Charset::Utf8);
        check("größe".as_bytes(), Charset::Utf8);
        check(b"gr\xF6\xDFe", Charset::Legacy);
        check(b"\xFF\xFEa\0", Charset::Utf16 { big: false });
        check(b"i\0d\0,\0n\0\n\x001\0,\x002\0", Charset::Utf16 { big: false });
        check(b"\0i\0d\0,\0n\0\n\x001\0,\x002", Charset::Utf16 { big: true });
        check(b"i\0\0\0d\0\0\0\n\0\0\x001\0\0\0", Charset::Utf32 { big: false });
        let wide = |text: &str, big: bool| -> Vec<u8> {
            let bytes = |u: u16| if big { u.to_be_bytes() } else { u.to_le_bytes() };
            text.encode_utf16().flat_map(bytes).collect()
        };
        for big in [false, true] {
            let text = "编号,名字\n1,一二三\n2,东京都\n3,数据\n";
            check(&wide(text, big), Charset::Utf16 { big });
            check(&wide("номер;имя\n1;Пётр\n2;Анна\n", big), Charset::Utf16 { big });
        }
        // One stray byte among good ones, and a character cut by the end of the sample.
        check(
            "ä ö ü "
                .repeat(3)
                .as_bytes()
                .iter()
                .chain(b"\xFC x")
                .copied()
                .collect::<Vec<_>>()
                .as_slice(),
            Charset::Utf8,
        );
        check(b"abc \xC3", Charset::Utf8);
    }

    #[test]
    fn previews_are_decoded() {
        assert_eq!(&*decode(b"\x80 5", Charset::Legacy), "€ 5".as_bytes());
        assert_eq!(&*decode(b"\xFF\xFEa\0", Charset::Utf16 { big: false }), b"a");
    }
}
