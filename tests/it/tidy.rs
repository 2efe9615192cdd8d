//! Rules of the house that run: layers, module docs, file lengths, SQL in its rooms only.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|n| n != "target" && n != "node_modules") {
                rust_files(&path, into);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

fn files_of(folder: &str) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    rust_files(&root().join(folder), &mut paths);
    paths.into_iter().map(|p| (p.clone(), fs::read_to_string(&p).expect("text"))).collect()
}

/// The rooms that each room of the backend may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("source", &["domain"]),
    ("convert", &["domain", "source"]),
    ("target", &["domain"]),
    ("store", &["domain"]),
    ("plan", &["domain", "estimate"]),
    ("estimate", &["domain"]),
    ("load", &["domain", "target", "convert"]),
    ("run", &["domain", "source", "convert", "target", "store", "plan", "estimate", "load"]),
    ("people", &["store"]),
    ("http", &["domain", "run", "store", "target", "source", "people"]),
    (
        "cli",
        &[
            "domain", "run", "store", "target", "source", "http", "convert", "estimate", "plan",
            "load", "people",
        ],
    ),
];

#[test]
fn rooms_depend_in_one_direction() {
    let rooms: Vec<&str> = MAY_USE.iter().map(|(room, _)| *room).collect();
    let mut wrong = Vec::new();
    for (room, allowed) in MAY_USE {
        for (path, text) in files_of(&format!("backend/src/{room}")) {
            for other in &rooms {
                if other != room
                    && !allowed.contains(other)
                    && text.contains(&format!("crate::{other}::"))
                {
                    wrong.push(format!("{} uses {other}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_module_says_what_it_is() {
    let mut silent = Vec::new();
    for folder in ["shared/src", "backend/src", "frontend/src", "xtask/src", "tests/it"] {
        for (path, text) in files_of(folder) {
            if !text.starts_with("//!") {
                silent.push(path);
            }
        }
    }
    assert!(silent.is_empty(), "no //! at the top: {silent:#?}");
}

#[test]
fn files_stay_readable() {
    const LINES_MAX: usize = 450;
    let mut long = Vec::new();
    for folder in ["shared/src", "backend/src", "frontend/src", "xtask/src", "tests/it"] {
        for (path, text) in files_of(folder) {
            if text.lines().count() > LINES_MAX {
                long.push((path, text.lines().count()));
            }
        }
    }
    assert!(long.is_empty(), "over {LINES_MAX} lines: {long:#?}");
}

#[test]
fn the_control_database_is_spoken_to_in_its_room_only() {
    for (path, text) in files_of("backend/src") {
        if !path.to_string_lossy().contains("/store/") {
            assert!(!text.contains("sqlx::"), "{} uses sqlx", path.display());
        }
    }
}
