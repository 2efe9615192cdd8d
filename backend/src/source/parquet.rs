//! Parquet files, as rows of the canonical form with a header.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Days, NaiveDate};
use parquet::data_type::{ByteArray, Decimal};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};

use super::open::{Part, Stream, io_error};
use super::{SourceError, canonical};

/// Bytes that are made ready at a time.
const READY_BYTES: usize = 256 << 10;

/// The rows of a Parquet file; the first line holds the columns' names.
pub(super) fn stream(part: &Part, count: &Arc<AtomicU64>) -> Result<Stream, SourceError> {
    let path = part.path.as_path();
    let damaged = |e: parquet::errors::ParquetError| SourceError::Damaged {
        path: path.to_owned(),
        detail: e.to_string(),
    };
    let file = File::open(path).map_err(io_error(path))?;
    let bytes = file.metadata().map_err(io_error(path))?.len();
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let mut ready = Vec::new();
    let metadata = reader.metadata().file_metadata();
    let fields = metadata.schema().get_fields().to_vec();
    let rows = u64::try_from(metadata.num_rows()).unwrap_or(0);
    for (i, field) in fields.iter().enumerate() {
        canonical::value(field.name().as_bytes(), &mut ready);
        canonical::end(i + 1 == fields.len(), &mut ready);
    }
    Ok(Box::new(Rows {
        rows: RowIter::from_file_into(Box::new(reader)),
        ready,
        given: 0,
        bytes_per_row: bytes as f64 / rows.max(1) as f64,
        row: 0,
        counted: 0,
        count: Arc::clone(count),
    }))
}

/// How many rows a file says it has.
pub(super) fn row_count(path: &Path) -> Option<u64> {
    let reader = SerializedFileReader::new(File::open(path).ok()?).ok()?;
    u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
}

struct Rows {
    rows: RowIter<'static>,
    ready: Vec<u8>,
    given: usize,
    bytes_per_row: f64,
    row: u64,
    counted: u64,
    count: Arc<AtomicU64>,
}

impl Read for Rows {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
            while self.ready.len() < READY_BYTES {
                let Some(row) = self.rows.next() else { break };
                let row = row.map_err(std::io::Error::other)?;
                write(&row, &mut self.ready);
                self.row += 1;
            }
            // Progress by rows: a row group is read long before its rows are.
            let reached = (self.row as f64 * self.bytes_per_row) as u64;
            self.count.fetch_add(reached - self.counted, Ordering::Relaxed);
            self.counted = reached;
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

fn write(row: &Row, out: &mut Vec<u8>) {
    let columns = row.len();
    for (i, (_, field)) in row.get_column_iter().enumerate() {
        match field {
            Field::Null => canonical::null(out),
            Field::Str(text) => canonical::value(text.as_bytes(), out),
            Field::Bytes(bytes) => canonical::value(bytes.data(), out),
            other => canonical::value(text(other).as_bytes(), out),
        }
        canonical::end(i + 1 == columns, out);
    }
}

fn text(field: &Field) -> String {
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
        Field::Float(v) => v.to_string(),
        Field::Double(v) => v.to_string(),
        Field::Decimal(v) => decimal(v),
        Field::Date(days) => date(*days),
        Field::TimeMillis(v) => clock(i64::from(*v) * 1000),
        Field::TimeMicros(v) => clock(*v),
        Field::TimestampMillis(v) => moment(v.saturating_mul(1000)),
        Field::TimestampMicros(v) => moment(*v),
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

fn clock(micros: i64) -> String {
    let (seconds, rest) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if rest == 0 { whole } else { format!("{whole}.{rest:06}") }
}

fn moment(micros: i64) -> String {
    match DateTime::from_timestamp_micros(micros) {
        Some(m) if micros.rem_euclid(1_000_000) == 0 => m.format("%Y-%m-%d %H:%M:%S").to_string(),
        Some(m) => m.format("%Y-%m-%d %H:%M:%S%.6f").to_string(),
        None => format!("{micros} microseconds"),
    }
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
    fn times_are_written_year_first() {
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(moment(1_500_000), "1970-01-01 00:00:01.500000");
        assert_eq!(clock(3_661_000_000), "01:01:01");
    }
}
