//! How far a run has come: counters that workers raise, and what is made of them some times a
//! second.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use shared::estimate::Estimate;
use shared::run::{CurvePoint, Progress, RunStatus, RunStep, StepView, WorkerRate};

use super::curve::{self, Curve};
use crate::store::RunTick;

/// Seconds over which a rate is taken.
const RATE_WINDOW_SECS: f64 = 3.0;

/// Counters of one run. Workers raise them; nothing is locked on the hot path.
#[derive(Debug)]
pub struct Tracker {
    begun: Instant,
    /// Records read.
    pub rows_read: AtomicU64,
    /// Rows written.
    pub rows_loaded: AtomicU64,
    /// Records put aside.
    pub rows_rejected: AtomicU64,
    /// Records passed over.
    pub rows_skipped: AtomicU64,
    /// Bytes of the file (as it lies) that were read.
    pub bytes_read: AtomicU64,
    /// Chunks sent again.
    pub retries: AtomicU64,
    /// Bytes of the file through the running step.
    pub step_bytes: AtomicU64,
    /// Rows through the running step.
    pub step_rows: AtomicU64,
    inner: Mutex<Inner>,
}

/// What one writing connection has done.
#[derive(Debug, Default)]
pub struct WorkerCount {
    /// Rows written.
    pub rows: AtomicU64,
    /// Bytes of them as they were sent.
    pub bytes: AtomicU64,
}

/// Counters at a moment, from which rates are taken.
#[derive(Debug)]
struct Sample {
    at: Instant,
    rows: u64,
    bytes: u64,
    workers: Vec<(u64, u64)>,
}

#[derive(Debug)]
struct Inner {
    status: RunStatus,
    done: Vec<StepView>,
    current: Option<(RunStep, Instant)>,
    total_bytes: u64,
    estimate: Option<Estimate>,
    samples: Vec<Sample>,
    workers: Vec<Arc<WorkerCount>>,
    curve: Curve,
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Adds to a counter.
pub fn add(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

fn ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl Tracker {
    /// A run that begins now, with the bytes of its files.
    #[must_use]
    pub fn new(total_bytes: u64) -> Self {
        Self {
            begun: Instant::now(),
            rows_read: AtomicU64::new(0),
            rows_loaded: AtomicU64::new(0),
            rows_rejected: AtomicU64::new(0),
            rows_skipped: AtomicU64::new(0),
            bytes_read: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            step_bytes: AtomicU64::new(0),
            step_rows: AtomicU64::new(0),
            inner: Mutex::new(Inner {
                status: RunStatus::Queued,
                done: Vec::new(),
                current: None,
                total_bytes,
                estimate: None,
                samples: Vec::new(),
                workers: Vec::new(),
                curve: Curve::new(),
            }),
        }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Sets the status.
    pub fn status(&self, status: RunStatus) {
        self.inner().status = status;
    }

    /// Sets what was foretold.
    pub fn estimate(&self, estimate: &Estimate) {
        self.inner().estimate = Some(estimate.clone());
    }

    /// Ends the running step and begins another.
    pub fn begin(&self, step: RunStep) {
        let mut inner = self.inner();
        self.close(&mut inner);
        inner.current = Some((step, Instant::now()));
        inner.samples.clear();
        inner.workers.clear();
        inner.curve.turn(curve::point(ms(self.begun), step, 0, 0));
        self.step_bytes.store(0, Ordering::Relaxed);
        self.step_rows.store(0, Ordering::Relaxed);
    }

    /// Ends the running step.
    pub fn finish(&self) {
        let mut inner = self.inner();
        self.close(&mut inner);
    }

    fn close(&self, inner: &mut Inner) {
        if let Some((step, since)) = inner.current.take() {
            let (rows, bytes) = (get(&self.step_rows), get(&self.step_bytes));
            inner.curve.turn(curve::point(ms(self.begun), step, rows, bytes));
            // A step that is done twice (a load begun anew) counts as one.
            if let Some(before) = inner.done.iter_mut().find(|s| s.step == step) {
                before.ms += ms(since);
                (before.rows, before.bytes) = (rows, bytes);
            } else {
                inner.done.push(StepView { step, ms: ms(since), rows, bytes, done: true });
            }
        }
    }

    /// The counters of a load's writing connections.
    #[must_use]
    pub fn workers(&self, count: u32) -> Vec<Arc<WorkerCount>> {
        let counts: Vec<_> = (0..count).map(|_| Arc::default()).collect();
        self.inner().workers.clone_from(&counts);
        counts
    }

    /// How far the run was at some moments.
    #[must_use]
    pub fn curve(&self) -> Vec<CurvePoint> {
        self.inner().curve.points()
    }

    /// Forgets what a load counted that is begun anew.
    pub fn reset_load(&self) {
        for counter in [
            &self.rows_read,
            &self.rows_loaded,
            &self.rows_rejected,
            &self.rows_skipped,
            &self.bytes_read,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
    }

    /// Counts what an earlier part of a resumed run has put in; with a sort the file is read again,
    /// so that only what was written counts.
    pub fn resume_load(&self, total: &crate::load::ChunkCounts, sorts: bool) {
        add(&self.rows_loaded, total.rows_loaded);
        add(&self.rows_skipped, total.rows_skipped);
        add(&self.rows_rejected, total.rows_rejected);
        if !sorts {
            add(&self.rows_read, total.rows_read);
        }
    }

    /// Nothing of the run is in the table after all.
    pub fn nothing_loaded(&self) {
        self.rows_loaded.store(0, Ordering::Relaxed);
    }

    /// Whether the run puts back what it changed.
    #[must_use]
    pub fn is_reverting(&self) -> bool {
        self.inner().status == RunStatus::Reverting
    }

    /// Steps so far, with the running one.
    #[cfg(test)]
    #[must_use]
    pub fn steps(&self) -> Vec<StepView> {
        let inner = self.inner();
        self.steps_of(&inner)
    }

    fn steps_of(&self, inner: &Inner) -> Vec<StepView> {
        let mut steps = inner.done.clone();
        if let Some((step, since)) = inner.current {
            steps.push(StepView {
                step,
                ms: ms(since),
                rows: get(&self.step_rows),
                bytes: get(&self.step_bytes),
                done: false,
            });
        }
        steps
    }

    /// What the control database keeps.
    #[must_use]
    pub fn tick(&self) -> RunTick {
        let inner = self.inner();
        RunTick {
            step: inner.current.map(|(step, _)| step),
            steps: self.steps_of(&inner),
            rows_read: get(&self.rows_read),
            rows_loaded: get(&self.rows_loaded),
            rows_rejected: get(&self.rows_rejected),
            rows_skipped: get(&self.rows_skipped),
            bytes_read: get(&self.bytes_read),
            retries: get(&self.retries),
            elapsed_ms: ms(self.begun),
        }
    }

    /// What watchers see. Call it some times a second: rates come from the calls before.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let mut inner = self.inner();
        let now = Instant::now();
        let (rows, bytes) = (get(&self.step_rows), get(&self.step_bytes));
        let workers = inner.workers.iter().map(|w| (get(&w.rows), get(&w.bytes))).collect();
        inner.samples.push(Sample { at: now, rows, bytes, workers });
        inner.samples.retain(|s| (now - s.at).as_secs_f64() <= RATE_WINDOW_SECS);
        if let Some((step, _)) = inner.current {
            inner.curve.note(curve::point(ms(self.begun), step, rows, bytes));
        }
        let (rows_per_sec, bytes_per_sec, workers) = rates(&inner.samples);
        let step = inner.current.map(|(step, _)| step);
        let counted = matches!(step, Some(RunStep::Check | RunStep::Sort | RunStep::Load));
        Progress {
            status: inner.status,
            step,
            steps: self.steps_of(&inner),
            rows_read: get(&self.rows_read),
            rows_loaded: get(&self.rows_loaded),
            rows_rejected: get(&self.rows_rejected),
            rows_skipped: get(&self.rows_skipped),
            step_bytes: bytes,
            step_bytes_total: counted.then_some(inner.total_bytes),
            rows_per_sec,
            bytes_per_sec,
            remaining_ms: remaining(&inner, now, bytes),
            retries: get(&self.retries),
            elapsed_ms: ms(self.begun),
            workers,
        }
    }
}

/// How much slower the steps behind were than foretold, as far as that holds for those to come:
/// steps of one server err together, by half on the scale of powers.
fn pace(inner: &Inner, estimate: &Estimate) -> f64 {
    let (mut took, mut told) = (0.0, 0.0);
    for done in &inner.done {
        if let Some(s) = estimate.steps.iter().find(|s| s.step == done.step) {
            took += done.ms as f64;
            told += s.expected_ms as f64;
        }
    }
    // Small steps scatter by milliseconds; only much time tells of a pace.
    const TELLING_MS: f64 = 500.0;
    ((took + TELLING_MS) / (told + TELLING_MS)).clamp(0.1, 10.0).sqrt()
}

/// Rows and bytes a second between the first sample and the last, as a whole and per worker.
fn rates(samples: &[Sample]) -> (f64, f64, Vec<WorkerRate>) {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return (0.0, 0.0, Vec::new());
    };
    let secs = (last.at - first.at).as_secs_f64();
    let per_sec = |now: u64, then: u64| {
        if secs > 0.05 { now.saturating_sub(then) as f64 / secs } else { 0.0 }
    };
    let worker = |(i, (rows, bytes)): (usize, &(u64, u64))| {
        let (rows_then, bytes_then) = first.workers.get(i).copied().unwrap_or_default();
        WorkerRate {
            rows: *rows,
            rows_per_sec: per_sec(*rows, rows_then),
            bytes_per_sec: per_sec(*bytes, bytes_then),
        }
    };
    let workers = last.workers.iter().enumerate().map(worker).collect();
    (per_sec(last.rows, first.rows), per_sec(last.bytes, first.bytes), workers)
}

/// The rest as a range: what was foretold for the steps to come, and for the running one a mean of
/// what was foretold and what is seen, the more seen the more it counts.
fn remaining(inner: &Inner, now: Instant, step_bytes: u64) -> Option<(u64, u64)> {
    let estimate = inner.estimate.as_ref()?;
    let (current, since) = inner.current?;
    let mut low = 0.0;
    let mut high = 0.0;
    for s in &estimate.steps {
        if s.step == current || inner.done.iter().any(|d| d.step == s.step) {
            continue;
        }
        low += s.low_ms as f64;
        high += s.high_ms as f64;
    }
    let pace = pace(inner, estimate);
    (low, high) = (low * pace, high * pace);
    let spent = (now - since).as_secs_f64() * 1000.0;
    let share = if inner.total_bytes == 0 {
        0.0
    } else {
        (step_bytes as f64 / inner.total_bytes as f64).clamp(0.0, 1.0)
    };
    let foretold = estimate.steps.iter().find(|s| s.step == current);
    let (seen_low, seen_high) = if share > 0.005 && spent > 200.0 {
        let rest = spent * (1.0 - share) / share;
        let doubt = 0.05 + 0.25 * (1.0 - share);
        (Some(rest * (1.0 - doubt)), Some(rest * (1.0 + doubt)))
    } else {
        (None, None)
    };
    let mix = |told: Option<f64>, seen: Option<f64>| match (told, seen) {
        (Some(t), Some(s)) => {
            let weight = (share * 4.0).min(1.0);
            s.mul_add(weight, (t - spent).max(0.0) * (1.0 - weight))
        }
        (Some(t), None) => (t - spent).max(0.0),
        (None, Some(s)) => s,
        (None, None) => 0.0,
    };
    low += mix(foretold.map(|s| s.low_ms as f64), seen_low);
    high += mix(foretold.map(|s| s.high_ms as f64), seen_high);
    Some((low as u64, high.max(low) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_measured_and_a_step_done_twice_counts_once() {
        let tracker = Tracker::new(100);
        tracker.begin(RunStep::Load);
        add(&tracker.step_rows, 5);
        tracker.begin(RunStep::Verify);
        tracker.begin(RunStep::Load);
        add(&tracker.step_rows, 7);
        tracker.finish();
        let steps = tracker.steps();
        let names: Vec<RunStep> = steps.iter().map(|s| s.step).collect();
        assert_eq!(names, [RunStep::Load, RunStep::Verify]);
        assert_eq!(steps[0].rows, 7);
        assert!(steps.iter().all(|s| s.done));
    }

    #[test]
    fn a_slow_load_foretells_a_slow_rebuild() {
        let step = |step, ms| shared::estimate::StepEstimate {
            step,
            low_ms: ms,
            expected_ms: ms,
            high_ms: ms,
        };
        let estimate = Estimate {
            low_ms: 0,
            expected_ms: 0,
            high_ms: 0,
            coverage: 0.8,
            basis: String::new(),
            steps: vec![step(RunStep::Load, 10_000), step(RunStep::RebuildIndexes, 5_000)],
        };
        let done = |ms| vec![StepView { step: RunStep::Load, ms, rows: 0, bytes: 0, done: true }];
        let inner = |ms| Inner {
            status: RunStatus::Running,
            done: done(ms),
            current: Some((RunStep::Verify, Instant::now())),
            total_bytes: 0,
            estimate: Some(estimate.clone()),
            samples: Vec::new(),
            workers: Vec::new(),
            curve: Curve::new(),
        };
        assert!((pace(&inner(10_000), &estimate) - 1.0).abs() < 0.01);
        assert!((pace(&inner(40_000), &estimate) - 2.0).abs() < 0.1);
        let (low, _) = remaining(&inner(40_000), Instant::now(), 0).unwrap();
        assert!((9_000..11_000).contains(&low), "{low}");
    }

    #[test]
    fn each_worker_has_its_own_rate() {
        let at = Instant::now();
        let sample = |ms, rows, workers| Sample {
            at: at + std::time::Duration::from_millis(ms),
            rows,
            bytes: rows * 10,
            workers,
        };
        let samples = [sample(0, 0, vec![]), sample(2000, 300, vec![(100, 1000), (200, 4000)])];
        let (rows_per_sec, bytes_per_sec, workers) = rates(&samples);
        assert_eq!((rows_per_sec, bytes_per_sec), (150.0, 1500.0));
        assert_eq!(workers.iter().map(|w| w.rows_per_sec).collect::<Vec<_>>(), [50.0, 100.0]);
        assert_eq!(workers[1].bytes_per_sec, 2000.0);
    }

    #[test]
    fn the_rest_is_a_range() {
        let tracker = Tracker::new(100);
        let step = |step, expected_ms| shared::estimate::StepEstimate {
            step,
            low_ms: expected_ms / 2,
            expected_ms,
            high_ms: expected_ms * 2,
        };
        tracker.estimate(&Estimate {
            low_ms: 0,
            expected_ms: 0,
            high_ms: 0,
            coverage: 0.8,
            basis: String::new(),
            steps: vec![step(RunStep::Load, 10_000), step(RunStep::Verify, 1_000)],
        });
        tracker.begin(RunStep::Load);
        let (low, high) = tracker.progress().remaining_ms.unwrap();
        assert!((5_000..=5_500).contains(&low) && (21_000..=22_000).contains(&high));
    }
}
