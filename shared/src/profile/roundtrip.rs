//! Properties: whatever is written by a dialect is read back by it, and borders never matter.

use proptest::prelude::*;

use super::grammar::{Grammar, Spans};
use super::{Dialect, LineEnd};

type Table = Vec<Vec<Vec<u8>>>;

/// Writes a table. What the dialect cannot express has been kept out of the table.
fn write(table: &Table, d: &Dialect, seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut state = seed | 1;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % n
    };
    let ends: &[&[u8]] = match d.line_end {
        LineEnd::Lf => &[b"\n"],
        LineEnd::Crlf => &[b"\r\n"],
        LineEnd::Cr => &[b"\r"],
        LineEnd::Mixed => &[b"\n", b"\r\n"],
        LineEnd::Any => &[b"\n", b"\r\n", b"\r"],
    };
    for row in table {
        if random(6) == 0 {
            out.extend(ends[random(ends.len() as u64) as usize]);
        }
        if let Some(comment) = &d.comment
            && random(6) == 0
        {
            out.extend(comment.as_bytes());
            out.extend(b" \"not, data");
            out.extend(ends[random(ends.len() as u64) as usize]);
        }
        for (i, value) in row.iter().enumerate() {
            if i > 0 {
                out.extend(d.delimiter.as_bytes());
            }
            field(value, d, i == 0, row.len() == 1, random(3) == 0, &mut out);
        }
        if d.trailing_delimiter {
            out.extend(d.delimiter.as_bytes());
        }
        out.extend(ends[random(ends.len() as u64) as usize]);
    }
    out
}

fn field(value: &[u8], d: &Dialect, first: bool, alone: bool, eager: bool, out: &mut Vec<u8>) {
    let special = |b: u8| {
        matches!(b, b'\n' | b'\r' | b' ' | b'\t' | b'\\' | b'#')
            || d.delimiter.as_bytes().contains(&b)
            || d.quote == Some(char::from(b))
            || d.escape == Some(char::from(b))
    };
    let needs = value.iter().any(|b| special(*b)) || (value.is_empty() && (alone || first));
    match (d.quote, d.escape) {
        (Some(quote), escape) if needs || eager => {
            out.push(quote as u8);
            for b in value {
                if *b == quote as u8 || escape == Some(char::from(*b)) {
                    out.push(escape.unwrap_or(quote) as u8);
                }
                out.push(*b);
            }
            out.push(quote as u8);
        }
        (None, Some(escape)) => {
            for b in value {
                if special(*b) {
                    out.push(escape as u8);
                }
                match (*b, escape) {
                    (b'\n', '\\') => out.push(b'n'),
                    (b'\r', '\\') => out.push(b'r'),
                    _ => out.push(*b),
                }
            }
        }
        _ => out.extend(value),
    }
}

fn read(text: &[u8], grammar: &Grammar) -> Table {
    let mut table = Vec::new();
    let mut spans = Spans::default();
    let mut at = 0;
    while at < text.len() {
        if let Some((_, next, _)) = grammar.no_record(text, at) {
            at = next;
            continue;
        }
        let split = grammar.split(text, at, &mut spans);
        assert_eq!(split.fault, None);
        let row = (0..spans.spans.len()).map(|i| spans.bytes(text, i).unwrap().to_vec());
        table.push(row.collect());
        at = split.next;
    }
    table
}

/// Cuts the text again and again at about `size` bytes, as a reader would.
fn stretches(text: &[u8], grammar: &Grammar, size: usize) -> (Vec<(usize, usize)>, u64, u64) {
    let (mut cuts, mut records, mut lines) = (Vec::new(), 0, 0);
    let (mut start, mut wanted) = (0, size);
    while start < text.len() {
        let end = (start + wanted).min(text.len());
        let cut = grammar.cut(&text[start..end], end == text.len());
        if cut.end == 0 {
            assert!(end < text.len());
            wanted *= 2;
            continue;
        }
        cuts.push((start, start + cut.end));
        records += cut.records;
        lines += cut.lines;
        start += cut.end;
        wanted = size;
    }
    (cuts, records, lines)
}

fn dialects() -> impl Strategy<Value = Dialect> {
    let delimiters = prop::sample::select(vec![",", "\t", ";", "|", "\u{1}", "||", ",;", "ab"]);
    let quotes = prop::sample::select(vec![Some('"'), Some('\''), None]);
    let escapes = prop::sample::select(vec![None, Some('\\'), Some('^')]);
    let ends = prop::sample::select(vec![
        LineEnd::Lf,
        LineEnd::Crlf,
        LineEnd::Cr,
        LineEnd::Mixed,
        LineEnd::Any,
    ]);
    let comments = prop::sample::select(vec![None, Some("#".to_owned())]);
    (delimiters, quotes, escapes, ends, comments, any::<bool>(), any::<bool>()).prop_map(
        |(delimiter, quote, escape, line_end, comment, trim, trailing_delimiter)| Dialect {
            delimiter: delimiter.to_owned(),
            quote,
            escape,
            line_end,
            comment,
            trim: trim && quote.is_some(),
            trailing_delimiter,
            header: false,
            ..Dialect::default()
        },
    )
}

fn tables() -> impl Strategy<Value = Table> {
    let byte = prop::sample::select(b"ab1,;|\t\"'\\^# \n\r\x01xyzn0N".to_vec());
    let value = prop::collection::vec(byte, 0..8);
    (1_usize..5).prop_flat_map(move |width| {
        prop::collection::vec(prop::collection::vec(value.clone(), width), 0..12)
    })
}

/// Takes out what a dialect has no way to write.
fn expressible(table: &mut Table, d: &Dialect) {
    for row in table.iter_mut() {
        for value in row.iter_mut() {
            if d.quote.is_none() && d.escape.is_none() {
                value.retain(|b| {
                    !matches!(b, b'\n' | b'\r' | b'#') && !d.delimiter.as_bytes().contains(b)
                });
            }
            if d.quote.is_none() && value.is_empty() {
                value.push(b'e');
            }
            // An escaped N alone would be NULL, an unescaped sign after a backslash another one.
            if d.quote.is_none() && d.escape == Some('\\') {
                value.retain(|b| !matches!(b, b'N' | b'0' | b'n' | b'a' | b'b'));
                if value.is_empty() {
                    value.push(b'e');
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_written_is_read_and_borders_do_not_matter(
        mut table in tables(), dialect in dialects(), size in 1_usize..40, seed in any::<u64>(),
    ) {
        expressible(&mut table, &dialect);
        let text = write(&table, &dialect, seed);
        let grammar = Grammar::new(&dialect);
        prop_assert_eq!(&read(&text, &grammar), &table, "{:?} {:?}", dialect, String::from_utf8_lossy(&text));
        let (cuts, records, lines) = stretches(&text, &grammar, size);
        prop_assert_eq!(records, table.len() as u64);
        let mut again = Vec::new();
        for (start, end) in cuts {
            again.extend(read(&text[start..end], &grammar));
        }
        prop_assert_eq!(&again, &table);
        prop_assert_eq!(lines, grammar.count_lines(&text));
    }

    #[test]
    fn any_bytes_are_read_without_panic_and_alike_at_all_borders(
        text in prop::collection::vec(prop::sample::select(b"ab,\"'\n\r\\#| \t".to_vec()), 0..200),
        dialect in dialects(), size in 1_usize..40,
    ) {
        let grammar = Grammar::new(&dialect);
        let whole = grammar.cut(&text, true);
        prop_assert_eq!(whole.end, text.len());
        let (_, records, lines) = stretches(&text, &grammar, size);
        prop_assert_eq!((records, lines), (whole.records, whole.lines));
        let mut spans = Spans::default();
        let (mut at, mut count) = (0, 0);
        while at < text.len() {
            if let Some((_, next, _)) = grammar.no_record(&text, at) {
                at = next;
            } else {
                at = grammar.split(&text, at, &mut spans).next;
                count += 1;
            }
        }
        prop_assert_eq!(count, whole.records);
        let options = crate::ImportOptions::default();
        let _ = super::sample(&text, true, "any", &options);
    }
}
