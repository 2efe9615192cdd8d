//! A run's curve: how far it was at some moments, for the chart of its throughput.

use shared::run::{CurvePoint, RunStep};

/// Moments kept at most; past that every second one goes and the rest come half as often.
const POINTS_MAX: usize = 240;
/// Time between two moments at first.
const EVERY_MS: u64 = 150;

/// The moments of a run, bounded whatever its length.
#[derive(Debug)]
pub struct Curve {
    points: Vec<CurvePoint>,
    every_ms: u64,
}

impl Curve {
    /// None yet.
    pub fn new() -> Self {
        Self { points: Vec::new(), every_ms: EVERY_MS }
    }

    /// Notes a moment, unless it comes too soon after the one before.
    pub fn note(&mut self, point: CurvePoint) {
        let due = self.points.last().is_none_or(|p| p.at_ms + self.every_ms <= point.at_ms);
        if due {
            self.turn(point);
        }
    }

    /// Notes the beginning or the end of a step, whenever it comes.
    pub fn turn(&mut self, point: CurvePoint) {
        if self.points.len() >= POINTS_MAX {
            self.thin();
        }
        self.points.push(point);
    }

    /// Beginnings and ends of steps stay: only among three of one step the middle one may go.
    fn thin(&mut self) {
        let mut kept: Vec<CurvePoint> = Vec::with_capacity(POINTS_MAX);
        let mut left_out = false;
        for (i, point) in self.points.iter().enumerate() {
            let of = |at: Option<&CurvePoint>| at.map(|p| p.step);
            let inside = of(self.points.get(i.wrapping_sub(1))) == Some(point.step)
                && of(self.points.get(i + 1)) == Some(point.step);
            left_out = inside && !left_out;
            if !left_out {
                kept.push(point.clone());
            }
        }
        self.points = kept;
        self.every_ms *= 2;
    }

    /// The moments so far.
    pub fn points(&self) -> Vec<CurvePoint> {
        self.points.clone()
    }
}

/// A moment.
pub fn point(at_ms: u64, step: RunStep, rows: u64, bytes: u64) -> CurvePoint {
    CurvePoint { at_ms, step, rows, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_few_points_and_every_turn() {
        let mut curve = Curve::new();
        curve.turn(point(0, RunStep::Prepare, 0, 0));
        curve.turn(point(5, RunStep::Prepare, 0, 0));
        curve.turn(point(5, RunStep::Load, 0, 0));
        for i in 1..100_000_u64 {
            curve.note(point(5 + i * 150, RunStep::Load, i * 10, i * 100));
        }
        curve.turn(point(15_000_000, RunStep::Load, 1_000_000, 0));
        let points = curve.points();
        assert!(points.len() <= POINTS_MAX, "{}", points.len());
        assert!(points.len() > POINTS_MAX / 4);
        assert_eq!(points.iter().filter(|p| p.step == RunStep::Prepare).count(), 2);
        assert_eq!(points.last().map(|p| p.rows), Some(1_000_000));
        assert!(points.is_sorted_by_key(|p| p.at_ms));
    }
}
