//! What tells one file's contents from another's, without reading all of a huge one.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::SourceError;
use super::open::io_error;

/// Files up to this size are read whole.
const WHOLE_BYTES_MAX: u64 = 1 << 30;
const SAMPLE_BYTES: u64 = 64 << 10;
const SAMPLES: u64 = 4096;

/// A hash over sizes and contents of the files, in order. A larger file than 1 GiB is hashed at its
/// head, its tail and 4,096 places between.
///
/// # Errors
/// A file that cannot be read.
pub fn fingerprint(paths: &[PathBuf]) -> Result<String, SourceError> {
    let mut hash = Xxh3::new();
    for path in paths {
        one(path, &mut hash).map_err(io_error(path))?;
    }
    Ok(format!("{:032x}", hash.digest128()))
}

fn one(path: &Path, hash: &mut Xxh3) -> std::io::Result<()> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    hash.update(&bytes.to_le_bytes());
    let mut buffer = Vec::with_capacity(1 << 20);
    if bytes <= WHOLE_BYTES_MAX {
        loop {
            buffer.clear();
            let got = (&mut file).take(1 << 20).read_to_end(&mut buffer)?;
            if got == 0 {
                return Ok(());
            }
            hash.update(&buffer);
        }
    }
    let stride = (bytes - SAMPLE_BYTES) / (SAMPLES - 1);
    for i in 0..SAMPLES {
        let at = if i == SAMPLES - 1 { bytes - SAMPLE_BYTES } else { i * stride };
        file.seek(SeekFrom::Start(at))?;
        buffer.clear();
        (&mut file).take(SAMPLE_BYTES).read_to_end(&mut buffer)?;
        hash.update(&buffer);
    }
    Ok(())
}
