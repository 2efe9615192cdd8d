//! What earlier loads tell: from the control database to the rates of a target.

use crate::estimate::{Calibration, Past, Shape};
use crate::store::{Observation, Store};

use super::RunError;

/// Past loads of a target that its rates rest on, and as many of other targets.
const PAST_LOADS: u32 = 200;

/// The rates of a target, from its own loads and those of its like.
///
/// # Errors
/// If the control database refuses.
pub async fn calibration(
    store: &Store,
    target: &str,
    shape: &Shape,
) -> Result<Calibration, RunError> {
    Ok(Calibration::learn(target, shape, &past(store, target).await?))
}

/// Earlier loads, newest first.
///
/// # Errors
/// If the control database refuses.
pub async fn past(store: &Store, target: &str) -> Result<Vec<Past>, RunError> {
    let seen = store.observations(target, PAST_LOADS).await?;
    Ok(seen.into_iter().filter_map(past_of).collect())
}

/// A load as the estimate sees it, with the rows that there really were.
fn past_of(o: Observation) -> Option<Past> {
    let foreseen: Shape = serde_json::from_value(o.facts).ok()?;
    let shape = foreseen.with_rows(o.rows);
    Some(Past { target: o.target, choice: o.choice, shape, steps: o.steps, trial: o.trial })
}
