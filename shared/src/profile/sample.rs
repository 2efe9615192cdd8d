//! A profile from the first part of a file: the browser's on a dropped file, the service's first look.

use super::encoding::{self, Charset, Judgement};
use super::{Compression, Evidence, Profile, delimited, documents};
use crate::options::{Format, ImportOptions};
use crate::{ErrorBody, ErrorCode};

/// The most bytes that a sample looks at.
pub const SAMPLE_BYTES_MAX: usize = 1 << 20;

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

/// The format of a binary file, by its name and first bytes; none for text.
#[must_use]
pub fn binary_format(head: &[u8], file_name: &str) -> Option<Format> {
    if head.starts_with(b"PAR1") {
        return Some(Format::Parquet);
    }
    let name = file_name.to_ascii_lowercase();
    let sheet = [".xlsx", ".xlsm", ".xlsb", ".ods"].iter().any(|end| name.ends_with(end));
    let old = head.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    let inside = compression_of(head) == Compression::Zip
        && head.get(30..).is_some_and(|names| {
            names.starts_with(b"[Content_Types].xml")
                || names.starts_with(b"_rels/")
                || names.starts_with(b"xl/")
                || names.starts_with(b"docProps/")
                || names.starts_with(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet")
        });
    let sheet = sheet && compression_of(head) == Compression::Zip;
    (sheet || old || inside).then_some(Format::Sheet)
}

/// What the first bytes of a file tell; with `complete`, they are all of it. Only the first
/// [`SAMPLE_BYTES_MAX`] are looked at.
///
/// # Errors
/// An empty file, or an option that cannot be followed.
pub fn sample(
    bytes: &[u8],
    complete: bool,
    file_name: &str,
    options: &ImportOptions,
) -> Result<Profile, ErrorBody> {
    let kept = bytes.get(..SAMPLE_BYTES_MAX).unwrap_or(bytes);
    let complete = complete && kept.len() == bytes.len();
    if kept.is_empty() && complete {
        return Err(empty(file_name));
    }
    let mut profile = if let Some(format) = binary_format(kept, file_name) {
        closed(kept, format, Compression::None, options)
    } else if compression_of(kept) != Compression::None {
        let format = options.format.unwrap_or(Format::Csv);
        closed(kept, format, compression_of(kept), options)
    } else {
        let judgement = encoding_of(kept, options)?;
        let text = encoding::decode(kept, judgement.charset);
        sample_text(&text, complete, file_name, options, judgement.evidence())?
    };
    profile.file_bytes = bytes.len() as u64;
    profile.read_bytes = kept.len() as u64;
    Ok(profile)
}

fn empty(file_name: &str) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::EmptyFile,
        format!("{file_name}: the file is empty, so there are no columns and no rows"),
    )
}

/// The encoding as set, or as judged.
fn encoding_of(bytes: &[u8], options: &ImportOptions) -> Result<Judgement, ErrorBody> {
    let Some(name) = options.encoding.as_deref().filter(|n| !n.trim().is_empty()) else {
        return Ok(encoding::judge(bytes));
    };
    let charset = Charset::by_name(name).unwrap_or(Charset::Legacy);
    Ok(Judgement { charset, why: "set by you".to_owned(), confidence: 1.0 })
}

/// What a sample tells that has been unpacked and decoded to UTF-8 already; `encoding` says how.
///
/// # Errors
/// As for [`sample`].
pub fn sample_text(
    text: &[u8],
    complete: bool,
    file_name: &str,
    options: &ImportOptions,
    encoding: Evidence,
) -> Result<Profile, ErrorBody> {
    if complete && text.trim_ascii().is_empty() {
        return Err(empty(file_name));
    }
    let mut encoding = encoding;
    if options.encoding.as_deref().is_some_and(|n| !n.trim().is_empty()) {
        encoding.set = true;
    }
    let (format, evidence) = format_of(text, options);
    let mut profile = match format {
        Format::Jsonl | Format::Json => documents::sample(text, complete, format, options)?,
        _ => delimited::sample(text, complete, options)?,
    };
    if !encoding.set && encoding.settled != "UTF-8" && encoding.confidence < 0.75 {
        profile.warnings.push(format!(
            "The encoding may be {} or another one: look at letters beyond ASCII in the preview",
            encoding.settled
        ));
    }
    profile.encoding = encoding.settled.clone();
    profile.evidence.insert(0, encoding);
    profile.evidence.insert(0, evidence);
    profile.read_bytes = text.len() as u64;
    profile.file_bytes = text.len() as u64;
    Ok(profile)
}

/// The format of text, as set or as its beginning looks.
fn format_of(text: &[u8], options: &ImportOptions) -> (Format, Evidence) {
    let say = |format, settled: &str, why: &str, confidence, set| {
        (format, Evidence { set, ..Evidence::found("format", settled, why, confidence) })
    };
    if let Some(format) = options.format {
        let settled = match format {
            Format::Csv => "delimited text",
            Format::Jsonl => "JSON lines",
            Format::Json => "JSON array",
            Format::Parquet => "Parquet",
            Format::Sheet => "spreadsheet",
        };
        return say(format, settled, "set by you", 1.0, true);
    }
    let trimmed = text.trim_ascii_start();
    let first_line = trimmed.split(|b| *b == b'\n').next().unwrap_or_default();
    let is_object = |t: &[u8]| super::json::members(t, |_| Ok(())).is_ok();
    if trimmed.starts_with(b"{") && is_object(first_line) {
        return say(Format::Jsonl, "JSON lines", "its first line is a JSON object", 0.97, false);
    }
    let inner = trimmed.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    let is_array = inner.is_some_and(|i| i.starts_with(b"{") && begins_with_object(i));
    if is_array || (trimmed.starts_with(b"{") && begins_with_object(trimmed)) {
        return say(Format::Json, "JSON array", "it begins with a JSON object", 0.97, false);
    }
    say(Format::Csv, "delimited text", "it is text, and not JSON", 0.9, false)
}

fn begins_with_object(text: &[u8]) -> bool {
    match super::json::value_end(text, 0) {
        Some(end) => super::json::is_json(text.get(..end).unwrap_or_default()),
        // Longer than the sample: a key and a colon must do.
        None => {
            let inner = text.get(1..).unwrap_or_default().trim_ascii_start();
            inner.starts_with(b"\"")
        }
    }
}

/// The profile of a file whose records cannot be seen from here: packed or binary.
fn closed(
    bytes: &[u8],
    format: Format,
    compression: Compression,
    options: &ImportOptions,
) -> Profile {
    let (about, settled, why) = match (compression, format) {
        (Compression::None, Format::Parquet) => ("format", "Parquet", "it begins with PAR1"),
        (Compression::None, _) => ("format", "spreadsheet", "its name and first bytes say so"),
        (Compression::Gzip, _) => ("compression", "gzip", "its first bytes say so"),
        (Compression::Zstd, _) => ("compression", "Zstandard", "its first bytes say so"),
        (Compression::Xz, _) => ("compression", "xz", "its first bytes say so"),
        (Compression::Bzip2, _) => ("compression", "bzip2", "its first bytes say so"),
        (Compression::Zip, _) => ("compression", "zip", "its first bytes say so"),
    };
    let evidence = Evidence::found(about, settled, why, 1.0);
    Profile {
        format,
        compression,
        evidence: vec![evidence],
        warnings: vec!["The service looks inside once the file is there.".to_owned()],
        file_bytes: bytes.len() as u64,
        ..blank(options)
    }
}

/// A profile of nothing, to be filled in.
pub(super) fn blank(options: &ImportOptions) -> Profile {
    Profile {
        format: Format::Csv,
        compression: Compression::None,
        encoding: "UTF-8".to_owned(),
        dialect: None,
        evidence: Vec::new(),
        warnings: Vec::new(),
        null_markers: options.null.clone().unwrap_or_default(),
        quoted_null: options.quoted_null.unwrap_or(false),
        columns: Vec::new(),
        preview: Vec::new(),
        file_bytes: 0,
        read_bytes: 0,
        whole: false,
        rows: None,
        record_bytes: 0.0,
        empty_lines: 0,
        comment_lines: 0,
        primary_key: Vec::new(),
        parts: Vec::new(),
    }
}
