//! The planner: pure. Facts in, ranked ways to load out, each with its reasons.
//!
//! No connection, no clock, no database: the caller gathers the facts and gives a function that
//! foretells a choice's time.

mod choices;
mod facts;
mod prechecks;
mod reasons;
mod sizes;

use shared::estimate::Estimate;
use shared::plan::{
    Candidate, Choice, IndexPolicy, Order, PlanView, Severity, Strategy, Visibility,
};
use shared::run::RunStep;

pub use facts::{Facts, shape};

/// The most ways that are shown.
const CANDIDATES_MAX: usize = 12;

/// Every way to load the file that is worth showing, best first, with findings.
///
/// The columns and the SQL are the caller's to fill in: they need the converter and the loader.
#[must_use]
pub fn plan(facts: &Facts<'_>, foretell: &dyn Fn(&Choice) -> Estimate) -> PlanView {
    let mut ways: Vec<(Choice, Estimate)> = choices::all(facts)
        .into_iter()
        .map(|choice| {
            let estimate = foretell(&choice);
            (choice, estimate)
        })
        .collect();
    ways.sort_by(|a, b| rank(facts, a).total_cmp(&rank(facts, b)));
    ways.truncate(CANDIDATES_MAX);
    let first = ways.first().cloned();
    let candidates = ways
        .iter()
        .enumerate()
        .map(|(i, (choice, estimate))| Candidate {
            choice: choice.clone(),
            title: reasons::title(choice, facts),
            estimate: estimate.clone(),
            reasons: reasons::reasons(choice, facts),
            why_not: match (&first, i) {
                (_, 0) | (None, _) => None,
                (Some(best), _) => Some(reasons::why_not(best, (choice, estimate), facts)),
            },
            disk_bytes: Some(disk_bytes(choice, facts)),
        })
        .collect();
    let mut prechecks = prechecks::all(facts, first.as_ref().map(|(c, _)| c));
    prechecks.sort_by_key(|p| std::cmp::Reverse(p.severity));
    PlanView {
        candidates,
        prechecks,
        mapping: Vec::new(),
        unused: Vec::new(),
        steps: first.as_ref().map(|(c, _)| steps(c)).unwrap_or_default(),
        sql: Vec::new(),
        create_table: None,
    }
}

/// Whether a finding stops the run.
#[must_use]
pub fn stopped(view: &PlanView) -> Option<&shared::plan::Precheck> {
    view.prechecks.iter().find(|p| p.severity == Severity::Stops)
}

/// The steps of a way, in order.
#[must_use]
pub fn steps(choice: &Choice) -> Vec<RunStep> {
    let mut steps = vec![RunStep::Precheck];
    if choice.check_first {
        steps.push(RunStep::Check);
    }
    steps.push(RunStep::Prepare);
    if choice.order == Order::SortByPrimaryKey {
        steps.push(RunStep::Sort);
    }
    steps.push(RunStep::Load);
    if choice.index_policy == IndexPolicy::DropAndRebuild {
        steps.push(RunStep::RebuildIndexes);
    }
    steps.push(RunStep::Verify);
    if choice.visibility == Visibility::AllAtOnce {
        steps.push(RunStep::Publish);
    }
    steps.push(RunStep::Analyze);
    steps
}

/// Expected time, with the server's default engine first for a new table: another engine is the
/// person's decision, however fast it loads.
fn rank(facts: &Facts<'_>, way: &(Choice, Estimate)) -> f64 {
    // A difference that small is noise; LOAD DATA then holds what it promises on every size.
    let expected = way.1.expected_ms as f64
        * match way.0.strategy {
            Strategy::Insert => 1.15,
            Strategy::RowByRow => 1e6,
            _ => 1.0,
        };
    if facts.preferred_engine().is_some_and(|e| !e.eq_ignore_ascii_case(&way.0.engine)) {
        expected + 1e12
    } else {
        expected
    }
}

fn disk_bytes(choice: &Choice, facts: &Facts<'_>) -> u64 {
    let table = facts.shape.table_bytes_after();
    match (choice.visibility, facts.shape.rows_before) {
        // While both stand, the old rows and the new.
        (Visibility::AllAtOnce, before) if before > 0 => table + facts.shape.bytes_before,
        _ => table,
    }
}

#[cfg(test)]
mod tests;
