//! End to end: the built service, driven through headless Chromium.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::rust;
use super::tally::Tally;
use crate::front::{self, Quality};
use crate::packages::{self, CHROMIUM, MARIADB, NODE};
use crate::process;
use crate::say;
use crate::workspace::Workspace;

/// Node, Chromium and the library between them.
pub fn setup(workspace: &Workspace) -> Result<()> {
    let chromium_named = env::var_os("PLIMSOLL_CHROMIUM").is_some();
    let mut needs = vec![&NODE, &MARIADB];
    if !chromium_named {
        needs.push(&CHROMIUM);
    }
    packages::ensure(workspace, &needs)?;
    let folder = workspace.path("tests/e2e");
    if up_to_date(&folder) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.current_dir(&folder).args(["ci", "--no-audit", "--no-fund"]);
    process::phase("Fetching playwright-core with npm", &mut npm, &workspace.log("npm-e2e"))?;
    Ok(())
}

/// The dashboard compiles and can be bundled.
pub fn dashboard(workspace: &Workspace) -> Result<Tally> {
    front::build(workspace, Quality::Dev)?;
    Ok(Tally::one_passed())
}

/// Builds what a person would use, and uses it.
pub fn end_to_end(workspace: &Workspace) -> Result<Tally> {
    setup(workspace)?;
    front::build(workspace, Quality::Dev)?;
    rust::compile(workspace)?;

    let folder = workspace.path("tests/e2e");
    let tap = workspace.log("e2e.tap");
    if let Some(parent) = tap.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut node = Command::new("node");
    node.current_dir(&folder)
        .args(["--test", "--test-reporter=spec", "--test-reporter-destination=stdout"])
        .arg("--test-reporter=tap")
        .arg(format!("--test-reporter-destination={}", tap.display()))
        .arg("tests/")
        .env("PLIMSOLL_BIN", workspace.plimsoll(false))
        .env("PLIMSOLL_ARTIFACTS", workspace.target().join("e2e-artifacts"));
    say::begin("Driving the dashboard in Chromium");
    let ended = process::quietly(&mut node, &workspace.log("e2e"))?;
    let report = fs::read_to_string(&tap).unwrap_or_default();
    let tally = Tally::of_node(&report).and_exit(ended.success);
    if tally.failed > 0 {
        say::line(&process::tail(&ended.output, 200));
    }
    say::end(&tally.closing_line(), ended.elapsed);
    Ok(tally)
}

/// npm writes its own lock into `node_modules` last: no older than ours, it is complete.
fn up_to_date(folder: &Path) -> bool {
    let modified = |file: &str| fs::metadata(folder.join(file)).and_then(|meta| meta.modified());
    match (modified("package-lock.json"), modified("node_modules/.package-lock.json")) {
        (Ok(ours), Ok(installed)) => installed >= ours,
        _ => false,
    }
}
