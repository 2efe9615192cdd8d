//! Programs that cargo builds for us, kept in `target/tools/bin`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{self, Job};
use crate::workspace::Workspace;

/// A program of one exact version.
pub struct Tool<'a> {
    /// The program's name.
    pub program: &'a str,
    /// The crate that brings it.
    pub krate: &'a str,
    /// The version, as the program itself prints it.
    pub version: &'a str,
    /// How cargo is to install it.
    pub flags: &'a [&'a str],
}

impl Tool<'_> {
    /// Where the tool is, on the PATH or among the project's own; `None` where it must be built.
    pub fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let own = workspace.tools().join("bin").join(self.program);
        let candidates = [Some(own), process::find(self.program)];
        candidates.into_iter().flatten().find(|program| has_version(program, self.version))
    }

    /// What builds it into the project's own `target/`.
    pub fn job(&self, workspace: &Workspace) -> Job {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(workspace.root());
        cargo.args(["install", "--force", "--root"]).arg(workspace.tools());
        cargo.args(self.flags);
        cargo.arg(format!("{}@{}", self.krate, self.version));
        // Each has a target folder of its own, so that two can be built at the same time.
        quick_build(&mut cargo, &workspace.tools().join("build").join(self.program));
        Job { command: cargo, log: workspace.log(self.program) }
    }

    /// Finds the tool after it was built.
    pub fn built(&self, workspace: &Workspace) -> Result<PathBuf> {
        self.find(workspace).with_context(|| {
            format!("{} {} was built, but is not there", self.program, self.version)
        })
    }
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
