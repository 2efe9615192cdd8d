//! Chunks one after another, in the order of the file, however many workers there are.
//!
//! Where a key may be repeated and the order of the rows decides what stays, the end must be as
//! one loader reading in file order would leave it. Workers still read, check and encode side by
//! side; only the writing waits for its turn.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::{Cancel, LoadError};

/// Lets chunk after chunk through.
#[derive(Debug, Default)]
pub struct Turnstile {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Chunks that are already in from an earlier attempt.
    done: BTreeSet<u64>,
}

impl State {
    fn skip_done(&mut self) {
        while self.done.remove(&self.next) {
            self.next += 1;
        }
    }
}

impl Turnstile {
    /// A turnstile that begins with the first chunk that is not in yet.
    #[must_use]
    pub fn new(committed: impl IntoIterator<Item = u64>) -> Self {
        let mut state = State { next: 0, done: committed.into_iter().collect() };
        state.skip_done();
        Self { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Waits for the turn of chunk `index`.
    ///
    /// # Errors
    /// The run was cancelled meanwhile.
    pub async fn wait(&self, index: u64, cancel: &Cancel) -> Result<(), LoadError> {
        loop {
            let mut told = std::pin::pin!(self.changed.notified());
            told.as_mut().enable();
            if self.next() >= index {
                return cancel.check();
            }
            tokio::select! {
                () = told => {}
                () = cancel.wait() => return Err(LoadError::Cancelled),
            }
        }
    }

    /// Chunk `index` is in.
    pub fn done(&self, index: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.done.insert(index);
        state.skip_done();
        drop(state);
        self.changed.notify_waiters();
    }

    fn next(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn chunks_pass_in_order_and_those_that_are_in_are_passed_over() {
        let gate = Arc::new(Turnstile::new([0, 2]));
        let passed = Arc::new(Mutex::new(Vec::new()));
        let workers: Vec<_> = [4, 3, 1]
            .map(|index| {
                let (gate, passed) = (Arc::clone(&gate), Arc::clone(&passed));
                tokio::spawn(async move {
                    gate.wait(index, &Cancel::new()).await.expect("its turn");
                    passed.lock().expect("no panic").push(index);
                    gate.done(index);
                })
            })
            .into();
        for worker in workers {
            worker.await.expect("a worker");
        }
        assert_eq!(*passed.lock().expect("no panic"), [1, 3, 4]);
    }

    #[tokio::test]
    async fn a_cancelled_run_waits_for_nobody() {
        let (gate, cancel) = (Turnstile::default(), Cancel::new());
        let waiting = gate.wait(7, &cancel);
        cancel.set();
        assert!(matches!(waiting.await, Err(LoadError::Cancelled)));
    }
}
