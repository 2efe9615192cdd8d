//! `cargo xtask bench read [ROWS]`: how fast files are cut, parsed, converted and profiled.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::args::Args;
use crate::say;
use crate::workspace::Workspace;

const ROWS: u64 = 2_000_000;
const CITIES: [&str; 8] = ["Osaka", "Lima", "Oslo", "Quito", "Perth", "Accra", "Turin", "Leeds"];

/// Writes a file of orders, builds the measuring program in release and runs it.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let rows = match args.command() {
        Some(rows) => rows.parse().context("the number of rows")?,
        None => ROWS,
    };
    args.finish()?;
    let file = workspace.target().join("xtask").join(format!("orders-{rows}.csv"));
    if !file.exists() {
        say::line(&format!("Writing {rows} rows to {}", file.display()));
        write_orders(&file, rows)?;
    }
    let status = Command::new(env!("CARGO"))
        .current_dir(workspace.root())
        .args(["run", "--release", "--quiet", "-p", "plimsoll", "--example", "read_bench", "--"])
        .arg(&file)
        .status()
        .context("cargo does not start")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Orders of seven columns without a header; the same number of rows always gives the same bytes.
fn write_orders(path: &Path, rows: u64) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let partial = path.with_extension("partial");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&partial)?);
    let mut state = 7_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 8) % below
    };
    let mut line = String::new();
    for id in 1..=rows {
        line.clear();
        let city = CITIES[random(8) as usize];
        writeln!(
            line,
            "{id},user{id}@example.com,{city},{}.{:02},{},2026-{:02}-{:02} {:02}:{:02}:00,\"note {}, x\"",
            random(1000),
            random(100),
            random(10),
            1 + random(12),
            1 + random(28),
            random(24),
            random(60),
            random(1 << 56),
        )?;
        out.write_all(line.as_bytes())?;
    }
    out.flush()?;
    fs::rename(&partial, path)?;
    Ok(())
}
