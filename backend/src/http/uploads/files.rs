//! Uploaded files on disk, each under an identity that we made: nothing that a caller sends ever
//! becomes part of a path. What people know of them is in the control database.
//!
//! How much has arrived is the file's length and nothing else, so that a crash at any moment leaves
//! an upload that can be resumed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use shared::api::SourceView;
use shared::{ErrorBody, ErrorCode};
use tokio::sync::{Notify, watch};
use ulid::Ulid;

use crate::store::{self, SourceSaved, Store, StoreError};

/// How long an unfinished upload is kept after its last byte.
pub const KEEP_UNFINISHED: Duration = Duration::from_secs(7 * 24 * 3600);

/// What can go wrong with an upload.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// No upload of that identity.
    #[error("There is no upload {0}.")]
    NotFound(String),
    /// Another request is writing to it.
    #[error("Another request is sending this file at the moment.")]
    Busy,
    /// Larger than the service takes.
    #[error("The file has {bytes} bytes; this service takes {bytes_max} at most.")]
    TooLarge {
        /// Bytes of the file.
        bytes: u64,
        /// Bytes that are allowed.
        bytes_max: u64,
    },
    /// No room before the first byte or in the middle.
    #[error(
        "The service's disk has no room for this file: {missing_bytes} more bytes are needed and \
         {free_bytes} are free."
    )]
    DiskFull {
        /// Bytes of the file that have yet to come.
        missing_bytes: u64,
        /// Bytes that may still be used.
        free_bytes: u64,
    },
    /// The caller is not where the file ends.
    #[error("The service has {received_bytes} bytes of this file; the request begins at {offset}.")]
    Offset {
        /// Where the request begins.
        offset: u64,
        /// Where it must begin.
        received_bytes: u64,
    },
    /// The file system said no.
    #[error("The upload's file cannot be used")]
    Io(#[from] io::Error),
    /// The control database said no.
    #[error("The upload cannot be recorded")]
    Store(#[from] StoreError),
}

impl UploadError {
    /// The error as a caller sees it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let (code, hint) = match self {
            Self::NotFound(_) => (ErrorCode::NotFound, None),
            Self::Busy => (ErrorCode::Conflict, Some("Ask for the offset (HEAD) and go on there.")),
            Self::TooLarge { .. } => (
                ErrorCode::TooLarge,
                Some("Compress it (gzip or zstd are read as they are), or raise the limit."),
            ),
            Self::DiskFull { .. } => {
                (ErrorCode::DiskFull, Some("Make room and go on: what has arrived is kept."))
            }
            Self::Offset { .. } => {
                (ErrorCode::Conflict, Some("Go on at the offset that HEAD tells."))
            }
            Self::Io(_) | Self::Store(_) => (ErrorCode::Internal, None),
        };
        let body = ErrorBody::new(code, self.to_string());
        match hint {
            Some(hint) => body.with_hint(hint),
            None => body,
        }
    }
}

/// What the service takes.
#[derive(Debug, Clone, Copy)]
pub struct UploadLimits {
    /// Bytes of one file at most.
    pub bytes_max: u64,
    /// Bytes of the disk that uploads must leave free, for the control database.
    pub reserve_bytes: u64,
}

/// Uploads: files in the data folder, told of in the control database.
pub struct Uploads {
    store: Store,
    /// What is taken.
    pub limits: UploadLimits,
    active: Mutex<HashMap<String, Active>>,
}

struct Active {
    stop: Arc<Notify>,
    gone: watch::Receiver<()>,
}

/// The right to write to one upload; given back when dropped.
pub struct Claim {
    uploads: Arc<Uploads>,
    id: String,
    /// Rings when someone else needs the upload: the connection may be a dead one.
    pub stop: Arc<Notify>,
    _alive: watch::Sender<()>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.uploads.active().remove(&self.id);
    }
}

impl Uploads {
    /// Uploads into the store's data folder.
    #[must_use]
    pub fn new(store: Store, limits: UploadLimits) -> Self {
        Self { store, limits, active: Mutex::default() }
    }

    fn active(&self) -> std::sync::MutexGuard<'_, HashMap<String, Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that uploads may still take.
    pub fn free_bytes(&self) -> io::Result<u64> {
        Ok(disk_free_bytes(self.store.data_dir())?.saturating_sub(self.limits.reserve_bytes))
    }

    /// Begins an upload.
    pub async fn create(
        &self,
        name: &str,
        bytes: u64,
        who: &str,
    ) -> Result<SourceSaved, UploadError> {
        let bytes_max = self.limits.bytes_max;
        if bytes > bytes_max {
            return Err(UploadError::TooLarge { bytes, bytes_max });
        }
        let free_bytes = self.free_bytes()?;
        if bytes > free_bytes {
            return Err(UploadError::DiskFull { missing_bytes: bytes, free_bytes });
        }
        let id = store::new_id();
        let path = self.store.source_path(&id);
        File::create_new(&path)?;
        let view = SourceView {
            id,
            name: display_name(name),
            bytes,
            received_bytes: 0,
            complete: bytes == 0,
            who: who.to_owned(),
            created_at: store::now(),
            files: Vec::new(),
        };
        let saved = SourceSaved { view, path, referenced: Vec::new() };
        self.store.source_insert(&saved).await?;
        Ok(saved)
    }

    /// Makes a source of files that are there already; they stay where they are.
    pub async fn refer(
        &self,
        name: &str,
        files: Vec<PathBuf>,
        who: &str,
    ) -> Result<SourceSaved, UploadError> {
        let bytes = bytes_of(&files)?;
        let id = store::new_id();
        let view = SourceView {
            id: id.clone(),
            name: display_name(name),
            bytes,
            received_bytes: bytes,
            complete: true,
            who: who.to_owned(),
            created_at: store::now(),
            files: Vec::new(),
        };
        let path = files.first().cloned().unwrap_or_default();
        self.store.source_insert(&SourceSaved { view, path, referenced: files }).await?;
        self.get(&id).await
    }

    /// An upload, with as many bytes as are here now.
    pub async fn get(&self, id: &str) -> Result<SourceSaved, UploadError> {
        let not_found = || {
            let shown = id.chars().filter(|c| !c.is_control()).take(40).collect();
            UploadError::NotFound(shown)
        };
        Ulid::from_string(id).map_err(|_| not_found())?;
        let saved = self.store.source(id).await?.ok_or_else(not_found)?;
        match bytes_of(&saved.paths()) {
            Ok(bytes) => Ok(with_received(saved, bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(not_found()),
            Err(error) => Err(error.into()),
        }
    }

    /// Every upload whose file is here, newest first.
    pub async fn list(&self) -> Result<Vec<SourceSaved>, UploadError> {
        let all = self.store.sources().await?.into_iter();
        Ok(all
            .filter_map(|saved| {
                let received = bytes_of(&saved.paths()).ok()?;
                Some(with_received(saved, received))
            })
            .collect())
    }

    /// Takes the right to write to an upload, unless someone has it.
    pub fn claim(self: &Arc<Self>, id: &str) -> Result<Claim, UploadError> {
        let mut active = self.active();
        if active.contains_key(id) {
            return Err(UploadError::Busy);
        }
        let (alive, gone) = watch::channel(());
        let stop = Arc::new(Notify::new());
        active.insert(id.to_owned(), Active { stop: stop.clone(), gone });
        Ok(Claim { uploads: self.clone(), id: id.to_owned(), stop, _alive: alive })
    }

    /// Ends whatever request is writing to an upload and waits until its bytes are on disk. A
    /// client that asks where to go on has given up its earlier connection, even where the network
    /// has not told us.
    pub async fn release(&self, id: &str) {
        let found = self.active().get(id).map(|a| (a.stop.clone(), a.gone.clone()));
        if let Some((stop, mut gone)) = found {
            stop.notify_one();
            // Ends with an error when the claim is dropped, which is what is waited for.
            let _ = gone.changed().await;
        }
    }

    /// Records how much of an upload has arrived.
    pub async fn note_received(&self, saved: &SourceSaved) -> Result<(), UploadError> {
        let view = &saved.view;
        Ok(self.store.source_received(&view.id, view.received_bytes, view.complete).await?)
    }

    /// Deletes an upload: its bytes first, so that a crash leaves an entry that is not listed. Of a
    /// source that refers to files only the entry goes.
    pub async fn remove(&self, saved: &SourceSaved) -> Result<(), UploadError> {
        let removed =
            if saved.referenced.is_empty() { fs::remove_file(&saved.path) } else { Ok(()) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        self.store.source_delete(&saved.view.id).await?;
        Ok(())
    }

    /// Deletes unfinished uploads that have expired, and entries whose file is gone.
    pub async fn sweep(self: &Arc<Self>) -> Result<(), UploadError> {
        for saved in self.store.sources().await? {
            if !saved.referenced.is_empty() {
                continue;
            }
            let expired = match fs::metadata(&saved.path) {
                Ok(facts) => {
                    facts.len() < saved.view.bytes
                        && expires_at(&saved).is_ok_and(|at| at < SystemTime::now())
                }
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            };
            if expired && let Ok(_claim) = self.claim(&saved.view.id) {
                self.remove(&saved).await?;
            }
        }
        Ok(())
    }
}

/// When an unfinished upload goes, counted from its last byte.
pub fn expires_at(saved: &SourceSaved) -> io::Result<SystemTime> {
    Ok(fs::metadata(&saved.path)?.modified()? + KEEP_UNFINISHED)
}

/// Bytes of all files together.
fn bytes_of(files: &[PathBuf]) -> io::Result<u64> {
    files.iter().map(|file| Ok(fs::metadata(file)?.len())).sum()
}

fn with_received(mut saved: SourceSaved, received_bytes: u64) -> SourceSaved {
    if !saved.referenced.is_empty() {
        // Files that others write may have grown.
        saved.view.bytes = received_bytes;
    }
    saved.view.received_bytes = received_bytes;
    saved.view.complete = received_bytes == saved.view.bytes;
    saved
}

/// Bytes free on the disk that holds a path, for a user without special rights.
pub fn disk_free_bytes(path: &Path) -> io::Result<u64> {
    let facts = rustix::fs::statvfs(path)?;
    Ok(facts.f_bavail.saturating_mul(facts.f_frsize))
}

/// A file's name as it may be shown: no folders, nothing that moves the cursor or turns the text.
#[must_use]
pub fn display_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let kept: String = last.chars().filter(|c| !c.is_control() && !turns(*c)).take(255).collect();
    match kept.trim() {
        "" | "." | ".." => "upload".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_only_ever_shown() {
        for (sent, shown) in [
            ("trips.csv", "trips.csv"),
            ("../../etc/passwd", "passwd"),
            ("C:\\data\\trips.csv", "trips.csv"),
            ("..", "upload"),
            ("a\r\nSet-Cookie: x", "aSet-Cookie: x"),
            ("gpj.\u{202e}exe", "gpj.exe"),
            ("", "upload"),
            ("naïve 数据.csv", "naïve 数据.csv"),
        ] {
            assert_eq!(display_name(sent), shown, "{sent:?}");
        }
        assert_eq!(display_name(&"x".repeat(1000)).len(), 255);
    }
}
