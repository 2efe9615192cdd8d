//! Numbers for people: the same text in the browser, on the command line and in reports.

/// A count with thousands marks: `1,234,567`.
#[must_use]
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Bytes in decimal units, three digits at most: `189 MB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    scaled(n as f64, &["B", "kB", "MB", "GB", "TB", "PB"])
}

/// Bytes a second: `212 MB/s`.
#[must_use]
pub fn bytes_per_sec(rate: f64) -> String {
    format!("{}/s", scaled(rate.max(0.0), &["B", "kB", "MB", "GB", "TB", "PB"]))
}

/// Rows a second: `611k rows/s`.
#[must_use]
pub fn rows_per_sec(rate: f64) -> String {
    let text = scaled(rate.max(0.0), &["", "k", "M", "G"]);
    format!("{} rows/s", text.replace(' ', ""))
}

fn scaled(mut value: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let name = units.get(unit).copied().unwrap_or_default();
    let number = if unit == 0 || value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    format!("{number} {name}").trim_end().to_owned()
}

/// A time for people, two units at most: `4 ms`, `0.35 s`, `7.4 s`, `1 min 20 s`, `2 h 35 min`, `3 d 4 h`.
#[must_use]
pub fn duration_ms(ms: u64) -> String {
    let secs = ms as f64 / 1000.0;
    if ms < 1 {
        return "0 s".to_owned();
    }
    if ms < 10 {
        return format!("{ms} ms");
    }
    if secs < 0.995 {
        return format!("{secs:.2} s");
    }
    if secs < 59.95 {
        return format!("{secs:.1} s");
    }
    let whole = (secs + 0.5) as u64;
    let (d, h, m, s) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
    match (d, h, m) {
        (0, 0, m) => two(m, "min", s, "s"),
        (0, h, m) => two(h, "h", m, "min"),
        (d, h, _) => two(d, "d", h, "h"),
    }
}

fn two(big: u64, big_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{big} {big_unit}")
    } else {
        format!("{big} {big_unit} {small} {small_unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_thousands_marks() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(n), text);
        }
    }

    #[test]
    fn sizes_and_rates_keep_three_digits() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(189_000_000), "189 MB");
        assert_eq!(bytes(1_500), "1.50 kB");
        assert_eq!(bytes(999_600), "1.00 MB");
        assert_eq!(rows_per_sec(611_000.0), "611k rows/s");
        assert_eq!(bytes_per_sec(212_000_000.0), "212 MB/s");
    }

    #[test]
    fn times_use_two_units_at_most() {
        for (ms, text) in [
            (0, "0 s"),
            (4, "4 ms"),
            (350, "0.35 s"),
            (7_400, "7.4 s"),
            (59_960, "1 min"),
            (80_000, "1 min 20 s"),
            (9_300_000, "2 h 35 min"),
            (273_600_000, "3 d 4 h"),
        ] {
            assert_eq!(duration_ms(ms), text);
        }
    }
}
