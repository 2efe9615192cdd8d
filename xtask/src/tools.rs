//! The dashboard's tool chain, fetched into the project's own `target/` where it is missing.

pub mod bindgen;
pub mod install;
pub mod trunk;
pub mod wasm_opt;
pub mod wasm_target;
