//! Shipped rates corrected by earlier runs.

use shared::estimate::{Estimate, StepEstimate};
use shared::plan::Choice;
use shared::run::{RunStep, StepView};

use super::Shape;
use super::prior::step_ms;

/// The share of loads that a range is meant to hold.
pub const COVERAGE: f64 = 0.8;
/// Half the width of the range in standard deviations, for that share.
const RANGE_SIGMAS: f64 = 1.2816;
/// Spread of the shipped rates over machines, as a logarithm: a factor of about 1.6.
const PRIOR_SPREAD: f64 = 0.45;
/// The same load differs by about this from run to run.
const LEAST_SPREAD: f64 = 0.06;
/// How many runs of one's own the shipped rates weigh.
const PRIOR_WEIGHT: f64 = 0.6;
/// A run below this many milliseconds in a step says little about rates.
const FIXED_MS: f64 = 40.0;

/// An earlier run.
#[derive(Debug, Clone)]
pub struct Past {
    /// The target's name.
    pub target: String,
    /// Its choices.
    pub choice: Choice,
    /// What was loaded.
    pub shape: Shape,
    /// What each step took.
    pub steps: Vec<StepView>,
}

/// Foretells a load on a target from the shipped rates and earlier runs, newest first.
#[must_use]
pub fn estimate(shape: &Shape, choice: &Choice, target: &str, past: &[Past]) -> Estimate {
    let own: Vec<&Past> = past.iter().filter(|p| p.target == target).collect();
    let same_family: Vec<&Past> =
        past.iter().filter(|p| p.shape.flavour == shape.flavour).collect();
    let (used, foreign) = if own.is_empty() { (same_family, true) } else { (own, false) };
    let mut steps = Vec::new();
    let (mut expected_ms, mut variance) = (0.0, 0.0);
    for (step, prior) in step_ms(shape, choice) {
        let fit = fit_step(step, choice, shape, &used, foreign);
        let expected = prior * fit.shift.exp();
        // Fixed shares of a step scatter in milliseconds, not in proportion.
        let spread = fit.spread.hypot(FIXED_MS * 0.1 / expected.max(1.0));
        steps.push(StepEstimate {
            step,
            low_ms: ms(expected * (-RANGE_SIGMAS * spread).exp()),
            expected_ms: ms(expected),
            high_ms: ms(expected * (RANGE_SIGMAS * spread).exp()),
        });
        expected_ms += expected;
        variance += (expected * spread).powi(2);
    }
    // Steps of one machine err together, so that the whole spreads more than a sum of strangers.
    let together = variance.sqrt() / f64::max(expected_ms, 1.0);
    let spread = (together * 1.1).max(LEAST_SPREAD);
    Estimate {
        low_ms: ms(expected_ms * (-RANGE_SIGMAS * spread).exp()),
        expected_ms: ms(expected_ms),
        high_ms: ms(expected_ms * (RANGE_SIGMAS * spread).exp()),
        coverage: COVERAGE,
        basis: basis(choice, &used, foreign),
        steps,
    }
}

fn ms(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

struct Fit {
    /// Logarithm of the factor over the shipped rate.
    shift: f64,
    /// Standard deviation of the logarithm.
    spread: f64,
}

fn fit_step(step: RunStep, choice: &Choice, shape: &Shape, past: &[&Past], foreign: bool) -> Fit {
    let mut ratios: Vec<(f64, f64)> = Vec::new();
    for (age, p) in past.iter().enumerate() {
        let Some(actual) = p.steps.iter().find(|s| s.step == step && s.done) else { continue };
        let prior = step_ms(&p.shape, &p.choice);
        let Some((_, foretold)) = prior.iter().find(|(s, _)| *s == step) else { continue };
        if *foretold <= 0.0 {
            continue;
        }
        let ratio = (actual.ms.max(1) as f64 / foretold).ln();
        let mut weight = alike(choice, shape, p) * 0.985f64.powi(age.min(400) as i32);
        // What fixed costs dominate tells little of the rates, and the other way round.
        weight *= (actual.ms as f64 / (actual.ms as f64 + FIXED_MS)).max(0.02);
        if foreign {
            weight *= 0.3;
        }
        ratios.push((ratio, weight));
    }
    let total: f64 = ratios.iter().map(|(_, w)| w).sum();
    let Some(middle) = weighted_median(&mut ratios) else {
        return Fit { shift: 0.0, spread: PRIOR_SPREAD };
    };
    let shift = middle * total / (total + PRIOR_WEIGHT * 0.25);
    let scatter: f64 = ratios.iter().map(|(r, w)| w * (r - middle).clamp(-1.0, 1.0).powi(2)).sum();
    let spread2 = PRIOR_SPREAD.powi(2).mul_add(PRIOR_WEIGHT, scatter) / (total + PRIOR_WEIGHT);
    Fit { shift, spread: spread2.sqrt().max(LEAST_SPREAD) }
}

/// How much an earlier run says about this one, 0 to 1.
fn alike(choice: &Choice, shape: &Shape, p: &Past) -> f64 {
    let mut weight = 1.0;
    if p.choice.strategy != choice.strategy {
        weight *= 0.15;
    }
    if !p.choice.engine.eq_ignore_ascii_case(&choice.engine) {
        weight *= 0.15;
    }
    if p.choice.index_policy != choice.index_policy || p.shape.indexes != shape.indexes {
        weight *= 0.5;
    }
    if p.choice.order != choice.order || p.shape.in_key_order != shape.in_key_order {
        weight *= 0.6;
    }
    if p.choice.workers != choice.workers {
        weight *= 0.7;
    }
    let sizes = (p.shape.rows.max(1) as f64 / shape.rows.max(1) as f64).ln().abs();
    // What dominates a small load (statements, round trips) is not what dominates a large one.
    weight * (-sizes / 1.5).exp()
}

fn weighted_median(ratios: &mut [(f64, f64)]) -> Option<f64> {
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = ratios.iter().map(|(_, w)| w).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let mut before: Option<f64> = None;
    for (ratio, weight) in ratios.iter() {
        sum += weight;
        if sum > half {
            return Some(*ratio);
        }
        if (sum - half).abs() < 1e-12 {
            before = Some(*ratio);
            continue;
        }
        if let Some(low) = before {
            return Some(f64::midpoint(low, *ratio));
        }
    }
    before.or_else(|| ratios.last().map(|r| r.0))
}

fn basis(choice: &Choice, used: &[&Past], foreign: bool) -> String {
    let plural = |n: usize| if n == 1 { "1 run".to_owned() } else { format!("{n} runs") };
    if used.is_empty() {
        return "from rates measured elsewhere; no run on this server yet".to_owned();
    }
    if foreign {
        return format!(
            "from {} on other servers of this family; no run on this server yet",
            plural(used.len())
        );
    }
    let same = used.iter().filter(|p| p.choice.strategy == choice.strategy).count();
    if same == used.len() {
        format!("from {} on this server", plural(same))
    } else if same == 0 {
        format!("from {} on this server by other strategies", plural(used.len()))
    } else {
        format!("from {} on this server, {same} by this strategy", plural(used.len()))
    }
}
