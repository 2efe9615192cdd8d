//! `cargo xtask setup`: fetches what the other commands need, for machines that go offline later.

use std::process::ExitCode;

use anyhow::Result;

use crate::args::Args;
use crate::packages::{self, C_COMPILER, MARIADB};
use crate::say;
use crate::service;
use crate::test;
use crate::tools::{self, wasm_opt, wasm_target};
use crate::workspace::Workspace;

/// Fetches every tool and every crate; builds nothing of Plimsoll itself.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let for_tests = args.flag("--test");
    args.finish()?;
    packages::ensure(workspace, &[&C_COMPILER, &MARIADB])?;
    if for_tests {
        test::setup(workspace)?;
    }
    let mut fetch = service::cargo(workspace);
    fetch.args(["fetch", "--locked"]);
    crate::process::phase("Fetching crates", &mut fetch, &workspace.log("fetch"))?;
    wasm_target::ensure(workspace)?;
    tools::ensure(workspace, None)?;
    wasm_opt::ensure(workspace)?;
    say::line("Everything is here");
    Ok(ExitCode::SUCCESS)
}
