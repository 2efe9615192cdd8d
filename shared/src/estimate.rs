//! How long a load will take: always a range, always with its basis.

use serde::{Deserialize, Serialize};

use crate::run::RunStep;

/// The time of one step, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepEstimate {
    /// The step.
    pub step: RunStep,
    /// Lower end of the range.
    pub low_ms: u64,
    /// Expected.
    pub expected_ms: u64,
    /// Upper end of the range.
    pub high_ms: u64,
}

/// The time of a whole load, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Lower end of the range.
    pub low_ms: u64,
    /// Expected.
    pub expected_ms: u64,
    /// Upper end of the range.
    pub high_ms: u64,
    /// Share of loads that the range is meant to hold, 0 to 1.
    pub coverage: f64,
    /// In words, what it rests on: "from 14 runs on this server".
    pub basis: String,
    /// The same per step.
    #[serde(default)]
    pub steps: Vec<StepEstimate>,
}
