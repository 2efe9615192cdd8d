//! `cargo xtask bench estimate` and `cargo xtask bench plan`: how right the estimate is, and how
//! much longer the planner's choice takes than the best of its candidates.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::args::Args;
use crate::service::cargo;
use crate::workspace::Workspace;

/// Measured loads first, then a trial, 12 runs and 30 more on a private server.
pub fn estimate(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let offline = args.flag("--offline");
    let rows = args.value("--rows")?;
    let mysql = args.value("--mysql")?;
    args.finish()?;
    let ended = example(workspace, "estimate_bench", &["offline".to_owned()])?;
    if offline || ended != ExitCode::SUCCESS {
        return Ok(ended);
    }
    let mut words = vec!["live".to_owned(), folder(workspace, "estimate")];
    words.extend(rows);
    if let Some(url) = mysql {
        words.extend(["--mysql".to_owned(), url]);
    }
    example(workspace, "estimate_bench", &words)
}

/// Every candidate of some twenty workloads, run in turn.
pub fn plan(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let rows = args.value("--rows")?;
    let mut words = vec![folder(workspace, "plan"), rows.unwrap_or_else(|| "300000".to_owned())];
    for name in ["--mysql", "--only"] {
        if let Some(value) = args.value(name)? {
            words.extend([name.to_owned(), value]);
        }
    }
    args.finish()?;
    example(workspace, "plan_bench", &words)
}

fn folder(workspace: &Workspace, name: &str) -> String {
    workspace.target().join("xtask").join(format!("bench-{name}")).display().to_string()
}

fn example(workspace: &Workspace, name: &str, words: &[String]) -> Result<ExitCode> {
    let status = cargo(workspace)
        .args(["run", "--release", "--quiet", "-p", "plimsoll", "--example", name, "--"])
        .args(words)
        .status()
        .context("cargo does not start")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
