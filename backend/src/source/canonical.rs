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

/// A floating-point number in digits, exactly; very large and very small ones with an exponent and a
/// decimal point, so that they are not taken for codes.
pub(super) fn float(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || !size.is_finite() || (1e-5..1e15).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
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
