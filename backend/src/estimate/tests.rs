//! The estimate against measured loads, and its manners.

use shared::estimate::Estimate;
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::run::{RunStep, StepView};
use shared::target::Flavour;

use super::*;

/// Loads by hand: no service beside the server, so only two steps are known.
const MEASURED: &str = include_str!("measured.csv");

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
        columns: 7,
        copies: false,
        flushes: true,
        binary_log: false,
        entry_width: None,
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

fn step_ms(e: &Estimate, step: RunStep) -> f64 {
    e.steps.iter().find(|s| s.step == step).map_or(0.0, |s| s.expected_ms as f64)
}

fn view(step: RunStep, ms: f64) -> StepView {
    StepView { step, ms: ms as u64, rows: 0, bytes: 0, done: true }
}

/// The measured loads, on a server that is `load` and `build` times as slow.
fn measured(load: f64, build: f64) -> Vec<Past> {
    let lines = MEASURED.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    lines
        .map(|f| {
            let number = |i: usize| f[i].parse::<f64>().unwrap();
            let policy = match f[4] {
                "keep" => IndexPolicy::Keep,
                _ => IndexPolicy::DropAndRebuild,
            };
            let shape = Shape {
                bytes: number(1) as u64,
                ..shape(number(0) as u64, f[2] == "seq", number(3) as u32)
            };
            let mut steps = vec![view(RunStep::Load, number(6) * load)];
            if policy == IndexPolicy::DropAndRebuild {
                steps.push(view(RunStep::RebuildIndexes, number(7) * build));
            }
            let choice = choice(policy, number(5) as u32);
            Past { target: "t".into(), choice, shape, steps, trial: false }
        })
        .collect()
}

/// How far loads are off what is foretold (as a share), and the share of them in the range.
fn judge(known: &Calibration, loads: &[&Past]) -> (f64, f64) {
    let (mut off, mut held) = (Vec::new(), 0);
    for p in loads {
        let told = known.foretell(&p.shape, &p.choice);
        let actual: f64 = p.steps.iter().map(|s| s.ms as f64).sum();
        // The steps that nobody measured are taken out.
        let unmeasured =
            told.expected_ms as f64 - p.steps.iter().map(|s| step_ms(&told, s.step)).sum::<f64>();
        let actual = actual + unmeasured;
        off.push((actual / told.expected_ms as f64 - 1.0).abs());
        held += usize::from((told.low_ms as f64..=told.high_ms as f64).contains(&actual));
    }
    off.sort_by(f64::total_cmp);
    (off[off.len() / 2], held as f64 / loads.len() as f64)
}

#[test]
fn shipped_rates_are_near_what_was_measured() {
    let all = measured(1.0, 1.0);
    let (off, held) = judge(&Calibration::shipped(), &all.iter().collect::<Vec<_>>());
    assert!(off < 0.13, "{off}");
    assert!(held > 0.9, "{held}");
}

#[test]
fn twelve_loads_on_another_machine_are_enough() {
    // A machine whose rows and index builds are slower by different factors.
    let all = measured(2.3, 1.5);
    for start in 0..5 {
        let small = |i: &usize| all[*i].shape.rows <= 1_000_000;
        let known: Vec<usize> = (start..108).step_by(7).filter(small).take(12).collect();
        let past: Vec<Past> = known.iter().map(|i| all[*i].clone()).collect();
        let left: Vec<&Past> =
            all.iter().enumerate().filter(|(i, _)| !known.contains(i)).map(|(_, p)| p).collect();
        let learnt = Calibration::learn("t", &all[0].shape, &past);
        let (off, held) = judge(&learnt, &left);
        assert!(off < 0.14, "{start}: {off}");
        assert!((0.65..0.97).contains(&held), "{start}: {held}");
    }
}

#[test]
fn beyond_the_buffer_pool_random_keys_bend_the_curve() {
    let small_pool = |sorted| Shape { pool_bytes: 64 << 20, ..shape(2_000_000, sorted, 0) };
    let keep = choice(IndexPolicy::Keep, 1);
    let shipped = Calibration::shipped();
    let load = |shape: &Shape| step_ms(&shipped.foretell(shape, &keep), RunStep::Load);
    let (random, sorted) = (load(&small_pool(false)), load(&small_pool(true)));
    assert!((15.0..30.0).contains(&(random / sorted)), "{random} {sorted}");
    let bend = small_pool(false).bend_rows(&keep).unwrap();
    assert!((300_000..600_000).contains(&bend), "{bend}");
    assert_eq!(small_pool(true).bend_rows(&keep), None);
    let before = load(&small_pool(false).with_rows(bend / 2)) / (bend / 2) as f64;
    let after = load(&small_pool(false).with_rows(bend * 8)) / (bend * 8) as f64;
    assert!(after > 8.0 * before, "{before} {after}");
}

#[test]
fn what_small_loads_tell_holds_beyond_the_pool() {
    // All of its own loads fit into memory; the bend comes from physics.
    let past: Vec<Past> = (1..=6).map(|i| past(i * 20_000, 2.0, false)).collect();
    let learnt = Calibration::learn("t", &past[0].shape, &past);
    let keep = choice(IndexPolicy::Keep, 2);
    let ms = |rows| {
        let shape = Shape { pool_bytes: 64 << 20, ..shape(rows, false, 0) };
        learnt.foretell(&shape, &keep)
    };
    let (inside, beyond) = (ms(200_000), ms(4_000_000));
    assert!(beyond.expected_ms > 60 * inside.expected_ms);
    let width = |e: &Estimate| e.high_ms as f64 / e.low_ms as f64;
    assert!(width(&beyond) > 1.5 * width(&inside), "where nothing was seen the range is wide");
}

fn past(rows: u64, factor: f64, sorted: bool) -> Past {
    let (shape, choice) = (shape(rows, sorted, 0), choice(IndexPolicy::Keep, 2));
    let steps = steps(&shape, &choice);
    let steps = steps.iter().map(|s| view(s.step, s.shipped_ms() * factor)).collect();
    Past { target: "t".into(), choice, shape, steps, trial: false }
}

#[test]
fn runs_on_the_target_sharpen_it_and_one_odd_run_does_not_spoil_it() {
    let asked = shape(1_500_000, true, 0);
    let keep = choice(IndexPolicy::Keep, 2);
    let before = Calibration::shipped().foretell(&asked, &keep);
    let mut runs: Vec<Past> = (1..=8).map(|i| past(i * 250_000, 2.0, true)).collect();
    runs.push(past(1_000_000, 40.0, true));
    let after = Calibration::learn("t", &asked, &runs).foretell(&asked, &keep);
    let ratio = after.expected_ms as f64 / before.expected_ms as f64;
    assert!((1.85..2.2).contains(&ratio), "{ratio}");
    let width = |e: &Estimate| e.high_ms as f64 / e.low_ms as f64;
    assert!(width(&after) < 0.7 * width(&before));
    assert!(after.low_ms < after.expected_ms && after.expected_ms < after.high_ms);
    assert_eq!(after.basis, "from 9 runs on this server");
    assert_eq!(before.basis, "from rates measured elsewhere; no run on this server yet");
}

#[test]
fn a_server_without_runs_takes_the_ratios_of_its_like() {
    let asked = shape(1_000_000, true, 0);
    let keep = choice(IndexPolicy::Keep, 2);
    let runs: Vec<Past> = (1..=8).map(|i| past(i * 250_000, 2.0, true)).collect();
    let elsewhere = Calibration::learn("another", &asked, &runs);
    let told = elsewhere.foretell(&asked, &keep);
    assert!(told.basis.starts_with("from 8 loads on t, the closest server"), "{}", told.basis);
    let own = Calibration::learn("t", &asked, &runs).foretell(&asked, &keep);
    assert!(told.high_ms - told.low_ms > 2 * (own.high_ms - own.low_ms));
    let other_family = Shape { flavour: Flavour::Mysql, ..asked };
    assert!(!Calibration::learn("another", &other_family, &runs).has_own());
    let basis = Calibration::learn("another", &other_family, &runs).words(&keep);
    assert!(basis.starts_with("from rates measured elsewhere"), "{basis}");
}

#[test]
fn row_by_row_is_the_slowest_way_and_batches_stop_paying() {
    let asked = shape(20_000, true, 0);
    let of = |strategy, batch_rows| {
        let c = Choice { strategy, batch_rows, ..choice(IndexPolicy::Keep, 1) };
        step_ms(&Calibration::shipped().foretell(&asked, &c), RunStep::Load)
    };
    let ladder = [
        of(Strategy::RowByRow, None),
        of(Strategy::SingleTransaction, Some(1)),
        of(Strategy::SingleTransaction, Some(10)),
        of(Strategy::SingleTransaction, Some(100)),
        of(Strategy::LoadData, None),
    ];
    assert!(ladder.is_sorted_by(|a, b| a > b), "{ladder:?}");
    assert!(ladder[0] > 20.0 * ladder[3]);
    let thousand = of(Strategy::SingleTransaction, Some(1000));
    assert!(thousand > 0.75 * ladder[3], "flat beyond a hundred rows: {thousand} {ladder:?}");
}

#[test]
fn the_chance_to_be_done_in_time_goes_with_the_range() {
    let told =
        Calibration::shipped().foretell(&shape(1_000_000, true, 0), &choice(IndexPolicy::Keep, 2));
    assert!((chance_within(&told, told.expected_ms) - 0.5).abs() < 0.01);
    assert!((chance_within(&told, told.high_ms) - 0.9).abs() < 0.02);
    assert!(chance_within(&told, told.low_ms / 4) < 0.01);
}
