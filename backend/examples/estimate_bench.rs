//! Accuracy: loads that the estimate has not seen, against what it foretells of them.
//!
//! ```text
//! cargo run --release --example estimate_bench -- offline
//! cargo run --release --example estimate_bench -- live DIR [ROWS_MAX] [--mysql URL]
//! ```
//!
//! Offline it is loads that were measured by hand (`src/estimate/measured.csv`). Live it is one
//! trial, 12 runs and 30 more on a private MariaDB in DIR, or on a MySQL; the loads are kept in
//! DIR, so that a change of the model can be judged again without them.

#![allow(clippy::print_stdout, reason = "it prints a table")]

mod kit;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use plimsoll::estimate::{Calibration, Past, Shape};
use plimsoll::run::{Runs, TrialInput, past_loads};
use plimsoll::store::Store;
use plimsoll::target::TargetSpec;
use plimsoll::target::sandbox::Sandbox;
use shared::options::ImportOptions;
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::run::{RunStep, StepView};
use shared::target::Flavour;
use shared::trial::{TrialKind, TrialStatus};

use kit::{Kind, Random};

const MEASURED: &str = include_str!("../src/estimate/measured.csv");
const KNOWN: usize = 12;
const HELD_OUT: usize = 30;
const POOL: u64 = 2 << 30;

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let at = words.iter().position(|w| w == "--mysql");
    let mysql = at.and_then(|at| words.drain(at..(at + 2).min(words.len())).nth(1));
    match words.first().map(String::as_str) {
        Some("offline") => offline(),
        Some("live") => {
            let dir = PathBuf::from(words.get(1).context("the folder")?);
            let rows_max = words.get(2).map_or(Ok(2_000_000), |r| r.parse())?;
            live(&dir, rows_max, mysql.as_deref()).await
        }
        _ => bail!("offline, or live DIR"),
    }
}

/// What a load took in the steps that were measured.
fn actual_ms(p: &Past) -> f64 {
    p.steps.iter().map(|s| s.ms as f64).sum()
}

/// Prints how far loads are off what is foretold.
fn judge(title: &str, known: &Calibration, loads: &[&Past], detail: bool) {
    let (mut off, mut held) = (Vec::new(), 0);
    for p in loads {
        let told = known.foretell(&p.shape, &p.choice);
        // Steps that nobody measured are taken as foretold.
        let measured = |step| p.steps.iter().any(|s| s.step == step);
        let unmeasured: f64 =
            told.steps.iter().filter(|s| !measured(s.step)).map(|s| s.expected_ms as f64).sum();
        let actual = actual_ms(p) + unmeasured;
        let error = actual / told.expected_ms.max(1) as f64 - 1.0;
        let inside = (told.low_ms as f64..=told.high_ms as f64).contains(&actual);
        off.push(error.abs());
        held += usize::from(inside);
        if detail {
            let steps: Vec<String> = told
                .steps
                .iter()
                .filter(|s| s.expected_ms > 30)
                .map(|s| {
                    let ms = p.steps.iter().find(|m| m.step == s.step).map_or(0, |m| m.ms);
                    format!("{} {}/{}", s.step.as_str(), ms, s.expected_ms)
                })
                .collect();
            println!(
                "  {:>9} rows {:>4.0} B {} idx {} {:<11} {:<9} {:?} {:?} × {}: {:>6.0} ms, told {:>6} ({:>6} – {:>6}) {:+5.0} % {} [{}]",
                p.shape.rows,
                p.shape.record_bytes(),
                p.shape.indexes,
                if p.shape.in_key_order { "sorted" } else { "random" },
                p.choice.strategy.as_str(),
                p.choice.engine,
                p.choice.order,
                p.choice.index_policy,
                p.choice.workers,
                actual,
                told.expected_ms,
                told.low_ms,
                told.high_ms,
                error * 100.0,
                if inside { "" } else { "outside" },
                steps.join(", ")
            );
        }
    }
    off.sort_by(f64::total_cmp);
    let at = |q: f64| off.get((off.len() as f64 * q) as usize).copied().unwrap_or(0.0) * 100.0;
    println!(
        "{title}: {} loads, error {:.1} % in the median, {:.1} % at nine of ten; {:.0} % within the range of 80 %",
        off.len(),
        at(0.5),
        at(0.9),
        held as f64 / off.len().max(1) as f64 * 100.0
    );
}

/// Loads by hand, on this machine and on one with other ratios.
fn offline() -> Result<()> {
    for (words, load, build) in
        [("as measured", 1.0, 1.0), ("rows 2.3, index builds 1.5 times as slow", 2.3, 1.5)]
    {
        let all = by_hand(load, build)?;
        println!("{words}:");
        judge("  no run", &Calibration::shipped(), &all.iter().collect::<Vec<_>>(), false);
        let mut errors = Vec::new();
        for start in 0..7 {
            let small = |i: &usize| all.get(*i).is_some_and(|p| p.shape.rows <= 1_000_000);
            let known: Vec<usize> =
                (start..all.len()).step_by(7).filter(small).take(KNOWN).collect();
            let past: Vec<Past> = known.iter().filter_map(|i| all.get(*i).cloned()).collect();
            let left: Vec<&Past> = all
                .iter()
                .enumerate()
                .filter(|(i, _)| !known.contains(i))
                .map(|(_, p)| p)
                .collect();
            let Some(first) = past.first() else { continue };
            let learnt = Calibration::learn("t", &first.shape, &past);
            judge(
                &format!("  12 loads of up to 1M rows known, part {start}"),
                &learnt,
                &left,
                false,
            );
            errors.push(start);
        }
    }
    Ok(())
}

fn by_hand(load: f64, build: f64) -> Result<Vec<Past>> {
    let view = |step, ms: f64| StepView { step, ms: ms as u64, rows: 0, bytes: 0, done: true };
    let mut found = Vec::new();
    for line in MEASURED.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let number = |i: usize| -> Result<f64> { Ok(f.get(i).context("a field")?.parse()?) };
        let deferred = f.get(4) == Some(&"drop_and_rebuild");
        let mut steps = vec![view(RunStep::Load, number(6)? * load)];
        if deferred {
            steps.push(view(RunStep::RebuildIndexes, number(7)? * build));
        }
        let index_policy = if deferred { IndexPolicy::DropAndRebuild } else { IndexPolicy::Keep };
        found.push(Past {
            target: "t".to_owned(),
            choice: Choice {
                engine: "InnoDB".to_owned(),
                strategy: Strategy::LoadData,
                order: Order::AsIs,
                index_policy,
                visibility: Visibility::AllAtOnce,
                mode: Mode::Append,
                on_duplicate: OnDuplicate::Reject,
                on_error: OnError::Stop,
                workers: number(5)? as u32,
                chunk_bytes: 16 << 20,
                batch_bytes: 256 << 10,
                batch_rows: None,
                check_first: false,
            },
            shape: Shape {
                rows: number(0)? as u64,
                bytes: number(1)? as u64,
                in_key_order: f.get(2) == Some(&"seq"),
                has_key: true,
                indexes: number(3)? as u32,
                unique_indexes: 1,
                rows_before: 0,
                bytes_before: 0,
                pool_bytes: POOL,
                flavour: Flavour::Mariadb,
                round_trip_us: 30,
                cores: 2,
                columns: 7,
                copies: false,
                flushes: true,
                binary_log: false,
                entry_width: None,
            },
            steps,
            trial: false,
        });
    }
    Ok(found)
}

async fn live(dir: &Path, rows_max: u64, mysql: Option<&str>) -> Result<()> {
    std::fs::create_dir_all(dir.join("files"))?;
    let name = if mysql.is_some() { "loads-mysql.json" } else { "loads-mariadb.json" };
    let kept = dir.join(name);
    if !kept.exists() {
        let loads = match mysql {
            Some(url) => measure(&TargetSpec::from_url(url)?, dir, rows_max).await?,
            None => {
                let sandbox = Sandbox::start(&dir.join("server")).await?;
                let loads = measure(sandbox.spec(), dir, rows_max).await;
                sandbox.stop().await;
                loads?
            }
        };
        std::fs::write(&kept, serde_json::to_vec_pretty(&loads)?)?;
    }
    let loads: Vec<Past> = serde_json::from_slice(&std::fs::read(&kept)?)?;
    let (trials, runs): (Vec<&Past>, Vec<&Past>) = loads.iter().partition(|p| p.trial);
    let (known, held) = runs.split_at(KNOWN.min(runs.len()));
    let first = held.first().context("loads")?;
    let learn = |sets: &[&[&Past]]| {
        // Newest first, as the control database has them.
        let mut past: Vec<Past> =
            sets.iter().flat_map(|s| s.iter().map(|p| (*p).clone())).collect();
        past.reverse();
        Calibration::learn(&first.target, &first.shape, &past)
    };
    let detail = std::env::var_os("DETAIL").is_some();
    judge("shipped rates", &Calibration::shipped(), held, false);
    judge("after one trial of 20 s", &learn(&[&trials]), held, detail);
    judge("after 12 runs", &learn(&[known]), held, detail);
    judge("after the trial and 12 runs", &learn(&[&trials, known]), held, false);
    Ok(())
}

/// One trial, then the runs, in the order in which they were made.
async fn measure(target: &TargetSpec, dir: &Path, rows_max: u64) -> Result<Vec<Past>> {
    let data = tempfile::tempdir_in(dir)?;
    let runs = Runs::new(Store::open(data.path(), None).await?)?;
    let files = dir.join("files");
    kit::set_pool(target, POOL).await?;
    kit::make_table(target, Kind::Order, 3, "InnoDB").await?;
    let file = kit::file(&files, Kind::Order, 1_000_000, true, 0)?;
    trial(&runs, target, &file).await?;
    let mut r = Random::new(42);
    for i in 0..KNOWN + HELD_OUT {
        let (low, high): (f64, f64) =
            if i < KNOWN { (50e3, 1e6) } else { (100e3, rows_max as f64) };
        let share = r.below(1000) as f64 / 999.0;
        let rows = (low.ln() + share * (high / low).ln()).exp();
        let kind = [Kind::Order, Kind::Narrow, Kind::Wide][r.below(3) as usize];
        // Wide rows are as many bytes with a quarter of the rows.
        let rows = if kind == Kind::Wide { (rows / 4.0).max(low) } else { rows } as u64;
        let (random, indexes) = (r.below(2) == 1, r.below(4) as u32);
        kit::make_table(target, kind, indexes, "InnoDB").await?;
        let file = kit::file(&files, kind, rows, random, 0)?;
        let plan = kit::plan(&runs, target, &file).await?;
        let most = plan.candidates.iter().take(5).count() as u64;
        let pick = plan
            .candidates
            .get(r.below(most.max(1)) as usize)
            .filter(|c| c.choice.strategy != Strategy::RowByRow)
            .or(plan.candidates.first())
            .context("a candidate")?;
        let ended = kit::load(&runs, target, &file, Some(&pick.choice)).await?;
        println!(
            "{i:>3} {rows:>8} {} {} {indexes} idx, {}: {} ms, said {:?}",
            kind.word(),
            if random { "random" } else { "sorted" },
            pick.title,
            ended.elapsed_ms,
            ended.estimate.map(|e| (e.low_ms, e.expected_ms, e.high_ms))
        );
        std::fs::remove_file(&file)?;
    }
    let mut loads = past_loads(runs.store(), &target.name).await?;
    loads.reverse();
    Ok(loads)
}

async fn trial(runs: &Runs, target: &TargetSpec, file: &Path) -> Result<()> {
    let race = kit::input(target, file, ImportOptions::default())?;
    let begun = runs
        .start_trial(TrialInput {
            kind: TrialKind::Race,
            target: target.clone(),
            target_id: None,
            database: race.database.clone(),
            race: Some(race),
            seconds: Some(20),
            rows_max: None,
            engine: None,
            who: "bench".to_owned(),
        })
        .await?;
    loop {
        let view = runs.trial(&begun.id).await?;
        if view.status != TrialStatus::Running {
            for r in &view.results {
                println!(
                    "trial: {:<60} {:>8} rows {:>6} ms {}",
                    r.title,
                    r.rows,
                    r.ms,
                    r.note.clone().unwrap_or_default()
                );
            }
            println!("trial: {:?} {} {:?}", view.status, view.words.join(" "), view.error);
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}
