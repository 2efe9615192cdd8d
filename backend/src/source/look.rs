//! The first look at files on disk: format, packing, encoding, and a profile of the first part.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use shared::options::Format;
use shared::profile::infer;
use shared::profile::{self as look, Compression, Evidence, Profile, SAMPLE_BYTES_MAX, encoding};
use shared::{ErrorBody, ErrorCode, ImportOptions};

use super::decode::Charset;
use super::open::{self, Part, io_error};
use super::{SourceError, canonical, foreign, parquet, sheet};

/// The longest sample: a first record longer than that is read in the full pass only.
const SAMPLE_BYTES: u64 = SAMPLE_BYTES_MAX as u64;

/// How sure a guess from few letters is.
const UNSURE: f64 = 0.5;

/// Profiles the first part of the first file.
pub(super) fn sample(paths: &[PathBuf], options: &ImportOptions) -> Result<Profile, SourceError> {
    let Some(path) = paths.first() else {
        return Err(SourceError::new(ErrorCode::BadRequest, "no file was given"));
    };
    let head = open::head(path, 256)?;
    let format = match options.format {
        Some(Format::Parquet) => Some(Format::Parquet),
        Some(Format::Sheet) => Some(Format::Sheet),
        Some(_) => None,
        None => look::binary_format(&head, &file_name(path)),
    };
    let mut profile = match format {
        Some(Format::Parquet) => from_parquet(path, options)?,
        Some(_) => from_sheet(path, options)?,
        None => from_text(paths, options)?,
    };
    let mut file_bytes = 0;
    for path in paths {
        file_bytes += std::fs::metadata(path).map_err(io_error(path))?.len();
    }
    profile.file_bytes = file_bytes;
    profile.whole &= paths.len() == 1;
    let plain = profile.compression == Compression::None && format.is_none();
    if profile.rows.is_none() && plain && profile.record_bytes > 0.0 {
        profile.rows = Some((file_bytes as f64 / profile.record_bytes).round() as u64);
    }
    if paths.len() > 1 && profile.rows.is_some() && !plain {
        profile.rows = None;
    }
    Ok(profile)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn unpacked_sample(part: &Part) -> Result<(Vec<u8>, bool), SourceError> {
    let count = Arc::new(AtomicU64::new(0));
    let mut bytes = Vec::new();
    let wanted = SAMPLE_BYTES + 1;
    part.open(&count)?.take(wanted).read_to_end(&mut bytes).map_err(|e| part.read_error(e))?;
    let complete = (bytes.len() as u64) < wanted;
    bytes.truncate(SAMPLE_BYTES as usize);
    Ok((bytes, complete))
}

fn from_text(paths: &[PathBuf], options: &ImportOptions) -> Result<Profile, SourceError> {
    let parts = open::parts(paths, false)?;
    let Some(part) = parts.first() else {
        return Err(SourceError::new(ErrorCode::BadRequest, "no file was given"));
    };
    let (bytes, complete) = unpacked_sample(part)?;
    if options.format.is_none() && options.encoding.is_none() {
        foreign::refuse(&part.name(), &bytes)?;
    }
    let (charset, evidence) = charset_of(&bytes, complete, options)?;
    let guessed = evidence.confidence <= UNSURE && !evidence.set;
    let mut text = Vec::new();
    let length = bytes.len() as u64;
    let source: open::Stream = Box::new(std::io::Cursor::new(bytes));
    charset.decode(source).read_to_end(&mut text).map_err(io_error(&part.path))?;
    let mut profile = look::sample_text(&text, complete, &part.name(), options, evidence)?;
    profile.whole = complete && parts.len() == 1;
    profile.compression = part.compression;
    profile.read_bytes = length;
    if guessed {
        profile.warnings.push(format!(
            "The encoding {} is a guess: look at the letters of the preview, or set the encoding",
            profile.encoding
        ));
    }
    profile.parts = parts.iter().filter(|p| p.is_member()).map(Part::name).collect();
    if part.compression != Compression::None {
        let name = match part.compression {
            Compression::Gzip => "gzip",
            Compression::Zstd => "Zstandard",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
            Compression::Zip | Compression::None => "zip",
        };
        profile.evidence.push(Evidence::found("compression", name, "its first bytes say so", 1.0));
    }
    Ok(profile)
}

/// The encoding as set, by mark and form, or by its letters.
fn charset_of(
    bytes: &[u8],
    complete: bool,
    options: &ImportOptions,
) -> Result<(Charset, Evidence), SourceError> {
    if let Some(name) = options.encoding.as_deref().filter(|n| !n.trim().is_empty()) {
        let mut charset = Charset::by_name(name)?;
        let judged = encoding::judge(bytes);
        // "UTF-16" without a byte order leaves that to the file.
        let open = matches!(
            name.trim().to_ascii_lowercase().as_str(),
            "utf-16" | "utf16" | "utf-32" | "utf32"
        );
        if open && judged.charset.name().starts_with(&charset.name()[..6]) {
            charset = Charset::by_name(judged.charset.name())?;
        }
        let evidence = Evidence {
            set: true,
            ..Evidence::found("encoding", charset.name(), "set by you", 1.0)
        };
        return Ok((charset, evidence));
    }
    let judged = encoding::judge(bytes);
    if judged.charset != encoding::Charset::Legacy {
        return Ok((Charset::by_name(judged.charset.name())?, judged.evidence()));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, complete);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let chinese = chinese_after_all(guess, bytes);
    let guess = chinese.unwrap_or(guess);
    let charset = Charset::by_name(guess.name())?;
    let letters = bytes.iter().filter(|b| !b.is_ascii()).count();
    let confidence = match letters {
        _ if chinese.is_some() => UNSURE,
        100.. => 0.85,
        20.. => 0.7,
        _ => UNSURE,
    };
    let why = format!(
        "{}; its {letters} letters beyond ASCII look most like {}",
        judged.why,
        guess.name()
    );
    Ok((charset, Evidence::found("encoding", charset.name(), &why, confidence)))
}

/// Japanese without a single kana is hardly Japanese: the same bytes may be good Chinese.
fn chinese_after_all(
    guess: &'static encoding_rs::Encoding,
    bytes: &[u8],
) -> Option<&'static encoding_rs::Encoding> {
    if guess != encoding_rs::EUC_JP {
        return None;
    }
    let (text, _) = guess.decode_without_bom_handling(bytes);
    if text.chars().any(|c| ('\u{3040}'..='\u{30FF}').contains(&c)) {
        return None;
    }
    let (_, faults) = encoding_rs::GBK.decode_without_bom_handling(bytes);
    (!faults).then_some(encoding_rs::GBK)
}

/// Profiles rows of the canonical form.
fn from_rows(
    mut stream: open::Stream,
    name: &str,
    header: Option<bool>,
    options: &ImportOptions,
    format: Evidence,
) -> Result<Profile, SourceError> {
    let mut bytes = Vec::new();
    let wanted = SAMPLE_BYTES + 1;
    let failed = |e: std::io::Error| {
        SourceError::new(ErrorCode::DamagedFile, format!("{name} is damaged: {e}"))
    };
    (&mut stream).take(wanted).read_to_end(&mut bytes).map_err(failed)?;
    let complete = (bytes.len() as u64) < wanted;
    bytes.truncate(SAMPLE_BYTES as usize);
    let form = canonical::dialect(true);
    let titles = if header.is_none() { sheet::title_rows(&bytes) } else { 0 };
    let skip_rows = options.skip_rows.filter(|_| header.is_none()).unwrap_or(titles);
    let forced = ImportOptions {
        format: Some(Format::Csv),
        delimiter: Some(form.delimiter),
        quote: Some(String::new()),
        escape: Some("\\".to_owned()),
        encoding: None,
        comment: None,
        skip_rows: Some(skip_rows),
        trim: Some(false),
        decimal: Some(".".to_owned()),
        thousands: None,
        header: header.or(options.header),
        ..options.clone()
    };
    let utf8 = Evidence::found("encoding", "UTF-8", "the format says so", 1.0);
    let mut profile = look::sample_text(&bytes, complete, name, &forced, utf8)?;
    let kept = |about: &str| match about {
        "header" => header.is_none(),
        "skip_rows" => skip_rows > 0,
        "date_format" => true,
        _ => false,
    };
    profile.evidence.retain(|e| kept(&e.about));
    for evidence in &mut profile.evidence {
        match evidence.about.as_str() {
            "header" => evidence.set &= options.header.is_some(),
            "skip_rows" if options.skip_rows.is_none() => {
                let why = "each has a single cell, as titles have";
                *evidence = Evidence::found("skip_rows", &evidence.settled, why, 0.75);
            }
            _ => {}
        }
    }
    profile.evidence.insert(0, format);
    if let Some(dialect) = &mut profile.dialect {
        dialect.trailing_delimiter = false;
        dialect.line_end = shared::profile::LineEnd::Lf;
    }
    Ok(profile)
}

fn from_parquet(path: &Path, options: &ImportOptions) -> Result<Profile, SourceError> {
    let part = Part::plain(path);
    let stream = parquet::stream(&part, &Arc::new(AtomicU64::new(0)))?;
    let format = Evidence::found("format", "Parquet", "it begins with PAR1", 1.0);
    let mut profile = from_rows(stream, &part.name(), Some(true), options, format)?;
    profile.format = Format::Parquet;
    for at in parquet::binary_columns(path)? {
        if let Some(column) = profile.columns.get_mut(at) {
            infer::make_binary(column, profile.whole);
        }
    }
    profile.rows = parquet::row_count(path);
    Ok(profile)
}

fn from_sheet(path: &Path, options: &ImportOptions) -> Result<Profile, SourceError> {
    let part = Part::plain(path);
    let names = sheet::names(path)?;
    let stream = sheet::stream(&part, options.sheet.as_deref(), &Arc::new(AtomicU64::new(0)))?;
    let format = Evidence::found("format", "spreadsheet", "its first bytes say so", 1.0);
    let mut profile = from_rows(stream, &part.name(), None, options, format)?;
    profile.format = Format::Sheet;
    if names.len() > 1 {
        let first = names.first().map(String::as_str).unwrap_or_default();
        let settled = options.sheet.as_deref().unwrap_or(first);
        let found = Evidence::found("sheet", settled, "it is the first of the workbook", 0.6);
        let set = options.sheet.is_some();
        profile.evidence.push(Evidence { set, offers: names.clone(), ..found });
    }
    if names.len() > 1 && options.sheet.is_none() {
        profile.warnings.push(format!(
            "The workbook has {} sheets; the first one, {:?}, is read",
            names.len(),
            names.first().cloned().unwrap_or_default()
        ));
    }
    profile.parts = names;
    Ok(profile)
}

/// An error for a file without records of any kind.
pub(super) fn empty(name: &str) -> SourceError {
    SourceError::Body(ErrorBody::new(ErrorCode::EmptyFile, format!("{name}: the file is empty")))
}
