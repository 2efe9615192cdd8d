//! wasm-bindgen, which must have the very version that the dashboard was compiled with.

use std::fs;

use anyhow::{Context as _, Result};

use super::install::Tool;
use crate::workspace::Workspace;

/// The version of wasm-bindgen in the workspace's `Cargo.lock`.
pub fn version(workspace: &Workspace) -> Result<String> {
    let lock = fs::read_to_string(workspace.path("Cargo.lock")).context("reading Cargo.lock")?;
    locked_version(&lock, "wasm-bindgen")
        .map(str::to_owned)
        .context("Cargo.lock names no wasm-bindgen, though the dashboard needs it")
}

/// The wasm-bindgen of that version.
pub fn tool(version: &str) -> Tool<'_> {
    // Its own lock file can name versions that a mirror of the registry does not have yet, so it
    // is built without `--locked`.
    Tool { program: "wasm-bindgen", krate: "wasm-bindgen-cli", version, flags: &[] }
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
