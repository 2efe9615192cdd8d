//! From the socket to the disk with constant memory: the request's task fills buffers of a
//! megabyte, a thread of its own writes them, and two buffers in flight are all there ever is.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use actix_web::error::PayloadError;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use tokio::sync::mpsc;

use super::files::{Claim, UploadError, disk_free_bytes};

const BUFFER_BYTES: usize = 1 << 20;
/// How often the free disk is looked at.
const CHECK_BYTES: u64 = 64 << 20;
/// A connection from which nothing comes for so long is given up; the upload can be resumed.
const IDLE_MAX: Duration = Duration::from_secs(60);

/// Why a request's body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All that was announced is here.
    Whole,
    /// The connection broke, stood still, or the upload was wanted by another request.
    Cut,
    /// More came than the file has.
    TooMuch,
}

/// What is to be written, and where.
pub struct Target {
    /// The upload's file, which is there already.
    pub path: PathBuf,
    /// Bytes of the disk that must stay free.
    pub reserve_bytes: u64,
    /// Bytes of the file that have yet to come.
    pub missing_bytes: u64,
}

/// Writes a request's body to the end of an upload. The claim is held until the last byte is on
/// its way to the disk, whatever becomes of the request.
pub async fn receive(
    claim: Claim,
    target: Target,
    mut body: impl Stream<Item = Result<Bytes, PayloadError>> + Unpin,
) -> Result<Ending, UploadError> {
    let mut room = target.missing_bytes;
    let (full, full_rx) = mpsc::channel::<Vec<u8>>(1);
    let (empty_tx, mut empty) = mpsc::unbounded_channel::<Vec<u8>>();
    let writer = tokio::task::spawn_blocking(move || write(&target, full_rx, &empty_tx));
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    let ending = loop {
        let next = tokio::select! {
            next = tokio::time::timeout(IDLE_MAX, body.next()) => next,
            () = claim.stop.notified() => break Ending::Cut,
        };
        let piece = match next {
            Ok(Some(Ok(piece))) => piece,
            Ok(None) => break Ending::Whole,
            Ok(Some(Err(_))) | Err(_) => break Ending::Cut,
        };
        if piece.len() as u64 > room {
            break Ending::TooMuch;
        }
        room -= piece.len() as u64;
        buffer.extend_from_slice(&piece);
        if buffer.len() + (32 << 10) > BUFFER_BYTES {
            let fresh = empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BUFFER_BYTES));
            // A closed channel means that the writer failed; it says why below.
            if full.send(std::mem::replace(&mut buffer, fresh)).await.is_err() {
                break Ending::Cut;
            }
        }
    };
    // Same here.
    let _ = full.send(buffer).await;
    drop(full);
    writer.await.map_err(io::Error::other)??;
    Ok(ending)
}

/// The thread that writes: every buffer in its order, then one flush to the disk at the file's end.
fn write(
    target: &Target,
    mut full: mpsc::Receiver<Vec<u8>>,
    empty: &mpsc::UnboundedSender<Vec<u8>>,
) -> Result<(), UploadError> {
    let mut file = OpenOptions::new().append(true).open(&target.path)?;
    let mut written = 0;
    let mut unchecked = CHECK_BYTES;
    while let Some(mut buffer) = full.blocking_recv() {
        let missing_bytes = target.missing_bytes - written;
        if unchecked >= CHECK_BYTES {
            unchecked = 0;
            let free_bytes = disk_free_bytes(&target.path)?.saturating_sub(target.reserve_bytes);
            if free_bytes < missing_bytes.min(CHECK_BYTES) {
                return Err(UploadError::DiskFull { missing_bytes, free_bytes });
            }
        }
        file.write_all(&buffer).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => UploadError::DiskFull {
                missing_bytes,
                free_bytes: disk_free_bytes(&target.path).unwrap_or_default(),
            },
            _ => UploadError::Io(error),
        })?;
        written += buffer.len() as u64;
        unchecked += buffer.len() as u64;
        buffer.clear();
        // Nobody takes it back at the end.
        let _ = empty.send(buffer);
    }
    if written == target.missing_bytes {
        file.sync_all()?;
    }
    Ok(())
}
