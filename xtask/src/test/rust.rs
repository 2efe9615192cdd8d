//! The tests that are written in Rust.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::tally::Tally;
use crate::process;
use crate::say;
use crate::service::cargo;
use crate::workspace::Workspace;

/// The script that brings a real MySQL, where the clone has it as a neighbour.
const MYSQL_SCRIPT: &str = "../shared/tools/mysql-server";

/// Compiles the service and every test in one go.
///
/// Cargo chooses the features of shared dependencies by what it is asked to build: asked for the
/// same each time, it compiles each dependency once.
pub fn compile(workspace: &Workspace) -> Result<()> {
    let mut build = cargo(workspace);
    build.args(["build", "--workspace", "--bins", "--tests"]);
    let title = "Compiling the service and the tests";
    process::phase(title, &mut build, &workspace.log("test-build"))?;
    Ok(())
}

/// Every unit test; the dashboard's are plain logic, so they run as native code.
pub fn unit(workspace: &Workspace) -> Result<Tally> {
    compile(workspace)?;
    let mut command = cargo(workspace);
    command.args(["test", "--workspace", "--lib", "--bins", "--no-fail-fast"]);
    counted(workspace, "unit", "Running the unit tests", &mut command)
}

/// The integration tests, on a private MariaDB and on MySQL where there is one.
pub fn integration(workspace: &Workspace) -> Result<Tally> {
    compile(workspace)?;
    let mut command = cargo(workspace);
    command.args(["test", "--workspace", "--test", "*", "--no-fail-fast"]);
    let script = workspace.path(MYSQL_SCRIPT);
    let has_mysql = script.is_file() || std::env::var_os("PLIMSOLL_TEST_MYSQL_URL").is_some();
    let title = if has_mysql {
        "Running the integration tests on MariaDB and MySQL"
    } else {
        say::line("MySQL is left out: PLIMSOLL_TEST_MYSQL_URL names no server");
        "Running the integration tests on MariaDB"
    };
    counted(workspace, "it", title, &mut command)
}

/// Runs cargo's tests, counts them, and shows all output where one failed.
fn counted(workspace: &Workspace, name: &str, title: &str, command: &mut Command) -> Result<Tally> {
    let log: PathBuf = workspace.log(name);
    say::begin(title);
    let ended = process::quietly(command, &log)?;
    let tally = Tally::of_libtest(&ended.output).and_exit(ended.success);
    if tally.failed > 0 {
        say::line(&process::tail(&ended.output, 400));
    }
    say::end(&tally.closing_line(), ended.elapsed);
    if tally == Tally::default() {
        bail!("{name}: not one test was run; the output is in {}", log.display());
    }
    Ok(tally)
}
