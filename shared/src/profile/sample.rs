//! A profile from the first part of a file.

use super::grammar::{Grammar, Spans};
use super::{ColumnProfile, Compression, Dialect, Profile};
use crate::column_type::ColumnType;
use crate::options::{Format, ImportOptions};
use crate::{ErrorBody, ErrorCode};

/// How a file is packed, by its first bytes.
#[must_use]
pub fn compression_of(head: &[u8]) -> Compression {
    let bzip2 = head.starts_with(b"BZh")
        && head.get(4..10).is_some_and(|m| m == b"1AY&SY" || m == b"\x17rE8P\x90");
    if head.starts_with(b"\x1F\x8B\x08") {
        Compression::Gzip
    } else if head.starts_with(b"\x28\xB5\x2F\xFD") {
        Compression::Zstd
    } else if head.starts_with(b"\xFD7zXZ\0") {
        Compression::Xz
    } else if bzip2 {
        Compression::Bzip2
    } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        Compression::Zip
    } else {
        Compression::None
    }
}

/// What the first bytes of a file tell; with `complete`, they are all of it.
///
/// # Errors
/// An empty file, or an option that cannot be followed.
pub fn sample(
    bytes: &[u8],
    complete: bool,
    file_name: &str,
    options: &ImportOptions,
) -> Result<Profile, ErrorBody> {
    if bytes.is_empty() {
        return Err(ErrorBody::new(
            ErrorCode::EmptyFile,
            format!("{file_name}: the file is empty"),
        ));
    }
    let dialect = Dialect {
        delimiter: options.delimiter.clone().unwrap_or_else(|| ",".to_owned()),
        header: options.header.unwrap_or(true),
        ..Dialect::default()
    };
    let grammar = Grammar::new(&dialect);
    let mut spans = Spans::default();
    grammar.split(bytes, 0, &mut spans);
    let columns = (0..spans.spans.len())
        .map(|i| {
            let name = if dialect.header {
                String::from_utf8_lossy(spans.bytes(bytes, i).unwrap_or_default()).into_owned()
            } else {
                format!("column_{}", i + 1)
            };
            ColumnProfile {
                source_name: name.clone(),
                name,
                column_type: ColumnType::Varchar { chars: 255 },
                why: String::new(),
                date_format: None,
                nullable: true,
                nulls: 0,
                empties: 0,
                distinct_estimate: None,
                min: None,
                max: None,
                longest_chars: 0,
                longest_bytes: 0,
                samples: Vec::new(),
                unique: false,
                ascending: false,
            }
        })
        .collect();
    Ok(Profile {
        format: options.format.unwrap_or(Format::Csv),
        compression: Compression::None,
        encoding: "UTF-8".to_owned(),
        dialect: Some(dialect),
        evidence: Vec::new(),
        warnings: Vec::new(),
        null_markers: options.null.clone().unwrap_or_default(),
        quoted_null: options.quoted_null.unwrap_or(false),
        columns,
        preview: Vec::new(),
        file_bytes: bytes.len() as u64,
        read_bytes: bytes.len() as u64,
        whole: complete,
        rows: None,
        record_bytes: 0.0,
        empty_lines: 0,
        comment_lines: 0,
        primary_key: Vec::new(),
        parts: Vec::new(),
    })
}
