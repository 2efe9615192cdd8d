//! wasm-opt, which makes the released dashboard smaller. It is a luxury: without npm, we go on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process;
use crate::say;
use crate::workspace::Workspace;

/// The version of npm's `binaryen`; Debian's own is too old for what rustc emits.
const VERSION: &str = "132.0.0";

/// What rustc's WebAssembly uses beyond the first standard.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Finds wasm-opt among the project's tools, or fetches it; `None` where npm is missing.
pub fn ensure(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let own = workspace.tools().join("node_modules/.bin/wasm-opt");
    if own.is_file() {
        return Ok(Some(own));
    }
    if process::find("npm").is_none() {
        say::line("npm is not here, so the dashboard stays larger than it could be");
        return Ok(None);
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"])
        .arg(workspace.tools())
        .arg(format!("binaryen@{VERSION}"));
    fs::create_dir_all(workspace.tools())?;
    let title = "Fetching wasm-opt with npm";
    match process::phase(title, &mut npm, &workspace.log("npm-binaryen")) {
        Ok(_) => Ok(own.is_file().then_some(own)),
        Err(_) => {
            say::line("wasm-opt is not to be had, so the dashboard stays larger than it could be");
            Ok(None)
        }
    }
}

/// Shrinks every `.wasm` file in `dist`, in place.
pub fn shrink(workspace: &Workspace, wasm_opt: &Path, dist: &Path) -> Result<()> {
    for entry in fs::read_dir(dist)? {
        let file = entry?.path();
        if file.extension().is_none_or(|extension| extension != "wasm") {
            continue;
        }
        let before = fs::metadata(&file)?.len();
        let mut command = Command::new(wasm_opt);
        command.arg("-Oz").args(FEATURES).arg(&file).arg("-o").arg(&file);
        process::phase("Shrinking the dashboard", &mut command, &workspace.log("wasm-opt"))?;
        let after = fs::metadata(&file).context("wasm-opt left no file")?.len();
        say::line(&format!("  {} KB became {} KB", before / 1024, after / 1024));
    }
    Ok(())
}
