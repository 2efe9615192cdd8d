//! How right estimates were: predicted against actual.

use shared::capacity::{CheckedEstimates, RunCheck, TargetCheck};

/// By target, those with most runs first. Runs that are left out are shown and not counted.
#[must_use]
pub fn checked(runs: Vec<RunCheck>) -> CheckedEstimates {
    let mut names: Vec<&str> = Vec::new();
    for run in &runs {
        if !names.contains(&run.target.as_str()) {
            names.push(&run.target);
        }
    }
    let mut targets: Vec<TargetCheck> = names
        .iter()
        .filter_map(|name| of_target(name, runs.iter().filter(|r| r.target == *name)))
        .collect();
    targets.sort_by_key(|t| std::cmp::Reverse(t.runs));
    CheckedEstimates { targets, runs }
}

fn of_target<'a>(name: &str, runs: impl Iterator<Item = &'a RunCheck>) -> Option<TargetCheck> {
    let counted: Vec<&RunCheck> = runs.filter(|r| !r.left_out).collect();
    let mut errors: Vec<f64> = counted.iter().map(|r| r.error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    let n = counted.len() as f64;
    Some(TargetCheck {
        target: name.to_owned(),
        runs: counted.len() as u64,
        median_error: *errors.get(errors.len() / 2)?,
        held: counted.iter().filter(|r| r.held).count() as f64 / n,
        promised: counted.iter().map(|r| r.estimate.coverage).sum::<f64>() / n,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::estimate::Estimate;

    fn run(target: &str, error: f64, left_out: bool) -> RunCheck {
        let estimate = Estimate {
            low_ms: 800,
            expected_ms: 1000,
            high_ms: 1250,
            coverage: 0.8,
            basis: String::new(),
            steps: Vec::new(),
        };
        RunCheck {
            run_id: "r".into(),
            target: target.into(),
            what: String::new(),
            rows: 1,
            estimate,
            actual_ms: (1000.0 * (1.0 + error)) as u64,
            error,
            held: (-0.2..=0.25).contains(&error),
            left_out,
            created_at: String::new(),
        }
    }

    #[test]
    fn odd_runs_that_are_left_out_do_not_count() {
        let runs = vec![
            run("a", 0.1, false),
            run("a", -0.3, false),
            run("a", 9.0, true),
            run("b", 0.05, false),
            run("a", 0.02, false),
        ];
        let found = checked(runs);
        assert_eq!(found.runs.len(), 5);
        let a = &found.targets[0];
        assert_eq!((a.target.as_str(), a.runs), ("a", 3));
        assert!((a.median_error - 0.1).abs() < 1e-9 && (a.held - 2.0 / 3.0).abs() < 1e-9);
    }
}
