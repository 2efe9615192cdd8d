//! Rates over time in bounded memory, however long a run lasts.

use shared::run::CurvePoint;

/// Points kept at most; when they are full, neighbours are merged and the step doubles.
const POINTS_MAX: usize = 240;

/// One moment of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// Rows a second.
    pub rows_per_sec: f64,
    /// Bytes a second.
    pub bytes_per_sec: f64,
}

/// A curve that never grows past its bound.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    points: Vec<Point>,
    step_ms: u64,
}

/// A rate is taken over this share of the whole time, so that the curve does not jump with every
/// chunk; and over this long at least.
const WINDOW_SHARE: u64 = 25;
const WINDOW_MS_MIN: u64 = 400;

impl Series {
    /// The curve of a run as the service keeps it. Rates never reach over the end of a step.
    pub fn from_curve(curve: &[CurvePoint]) -> Self {
        let whole = curve.last().map_or(0, |p| p.at_ms);
        let window = (whole / WINDOW_SHARE).max(WINDOW_MS_MIN);
        let mut points = Vec::with_capacity(curve.len());
        let mut first = 0;
        for (i, now) in curve.iter().enumerate() {
            let begins = i > 0 && curve.get(i - 1).is_none_or(|p| p.step != now.step);
            if begins {
                first = i;
            }
            while curve.get(first + 1).is_some_and(|p| p.at_ms + window <= now.at_ms) {
                first += 1;
            }
            let Some(then) = curve.get(first) else { continue };
            let secs = now.at_ms.saturating_sub(then.at_ms) as f64 / 1000.0;
            let per_sec = |now: u64, then: u64| {
                if secs > 0.0 { now.saturating_sub(then) as f64 / secs } else { 0.0 }
            };
            points.push(Point {
                at_ms: now.at_ms,
                rows_per_sec: per_sec(now.rows, then.rows),
                bytes_per_sec: per_sec(now.bytes, then.bytes),
            });
        }
        Self { points, step_ms: 0 }
    }

    /// Adds a moment; one nearer to the last than the present step replaces it.
    pub fn push(&mut self, point: Point) {
        if let Some(last) = self.points.last_mut()
            && point.at_ms < last.at_ms + self.step_ms
        {
            last.rows_per_sec = point.rows_per_sec;
            last.bytes_per_sec = point.bytes_per_sec;
            return;
        }
        self.points.push(point);
        if self.points.len() >= POINTS_MAX {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let merged: Vec<Point> = self
            .points
            .chunks(2)
            .filter_map(|pair| {
                let first = pair.first()?;
                let n = pair.len() as f64;
                Some(Point {
                    at_ms: first.at_ms,
                    rows_per_sec: pair.iter().map(|p| p.rows_per_sec).sum::<f64>() / n,
                    bytes_per_sec: pair.iter().map(|p| p.bytes_per_sec).sum::<f64>() / n,
                })
            })
            .collect();
        let first = merged.first().map_or(0, |p| p.at_ms);
        let last = merged.last().map_or(0, |p| p.at_ms);
        self.step_ms = (last - first) / (merged.len() as u64).max(1);
        self.points = merged;
    }

    /// Whether it lasted long enough for its rates to mean anything.
    pub fn is_worth_drawing(&self) -> bool {
        self.points.len() > 2 && self.points.last().is_some_and(|p| p.at_ms >= WINDOW_MS_MIN)
    }

    /// The points, oldest first.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The highest rate in rows a second.
    pub fn peak_rows_per_sec(&self) -> f64 {
        self.points.iter().map(|p| p.rows_per_sec).fold(0.0, f64::max)
    }
}

/// A round number at or above `value`: 1, 2 or 5 times a power of ten.
pub fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|v| *v >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_updates_stays_small_and_keeps_its_ends() {
        let mut series = Series::default();
        for i in 0..36_000_u64 {
            series.push(Point { at_ms: i * 100, rows_per_sec: 500.0, bytes_per_sec: 1.0 });
        }
        let points = series.points();
        assert!(points.len() < POINTS_MAX);
        assert!(points.len() > POINTS_MAX / 4, "{}", points.len());
        assert_eq!(points[0].at_ms, 0);
        assert!(points.last().unwrap().at_ms > 3_500_000);
        assert!((series.peak_rows_per_sec() - 500.0).abs() < 1e-9);
        assert!(points.windows(2).all(|w| w[0].at_ms < w[1].at_ms));
    }

    #[test]
    fn a_kept_curve_has_rates_within_its_steps() {
        use shared::RunStep;
        let at = |at_ms, step, rows| CurvePoint { at_ms, step, rows, bytes: rows * 10 };
        let curve = [
            at(0, RunStep::Prepare, 0),
            at(100, RunStep::Prepare, 0),
            at(100, RunStep::Load, 0),
            at(600, RunStep::Load, 500),
            at(1100, RunStep::Load, 1500),
            at(1100, RunStep::Verify, 0),
            at(1200, RunStep::Verify, 0),
        ];
        let series = Series::from_curve(&curve);
        let rates: Vec<f64> = series.points().iter().map(|p| p.rows_per_sec).collect();
        assert_eq!(rates, [0.0, 0.0, 0.0, 1000.0, 2000.0, 0.0, 0.0]);
        assert!(Series::from_curve(&[]).points().is_empty());
    }

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, top) in [(0.0, 1.0), (612_000.0, 1e6), (1.0, 1.0), (1.1, 2.0), (430.0, 500.0)] {
            assert!((round_up(value) - top).abs() < 1e-6, "{value}");
        }
    }
}
