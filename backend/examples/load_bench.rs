//! How fast the loader alone is: rows made in memory, given to the workers as they would come.
//!
//! ```text
//! cargo run --release --example load_bench -- URL [rows] [workers] [strategy] [engine] [seq|rand|sorted] [chunk MB]
//! ```
//!
//! Each line printed is one load of a new table; compare lines of one machine only.

#![allow(clippy::print_stdout, reason = "it prints a table")]

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use mysql_async::prelude::Queryable;
use plimsoll::domain::{EncodedChunk, RowOrigin, WireColumn, Wrap};
use plimsoll::load::sort::Sorter;
use plimsoll::load::{Cancel, Ledger, LoadError, LoadSpec, Loader, verify};
use plimsoll::target::{self, TargetSpec};
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};

const COLUMNS: [&str; 7] = ["id", "email", "city", "amount", "level", "created_at", "note"];
const CITIES: [&str; 8] = ["Osaka", "Lima", "Oslo", "Quito", "Perth", "Accra", "Turin", "Leeds"];

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, or: &str| arguments.get(i).cloned().unwrap_or_else(|| or.to_owned());
    let target = TargetSpec::from_url(&argument(0, "")).context("the first argument is a URL")?;
    let rows: u64 = argument(1, "2000000").parse()?;
    let workers: usize = argument(2, "2").parse()?;
    let strategy: Strategy = serde_json::from_value(argument(3, "load_data").into())?;
    let (engine, order) = (argument(4, "InnoDB"), argument(5, "seq"));
    let chunk_bytes = argument(6, "16").parse::<f64>()? * 1_048_576.0;
    let database = target.database.clone().context("the URL names a database")?;

    let mut conn = target::connect(&target).await?;
    conn.query_drop("DROP TABLE IF EXISTS bench, _plimsoll_l_bench").await?;
    conn.query_drop(format!(
        "CREATE TABLE bench (id BIGINT PRIMARY KEY, email VARCHAR(64) NOT NULL, \
         city VARCHAR(32), amount DECIMAL(12,2), level INT, created_at DATETIME, \
         note VARCHAR(100)) ENGINE={engine}"
    ))
    .await?;
    let chunks = make(rows, order != "seq", chunk_bytes as usize);
    let bytes: u64 = chunks.iter().map(|c| c.data.len() as u64).sum();

    let begun = Instant::now();
    let chunks = if order == "sorted" { sort(chunks, chunk_bytes as u64)? } else { chunks };
    let sorted = begun.elapsed();
    let capabilities = target::capabilities(&mut conn).await?;
    let facts = target::table_facts(&mut conn, &database, "bench").await?.context("a table")?;
    let choice = Choice {
        engine,
        strategy,
        order: if order == "rand" { Order::AsIs } else { Order::SortByPrimaryKey },
        index_policy: IndexPolicy::Keep,
        visibility: Visibility::AsTheyArrive,
        mode: Mode::Append,
        on_duplicate: OnDuplicate::Reject,
        on_error: OnError::Reject,
        workers: workers as u32,
        chunk_bytes: chunk_bytes as u64,
        batch_bytes: 256 << 10,
        batch_rows: None,
        check_first: false,
    };
    let wire = COLUMNS.map(|n| WireColumn { name: n.to_owned(), wrap: Wrap::Plain }).to_vec();
    let spec = LoadSpec::new(&target, &facts, wire, &choice, &capabilities, "bench");
    let ledger = Ledger::of_run(&database, "bench");
    ledger.create(&mut conn, &facts.engine).await?;

    let begun = Instant::now();
    let retries = load(Arc::new(spec), workers, chunks).await?;
    let took = begun.elapsed();
    let total = verify::sum(ledger.committed(&mut conn).await?.values());
    let count = verify::count(&mut conn, &database, "bench").await?;
    verify::agree(0, count, &total)?;
    println!(
        "{strategy:?} {workers} workers {order}: {count} rows, sort {:.2} s, load {:.2} s, \
         {:.0} rows/s, {:.0} MB/s, {retries} retries",
        sorted.as_secs_f64(),
        took.as_secs_f64(),
        count as f64 / took.as_secs_f64(),
        bytes as f64 / 1e6 / took.as_secs_f64(),
    );
    conn.query_drop("DROP TABLE bench, _plimsoll_l_bench").await?;
    Ok(())
}

/// Rows like those of a shop's orders, from a small generator of our own.
fn make(rows: u64, scattered: bool, chunk_bytes: usize) -> Vec<Arc<EncodedChunk>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let (mut chunks, mut chunk) = (Vec::new(), EncodedChunk::default());
    // A step without a common divisor visits every number once.
    let step = (0..).map(|i| rows * 5 / 8 + i).find(|s| gcd(*s, rows) == 1).unwrap_or(1);
    for i in 0..rows {
        let id = 1 + if scattered { (i * step) % rows } else { i };
        let r = next();
        let line = format!(
            "{id}\tuser{id}@example.com\t{}\t{}.{:02}\t{}\t2026-{:02}-{:02} {:02}:{:02}:00\tnote {}, x\n",
            CITIES[(r % 8) as usize],
            r % 1000,
            (r >> 10) % 100,
            (r >> 20) % 10,
            1 + (r >> 24) % 12,
            1 + (r >> 28) % 28,
            (r >> 33) % 24,
            (r >> 38) % 60,
            next() >> 4
        );
        chunk.data.extend_from_slice(line.as_bytes());
        let end = chunk.data.len() as u32;
        chunk.origins.push(RowOrigin { row: i + 1, line: i + 2, end, raw_start: 0, raw_end: 0 });
        if chunk.data.len() >= chunk_bytes || i + 1 == rows {
            chunk.rows_read = chunk.origins.len() as u64;
            let index = chunk.index + 1;
            chunks.push(Arc::new(std::mem::take(&mut chunk)));
            chunk.index = index;
        }
    }
    chunks
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Sorts by the first field as a number.
fn sort(chunks: Vec<Arc<EncodedChunk>>, chunk_bytes: u64) -> Result<Vec<Arc<EncodedChunk>>> {
    let dir = std::env::temp_dir();
    let mut sorter = Sorter::new(512 << 20, &dir, Cancel::new(), |row, key| {
        let digits = row.iter().take_while(|b| **b != b'\t');
        let id = digits.fold(0_u64, |n, b| n * 10 + u64::from(b - b'0'));
        key.extend_from_slice(&id.to_be_bytes());
    });
    for chunk in chunks {
        sorter.push(&chunk)?;
    }
    let (mut sorted, mut out) = (Vec::new(), sorter.finish(chunk_bytes)?);
    while let Some(chunk) = out.next_chunk()? {
        sorted.push(Arc::new(chunk));
    }
    Ok(sorted)
}

async fn load(spec: Arc<LoadSpec>, workers: usize, chunks: Vec<Arc<EncodedChunk>>) -> Result<u64> {
    let queue = Arc::new(std::sync::Mutex::new(chunks.into_iter()));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..workers {
        let (spec, queue) = (Arc::clone(&spec), Arc::clone(&queue));
        tasks.spawn(async move {
            let mut loader = Loader::connect(spec).await?;
            let mut retries = 0;
            loop {
                let next = queue.lock().map_or(None, |mut q| q.next());
                let Some(chunk) = next else { break };
                retries += u64::from(loader.write(&chunk).await?.retries);
            }
            loader.finish().await?;
            Ok::<u64, LoadError>(retries)
        });
    }
    let mut retries = 0;
    while let Some(done) = tasks.join_next().await {
        retries += done??;
    }
    Ok(retries)
}
