//! Any bytes as a value: dates and numbers included.
#![no_main]

use shared::profile::value::shape;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = shape(data, b'.');
    let _ = shape(data, b',');
});
