//! Why a field was refused: a code and a sentence with the value and the remedy.

use shared::error::ErrorCode;

/// Longest value shown in a message, in characters.
const SHOWN_CHARS_MAX: usize = 60;

/// A refused field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code.
    pub code: ErrorCode,
    /// The sentence, without row, line and column.
    pub message: String,
}

/// The outcome of one field. Boxed, so that the common case is one register.
pub type Checked<T = ()> = Result<T, Box<Fault>>;

/// Makes a fault. Cold: values are right far more often than wrong.
#[cold]
pub fn fault(code: ErrorCode, message: impl Into<String>) -> Box<Fault> {
    Box::new(Fault { code, message: message.into() })
}

/// A value as shown in messages: between quotes, cut to a readable length, control characters and
/// broken bytes made visible.
#[cold]
pub fn shown(value: &[u8]) -> String {
    format!("\"{}\"", shown_bare(value))
}

/// As [`shown`], without the quotes.
#[cold]
pub fn shown_bare(value: &[u8]) -> String {
    let head = value.get(..SHOWN_CHARS_MAX * 4).unwrap_or(value);
    let mut text = String::with_capacity(head.len());
    let mut chars = 0;
    for piece in head.utf8_chunks() {
        for c in piece.valid().chars() {
            if chars == SHOWN_CHARS_MAX {
                text.push('…');
                return text;
            }
            chars += 1;
            if c.is_control() {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        // A cut within a character at the very end of the head is no broken byte of the value.
        if piece.invalid().len() < 4 && head.len() == value.len() || piece.valid().is_empty() {
            for byte in piece.invalid() {
                text.push_str(&format!("\\x{byte:02X}"));
                chars += 1;
            }
        }
    }
    if head.len() < value.len() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_and_made_visible() {
        assert_eq!(shown(b"abc"), "\"abc\"");
        assert_eq!(shown("a\tü\n".as_bytes()), "\"a\\tü\\n\"");
        assert_eq!(shown(b"T\xFCr"), "\"T\\xFCr\"");
        let long = "é".repeat(500);
        assert_eq!(shown_bare(long.as_bytes()).chars().count(), SHOWN_CHARS_MAX + 1);
    }
}
