//! Mapping and conversion through the real reader.

use proptest::prelude::*;
use shared::ImportOptions;
use shared::error::ErrorCode;
use shared::options::{ColumnMapping, Format};
use shared::profile::{Compression, Dialect};
use shared::target::{ColumnFacts, Flavour, TableFacts};

use super::{ConvertError, Converter, Mapping, map_columns};
use crate::domain::{Chunk, EncodedChunk, Wrap};
use crate::source::{Layout, RecordParser};

/// A table from `name type [not null] [default] [auto] [generated]`, one a line.
fn table(columns: &str) -> TableFacts {
    let columns = columns
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(|line| {
            let (name, rest) = line.split_once(' ').expect("name and type");
            let mut sql_type = rest.to_owned();
            let mut flag = |word: &str| {
                let had = sql_type.contains(word);
                sql_type = sql_type.replace(word, "").trim().to_owned();
                had
            };
            let (not_null, has_default) = (flag("not null"), flag("default"));
            let (auto_increment, generated) = (flag("auto"), flag("generated"));
            let charset = flag("utf8mb3").then(|| "utf8mb3".to_owned());
            ColumnFacts {
                name: name.to_owned(),
                sql_type,
                nullable: !not_null,
                has_default,
                auto_increment,
                generated,
                charset,
                collation: None,
            }
        })
        .collect();
    TableFacts {
        database: "d".to_owned(),
        name: "t".to_owned(),
        engine: "InnoDB".to_owned(),
        empty: true,
        columns,
        charset: "utf8mb4".to_owned(),
        ..TableFacts::default()
    }
}

fn layout(columns: &[&str], options: &ImportOptions) -> Layout {
    let mark = |text: &Option<String>| text.as_ref().and_then(|t| t.chars().next());
    Layout {
        format: Format::Csv,
        compression: Compression::None,
        encoding: "UTF-8".to_owned(),
        dialect: Dialect {
            delimiter: ";".to_owned(),
            header: false,
            decimal: mark(&options.decimal).unwrap_or('.'),
            thousands: mark(&options.thousands),
            ..Dialect::default()
        },
        columns: columns.iter().map(|c| (*c).to_owned()).collect(),
        source_columns: columns.iter().map(|c| (*c).to_owned()).collect(),
        null_markers: Vec::new(),
        quoted_null: false,
        date_formats: Vec::new(),
        binary: Vec::new(),
        sheet: None,
        server_zone: None,
    }
}

fn map(table_columns: &str, file: &[&str], options: &ImportOptions) -> Result<Mapping, ErrorCode> {
    let names: Vec<String> = file.iter().map(|n| (*n).to_owned()).collect();
    map_columns(&table(table_columns), &names, options, Flavour::Mariadb)
        .map_err(|e: ConvertError| e.body().code)
}

fn filled(mapping: &Mapping) -> Vec<&str> {
    mapping.columns().iter().map(super::MappedColumn::name).collect()
}

fn convert(
    table_columns: &str,
    file: &[&str],
    options: &ImportOptions,
    rows: &str,
) -> EncodedChunk {
    let mapping = map(table_columns, file, options).expect("mapping");
    let layout = layout(file, options);
    let converter =
        Converter::new(&mapping, &layout, options, Flavour::Mariadb).expect("converter");
    let chunk =
        Chunk { first_row: 1, first_line: 2, data: rows.as_bytes().to_vec(), ..Chunk::default() };
    converter.encode(&mut RecordParser::new(&layout), &chunk, true)
}

fn text(chunk: &EncodedChunk) -> &str {
    std::str::from_utf8(&chunk.data).expect("UTF-8")
}

fn refused(chunk: &EncodedChunk) -> Vec<(u64, u64, Option<&str>, ErrorCode)> {
    chunk.rejects.iter().map(|r| (r.row, r.line, r.column.as_deref(), r.code)).collect()
}

#[test]
fn names_match_and_computed_columns_are_left_out() {
    let none = ImportOptions::default();
    let mapping =
        map("id int not null\nqty int\ntotal int generated", &["ID ", "qty", "total"], &none)
            .expect("maps");
    assert_eq!(filled(&mapping), ["id", "qty"]);
    assert_eq!(mapping.unused().len(), 1);
    let mapping =
        map("id int not null auto\nn int not null default\nv int", &["v"], &none).expect("maps");
    assert_eq!(filled(&mapping), ["v"]);
    assert_eq!(mapping.left_to_server(), ["id", "n"]);
    assert_eq!(map("id int not null\nv int", &["v"], &none).err(), Some(ErrorCode::MissingColumn));
    assert_eq!(map("v int", &["v", "w"], &none).err(), Some(ErrorCode::UnknownColumn));
    assert_eq!(map("v int\nw int", &["v", "V"], &none).err(), Some(ErrorCode::Ambiguous));
    let mapping =
        map("id int\namount int\namount_2 int\nc int", &["id", "amount", "Amount", ""], &none);
    assert_eq!(filled(&mapping.expect("made from the file")).len(), 4);
}

#[test]
fn files_without_header_go_by_position() {
    let options = ImportOptions { header: Some(false), ..ImportOptions::default() };
    let file = ["column_1", "column_2"];
    assert_eq!(filled(&map("a int\nb int", &file, &options).expect("maps")), ["a", "b"]);
    assert_eq!(map("a int\nb int\nc int", &file, &options).err(), Some(ErrorCode::FieldCount));
    assert_eq!(
        filled(&map("a int\ng int generated\nb int", &file, &options).expect("maps")),
        ["a", "b"]
    );
}

#[test]
fn wishes_for_single_columns() {
    let wish = |column: &str| ColumnMapping {
        column: column.to_owned(),
        from: None,
        constant: None,
        transform: None,
        null: None,
        date_format: None,
    };
    let options = ImportOptions {
        columns: vec![
            ColumnMapping { constant: Some("7".to_owned()), ..wish("k") },
            ColumnMapping {
                from: Some("day".to_owned()),
                date_format: Some("%d/%m/%Y".to_owned()),
                ..wish("d")
            },
            ColumnMapping {
                from: Some("name".to_owned()),
                transform: Some("trim | upper".to_owned()),
                ..wish("s")
            },
            ColumnMapping {
                from: Some("n".to_owned()),
                null: Some(vec!["-".to_owned()]),
                ..wish("n")
            },
        ],
        ..ImportOptions::default()
    };
    let chunk = convert(
        "k int not null\nd date\ns varchar(9)\nn int",
        &["day", "name", "n", "rest"],
        &options,
        "04/05/2021; ab ;-;x\n31/12/2022;c;5;y\n",
    );
    assert_eq!(text(&chunk), "7\t2021-05-04\tAB\t\\N\n7\t2022-12-31\tC\t5\n");
    let broken = ImportOptions {
        columns: vec![ColumnMapping { constant: Some("x".to_owned()), ..wish("k") }],
        ..ImportOptions::default()
    };
    let mapping = map("k int", &[], &broken).expect("maps");
    let made = Converter::new(&mapping, &layout(&[], &broken), &broken, Flavour::Mariadb);
    assert_eq!(made.expect_err("no number").body().code, ErrorCode::InvalidValue);
}

#[test]
fn every_refusal_names_row_line_and_column() {
    let chunk = convert(
        "id int unsigned not null\namount int\ntiny tinyint unsigned",
        &["id", "amount", "tiny"],
        &ImportOptions::default(),
        "1;100;255\n-1;200;1\n4;98765432109876543210;1\n5;\"1,234\";1\n6;12abc;1\n7;700;256\n;1;1\n8;;0\n9;1\n",
    );
    assert_eq!(text(&chunk), "1\t100\t255\n8\t\\N\t0\n");
    assert_eq!(
        refused(&chunk),
        [
            (2, 3, Some("id"), ErrorCode::OutOfRange),
            (3, 4, Some("amount"), ErrorCode::OutOfRange),
            (4, 5, Some("amount"), ErrorCode::InvalidValue),
            (5, 6, Some("amount"), ErrorCode::InvalidValue),
            (6, 7, Some("tiny"), ErrorCode::OutOfRange),
            (7, 8, Some("id"), ErrorCode::NullNotAllowed),
            (9, 10, None, ErrorCode::FieldCount),
        ]
    );
    assert_eq!(chunk.rows_read, 9);
    assert_eq!(chunk.raw_record(1), b"8;;0");
    assert_eq!(chunk.rejects[0].raw.as_deref(), Some("-1;200;1"));
}

#[test]
fn null_and_the_empty_text_stay_apart() {
    let options = ImportOptions {
        null: Some(vec![String::new()]),
        quoted_null: Some(false),
        ..ImportOptions::default()
    };
    let rows = "1;;\"\"\n2;\"\";\n3;\" \";\"a\"\n";
    let chunk = convert(
        "id int\nnote varchar(5)\ncode varchar(5)",
        &["id", "note", "code"],
        &options,
        rows,
    );
    assert_eq!(text(&chunk), "1\t\\N\t\n2\t\t\\N\n3\t \ta\n");
}

#[test]
fn wraps_say_what_the_server_must_do() {
    let file = ["b", "h", "g"];
    let options = ImportOptions { hex_columns: vec!["h".to_owned()], ..ImportOptions::default() };
    let columns = "b bit(9)\nh binary(2)\ng point";
    let mapping = map(columns, &file, &options).expect("maps");
    let converter =
        Converter::new(&mapping, &layout(&file, &options), &options, Flavour::Mysql).expect("new");
    let wraps: Vec<Wrap> = converter.wire_columns().iter().map(|w| w.wrap).collect();
    assert_eq!(wraps, [Wrap::Bit, Wrap::Unhex, Wrap::GeometryText]);
    let chunk = convert(columns, &file, &options, "108;0x00ff;POINT(1 2)\n");
    assert_eq!(text(&chunk), "108\t00FF\tPOINT(1 2)\n");
    assert_eq!(map("x xmltype", &["x"], &options).map(drop), Err(ErrorCode::BadOption));
}

proptest! {
    #[test]
    fn values_written_are_the_values_sent(
        rows in prop::collection::vec((any::<i64>(), ".{0,20}", 0_u32..4_000_000_000, any::<bool>()), 1..20),
    ) {
        let mut file = String::new();
        let mut want = Vec::new();
        for (n, s, t, b) in &rows {
            let day = t % 28 + 1;
            let stamp = format!("20{:02}-{:02}-{day:02} {:02}:{:02}:{:02}", t % 100, t % 12 + 1, t % 24, t % 60, t / 7 % 60);
            file.push_str(&format!("{n};\"{}\";{stamp};{b}\n", s.replace('"', "\"\"")));
            want.push((n.to_string(), s.clone(), stamp, if *b { "1" } else { "0" }));
        }
        let chunk = convert(
            "n bigint\ns varchar(20)\nd datetime\nb tinyint(1)",
            &["n", "s", "d", "b"],
            &ImportOptions::default(),
            &file,
        );
        prop_assert!(chunk.rejects.is_empty(), "{:?}", chunk.rejects);
        for (i, (n, s, d, b)) in want.iter().enumerate() {
            let row = chunk.row(i).strip_suffix(b"\n").expect("line feed");
            let fields: Vec<Vec<u8>> = row
                .split(|b| *b == b'\t')
                .map(|f| crate::domain::unescape(f).expect("not NULL").into_owned())
                .collect();
            prop_assert_eq!(&fields, &[n.as_bytes(), s.as_bytes(), d.as_bytes(), b.as_bytes()]);
        }
    }
}

#[test]
fn characters_beyond_the_column_are_refused() {
    let chunk = convert(
        "id int\ntitle varchar(40) utf8mb3",
        &["id", "title"],
        &ImportOptions::default(),
        "1;mountain lake\n2;party 🎉 night\n3;café\n4;𠮷野\n",
    );
    let rows: Vec<u64> = chunk.rejects.iter().map(|r| r.row).collect();
    assert_eq!(rows, [2, 4]);
}

#[test]
fn moments_of_a_place_are_sent_in_utc_and_jumps_of_its_clock_are_told() {
    let options =
        ImportOptions { time_zone: Some("Europe/Berlin".into()), ..ImportOptions::default() };
    let chunk = convert(
        "t timestamp\nd datetime",
        &["t", "d"],
        &options,
        "2024-07-01 12:00:00;2024-07-01 12:00:00\n\
         2024-01-15T12:00:00+05:00;2024-01-15T12:00:00+05:00\n\
         2024-03-31 02:30:00;\n\
         2024-10-27 02:30:00;\n\
         2024-10-27T02:30:00+01:00;2024-03-31 02:30:00\n",
    );
    assert_eq!(
        text(&chunk),
        "2024-07-01 10:00:00\t2024-07-01 12:00:00\n\
         2024-01-15 07:00:00\t2024-01-15 08:00:00\n\
         2024-10-27 01:30:00\t2024-03-31 02:30:00\n"
    );
    let codes: Vec<_> = refused(&chunk).into_iter().map(|(row, .., code)| (row, code)).collect();
    assert_eq!(codes, [(3, ErrorCode::InvalidValue), (4, ErrorCode::Ambiguous)]);
    let layout = layout(&["t"], &options);
    assert_eq!(super::session_zone(&layout, &options).as_deref(), Some("+00:00"));
}

#[test]
fn moments_need_the_servers_zone_where_none_is_set() {
    let none = ImportOptions::default();
    let rows = "2024-01-15T12:00:00Z\n2024-01-15 12:00:00\n";
    let chunk = convert("t timestamp", &["t"], &none, rows);
    assert_eq!(refused(&chunk), [(1, 2, Some("t"), ErrorCode::Ambiguous)]);
    for (server, sent) in [("UTC", "12:00:00"), ("+02:00", "14:00:00")] {
        let layout = layout(&["t"], &none).on_server(server);
        let mapping = map("t timestamp", &["t"], &none).expect("maps");
        let converter = Converter::new(&mapping, &layout, &none, Flavour::Mysql).expect("new");
        let chunk = Chunk { data: rows.as_bytes().to_vec(), ..Chunk::default() };
        let chunk = converter.encode(&mut RecordParser::new(&layout), &chunk, true);
        assert_eq!(text(&chunk), format!("2024-01-15 {sent}\n2024-01-15 12:00:00\n"));
    }
    assert_eq!(layout(&["t"], &none).on_server("EST").server_zone, None);
}
