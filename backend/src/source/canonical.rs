//! Formats that are not text, as text of one simple form: tabs between fields, backslash escapes,
//! `\N` for NULL. So chunks, parser and rejects know one road only.

use shared::profile::{Dialect, LineEnd};

/// The dialect of that form.
pub(super) fn dialect(header: bool) -> Dialect {
    Dialect {
        delimiter: "\t".to_owned(),
        quote: None,
        escape: Some('\\'),
        header,
        line_end: LineEnd::Lf,
        ..Dialect::default()
    }
}

/// Appends a value.
pub(super) fn value(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        let sign = match byte {
            b'\\' => b'\\',
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            0 => b'0',
            _ => {
                out.push(*byte);
                continue;
            }
        };
        out.extend([b'\\', sign]);
    }
}

/// Appends NULL.
pub(super) fn null(out: &mut Vec<u8>) {
    out.extend(b"\\N");
}

/// Ends a field: a tab after all but the last, which gets the line's end.
pub(super) fn end(last: bool, out: &mut Vec<u8>) {
    out.push(if last { b'\n' } else { b'\t' });
}
