//! Stopping a run from outside, within a moment.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::LoadError;
use crate::target::{self, TargetSpec};

/// Shared by everything that works for one run. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    set: AtomicBool,
    changed: Notify,
    /// Connections that may be in the middle of a long statement.
    connections: Mutex<BTreeSet<u32>>,
}

impl Cancel {
    /// A switch that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the run is to stop.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::Acquire)
    }

    /// Sets the switch without telling the server: what waits wakes up, what sends rows ends early.
    pub fn set(&self) {
        self.0.set.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }

    /// Sets the switch and kills what the run's connections are doing on the server.
    ///
    /// Safe to call again and again until the run has ended: a statement that begins between the
    /// switch and the kill is killed by the next call.
    pub async fn cancel(&self, target: &TargetSpec) {
        self.set();
        for id in self.connections() {
            // A connection that is gone needs no kill.
            let _ = target::kill_query(target, id).await;
        }
    }

    /// An error once the run is to stop.
    ///
    /// # Errors
    /// [`LoadError::Cancelled`].
    pub fn check(&self) -> Result<(), LoadError> {
        if self.is_set() { Err(LoadError::Cancelled) } else { Ok(()) }
    }

    /// Waits until the run is to stop.
    pub async fn wait(&self) {
        loop {
            let mut told = std::pin::pin!(self.0.changed.notified());
            told.as_mut().enable();
            if self.is_set() {
                return;
            }
            told.await;
        }
    }

    /// Connections that belong to the run.
    #[must_use]
    pub fn connections(&self) -> Vec<u32> {
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// Remembers a connection for [`Cancel::cancel`].
    pub fn register(&self, connection: u32) {
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).insert(connection);
    }

    /// Forgets a connection: its number may be given to somebody else.
    pub fn forget(&self, connection: u32) {
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).remove(&connection);
    }
}
