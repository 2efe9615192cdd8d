//! Writing fields in canonical form.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Exactly tells whether a byte of `word` is below `n` (at most 128); bytes from 128 do not count.
const fn has_less(word: u64, n: u64) -> bool {
    word.wrapping_sub(ONES.wrapping_mul(n)) & !word & HIGHS != 0
}

const fn has_byte(word: u64, byte: u64) -> bool {
    has_less(word ^ ONES.wrapping_mul(byte), 1)
}

/// What a text is made of, as far as encoding cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    /// ASCII without anything that might have to be escaped.
    Plain,
    /// Anything else.
    Other,
}

/// Looks at eight bytes at a time. A control character that needs no escape (a bell) is `Other`
/// too: that costs time, not correctness.
#[inline]
pub fn classify(bytes: &[u8]) -> Bytes {
    let (words, rest) = bytes.as_chunks::<8>();
    let odd = |word: u64| word & HIGHS != 0 || has_less(word, 0x20) || has_byte(word, 0x5C);
    for word in words {
        if odd(u64::from_le_bytes(*word)) {
            return Bytes::Other;
        }
    }
    for &b in rest {
        if !(0x20..0x80).contains(&b) || b == b'\\' {
            return Bytes::Other;
        }
    }
    Bytes::Plain
}

/// Appends bytes, escaped.
pub fn push_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut from = 0;
    for (i, &b) in bytes.iter().enumerate() {
        let letter = match b {
            b'\\' => b'\\',
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            0 => b'0',
            _ => continue,
        };
        out.extend_from_slice(bytes.get(from..i).unwrap_or_default());
        out.extend_from_slice(&[b'\\', letter]);
        from = i + 1;
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{NULL, unescape};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_escaped_reads_back(bytes: Vec<u8>) {
            let mut out = Vec::new();
            push_escaped(&mut out, &bytes);
            prop_assert!(!out.iter().any(|b| b"\t\n\r\0".contains(b)));
            let back = unescape(&out).expect("not NULL");
            prop_assert_eq!(back.as_ref(), bytes.as_slice());
        }

        #[test]
        fn plain_bytes_are_their_own_encoding(bytes: Vec<u8>) {
            let odd = bytes.iter().any(|&b| !(0x20..0x80).contains(&b) || b == b'\\');
            prop_assert_eq!(classify(&bytes) == Bytes::Other, odd);
        }
    }

    #[test]
    fn a_backslash_and_an_n_are_no_null() {
        let mut out = Vec::new();
        push_escaped(&mut out, b"\\N");
        assert_eq!(out, b"\\\\N");
        assert_eq!(unescape(&out).as_deref(), Some(b"\\N".as_slice()));
        assert_eq!(unescape(NULL), None);
    }
}
