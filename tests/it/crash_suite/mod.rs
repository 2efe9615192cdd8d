//! The crash suite: seeded runs, each disturbed at one step, then resumed or begun anew; and then
//! nothing may be lost, nothing twice, nothing left behind that the record does not name.
//!
//! `cargo xtask test` does a short part of it; `cargo xtask bench crash 200` does as many seeds as
//! it is told and prints a table. `PLIMSOLL_CRASH_SEEDS=17` or `=10..20` does certain ones,
//! `PLIMSOLL_CRASH_SERVER=mysql` on MySQL.

mod cases;
mod tally;
mod world;

use std::io::Write as _;
use std::ops::Range;

use anyhow::{Context as _, Result};

use cases::Case;
use plimsoll_tests::Flavour;
use tally::Tally;
use world::World;

/// Runs the seeds; where there is no such server, none.
async fn run(flavour: Flavour, seeds: Range<u64>) -> Result<()> {
    let Some(world) = World::new(flavour)? else {
        writeln!(std::io::stderr(), "no MySQL here")?;
        return Ok(());
    };
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for seed in seeds {
        let case = Case::of(seed, flavour);
        if !world.allows(&case) {
            tally.left_out(&case);
            continue;
        }
        match world.disturb(&case).await {
            Ok(story) => tally.add(&case, &story),
            Err(error) => {
                tally.failed(&case);
                writeln!(std::io::stderr(), "seed {seed} FAILED: {case}: {error:#}\n")?;
                failures.push(format!("seed {seed}: {case}: {error:#}"));
            }
        }
        world.restore().await?;
    }
    writeln!(std::io::stdout(), "{tally}")?;
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    Ok(())
}

fn seeds() -> Result<Option<Range<u64>>> {
    let Ok(text) = std::env::var("PLIMSOLL_CRASH_SEEDS") else { return Ok(None) };
    let number = |text: &str| text.trim().parse::<u64>().with_context(|| text.to_owned());
    Ok(Some(match text.split_once("..") {
        Some((from, to)) => number(from)?..number(to)?,
        None => number(&text)?..number(&text)? + 1,
    }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_few_disturbed_runs_end_with_every_row_once() -> Result<()> {
    run(Flavour::MariaDb, 0..cases::KINDS).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_few_disturbed_runs_end_with_every_row_once_on_mysql() -> Result<()> {
    run(Flavour::MySql, 0..cases::KINDS).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "minutes long: cargo xtask bench crash"]
async fn many_disturbed_runs_end_with_every_row_once() -> Result<()> {
    let flavour = match std::env::var("PLIMSOLL_CRASH_SERVER").as_deref() {
        Ok("mysql") => Flavour::MySql,
        _ => Flavour::MariaDb,
    };
    run(flavour, seeds()?.unwrap_or(0..200)).await
}
