//! A compiler that can make WebAssembly: rustup's target, or Debian's compiler with its sources.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::packages::{self, DEBIAN_RUST};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

/// The target triple of the dashboard.
pub const TRIPLE: &str = "wasm32-unknown-unknown";
/// Forces one of the two ways: `rustup` or `debian`.
const CHOICE: &str = "PLIMSOLL_WASM";

/// Panics and derived debug texts without words, calls without the lines that they come from.
const LEAN_FLAGS: &str =
    "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=shallow";

/// Which compiler makes the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// The tool chain that runs this, with the target's standard library beside its own.
    Toolchain,
    /// Debian's `rustc-web`, which builds the standard library from `rust-web-src`.
    Debian,
}

impl Compiler {
    /// Where this compiler's output goes: two compilers in one folder would undo each other's work.
    pub fn target_dir(self, workspace: &Workspace) -> PathBuf {
        match self {
            Self::Toolchain => workspace.target().to_path_buf(),
            Self::Debian => workspace.target().join("debian"),
        }
    }

    /// Sets what cargo must know to use this compiler.
    pub fn configure(self, command: &mut Command, workspace: &Workspace) {
        command.env("CARGO_TARGET_DIR", self.target_dir(workspace));
        if self == Self::Debian {
            // Debian ships the library as source only.
            build_library(command);
            command
                .env("RUSTC", "/usr/bin/rustc")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19");
        }
    }

    /// Makes what is built as small as it goes: the standard library is compiled along, and a panic
    /// ends the page without words, which nobody who uses it reads and all would have to load.
    /// Without the library's sources everything stays as it is.
    pub fn configure_lean(self, command: &mut Command, workspace: &Workspace) -> Result<()> {
        if self == Self::Toolchain && !library_sources(workspace)? {
            return Ok(());
        }
        build_library(command);
        command
            .env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", LEAN_FLAGS);
        Ok(())
    }
}

/// The nightly feature is cargo's, the switch that allows it rustc's own.
fn build_library(command: &mut Command) {
    command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
}

/// Whether the tool chain has its standard library's sources, after asking rustup for them.
fn library_sources(workspace: &Workspace) -> Result<bool> {
    let there = || {
        sysroot(workspace).is_some_and(|root| root.join("lib/rustlib/src/rust/library").is_dir())
    };
    if there() || process::find("rustup").is_none() {
        return Ok(there());
    }
    say::begin("Adding the standard library's sources with rustup");
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", "rust-src"]).current_dir(workspace.root());
    let ended = process::quietly(&mut rustup, &workspace.log("rustup-src"))?;
    let added = ended.success && there();
    say::end(if added { "done" } else { "not to be had from here" }, ended.elapsed);
    Ok(added)
}

/// Finds a compiler for the dashboard, fetching one where there is none.
pub fn ensure(workspace: &Workspace) -> Result<Compiler> {
    let choice = env::var(CHOICE).unwrap_or_default();
    match choice.as_str() {
        "" => {
            if toolchain_has_target(workspace) || rustup_brings_target(workspace)? {
                return Ok(Compiler::Toolchain);
            }
            debian(workspace)
        }
        "rustup" => {
            if toolchain_has_target(workspace) || rustup_brings_target(workspace)? {
                return Ok(Compiler::Toolchain);
            }
            bail!("rustup could not add {TRIPLE}, and {CHOICE}=rustup allows no other way");
        }
        "debian" => debian(workspace),
        other => bail!("{CHOICE} is `{other}`; it may be `rustup` or `debian`"),
    }
}

fn debian(workspace: &Workspace) -> Result<Compiler> {
    packages::ensure(workspace, &[&DEBIAN_RUST])?;
    Ok(Compiler::Debian)
}

fn toolchain_has_target(workspace: &Workspace) -> bool {
    sysroot(workspace)
        .is_some_and(|root| root.join("lib/rustlib").join(TRIPLE).join("lib").is_dir())
}

fn sysroot(workspace: &Workspace) -> Option<PathBuf> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "sysroot"]).current_dir(workspace.root());
    process::capture(&mut rustc).ok().map(PathBuf::from)
}

fn rustup_brings_target(workspace: &Workspace) -> Result<bool> {
    if process::find("rustup").is_none() {
        return Ok(false);
    }
    say::begin(&format!("Adding the target {TRIPLE} with rustup"));
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TRIPLE]).current_dir(workspace.root());
    let ended = process::quietly(&mut rustup, &workspace.log("rustup"))?;
    let added = ended.success && toolchain_has_target(workspace);
    say::end(if added { "done" } else { "not to be had from here" }, ended.elapsed);
    Ok(added)
}
