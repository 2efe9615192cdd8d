//! `cargo xtask bench dashboard`: the first load of the released dashboard, how soon a filtered page
//! of a history of 10,000 runs is painted, and what a run's page holds after an hour of updates, in
//! Chromium.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::args::Args;
use crate::front::{self, Quality};
use crate::process;
use crate::service;
use crate::test::browser;
use crate::workspace::Workspace;

/// Builds what a person would use, a program that fills the history, and measures.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    args.finish()?;
    browser::setup(workspace)?;
    front::build(workspace, Quality::Release)?;
    service::build(workspace, true)?;
    let mut seed = service::cargo(workspace);
    seed.args(["build", "--release", "-p", "plimsoll", "--example", "many_runs"]);
    process::phase("Building the bench", &mut seed, &workspace.log("bench-dashboard"))?;
    let status = Command::new("node")
        .current_dir(workspace.path("tests/e2e"))
        .arg("bench/dashboard.js")
        .env("PLIMSOLL_BIN", workspace.plimsoll(true))
        .env("PLIMSOLL_SEED", workspace.target().join("release/examples/many_runs"))
        .status()
        .context("node does not start")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
