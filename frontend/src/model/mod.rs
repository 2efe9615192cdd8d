//! Logic without a browser: everything here has plain tests and runs on any machine.

pub mod chips;
pub mod compare;
pub mod form;
pub mod format;
pub mod ladder;
pub mod lanes;
pub mod matching;
pub mod names;
pub mod pages;
pub mod powers;
pub mod query;
pub mod question;
pub mod series;
pub mod shapes;
pub mod trend;
pub mod upload;
