//! Which process a run belongs to, and whether that process lives.
//!
//! Each process holds a lock on a file of its own in the data folder; the system lets go of it
//! however the process ends. For a process of another machine only its heartbeat can be asked.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::store::{RunSaved, new_id};

use super::RunError;

/// A heartbeat older than this is that of a dead process, in milliseconds.
const STALE_MS: u64 = 30_000;

/// This process's own lock.
#[derive(Debug)]
pub struct Lease {
    owner_id: String,
    dir: PathBuf,
    _lock: File,
}

impl Lease {
    /// Takes a lock for this process.
    ///
    /// # Errors
    /// If the data folder cannot be written.
    pub fn take(data_dir: &Path) -> Result<Self, RunError> {
        let dir = data_dir.join("owners");
        let io = |path: &Path| {
            let path = path.display().to_string();
            move |source| RunError::Io { path, source }
        };
        std::fs::create_dir_all(&dir).map_err(io(&dir))?;
        let owner_id = new_id();
        let path = dir.join(&owner_id);
        let lock = File::create(&path).map_err(io(&path))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|e| io(&path)(std::io::Error::from(e)))?;
        Ok(Self { owner_id, dir, _lock: lock })
    }

    /// This process's identity.
    #[must_use]
    pub fn owner_id(&self) -> &str {
        &self.owner_id
    }

    /// Whether the process that took a run still lives. The lock of a dead one is removed.
    #[must_use]
    pub fn owner_lives(&self, run: &RunSaved) -> bool {
        let Some(owner) = &run.owner_id else {
            // Asked for and not taken yet: only a process that died in between leaves it so.
            return age_ms(run) < STALE_MS;
        };
        self.lives(Some(owner))
    }

    /// Whether a process still lives, by its identity. The lock of a dead one is removed.
    #[must_use]
    pub fn lives(&self, owner: Option<&str>) -> bool {
        let Some(owner) = owner else { return false };
        if *owner == self.owner_id {
            return true;
        }
        let path = self.dir.join(owner);
        match File::open(&path) {
            Ok(file) => {
                if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                    let _ = std::fs::remove_file(&path);
                    false
                } else {
                    true
                }
            }
            // Locks lie beside the control database: a missing one is that of a process that
            // ended, or of one on another machine.
            Err(_) => false,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.dir.join(&self.owner_id));
    }
}

fn age_ms(run: &RunSaved) -> u64 {
    let now = chrono::Utc::now().timestamp_millis().unsigned_abs();
    let born = chrono::DateTime::parse_from_rfc3339(&run.view.created_at)
        .map_or(0, |t| t.timestamp_millis().unsigned_abs());
    now.saturating_sub(run.heartbeat_ms.max(born))
}
