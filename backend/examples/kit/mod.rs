//! What the benches of plan and estimate share: files of several shapes, tables, one load.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mysql_async::prelude::Queryable;
use plimsoll::run::{RunInput, Runs};
use plimsoll::target::{self, TargetSpec};
use shared::options::ImportOptions;
use shared::plan::{Choice, PlanView};
use shared::run::{RunStatus, RunView};

/// The table of every load.
pub const TABLE: &str = "bench";

/// What a row looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A key and two numbers, about 20 bytes.
    Narrow,
    /// A shop's order: seven columns, about 90 bytes.
    Order,
    /// Twenty columns, about 500 bytes.
    Wide,
}

impl Kind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Narrow => "narrow",
            Self::Order => "orders",
            Self::Wide => "wide",
        }
    }

    fn columns(self) -> String {
        let tail = match self {
            Self::Narrow => "a INT NOT NULL, b INT NOT NULL".to_owned(),
            Self::Order => "email VARCHAR(64) NOT NULL, city VARCHAR(32) NOT NULL, \
                 amount DECIMAL(12,2) NOT NULL, level INT NOT NULL, created_at DATETIME NOT NULL, \
                 note VARCHAR(100) NOT NULL"
                .to_owned(),
            Self::Wide => {
                let mut text = "a INT NOT NULL, b INT NOT NULL".to_owned();
                for i in 0..17 {
                    let _ = write!(text, ", c{i} VARCHAR(60) NOT NULL");
                }
                text
            }
        };
        format!("id BIGINT NOT NULL PRIMARY KEY, {tail}")
    }

    fn indexes(self, count: u32) -> String {
        let all: [&str; 3] = match self {
            Self::Narrow => ["KEY k_a (a)", "KEY k_b (b)", "KEY k_ab (a, b)"],
            Self::Order => {
                ["UNIQUE KEY u (email)", "KEY k_c (city, amount)", "KEY k_d (created_at)"]
            }
            Self::Wide => ["KEY k_a (a)", "KEY k_c0 (c0)", "KEY k_c1 (c1, b)"],
        };
        all.iter().take(count as usize).map(|k| format!(", {k}")).collect()
    }
}

/// A small generator: the same numbers every time.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % below
    }
}

const CITIES: [&str; 8] = ["Osaka", "Lima", "Oslo", "Quito", "Perth", "Accra", "Turin", "Leeds"];

/// Writes a file of rows whose keys begin after `after`, unless it is there already.
pub fn file(dir: &Path, kind: Kind, rows: u64, random: bool, after: u64) -> Result<PathBuf> {
    let order = if random { "random" } else { "in order" };
    let path = dir.join(format!("{}-{rows}-{}-{after}.csv", kind.word(), order.replace(' ', "_")));
    if path.exists() {
        return Ok(path);
    }
    let partial = path.with_extension("partial");
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&partial)?);
    let mut r = Random::new(rows + after + u64::from(random));
    let step = (rows * 5 / 8 + 1..).find(|s| gcd(*s, rows) == 1).unwrap_or(1);
    out.write_all(match kind {
        Kind::Narrow => b"id,a,b\n".as_slice(),
        Kind::Order => b"id,email,city,amount,level,created_at,note\n",
        Kind::Wide => b"id,a,b,c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16\n",
    })?;
    let mut line = String::new();
    for i in 0..rows {
        let id = after + 1 + if random { (i * step) % rows } else { i };
        line.clear();
        match kind {
            Kind::Narrow => write!(line, "{id},{},{}", r.below(1_000_000), r.below(1000))?,
            Kind::Order => write!(
                line,
                "{id},user{id}@example.com,{},{}.{:02},{},2026-{:02}-{:02} {:02}:{:02}:00,note {}",
                CITIES[r.below(8) as usize],
                r.below(1000),
                r.below(100),
                r.below(10),
                1 + r.below(12),
                1 + r.below(28),
                r.below(24),
                r.below(60),
                r.below(1 << 56),
            )?,
            Kind::Wide => {
                write!(line, "{id},{},{}", r.below(1_000_000), r.below(1000))?;
                for _ in 0..17 {
                    write!(line, ",some words {:012}", r.below(1 << 40))?;
                }
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    out.flush()?;
    std::fs::rename(&partial, &path)?;
    Ok(path)
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Makes the table anew, empty.
pub async fn make_table(target: &TargetSpec, kind: Kind, indexes: u32, engine: &str) -> Result<()> {
    let mut conn = target::connect(target).await?;
    conn.query_drop(format!("DROP TABLE IF EXISTS {TABLE}, bench_full")).await?;
    let statement = format!(
        "CREATE TABLE {TABLE} ({}{}) ENGINE={engine} DEFAULT CHARSET=utf8mb4",
        kind.columns(),
        kind.indexes(indexes)
    );
    conn.query_drop(statement).await?;
    conn.disconnect().await?;
    Ok(())
}

/// Sets the size of the buffer pool and waits until the server has it.
pub async fn set_pool(target: &TargetSpec, bytes: u64) -> Result<()> {
    let mut conn = target::connect(target).await?;
    let now: Option<u64> = conn.query_first("SELECT @@innodb_buffer_pool_size").await?;
    if now != Some(bytes) {
        conn.query_drop(format!("SET GLOBAL innodb_buffer_pool_size = {bytes}")).await?;
        for _ in 0..600 {
            let status: Option<(String, String)> =
                conn.query_first("SHOW STATUS LIKE 'Innodb_buffer_pool_resize_status'").await?;
            let words = status.map(|s| s.1).unwrap_or_default();
            if words.contains("Completed") || words.contains("complete") || words.is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
    conn.disconnect().await?;
    Ok(())
}

/// What is asked for.
pub fn input(target: &TargetSpec, file: &Path, options: ImportOptions) -> Result<RunInput> {
    Ok(RunInput {
        files: vec![file.to_owned()],
        file_name: file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        source_id: None,
        target: target.clone(),
        target_id: None,
        database: target.database.clone().context("a database")?,
        table: TABLE.to_owned(),
        options,
        create_table: None,
        choice: None,
        layout: None,
        who: "bench".to_owned(),
        trial: None,
    })
}

/// The plan for a file.
pub async fn plan(runs: &Runs, target: &TargetSpec, file: &Path) -> Result<PlanView> {
    Ok(runs.plan(&input(target, file, ImportOptions::default())?).await?)
}

/// Loads a file by a choice, or by the planner's.
pub async fn load(
    runs: &Runs,
    target: &TargetSpec,
    file: &Path,
    choice: Option<&Choice>,
) -> Result<RunView> {
    let mut input = input(target, file, ImportOptions::default())?;
    input.choice = choice.cloned();
    let run = runs.start(input).await?;
    let ended = runs.wait(&run.run_id).await?;
    if ended.status != RunStatus::Succeeded {
        bail!("{:?}: {:?} {:?}", ended.choice, ended.status, ended.error);
    }
    Ok(ended)
}
