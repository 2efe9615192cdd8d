//! Programs that cargo builds for us, kept in `target/tools/bin`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;
use crate::workspace::Workspace;

/// A program of one exact version.
pub struct Tool<'a> {
    /// The program's name.
    pub program: &'a str,
    /// The crate that brings it.
    pub krate: &'a str,
    /// The version, as the program itself prints it.
    pub version: &'a str,
    /// Whether the crate is built with the lock file it was published with.
    pub locked: bool,
    /// Roughly how long that takes on two cores.
    pub takes: &'a str,
}

/// Finds the tool on the PATH or among the project's own, or builds it.
pub fn ensure(workspace: &Workspace, tool: &Tool<'_>) -> Result<PathBuf> {
    let own = workspace.tools().join("bin").join(tool.program);
    for candidate in [Some(own.clone()), process::find(tool.program)].into_iter().flatten() {
        if has_version(&candidate, tool.version) {
            return Ok(candidate);
        }
    }
    let title =
        format!("Building {} {}, once ({} on two cores)", tool.program, tool.version, tool.takes);
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace.root());
    cargo.args(["install", "--force"]);
    if tool.locked {
        cargo.arg("--locked");
    }
    cargo.arg("--root").arg(workspace.tools());
    cargo.arg(format!("{}@{}", tool.krate, tool.version));
    quick_build(&mut cargo, &workspace.tools().join("build"));
    process::phase(&title, &mut cargo, &workspace.log(tool.program))?;
    if !has_version(&own, tool.version) {
        bail!("{} was built, but does not say that it is {}", own.display(), tool.version);
    }
    Ok(own)
}

/// The PATH with the project's own tools in front.
pub fn path(workspace: &Workspace) -> Result<OsString> {
    let own = [workspace.tools().join("bin")];
    let path = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(own.into_iter().chain(env::split_paths(&path)))?)
}

/// These programs copy files and call others: built in half the time they are as good.
fn quick_build(cargo: &mut Command, target: &Path) {
    cargo
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
}

fn has_version(program: &Path, version: &str) -> bool {
    program.is_file()
        && process::capture(Command::new(program).arg("--version"))
            .is_ok_and(|said| said.split_whitespace().any(|word| word == version))
}
