//! `cargo xtask bench crash [SEEDS] [--mysql]`: the long crash suite, with a table of what came of it.
//! SEEDS is how many, or which: `200`, `17..18`.

use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::args::Args;
use crate::packages::{self, C_COMPILER, MARIADB};
use crate::service::cargo;
use crate::workspace::Workspace;

const SEEDS: &str = "200";
const TEST: &str = "crash_suite::many_disturbed_runs_end_with_every_row_once";

/// Builds the service and the tests, and runs the suite over the seeds.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let mysql = args.flag("--mysql");
    let seeds = args.command().unwrap_or_else(|| SEEDS.to_owned());
    args.finish()?;
    let seeds = if seeds.contains("..") { seeds } else { format!("0..{seeds}") };
    packages::ensure(workspace, &[&C_COMPILER, &MARIADB])?;
    let built = ran(cargo(workspace).args(["build", "--workspace", "--bins", "--tests"]))?;
    if built != ExitCode::SUCCESS {
        return Ok(built);
    }
    let mut suite = cargo(workspace);
    suite.args(["test", "--quiet", "--workspace", "--test", "it", "--", TEST]);
    suite.args(["--exact", "--ignored", "--nocapture"]).env("PLIMSOLL_CRASH_SEEDS", seeds);
    if mysql {
        suite.env("PLIMSOLL_CRASH_SERVER", "mysql");
    }
    ran(&mut suite)
}

fn ran(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().context("cargo does not start")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
