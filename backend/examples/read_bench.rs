//! Measures the reader on one core: cutting chunks, parsing them, converting and encoding them; then the
//! whole road and a full profile on a file of any size, with the most memory that each took.
//! `cargo xtask bench read` builds and runs it.
//!
//! `read_bench FILE [--chunk BYTES] [--rounds N]`

#![allow(clippy::print_stdout, reason = "a command that prints its measurements")]

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use plimsoll::convert::{Converter, map_columns};
use plimsoll::domain::Chunk;
use plimsoll::source::{self, ChunkReader, Layout, RecordParser};
use shared::ImportOptions;
use shared::profile::Profile;
use shared::profile::grammar::Grammar;
use shared::target::{ColumnFacts, Flavour, TableFacts};

/// Bytes of the file on which single stages are measured.
const HELD_BYTES: u64 = 512 << 20;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let path = PathBuf::from(args.next().context("a file is needed")?);
    let (mut chunk_bytes, mut rounds) = (16_u64 << 20, 3_u32);
    while let Some(arg) = args.next() {
        let value = args.next().with_context(|| format!("{arg} needs a value"))?;
        match arg.as_str() {
            "--chunk" => chunk_bytes = value.parse()?,
            "--rounds" => rounds = value.parse()?,
            other => anyhow::bail!("{other} is not known"),
        }
    }
    let options = ImportOptions::default();
    let paths = [path];
    let sample = source::profile(&paths, &options, false, &|_| {}).map_err(|e| e.body())?;
    let layout = Layout::from_profile(&sample, &options);
    let table = table_for(&sample);
    let mapping = map_columns(&table, &layout.columns, &options, Flavour::Mariadb)?;
    let converter = Converter::new(&mapping, &layout, &options, Flavour::Mariadb)?;
    let file_bytes = sample.file_bytes;
    println!("{file_bytes} bytes, {} columns", layout.columns.len());

    measure("whole road, flat", file_bytes, 1, || {
        let mut reader = ChunkReader::open(&paths, &layout, chunk_bytes).map_err(|e| e.body())?;
        let mut parser = RecordParser::new(&layout);
        let mut rows = 0;
        while let Some(chunk) = reader.next_chunk().map_err(|e| e.body())? {
            rows += converter.encode(&mut parser, &chunk, false).rows();
        }
        Ok(rows)
    })?;
    say_memory();
    measure("full profile, all cores", file_bytes, 1, || {
        let whole = source::profile(&paths, &options, true, &|_| {}).map_err(|e| e.body())?;
        Ok(whole.rows.unwrap_or(0))
    })?;
    say_memory();

    let chunks = read(&paths, &layout, chunk_bytes)?;
    let bytes: u64 = chunks.iter().map(|c| c.data.len() as u64).sum();
    println!("the first {bytes} bytes, in memory, one core:");

    measure("cut", bytes, rounds, || {
        let grammar = Grammar::new(&layout.dialect);
        Ok(chunks.iter().map(|c| grammar.cut(&c.data, true).records).sum())
    })?;
    measure("parse", bytes, rounds, || {
        let mut parser = RecordParser::new(&layout);
        let mut fields = 0;
        for chunk in &chunks {
            parser.parse(chunk, |r| fields += r.fields.map_or(0, |f| f.len() as u64));
        }
        Ok(fields)
    })?;
    measure("parse + convert + encode", bytes, rounds, || {
        let mut parser = RecordParser::new(&layout);
        Ok(chunks.iter().map(|c| converter.encode(&mut parser, c, false).rows()).sum())
    })?;
    Ok(())
}

fn read(paths: &[PathBuf], layout: &Layout, chunk_bytes: u64) -> Result<Vec<Chunk>> {
    let mut reader = ChunkReader::open(paths, layout, chunk_bytes).map_err(|e| e.body())?;
    let mut chunks = Vec::new();
    let mut held = 0;
    while held < HELD_BYTES
        && let Some(chunk) = reader.next_chunk().map_err(|e| e.body())?
    {
        held += chunk.data.len() as u64;
        chunks.push(chunk);
    }
    Ok(chunks)
}

/// The best of some rounds.
fn measure(
    what: &str,
    bytes: u64,
    rounds: u32,
    mut run: impl FnMut() -> Result<u64>,
) -> Result<()> {
    let mut best = f64::INFINITY;
    let mut counted = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        counted = std::hint::black_box(run()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let rate = bytes as f64 / best / 1e6;
    println!("{what:<26} {rate:>8.0} MB/s  {best:>7.3} s  {counted} counted");
    Ok(())
}

/// The table that would be made for the file.
fn table_for(profile: &Profile) -> TableFacts {
    let columns = profile
        .columns
        .iter()
        .map(|c| ColumnFacts {
            name: c.name.clone(),
            sql_type: c.column_type.to_sql(),
            nullable: true,
            has_default: false,
            auto_increment: false,
            generated: false,
            charset: c.column_type.is_text().then(|| "utf8mb4".to_owned()),
            collation: None,
        })
        .collect();
    TableFacts {
        name: "bench".to_owned(),
        engine: "InnoDB".to_owned(),
        empty: true,
        columns,
        charset: "utf8mb4".to_owned(),
        ..TableFacts::default()
    }
}

/// Says how much memory was taken at most since the last time.
fn say_memory() {
    println!("{:<26} {:>8} MB", "  most memory", memory_peak_kb() / 1024);
    // The kernel begins to count anew; where it does not, the figure stays the highest of all.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that this process had, in kilobytes; 0 where the system does not tell.
fn memory_peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok()).unwrap_or(0)
}
