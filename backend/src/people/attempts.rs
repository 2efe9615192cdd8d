//! How often someone may try to log in: so many times in a window, by name and by address.
//!
//! An attempt counts from its beginning, so that many at once gain nothing; one that succeeds is
//! given back.

use std::collections::HashMap;

use super::PeopleError;

/// How long attempts count.
const WINDOW_MS: i64 = 15 * 60 * 1000;
/// Attempts on one name in a window.
const OF_NAME_MAX: u32 = 10;
/// Attempts from one address in a window: a team may share one.
const OF_ADDRESS_MAX: u32 = 50;
/// Counters at most; those whose window has passed go first.
const KEPT_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Count {
    since_ms: i64,
    tries: u32,
}

/// The attempts of the last minutes.
#[derive(Debug, Default)]
pub struct Attempts {
    counts: HashMap<String, Count>,
}

impl Attempts {
    /// Counts an attempt on a name from an address, if both have one left.
    pub fn take(&mut self, name: &str, address: &str, now_ms: i64) -> Result<(), PeopleError> {
        self.take_address(address, now_ms)?;
        self.count(of_name(name), OF_NAME_MAX, now_ms)
    }

    /// Counts an attempt from an address, if it has one left.
    pub fn take_address(&mut self, address: &str, now_ms: i64) -> Result<(), PeopleError> {
        self.count(of_address(address), OF_ADDRESS_MAX, now_ms)
    }

    /// An attempt was right: the name begins anew, the address gets it back.
    pub fn succeeded(&mut self, name: &str, address: &str) {
        self.counts.remove(&of_name(name));
        if let Some(count) = self.counts.get_mut(&of_address(address)) {
            count.tries = count.tries.saturating_sub(1);
        }
    }

    fn count(&mut self, key: String, max: u32, now_ms: i64) -> Result<(), PeopleError> {
        if self.counts.len() >= KEPT_MAX {
            self.counts.retain(|_, count| is_open(count, now_ms));
        }
        let new = Count { since_ms: now_ms, tries: 0 };
        let count = self.counts.entry(key).or_insert(new);
        if !is_open(count, now_ms) {
            *count = new;
        }
        if count.tries >= max {
            let left_ms = (count.since_ms + WINDOW_MS - now_ms).max(0).unsigned_abs();
            return Err(PeopleError::TooMany { minutes: left_ms.div_ceil(60_000) });
        }
        count.tries += 1;
        Ok(())
    }
}

fn is_open(count: &Count, now_ms: i64) -> bool {
    now_ms < count.since_ms.saturating_add(WINDOW_MS)
}

/// Names differ in more than case, or not at all; a long one is no name.
fn of_name(name: &str) -> String {
    let short: String = name.chars().take(100).collect();
    format!("name {}", short.to_lowercase())
}

fn of_address(address: &str) -> String {
    format!("address {address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_so_many_attempts_in_a_window_from_wherever() {
        let mut attempts = Attempts::default();
        for i in 0..OF_NAME_MAX {
            attempts.take("Amy", &format!("10.0.0.{i}"), 1000).unwrap();
        }
        let refused = attempts.take("amy", "10.0.1.1", 1000 + WINDOW_MS - 1);
        assert!(matches!(refused, Err(PeopleError::TooMany { minutes: 1 })), "{refused:?}");
        attempts.take("bo", "10.0.1.1", 1000).unwrap();
        attempts.take("amy", "10.0.1.1", 1000 + WINDOW_MS).unwrap();
    }

    #[test]
    fn an_address_has_so_many_attempts_on_whatever_names() {
        let mut attempts = Attempts::default();
        for i in 0..OF_ADDRESS_MAX {
            attempts.take(&format!("n{i}"), "10.0.0.1", 0).unwrap();
        }
        assert!(attempts.take("other", "10.0.0.1", 0).is_err());
        attempts.succeeded("n1", "10.0.0.1");
        attempts.take("other", "10.0.0.1", 0).unwrap();
        assert!(attempts.take_address("10.0.0.1", 0).is_err());
    }

    #[test]
    fn counters_do_not_pile_up() {
        let mut attempts = Attempts::default();
        for i in 0..KEPT_MAX {
            attempts.take_address(&format!("a{i}"), 0).unwrap();
        }
        attempts.take_address("late", WINDOW_MS).unwrap();
        assert_eq!(attempts.counts.len(), 1);
    }
}
