//! Two runs side by side: their figures to one scale, their steps, what was different.

use shared::run::{RunStep, RunView};
use shared::units;

use crate::text::{import, record as t, words};

/// One figure of both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Of the first run.
    pub a: Option<f64>,
    /// Of the second run.
    pub b: Option<f64>,
    /// In words.
    pub a_words: String,
    /// In words.
    pub b_words: String,
    /// Whether less of it is better; none where neither is.
    less_is_better: Option<bool>,
}

impl Figure {
    fn new(
        name: &str,
        (a, b): (Option<f64>, Option<f64>),
        less_is_better: Option<bool>,
        words: impl Fn(f64) -> String,
    ) -> Self {
        let say = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), &words);
        let name = name.to_owned();
        Self { name, a_words: say(a), b_words: say(b), a, b, less_is_better }
    }

    /// Of the larger one, 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let most = self.a.unwrap_or(0.0).max(self.b.unwrap_or(0.0));
        if most > 0.0 { value / most } else { 0.0 }
    }

    /// How many times the first the second is.
    pub fn times(&self) -> Option<f64> {
        match (self.a?, self.b?) {
            (a, b) if a > 0.0 && b > 0.0 => Some(b / a),
            _ => None,
        }
    }

    /// Whether the second is better than the first by more than a twentieth.
    pub fn is_better(&self) -> Option<bool> {
        let times = self.times()?;
        if (0.95..=1.05).contains(&times) {
            return None;
        }
        Some(self.less_is_better? == (times < 1.0))
    }
}

/// The figures that matter.
pub fn figures(a: &RunView, b: &RunView) -> Vec<Figure> {
    let of = |get: fn(&RunView) -> Option<f64>| (get(a), get(b));
    let count = |v: f64| units::count(v as u64);
    let time = |v: f64| units::duration_ms(v as u64);
    let mut all = vec![
        Figure::new(t::ROWS_LOADED, of(|r| Some(r.rows_loaded as f64)), None, count),
        Figure::new(t::ELAPSED, of(|r| Some(r.elapsed_ms as f64)), Some(true), time),
        Figure::new(t::ROWS_PER_SEC, of(|r| r.rows_per_sec), Some(false), count),
        Figure::new(t::BYTES_PER_SEC, of(bytes_per_sec), Some(false), units::bytes_per_sec),
        Figure::new(t::SAID, of(|r| r.estimate.as_ref().map(|e| e.expected_ms as f64)), None, time),
    ];
    if a.rows_rejected + b.rows_rejected > 0 {
        let rejected = of(|r| Some(r.rows_rejected as f64));
        all.push(Figure::new(t::PUT_ASIDE, rejected, Some(true), count));
    }
    all
}

fn bytes_per_sec(run: &RunView) -> Option<f64> {
    let secs = run.elapsed_ms as f64 / 1000.0;
    (secs > 0.0 && run.bytes_read > 0).then(|| run.bytes_read as f64 / secs)
}

/// The time of each step that either run took, in the order of the first that has it, drawn to
/// the longest step of both.
pub fn steps(a: &RunView, b: &RunView) -> Vec<Figure> {
    let mut order: Vec<RunStep> = Vec::new();
    for step in a.steps.iter().chain(&b.steps) {
        if !order.contains(&step.step) {
            order.push(step.step);
        }
    }
    let ms = |run: &RunView, step| run.steps.iter().find(|s| s.step == step).map(|s| s.ms as f64);
    let time = |v: f64| units::duration_ms(v as u64);
    order
        .into_iter()
        .map(|s| Figure::new(words::step(s), (ms(a, s), ms(b, s)), Some(true), time))
        .collect()
}

/// One thing that was chosen or given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What.
    pub name: &'static str,
    /// In the first run.
    pub a: String,
    /// In the second run.
    pub b: String,
}

/// What was different, and what was the same.
pub fn facts(a: &RunView, b: &RunView) -> (Vec<Fact>, Vec<Fact>) {
    let all = given(a).into_iter().zip(given(b)).map(|((name, a), (_, b))| Fact { name, a, b });
    all.partition(|fact| fact.a != fact.b)
}

/// What a run was given and what was chosen for it, in words.
pub fn given(run: &RunView) -> Vec<(&'static str, String)> {
    let c = &run.choice;
    let yes = |b: bool| if b { t::YES } else { t::NO };
    vec![
        (t::FILE, format!("{} · {}", run.file, units::bytes(run.file_bytes))),
        (t::TARGET, format!("{} · {}", run.target, run.server)),
        (t::TABLE, format!("{}.{} · {}", run.database, run.table, c.engine)),
        (t::STRATEGY, words::strategy(c.strategy).to_owned()),
        (t::WORKERS, c.workers.to_string()),
        (t::CHUNK, units::bytes(c.chunk_bytes)),
        (t::ORDER, words::order(c.order).to_owned()),
        (t::INDEXES, words::index_policy(c.index_policy).to_owned()),
        (t::VISIBILITY, words::visibility(c.visibility).to_owned()),
        (t::MODE, words::mode(c.mode).to_owned()),
        (t::ON_ERROR, words::on_error(c.on_error).to_owned()),
        (t::ON_DUPLICATE, words::on_duplicate(c.on_duplicate).to_owned()),
        (t::CHECK_FIRST, yes(c.check_first).to_owned()),
    ]
}

/// What was asked for beyond the plan: only what was.
pub fn asked(run: &RunView) -> Vec<(&'static str, String)> {
    let o = &run.options;
    let when = |on: Option<bool>, words: &str| on.filter(|on| *on).map(|_| words.to_owned());
    [
        (t::MAX_RATE, o.max_bytes_per_sec.map(|b| units::bytes_per_sec(b as f64))),
        (t::READ_BACK, o.verify_sample.map(|n| units::count(n.into()))),
        (t::BINLOG, when(o.skip_binary_log, import::LOG_SKIPPED)),
        (t::FLUSHED, when(o.relax_flush, import::FLUSH_RELAXED)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::Strategy;
    use shared::run::StepView;

    const RUN: &str = r#"{
        "run_id": "r", "who": "amy", "status": "succeeded", "step": null, "file": "a.csv",
        "file_bytes": 10, "source_id": null, "target": "shop", "target_id": null, "server": "",
        "database": "db", "table": "orders", "options": {}, "rows_read": 100, "rows_loaded": 100,
        "rows_rejected": 0, "rows_skipped": 0, "bytes_read": 1000, "retries": 0, "steps": [],
        "rows_per_sec": null, "estimate": null, "error": null, "resumable": false,
        "started_at": null, "ended_at": null, "elapsed_ms": 0,
        "created_at": "2026-03-01T10:00:00.000Z",
        "choice": {"engine": "InnoDB", "strategy": "insert", "order": "as_is",
            "index_policy": "keep", "visibility": "all_at_once", "mode": "append",
            "on_duplicate": "reject", "on_error": "stop", "workers": 2, "chunk_bytes": 1,
            "batch_bytes": 1, "batch_rows": null, "check_first": false}
    }"#;

    fn run(strategy: Strategy, elapsed_ms: u64, steps: &[(RunStep, u64)]) -> RunView {
        let mut run: RunView = serde_json::from_str(RUN).unwrap();
        run.choice.strategy = strategy;
        run.elapsed_ms = elapsed_ms;
        run.rows_per_sec = Some(100_000.0 / elapsed_ms as f64);
        let step =
            |&(step, ms): &(RunStep, u64)| StepView { step, ms, rows: 0, bytes: 0, done: true };
        run.steps = steps.iter().map(step).collect();
        run
    }

    #[test]
    fn a_faster_run_is_better_and_says_how_many_times() {
        let (a, b) = (run(Strategy::Insert, 2000, &[]), run(Strategy::LoadData, 1000, &[]));
        let figures = figures(&a, &b);
        let time = figures.iter().find(|f| f.name == t::ELAPSED).unwrap();
        assert_eq!((time.times(), time.is_better()), (Some(0.5), Some(true)));
        assert_eq!((time.share(2000.0), time.share(1000.0)), (1.0, 0.5));
        let rate = figures.iter().find(|f| f.name == t::ROWS_PER_SEC).unwrap();
        assert_eq!((rate.times(), rate.is_better()), (Some(2.0), Some(true)));
        assert_eq!(figures[0].is_better(), None);
    }

    #[test]
    fn every_step_of_either_is_there() {
        let a = run(Strategy::Insert, 1, &[(RunStep::Load, 900), (RunStep::Verify, 10)]);
        let b = run(Strategy::Insert, 1, &[(RunStep::Sort, 5), (RunStep::Load, 400)]);
        let steps = steps(&a, &b);
        let names: Vec<_> = steps.iter().map(|s| (s.name.as_str(), s.a, s.b)).collect();
        assert_eq!(
            names,
            [
                (words::step(RunStep::Load), Some(900.0), Some(400.0)),
                (words::step(RunStep::Verify), Some(10.0), None),
                (words::step(RunStep::Sort), None, Some(5.0)),
            ]
        );
    }

    #[test]
    fn only_what_differs_is_different() {
        let (different, same) =
            facts(&run(Strategy::Insert, 1, &[]), &run(Strategy::LoadData, 9, &[]));
        assert_eq!(different.len(), 1);
        assert_eq!(different[0].name, t::STRATEGY);
        assert_eq!(same.len(), given(&run(Strategy::Insert, 1, &[])).len() - 1);
    }

    #[test]
    fn only_what_was_asked_for_is_told() {
        let mut run = run(Strategy::Insert, 10, &[]);
        assert!(asked(&run).is_empty());
        run.options.max_bytes_per_sec = Some(1 << 20);
        run.options.skip_binary_log = Some(true);
        let names: Vec<_> = asked(&run).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [t::MAX_RATE, t::BINLOG]);
    }
}
