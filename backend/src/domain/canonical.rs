//! The canonical form of a row, read: tab between fields, line feed behind, backslash escapes.

use std::borrow::Cow;

/// NULL, as a field.
pub const NULL: &[u8] = b"\\N";

/// The value of a field of a row; none for NULL.
#[must_use]
pub fn unescape(field: &[u8]) -> Option<Cow<'_, [u8]>> {
    if field == NULL {
        return None;
    }
    if memchr::memchr(b'\\', field).is_none() {
        return Some(Cow::Borrowed(field));
    }
    let mut bytes = Vec::with_capacity(field.len());
    let mut each = field.iter().copied();
    while let Some(b) = each.next() {
        let b = if b == b'\\' {
            match each.next() {
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b'0') => 0,
                Some(other) => other,
                None => b'\\',
            }
        } else {
            b
        };
        bytes.push(b);
    }
    Some(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_comes_back_as_it_was() {
        assert_eq!(unescape(b"a\\tb\\\\\\0\\n").as_deref(), Some(&b"a\tb\\\0\n"[..]));
        assert_eq!(unescape(b"\\N"), None);
        assert_eq!(unescape(b"").as_deref(), Some(&b""[..]));
    }
}
