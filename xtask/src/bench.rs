//! `cargo xtask bench NAME`: measurements by name. Each is a module in `bench/` with one entry in
//! [`BENCHES`].

mod crash;
mod dashboard;
mod foresee;
mod fuzz;
mod load;
mod orders;
mod read;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::args::Args;
use crate::say;
use crate::workspace::Workspace;

/// A measurement that can be asked for by name.
pub struct Bench {
    /// What to type.
    pub name: &'static str,
    /// What it measures, in one line.
    pub about: &'static str,
    /// Runs it; what is left of the command line is its own.
    pub run: fn(&Workspace, &mut Args) -> Result<ExitCode>,
}

/// Every bench there is, in the order in which they are listed.
const BENCHES: &[Bench] = &[
    Bench {
        name: "crash",
        about: "loads that are killed, cut off and starved, and whether each row is in once [SEEDS] [--mysql]",
        run: crash::run,
    },
    Bench {
        name: "dashboard",
        about: "the dashboard's first load, a filtered page of 10,000 runs, an hour of updates, in Chromium",
        run: dashboard::run,
    },
    Bench {
        name: "read",
        about: "how fast files are cut, parsed, converted and profiled [ROWS]",
        run: read::run,
    },
    Bench {
        name: "fuzz",
        about: "odd bytes for the readers, for ten minutes a target [SECONDS] [TARGET…]",
        run: fuzz::run,
    },
    Bench {
        name: "load",
        about: "whole imports against the client's LOAD DATA LOCAL [WORKLOAD…] [--turns N]",
        run: load::run,
    },
    Bench {
        name: "estimate",
        about: "how right estimates are, on measured loads and live [--rows MAX] [--mysql URL] [--offline]",
        run: foresee::estimate,
    },
    Bench {
        name: "plan",
        about: "the planner's choice against all its candidates [--rows N] [--mysql URL] [--only N,N]",
        run: foresee::plan,
    },
];

/// Runs the bench that is named, or lists them.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let Some(name) = args.command() else {
        for bench in BENCHES {
            say::line(&format!("  {:<16} {}", bench.name, bench.about));
        }
        return Ok(ExitCode::SUCCESS);
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        bail!("there is no bench called `{name}`; `cargo xtask bench` lists them");
    };
    (bench.run)(workspace, args)
}
