//! Scales of powers: where a number lies on an axis, and where its ticks are.

/// An axis whose equal steps are equal factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Powers {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Powers {
    /// An axis for numbers between two, drawn from one place to another.
    pub fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let low = low.max(1e-9);
        Self { low: low.ln(), high: high.max(low * 1.0001).ln(), from, to }
    }

    /// Where a number lies; beyond the ends it stays at them.
    pub fn at(self, value: f64) -> f64 {
        let share = (value.max(1e-9).ln() - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Whether a number lies between the ends.
    pub fn holds(self, value: f64) -> bool {
        let value = value.max(1e-9).ln();
        value >= self.low - 1e-9 && value <= self.high + 1e-9
    }
}

/// Powers of ten between two numbers.
pub fn tens(low: f64, high: f64) -> Vec<u64> {
    let mut ticks = Vec::new();
    let mut tick = 1_u64;
    while (tick as f64) <= high && tick < u64::MAX / 10 {
        if tick as f64 >= low {
            ticks.push(tick);
        }
        tick *= 10;
    }
    ticks
}

/// Times that people think in, with their words, between two numbers of milliseconds.
pub fn times(low_ms: f64, high_ms: f64) -> Vec<(u64, &'static str)> {
    const TIMES: [(u64, &str); 15] = [
        (1, "1 ms"),
        (10, "10 ms"),
        (100, "0.1 s"),
        (1_000, "1 s"),
        (10_000, "10 s"),
        (60_000, "1 min"),
        (600_000, "10 min"),
        (3_600_000, "1 h"),
        (8 * 3_600_000, "8 h"),
        (24 * 3_600_000, "1 day"),
        (7 * 24 * 3_600_000, "1 week"),
        (30 * 24 * 3_600_000, "1 month"),
        (365 * 24 * 3_600_000, "1 year"),
        (10 * 365 * 24 * 3_600_000, "10 years"),
        (100 * 365 * 24 * 3_600_000, "100 years"),
    ];
    let inside = |ms: u64| ms as f64 >= low_ms && ms as f64 <= high_ms;
    TIMES.into_iter().filter(|(ms, _)| inside(*ms)).collect()
}

/// A power of ten in few signs: 10k, 1M, 100M, 1G.
pub fn short(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{}k", n / 1_000),
        1_000_000..1_000_000_000 => format!("{}M", n / 1_000_000),
        _ => format!("{}G", n / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_factors_are_equal_steps() {
        let axis = Powers::new((10.0, 1000.0), (0.0, 100.0));
        assert!((axis.at(100.0) - 50.0).abs() < 1e-9);
        assert_eq!((axis.at(1.0), axis.at(1e9)), (0.0, 100.0));
        assert!(axis.holds(10.0) && axis.holds(1000.0) && !axis.holds(1001.0));
        // Downwards, as an axis of time is drawn.
        let down = Powers::new((10.0, 1000.0), (100.0, 0.0));
        assert!((down.at(1000.0)).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_those_that_people_know() {
        assert_eq!(tens(50.0, 20_000.0), [100, 1_000, 10_000]);
        let words: Vec<_> = times(500.0, 700_000.0).into_iter().map(|t| t.1).collect();
        assert_eq!(words, ["1 s", "10 s", "1 min", "10 min"]);
        assert_eq!(short(2_000_000_000), "2G");
        assert_eq!(short(100_000), "100k");
    }
}
