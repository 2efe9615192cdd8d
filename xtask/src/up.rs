//! `cargo xtask up`: from a clone to a running service with a page to open.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::args::Args;
use crate::front::{self, Quality};
use crate::packages::{self, C_COMPILER, MARIADB};
use crate::say;
use crate::service::{self, Serve};
use crate::workspace::Workspace;

/// Fetches, builds and starts; the process then is the service.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let release = args.flag("--release");
    let port = args
        .value("--port")?
        .map(|port| port.parse().with_context(|| format!("`{port}` is no port number")))
        .transpose()?;
    let data = args.value("--data")?;
    args.finish()?;

    let started = Instant::now();
    packages::ensure(workspace, &[&C_COMPILER, &MARIADB])?;
    front::build(workspace, Quality::of(release))?;
    service::build(workspace, release)?;
    say::line(&format!("Starting Plimsoll, {} after the command", say::seconds(started.elapsed())));
    service::run(workspace, &Serve { release, port, data })
}
