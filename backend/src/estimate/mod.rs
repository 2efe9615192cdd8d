//! How long a load takes: pure. No clock, no database, no connection.
//!
//! Time per step comes from a few physical terms (rows, bytes, index entries, order against the
//! buffer pool, writers) with shipped rates, corrected by what earlier runs on the same target
//! really took. The correction is the median of the logarithms of actual over foretold, so that
//! one odd run does not spoil it, and its spread gives the range.

mod fit;
mod prior;
mod shape;

pub use fit::{COVERAGE, Past, estimate};
pub use prior::step_ms;
pub use shape::Shape;

#[cfg(test)]
mod tests;
