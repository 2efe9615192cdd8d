//! Keys of canonical rows that compare as bytes in the order of the server's index.
//!
//! Numbers, dates, times, bytes, labels and texts in binary collations are in exactly the server's
//! order, and equal where the server finds them equal. For other collations ASCII is (case folded,
//! and in UCA collations blanks before signs before digits before letters); beyond ASCII the order
//! is near the server's but not the same, and values that the server finds equal (`e` and `é`) may
//! have different keys: [`SortKey::is_exact`] tells. Loading is right in either case, since order
//! is only a matter of speed and equality is left to the server.

use std::collections::HashMap;
use std::net::Ipv6Addr;
use std::sync::Arc;

use shared::column_type::ColumnType;

use super::mapping::MappedColumn;
use super::out::push_escaped;
use crate::domain::{NULL, unescape};

/// How one column's canonical text becomes key bytes.
#[derive(Debug, Clone)]
pub enum KeyPart {
    /// Whole numbers with a sign, also TIME as microseconds.
    Signed,
    /// Whole numbers without a sign.
    Unsigned,
    /// So many digits before and after the point.
    Decimal(usize, usize),
    /// DOUBLE, or with `true` FLOAT.
    Float(bool),
    /// TIME.
    Time,
    /// Texts of one width, digits first: dates. Zeros at the end of a fraction do not count.
    Date,
    /// Hexadecimal digits of bytes.
    Hex,
    /// The position of a label.
    Label(Arc<HashMap<Vec<u8>, u16>>),
    /// Labels of a SET, by their bits.
    Labels(Arc<HashMap<Vec<u8>, u16>>),
    /// IPv4 or IPv6.
    Address,
    /// Texts.
    Text(Collating),
}

/// How a collation orders texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collating {
    order: Order,
    pads: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// By code point.
    Binary,
    /// By code point, upper and lower case alike.
    Folded,
    /// By the Unicode collation algorithm's order of ASCII, case alike.
    Unicode,
}

/// ASCII other than digits and letters in the order of the Unicode collation algorithm.
const UCA_SIGNS: &[u8] = b"\t\n\x0B\x0C\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

impl Collating {
    fn named(collation: &str) -> Self {
        let name = collation.to_ascii_lowercase();
        let order = if name.ends_with("_bin") || name == "binary" {
            Order::Binary
        } else if name.contains("unicode") || name.contains("0900") || name.contains("uca1400") {
            Order::Unicode
        } else {
            Order::Folded
        };
        let pads = !(name.contains("0900") || name.contains("nopad") || name == "binary");
        Self { order, pads }
    }

    fn push(self, text: &[u8], out: &mut Vec<u8>) {
        let mut text = text;
        if self.pads {
            while let [rest @ .., b' '] = text {
                text = rest;
            }
        }
        match (self.order, text.is_ascii()) {
            (Order::Binary, _) => text.iter().for_each(|b| push_byte(*b, out)),
            (Order::Folded, true) => {
                text.iter().for_each(|b| push_byte(b.to_ascii_uppercase(), out));
            }
            (Order::Unicode, true) => text.iter().for_each(|b| push_byte(uca_weight(*b), out)),
            (order, false) => {
                for c in String::from_utf8_lossy(text).chars().flat_map(char::to_uppercase) {
                    match (order, u8::try_from(c)) {
                        (Order::Unicode, Ok(b)) if b < 0x80 => push_byte(uca_weight(b), out),
                        _ => {
                            let mut buffer = [0; 4];
                            c.encode_utf8(&mut buffer).bytes().for_each(|b| push_byte(b, out));
                        }
                    }
                }
            }
        }
        out.extend_from_slice(&[0, 0]);
    }
}

/// A byte of a text, so that the two zero bytes at its end come before any other byte.
fn push_byte(b: u8, out: &mut Vec<u8>) {
    out.push(b);
    if b == 0 {
        out.push(1);
    }
}

/// Where the Unicode collation algorithm puts an ASCII character; below 0x80.
fn uca_weight(b: u8) -> u8 {
    let sign = || UCA_SIGNS.iter().position(|s| *s == b).and_then(|at| u8::try_from(at).ok());
    match b {
        b'0'..=b'9' => 0x40 + (b - b'0'),
        b'a'..=b'z' => 0x50 + (b - b'a'),
        b'A'..=b'Z' => 0x50 + (b - b'A'),
        // Control characters other than these have no weight at all.
        _ => sign().map_or(1, |at| 2 + at),
    }
}

impl KeyPart {
    /// The part for a column; none where the server's order is not known here.
    #[must_use]
    pub fn new(column: &MappedColumn) -> Option<Self> {
        let positions = |labels: &[String]| {
            let each = labels.iter().zip(0_u16..).map(|(label, at)| {
                let mut sent = Vec::new();
                push_escaped(&mut sent, label.as_bytes());
                (sent, at)
            });
            Arc::new(each.collect::<HashMap<_, _>>())
        };
        Some(match &column.column_type {
            ColumnType::Int { unsigned: false, .. } => Self::Signed,
            ColumnType::Int { unsigned: true, .. } | ColumnType::Bit { .. } | ColumnType::Year => {
                Self::Unsigned
            }
            ColumnType::Decimal { precision, scale, .. } => {
                Self::Decimal(usize::from(precision.saturating_sub(*scale)), usize::from(*scale))
            }
            ColumnType::Float { .. } => Self::Float(true),
            ColumnType::Double { .. } => Self::Float(false),
            ColumnType::Date | ColumnType::Datetime { .. } | ColumnType::Timestamp { .. } => {
                Self::Date
            }
            ColumnType::Time { .. } => Self::Time,
            ColumnType::Binary { .. } | ColumnType::Varbinary { .. } | ColumnType::Blob { .. } => {
                Self::Hex
            }
            ColumnType::Char { .. } | ColumnType::Varchar { .. } | ColumnType::Text { .. } => {
                Self::Text(Collating::named(column.facts.collation.as_deref()?))
            }
            ColumnType::Enum { labels } => Self::Label(positions(labels)),
            ColumnType::Set { labels } => Self::Labels(positions(labels)),
            ColumnType::Inet4 | ColumnType::Inet6 => Self::Address,
            ColumnType::Json
            | ColumnType::Geometry { .. }
            | ColumnType::Uuid
            | ColumnType::Vector { .. }
            | ColumnType::Other { .. } => return None,
        })
    }

    const fn is_exact(&self) -> bool {
        match self {
            Self::Text(collating) => matches!(collating.order, Order::Binary),
            _ => true,
        }
    }

    fn push(&self, field: &[u8], out: &mut Vec<u8>) {
        if field == NULL {
            out.push(0);
            return;
        }
        out.push(1);
        match self {
            Self::Signed => {
                let value = ascii(field).parse::<i64>().unwrap_or_default();
                out.extend_from_slice(&(value.cast_unsigned() ^ (1 << 63)).to_be_bytes());
            }
            Self::Unsigned => {
                let value = ascii(field).parse::<u64>().unwrap_or_default();
                out.extend_from_slice(&value.to_be_bytes());
            }
            Self::Decimal(whole, frac) => push_decimal(field, *whole, *frac, out),
            Self::Float(single) => {
                let value = ascii(field).parse::<f64>().unwrap_or_default() + 0.0;
                let value = if *single { f64::from(value as f32) } else { value };
                let bits = value.to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                out.extend_from_slice(&ordered.to_be_bytes());
            }
            Self::Time => {
                let micros = time_micros(ascii(field)).unwrap_or_default();
                out.extend_from_slice(&(micros.cast_unsigned() ^ (1 << 63)).to_be_bytes());
            }
            Self::Date => {
                let text = match field.iter().position(|b| *b == b'.') {
                    Some(_) => {
                        let kept = field.iter().rposition(|b| !matches!(b, b'0' | b'.'));
                        field.get(..kept.map_or(0, |at| at + 1)).unwrap_or_default()
                    }
                    None => field,
                };
                out.extend_from_slice(text);
                out.push(0);
            }
            Self::Hex => {
                out.extend_from_slice(field);
                out.push(0);
            }
            Self::Label(positions) => {
                let at = positions.get(field).copied().unwrap_or_default();
                out.extend_from_slice(&at.to_be_bytes());
            }
            Self::Labels(positions) => {
                let bits = field
                    .split(|b| *b == b',')
                    .filter_map(|label| positions.get(label))
                    .fold(0_u64, |bits, at| bits | 1_u64.checked_shl(u32::from(*at)).unwrap_or(0));
                out.extend_from_slice(&bits.to_be_bytes());
            }
            Self::Address => match ascii(field).parse::<std::net::Ipv4Addr>() {
                Ok(four) => out.extend_from_slice(&four.octets()),
                Err(_) => {
                    let six = ascii(field).parse::<Ipv6Addr>().unwrap_or(Ipv6Addr::UNSPECIFIED);
                    out.extend_from_slice(&six.octets());
                }
            },
            Self::Text(collating) => {
                collating.push(&unescape(field).unwrap_or_default(), out);
            }
        }
    }
}

fn ascii(field: &[u8]) -> &str {
    std::str::from_utf8(field).unwrap_or_default()
}

fn push_decimal(field: &[u8], whole_width: usize, frac_width: usize, out: &mut Vec<u8>) {
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (rest.iter().any(|b| matches!(b, b'1'..=b'9')), rest),
        rest => (false, rest),
    };
    let point = digits.iter().position(|b| *b == b'.').unwrap_or(digits.len());
    let (whole, frac) = digits.split_at(point);
    let frac = frac.get(1..).unwrap_or_default();
    // "0.5" in DECIMAL(2,2) has a zero that the column does not count.
    let whole = whole.get(whole.len().saturating_sub(whole_width)..).unwrap_or_default();
    let turn = |b: u8| if negative { b'9' - b + b'0' } else { b };
    out.push(if negative { b'0' } else { b'1' });
    out.extend(std::iter::repeat_n(turn(b'0'), whole_width - whole.len()));
    out.extend(whole.iter().chain(frac).map(|b| turn(*b)));
    out.extend(std::iter::repeat_n(turn(b'0'), frac_width.saturating_sub(frac.len())));
}

fn time_micros(text: &str) -> Option<i64> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':').map(str::parse::<i64>);
    let mut next = || parts.next()?.ok();
    let secs = next()? * 3600 + next()? * 60 + next()?;
    let micros: i64 = format!("{fraction:0<6}").parse().ok()?;
    Some(sign * (secs * 1_000_000 + micros))
}

/// Makes the keys of rows.
#[derive(Debug, Clone)]
pub struct SortKey {
    /// Wire column and part, in the order of the key.
    parts: Vec<(usize, KeyPart)>,
}

impl SortKey {
    /// A key of these wire columns.
    #[must_use]
    pub const fn new(parts: Vec<(usize, KeyPart)>) -> Self {
        Self { parts }
    }

    /// Whether rows have the same key exactly where the server finds their values equal.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.is_exact())
    }

    /// Appends the key of a canonical row (with or without its line feed).
    pub fn write(&self, row: &[u8], out: &mut Vec<u8>) {
        let row = row.strip_suffix(b"\n").unwrap_or(row);
        for (column, part) in &self.parts {
            let field = row.split(|b| *b == b'\t').nth(*column).unwrap_or(NULL);
            part.push(field, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(part: &KeyPart, values: &[&str]) {
        let key = |v: &str| {
            let mut out = Vec::new();
            SortKey::new(vec![(1, part.clone())]).write(format!("x\t{v}\n").as_bytes(), &mut out);
            out
        };
        for pair in values.windows(2) {
            let [low, high] = pair else { continue };
            assert!(key(low) < key(high), "{low} < {high} by {part:?}");
        }
    }

    fn same(part: &KeyPart, a: &str, b: &str) {
        let key = |v: &str| {
            let mut out = Vec::new();
            SortKey::new(vec![(0, part.clone())]).write(v.as_bytes(), &mut out);
            out
        };
        assert_eq!(key(a), key(b), "{a} = {b} by {part:?}");
    }

    #[test]
    fn numbers_and_dates_in_order() {
        ordered(&KeyPart::Signed, &["\\N", "-9223372036854775808", "-2", "-1", "0", "1", "10"]);
        ordered(&KeyPart::Unsigned, &["0", "9", "10", "18446744073709551615"]);
        let decimal = KeyPart::Decimal(3, 2);
        ordered(&decimal, &["-10.5", "-2", "-1.50", "-0.01", "0", "0.5", "1.5", "10", "123.45"]);
        same(&decimal, "1.5", "1.50");
        same(&decimal, "-0.00", "0");
        ordered(&KeyPart::Decimal(0, 2), &["-0.5", "0.25", "0.5"]);
        ordered(
            &KeyPart::Float(false),
            &["-1e300", "-1", "-1e-300", "0", "1e-300", "2.5", "1e300"],
        );
        same(&KeyPart::Float(false), "-0", "0");
        same(&KeyPart::Float(true), "0.1", "0.1000000001");
        ordered(&KeyPart::Time, &["-838:59:59", "-00:00:01", "00:00:00", "09:00:00", "100:00:00"]);
        ordered(
            &KeyPart::Date,
            &[
                "2023-12-31 23:59:59",
                "2024-01-01 00:00:00",
                "2024-01-01 00:00:00.5",
                "2024-01-01 00:00:01",
            ],
        );
        same(&KeyPart::Date, "2024-01-01 00:00:00.500", "2024-01-01 00:00:00.5");
        ordered(&KeyPart::Hex, &["", "00", "0000", "01", "FF"]);
        ordered(&KeyPart::Address, &["9.0.0.1", "10.0.0.1"]);
    }

    #[test]
    fn texts_by_their_collation() {
        let text = |name| KeyPart::Text(Collating::named(name));
        ordered(&text("utf8mb4_bin"), &["", "A", "Z", "a", "aa", "ab", "é", "😀"]);
        ordered(&text("utf8mb4_general_ci"), &["", "!", "1", "A", "ab", "B", "_"]);
        ordered(&text("utf8mb4_0900_ai_ci"), &["", "_a", "$", "1", "a", "AB", "b", "é"]);
        same(&text("latin1_swedish_ci"), "Abc  ", "aBC");
        assert!(!SortKey::new(vec![(0, text("utf8mb4_unicode_ci"))]).is_exact());
        assert!(SortKey::new(vec![(0, text("utf8mb4_bin")), (1, KeyPart::Signed)]).is_exact());
    }
}
