//! Values of Parquet as text.

use chrono::{DateTime, Days, NaiveDate};
use parquet::data_type::{ByteArray, Decimal};
use parquet::record::Field;

use crate::source::canonical;

/// A plain value as text.
pub(super) fn plain(field: &Field) -> String {
    match field {
        Field::Bool(v) => v.to_string(),
        Field::Byte(v) => v.to_string(),
        Field::Short(v) => v.to_string(),
        Field::Int(v) => v.to_string(),
        Field::Long(v) => v.to_string(),
        Field::UByte(v) => v.to_string(),
        Field::UShort(v) => v.to_string(),
        Field::UInt(v) => v.to_string(),
        Field::ULong(v) => v.to_string(),
        Field::Float16(v) => v.to_f32().to_string(),
        Field::Float(v) => float(*v),
        Field::Double(v) => canonical::float(*v),
        Field::Decimal(v) => decimal(v),
        Field::Date(days) => date(*days),
        Field::TimeMillis(v) => clock(i128::from(*v) * 1_000_000),
        Field::TimeMicros(v) => clock(i128::from(*v) * 1000),
        Field::TimestampMillis(v) => moment(i128::from(*v) * 1_000_000),
        Field::TimestampMicros(v) => moment(i128::from(*v) * 1000),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            field.to_json_value().to_string()
        }
        Field::Null | Field::Str(_) | Field::Bytes(_) => String::new(),
    }
}

fn date(days: i32) -> String {
    let epoch = NaiveDate::default();
    let found = if days < 0 {
        epoch.checked_sub_days(Days::new(u64::from(days.unsigned_abs())))
    } else {
        epoch.checked_add_days(Days::new(u64::from(days.unsigned_abs())))
    };
    found.map_or_else(|| format!("day {days}"), |d| d.format("%Y-%m-%d").to_string())
}

/// A time of day, in nanoseconds since midnight.
pub(super) fn clock(nanos: i128) -> String {
    let (seconds, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}{}", fraction(rest))
}

/// A moment, in nanoseconds since 1970.
pub(super) fn moment(nanos: i128) -> String {
    let (seconds, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    let found = i64::try_from(seconds).ok().and_then(|s| DateTime::from_timestamp(s, 0));
    match found {
        Some(m) => format!("{}{}", m.format("%Y-%m-%d %H:%M:%S"), fraction(rest)),
        None => format!("{nanos} nanoseconds"),
    }
}

/// The fraction of a second: six digits, nine where it has them, none where it is zero.
fn fraction(nanos: i128) -> String {
    match nanos {
        0 => String::new(),
        n if n % 1000 == 0 => format!(".{:06}", n / 1000),
        n => format!(".{n:09}"),
    }
}

fn float(number: f32) -> String {
    // By way of its own shortest digits: 0.1 is not to become 0.10000000149011612.
    number.to_string().parse().map_or_else(|_| number.to_string(), canonical::float)
}

/// The text of a UUID's sixteen bytes; none for any other number of bytes.
pub(super) fn uuid(bytes: &[u8]) -> Option<String> {
    if bytes.len() != 16 {
        return None;
    }
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    let part = |range: std::ops::Range<usize>| hex.get(range).unwrap_or_default();
    let parts = [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)];
    Some(parts.join("-"))
}

/// The exact text of a decimal, from its two's complement and scale.
fn decimal(value: &Decimal) -> String {
    let bytes = value.data();
    let scale = usize::try_from(value.scale()).unwrap_or(0);
    if bytes.len() > 16 {
        return wide_decimal(&ByteArray::from(bytes.to_vec()), scale);
    }
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    let start = if negative { -1_i128 } else { 0 };
    let number = bytes.iter().fold(start, |n, b| (n << 8) | i128::from(*b));
    point(number < 0, &number.unsigned_abs().to_string(), scale)
}

/// The same for more than 38 digits: by long division.
fn wide_decimal(bytes: &ByteArray, scale: usize) -> String {
    let mut number = bytes.data().to_vec();
    let negative = number.first().is_some_and(|b| b & 0x80 != 0);
    if negative {
        let mut carry = true;
        for byte in number.iter_mut().rev() {
            let (next, more) = (!*byte).overflowing_add(u8::from(carry));
            *byte = next;
            carry = more;
        }
    }
    let mut digits = Vec::new();
    while number.iter().any(|b| *b != 0) {
        let mut rest = 0_u16;
        for byte in &mut number {
            let part = (rest << 8) | u16::from(*byte);
            *byte = (part / 10) as u8;
            rest = part % 10;
        }
        digits.push(b'0' + rest as u8);
    }
    digits.reverse();
    point(negative, &String::from_utf8_lossy(&digits), scale)
}

fn point(negative: bool, digits: &str, scale: usize) -> String {
    let sign = if negative { "-" } else { "" };
    if scale == 0 {
        return format!("{sign}{}", if digits.is_empty() { "0" } else { digits });
    }
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let of = |bytes: &[u8], scale| {
            decimal(&Decimal::from_bytes(ByteArray::from(bytes.to_vec()), 38, scale))
        };
        assert_eq!(of(&[0x04, 0xD2], 2), "12.34");
        assert_eq!(of(&[0xFF], 2), "-0.01");
        assert_eq!(of(&[0], 0), "0");
        let mut wide = vec![0; 17];
        wide[0] = 1;
        assert_eq!(of(&wide, 0), "340282366920938463463374607431768211456");
    }

    #[test]
    fn floats_and_uuids_are_written_as_they_are_known() {
        let of = |v| plain(&Field::Double(v));
        assert_eq!(
            (of(0.1), of(1e300), of(-1.5e-9)),
            ("0.1".into(), "1.0e300".into(), "-1.5e-9".into())
        );
        assert_eq!(plain(&Field::Float(0.1)), "0.1");
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(uuid(&bytes).unwrap(), "00010203-0405-0607-0809-0a0b0c0d0e0f");
    }

    #[test]
    fn times_are_written_year_first() {
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(moment(1_500_000_000), "1970-01-01 00:00:01.500000");
        assert_eq!(moment(-1), "1969-12-31 23:59:59.999999999");
        assert_eq!(clock(3_661_000_000_000), "01:01:01");
        assert_eq!(clock(3_661_000_000_001), "01:01:01.000000001");
    }
}
