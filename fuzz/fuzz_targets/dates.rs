//! Any bytes into columns of dates and times: what is taken is taken again as it was written.
#![no_main]

mod column;

use std::sync::OnceLock;

use column::Column;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    static COLUMNS: OnceLock<Vec<Column>> = OnceLock::new();
    let columns = COLUMNS.get_or_init(|| {
        let zones = [None, Some("Europe/Berlin"), Some("-07:30")];
        let formats = [None, Some("%d/%m/%Y %H:%M"), Some("%b %d, %Y %I:%M:%S %p")];
        let types = ["date", "datetime", "datetime(6)", "timestamp(3)", "time(6)", "year"];
        let mut all = Vec::new();
        for sql_type in types {
            for zone in zones {
                all.extend(formats.map(|format| Column::new(sql_type, zone, format)));
            }
        }
        all
    });
    for column in columns {
        column.check(data);
    }
});
