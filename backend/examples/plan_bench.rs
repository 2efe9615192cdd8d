//! Regret: how much longer the planner's first choice takes than the best of all its candidates,
//! each of which is run in turn.
//!
//! ```text
//! cargo run --release --example plan_bench -- DIR ROWS [--mysql URL] [--only N,N,…]
//! ```
//!
//! MariaDB is a private server in DIR; MySQL is where the URL says, or left out.

#![allow(clippy::print_stdout, reason = "it prints a table")]

mod kit;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use mysql_async::prelude::Queryable;
use plimsoll::run::{CapacityInput, Runs, TrialInput};
use plimsoll::store::{NewRun, RunEnd, RunPlanned, RunTick, Store};
use plimsoll::target::sandbox::Sandbox;
use plimsoll::target::{self, TargetSpec};
use shared::capacity::CapacityRequest;
use shared::plan::{Candidate, Strategy};
use shared::run::RunStatus;
use shared::trial::{TrialKind, TrialStatus};

use kit::Kind::{self, Narrow, Order, Wide};

const SMALL: u64 = 64 << 20;
const LARGE: u64 = 2 << 30;
/// A candidate that is foretold to take this many times the first one's time is not run.
const HOPELESS: f64 = 4.0;

/// A load that is over sooner is run more often.
const SHORT_MS: u64 = 1_000;

/// One thing to load.
struct Workload {
    mysql: bool,
    engine: &'static str,
    kind: Kind,
    random: bool,
    indexes: u32,
    pool: u64,
    /// Rows in the table before, as a share of those to be loaded.
    filled: f64,
    /// Rows, as a share of those asked for.
    size: f64,
}

const fn maria(kind: Kind, random: bool, indexes: u32, pool: u64, size: f64) -> Workload {
    Workload { mysql: false, engine: "InnoDB", kind, random, indexes, pool, filled: 0.0, size }
}

const WORKLOADS: [Workload; 20] = [
    maria(Order, false, 0, LARGE, 1.0),
    maria(Order, true, 0, LARGE, 1.0),
    maria(Order, false, 3, LARGE, 1.0),
    maria(Order, true, 3, LARGE, 1.0),
    maria(Order, true, 0, SMALL, 2.0),
    maria(Order, true, 3, SMALL, 1.0),
    maria(Narrow, false, 0, LARGE, 2.0),
    maria(Narrow, true, 2, LARGE, 2.0),
    maria(Wide, false, 1, LARGE, 0.4),
    maria(Wide, true, 2, LARGE, 0.4),
    maria(Wide, true, 1, SMALL, 0.5),
    maria(Order, true, 1, LARGE, 0.1),
    Workload { filled: 1.0, ..maria(Order, false, 2, LARGE, 0.5) },
    Workload { filled: 1.0, ..maria(Order, true, 1, LARGE, 0.5) },
    Workload { engine: "RocksDB", ..maria(Order, false, 0, LARGE, 1.0) },
    Workload { engine: "RocksDB", ..maria(Order, true, 2, LARGE, 0.5) },
    Workload { engine: "Aria", ..maria(Order, false, 2, LARGE, 0.5) },
    Workload { mysql: true, ..maria(Order, false, 0, LARGE, 1.0) },
    Workload { mysql: true, ..maria(Order, true, 3, LARGE, 0.5) },
    Workload { mysql: true, ..maria(Wide, true, 1, LARGE, 0.4) },
];

struct Bench {
    runs: Runs,
    mariadb: TargetSpec,
    mysql: Option<TargetSpec>,
    dir: PathBuf,
    rows: u64,
}

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut value = |name: &str| {
        let at = words.iter().position(|w| w == name)?;
        let found = words.get(at + 1).cloned();
        words.drain(at..(at + 2).min(words.len()));
        found
    };
    let mysql = value("--mysql");
    let only = value("--only");
    let dir = PathBuf::from(words.first().context("the folder")?);
    let rows: u64 = words.get(1).map_or(Ok(300_000), |r| r.parse())?;
    let only: Option<Vec<usize>> =
        only.map(|o| o.split(',').map(str::parse).collect()).transpose()?;
    std::fs::create_dir_all(dir.join("files"))?;

    let sandbox = Sandbox::start(&dir.join("server")).await?;
    let store = Store::open(&dir.join("data"), None).await?;
    let mysql = mysql.map(|url| TargetSpec::from_url(&url)).transpose()?;
    let bench =
        Bench { runs: Runs::new(store)?, mariadb: sandbox.spec().clone(), mysql, dir, rows };
    let done = bench.run(only.as_deref()).await;
    sandbox.stop().await;
    done
}

impl Bench {
    async fn run(&self, only: Option<&[usize]>) -> Result<()> {
        self.calibrate(&self.mariadb).await?;
        if let Some(mysql) = &self.mysql {
            self.calibrate(mysql).await?;
        }
        println!(
            "  # workload                                        first      best  regret  said      best way"
        );
        let mut regrets = Vec::new();
        for (i, w) in WORKLOADS.iter().enumerate() {
            if only.is_some_and(|only| !only.contains(&i)) || (w.mysql && self.mysql.is_none()) {
                continue;
            }
            match self.regret(i, w).await {
                Ok(regret) => regrets.push(regret),
                Err(e) => println!("{i:>3} {} failed: {e:#}", self.words(w)),
            }
        }
        regrets.sort_by(f64::total_cmp);
        if let (Some(last), Some(middle)) = (regrets.last(), regrets.get(regrets.len() / 2)) {
            println!(
                "{} workloads: regret {middle:.2} in the median, {last:.2} at most",
                regrets.len()
            );
        }
        self.time_planning().await
    }

    fn target(&self, w: &Workload) -> &TargetSpec {
        self.mysql.as_ref().filter(|_| w.mysql).unwrap_or(&self.mariadb)
    }

    /// One trial, as a person would let it run before.
    async fn calibrate(&self, target: &TargetSpec) -> Result<()> {
        let known = self.runs.store().trials(Some(&target.name)).await?;
        if known.iter().any(|t| t.status == TrialStatus::Done) {
            return Ok(());
        }
        let database = target.database.clone().context("a database")?;
        let begun = self
            .runs
            .start_trial(TrialInput {
                kind: TrialKind::Ladder,
                race: None,
                target: target.clone(),
                target_id: None,
                database,
                seconds: Some(30),
                rows_max: None,
                engine: None,
                who: "bench".to_owned(),
            })
            .await?;
        loop {
            let view = self.runs.trial(&begun.id).await?;
            if view.status != TrialStatus::Running {
                println!("ladder on {}:", view.server);
                for r in &view.results {
                    println!(
                        "  {:<52} {:>10.0} rows/s {}",
                        r.title,
                        r.rows_per_sec,
                        r.note.clone().unwrap_or_default()
                    );
                }
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    }

    fn words(&self, w: &Workload) -> String {
        format!(
            "{} {} {} {} rows {}, {} idx, {}{}",
            if w.mysql { "MySQL" } else { "MariaDB" },
            w.engine,
            shared::units::count((self.rows as f64 * w.size) as u64),
            w.kind.word(),
            if w.random { "random" } else { "sorted" },
            w.indexes,
            if w.pool == SMALL { "64 MB" } else { "2 GB" },
            if w.filled > 0.0 { ", filled" } else { "" },
        )
    }

    async fn regret(&self, number: usize, w: &Workload) -> Result<f64> {
        let target = self.target(w);
        let rows = (self.rows as f64 * w.size) as u64;
        let before = (rows as f64 * w.filled) as u64;
        let file = kit::file(&self.dir.join("files"), w.kind, rows, w.random, before)?;
        kit::set_pool(target, w.pool).await?;
        self.prepare(w, before).await?;
        let plan = kit::plan(&self.runs, target, &file).await?;
        let first = plan.candidates.first().context("a candidate")?.clone();
        let limit = first.estimate.expected_ms as f64 * HOPELESS;
        let worth = |c: &&Candidate| {
            c.choice.strategy != Strategy::RowByRow && c.estimate.expected_ms as f64 <= limit
        };
        let field: Vec<&Candidate> = plan.candidates.iter().filter(worth).collect();
        let mut times: Vec<(u64, &Candidate)> = Vec::new();
        for c in field {
            times.push((self.time(w, before, &file, c).await?, c));
        }
        let finalists = self.decide(w, before, &file, &mut times).await?;
        let ran = finalists.iter().map(|i| &times[*i]);
        let (best_ms, best) = ran.min_by_key(|(ms, _)| *ms).context("a time")?;
        let first_ms = times[0].0;
        let regret = first_ms as f64 / *best_ms as f64;
        println!(
            "{number:>3} {:<48} {first_ms:>6} ms {best_ms:>6} ms  {regret:>5.2}  {:>6} ms  {}",
            self.words(w),
            first.estimate.expected_ms,
            best.title
        );
        for (ms, c) in &times {
            println!("        {ms:>6} ms, said {:>6} ms  {}", c.estimate.expected_ms, c.title);
        }
        Ok(regret)
    }

    /// Runs the three best and the first in rotation, and tells which they are. From then on the
    /// median of these turns alone is their time: of many that are run once, the best is the one
    /// that had luck.
    async fn decide(
        &self,
        w: &Workload,
        before: u64,
        file: &std::path::Path,
        times: &mut [(u64, &Candidate)],
    ) -> Result<Vec<usize>> {
        let mut finalists: Vec<usize> = (0..times.len()).collect();
        finalists.sort_by_key(|i| times[*i].0);
        finalists.truncate(3);
        if !finalists.contains(&0) {
            finalists.push(0);
        }
        let short = finalists.first().is_some_and(|i| times[*i].0 < SHORT_MS);
        let turns = if short { 7 } else { 5 };
        let mut seen = vec![Vec::new(); finalists.len()];
        for turn in 0..turns {
            // Whoever comes first in a turn meets the server as the last one left it.
            for place in 0..finalists.len() {
                let at = (place + turn) % finalists.len();
                seen[at].push(self.time(w, before, file, times[finalists[at]].1).await?);
            }
        }
        for (i, mut ms) in finalists.iter().zip(seen) {
            ms.sort_unstable();
            times[*i].0 = ms[ms.len() / 2];
        }
        Ok(finalists)
    }

    /// The table as it is before the load.
    async fn prepare(&self, w: &Workload, before: u64) -> Result<()> {
        let target = self.target(w);
        kit::make_table(target, w.kind, w.indexes, w.engine).await?;
        if before > 0 {
            let file = kit::file(&self.dir.join("files"), w.kind, before, false, 0)?;
            kit::load(&self.runs, target, &file, None).await?;
        }
        Ok(())
    }

    async fn time(
        &self,
        w: &Workload,
        before: u64,
        file: &std::path::Path,
        candidate: &Candidate,
    ) -> Result<u64> {
        self.prepare(w, before).await?;
        let target = self.target(w);
        self.settle(target).await?;
        let ended = kit::load(&self.runs, target, file, Some(&candidate.choice)).await?;
        Ok(ended.elapsed_ms)
    }

    /// Waits until the server has written most of what the load before left it.
    async fn settle(&self, target: &TargetSpec) -> Result<()> {
        let mut conn = target::connect(target).await?;
        for _ in 0..20 {
            let dirty: Option<(String, String)> = conn
                .query_first("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")
                .await?;
            if dirty.is_none_or(|d| d.1.parse::<u64>().unwrap_or(0) < 2_000) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        conn.disconnect().await?;
        Ok(())
    }

    /// How long an estimate takes with ten thousand runs in the history.
    async fn time_planning(&self) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(folder.path(), None).await?;
        let sample = self.runs.store().runs(&shared::api::RunQuery::default()).await?.runs;
        let Some(like) = sample.first() else { return Ok(()) };
        let saved = self.runs.store().run(&like.run_id).await?.context("the run")?;
        for _ in 0..10_000 {
            let mut view = like.clone();
            view.run_id = plimsoll::store::new_id();
            let run = NewRun {
                view: view.clone(),
                input: serde_json::json!({}),
                password: None,
                options_fingerprint: String::new(),
                trial_id: None,
            };
            store.run_insert(&run).await?;
            store.run_claim(&view.run_id, RunStatus::Queued, "bench").await?;
            let planned = RunPlanned {
                server: view.server.clone(),
                choice: view.choice.clone(),
                prechecks: Vec::new(),
                reasons: Vec::new(),
                estimate: view.estimate.clone(),
                facts: saved.facts.clone().unwrap_or_default(),
                sql: Vec::new(),
                columns: Vec::new(),
                file_fingerprint: String::new(),
                table_fingerprint: String::new(),
            };
            store.run_planned(&view.run_id, &planned).await?;
            let tick = RunTick {
                steps: view.steps.clone(),
                rows_read: view.rows_read,
                rows_loaded: view.rows_loaded,
                bytes_read: view.bytes_read,
                elapsed_ms: view.elapsed_ms,
                ..RunTick::default()
            };
            let (status, resumable) = (RunStatus::Succeeded, false);
            let end = RunEnd {
                status,
                tick,
                error: None,
                outcome: None,
                resumable,
                left_behind: false,
                curve: Vec::new(),
            };
            store.run_end(&view.run_id, RunStatus::Running, &end).await?;
        }
        let runs = Runs::new(store)?;
        let asked = CapacityRequest {
            target_id: String::new(),
            rows: 10_000_000,
            row_bytes: 100.0,
            database: None,
            table: None,
            columns: None,
            indexes: 3,
            in_key_order: false,
            rows_before: 0,
            within_ms: None,
            options: shared::options::ImportOptions::default(),
        };
        let input = CapacityInput { target: self.mariadb.clone(), asked };
        let mut took = Vec::new();
        for _ in 0..9 {
            let begun = Instant::now();
            runs.capacity(&input).await?;
            took.push(begun.elapsed());
        }
        took.sort();
        println!(
            "plan and estimate with 10,000 runs in the history, server asked: {:.1} ms in the median of 9",
            took[4].as_secs_f64() * 1e3
        );
        Ok(())
    }
}
