//! Plimsoll: plans, runs, verifies and remembers imports of files into MySQL and MariaDB.
//!
//! Rooms depend on each other in one direction only:
//! `http, cli → {run, people} → {load, plan, estimate, source, convert, target, store} → domain →
//! shared`.

pub mod cli;
pub mod convert;
pub mod domain;
pub mod estimate;
pub mod http;
pub mod load;
pub mod people;
pub mod plan;
pub mod run;
pub mod source;
pub mod store;
pub mod target;
