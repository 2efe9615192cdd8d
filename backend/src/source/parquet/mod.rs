//! Parquet files, as rows of the canonical form with a header.

mod kind;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use shared::ErrorCode;

use super::open::{Part, Stream, io_error};
use super::{SourceError, canonical};
use kind::{Kind, Moments};

/// Bytes that are made ready at a time.
const READY_BYTES: usize = 256 << 10;

fn open(path: &Path) -> Result<SerializedFileReader<File>, SourceError> {
    let file = File::open(path).map_err(io_error(path))?;
    SerializedFileReader::new(file).map_err(|e| damaged(path, &e))
}

fn damaged(path: &Path, error: &ParquetError) -> SourceError {
    let detail = error.to_string();
    // A codec that is not built in is no damage.
    if matches!(error, ParquetError::NYI(_)) || detail.contains("Disabled feature") {
        let message = format!("{} cannot be read: {detail}", path.display());
        return SourceError::new(ErrorCode::UnsupportedFormat, message);
    }
    SourceError::Damaged { path: path.to_owned(), detail }
}

/// The rows of a Parquet file; the first line holds the columns' names.
pub(super) fn stream(part: &Part, count: &Arc<AtomicU64>) -> Result<Stream, SourceError> {
    let path = part.path.as_path();
    let bytes = std::fs::metadata(path).map_err(io_error(path))?.len();
    let reader = open(path)?;
    let mut ready = Vec::new();
    let metadata = reader.metadata().file_metadata();
    let fields = metadata.schema().get_fields().to_vec();
    let rows = u64::try_from(metadata.num_rows()).unwrap_or(0);
    let mut columns = Vec::new();
    for (i, field) in fields.iter().enumerate() {
        canonical::value(field.name().as_bytes(), &mut ready);
        canonical::end(i + 1 == fields.len(), &mut ready);
        let kind = Kind::of(field);
        if kind == Kind::Unknown {
            return Err(SourceError::new(
                ErrorCode::UnsupportedFormat,
                format!("the column {:?} of {} holds intervals", field.name(), part.name()),
            ));
        }
        let leaf = (0..metadata.schema_descr().num_columns())
            .find(|leaf| metadata.schema_descr().get_column_root_idx(*leaf) == i);
        let moments = match (kind, leaf) {
            (Kind::Int96, Some(leaf)) => Some(Moments::new(Arc::new(open(path)?), leaf)),
            _ => None,
        };
        columns.push((kind, moments));
    }
    Ok(Box::new(Rows {
        rows: RowIter::from_file_into(Box::new(reader)),
        columns,
        ready,
        given: 0,
        bytes_per_row: bytes as f64 / rows.max(1) as f64,
        row: 0,
        counted: 0,
        count: Arc::clone(count),
    }))
}

/// Columns (from 0) whose values are bytes and no text.
pub(super) fn binary_columns(path: &Path) -> Result<Vec<usize>, SourceError> {
    let reader = open(path)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let binary = fields.iter().enumerate().filter(|(_, field)| Kind::of(field) == Kind::Binary);
    Ok(binary.map(|(i, _)| i).collect())
}

/// How many rows a file says it has.
pub(super) fn row_count(path: &Path) -> Option<u64> {
    let reader = SerializedFileReader::new(File::open(path).ok()?).ok()?;
    u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
}

struct Rows {
    rows: RowIter<'static>,
    columns: Vec<(Kind, Option<Moments>)>,
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
                self.write(&row).map_err(std::io::Error::other)?;
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

impl Rows {
    fn write(&mut self, row: &Row) -> parquet::errors::Result<()> {
        let width = row.len();
        let out = &mut self.ready;
        for (i, ((_, field), (kind, moments))) in
            row.get_column_iter().zip(&mut self.columns).enumerate()
        {
            // Read even where it is NULL, to stay beside the other columns.
            let exact = moments.as_mut().map(Moments::next).transpose()?.flatten();
            match (field, *kind) {
                (Field::Null, _) => canonical::null(out),
                (Field::Str(text), _) => canonical::value(text.as_bytes(), out),
                (Field::Bytes(bytes), Kind::Uuid) if text::uuid(bytes.data()).is_some() => {
                    let text = text::uuid(bytes.data()).unwrap_or_default();
                    canonical::value(text.as_bytes(), out);
                }
                (Field::Bytes(bytes), _) => canonical::value(bytes.data(), out),
                (field, kind) => {
                    canonical::value(special(field, kind, exact).as_bytes(), out);
                }
            }
            canonical::end(i + 1 == width, out);
        }
        Ok(())
    }
}

/// A value as the schema means it.
fn special(field: &Field, kind: Kind, exact: Option<i128>) -> String {
    match (kind, field, exact) {
        (Kind::Int96, _, Some(nanos)) => text::moment(nanos),
        (Kind::Nanos { utc }, Field::Long(n), _) => {
            let moment = text::moment(i128::from(*n));
            if utc { moment + "Z" } else { moment }
        }
        (Kind::ClockNanos, Field::Long(n), _) => text::clock(i128::from(*n)),
        (Kind::Utc, field, _) => text::plain(field) + "Z",
        (_, field, _) => text::plain(field),
    }
}
