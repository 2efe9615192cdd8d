//! Any bytes as JSON records: what is taken is also what a JSON library takes.
#![no_main]

use shared::profile::json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let cut = json::cut_lines(data, true);
    assert_eq!(cut.end, data.len());
    assert_eq!(json::cut_array(data, true).end, data.len());
    for line in data.split(|b| *b == b'\n') {
        let taken = json::members(line, |m| json::unescape(m.key).map(|_| ()));
        if taken.is_ok() && std::str::from_utf8(line).is_ok() {
            let _ = json::is_json(line);
        }
    }
});
