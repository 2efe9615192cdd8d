//! Any character encoding to UTF-8, losing nothing: bytes that are no characters go on as marks
//! that are not UTF-8 either, so that the parser names their row, line and column.

use std::io::Read;

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};
use shared::ErrorCode;

use super::SourceError;

const SOURCE_BYTES: usize = 128 << 10;
/// Bytes of the stretch before that are kept to show what was undecodable.
const KEEP_BYTES: usize = 16;
/// Every byte from here on up is never part of UTF-8; a mark is three of them for each byte.
const MARK: u8 = 0xF8;

/// An encoding that can be read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Charset {
    /// UTF-8, passed on as it is.
    Utf8,
    /// UTF-32, by byte order.
    Utf32 {
        /// Most significant byte first.
        big: bool,
    },
    /// One that the library knows.
    Library(&'static Encoding),
}

impl Charset {
    /// Finds an encoding by any of its usual names.
    ///
    /// # Errors
    /// `UnsupportedEncoding`, where the name is not known.
    pub fn by_name(name: &str) -> Result<Self, SourceError> {
        let key: String = name.trim().to_ascii_lowercase().chars().filter(|c| *c != ' ').collect();
        let label = match key.as_str() {
            "" | "utf8" | "utf-8" | "utf8mb4" | "utf8mb3" | "utf-8-sig" | "utf8sig" | "ascii"
            | "us-ascii" => return Ok(Self::Utf8),
            "utf-32" | "utf32" | "utf-32le" | "utf32le" => return Ok(Self::Utf32 { big: false }),
            "utf-32be" | "utf32be" => return Ok(Self::Utf32 { big: true }),
            "utf16" | "utf16le" | "ucs2" | "ucs-2" | "ucs-2le" => "utf-16le",
            "utf16be" | "ucs-2be" => "utf-16be",
            "win1250" | "windows1250" => "windows-1250",
            "win1251" | "windows1251" => "windows-1251",
            "win1252" | "windows1252" | "ansi" | "latin-1" => "windows-1252",
            "cp932" | "sjis" | "shift-jis" | "windows-31j" => "shift_jis",
            "cp936" => "gbk",
            "cp949" | "uhc" => "euc-kr",
            "cp950" => "big5",
            "mac" | "macroman" | "mac-roman" => "macintosh",
            other => other,
        };
        match Encoding::for_label(label.as_bytes()) {
            Some(found) if found == UTF_8 => Ok(Self::Utf8),
            Some(found) if found != encoding_rs::REPLACEMENT => Ok(Self::Library(found)),
            _ => Err(SourceError::Body(
                shared::ErrorBody::new(
                    ErrorCode::UnsupportedEncoding,
                    format!("the character encoding {name:?} is not known"),
                )
                .with_hint("Use a name such as UTF-8, UTF-16, windows-1252, GB18030 or Shift_JIS."),
            )),
        }
    }

    /// Its usual name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf32 { big: false } => "UTF-32LE",
            Self::Utf32 { big: true } => "UTF-32BE",
            Self::Library(found) => found.name(),
        }
    }

    /// Wraps a stream of packed-out bytes so that it gives UTF-8 without a byte order mark.
    pub(super) fn decode(self, from: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        match self {
            Self::Utf8 => Box::new(SkipBom { from, head: None }),
            Self::Utf32 { big } => Box::new(DecodeReader::new(from, Engine::Utf32 { big })),
            Self::Library(found) => Box::new(DecodeReader::new(
                from,
                Engine::Library(Box::new(found.new_decoder_with_bom_removal())),
            )),
        }
    }
}

/// The original bytes behind the undecodable bytes at the start of `rest`.
pub(super) fn original_bytes(rest: &[u8], encoding: &str) -> Vec<u8> {
    if encoding == "UTF-8" {
        let bad = std::str::from_utf8(rest)
            .err()
            .map_or(0, |e| e.error_len().unwrap_or(rest.len() - e.valid_up_to()));
        return rest.get(..bad.max(1)).unwrap_or(rest).to_vec();
    }
    let marks: Vec<u8> = rest.iter().copied().take_while(|b| *b >= MARK).collect();
    marks
        .chunks_exact(3)
        .map(|t| t.iter().fold(0_u8, |byte, part| (byte << 3) | (part & 7)))
        .take(4)
        .collect()
}

fn mark(byte: u8, out: &mut Vec<u8>) {
    out.extend([MARK | (byte >> 6), MARK | ((byte >> 3) & 7), MARK | (byte & 7)]);
}

/// Passes bytes on, but for a byte order mark at the very start.
struct SkipBom {
    from: Box<dyn Read + Send>,
    /// What of the first bytes is still to be handed out; none before the first read.
    head: Option<Vec<u8>>,
}

impl Read for SkipBom {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.head.is_none() {
            let mut head = Vec::with_capacity(3);
            (&mut self.from).take(3).read_to_end(&mut head)?;
            if head == b"\xEF\xBB\xBF" {
                head.clear();
            }
            self.head = Some(head);
        }
        if let Some(head) = &mut self.head
            && !head.is_empty()
        {
            let n = head.len().min(out.len());
            let (now, _) = head.split_at(n);
            if let Some(place) = out.get_mut(..n) {
                place.copy_from_slice(now);
            }
            head.drain(..n);
            return Ok(n);
        }
        self.from.read(out)
    }
}

enum Engine {
    Library(Box<Decoder>),
    Utf32 { big: bool },
}

struct DecodeReader {
    from: Box<dyn Read + Send>,
    engine: Engine,
    /// Undecoded bytes; the first `done` of them are decoded and kept only to be shown.
    source: Vec<u8>,
    done: usize,
    ended: bool,
    finished: bool,
    /// Decoded bytes that are not handed out yet, from `given` on.
    ready: Vec<u8>,
    given: usize,
    started: bool,
}

impl DecodeReader {
    fn new(from: Box<dyn Read + Send>, engine: Engine) -> Self {
        Self {
            from,
            engine,
            source: Vec::new(),
            done: 0,
            ended: false,
            finished: false,
            ready: Vec::new(),
            given: 0,
            started: false,
        }
    }

    /// Reads and decodes one stretch.
    fn refill(&mut self) -> std::io::Result<()> {
        self.ready.clear();
        self.given = 0;
        let drop_to = self.done.saturating_sub(KEEP_BYTES);
        self.source.drain(..drop_to);
        self.done -= drop_to;
        if !self.ended {
            let got = (&mut self.from).take(SOURCE_BYTES as u64).read_to_end(&mut self.source)?;
            self.ended = got < SOURCE_BYTES;
        }
        match &mut self.engine {
            Engine::Library(decoder) => {
                let source = &self.source;
                self.finished =
                    decode_library(decoder, source, &mut self.done, self.ended, &mut self.ready);
            }
            Engine::Utf32 { big } => {
                let big = *big;
                let rest = self.source.get(self.done..).unwrap_or_default();
                self.done += decode_utf32(rest, big, self.ended, self.started, &mut self.ready);
                self.started = true;
                self.finished = self.ended;
            }
        }
        Ok(())
    }
}

fn decode_library(
    decoder: &mut Decoder,
    source: &[u8],
    done: &mut usize,
    last: bool,
    ready: &mut Vec<u8>,
) -> bool {
    loop {
        let rest = source.get(*done..).unwrap_or_default();
        let room = decoder
            .max_utf8_buffer_length_without_replacement(rest.len())
            .unwrap_or(rest.len() * 4 + 16);
        let from = ready.len();
        ready.resize(from + room, 0);
        let place = ready.get_mut(from..).unwrap_or_default();
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(rest, place, last);
        ready.truncate(from + written);
        *done += read;
        match result {
            DecoderResult::InputEmpty => return last,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(length, after) => {
                let end = done.saturating_sub(usize::from(after));
                let start = end.saturating_sub(usize::from(length));
                for byte in source.get(start..end).unwrap_or_default() {
                    mark(*byte, ready);
                }
            }
        }
    }
}

fn decode_utf32(rest: &[u8], big: bool, last: bool, started: bool, ready: &mut Vec<u8>) -> usize {
    let mut done = 0;
    for (i, unit) in rest.chunks_exact(4).enumerate() {
        done += 4;
        let bytes = [unit[0], unit[1], unit[2], unit[3]];
        let code = if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        if code == 0xFEFF && i == 0 && !started {
            continue;
        }
        match char::from_u32(code) {
            Some(c) => ready.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => unit.iter().for_each(|b| mark(*b, ready)),
        }
    }
    if last {
        rest.get(done..).unwrap_or_default().iter().for_each(|b| mark(*b, ready));
        done = rest.len();
    }
    done
}

impl Read for DecodeReader {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.ready.len() {
            if self.finished {
                return Ok(0);
            }
            self.refill()?;
        }
        let rest = self.ready.get(self.given..).unwrap_or_default();
        let n = rest.len().min(out.len());
        if let (Some(place), Some(now)) = (out.get_mut(..n), rest.get(..n)) {
            place.copy_from_slice(now);
        }
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
fn decode_all(charset: Charset, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let from: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(bytes.to_vec()));
    charset.decode(from).read_to_end(&mut out).unwrap();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(name: &str) -> Charset {
        Charset::by_name(name).unwrap()
    }

    #[test]
    fn usual_names_are_understood() {
        assert_eq!(by("cp1252").name(), "windows-1252");
        assert_eq!(by("latin1").name(), "windows-1252");
        assert_eq!(by("UTF8").name(), "UTF-8");
        assert_eq!(by("cp932").name(), "Shift_JIS");
        assert_eq!(by("utf-16").name(), "UTF-16LE");
        assert!(Charset::by_name("klingon").is_err());
    }

    #[test]
    fn every_encoding_gives_utf8() {
        assert_eq!(decode_all(by("utf-8"), b"\xEF\xBB\xBFa\xEF\xBB\xBF"), "a\u{feff}".as_bytes());
        assert_eq!(decode_all(by("utf-8"), b"a"), b"a");
        assert_eq!(decode_all(by("cp1252"), b"\x80 \x93x\x94"), "€ “x”".as_bytes());
        assert_eq!(decode_all(by("utf-16"), b"\xFF\xFEa\0\xAC\x20"), "a€".as_bytes());
        assert_eq!(decode_all(by("utf-16be"), b"\xFE\xFF\0a\x20\xAC"), "a€".as_bytes());
        assert_eq!(
            decode_all(by("utf-32"), b"\xFF\xFE\0\0a\0\0\0\x00\xF6\x01\0"),
            "a😀".as_bytes()
        );
        assert_eq!(decode_all(by("gbk"), b"\xC4\xE3"), "你".as_bytes());
        assert_eq!(decode_all(by("sjis"), b"\x82\xA0"), "あ".as_bytes());
    }

    #[test]
    fn undecodable_bytes_leave_a_mark_that_tells_them() {
        let out = decode_all(by("shift_jis"), b"a,\x82 b");
        assert!(std::str::from_utf8(&out).is_err());
        let at = std::str::from_utf8(&out).unwrap_err().valid_up_to();
        assert_eq!(original_bytes(&out[at..], "Shift_JIS"), [0x82]);
        assert_eq!(original_bytes(b"\xFCr", "UTF-8"), [0xFC]);
        let out = decode_all(by("utf-16"), b"\x00\xD8a\0");
        assert_eq!(original_bytes(&out, "UTF-16LE"), [0x00, 0xD8]);
    }
}
