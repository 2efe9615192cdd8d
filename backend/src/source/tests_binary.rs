//! Parquet and spreadsheets that other programs wrote.

use std::path::{Path, PathBuf};

use shared::ImportOptions;

use super::{ChunkReader, Layout, RecordParser, profile};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/files").join(name)
}

/// Columns with their types; then the records, fields between bars and `~` for NULL.
fn read(name: &str, options: &ImportOptions) -> (Vec<String>, Vec<String>) {
    let paths = [fixture(name)];
    let found = profile(&paths, options, true, &|_| {}).unwrap();
    let columns =
        found.columns.iter().map(|c| format!("{} {}", c.name, c.column_type.to_sql())).collect();
    let layout = Layout::from_profile(&found, options);
    let mut reader = ChunkReader::open(&paths, &layout, 64).unwrap();
    let mut parser = RecordParser::new(&layout);
    let mut rows = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        parser.parse(&chunk, |r| {
            let fields = r.fields.map(|fields| {
                let text = |f: super::Field<'_>| match f.is_null {
                    true => "~".to_owned(),
                    false => f.bytes.escape_ascii().to_string(),
                };
                fields.iter().map(text).collect::<Vec<_>>().join("|")
            });
            rows.push(fields.unwrap_or_else(|fault| fault.message));
        });
    }
    (columns, rows)
}

fn column(read: &(Vec<String>, Vec<String>), name: &str) -> (String, Vec<String>) {
    let at = read.0.iter().position(|c| c.split(' ').next() == Some(name)).unwrap();
    let values = read.1.iter().map(|r| r.split('|').nth(at).unwrap().to_owned());
    (read.0[at].clone(), values.collect())
}

#[test]
fn every_type_of_parquet_is_read_exactly() {
    let read = read("types.parquet", &ImportOptions::default());
    let mut wrong = Vec::new();
    let mut check = |name: &str, sql: &str, values: [&str; 3]| {
        let got = column(&read, name);
        if got != (format!("{name} {sql}"), values.map(str::to_owned).to_vec()) {
            wrong.push(got);
        }
    };
    check("u64", "decimal(22,0)", ["18446744073709551615", "0", "~"]);
    check("f", "varchar(16)", ["1.5", "NaN", "-0.1"]);
    check("d", "double", ["0.1", "1.0e300", "~"]);
    check("dec", "decimal(28,6)", ["12345678901234567890.123456", "-0.000001", "~"]);
    check("s", "varchar(16)", ["tab\\there", "nl\\nx\\\\y \\\"q\\\"", "~"]);
    check("b", "varbinary(255)", ["\\x00\\xff\\x10", "abc", "~"]);
    check("dt", "date", ["2024-02-29", "1969-12-31", "~"]);
    check("ts_ns", "varchar(64)", ["2024-03-01 00:00:00.123456789", "1970-01-01 00:00:00", "~"]);
    check("ts_us", "datetime(6)", ["2024-03-01 00:00:00.123456", "1970-01-01 00:00:00", "~"]);
    check("ts_tz", "datetime(6)", ["2024-03-01 00:00:00.123456Z", "1970-01-01 00:00:00Z", "~"]);
    check("tm_us", "time(6)", ["01:01:01.000001", "00:00:00", "~"]);
    check("tm_ns", "varchar(32)", ["01:01:01.000000001", "00:00:00", "~"]);
    check("ok", "tinyint(1)", ["true", "false", "~"]);
    check("list", "json", ["[1,2]", "[]", "~"]);
    check("dict", "varchar(16)", ["x", "y", "~"]);
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn old_moments_of_parquet_keep_their_fractions() {
    let read = read("int96.parquet", &ImportOptions::default());
    let (_, values) = column(&read, "ts_us");
    assert_eq!(values, ["2024-03-01 00:00:00.123456", "1970-01-01 00:00:00", "~"]);
    let (_, values) = column(&read, "ts_ns");
    assert_eq!(values[0], "2024-03-01 00:00:00.123456789");
}

#[test]
fn sheets_of_other_programs_are_read() {
    let read_sheet = |name| read(name, &ImportOptions::default());
    let excel = read_sheet("book.xlsx");
    assert_eq!(excel.1[0], "1|Ann|12.5|2024-03-05 10:15:30|2024-03-05|10:15:30|true|007|~");
    assert_eq!(column(&excel, "code").0, "code varchar(16)");
    assert_eq!(column(&excel, "id").0, "id bigint");
    let ods = read_sheet("sheet.ods");
    assert_eq!(ods.1[0], "1|Ann|2024-03-05T10:15:30|2024-03-05|10:15:30|true|12.5");
    assert_eq!(column(&ods, "time").0, "time time");
    let titles = read_sheet("titles.xlsx");
    assert_eq!(titles.0, ["id int", "n int"]);
    assert_eq!((titles.1.len(), titles.1[4].as_str()), (5, "5|50"));
    let second: ImportOptions = serde_json::from_str(r#"{"sheet": "Second"}"#).unwrap();
    assert_eq!(read("book.xlsx", &second).1, ["1|2"]);
}
