//! From rates to an estimate: a range with a stated coverage, and its basis in words.

use serde::{Deserialize, Serialize};
use shared::estimate::{Estimate, StepEstimate};
use shared::plan::Choice;
use shared::run::StepView;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::rates::{Measured, Rates};
use super::steps::steps;
use super::{Shape, engine::EngineClass};

/// The share of loads that a range is meant to hold.
pub const COVERAGE: f64 = 0.8;
/// Half the width of the range in standard deviations, for that share.
const RANGE_SIGMAS: f64 = 1.2816;
/// Steps of one load err together by this: a busy minute is busy for all of them.
const TOGETHER: f64 = 0.04;

/// An earlier load: a run, or one of a trial.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Past {
    /// The target's name.
    pub target: String,
    /// Its choices.
    pub choice: Choice,
    /// What was loaded.
    pub shape: Shape,
    /// What each step took.
    pub steps: Vec<StepView>,
    /// Whether it was a trial rather than a run.
    pub trial: bool,
}

impl Past {
    fn measured(&self, age: u32) -> Vec<Measured> {
        let done = |step| self.steps.iter().find(|s| s.step == step && s.done);
        steps(&self.shape, &self.choice)
            .into_iter()
            .filter_map(|terms| {
                let ms = done(terms.step)?.ms.max(1) as f64;
                Some(Measured { terms, ms, age })
            })
            .collect()
    }
}

/// What is known of one target: its rates, and what they rest on.
#[derive(Debug, Clone)]
pub struct Calibration {
    rates: Rates,
    basis: Basis,
}

#[derive(Debug, Clone)]
enum Basis {
    /// Nothing but the shipped rates.
    Shipped,
    /// Loads on another server.
    Elsewhere { target: String, loads: usize },
    /// Loads on this server: each one's engine and strategy, and how many of them were trials.
    Own { loads: Vec<Choice>, trials: usize },
}

impl Calibration {
    /// Learns a target's rates from earlier loads, newest first. Where it has few of its own, the
    /// ratios come from the server of the same family that is known best.
    #[must_use]
    pub fn learn(target: &str, shape: &Shape, past: &[Past]) -> Self {
        let own: Vec<&Past> = past.iter().filter(|p| p.target == target).collect();
        let closest = closest(target, shape, past);
        let elsewhere = closest.map(|name| {
            let theirs: Vec<&Past> = past.iter().filter(|p| p.target == name).collect();
            (name.to_owned(), theirs.len(), fit(&Rates::shipped(), &theirs))
        });
        let first =
            elsewhere.as_ref().map_or_else(Rates::shipped, |(_, _, r)| r.for_another_server());
        let basis = match (own.is_empty(), elsewhere) {
            (false, _) => Basis::Own {
                loads: own.iter().map(|p| p.choice.clone()).collect(),
                trials: own.iter().filter(|p| p.trial).count(),
            },
            (true, Some((target, loads, _))) => Basis::Elsewhere { target, loads },
            (true, None) => Basis::Shipped,
        };
        Self { rates: fit(&first, &own), basis }
    }

    /// The shipped rates alone.
    #[must_use]
    pub fn shipped() -> Self {
        Self { rates: Rates::shipped(), basis: Basis::Shipped }
    }

    /// The rates.
    #[must_use]
    pub const fn rates(&self) -> &Rates {
        &self.rates
    }

    /// Foretells a load.
    #[must_use]
    pub fn foretell(&self, shape: &Shape, choice: &Choice) -> Estimate {
        let terms = steps(shape, choice);
        let told: Vec<_> = terms.iter().map(|t| (t.step, self.rates.told(t))).collect();
        let steps = told
            .iter()
            .map(|(step, t)| {
                let (low, high) = range(t.ms, self.rates.spread(&[t]));
                StepEstimate { step: *step, low_ms: low, expected_ms: ms(t.ms), high_ms: high }
            })
            .collect();
        let all: Vec<_> = told.iter().map(|(_, t)| t).collect();
        let expected: f64 = all.iter().map(|t| t.ms).sum();
        let (low_ms, high_ms) = range(expected, self.rates.spread(&all).hypot(TOGETHER));
        Estimate {
            low_ms,
            expected_ms: ms(expected),
            high_ms,
            coverage: COVERAGE,
            basis: self.words(choice),
            steps,
        }
    }

    /// Whether the target has loads of its own to rest on.
    #[must_use]
    pub const fn has_own(&self) -> bool {
        matches!(self.basis, Basis::Own { .. })
    }

    /// What an estimate for a choice rests on, in words.
    #[must_use]
    pub fn words(&self, choice: &Choice) -> String {
        match &self.basis {
            Basis::Shipped => "from rates measured elsewhere; no run on this server yet".to_owned(),
            Basis::Elsewhere { target, loads } => format!(
                "from {} on {target}, the closest server that is known; no run on this server yet",
                counted(*loads, "load")
            ),
            Basis::Own { loads, trials } => {
                let all = match (loads.len() - trials, *trials) {
                    (0, trials) => counted(trials, "trial load"),
                    (runs, 0) => counted(runs, "run"),
                    (runs, trials) => {
                        format!("{} and {}", counted(runs, "run"), counted(trials, "trial load"))
                    }
                };
                let class = EngineClass::of(&choice.engine);
                let alike = loads
                    .iter()
                    .filter(|c| {
                        c.strategy == choice.strategy && EngineClass::of(&c.engine) == class
                    })
                    .count();
                match alike {
                    n if n == loads.len() => format!("from {all} on this server"),
                    0 => format!("from {all} on this server in other ways"),
                    n => format!("from {all} on this server, {n} in this way"),
                }
            }
        }
    }
}

/// The chance that a load ends within `ms`, by its range.
#[must_use]
pub fn chance_within(estimate: &Estimate, ms: u64) -> f64 {
    let spread = (estimate.high_ms.max(1) as f64 / estimate.low_ms.max(1) as f64).ln()
        / (2.0 * RANGE_SIGMAS);
    let off = (ms.max(1) as f64 / estimate.expected_ms.max(1) as f64).ln();
    match Normal::new(0.0, spread.max(1e-3)) {
        Ok(normal) => normal.cdf(off),
        Err(_) => f64::from(u8::from(off >= 0.0)),
    }
}

/// The server of the same family that most is known of, measured by the loads on it.
fn closest<'a>(target: &str, shape: &Shape, past: &'a [Past]) -> Option<&'a str> {
    let others = past.iter().filter(|p| p.target != target && p.shape.flavour == shape.flavour);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for p in others {
        match counts.iter_mut().find(|(name, _)| *name == p.target) {
            Some((_, n)) => *n += 1,
            None => counts.push((&p.target, 1)),
        }
    }
    counts.into_iter().max_by_key(|(_, n)| *n).map(|(name, _)| name)
}

fn fit(first: &Rates, past: &[&Past]) -> Rates {
    let measured: Vec<Measured> =
        (0_u32..).zip(past).flat_map(|(age, p)| p.measured(age)).collect();
    first.fitted(&measured, past.len())
}

fn range(expected: f64, spread: f64) -> (u64, u64) {
    let wide = RANGE_SIGMAS * spread;
    (ms(expected * (-wide).exp()), ms(expected * wide.exp()))
}

fn ms(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
