//! The crash suite: seeded runs, each disturbed at one step, then resumed or begun anew; and then
//! nothing may be lost, nothing twice, nothing left behind that the record does not name.
//!
//! `cargo xtask test` does a short part of it; `cargo xtask bench crash 200` does as many seeds as
//! it is told and prints a table. `PLIMSOLL_CRASH_SEEDS=17` or `=10..20` does certain ones.

mod cases;
mod tally;
mod world;

use std::io::Write as _;
use std::ops::Range;

use anyhow::{Context as _, Result};

use cases::Case;
use tally::Tally;
use world::World;

async fn run(seeds: Range<u64>) -> Result<()> {
    let world = World::new()?;
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for seed in seeds {
        let case = Case::of(seed);
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
    run(0..cases::KINDS).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "minutes long: cargo xtask bench crash"]
async fn many_disturbed_runs_end_with_every_row_once() -> Result<()> {
    run(seeds()?.unwrap_or(0..200)).await
}
