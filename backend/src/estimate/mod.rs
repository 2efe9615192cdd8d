//! How long a load takes: pure. No clock, no database, no connection.
//!
//! Time per step is a sum of physical terms ([`steps`]: bytes parsed, rows, index entries, pages
//! that are not in the buffer pool, statements, commits, round trips) at shipped rates
//! ([`engine`]), which loads on the same target correct ([`rates`]); an [`Estimate`] is always a
//! range, with what it rests on ([`foretell`]).
//!
//! [`Estimate`]: shared::estimate::Estimate

mod check;
mod disk;
mod engine;
mod foretell;
mod rates;
mod shape;
mod steps;
mod terms;
mod widths;

pub use check::checked;
pub use disk::disk_need;
pub use engine::EngineClass;
pub use foretell::{COVERAGE, Calibration, Past, chance_within};
pub use rates::Rates;
pub use shape::Shape;
pub use steps::steps;
pub use terms::{Part, StepTerms, Term};
pub use widths::entry_width;

#[cfg(test)]
mod tests;
