//! The integration tests: one program, real servers, a database per test.

mod crashes;
mod fixtures;
mod http_access;
mod http_assets;
mod http_client;
mod http_errors;
mod http_uploads;
mod runs;
mod tidy;
