//! The dashboard: Trunk compiles and bundles it into `dist/`, unless nothing has changed.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::args::Args;
use crate::process::{self, Job};
use crate::say;
use crate::service;
use crate::tools::wasm_target::{Compiler, TRIPLE};
use crate::tools::{self, install, pack, wasm_opt, wasm_target};
use crate::workspace::Workspace;

/// What the bundle is made from.
const INPUTS: [&str; 5] = ["frontend", "shared", "Cargo.toml", "Cargo.lock", "Trunk.toml"];

/// How carefully the dashboard is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Quick to build.
    Dev,
    /// Small to load.
    Release,
}

impl Quality {
    /// The quality that goes with a build of the service.
    pub fn of(release: bool) -> Self {
        if release { Self::Release } else { Self::Dev }
    }

    fn cargo_profile(self) -> &'static str {
        match self {
            Self::Dev => "wasm-dev",
            Self::Release => "wasm-release",
        }
    }
}

/// `cargo xtask front`: the dashboard alone.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let release = args.flag("--release");
    args.finish()?;
    build(workspace, Quality::of(release))?;
    Ok(ExitCode::SUCCESS)
}

/// Brings `dist/` up to date.
pub fn build(workspace: &Workspace, quality: Quality) -> Result<()> {
    let dist = workspace.path("dist");
    let stamp = workspace.target().join("xtask").join("dashboard.stamp");
    let wanted = fingerprint(workspace, quality)?;
    let built = fs::read_to_string(&stamp).unwrap_or_default();
    if built == wanted && has_wasm(&dist) {
        say::line("The dashboard is up to date");
        return Ok(());
    }

    let compiler = wasm_target::ensure(workspace)?;
    let trunk = tools::ensure(workspace, Some(compile(workspace, compiler, quality)?))?;
    let shrinker = match quality {
        Quality::Dev => None,
        Quality::Release => wasm_opt::ensure(workspace)?,
    };

    let mut command = Command::new(trunk);
    command
        .current_dir(workspace.root())
        .args(["build", "--cargo-profile", quality.cargo_profile(), "--dist"])
        .arg(&dist)
        // A tool of another version than asked for is an error to us, never a download.
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        .env("TRUNK_COLOR", "never")
        // Where Trunk was when cargo failed is of no help to anybody.
        .env("RUST_BACKTRACE", "0")
        .env("PATH", install::path(workspace)?)
        .env_remove("NO_COLOR");
    configure(compiler, &mut command, workspace, quality)?;
    let _ = fs::remove_file(&stamp);
    process::phase("Building the dashboard", &mut command, &workspace.log("trunk-build"))?;
    if let Some(wasm_opt) = shrinker {
        wasm_opt::shrink(workspace, &wasm_opt, &dist)?;
    }
    if quality == Quality::Release {
        pack::pack(workspace, &dist)?;
    }
    fs::write(&stamp, wanted).with_context(|| format!("writing {}", stamp.display()))
}

/// The compilation that Trunk will ask cargo for, so that it can be done before Trunk is there.
fn compile(workspace: &Workspace, compiler: Compiler, quality: Quality) -> Result<Job> {
    let mut command = service::cargo(workspace);
    command.args(["build", "--target", TRIPLE, "--profile", quality.cargo_profile()]);
    command.args(["--manifest-path", "frontend/Cargo.toml", "--bin", "plimsoll-frontend"]);
    configure(compiler, &mut command, workspace, quality)?;
    Ok(Job { command, log: workspace.log("front") })
}

fn configure(
    compiler: Compiler,
    command: &mut Command,
    workspace: &Workspace,
    quality: Quality,
) -> Result<()> {
    compiler.configure(command, workspace);
    match quality {
        Quality::Dev => Ok(()),
        Quality::Release => compiler.configure_lean(command, workspace),
    }
}

/// Whether Trunk's work is still there: the service's own build leaves a page without it.
fn has_wasm(dist: &Path) -> bool {
    let wasm = |file: fs::DirEntry| file.path().extension().is_some_and(|name| name == "wasm");
    fs::read_dir(dist).is_ok_and(|files| files.flatten().any(wasm))
}

/// A digest of all that the bundle is made from.
fn fingerprint(workspace: &Workspace, quality: Quality) -> Result<String> {
    let mut files = Vec::new();
    for input in INPUTS {
        collect(&workspace.path(input), &mut files)
            .with_context(|| format!("reading {}", workspace.path(input).display()))?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    quality.hash(&mut hasher);
    for file in files {
        file.strip_prefix(workspace.root()).unwrap_or(&file).hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_file() {
        files.push(path.to_path_buf());
    } else if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    }
    Ok(())
}
