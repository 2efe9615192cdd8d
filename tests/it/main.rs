//! Integration tests.

mod tidy;
