//! Throughput over time: past runs by engine and strategy, close ones drawn together.

use std::collections::BTreeMap;

use shared::api::{RunTrend, TrendPoint, TrendSeries};

use crate::store::TrendRun;

/// Runs with fewer rows say little of a server's speed.
pub const ROWS_MIN: u64 = 1000;
/// The newest runs that are looked at.
pub const RUNS_MAX: u32 = 20_000;
/// Up to this many runs, each is a point of its own.
const SINGLE_MAX: usize = 150;
/// Else time is parted into this many pieces.
const PIECES: i64 = 60;

/// The runs of a series by their place in time: a piece of it, or a moment and a run.
type Places<'a> = BTreeMap<(i64, &'a str), Vec<(i64, &'a TrendRun)>>;

/// The trend of these runs.
#[must_use]
pub fn trend(runs: &[TrendRun]) -> RunTrend {
    let timed: Vec<(i64, &TrendRun)> = runs.iter().filter_map(|r| Some((ms(r)?, r))).collect();
    let first = timed.iter().map(|(at, _)| *at).min().unwrap_or_default();
    let last = timed.iter().map(|(at, _)| *at).max().unwrap_or_default();
    let piece_ms = (last - first) / PIECES + 1;
    let single = timed.len() <= SINGLE_MAX;
    let mut series: BTreeMap<(&str, &str), Places<'_>> = BTreeMap::new();
    for (at, run) in timed {
        let place = if single { (at, run.run_id.as_str()) } else { ((at - first) / piece_ms, "") };
        let points = series.entry((&run.engine, &run.strategy)).or_default();
        points.entry(place).or_default().push((at, run));
    }
    let mut series: Vec<TrendSeries> = series
        .into_iter()
        .map(|((engine, strategy), points)| TrendSeries {
            engine: engine.to_owned(),
            strategy: strategy.to_owned(),
            points: points.into_values().filter_map(|runs| point(&runs)).collect(),
        })
        .collect();
    series.sort_by_key(|s| std::cmp::Reverse(s.points.iter().map(|p| p.runs).sum::<u64>()));
    RunTrend { series, rows_min: ROWS_MIN }
}

fn ms(run: &TrendRun) -> Option<i64> {
    let at = chrono::DateTime::parse_from_rfc3339(&run.created_at).ok()?;
    Some(at.timestamp_millis())
}

/// Several runs as one point: the middle of their times, the middle one of their rates.
fn point(runs: &[(i64, &TrendRun)]) -> Option<TrendPoint> {
    let mut rates: Vec<f64> = runs.iter().map(|(_, r)| r.rows_per_sec).collect();
    rates.sort_by(f64::total_cmp);
    let at_ms = runs.iter().map(|(at, _)| *at).sum::<i64>() / i64::try_from(runs.len()).ok()?;
    Some(TrendPoint {
        at_ms,
        rows_per_sec: *rates.get(rates.len() / 2)?,
        low: *rates.first()?,
        high: *rates.last()?,
        runs: runs.len() as u64,
        run_id: match runs {
            [(_, one)] => Some(one.run_id.clone()),
            _ => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: usize, engine: &str, minute: usize, rows_per_sec: f64) -> TrendRun {
        TrendRun {
            run_id: format!("r{id}"),
            created_at: format!("2026-01-01T{:02}:{:02}:00.000Z", minute / 60, minute % 60),
            engine: engine.to_owned(),
            strategy: "load_data".to_owned(),
            rows_per_sec,
        }
    }

    #[test]
    fn few_runs_are_points_of_their_own() {
        let runs = [run(1, "InnoDB", 0, 10.0), run(2, "Aria", 1, 20.0), run(3, "InnoDB", 2, 30.0)];
        let trend = trend(&runs);
        assert_eq!(trend.series.len(), 2);
        assert_eq!(trend.series[0].engine, "InnoDB");
        let points = &trend.series[0].points;
        assert_eq!(points[0].run_id.as_deref(), Some("r1"));
        assert_eq!(points[1].at_ms - points[0].at_ms, 120_000);
    }

    #[test]
    fn many_runs_are_drawn_together() {
        let runs: Vec<TrendRun> =
            (0..1200).map(|i| run(i, "InnoDB", i, 100.0 + i as f64)).collect();
        let trend = trend(&runs);
        let points = &trend.series[0].points;
        assert_eq!(points.len(), 60);
        assert_eq!(points.iter().map(|p| p.runs).sum::<u64>(), 1200);
        assert!(points.iter().all(|p| p.low < p.rows_per_sec && p.rows_per_sec < p.high));
        assert!(points.is_sorted_by_key(|p| p.at_ms));
    }
}
