//! Files that are no tables, told by their first bytes, so that they are refused by name rather than
//! read as odd text.

use shared::profile::{Compression, compression_of};
use shared::{ErrorBody, ErrorCode};

use super::SourceError;

/// First bytes and what they mean.
const KNOWN: [(&[u8], &str); 13] = [
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "a picture"),
    (b"\xFF\xD8\xFF", "a picture"),
    (b"GIF8", "a picture"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
    (b"Rar!\x1A", "a RAR archive"),
    (b"Obj\x01", "an Avro file"),
    (b"ARROW1\0", "an Arrow file"),
    (b"\x7FELF", "a program"),
    (b"PAR1", "a packed Parquet file"),
    (b"\xD0\xCF\x11\xE0", "a packed spreadsheet"),
    (b"\0\0\0\x0CjP", "a picture"),
];
/// Where a tar archive has its name.
const TAR_AT: usize = 257;

/// Refuses what is known to be no text. `bytes` are unpacked.
///
/// # Errors
/// What it is.
pub(super) fn refuse(name: &str, bytes: &[u8]) -> Result<(), SourceError> {
    let known = KNOWN.iter().find(|(first, _)| bytes.starts_with(first)).map(|(_, what)| *what);
    let tar = bytes.get(TAR_AT..).is_some_and(|b| b.starts_with(b"ustar"));
    let what = match (known, tar, compression_of(bytes)) {
        (Some(what), ..) => what,
        (None, true, _) => "a tar archive",
        (None, false, Compression::None) => return Ok(()),
        (None, false, _) => "packed twice",
    };
    Err(SourceError::Body(
        ErrorBody::new(ErrorCode::UnsupportedFormat, format!("{name} is {what}"))
            .with_hint("Unpack it, or export it as CSV, JSON lines, Parquet or a spreadsheet."),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_named() {
        let check = |bytes: &[u8], want: Option<&str>| {
            let found = refuse("f", bytes).err().map(|e| e.body().message);
            assert_eq!(found.as_deref(), want, "{bytes:?}");
        };
        let mut tar = vec![b'a'; TAR_AT];
        tar.extend(b"ustar\0");
        check(&tar, Some("f is a tar archive"));
        check(b"%PDF-1.7", Some("f is a PDF document"));
        check(b"\x1F\x8B\x08\0", Some("f is packed twice"));
        check(b"id,name\n", None);
        check(b"ORCID,name\n", None);
    }
}
