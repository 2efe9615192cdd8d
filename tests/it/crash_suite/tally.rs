//! The table of a suite: what was done, to which strategy, and how it ended.

use std::collections::BTreeMap;
use std::fmt;

use super::cases::{Case, Harm};

/// How a disturbed run went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Story {
    /// The place was not reached: the run went through undisturbed.
    Undisturbed,
    /// It went through by itself, sending again what had failed.
    WentThrough,
    /// It stopped and was resumed.
    Resumed,
    /// It stopped, left nothing, and was begun anew.
    BegunAnew,
}

const COLUMNS: [&str; 6] =
    ["undisturbed", "went through", "resumed", "begun anew", "left out", "FAILED"];

/// Counts by strategy and engine, then by kind of harm.
#[derive(Debug, Default)]
pub struct Tally {
    rows: BTreeMap<(String, Harm), [u32; COLUMNS.len()]>,
}

impl Tally {
    fn count(&mut self, case: &Case, column: usize) {
        let name = format!("{} {}", case.way.strategy, case.way.engine);
        self.rows.entry((name, case.harm)).or_default()[column] += 1;
    }

    pub fn add(&mut self, case: &Case, story: &Story) {
        self.count(case, *story as usize);
    }

    pub fn left_out(&mut self, case: &Case) {
        self.count(case, 4);
    }

    pub fn failed(&mut self, case: &Case) {
        self.count(case, 5);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, name: &str, harm: &str, counts: &[u32; 6]| {
            let counts: String = counts.iter().map(|n| format!("{n:>14}")).collect();
            writeln!(f, "{name:<28}{harm:<16}{counts}")
        };
        let head: String = COLUMNS.iter().map(|c| format!("{c:>14}")).collect();
        writeln!(f, "{:<28}{:<16}{head}", "strategy, engine", "harm")?;
        let mut by_harm: BTreeMap<Harm, [u32; 6]> = BTreeMap::new();
        let mut total = [0; 6];
        for ((name, harm), counts) in &self.rows {
            line(f, name, harm.name(), counts)?;
            for (i, n) in counts.iter().enumerate() {
                by_harm.entry(*harm).or_default()[i] += n;
                total[i] += n;
            }
        }
        for (harm, counts) in &by_harm {
            line(f, "all", harm.name(), counts)?;
        }
        line(f, "all", "all", &total)
    }
}
