//! Runs that are under way in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use shared::run::Progress;
use tokio::sync::watch;

use super::progress::Tracker;
use crate::load::Cancel;

/// One of them.
#[derive(Debug, Clone)]
pub struct Live {
    /// Its counters.
    pub tracker: Arc<Tracker>,
    /// Its switch.
    pub cancel: Cancel,
    /// Its progress; closed at its end.
    pub progress: watch::Receiver<Progress>,
}

/// All of them.
#[derive(Debug, Default)]
pub struct Lives(Mutex<HashMap<String, Live>>);

impl Lives {
    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<String, Live>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one.
    pub fn insert(&self, run_id: &str, live: Live) {
        self.map().insert(run_id.to_owned(), live);
    }

    /// Removes one that has ended.
    pub fn remove(&self, run_id: &str) {
        self.map().remove(run_id);
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, run_id: &str) -> Option<Live> {
        self.map().get(run_id).cloned()
    }
}
