//! Files of orders to measure with: seven columns, no header, always the same bytes.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::say;
use crate::workspace::Workspace;

const CITIES: [&str; 8] = ["Osaka", "Lima", "Oslo", "Quito", "Perth", "Accra", "Turin", "Leeds"];

/// In which order the ids come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// As they count.
    InOrder,
    /// Every one once, in no order.
    Shuffled,
}

/// A file of the ids `first ..= first + rows - 1`, written where it is not there yet.
pub fn file(workspace: &Workspace, ids: Ids, first: u64, rows: u64) -> Result<PathBuf> {
    let order = if ids == Ids::InOrder { "seq" } else { "rand" };
    let file = workspace.target().join("xtask").join(format!("orders-{order}-{first}-{rows}.csv"));
    if !file.exists() {
        say::line(&format!("Writing {rows} rows to {}", file.display()));
        write(&file, ids, first, rows)?;
    }
    Ok(file)
}

fn write(path: &Path, ids: Ids, first: u64, rows: u64) -> Result<()> {
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
    let mut all: Vec<u64> = (first..first + rows).collect();
    if ids == Ids::Shuffled {
        for i in (1..all.len()).rev() {
            all.swap(i, random(i as u64 + 1) as usize);
        }
    }
    let mut line = String::new();
    for id in all {
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
