//! What outlives a page: the import in hand, the upload, the service's health.

pub mod import;
pub mod live;
pub mod place;
pub mod service;
pub mod uploader;

use leptos::prelude::*;

/// Numbers questions, so that only the answer to the last one counts.
#[derive(Clone, Copy)]
pub struct Latest(StoredValue<u64>);

impl Latest {
    /// No question yet.
    pub fn new() -> Self {
        Self(StoredValue::new(0))
    }

    /// A new question; older ones are void from now on.
    pub fn ask(self) -> u64 {
        self.0
            .try_update_value(|n| {
                *n += 1;
                *n
            })
            .unwrap_or(0)
    }

    /// Whether this question is still the last one.
    pub fn is_last(self, ticket: u64) -> bool {
        self.0.try_get_value() == Some(ticket)
    }
}
