//! JSON as records: where lines and array elements end, and the members of one object.
//!
//! Numbers stay as their exact text: nothing here passes through a floating-point number.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};

use super::cut::Cut;

/// What a member's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number, as written.
    Number,
    /// A string; the value is what stands between the quotes, escapes and all.
    Text,
    /// An object or an array, as written.
    Nested,
}

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// Between the key's quotes, escapes and all.
    pub key: &'a [u8],
    /// First byte of the value in the record (after the quote of a text).
    pub start: usize,
    /// Byte after its last.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn skip_spaces(data: &[u8], mut at: usize) -> usize {
    while data.get(at).is_some_and(|b| is_space(*b)) {
        at += 1;
    }
    at
}

fn lines_in(data: &[u8]) -> u64 {
    memchr_iter(b'\n', data).count() as u64
}

/// Cuts JSON lines.
#[must_use]
pub fn cut_lines(data: &[u8], last: bool) -> Cut {
    let mut cut = Cut::default();
    let mut at = 0;
    while at < data.len() {
        let (line, next) = match memchr(b'\n', data.get(at..).unwrap_or_default()) {
            Some(found) => (data.get(at..at + found), at + found + 1),
            None if last => (data.get(at..), data.len()),
            None => break,
        };
        if line.unwrap_or_default().iter().all(|b| is_space(*b)) {
            cut.blanks += 1;
        } else {
            cut.records += 1;
        }
        cut.lines += 1;
        at = next;
        cut.end = at;
    }
    cut
}

/// Where the first element of an array begins: the byte after its bracket.
#[must_use]
pub fn array_start(data: &[u8]) -> usize {
    let at = skip_spaces(data, 0);
    if data.get(at) == Some(&b'[') { at + 1 } else { 0 }
}

/// Passes over what may stand between the elements of an array.
#[must_use]
pub fn between(data: &[u8], mut at: usize) -> usize {
    while data.get(at).is_some_and(|b| is_space(*b) || *b == b',' || *b == b']') {
        at += 1;
    }
    at
}

/// Cuts the elements of an array, from after its opening bracket.
#[must_use]
pub fn cut_array(data: &[u8], last: bool) -> Cut {
    let mut cut = Cut::default();
    let mut at = 0;
    loop {
        let start = between(data, at);
        if start >= data.len() {
            break;
        }
        let end = match value_end(data, start) {
            Some(end) if end < data.len() || last => end,
            _ if last => data.len(),
            _ => break,
        };
        cut.records += 1;
        cut.lines += lines_in(data.get(at..end).unwrap_or_default());
        at = end;
        cut.end = at;
    }
    if last {
        cut.lines += lines_in(data.get(at..).unwrap_or_default());
        cut.end = data.len();
    }
    cut
}

/// The byte after the value that begins at `at`, judged by quotes and brackets alone.
#[must_use]
pub fn value_end(data: &[u8], at: usize) -> Option<usize> {
    match data.get(at)? {
        b'"' => text_end(data, at + 1).map(|e| e + 1),
        b'{' | b'[' => {
            let mut depth = 0_u32;
            let mut at = at;
            loop {
                match data.get(at)? {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    b'"' => at = text_end(data, at + 1)?,
                    _ => {}
                }
                at += 1;
            }
        }
        _ => {
            let rest = data.get(at..)?;
            let stop = |b: &u8| is_space(*b) || matches!(b, b',' | b']' | b'}');
            rest.iter().position(stop).map(|p| at + p.max(1)).or(Some(data.len()))
        }
    }
}

/// The closing quote of the string whose first byte is at `at`.
fn text_end(data: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', data.get(at..)?)?;
        if data.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Hands the members of the object `record` to `each`, in order.
///
/// # Errors
/// A sentence, where it is not one well-formed object; or what `each` says.
pub fn members<'a>(
    record: &'a [u8],
    mut each: impl FnMut(Member<'a>) -> Result<(), String>,
) -> Result<(), String> {
    let mut at = skip_spaces(record, 0);
    if record.get(at) != Some(&b'{') {
        return Err("a JSON object was expected".to_owned());
    }
    at = skip_spaces(record, at + 1);
    if record.get(at) == Some(&b'}') {
        return the_end(record, at + 1);
    }
    loop {
        if record.get(at) != Some(&b'"') {
            return Err(unexpected(record, at, "a key in quotes"));
        }
        let key_end = text_end(record, at + 1).ok_or("a key's quote never closes")?;
        let key = record.get(at + 1..key_end).unwrap_or_default();
        at = skip_spaces(record, key_end + 1);
        if record.get(at) != Some(&b':') {
            return Err(unexpected(record, at, "a colon"));
        }
        at = skip_spaces(record, at + 1);
        let end = value_end(record, at).ok_or("the object ends in the middle of a value")?;
        each(member(record, key, at, end)?)?;
        at = skip_spaces(record, end);
        match record.get(at) {
            Some(b',') => at = skip_spaces(record, at + 1),
            Some(b'}') => return the_end(record, at + 1),
            _ => return Err(unexpected(record, at, "a comma or the end of the object")),
        }
    }
}

fn the_end(record: &[u8], at: usize) -> Result<(), String> {
    let at = skip_spaces(record, at);
    if at < record.len() {
        return Err(unexpected(record, at, "nothing after the object"));
    }
    Ok(())
}

fn unexpected(record: &[u8], at: usize, wanted: &str) -> String {
    let rest = record.get(at..).unwrap_or_default();
    if rest.is_empty() {
        return format!("the line ends where {wanted} was expected");
    }
    let shown: String = String::from_utf8_lossy(rest).chars().take(12).collect();
    format!("{wanted} was expected at {shown:?}")
}

fn member<'a>(
    record: &'a [u8],
    key: &'a [u8],
    start: usize,
    end: usize,
) -> Result<Member<'a>, String> {
    let text = record.get(start..end).unwrap_or_default();
    let (start, end, kind) = match text.first() {
        Some(b'"') => (start + 1, end - 1, Kind::Text),
        Some(b'{' | b'[') => (start, end, Kind::Nested),
        Some(b'n') if text == b"null" => (start, end, Kind::Null),
        Some(b't' | b'f') if text == b"true" || text == b"false" => (start, end, Kind::Bool),
        _ if is_number(text) => (start, end, Kind::Number),
        _ => return Err(unexpected(record, start, "a JSON value")),
    };
    if kind == Kind::Nested && !is_json(text) {
        return Err(unexpected(record, start, "a well-formed JSON value"));
    }
    Ok(Member { key, start, end, kind })
}

/// Whether `text` is a number as JSON writes it.
#[must_use]
pub fn is_number(text: &[u8]) -> bool {
    let digits = |t: &[u8]| t.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return false;
    }
    rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let places = digits(fraction);
        if places == 0 {
            return false;
        }
        rest = fraction.get(places..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent =
            exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let places = digits(exponent);
        return places > 0 && places == exponent.len();
    }
    rest.is_empty()
}

/// Whether `text` is one well-formed JSON value.
#[must_use]
pub fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// What a JSON string stands for: `text` is what is between its quotes.
///
/// # Errors
/// A sentence, for an unknown escape, a control character or half of a surrogate pair.
pub fn unescape(text: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if let Some(control) = text.iter().find(|b| **b < 0x20) {
        return Err(format!("a string holds the control character 0x{control:02X} unescaped"));
    }
    if memchr(b'\\', text).is_none() {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = memchr(b'\\', text.get(at..).unwrap_or_default()) {
        out.extend_from_slice(text.get(at..at + found).unwrap_or_default());
        at += found + 1;
        let escape = text.get(at).copied().unwrap_or_default();
        at += 1;
        out.push(match escape {
            b'"' | b'\\' | b'/' => escape,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let (c, next) = unicode(text, at)?;
                out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                at = next;
                continue;
            }
            other => return Err(format!("\\{} is no escape of JSON", char::from(other))),
        });
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    Ok(Cow::Owned(out))
}

fn unicode(text: &[u8], at: usize) -> Result<(char, usize), String> {
    let hex = |at: usize| {
        let digits = text.get(at..at + 4)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = hex(at).ok_or("\\u must be followed by four hexadecimal digits")?;
    if let Some(c) = char::from_u32(first) {
        return Ok((c, at + 4));
    }
    let low = (text.get(at + 4..at + 6) == Some(b"\\u")).then(|| hex(at + 6)).flatten();
    match low {
        Some(low @ 0xDC00..=0xDFFF) if first < 0xDC00 => {
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            char::from_u32(code).map(|c| (c, at + 10)).ok_or_else(|| "no character".to_owned())
        }
        _ => Err(format!("\\u{first:04x} is half of a surrogate pair")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(record: &str) -> Result<Vec<(String, String, Kind)>, String> {
        let mut found = Vec::new();
        members(record.as_bytes(), |m| {
            let key = String::from_utf8(unescape(m.key)?.into_owned()).unwrap();
            found.push((key, record[m.start..m.end].to_owned(), m.kind));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn members_keep_their_text() {
        let found = list(r#"{"id": 9007199254740993, "s": "a\"b", "n": null, "m": {"a": [1, "}"]}, "b": true, "x": 1.50}"#).unwrap();
        let texts: Vec<&str> = found.iter().map(|f| f.1.as_str()).collect();
        assert_eq!(
            texts,
            ["9007199254740993", r#"a\"b"#, "null", r#"{"a": [1, "}"]}"#, "true", "1.50"]
        );
        assert_eq!(list("{}"), Ok(vec![]));
    }

    #[test]
    fn bad_objects_get_a_sentence() {
        for bad in [
            "[1]",
            "{\"a\" 1}",
            "{\"a\": 1",
            "{\"a\": 01}",
            "{\"a\": 1} x",
            "{\"a\": [1,,2]}",
            "{a: 1}",
            "{\"a\": nul}",
        ] {
            assert!(list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn strings_are_unescaped() {
        assert_eq!(&*unescape(br"a\u00e9\ud83d\ude00\n").unwrap(), "aé😀\n".as_bytes());
        assert!(unescape(br"\ud83d").is_err());
        assert!(unescape(br"\q").is_err());
        assert!(unescape(b"a\x01").is_err());
    }

    #[test]
    fn lines_and_elements_are_cut() {
        let cut = cut_lines(b"{}\n\n{}\n{", false);
        assert_eq!((cut.records, cut.blanks, cut.end, cut.lines), (2, 1, 7, 3));
        let data = b"\n {\"a\": \"]}\"},\n {\"b\": 1}\n]\n";
        let cut = cut_array(data, true);
        assert_eq!((cut.records, cut.end, cut.lines), (2, data.len(), 4));
        let cut = cut_array(&data[..20], false);
        assert_eq!((cut.records, cut.end), (1, 13));
    }
}
