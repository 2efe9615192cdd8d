//! Excel and OpenDocument sheets, as rows of the canonical form.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use calamine::{Data, ExcelDateTime, Reader};
use shared::profile::value::{Shape, shape};
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

/// Rows above the table: titles of a single cell, and empty rows. The table must begin with a row of
/// words in every cell, or nothing is passed over.
pub(super) fn title_rows(rows: &[u8]) -> u64 {
    const TITLES_MAX: usize = 40;
    let mut titles = 0;
    for (i, row) in rows.split(|b| *b == b'\n').take(TITLES_MAX).enumerate() {
        let cells: Vec<&[u8]> = row.split(|b| *b == b'\t').collect();
        let filled = cells.iter().filter(|c| **c != b"\\N" && !c.is_empty()).count();
        match filled {
            0 => {}
            1 if cells.len() > 1 => titles += 1,
            n => {
                let is_word = |c: &&[u8]| shape(c, b'.') == Shape::Text;
                let header = n == cells.len() && cells.iter().all(is_word);
                return if header && titles > 0 { i as u64 } else { 0 };
            }
        }
    }
    0
}

fn text(cell: &Data) -> String {
    match cell {
        Data::Int(n) => n.to_string(),
        Data::Float(n) => canonical::float(*n),
        Data::String(s) => s.clone(),
        Data::Bool(b) => b.to_string(),
        Data::DateTime(d) => moment(*d),
        Data::DateTimeIso(s) => s.clone(),
        Data::DurationIso(s) => duration(s).unwrap_or_else(|| s.clone()),
        Data::Error(e) => e.to_string(),
        Data::Empty => String::new(),
    }
}

/// `PT10H15M30.5S` as `10:15:30.5`; none where it counts in other units.
fn duration(text: &str) -> Option<String> {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let mut rest = text.strip_prefix("PT")?;
    let mut part = |unit: char| -> Option<&str> {
        let Some((number, after)) = rest.split_once(unit) else { return Some("0") };
        rest = after;
        number.chars().all(|c| c.is_ascii_digit() || c == '.').then_some(number)
    };
    let (hours, minutes, seconds) = (part('H')?, part('M')?, part('S')?);
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    rest.is_empty().then(|| format!("{sign}{hours:0>2}:{minutes:0>2}:{whole:0>2}{point}{fraction}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_above_a_table_are_passed_over() {
        let check = |rows: &str, want| assert_eq!(title_rows(rows.as_bytes()), want, "{rows}");
        check("\n\nReport\t\\N\n\nid\tn\n1\t2\n", 4);
        check("id\tn\n1\t2\n", 0);
        check("Ann\t\\N\nBo\t5\n", 0);
        check("one\ntwo\n", 0);
    }

    #[test]
    fn durations_are_written_like_clocks() {
        let check =
            |text, want: Option<&str>| assert_eq!(duration(text).as_deref(), want, "{text}");
        check("PT10H15M30S", Some("10:15:30"));
        check("PT00H00M01.500S", Some("00:00:01.5"));
        check("-PT36H", Some("-36:00:00"));
        check("P1DT2H", None);
        check("PTxH", None);
    }
}
