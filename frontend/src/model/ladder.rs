//! Plan cards: every candidate's time range on one scale, and which card is taken.

use shared::plan::{Candidate, Choice};

/// A card whose expected time is this many times the best's runs off the scale.
const TIMES_BEST_MAX: u64 = 10;

/// Where a card's bar lies, in percent of the width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Left end.
    pub left: f64,
    /// Width.
    pub width: f64,
    /// The expected time.
    pub mark: f64,
    /// Whether it goes on past the right end.
    pub open: bool,
}

/// The time at the right end of the scale, in milliseconds.
pub fn scale_ms(candidates: &[Candidate]) -> u64 {
    let best = candidates.iter().map(|c| c.estimate.expected_ms).min().unwrap_or(0).max(1);
    let cap = best.saturating_mul(TIMES_BEST_MAX);
    let most = candidates.iter().map(|c| c.estimate.high_ms).max().unwrap_or(0);
    let within = candidates
        .iter()
        .filter(|c| c.estimate.expected_ms <= cap)
        .map(|c| c.estimate.high_ms)
        .max()
        .unwrap_or(most);
    if most <= cap { most.max(1) } else { within.max(cap).min(most).max(1) }
}

/// The bar of one candidate.
pub fn bar(candidate: &Candidate, scale_ms: u64) -> Bar {
    let share = |ms: u64| ms as f64 * 100.0 / scale_ms.max(1) as f64;
    let estimate = &candidate.estimate;
    let left = share(estimate.low_ms).min(97.0);
    let right = share(estimate.high_ms).min(100.0);
    Bar {
        left,
        width: (right - left).max(0.5),
        mark: share(estimate.expected_ms).min(99.0),
        open: estimate.high_ms > scale_ms,
    }
}

/// The candidate that a choice means: exactly it, else the nearest by engine, strategy, order and
/// index policy, else by strategy alone, else the first.
pub fn taken(candidates: &[Candidate], choice: Option<&Choice>) -> usize {
    let Some(choice) = choice else { return 0 };
    let exact = candidates.iter().position(|c| c.choice == *choice);
    let near = || {
        candidates.iter().position(|c| {
            c.choice.strategy == choice.strategy
                && c.choice.engine.eq_ignore_ascii_case(&choice.engine)
                && c.choice.order == choice.order
                && c.choice.index_policy == choice.index_policy
        })
    };
    let alike = || candidates.iter().position(|c| c.choice.strategy == choice.strategy);
    exact.or_else(near).or_else(alike).unwrap_or(0)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use shared::plan::*;
    use shared::{Estimate, Strategy};

    pub fn candidate(strategy: Strategy, low: u64, expected: u64, high: u64) -> Candidate {
        Candidate {
            choice: Choice {
                engine: "InnoDB".into(),
                strategy,
                order: Order::AsIs,
                index_policy: IndexPolicy::Keep,
                visibility: Visibility::AllAtOnce,
                mode: Mode::Create,
                on_duplicate: OnDuplicate::Reject,
                on_error: OnError::Stop,
                workers: 2,
                chunk_bytes: 1 << 20,
                batch_bytes: 1 << 20,
                batch_rows: None,
                check_first: false,
            },
            title: strategy.as_str().into(),
            estimate: Estimate {
                low_ms: low,
                expected_ms: expected,
                high_ms: high,
                coverage: 0.8,
                basis: String::new(),
                steps: Vec::new(),
            },
            reasons: Vec::new(),
            why_not: None,
            disk_bytes: None,
        }
    }

    #[test]
    fn near_times_share_the_scale_and_far_ones_run_off_it() {
        let near =
            [candidate(Strategy::LoadData, 60, 75, 100), candidate(Strategy::Insert, 90, 110, 200)];
        assert_eq!(scale_ms(&near), 200);
        assert!(!bar(&near[1], 200).open);
        let far = [
            candidate(Strategy::LoadData, 60, 75, 100),
            candidate(Strategy::RowByRow, 30_000, 40_000, 60_000),
        ];
        let scale = scale_ms(&far);
        assert_eq!(scale, 750);
        let bar = bar(&far[1], scale);
        assert!(bar.open && bar.left < 100.0 && bar.left + bar.width <= 100.0);
        assert_eq!(scale_ms(&[]), 1);
    }

    #[test]
    fn a_choice_finds_its_card_again_after_a_new_plan() {
        let mut list =
            vec![candidate(Strategy::LoadData, 1, 2, 3), candidate(Strategy::Insert, 1, 2, 3)];
        let picked = list[1].choice.clone();
        assert_eq!(taken(&list, Some(&picked)), 1);
        list[1].choice.workers = 8;
        assert_eq!(taken(&list, Some(&picked)), 1, "same way, other numbers");
        list.remove(1);
        assert_eq!(taken(&list, Some(&picked)), 0);
        assert_eq!(taken(&list, None), 0);
    }
}
