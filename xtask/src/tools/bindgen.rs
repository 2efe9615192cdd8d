//! wasm-bindgen, which must have the very version that the dashboard was compiled with.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::install::{self, Tool};
use crate::workspace::Workspace;

/// Finds or builds the wasm-bindgen that `Cargo.lock` asks for.
pub fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let lock = fs::read_to_string(workspace.path("Cargo.lock")).context("reading Cargo.lock")?;
    let version = locked_version(&lock, "wasm-bindgen")
        .context("Cargo.lock names no wasm-bindgen, though the dashboard needs it")?;
    let tool = Tool {
        program: "wasm-bindgen",
        krate: "wasm-bindgen-cli",
        version,
        // Its own lock file can name versions that a mirror of the registry does not have yet.
        locked: false,
        takes: "about 2 minutes",
    };
    install::ensure(workspace, &tool)
}

fn locked_version<'a>(lock: &'a str, krate: &str) -> Option<&'a str> {
    let name = format!("name = \"{krate}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_crate_and_not_its_relatives() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "leptos"), None);
    }
}
