//! Any bytes into columns of numbers: what is taken is taken again as it was written.
#![no_main]

mod column;

use std::sync::OnceLock;

use column::Column;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    static COLUMNS: OnceLock<Vec<Column>> = OnceLock::new();
    let columns = COLUMNS.get_or_init(|| {
        ["tinyint(1)", "int", "bigint unsigned", "decimal(30,6)", "float", "double", "bit(13)"]
            .map(|sql_type| Column::new(sql_type, None, None))
            .into()
    });
    for column in columns {
        column.check(data);
    }
});
