//! The planner: pure. Facts in, ranked ways to load out, each with its reasons.
//!
//! No connection, no clock, no database: the caller gathers the facts and gives a function that
//! foretells a choice's time.

mod choices;
mod facts;
mod guards;
mod prechecks;
mod reasons;
mod sizes;

use shared::estimate::Estimate;
use shared::plan::{
    Candidate, Choice, IndexPolicy, Order, PlanView, Severity, Strategy, Visibility,
};
use shared::run::RunStep;

use crate::estimate::disk_need;

pub use facts::{About, Facts, shape};

/// The most ways that are shown.
const CANDIDATES_MAX: usize = 12;

/// Every way to load the file that is worth showing, best first, with findings.
///
/// The columns and the SQL are the caller's to fill in: they need the converter and the loader.
#[must_use]
pub fn plan(facts: &Facts<'_>, foretell: &dyn Fn(&Choice) -> Estimate) -> PlanView {
    let told = |choice: Choice| {
        let estimate = foretell(&choice);
        (choice, estimate)
    };
    let order = |ways: &mut Vec<(Choice, Estimate)>| {
        ways.sort_by(|a, b| rank(facts, a).total_cmp(&rank(facts, b)));
    };
    let mut ways: Vec<(Choice, Estimate)> = choices::all(facts).into_iter().map(told).collect();
    order(&mut ways);
    ways.truncate(CANDIDATES_MAX);
    if let Some((best, _)) = ways.first() {
        ways.extend(choices::neighbours(facts, best).into_iter().map(told));
        order(&mut ways);
    }
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
            disk_bytes: Some(disk_need(facts.shape, choice).total()),
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
    // Differences that small are noise. Then the way counts that holds what it promises on every
    // size, leaves the other side less to do, or needs fewer connections.
    let strategy = match way.0.strategy {
        Strategy::LoadData => 1.0,
        Strategy::EngineBulk => 1.03,
        Strategy::BulkProtocol => 1.04,
        Strategy::LoadDataServer => 1.06,
        Strategy::Insert => 1.1,
        Strategy::SingleTransaction => 1.2,
        Strategy::RowByRow => 1e6,
    };
    let crowd = 1.0 + 0.01 * f64::from(way.0.workers);
    let expected = way.1.expected_ms as f64 * strategy * crowd;
    if facts.preferred_engine().is_some_and(|e| !e.eq_ignore_ascii_case(&way.0.engine)) {
        expected + 1e12
    } else {
        expected
    }
}

#[cfg(test)]
mod guard_tests;
#[cfg(test)]
mod tests;
