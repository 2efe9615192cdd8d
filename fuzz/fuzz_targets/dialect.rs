//! Any bytes as the first part of a file: a profile or an error, never a panic.
#![no_main]

use shared::ImportOptions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let options = ImportOptions::default();
    let _ = shared::profile::sample(data, data.len() % 2 == 0, "fuzz", &options);
});
