//! The checks that read the code instead of running it.

use std::process::Command;

use anyhow::Result;

use super::tally::Tally;
use crate::process;
use crate::say;
use crate::service::cargo;
use crate::tools::wasm_target::{self, Compiler, TRIPLE};
use crate::workspace::Workspace;

/// What `shared` must never depend on: it runs in a browser.
const NOT_IN_SHARED: [&str; 3] = ["sqlx", "actix-web", "tokio"];

/// The layout of the code is rustfmt's.
pub fn fmt(workspace: &Workspace) -> Result<Tally> {
    let mut command = cargo(workspace);
    command.args(["fmt", "--all", "--check"]);
    check(workspace, "fmt", "Checking the code's layout with rustfmt", &mut command)
}

/// Clippy has nothing to say, about the dashboard neither, which is checked as native code here:
/// that needs no second tool chain and shares what the other crates need.
pub fn clippy(workspace: &Workspace) -> Result<Tally> {
    let mut command = cargo(workspace);
    command.args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    check(workspace, "clippy", "Reading the code with clippy", &mut command)
}

/// `shared` compiles for the browser and knows no server's crates.
pub fn wasm(workspace: &Workspace) -> Result<Tally> {
    let compiler = wasm_target::ensure(workspace)?;
    let mut command = cargo(workspace);
    command.args(["check", "--package", "plimsoll-shared", "--target", TRIPLE]);
    compiler.configure(&mut command, workspace);
    let title = match compiler {
        Compiler::Toolchain => "Compiling `shared` for the browser",
        Compiler::Debian => "Compiling `shared` for the browser with Debian's compiler",
    };
    let mut tally = check(workspace, "wasm", title, &mut command)?;
    for krate in NOT_IN_SHARED {
        tally += shared_is_free_of(workspace, krate)?;
    }
    Ok(tally)
}

/// Licences, sources and banned crates, where cargo-deny is installed.
pub fn deny(workspace: &Workspace) -> Result<Tally> {
    if !process::succeeds(Command::new("cargo-deny").arg("--version")) {
        say::line(
            "Licences are not checked: cargo-deny is not installed (`cargo install cargo-deny`)",
        );
        return Ok(Tally::one_skipped());
    }
    let mut command = Command::new("cargo-deny");
    command.current_dir(workspace.root()).args(["check", "bans", "licenses", "sources"]);
    check(workspace, "deny", "Checking licences and sources with cargo-deny", &mut command)
}

fn shared_is_free_of(workspace: &Workspace, krate: &str) -> Result<Tally> {
    let mut tree = cargo(workspace);
    tree.args(["tree", "--package", "plimsoll-shared", "--edges", "normal", "--prefix", "none"]);
    let listed = process::capture(&mut tree)?;
    let found = listed.lines().any(|line| line.split(' ').next() == Some(krate));
    if found {
        say::line(&format!("  `shared` depends on {krate}, which no browser can run"));
    }
    Ok(Tally::of(!found))
}

fn check(workspace: &Workspace, name: &str, title: &str, command: &mut Command) -> Result<Tally> {
    process::phase(title, command, &workspace.log(name))?;
    Ok(Tally::one_passed())
}
