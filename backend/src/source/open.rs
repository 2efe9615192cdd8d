//! From a file on disk to a stream of UTF-8: unpacking, members, decoding.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shared::profile::Compression;
use shared::{ErrorBody, ErrorCode};

use super::SourceError;

/// A stream of bytes that can move between threads.
pub(super) type Stream = Box<dyn Read + Send>;

/// One thing to read: a file, or a member of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The file.
    pub path: PathBuf,
    /// How it is packed.
    pub compression: Compression,
    /// The member of a zip archive.
    pub member: Option<Member>,
}

/// Where a member lies in its archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// Its name.
    pub name: String,
    start: u64,
    packed_bytes: u64,
    bytes: u64,
    crc32: u32,
    deflated: bool,
}

/// Counts the bytes that are read from files as they lie.
struct Counted<R> {
    from: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.from.read(out)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

pub(super) fn io_error(path: &Path) -> impl FnOnce(std::io::Error) -> SourceError + '_ {
    move |source| SourceError::Io { path: path.to_owned(), source }
}

/// The first bytes of a file.
pub(super) fn head(path: &Path, bytes: u64) -> Result<Vec<u8>, SourceError> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(io_error(path))?;
    file.take(bytes).read_to_end(&mut head).map_err(io_error(path))?;
    Ok(head)
}

/// Everything that the given files hold, in order. Archives give one part for each member.
pub(super) fn parts(paths: &[PathBuf], whole_zip: bool) -> Result<Vec<Part>, SourceError> {
    let mut parts = Vec::new();
    for path in paths {
        let compression = shared::profile::compression_of(&head(path, 16)?);
        if compression == Compression::Zip && !whole_zip {
            parts.extend(members(path)?);
        } else {
            let compression = if whole_zip { Compression::None } else { compression };
            parts.push(Part { path: path.clone(), compression, member: None });
        }
    }
    Ok(parts)
}

fn members(path: &Path) -> Result<Vec<Part>, SourceError> {
    let damaged = |detail: String| SourceError::Damaged { path: path.to_owned(), detail };
    let file = File::open(path).map_err(io_error(path))?;
    let mut archive =
        zip::ZipArchive::new(std::io::BufReader::new(file)).map_err(|e| damaged(e.to_string()))?;
    let mut found = Vec::new();
    for i in 0..archive.len() {
        let entry = archive.by_index_raw(i).map_err(|e| damaged(e.to_string()))?;
        let name = entry.name().map_err(|e| damaged(e.to_string()))?.into_owned();
        let hidden = name.split('/').any(|p| p.starts_with('.') || p == "__MACOSX");
        if entry.is_dir() || hidden {
            continue;
        }
        let method = entry.compression();
        let deflated = method == zip::CompressionMethod::Deflated;
        if entry.encrypted() || !(deflated || method == zip::CompressionMethod::Stored) {
            let why = if entry.encrypted() { "encrypted".to_owned() } else { method.to_string() };
            return Err(SourceError::Body(
                ErrorBody::new(
                    ErrorCode::UnsupportedFormat,
                    format!("{} in {} is {why} and cannot be read", name, path.display()),
                )
                .with_hint("Unpack the archive first."),
            ));
        }
        let Some(start) = entry.data_start() else {
            return Err(damaged(format!("no data for {name}")));
        };
        let member = Member {
            start,
            packed_bytes: entry.compressed_size(),
            bytes: entry.size(),
            crc32: entry.crc32(),
            deflated,
            name,
        };
        found.push(Part {
            path: path.to_owned(),
            compression: Compression::Zip,
            member: Some(member),
        });
    }
    if found.is_empty() {
        return Err(SourceError::new(
            ErrorCode::EmptyFile,
            format!("{} is an archive without files", path.display()),
        ));
    }
    found.sort_by(|a, b| {
        let name = |p: &Part| p.member.as_ref().map(|m| m.name.clone());
        name(a).cmp(&name(b))
    });
    Ok(found)
}

impl Part {
    /// A file that is not packed.
    pub fn plain(path: &Path) -> Self {
        Self { path: path.to_owned(), compression: Compression::None, member: None }
    }

    /// Whether it is a member of an archive.
    pub fn is_member(&self) -> bool {
        self.member.is_some()
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        let file = self
            .path
            .file_name()
            .map_or_else(|| self.path.display().to_string(), |n| n.to_string_lossy().into_owned());
        match &self.member {
            Some(member) => format!("{} in {file}", member.name),
            None => file,
        }
    }

    /// Opens it: bytes unpacked, not yet decoded.
    pub fn open(&self, count: &Arc<AtomicU64>) -> Result<Stream, SourceError> {
        let mut file = File::open(&self.path).map_err(io_error(&self.path))?;
        if let Some(member) = &self.member {
            file.seek(SeekFrom::Start(member.start)).map_err(io_error(&self.path))?;
        }
        let raw = Counted { from: file, count: Arc::clone(count) };
        let buffered = |raw| std::io::BufReader::with_capacity(256 << 10, raw);
        Ok(match (&self.member, self.compression) {
            (Some(member), _) => {
                let packed = raw.take(member.packed_bytes);
                let from: Stream = if member.deflated {
                    Box::new(flate2::bufread::DeflateDecoder::new(
                        std::io::BufReader::with_capacity(256 << 10, packed),
                    ))
                } else {
                    Box::new(packed)
                };
                let hasher = flate2::Crc::new();
                Box::new(Checked { from, hasher, bytes: member.bytes, crc32: member.crc32 })
            }
            (None, Compression::None | Compression::Zip) => Box::new(raw),
            (None, Compression::Gzip) => {
                Box::new(flate2::bufread::MultiGzDecoder::new(buffered(raw)))
            }
            (None, Compression::Zstd) => Box::new(
                zstd::stream::read::Decoder::with_buffer(buffered(raw))
                    .map_err(io_error(&self.path))?,
            ),
            (None, Compression::Xz) => {
                Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered(raw)))
            }
            (None, Compression::Bzip2) => {
                Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(raw)))
            }
        })
    }

    /// What a failed read of this part means.
    pub fn read_error(&self, error: std::io::Error) -> SourceError {
        if self.compression == Compression::None {
            io_error(&self.path)(error)
        } else {
            SourceError::Damaged { path: self.path.clone(), detail: error.to_string() }
        }
    }
}

/// Checks length and sum of an archive's member at its end.
struct Checked {
    from: Stream,
    hasher: flate2::Crc,
    bytes: u64,
    crc32: u32,
}

impl Read for Checked {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.from.read(out)?;
        self.hasher.update(out.get(..n).unwrap_or_default());
        let amount = u64::from(self.hasher.amount());
        if n == 0
            && !out.is_empty()
            && (amount != self.bytes & 0xFFFF_FFFF || self.hasher.sum() != self.crc32)
        {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                "a member's length or checksum is wrong",
            ));
        }
        Ok(n)
    }
}
