//! The integration tests: one program, real servers, a database per test.

// Helpers outside of test functions fail a test by panicking too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crash_suite;
mod crashes;
mod fixtures;
mod http_access;
mod http_assets;
mod http_client;
mod http_docs;
mod http_errors;
mod http_history;
mod http_people;
mod http_rights;
mod http_runs;
mod http_uploads;
mod load_duplicates;
mod load_exactly_once;
mod load_fixture;
mod load_indexes;
mod load_settings;
mod load_strategies;
mod load_tables;
mod load_transfer;
mod reading;
mod runs;
mod strategies;
mod target_facts;
mod team;
mod tidy;
mod trials;
