//! How long it will take. Pure.
