//! What the schema says of a column beyond what its values say: units, zones, bytes that are no text.

use std::collections::VecDeque;
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::Int96;
use parquet::errors::Result;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::Type;

/// Values of a column that are read at a time.
const VALUES: usize = 4096;
/// The day of 1970-01-01 in the count of INT96.
const EPOCH_DAY: i128 = 2_440_588;

/// How the values of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// As they are.
    Plain,
    /// Moments in UTC.
    Utc,
    /// Whole numbers that count nanoseconds since 1970, perhaps in UTC.
    Nanos { utc: bool },
    /// Whole numbers that count nanoseconds since midnight.
    ClockNanos,
    /// Sixteen bytes.
    Uuid,
    /// Bytes that are no text.
    Binary,
    /// The old 96-bit moments, to the nanosecond.
    Int96,
    /// Nothing that can be read: an interval.
    Unknown,
}

impl Kind {
    /// What the schema says of a column.
    pub(super) fn of(column: &Type) -> Self {
        if column.is_group() {
            return if has_interval(column) { Self::Unknown } else { Self::Plain };
        }
        let info = column.get_basic_info();
        let bytes = matches!(
            column.get_physical_type(),
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY
        );
        match (column.get_physical_type(), info.logical_type_ref(), info.converted_type()) {
            (Physical::INT96, ..) => Self::Int96,
            (_, Some(LogicalType::Timestamp(t)), _) => match t.unit {
                TimeUnit::NANOS => Self::Nanos { utc: t.is_adjusted_to_u_t_c },
                _ if t.is_adjusted_to_u_t_c => Self::Utc,
                _ => Self::Plain,
            },
            (_, Some(LogicalType::Time(t)), _) if matches!(t.unit, TimeUnit::NANOS) => {
                Self::ClockNanos
            }
            // Without a logical type, the older one means UTC.
            (_, None, ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS) => {
                Self::Utc
            }
            (_, Some(LogicalType::Uuid), _) => Self::Uuid,
            (_, Some(LogicalType::Float16), _) => Self::Plain,
            (_, _, ConvertedType::INTERVAL) => Self::Unknown,
            (_, _, ConvertedType::NONE | ConvertedType::BSON) if bytes => Self::Binary,
            _ => Self::Plain,
        }
    }
}

fn has_interval(column: &Type) -> bool {
    if column.is_group() {
        return column.get_fields().iter().any(|f| has_interval(f));
    }
    column.get_basic_info().converted_type() == ConvertedType::INTERVAL
}

/// A column of INT96 read by itself: the reader of rows keeps milliseconds only.
pub(super) struct Moments {
    file: Arc<SerializedFileReader<std::fs::File>>,
    leaf: usize,
    next_group: usize,
    column: Option<ColumnReader>,
    ready: VecDeque<Option<i128>>,
}

impl Moments {
    /// The column that is leaf `leaf` of the schema.
    pub(super) fn new(file: Arc<SerializedFileReader<std::fs::File>>, leaf: usize) -> Self {
        Self { file, leaf, next_group: 0, column: None, ready: VecDeque::new() }
    }

    /// The value of the next row, in nanoseconds since 1970; none is NULL.
    pub(super) fn next(&mut self) -> Result<Option<i128>> {
        while self.ready.is_empty() {
            if !self.refill()? {
                return Ok(None);
            }
        }
        Ok(self.ready.pop_front().flatten())
    }

    /// Reads some more; false at the end of the file.
    fn refill(&mut self) -> Result<bool> {
        if let Some(ColumnReader::Int96ColumnReader(reader)) = &mut self.column {
            let (mut levels, mut values) = (Vec::new(), Vec::<Int96>::new());
            let (records, ..) =
                reader.read_records(VALUES, Some(&mut levels), None, &mut values)?;
            let mut values = values.into_iter();
            for row in 0..records {
                // A column that must have values has no levels.
                let there = levels.get(row).is_none_or(|l| *l > 0);
                self.ready.push_back(if there {
                    values.next().map(|v| nanos(v.data()))
                } else {
                    None
                });
            }
            if records > 0 {
                return Ok(true);
            }
        }
        if self.next_group >= self.file.num_row_groups() {
            return Ok(false);
        }
        let group = self.file.get_row_group(self.next_group)?;
        self.column = Some(group.get_column_reader(self.leaf)?);
        self.next_group += 1;
        Ok(true)
    }
}

fn nanos(parts: &[u32]) -> i128 {
    let part = |i: usize| i128::from(parts.get(i).copied().unwrap_or_default());
    let of_day = part(0) | (part(1) << 32);
    (part(2) - EPOCH_DAY) * 86_400_000_000_000 + of_day
}
