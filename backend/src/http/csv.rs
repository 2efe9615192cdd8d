//! CSV that a spreadsheet may open: RFC 4180, and no cell that it would run as a formula.

use actix_web::HttpResponse;
use actix_web::http::header;
use bytes::Bytes;
use futures_util::Stream;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The content type of these files.
pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8; header=present";

/// The answer with a file that comes page by page, `about` being what it holds.
pub fn download<E>(
    about: &str,
    pages: impl Stream<Item = Result<Bytes, E>> + 'static,
) -> HttpResponse
where
    E: Into<Box<dyn std::error::Error>> + 'static,
{
    HttpResponse::Ok()
        .content_type(CONTENT_TYPE)
        .insert_header((header::CONTENT_DISPOSITION, disposition("plimsoll", about)))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .streaming(pages)
}

/// Adds a record.
pub fn push_record<'a>(text: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    for (i, cell) in cells.into_iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        push_cell(text, cell);
    }
    text.push_str("\r\n");
}

/// A cell that a spreadsheet would run as a formula gets an apostrophe before it, which makes it
/// text; plain numbers are left alone.
fn push_cell(text: &mut String, cell: &str) {
    let runs =
        cell.trim_start().starts_with(['=', '+', '-', '@']) || cell.starts_with(['\t', '\r']);
    let disarm = runs && cell.parse::<f64>().is_err();
    if disarm || cell.contains([',', '"', '\r', '\n']) {
        text.push('"');
        if disarm {
            text.push('\'');
        }
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

/// `Content-Disposition` for a file to be kept, safe whatever `stem` is; `kind` tells what it holds.
pub fn disposition(stem: &str, kind: &str) -> String {
    let stem: String = stem.chars().filter(|c| !c.is_control()).take(100).collect();
    let stem = if stem.trim().is_empty() { "import" } else { stem.trim() };
    let name = format!("{stem}-{kind}");
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' })
        .collect();
    let encoded = utf8_percent_encode(&name, NON_ALPHANUMERIC);
    format!("attachment; filename=\"{plain}.csv\"; filename*=UTF-8''{encoded}%2Ecsv")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_becomes_text_and_a_number_stays_one() {
        for (cell, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("-1+1|cmd", "\"'-1+1|cmd\""),
            (" =1+1", "\"' =1+1\""),
            ("\t=1", "\"'\t=1\""),
            ("-12.50", "-12.50"),
            ("+3e5", "+3e5"),
        ] {
            let mut text = String::new();
            push_cell(&mut text, cell);
            assert_eq!(text, written, "{cell}");
        }
    }

    #[test]
    fn a_name_cannot_break_out_of_its_header() {
        for (name, plain) in [
            ("trips", "trips"),
            ("a\"; filename=evil", "a___filename_evil"),
            ("x\r\nSet-Cookie: a=b", "xSet-Cookie__a_b"),
            ("数据", "__"),
            ("", "import"),
        ] {
            let header = disposition(name, "rejects");
            let wanted = format!("attachment; filename=\"{plain}-rejects.csv\"; ");
            assert!(header.starts_with(&wanted), "{name:?}: {header}");
            assert!(header.bytes().all(|b| (0x20..0x7f).contains(&b)), "{header}");
        }
    }
}
