//! The developer's commands: `cargo xtask up`, `test`, `bench` and `setup`.
//!
//! `up` is the whole way from a fresh clone to a running service; `test` is the whole way from a
//! fresh clone to a verdict. Both fetch what the machine lacks, say so first, and keep what they
//! can in the project's own `target/`.

mod args;
mod bench;
mod front;
mod packages;
mod process;
mod say;
mod service;
mod setup;
mod test;
mod tools;
mod up;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use crate::args::Args;
use crate::workspace::Workspace;

const USAGE: &str = "\
The developer's commands of Plimsoll.

  cargo xtask up    [--release] [--port N] [--data DIR]   fetch what is missing, build, start, print the URL
  cargo xtask test  [--only fmt,front,clippy,unit,wasm,deny,it,e2e]   every check there is
  cargo xtask bench NAME [ARGS]                            measure; without a name, list them
  cargo xtask front [--release]                            build the dashboard alone, into dist/
  cargo xtask setup [--test]                               fetch what `up` (or `test`) needs, and stop there

Environment: PLIMSOLL_WASM=rustup|debian forces the compiler of the dashboard.";

fn main() -> ExitCode {
    let mut args = Args::from_env();
    match run(&mut args) {
        Ok(code) => code,
        Err(error) => {
            say::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(args: &mut Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    match args.command().as_deref() {
        Some("up") => up::run(&workspace, args),
        Some("test") => test::run(&workspace, args),
        Some("front") => front::run(&workspace, args),
        Some("bench") => bench::run(&workspace, args),
        Some("setup") => setup::run(&workspace, args),
        Some("help" | "--help" | "-h") => {
            say::line(USAGE);
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            say::line(USAGE);
            Ok(ExitCode::from(2))
        }
    }
}
