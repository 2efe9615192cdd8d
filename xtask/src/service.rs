//! The service: one binary with the dashboard inside, run in the foreground.

use std::env;
use std::process::Command;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// The cargo that runs this.
pub fn cargo(workspace: &Workspace) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace.root());
    cargo
}

/// Builds the `plimsoll` binary.
pub fn build(workspace: &Workspace, release: bool) -> Result<()> {
    let mut command = cargo(workspace);
    command.args(["build", "--package", "plimsoll", "--bin", "plimsoll"]);
    if release {
        command.arg("--release");
    }
    process::phase("Building the service", &mut command, &workspace.log("service"))?;
    Ok(())
}

/// How the service is started.
pub struct Serve {
    /// The release build rather than the development build.
    pub release: bool,
    /// The port on 127.0.0.1, where the service's own default will not do.
    pub port: Option<u16>,
    /// The data folder, where the service's own default will not do.
    pub data: Option<String>,
}

/// Turns this process into the service, so that Ctrl-C, signals and the exit code are its own.
///
/// Returns only when the service cannot be started.
pub fn run(workspace: &Workspace, serve: &Serve) -> Result<std::process::ExitCode> {
    let mut command = Command::new(workspace.plimsoll(serve.release));
    command.args(["serve", "--sandbox"]);
    if let Some(port) = serve.port {
        command.arg("--bind").arg(format!("127.0.0.1:{port}"));
    }
    if let Some(data) = &serve.data {
        command.arg("--data").arg(data);
    }
    become_it(command)
}

#[cfg(unix)]
fn become_it(mut command: Command) -> Result<std::process::ExitCode> {
    use std::os::unix::process::CommandExt as _;
    let error = command.exec();
    Err(anyhow::Error::new(error).context("starting the service"))
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<std::process::ExitCode> {
    let status = command.status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(std::process::ExitCode::from(code))
}
