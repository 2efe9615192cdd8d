//! Reading as the rooms above see it: files on disk to records.

use std::io::Write;
use std::path::PathBuf;

use shared::{ErrorCode, ImportOptions};

use super::{ChunkReader, Layout, RecordParser, SourceError, fingerprint, profile};

struct Files {
    dir: tempfile::TempDir,
    paths: Vec<PathBuf>,
}

fn write(files: &[(&str, &[u8])]) -> Files {
    let dir = tempfile::tempdir().unwrap();
    let paths = files
        .iter()
        .map(|(name, bytes)| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    Files { dir, paths }
}

/// Every record: row, line, then its fields between bars with `~` for NULL, or what is wrong.
fn read_files(
    files: &Files,
    options: &ImportOptions,
    chunk_bytes: u64,
) -> Result<Vec<String>, SourceError> {
    let found = profile(&files.paths, options, false, &|_| {})?;
    let layout = Layout::from_profile(&found, options);
    let mut reader = ChunkReader::open(&files.paths, &layout, chunk_bytes)?;
    let mut parser = RecordParser::new(&layout);
    let mut out = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        parser.parse(&chunk, |r| {
            let text = match &r.fields {
                Ok(fields) => fields
                    .iter()
                    .map(|f| match f.is_null {
                        true => "~".into(),
                        false => String::from_utf8_lossy(f.bytes).into_owned(),
                    })
                    .collect::<Vec<_>>()
                    .join("|"),
                Err(fault) => {
                    format!("! {}: {}", fault.column.clone().unwrap_or_default(), fault.message)
                }
            };
            out.push(format!("{}@{} {text}", r.row, r.line));
        });
    }
    Ok(out)
}

fn read(files: &[(&str, &[u8])], options: &ImportOptions) -> Result<Vec<String>, SourceError> {
    let files = write(files);
    let expect = read_files(&files, options, 1 << 20)?;
    for chunk_bytes in [1, 2, 3, 5, 8, 13, 64] {
        assert_eq!(read_files(&files, options, chunk_bytes)?, expect, "chunks of {chunk_bytes}");
    }
    Ok(expect)
}

fn plain(data: &[u8]) -> Vec<String> {
    read(&[("file.csv", data)], &ImportOptions::default()).unwrap()
}

fn options(json: &str) -> ImportOptions {
    serde_json::from_str(json).unwrap()
}

#[test]
fn plain_csv_is_read_whatever_the_chunks() {
    let rows = plain(b"id,name\r\n1,\"a\n\"\"b\"\"\"\n\n2,c\r\n3,d");
    assert_eq!(rows, ["1@2 1|a\n\"b\"", "2@5 2|c", "3@6 3|d"]);
}

#[test]
fn records_that_look_like_others_inside_quotes_are_not_cut() {
    let rows = plain(b"id,note,n\n1,\"x\n2,\"\"fake\"\",9\nend\",5\n3,plain,6\n");
    assert_eq!(rows, ["1@2 1|x\n2,\"fake\",9\nend|5", "2@5 3|plain|6"]);
}

#[test]
fn malformed_records_are_named_and_never_taken() {
    let rows = plain(b"nr,ort,plz\n1,Aue,08280\n2,Brand\n3,\"D, V\",1,x\n4,\"a\"b,3\n5,E,2\n\n\n");
    assert_eq!(
        rows,
        [
            "1@2 1|Aue|08280",
            "2@3 ! : 2 fields, 3 expected",
            "3@4 ! : 4 fields, 3 expected",
            "4@5 ! ort: text stands after a closing quote; quotes inside a quoted field must be doubled",
            "5@6 5|E|2",
        ]
    );
    let rows = plain(b"a,b\n1,x\n2,\"y\n3,z\n");
    assert_eq!(rows[1], "2@3 ! b: a quote opens here and never closes before the end of the file");
}

#[test]
fn a_stray_byte_is_named_by_row_line_and_column() {
    let mut data = b"id,address\n".to_vec();
    for i in 1..=60 {
        match i {
            50 => data.extend(b"50,T\xFCr\n"),
            _ => data.extend(format!("{i},Málaga straße\n").bytes()),
        }
    }
    let rows = plain(&data);
    assert_eq!(rows[49], "50@51 ! address: byte 0xFC is not valid UTF-8");
    assert_eq!(rows.iter().filter(|r| r.contains('!')).count(), 1);
}

#[test]
fn line_ends_of_every_kind_are_read() {
    assert_eq!(plain(b"a,b\r1,x\r2,y\r"), ["1@2 1|x", "2@3 2|y"]);
    assert_eq!(plain(b"a,b\r\n1,x\n2,y\r\n3,z"), ["1@2 1|x", "2@3 2|y", "3@4 3|z"]);
    assert_eq!(plain(b"a,b\n1,x\ry\n2,z\n"), ["1@2 1|x\ry", "2@3 2|z"]);
}

#[test]
fn marks_at_the_start_of_a_file_are_no_data() {
    let rows = plain("\u{feff}\"lot\",\"label\"\n1,\"zero\u{feff}width\"\n".as_bytes());
    assert_eq!(rows, ["1@2 1|zero\u{feff}width"]);
}

#[test]
fn other_encodings_become_utf8() {
    let cp = options(r#"{"encoding": "cp1252", "delimiter": "|"}"#);
    let rows = read(&[("a", b"id|price\n1|\x80 4\n2|\x93x\x94\n")], &cp).unwrap();
    assert_eq!(rows, ["1@2 1|€ 4", "2@3 2|“x”"]);
    let wide: Vec<u8> = "id,n\n1,ä\n2,ü\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(plain(&wide), ["1@2 1|ä", "2@3 2|ü"]);
    let sjis = options(r#"{"encoding": "Shift_JIS"}"#);
    let rows = read(&[("a", b"id,t\n1,\x82\xA0\n2,\x82\n")], &sjis).unwrap();
    assert_eq!(rows, ["1@2 1|あ", "2@3 ! t: byte 0x82 is not valid Shift_JIS"]);
}

#[test]
fn preambles_comments_and_odd_delimiters_are_followed() {
    let set = options(r##"{"delimiter": ";", "skip_rows": 1, "comment": "#"}"##);
    let rows =
        read(&[("m.csv", b"sep=;\n# made by\nts;r\n1;\"# no\"\n# mid\n2;ok\n# sum\n")], &set);
    assert_eq!(rows.unwrap(), ["1@4 1|# no", "2@6 2|ok"]);
    let bars = options(r#"{"delimiter": "|", "header": false}"#);
    let rows = read(&[("n.tbl", b"1|alpha|\n4||\n5|eps|\n")], &bars).unwrap();
    assert_eq!(rows, ["1@1 1|alpha", "2@2 4|", "3@3 5|eps"]);
    let hive = options(r#"{"delimiter": "\u0001", "quote": "", "escape": "", "header": false}"#);
    let rows = read(&[("h", b"1\x01\"q\x01a,b\n2\x01\\N\x01b\\s\n")], &hive).unwrap();
    assert_eq!(rows, ["1@1 1|\"q|a,b", "2@2 2|\\N|b\\s"]);
    let long = options(r#"{"delimiter": "||"}"#);
    let rows = read(&[("l", b"a||b\n1||\"x||y\"\n2||z|w\n")], &long).unwrap();
    assert_eq!(rows, ["1@2 1|x||y", "2@3 2|z|w"]);
    let trim = options(r#"{"trim": true}"#);
    let rows = read(&[("t", b"id, name\n1, \"Fir, M\" \n2,  Elm \n")], &trim).unwrap();
    assert_eq!(rows, ["1@2 1|Fir, M", "2@3 2|Elm"]);
}

#[test]
fn the_servers_own_export_is_read() {
    let rows = plain(b"1\ta\\\tb\t\\N\n2\tc\\\\d\tx\n3\tl1\\\nl2\t\\0y\n");
    assert_eq!(rows, ["1@1 1|a\tb|~", "2@2 2|c\\d|x", "3@3 3|l1\nl2|\0y"]);
}

#[test]
fn packed_files_are_unpacked_to_their_last_member() {
    let gz = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let expect = ["1@2 1|ash", "2@3 2|birch\nsilver", "3@5 3|elm"];
    let halves: [&[u8]; 2] = [b"id,n\n1,ash\n2,\"bir", b"ch\nsilver\"\n3,elm\n"];
    let gzip = [gz(halves[0]), gz(halves[1])].concat();
    assert_eq!(plain(&gzip), expect);
    let zstd = halves.map(|h| zstd::encode_all(h, 1).unwrap()).concat();
    assert_eq!(plain(&zstd), expect);
    let xz = halves.map(|h| {
        let mut out = liblzma::write::XzEncoder::new(Vec::new(), 1);
        out.write_all(h).unwrap();
        out.finish().unwrap()
    });
    assert_eq!(plain(&xz.concat()), expect);
    let bz = halves.map(|h| {
        let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        out.write_all(h).unwrap();
        out.finish().unwrap()
    });
    assert_eq!(plain(&bz.concat()), expect);
    let error = read(&[("cut.gz", &gzip[..gzip.len() - 5])], &ImportOptions::default());
    assert_eq!(error.unwrap_err().body().code, ErrorCode::DamagedFile);
}

#[test]
fn every_member_of_an_archive_is_read() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let set = zip::write::SimpleFileOptions::default();
    for (name, text) in [("b.csv", "id,n\n3,c\n"), ("a.csv", "id,n\n1,a\n2,b\n")] {
        zip.start_file(name, set).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    assert_eq!(plain(&bytes), ["1@2 1|a", "2@3 2|b", "3@2 3|c"]);
}

#[test]
fn files_of_one_shape_are_one_import() {
    let none = ImportOptions::default();
    let rows = read(&[("1.csv", b"id,n\n1,a"), ("2.csv", b"id,n\n2,b\n")], &none).unwrap();
    assert_eq!(rows, ["1@2 1|a", "2@2 2|b"]);
    let error = read(&[("1.csv", b"id,n\n1,a\n"), ("2.csv", b"id,m\n2,b\n")], &none).unwrap_err();
    assert_eq!(error.body().code, ErrorCode::UnknownColumn);
}

#[test]
fn json_values_go_by_key() {
    let data = "{\"id\": 9007199254740993, \"name\": \"a\\u00e9\\ud83d\\ude00\", \"score\": 1.50, \
                \"ok\": true, \"meta\": {\"a\": [1, 2]}}\n{\"name\": null, \"id\": 2}\n\n\
                {\"extra\": \"late \\\"x\\\"\", \"id\": 3}\n{\"id\": 4,}\n";
    let rows = plain(data.as_bytes());
    assert_eq!(rows[0], "1@1 9007199254740993|aé😀|1.50|true|{\"a\": [1, 2]}|~");
    assert_eq!(rows[1], "2@2 2|~|~|~|~|~");
    assert_eq!(rows[2], "3@4 3|~|~|~|~|late \"x\"");
    assert!(rows[3].starts_with("4@5 !"), "{}", rows[3]);
    let rows = plain(b"[\n {\"a\": 1, \"b\": \"x\"},\n {\"b\": \"]\",\n  \"a\": 2}\n]\n");
    assert_eq!(rows, ["1@2 1|x", "2@3 2|]"]);
    assert_eq!(plain(b"{\n \"a\": 1,\n \"b\": [2]\n}\n"), ["1@1 1|[2]"]);
    for cut in [&b"[{\"a\": 1}, {\"a\": 2}"[..], b"[{\"a\": 1},\n"] {
        let error = read(&[("cut.json", cut)], &ImportOptions::default());
        assert_eq!(error.unwrap_err().body().code, ErrorCode::DamagedFile);
    }
    let error = read(&[("cut.json", b"[{\"a\": 1}, {\"a\": 2")], &ImportOptions::default());
    assert_eq!(error.unwrap_err().body().code, ErrorCode::DamagedFile);
}

#[test]
fn a_header_alone_gives_no_rows_and_no_bytes_an_error() {
    assert!(plain(b"id,name").is_empty());
    let error = read(&[("zero.csv", b"")], &ImportOptions::default()).unwrap_err().body();
    assert_eq!(error.code, ErrorCode::EmptyFile);
    assert!(error.message.contains("file is empty"));
    let missing =
        profile(&[PathBuf::from("/no/such/file")], &ImportOptions::default(), false, &|_| {});
    assert_eq!(missing.unwrap_err().body().code, ErrorCode::NotFound);
}

#[test]
fn binary_columns_keep_their_bytes() {
    let set = options(r#"{"binary_columns": ["b"]}"#);
    let rows = read(&[("b.csv", b"id,b\n1,\xFF\xFE\n2,x\n")], &set).unwrap();
    assert_eq!(rows.len(), 2);
    assert!(!rows[0].contains('!'));
}

#[test]
fn a_full_pass_sees_what_a_sample_misses() {
    let mut text = "id,ver,seen\n".to_owned();
    for i in 1..=90_000 {
        let ver = if i <= 80_000 { "7.4" } else { "7.4.2" };
        let seen = if i == 90_000 { "n/a" } else { "2024-01-02" };
        text.push_str(&format!("{i},{ver},{seen}\n"));
    }
    let files = write(&[("hr.csv", text.as_bytes())]);
    let none = ImportOptions::default();
    let sample = profile(&files.paths, &none, false, &|_| {}).unwrap();
    assert!(!sample.whole);
    assert_eq!(sample.columns[1].column_type.to_sql(), "decimal(5,1)");
    let whole = profile(&files.paths, &none, true, &|_| {}).unwrap();
    let types: Vec<String> = whole.columns.iter().map(|c| c.column_type.to_sql()).collect();
    assert_eq!(types, ["int", "varchar(16)", "varchar(16)"]);
    assert_eq!((whole.rows, whole.whole), (Some(90_000), true));
    let id = &whole.columns[0];
    assert!(id.unique && id.ascending && !id.nullable);
    assert_eq!((id.min.as_deref(), id.max.as_deref()), (Some("1"), Some("90000")));
    assert!(id.distinct_estimate.unwrap().abs_diff(90_000) < 7_000);
    assert_eq!(whole.primary_key, ["id"]);
}

#[test]
fn a_full_pass_proves_or_disproves_keys_in_any_order() {
    let mut text = "id,mail\n".to_owned();
    for i in 0..100_000_u64 {
        let id = (i * 7919) % 100_003;
        text.push_str(&format!("{id},user{id}@example.com\n"));
    }
    let files = write(&[("k.csv", text.as_bytes())]);
    let none = ImportOptions::default();
    let whole = profile(&files.paths, &none, true, &|_| {}).unwrap();
    assert!(whole.columns[0].unique && !whole.columns[0].ascending && whole.columns[1].unique);
    text.push_str("7919,again\n");
    let files = write(&[("k.csv", text.as_bytes())]);
    let whole = profile(&files.paths, &none, true, &|_| {}).unwrap();
    assert!(!whole.columns[0].unique && whole.columns[1].unique);
    assert!(whole.primary_key.is_empty());
}

#[test]
fn fingerprints_tell_contents_apart() {
    let a = write(&[("a", b"1,2\n")]);
    let b = write(&[("a", b"1,3\n")]);
    assert_eq!(fingerprint(&a.paths).unwrap(), fingerprint(&a.paths).unwrap());
    assert_ne!(fingerprint(&a.paths).unwrap(), fingerprint(&b.paths).unwrap());
    assert!(a.dir.path().exists());
}
