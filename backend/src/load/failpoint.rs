//! Places at which a crash test can interfere.
//!
//! `PLIMSOLL_FAILPOINT=after_commit:3=abort` ends the process, as `kill -9` would, when the place
//! `after_commit` is reached for the third time. With the path of a Unix socket instead of
//! `abort` the place connects to it and waits until the other side hangs up: meanwhile a test can
//! kill the server, cut connections, fill a disk or take a right away. Without the variable a
//! place costs one load of a flag.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, PartialEq, Eq)]
enum Action {
    Abort,
    Call(PathBuf),
}

#[derive(Debug)]
struct Point {
    name: String,
    at: u64,
    action: Action,
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
        match &point.action {
            Action::Abort => std::process::abort(),
            Action::Call(path) => call(path),
        }
    }
}

fn call(path: &PathBuf) {
    let answered = UnixStream::connect(path).and_then(|mut to| to.read_to_end(&mut Vec::new()));
    if let Err(error) = answered {
        tracing::error!(path = %path.display(), %error, "nobody listens to the failpoint");
    }
}

fn parse(text: &str) -> Option<Point> {
    let (place, action) = text.split_once('=')?;
    let (name, at) = place.split_once(':').unwrap_or((place, "1"));
    let at = at.parse().ok()?;
    let action = match action {
        "abort" => Action::Abort,
        path if path.starts_with('/') => Action::Call(path.into()),
        _ => return None,
    };
    Some(Point { name: name.to_owned(), at, action, reached: AtomicU64::new(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_its_count_and_its_action_are_read() {
        let point = parse("after_commit:3=abort").expect("a point");
        assert_eq!((point.name.as_str(), point.at), ("after_commit", 3));
        assert_eq!(parse("before_publish=abort").map(|p| p.at), Some(1));
        let called = parse("before_publish=/tmp/s").map(|p| p.action);
        assert_eq!(called, Some(Action::Call("/tmp/s".into())));
        assert!(parse("before_publish").is_none());
        assert!(parse("before_publish=").is_none());
        assert!(parse("x:y=abort").is_none());
    }
}
