//! Odd files, by kind: what a look at the first part must find.

use super::*;
use crate::options::ImportOptions;

fn profile(text: &str, options: &ImportOptions) -> Profile {
    sample(text.as_bytes(), true, "file.csv", options).unwrap()
}

fn found(text: &str) -> Profile {
    profile(text, &ImportOptions::default())
}

/// Delimiter, quote and escape, header, then names and types of the columns.
fn check(text: &str, dialect: &str, columns: &str) {
    let found = found(text);
    let d = found.dialect.clone().unwrap();
    let show = |c: Option<char>| c.map(String::from).unwrap_or_default();
    let got = format!(
        "{}{}{}{}",
        d.delimiter,
        show(d.quote),
        show(d.escape),
        if d.header { " header" } else { "" }
    );
    let types: Vec<String> =
        found.columns.iter().map(|c| format!("{} {}", c.name, c.column_type.to_sql())).collect();
    assert_eq!(
        (got.as_str(), types.join(", ").as_str()),
        (dialect, columns),
        "{:?}",
        found.evidence
    );
}

#[test]
fn backslashes_before_closing_quotes_are_data() {
    let text = "firm_id,name,path,remark\n1,\"R\\D AG, Kiel\",\"D:\\new\\\",plain\n\
                2,\"Drei \"\"K\"\"\",\"C:\\temp\\\",\"ends, with\"\n3,\\\\srv\\share,\"\\\",lone\n";
    check(
        text,
        ",\" header",
        "firm_id int, name varchar(32), path varchar(16), remark varchar(16)",
    );
    assert_eq!(found(text).preview[0][2].as_deref(), Some("D:\\new\\"));
}

#[test]
fn escaped_quotes_are_found_where_records_need_them() {
    let text = "id,q\n1,\"say \\\"hi\\\", he\"\n2,\"a \\\"b\\\"\"\n3,\"x, y\"\n";
    check(text, ",\"\\ header", "id int, q varchar(32)");
    assert_eq!(found(text).preview[0][1].as_deref(), Some("say \"hi\", he"));
}

#[test]
fn the_servers_own_export_is_understood() {
    let text = "1\ta\\\tb\t\\N\n2\tc\\\\d\tx\n3\tl1\\\nl2\ty\n";
    let found = found(text);
    let d = found.dialect.unwrap();
    assert_eq!((d.delimiter.as_str(), d.escape, d.header), ("\t", Some('\\'), false));
    assert_eq!(found.preview[0], [Some("1".into()), Some("a\tb".into()), None]);
    assert_eq!(found.preview[2][1].as_deref(), Some("l1\nl2"));
}

#[test]
fn the_servers_own_export_with_quotes_is_told_by_its_null() {
    let text =
        "\"1\",\"C:\\\\dir\",\\N\n\"2\",\"say \\\"hi\\\", he\",\"x\"\n\"3\",\"plain\",\"\"\n";
    let found = found(text);
    assert_eq!(found.dialect.unwrap().escape, Some('\\'));
    assert_eq!(found.preview[0], [Some("1".into()), Some("C:\\dir".into()), None]);
    assert_eq!(found.preview[1][1].as_deref(), Some("say \"hi\", he"));
}

#[test]
fn delimiters_of_several_characters_are_found() {
    check(
        "a||b||c\n1||x|y||2.5\n2||||3.5\n",
        "||\" header",
        "a int, b varchar(16), c decimal(5,1)",
    );
    check("a::b\n1::x\n2::10:30\n", "::\" header", "a int, b varchar(16)");
    check("a~|~b\n1~|~x\n2~|~y\n", "~|~\" header", "a int, b varchar(16)");
    check("a|b|c\n1||2\n3||4\n", "|\" header", "a int, b varchar(255), c int");
}

#[test]
fn delimiters_are_found_by_structure() {
    check("a;b\n1;1,5\n2;2,25\n", ";\" header", "a int, b decimal(6,2)");
    check("a|b,c\n1|x, y\n2|z\n", "|\" header", "a int, b,c varchar(16)");
    check("a\tb\n1\tx y\n", "\t\" header", "a int, b varchar(16)");
    check(
        "1,user1@x.com,Oslo,1.50\n2,user2@x.com,Osaka,2.25\n",
        ",\"",
        "column_1 int, column_2 varchar(16), column_3 varchar(16), column_4 decimal(6,2)",
    );
    check("id\u{1}name\n1\u{1}a,b\n2\u{1}c\n", "\u{1}\" header", "id int, name varchar(16)");
    check("word\nalpha\nbeta, gamma\ndelta\n", "\t\" header", "word varchar(16)");
}

#[test]
fn quotes_that_never_close_are_data() {
    let text = "id\tpart\tw\n1\t\"A\" plate\t3\n2\t5\" bolt\t4\n3\t\"odd\t5\n4\tx\t5\"\n";
    let found = found(text);
    assert_eq!(found.dialect.unwrap().quote, None);
    assert_eq!(found.rows, Some(4));
}

#[test]
fn a_lone_column_is_one_column() {
    let found = found("name\nAnn Lee\nBo Ray\nCy\n");
    assert_eq!(found.columns.len(), 1);
}

#[test]
fn line_ends_are_told() {
    let end = |text: &str| found(text).dialect.unwrap().line_end;
    assert_eq!(end("a,b\n1,2\n"), LineEnd::Lf);
    assert_eq!(end("a,b\r\n1,2\r\n"), LineEnd::Crlf);
    assert_eq!(end("a,b\r1,2\r"), LineEnd::Cr);
    assert_eq!(end("a,b\r\n1,2\n3,4\r\n"), LineEnd::Mixed);
    check("id,z\r\n1,10\r\n2,\r\n", ",\" header", "id int, z int");
    check("id,z\r1,10\r2,20\r", ",\" header", "id int, z int");
}

#[test]
fn lines_before_the_table_are_passed_over() {
    check("sep=;\nts;kwh\n2024-05-01;1.5\n", ";\" header", "ts date, kwh decimal(5,1)");
    let text = "Report of May\n\nmade by hand\nid,name,n\n1,a,5\n2,b,6\n3,c,7\n";
    let found_here = found(text);
    assert_eq!(found_here.dialect.as_ref().unwrap().skip_rows, 3);
    check(text, ",\" header", "id int, name varchar(16), n int");
    let text = "# made by x\n# unit: kWh\nid,n\n1,5\n2,6\n# sum 11\n";
    assert_eq!(found(text).dialect.unwrap().comment.as_deref(), Some("#"));
    assert_eq!(found(text).comment_lines, 3);
}

#[test]
fn a_delimiter_that_closes_records_starts_no_field() {
    let found = profile(
        "1|alpha|\n2|beta|\n4||\n",
        &ImportOptions {
            delimiter: Some("|".into()),
            header: Some(false),
            ..ImportOptions::default()
        },
    );
    assert!(found.dialect.unwrap().trailing_delimiter);
    assert_eq!(found.columns.len(), 2);
    check("a,b,\n1,2,\n3,4,\n", ",\" header", "a int, b int");
    check("a,b,note\n1,2,\n3,4,\n", ",\" header", "a int, b int, note varchar(255)");
}

#[test]
fn blanks_that_hide_quotes_are_trimmed() {
    let text = "id, name, member\n1, \"Fir, Marek\", TRUE\n2, \"Jo \"\"J\"\" Oak\", FALSE\n";
    check(text, ",\" header", "id int, name varchar(16), member tinyint(1)");
    assert!(found(text).dialect.unwrap().trim);
}

#[test]
fn numbers_with_commas_are_told_by_evidence() {
    let text = "nr;betrag;n\n1;1234,56;1.000\n2;\"3.071.250,00\";12\n";
    let found = found(text);
    let d = found.dialect.clone().unwrap();
    assert_eq!((d.decimal, d.thousands), (',', Some('.')));
    assert_eq!(found.columns[1].column_type.to_sql(), "decimal(11,2)");
    assert_eq!(found.columns[2].column_type.to_sql(), "int");
}

#[test]
fn markers_of_null_are_only_taken_where_they_can_mean_nothing_else() {
    let at = |text: &str| found(text).null_markers;
    assert_eq!(at("id,n\n1,NULL\n2,5\n"), ["NULL"]);
    assert!(at("id,w\n1,NULL\n2,word\n").is_empty());
    assert_eq!(at("1\u{1}\\N\n2\u{1}back\\slash\n"), ["\\N"]);
    assert!(at("id,n\n1,n/a\n2,5\n").is_empty());
}

#[test]
fn json_is_told_and_read_by_key() {
    let text =
        "{\"id\": 9007199254740993, \"a\": \"x\"}\n\n{\"a\": null, \"late\": [1], \"id\": 2}\n";
    let found_here = found(text);
    assert_eq!(found_here.format, crate::options::Format::Jsonl);
    let names: Vec<&str> = found_here.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["id", "a", "late"]);
    assert_eq!(found_here.columns[0].column_type.to_sql(), "bigint");
    assert_eq!(found_here.preview[1], [Some("2".into()), None, Some("[1]".into())]);
    assert_eq!((found_here.rows, found_here.empty_lines), (Some(2), 1));
    let exponents = found("{\"n\": 1e2}\n{\"n\": 2.5}\n");
    assert_eq!(exponents.columns[0].column_type.to_sql(), "double");
    let array = "[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n";
    assert_eq!(found(array).format, crate::options::Format::Json);
    assert_eq!(found(array).rows, Some(2));
}

#[test]
fn empty_files_and_bad_options_are_refused() {
    let options = ImportOptions::default();
    let error = sample(b"", true, "zero.csv", &options).unwrap_err();
    assert_eq!(error.code, crate::ErrorCode::EmptyFile);
    assert!(error.message.contains("file is empty"));
    let bad = ImportOptions { quote: Some("ab".into()), ..ImportOptions::default() };
    assert_eq!(sample(b"a\n", true, "f", &bad).unwrap_err().code, crate::ErrorCode::BadOption);
}

#[test]
fn a_header_alone_has_no_rows() {
    let found = found("id,name");
    assert_eq!(found.rows, Some(0));
    assert_eq!(found.columns.len(), 2);
}

#[test]
fn keys_are_suggested_where_proved() {
    assert_eq!(found("id,n\n1,5\n2,5\n").primary_key, ["id"]);
    assert!(found("id,n\n1,5\n1,6\n").primary_key.is_empty());
    assert!(found("n,m\n1.5,5\n2.5,6\n").primary_key.is_empty());
}

#[test]
fn what_is_set_wins() {
    let options = ImportOptions {
        delimiter: Some(",".into()),
        header: Some(false),
        quote: Some(String::new()),
        ..ImportOptions::default()
    };
    let found = profile("a;b\n1;2\n", &options);
    assert_eq!(found.columns.len(), 1);
    assert_eq!(found.rows, Some(2));
    assert!(found.evidence.iter().filter(|e| e.set).count() >= 3);
}

#[test]
fn packed_files_are_named() {
    let found = sample(b"\x1F\x8B\x08rest", false, "a.gz", &ImportOptions::default()).unwrap();
    assert_eq!(found.compression, Compression::Gzip);
    assert!(found.columns.is_empty());
    let found = sample(b"PAR1....", false, "a.parquet", &ImportOptions::default()).unwrap();
    assert_eq!(found.format, crate::options::Format::Parquet);
}
