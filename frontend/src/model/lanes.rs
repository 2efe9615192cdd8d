//! A run's steps on one time line: what was foretold, and what came of it.

use shared::estimate::Estimate;
use shared::run::{RunStep, StepView};

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// It has not begun.
    Waits,
    /// It is under way.
    Runs,
    /// It has ended.
    Done,
}

/// One step's lane; positions in percent of the line.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The step.
    pub step: RunStep,
    /// How it stands.
    pub stand: Stand,
    /// Foretold: left end, width, milliseconds.
    pub said: Option<(f64, f64, u64)>,
    /// Measured: left end, width, milliseconds.
    pub was: Option<(f64, f64, u64)>,
}

/// Lays out the steps. `over` says that the run has ended, so that steps that never began go.
pub fn lanes(estimate: Option<&Estimate>, steps: &[StepView], over: bool) -> Vec<Lane> {
    let foretold = estimate.map(|e| e.steps.as_slice()).unwrap_or_default();
    let mut order: Vec<RunStep> = foretold.iter().map(|s| s.step).collect();
    for (i, step) in steps.iter().enumerate() {
        if !order.contains(&step.step) {
            // A step nobody foretold goes right behind the one before it.
            let before = i.checked_sub(1).and_then(|p| steps.get(p)).map(|s| s.step);
            let at = before.and_then(|b| order.iter().position(|o| *o == b)).map_or(0, |p| p + 1);
            order.insert(at, step.step);
        }
    }
    let said_total: u64 = foretold.iter().map(|s| s.expected_ms).sum();
    let was_total: u64 = steps.iter().map(|s| s.ms).sum();
    let line_ms = said_total.max(was_total).max(1) as f64;
    let share = |ms: u64| ms as f64 * 100.0 / line_ms;

    let (mut said_at, mut was_at) = (0, 0);
    let mut found = Vec::with_capacity(order.len());
    for step in order {
        let said = foretold.iter().find(|s| s.step == step).map(|s| {
            let left = said_at;
            said_at += s.expected_ms;
            (share(left), share(s.expected_ms), s.expected_ms)
        });
        let view = steps.iter().find(|s| s.step == step);
        let was = view.map(|s| {
            let left = was_at;
            was_at += s.ms;
            (share(left), share(s.ms), s.ms)
        });
        let stand = match view {
            None => Stand::Waits,
            Some(s) if s.done || over => Stand::Done,
            Some(_) => Stand::Runs,
        };
        found.push(Lane { step, stand, said, was });
    }
    if over {
        found.retain(|l| l.was.is_some());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::estimate::StepEstimate;

    fn said(step: RunStep, ms: u64) -> StepEstimate {
        StepEstimate { step, low_ms: ms / 2, expected_ms: ms, high_ms: ms * 2 }
    }

    fn was(step: RunStep, ms: u64, done: bool) -> StepView {
        StepView { step, ms, rows: 0, bytes: 0, done }
    }

    #[test]
    fn foretold_and_measured_lie_on_one_line() {
        let estimate = Estimate {
            low_ms: 0,
            expected_ms: 1000,
            high_ms: 0,
            coverage: 0.8,
            basis: String::new(),
            steps: vec![said(RunStep::Load, 800), said(RunStep::Verify, 200)],
        };
        let steps = [was(RunStep::Precheck, 100, true), was(RunStep::Load, 500, false)];
        let lanes = lanes(Some(&estimate), &steps, false);
        let order: Vec<_> = lanes.iter().map(|l| (l.step, l.stand)).collect();
        assert_eq!(
            order,
            [
                (RunStep::Precheck, Stand::Done),
                (RunStep::Load, Stand::Runs),
                (RunStep::Verify, Stand::Waits)
            ]
        );
        assert_eq!(lanes[1].said, Some((0.0, 80.0, 800)));
        assert_eq!(lanes[1].was, Some((10.0, 50.0, 500)));
        assert_eq!(lanes[2].said, Some((80.0, 20.0, 200)));
    }

    #[test]
    fn a_finished_run_shows_only_what_happened() {
        let steps = [was(RunStep::Load, 10, true)];
        assert_eq!(lanes(None, &steps, true).len(), 1);
        assert!(lanes(None, &[], true).is_empty());
    }
}
