//! `cargo xtask bench fuzz [SECONDS] [TARGET…]`: throws odd bytes at the readers, guided by which
//! code they reach, until one makes them panic or the time is over.

use std::fs;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::args::Args;
use crate::process;
use crate::say;
use crate::service::cargo;
use crate::workspace::Workspace;

/// A target for each kind of input, and whether it needs the service's library, which takes
/// minutes to build.
const TARGETS: [(&str, bool); 5] = [
    ("dialect", false),
    ("records", false),
    ("json_lines", false),
    ("dates", true),
    ("numbers", true),
];
const SECONDS: &str = "600";
/// Longest input, in bytes: faults of readers show in short ones.
const INPUT_BYTES: &str = "4096";
/// What libFuzzer needs to see which code an input reaches. No sanitizer: the project has no
/// unsafe code, and so the stable compiler will do.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    --cfg fuzzing";

/// Builds the targets that are named, or all, and runs one after the other.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let seconds = args.command().unwrap_or_else(|| SECONDS.to_owned());
    let mut targets = Vec::new();
    while let Some(name) = args.command() {
        let known = TARGETS.iter().find(|t| t.0 == name);
        targets.push(*known.with_context(|| format!("there is no fuzz target `{name}`"))?);
    }
    args.finish()?;
    if targets.is_empty() {
        targets.extend(TARGETS);
    }
    let triple = triple()?;
    for (target, whole) in targets {
        build(workspace, &triple, target, whole)?;
        if !fuzz(workspace, &triple, target, &seconds)? {
            say::line(&format!("{target}: FAILED; the input is in fuzz/artifacts/{target}"));
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// This machine's own triple: named, so that build scripts and macros are built without the flags.
fn triple() -> Result<String> {
    let about = process::capture(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|l| l.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

fn build(workspace: &Workspace, triple: &str, target: &str, whole: bool) -> Result<()> {
    let mut cargo = cargo(workspace);
    cargo.current_dir(workspace.path("fuzz")).env("RUSTFLAGS", FLAGS);
    cargo.args(["build", "--bin", target, "--target", triple]);
    if whole {
        cargo.args(["--features", "convert"]);
    }
    let title = format!("Building the fuzz target {target}");
    process::phase(&title, &mut cargo, &workspace.log("fuzz"))?;
    Ok(())
}

/// Whether the target held out.
fn fuzz(workspace: &Workspace, triple: &str, target: &str, seconds: &str) -> Result<bool> {
    let corpus = workspace.path("fuzz/corpus").join(target);
    let artifacts = workspace.path("fuzz/artifacts").join(target);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let program = workspace.path("fuzz/target").join(triple).join("debug").join(target);
    let log = workspace.log(&format!("fuzz-{target}"));
    let mut command = Command::new(program);
    command.arg(&corpus).arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.args([format!("-max_total_time={seconds}"), format!("-max_len={INPUT_BYTES}")]);
    command.arg("-print_final_stats=1");
    let ended = process::quietly(&mut command, &log)?;
    let runs = ended.output.lines().find_map(|l| l.strip_prefix("stat::number_of_executed_units:"));
    let Some(runs) = runs else {
        bail!("{target} did not run; see {}", log.display());
    };
    let seconds = ended.elapsed.as_secs();
    say::line(&format!("{target:<12} {:>14} inputs in {seconds} s", runs.trim()));
    Ok(ended.success)
}
