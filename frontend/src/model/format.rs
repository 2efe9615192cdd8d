//! Numbers and times for people, beyond what the shared units give.

use shared::units;

/// A range of times: `6.1–9.8 s`, `52.0 s – 1 min 20 s`.
pub fn range_ms(low_ms: u64, high_ms: u64) -> String {
    let (low, high) = (units::duration_ms(low_ms), units::duration_ms(high_ms));
    if low == high {
        return low;
    }
    match (single(&low), single(&high)) {
        (Some((a, unit_a)), Some((b, unit_b))) if unit_a == unit_b => format!("{a}–{b} {unit_b}"),
        _ => format!("{low} – {high}"),
    }
}

fn single(text: &str) -> Option<(&str, &str)> {
    let (number, unit) = text.split_once(' ')?;
    (!unit.contains(' ')).then_some((number, unit))
}

/// A share as whole percent, never 100 before the end.
pub fn percent(part: f64, whole: f64) -> String {
    if whole <= 0.0 {
        return "0 %".to_owned();
    }
    let share = (part / whole).clamp(0.0, 1.0);
    let whole_percent = if share < 1.0 { (share * 100.0).floor().min(99.0) } else { 100.0 };
    format!("{whole_percent:.0} %")
}

/// "8 of 10", from a share: how many runs out of ten a range is meant to hold.
pub fn of_ten(coverage: f64) -> String {
    format!("{:.0} of 10", (coverage * 10.0).clamp(0.0, 10.0))
}

/// How long ago, in the one unit that matters; none when it is long ago or in the future.
pub fn ago(ms: f64) -> Option<String> {
    let secs = (ms / 1000.0) as i64;
    match secs {
        -5..=9 => Some("just now".to_owned()),
        10..=59 => Some(format!("{secs} s ago")),
        60..=3599 => Some(format!("{} min ago", secs / 60)),
        3600..=86_399 => Some(format!("{} h ago", secs / 3600)),
        _ => None,
    }
}

/// Text cut to so many characters, with a mark where it was cut.
pub fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

/// `1 row`, `2 rows`.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", units::count(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_share_their_unit_where_they_can() {
        assert_eq!(range_ms(6_100, 9_800), "6.1–9.8 s");
        assert_eq!(range_ms(52_000, 80_000), "52.0 s – 1 min 20 s");
        assert_eq!(range_ms(60_000, 80_000), "1 min – 1 min 20 s");
        assert_eq!(range_ms(7_000, 7_010), "7.0 s");
    }

    #[test]
    fn a_percentage_is_whole_and_late() {
        assert_eq!(percent(999.9, 1000.0), "99 %");
        assert_eq!(percent(1000.0, 1000.0), "100 %");
        assert_eq!(percent(1.0, 0.0), "0 %");
        assert_eq!(of_ten(0.8), "8 of 10");
    }

    #[test]
    fn long_ago_is_no_longer_told_in_hours() {
        assert_eq!(ago(61_000.0).as_deref(), Some("1 min ago"));
        assert_eq!(ago(2.0 * 3_600_000.0).as_deref(), Some("2 h ago"));
        assert_eq!(ago(200_000_000.0), None);
    }

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(cut("héllo", 2), "hé…");
        assert_eq!(cut("hé", 2), "hé");
        assert_eq!(plural(1, "row", "rows"), "1 row");
        assert_eq!(plural(2000, "row", "rows"), "2,000 rows");
    }
}
