//! `cargo xtask bench read [ROWS]`: how fast files are cut, parsed, converted and profiled.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::orders::{self, Ids};
use crate::args::Args;
use crate::service::cargo;
use crate::workspace::Workspace;

const ROWS: u64 = 2_000_000;

/// Writes a file of orders, builds the measuring program in release and runs it.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let rows = match args.command() {
        Some(rows) => rows.parse().context("the number of rows")?,
        None => ROWS,
    };
    args.finish()?;
    let file = orders::file(workspace, Ids::InOrder, 1, rows)?;
    let status = cargo(workspace)
        .args(["run", "--release", "--quiet", "-p", "plimsoll", "--example", "read_bench", "--"])
        .arg(&file)
        .status()
        .context("cargo does not start")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
