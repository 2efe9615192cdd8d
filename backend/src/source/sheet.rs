//! Excel and OpenDocument sheets, as rows of the canonical form.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use calamine::{Data, ExcelDateTime, Reader};
use shared::{ErrorBody, ErrorCode};

use super::open::{Part, Stream, io_error};
use super::{SourceError, canonical};

/// The names of a workbook's sheets.
pub(super) fn names(path: &Path) -> Result<Vec<String>, SourceError> {
    Ok(book(path)?.sheet_names())
}

type Book = calamine::Sheets<Cursor<Bytes>>;

fn book(path: &Path) -> Result<Book, SourceError> {
    let bytes = Bytes::from(std::fs::read(path).map_err(io_error(path))?);
    calamine::open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|e| SourceError::Damaged {
        path: path.to_owned(),
        detail: format!("no workbook: {e}"),
    })
}

/// The rows of a sheet, the first one where none is named. Memory: the sheet.
pub(super) fn stream(
    part: &Part,
    sheet: Option<&str>,
    count: &Arc<AtomicU64>,
) -> Result<Stream, SourceError> {
    let path = &part.path;
    let mut book = book(path)?;
    let names = book.sheet_names();
    let name = match sheet {
        Some(wanted) => names.iter().find(|n| n.as_str() == wanted),
        None => names.first(),
    };
    let Some(name) = name.cloned() else {
        return Err(SourceError::Body(
            ErrorBody::new(
                ErrorCode::NotFound,
                format!("{} has no sheet {:?}", path.display(), sheet.unwrap_or_default()),
            )
            .with_hint(format!("Its sheets are: {}.", names.join(", "))),
        ));
    };
    let range = book.worksheet_range(&name).map_err(|e| SourceError::Damaged {
        path: path.clone(),
        detail: format!("sheet {name:?}: {e}"),
    })?;
    let mut out = Vec::new();
    let width = range.width();
    // Rows above the used range count as lines, so that a line is the sheet's row number.
    let above = range.start().map_or(0, |(row, _)| row);
    out.resize(above as usize, b'\n');
    for row in range.rows() {
        if row.iter().all(|c| *c == Data::Empty) {
            out.push(b'\n');
            continue;
        }
        for (i, cell) in row.iter().enumerate() {
            match cell {
                Data::Empty => canonical::null(&mut out),
                other => canonical::value(text(other).as_bytes(), &mut out),
            }
            canonical::end(i + 1 == width, &mut out);
        }
    }
    let bytes = std::fs::metadata(path).map_err(io_error(path))?.len();
    count.fetch_add(bytes, Ordering::Relaxed);
    Ok(Box::new(Cursor::new(out)))
}

fn text(cell: &Data) -> String {
    match cell {
        Data::Int(n) => n.to_string(),
        Data::Float(n) => n.to_string(),
        Data::String(s) => s.clone(),
        Data::Bool(b) => b.to_string(),
        Data::DateTime(d) => moment(*d),
        Data::DateTimeIso(s) | Data::DurationIso(s) => s.clone(),
        Data::Error(e) => e.to_string(),
        Data::Empty => String::new(),
    }
}

fn moment(value: ExcelDateTime) -> String {
    let Some(moment) = value.as_datetime().filter(|_| value.is_datetime()) else {
        let seconds = (value.as_f64() * 86_400.0).round() as i64;
        let (sign, s) = (if seconds < 0 { "-" } else { "" }, seconds.unsigned_abs());
        return format!("{sign}{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
    };
    if value.as_f64() < 1.0 {
        return moment.format("%H:%M:%S%.f").to_string();
    }
    if value.as_f64().fract() == 0.0 {
        return moment.format("%Y-%m-%d").to_string();
    }
    moment.format("%Y-%m-%d %H:%M:%S%.f").to_string()
}
