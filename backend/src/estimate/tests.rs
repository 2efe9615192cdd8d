//! The estimate against the shipped measurements, and its manners.

use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::run::{RunStep, StepView};
use shared::target::Flavour;

use super::*;

fn shape(rows: u64, sorted: bool, indexes: u32) -> Shape {
    Shape {
        rows,
        bytes: rows * 94,
        in_key_order: sorted,
        has_key: true,
        indexes,
        unique_indexes: indexes.min(1),
        rows_before: 0,
        bytes_before: 0,
        pool_bytes: 2 << 30,
        flavour: Flavour::Mariadb,
        round_trip_us: 30,
        cores: 2,
    }
}

fn choice(index_policy: IndexPolicy, workers: u32) -> Choice {
    Choice {
        engine: "InnoDB".into(),
        strategy: Strategy::LoadData,
        order: Order::AsIs,
        index_policy,
        visibility: Visibility::AllAtOnce,
        mode: Mode::Append,
        on_duplicate: OnDuplicate::Reject,
        on_error: OnError::Stop,
        workers,
        chunk_bytes: 16 << 20,
        batch_bytes: 256 << 10,
        batch_rows: None,
        check_first: false,
    }
}

fn load_ms(e: &shared::estimate::Estimate) -> f64 {
    e.steps.iter().find(|s| s.step == RunStep::Load).unwrap().expected_ms as f64
}

#[test]
fn shipped_rates_are_near_what_was_measured() {
    use IndexPolicy::{DropAndRebuild, Keep};
    // Rows, key order, indexes, policy, writers, measured seconds of load and rebuild.
    let measured = [
        (2_000_000, true, 0, Keep, 1, 4.14),
        (2_000_000, true, 0, Keep, 2, 2.7),
        (2_000_000, false, 0, Keep, 1, 8.39),
        (2_000_000, false, 0, Keep, 2, 5.6),
        (1_000_000, true, 3, Keep, 1, 7.98),
        (1_000_000, false, 3, Keep, 1, 14.3),
        (1_000_000, false, 3, Keep, 2, 8.6),
        (2_000_000, true, 3, DropAndRebuild, 2, 7.6),
        (1_000_000, true, 3, DropAndRebuild, 1, 4.5),
        (200_000, true, 0, Keep, 1, 0.39),
    ];
    for (rows, sorted, indexes, policy, workers, secs) in measured {
        let found: f64 = step_ms(&shape(rows, sorted, indexes), &choice(policy, workers))
            .iter()
            .filter(|(s, _)| matches!(s, RunStep::Load | RunStep::RebuildIndexes))
            .map(|(_, ms)| ms)
            .sum();
        let off = found / 1000.0 / secs;
        assert!(
            (0.75..1.33).contains(&off),
            "{rows} {sorted} {indexes} {policy:?} {workers}: {off}"
        );
    }
}

#[test]
fn beyond_the_buffer_pool_random_keys_bend_the_curve() {
    let small_pool = |sorted| Shape { pool_bytes: 64 << 20, ..shape(2_000_000, sorted, 0) };
    let keep = choice(IndexPolicy::Keep, 1);
    let random = load_ms(&estimate(&small_pool(false), &keep, "t", &[]));
    let sorted = load_ms(&estimate(&small_pool(true), &keep, "t", &[]));
    assert!(random / sorted > 10.0, "{random} {sorted}");
}

fn past(rows: u64, factor: f64) -> Past {
    let (shape, choice) = (shape(rows, true, 0), choice(IndexPolicy::Keep, 2));
    let steps = step_ms(&shape, &choice)
        .into_iter()
        .map(|(step, ms)| StepView {
            step,
            ms: (ms * factor) as u64,
            rows,
            bytes: rows * 94,
            done: true,
        })
        .collect();
    Past { target: "t".into(), choice, shape, steps }
}

#[test]
fn runs_on_the_target_sharpen_it_and_one_odd_run_does_not_spoil_it() {
    let asked = shape(1_500_000, true, 0);
    let keep = choice(IndexPolicy::Keep, 2);
    let before = estimate(&asked, &keep, "t", &[]);
    let mut runs: Vec<Past> = (1..=8).map(|i| past(i * 250_000, 2.0)).collect();
    runs.push(past(1_000_000, 40.0));
    let after = estimate(&asked, &keep, "t", &runs);
    let ratio = after.expected_ms as f64 / before.expected_ms as f64;
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
    let width = |e: &shared::estimate::Estimate| e.high_ms as f64 / e.low_ms as f64;
    assert!(width(&after) < width(&before));
    assert!(after.low_ms < after.expected_ms && after.expected_ms < after.high_ms);
    assert_eq!(after.basis, "from 9 runs on this server");
    assert_eq!(before.basis, "from rates measured elsewhere; no run on this server yet");
    let elsewhere = estimate(&asked, &keep, "another", &runs);
    assert!(elsewhere.basis.contains("other servers"), "{}", elsewhere.basis);
}

#[test]
fn row_by_row_is_the_slowest_way() {
    let asked = shape(20_000, true, 0);
    let of = |strategy| {
        let c = Choice { strategy, ..choice(IndexPolicy::Keep, 1) };
        estimate(&asked, &c, "t", &[]).expected_ms
    };
    assert!(of(Strategy::RowByRow) > 20 * of(Strategy::Insert));
    assert!(of(Strategy::Insert) > of(Strategy::LoadData));
}
