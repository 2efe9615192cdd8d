//! Places at which a crash test can stop the service dead.
//!
//! `PLIMSOLL_FAILPOINT=after_commit:3=abort` ends the process, as `kill -9` would, when the place
//! `after_commit` is reached for the third time. Without the variable a place costs one load of a
//! flag. Places: `before_commit`, `after_commit`, `after_drop_indexes`, `before_rebuild`,
//! `after_rebuild`, `before_publish`, `after_publish`, `after_create_staging`, `in_slow_lane`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
struct Point {
    name: String,
    at: u64,
    reached: AtomicU64,
}

static POINT: LazyLock<Option<Point>> =
    LazyLock::new(|| parse(&std::env::var("PLIMSOLL_FAILPOINT").ok()?));

/// The place `name` is reached.
pub fn hit(name: &str) {
    if let Some(point) = POINT.as_ref()
        && point.name == name
        && point.reached.fetch_add(1, Ordering::AcqRel) + 1 == point.at
    {
        std::process::abort();
    }
}

fn parse(text: &str) -> Option<Point> {
    let (place, action) = text.split_once('=')?;
    let (name, at) = place.split_once(':').unwrap_or((place, "1"));
    let at = at.parse().ok()?;
    (action == "abort").then(|| Point { name: name.to_owned(), at, reached: AtomicU64::new(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_its_count_and_its_action_are_read() {
        let point = parse("after_commit:3=abort").expect("a point");
        assert_eq!((point.name.as_str(), point.at), ("after_commit", 3));
        assert_eq!(parse("before_publish=abort").map(|p| p.at), Some(1));
        assert!(parse("before_publish").is_none());
        assert!(parse("x:y=abort").is_none());
    }
}
