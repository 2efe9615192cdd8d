//! JSON documents, checked as strictly as the server does.

use shared::error::ErrorCode;
use shared::target::Flavour;

use super::charset::Charset;
use super::fault::{Checked, fault, shown};
use super::out::push_escaped;
use super::text::utf8;

/// A JSON column.
#[derive(Debug, Clone)]
pub struct Json {
    depth_max: usize,
    /// MySQL takes documents apart: it wants real characters and numbers within DOUBLE.
    parsed: bool,
    charset: Charset,
}

impl Json {
    /// A column on a server of this family.
    #[must_use]
    pub fn new(flavour: Flavour, charset: Charset) -> Self {
        match flavour {
            Flavour::Mariadb => Self { depth_max: 32, parsed: false, charset },
            Flavour::Mysql | Flavour::Tidb => {
                Self { depth_max: 100, parsed: true, charset: Charset::named(None) }
            }
        }
    }

    /// Checks and writes one field.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = utf8(bytes)?;
        self.charset.len_of(text).map_err(|c| self.charset.lacks(c, bytes))?;
        let mut reader = Reader { bytes, at: 0, depth: 0, rules: self };
        if let Err(why) = reader.document() {
            return Err(fault(
                ErrorCode::InvalidValue,
                format!("{} is not valid JSON: {why} at byte {}", shown(bytes), reader.at + 1),
            ));
        }
        push_escaped(out, bytes);
        Ok(())
    }
}

type Step = Result<(), &'static str>;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    rules: &'a Json,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.at += usize::from(hit);
        hit
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn document(&mut self) -> Step {
        self.value()?;
        self.blanks();
        if self.at == self.bytes.len() { Ok(()) } else { Err("something follows the document") }
    }

    fn value(&mut self) -> Step {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err("no value begins so"),
            None => Err("the document ends too early"),
        }
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Step) -> Step {
        self.depth += 1;
        if self.depth > self.rules.depth_max {
            return Err("it is nested deeper than the server allows");
        }
        self.at += 1;
        inner(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self) -> Step {
        self.blanks();
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err("a member's name in quotes is missing");
            }
            self.string()?;
            self.blanks();
            if !self.eat(b':') {
                return Err("a colon is missing");
            }
            self.value()?;
            self.blanks();
            if self.eat(b'}') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err("a comma or } is missing");
            }
        }
    }

    fn array(&mut self) -> Step {
        self.blanks();
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            self.value()?;
            self.blanks();
            if self.eat(b']') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err("a comma or ] is missing");
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Step {
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(());
        }
        Err("no value begins so")
    }

    fn digits(&mut self) -> Step {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err("a digit is missing") }
    }

    fn number(&mut self) -> Step {
        let from = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.eat(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            whole = false;
            let _ = self.eat(b'-') || self.eat(b'+');
            self.digits()?;
        }
        let short = whole && self.at - from <= 300;
        if self.rules.parsed && !short {
            let text = self.bytes.get(from..self.at).unwrap_or_default();
            let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f64>().ok());
            if !value.is_some_and(f64::is_finite) {
                return Err("a number is too large for a DOUBLE");
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Step {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(0..0x20) => return Err("a control character must be escaped"),
                Some(_) => self.at += 1,
                None => return Err("a string does not end"),
            }
        }
    }

    fn escape(&mut self) -> Step {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                let first = self.hex4()?;
                match first {
                    0xD800..0xDC00 => {
                        let pair = self.bytes.get(self.at..).is_some_and(|r| r.starts_with(b"\\u"));
                        if !pair {
                            return self.lone();
                        }
                        self.at += 2;
                        match self.hex4()? {
                            0xDC00..0xE000 => Ok(()),
                            _ => self.lone(),
                        }
                    }
                    0xDC00..0xE000 => self.lone(),
                    _ => Ok(()),
                }
            }
            _ => Err("an escape is not known"),
        }
    }

    fn lone(&self) -> Step {
        if self.rules.parsed { Err("half of a surrogate pair is no character") } else { Ok(()) }
    }

    fn hex4(&mut self) -> Result<u32, &'static str> {
        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
        let value = digits
            .iter()
            .try_fold(0_u32, |n, b| Some(n << 4 | char::from(*b).to_digit(16)?))
            .filter(|_| digits.len() == 4)
            .ok_or("\\u wants four hexadecimal digits")?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn valid(flavour: Flavour, text: &str) -> bool {
        Json::new(flavour, Charset::named(None)).encode(text.as_bytes(), &mut Vec::new()).is_ok()
    }

    #[test]
    fn documents_and_what_is_none() {
        for text in [
            r#"{"path": "C:\\tmp", "q": "say \"hi\"", "u": "\u00e9\n!"}"#,
            "[1, 2.50, null]",
            r#"{"a": "ü"}"#,
            " true ",
            "\"\"",
            "-0.5e-3",
            "{}",
            r#"{"a":1,"a":2}"#,
            r#""\ud83d\ude00""#,
        ] {
            assert!(valid(Flavour::Mysql, text) && valid(Flavour::Mariadb, text), "{text}");
        }
        for text in [
            "",
            "{",
            "[1,]",
            "{a:1}",
            "{\"a\":1,}",
            "01",
            "1.",
            ".5",
            "+1",
            "nul",
            "'a'",
            "[1] x",
            "\"\\x\"",
            "\"a\nb\"",
            "\"\\u12\"",
            "NaN",
        ] {
            assert!(!valid(Flavour::Mysql, text) && !valid(Flavour::Mariadb, text), "{text}");
        }
        assert!(!valid(Flavour::Mysql, "1e400") && valid(Flavour::Mysql, "1e-400"));
        assert!(!valid(Flavour::Mysql, "\"\\ud83d\""));
        assert!(!valid(Flavour::Mysql, &format!("{}{}", "[".repeat(101), "]".repeat(101))));
    }

    #[test]
    fn backslashes_reach_the_server_untouched() {
        let mut out = Vec::new();
        let text = br#"{"p": "C:\\tmp\n"}"#;
        Json::new(Flavour::Mysql, Charset::named(None)).encode(text, &mut out).expect("valid");
        assert_eq!(crate::domain::unescape(&out).as_deref(), Some(text.as_slice()));
    }

    proptest! {
        #[test]
        fn agrees_with_serde(text in r#"[\[\]{}:,"\\u0-9eE.+\-a-f tnrl]{0,24}"#) {
            let serde = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            prop_assert_eq!(valid(Flavour::Mysql, &text), serde, "{}", text);
        }
    }
}
