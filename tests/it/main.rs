//! Integration tests.

mod http_access;
mod http_client;
mod http_errors;
mod tidy;
