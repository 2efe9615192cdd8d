//! Files that the server itself reads: whether it can, where they lie, and that none stays.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::target::Capabilities;
use tempfile::NamedTempFile;

use super::LoadError;
use crate::domain::ServerFiles;
use crate::target;

/// What the trial file holds.
const TRIAL: &str = "plimsoll";

/// Tries whether the server can read what is written here. One small file, one statement.
///
/// # Errors
/// The connection breaks. A server that refuses is an answer, not an error.
pub async fn probe(conn: &mut Conn, capabilities: &Capabilities) -> Result<ServerFiles, LoadError> {
    let Some(folder) = &capabilities.secure_file_priv else { return Ok(ServerFiles::Off) };
    if !target::may(&capabilities.privileges, "FILE", "*", "*") {
        return Ok(ServerFiles::NoRight);
    }
    let folder = match folder.as_str() {
        "" => std::env::temp_dir(),
        named => PathBuf::from(named),
    };
    let file = match write(&folder, "plimsoll-trial-", TRIAL.as_bytes()) {
        Ok(file) => file,
        Err(e) => {
            let why = format!("its folder {} cannot be written here ({e})", folder.display());
            return Ok(ServerFiles::NotShared(why));
        }
    };
    let path = file.path().to_string_lossy().into_owned();
    let read: Result<Option<Option<Vec<u8>>>, _> =
        conn.exec_first("SELECT LOAD_FILE(?)", (path,)).await;
    match read {
        Ok(Some(Some(bytes))) if bytes == TRIAL.as_bytes() => Ok(ServerFiles::Folder(folder)),
        Err(e @ (mysql_async::Error::Io(_) | mysql_async::Error::Driver(_))) => {
            Err(LoadError::from_driver("the trial of a file", &e))
        }
        Ok(_) | Err(_) => Ok(ServerFiles::NotShared(format!(
            "it does not see a file that was written into {}",
            folder.display()
        ))),
    }
}

/// How the files of a run begin.
#[must_use]
pub fn prefix(run_id: &str) -> String {
    format!("plimsoll-{}-", run_id.to_ascii_lowercase())
}

/// A file that the server's user may read; it goes when the value goes.
pub(super) fn write(folder: &Path, prefix: &str, rows: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(".tsv").tempfile_in(folder)?;
    file.write_all(rows)?;
    // The server demands that everybody may read the file, or that it lies in its own folders.
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    Ok(file)
}

/// Removes files that a killed process left of a run.
pub fn sweep(folder: &Path, run_id: &str) {
    let prefix = prefix(run_id);
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let path = entry.path();
            if let Err(e) = std::fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), error = %e, "a file of a run stays");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_the_run_go() {
        let dir = tempfile::tempdir().expect("a folder");
        for run in ["01A", "01B"] {
            let kept = write(dir.path(), &prefix(run), b"1\n").expect("a file").keep();
            kept.expect("kept as after a crash");
        }
        sweep(dir.path(), "01A");
        let left: Vec<_> = std::fs::read_dir(dir.path()).expect("a folder").flatten().collect();
        assert_eq!(left.len(), 1);
        assert!(left[0].file_name().to_string_lossy().starts_with("plimsoll-01b-"));
    }
}
