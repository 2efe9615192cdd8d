//! Files that lie on the service's own machine, in one folder that was opened for it: looked
//! through, and picked by name or pattern. Nothing outside of it can be named.

use std::path::{Component, Path, PathBuf};

use shared::api::{FolderEntry, FolderView};
use shared::{ErrorBody, ErrorCode};

use super::SourceError;
use super::open::io_error;

/// Files that one import may have.
const FILES_MAX: usize = 10_000;
/// Entries that are listed.
const ENTRIES_MAX: usize = 5_000;

/// The folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Without links or dots.
    root: PathBuf,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// If it does not exist or cannot be read.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        let root = path.canonicalize().map_err(io_error(path))?;
        std::fs::read_dir(&root).map_err(io_error(path))?;
        Ok(Self { root })
    }

    /// What lies in a folder of it: folders first, then files, by name. Hidden ones are left out.
    ///
    /// # Errors
    /// A path that leaves the folder or does not exist.
    pub fn look(&self, path: &str) -> Result<FolderView, SourceError> {
        let here = self.inside(path)?;
        let shown = self.shown(&here);
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(&here).map_err(|_| missing(path))? {
            let entry = entry.map_err(io_error(&here))?;
            let Some(found) = self.entry(&entry.path()) else { continue };
            entries.push(found);
        }
        entries.sort_by(|a, b| (!a.folder, &a.name).cmp(&(!b.folder, &b.name)));
        let more = entries.len().saturating_sub(ENTRIES_MAX) as u64;
        entries.truncate(ENTRIES_MAX);
        Ok(FolderView { path: shown, entries, more })
    }

    fn entry(&self, path: &Path) -> Option<FolderEntry> {
        let name = path.file_name()?.to_str().filter(|n| !n.starts_with('.'))?;
        // A link may lead out; then it is as if it were not there.
        let real = path.canonicalize().ok().filter(|p| p.starts_with(&self.root))?;
        let facts = real.metadata().ok()?;
        let modified = facts.modified().ok().map(|at| {
            chrono::DateTime::<chrono::Utc>::from(at)
                .to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
        });
        Some(FolderEntry {
            name: name.to_owned(),
            path: self.shown(path),
            folder: facts.is_dir(),
            bytes: if facts.is_dir() { 0 } else { facts.len() },
            modified,
        })
    }

    /// The files of these names and patterns (`*` and `?` within a name), each once: in the order of
    /// the names, those of a pattern by name.
    ///
    /// # Errors
    /// A path that leaves the folder, a name that does not exist, a pattern that no file fits.
    pub fn find(&self, wanted: &[String]) -> Result<Vec<PathBuf>, SourceError> {
        let mut found: Vec<PathBuf> = Vec::new();
        for path in wanted {
            let files =
                if path.contains(['*', '?']) { self.fitting(path)? } else { vec![path.clone()] };
            if files.is_empty() {
                return Err(SourceError::new(
                    ErrorCode::NotFound,
                    format!("no file fits {path:?}"),
                ));
            }
            for file in files {
                let real = self.inside(&file)?;
                if !real.is_file() {
                    return Err(SourceError::new(
                        ErrorCode::BadRequest,
                        format!("{file:?} is a folder, not a file"),
                    ));
                }
                if !found.contains(&real) {
                    found.push(real);
                }
            }
            if found.len() > FILES_MAX {
                return Err(SourceError::new(
                    ErrorCode::BadRequest,
                    format!("{} files are more than one import takes", found.len()),
                ));
            }
        }
        if found.is_empty() {
            return Err(SourceError::new(ErrorCode::BadRequest, "no file was named"));
        }
        Ok(found)
    }

    /// The files that a pattern fits, by name.
    fn fitting(&self, pattern: &str) -> Result<Vec<String>, SourceError> {
        let mut paths = vec![String::new()];
        let parts: Vec<&str> = pattern.split('/').filter(|p| !p.is_empty()).collect();
        for (i, part) in parts.iter().enumerate() {
            let last = i + 1 == parts.len();
            let mut next = Vec::new();
            for path in &paths {
                if !part.contains(['*', '?']) {
                    let joined = join(path, part);
                    if self.inside(&joined).is_ok_and(|p| p.is_file() == last) {
                        next.push(joined);
                    }
                    continue;
                }
                let inside = self.look(path)?.entries.into_iter();
                let fits = inside.filter(|e| e.folder != last && fits(part, &e.name));
                next.extend(fits.map(|e| join(path, &e.name)));
            }
            paths = next;
        }
        Ok(paths)
    }

    /// The real place of a path, which must be in the folder.
    fn inside(&self, path: &str) -> Result<PathBuf, SourceError> {
        let relative = Path::new(path);
        let plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        if !plain || path.contains('\0') {
            return Err(SourceError::Body(
                ErrorBody::new(ErrorCode::Forbidden, format!("{path:?} leads out of the folder"))
                    .with_hint("Name files by their path within the folder, without .. in it."),
            ));
        }
        let real = self.root.join(relative).canonicalize().map_err(|_| missing(path))?;
        if real.starts_with(&self.root) { Ok(real) } else { Err(missing(path)) }
    }

    /// A path as people see it: within the folder, with `/`.
    fn shown(&self, path: &Path) -> String {
        let parts = path.strip_prefix(&self.root).unwrap_or(path).components();
        let parts: Vec<_> = parts.map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        parts.join("/")
    }
}

fn missing(path: &str) -> SourceError {
    SourceError::new(ErrorCode::NotFound, format!("there is no {path:?} in the folder"))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// Whether a name fits a pattern: `*` is any number of characters, `?` is one.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last star stands, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, reach)) = star else { return false };
                star = Some((at, reach + 1));
                (p, n) = (at + 1, reach + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("open");
        std::fs::create_dir_all(root.join("2024/may")).unwrap();
        for name in ["b.csv", "a.csv", "a.txt", ".hidden.csv", "2024/may/c1.csv", "2024/may/c2.csv"]
        {
            std::fs::write(root.join(name), "x\n").unwrap();
        }
        std::fs::write(dir.path().join("secret.csv"), "x\n").unwrap();
        std::os::unix::fs::symlink("../secret.csv", root.join("out.csv")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
        std::os::unix::fs::symlink("a.csv", root.join("same.csv")).unwrap();
        let folder = Folder::open(&root).unwrap();
        (dir, folder)
    }

    fn found(folder: &Folder, wanted: &[&str]) -> Result<Vec<String>, ErrorCode> {
        let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
        let paths = folder.find(&wanted).map_err(|e| e.body().code)?;
        Ok(paths.iter().map(|p| folder.shown(p)).collect())
    }

    #[test]
    fn folders_are_looked_through() {
        let (_dir, folder) = folder();
        let names = |path| {
            let view = folder.look(path).unwrap();
            view.entries.into_iter().map(|e| e.path).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["2024", "a.csv", "a.txt", "b.csv", "same.csv"]);
        assert_eq!(names("2024/may"), ["2024/may/c1.csv", "2024/may/c2.csv"]);
        assert_eq!(folder.look("").unwrap().entries[1].bytes, 2);
    }

    #[test]
    fn files_are_picked_by_name_and_pattern() {
        let (_dir, folder) = folder();
        assert_eq!(found(&folder, &["b.csv", "*.csv"]).unwrap(), ["b.csv", "a.csv"]);
        assert_eq!(
            found(&folder, &["2024/*/c?.csv"]).unwrap(),
            ["2024/may/c1.csv", "2024/may/c2.csv"]
        );
        assert_eq!(found(&folder, &["*.parquet"]), Err(ErrorCode::NotFound));
        assert_eq!(found(&folder, &["2024"]), Err(ErrorCode::BadRequest));
        assert_eq!(found(&folder, &[]), Err(ErrorCode::BadRequest));
    }

    #[test]
    fn nothing_outside_can_be_named() {
        let (_dir, folder) = folder();
        for path in ["../secret.csv", "/etc/passwd", "2024/../../secret.csv", "./a.csv", ".."] {
            assert_eq!(found(&folder, &[path]), Err(ErrorCode::Forbidden), "{path}");
        }
        for path in ["out.csv", "up/secret.csv", "up/*.csv", "nothing.csv"] {
            assert_eq!(found(&folder, &[path]), Err(ErrorCode::NotFound), "{path}");
        }
        assert!(folder.look("up").is_err() && folder.look("../open").is_err());
    }

    #[test]
    fn patterns_fit_names() {
        for (pattern, name) in [("*", "a"), ("a*b*c", "aXXbYbc"), ("?.csv", "é.csv"), ("a*", "a")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("?", ""), ("a*b", "abc"), ("*.csv", "a.csv.gz"), ("a", "b")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
