//! Where the points of the trend lie: time across, rates up in steps of ten.

use shared::api::TrendSeries;

/// The rim of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// The first moment.
    pub first_ms: i64,
    /// The last moment.
    pub last_ms: i64,
    low_log: f64,
    high_log: f64,
}

/// A scale that holds every point.
pub fn scale(series: &[TrendSeries]) -> Scale {
    let points = || series.iter().flat_map(|s| &s.points);
    let low = points().map(|p| p.low).fold(f64::INFINITY, f64::min);
    let high = points().map(|p| p.high).fold(0.0, f64::max);
    let (low, high) = if low.is_finite() && low > 0.0 { (low, high.max(low)) } else { (1.0, 10.0) };
    // Half a step of air at both ends, one whole step in all at least.
    let (mut low_log, mut high_log) = (low.log10() - 0.15, high.log10() + 0.15);
    if high_log - low_log < 1.0 {
        let middle = (low_log + high_log) / 2.0;
        (low_log, high_log) = (middle - 0.5, middle + 0.5);
    }
    Scale {
        first_ms: points().map(|p| p.at_ms).min().unwrap_or_default(),
        last_ms: points().map(|p| p.at_ms).max().unwrap_or_default(),
        low_log,
        high_log,
    }
}

impl Scale {
    /// Across, 0 to 1.
    pub fn across(&self, at_ms: i64) -> f64 {
        let whole = (self.last_ms - self.first_ms) as f64;
        if whole <= 0.0 { 0.5 } else { (at_ms - self.first_ms) as f64 / whole }
    }

    /// Up, 0 to 1.
    pub fn up(&self, rate: f64) -> f64 {
        let log = rate.max(1e-9).log10();
        ((log - self.low_log) / (self.high_log - self.low_log)).clamp(0.0, 1.0)
    }

    /// Round rates within: powers of ten, with 2 and 5 times them where there is room.
    pub fn rounds(&self) -> Vec<f64> {
        let steps: &[f64] =
            if self.high_log - self.low_log < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = self.low_log.floor() as i32..=self.high_log.ceil() as i32;
        powers
            .flat_map(|p| steps.iter().map(move |s| s * 10_f64.powi(p)))
            .filter(|rate| (self.low_log..=self.high_log).contains(&rate.log10()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::api::TrendPoint;

    fn series(points: &[(i64, f64)]) -> TrendSeries {
        let point = |&(at_ms, rate): &(i64, f64)| TrendPoint {
            at_ms,
            rows_per_sec: rate,
            low: rate,
            high: rate,
            runs: 1,
            run_id: None,
        };
        TrendSeries {
            engine: "InnoDB".into(),
            strategy: "load_data".into(),
            points: points.iter().map(point).collect(),
        }
    }

    #[test]
    fn every_point_lies_within() {
        let scale = scale(&[series(&[(0, 90_000.0), (100, 450_000.0)]), series(&[(50, 2_000.0)])]);
        assert_eq!((scale.across(0), scale.across(50), scale.across(100)), (0.0, 0.5, 1.0));
        assert!(0.0 < scale.up(2_000.0) && scale.up(2_000.0) < scale.up(90_000.0));
        assert!(scale.up(450_000.0) < 1.0);
        assert_eq!(scale.rounds(), [10_000.0, 100_000.0]);
    }

    #[test]
    fn one_point_or_none_has_a_scale_too() {
        let one = scale(&[series(&[(7, 100.0)])]);
        assert_eq!(one.across(7), 0.5);
        assert!((one.up(100.0) - 0.5).abs() < 1e-9);
        assert!(!one.rounds().is_empty());
        assert!(!scale(&[]).rounds().is_empty());
    }
}
