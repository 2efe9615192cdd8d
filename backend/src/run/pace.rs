//! Keeping a pass over a file under a rate.

use std::time::{Duration, Instant};

use crate::load::Cancel;

/// The longest sleep: a cancelled run is not kept waiting.
const NAP: Duration = Duration::from_millis(100);

/// Says when the next bytes may go on.
#[derive(Debug)]
pub(super) struct Pace {
    bytes_per_sec: u64,
    begun: Instant,
    bytes: u64,
}

impl Pace {
    /// At most `bytes_per_sec` from now on.
    pub(super) fn new(bytes_per_sec: u64) -> Self {
        Self { bytes_per_sec: bytes_per_sec.max(1), begun: Instant::now(), bytes: 0 }
    }

    /// Counts `bytes` that have been read, and waits until they may go on.
    pub(super) fn wait(&mut self, bytes: u64, cancel: &Cancel) {
        self.bytes += bytes;
        while let Some(rest) = self.rest(self.begun.elapsed()) {
            if cancel.is_set() {
                return;
            }
            std::thread::sleep(rest.min(NAP));
        }
    }

    /// What is still to be waited for when `elapsed` has passed.
    fn rest(&self, elapsed: Duration) -> Option<Duration> {
        let due = Duration::from_secs_f64(self.bytes as f64 / self.bytes_per_sec as f64);
        due.checked_sub(elapsed).filter(|rest| !rest.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_wait_until_the_rate_allows_them() {
        let pace = |bytes| Pace { bytes_per_sec: 1_000, begun: Instant::now(), bytes };
        let secs = Duration::from_secs;
        assert_eq!(pace(0).rest(secs(0)), None);
        assert_eq!(pace(5_000).rest(secs(0)), Some(secs(5)));
        assert_eq!(pace(5_000).rest(secs(3)), Some(secs(2)));
        assert_eq!(pace(5_000).rest(secs(5)), None);
        // What was slow for a while may catch up: the rate is that of the whole pass.
        assert_eq!(pace(6_000).rest(secs(8)), None);
    }

    #[test]
    fn a_cancelled_run_is_not_kept_waiting() {
        let cancel = Cancel::new();
        cancel.set();
        Pace::new(1).wait(1 << 40, &cancel);
    }
}
