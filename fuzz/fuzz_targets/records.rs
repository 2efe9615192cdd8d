//! Any bytes by any dialect: the cutter and the parser count the same records.
#![no_main]

use shared::profile::grammar::{Grammar, Spans};
use shared::profile::{Dialect, LineEnd};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [choice, text @ ..] = data else { return };
    let bit = |n: u8| choice & (1 << n) != 0;
    let dialect = Dialect {
        delimiter: if bit(0) { ",".into() } else { "||".into() },
        quote: bit(1).then_some('"'),
        escape: bit(2).then_some('\\'),
        trim: bit(3),
        comment: bit(4).then(|| "#".into()),
        line_end: if bit(5) { LineEnd::Any } else { LineEnd::Mixed },
        trailing_delimiter: bit(6),
        ..Dialect::default()
    };
    let grammar = Grammar::new(&dialect);
    let cut = grammar.cut(text, true);
    assert_eq!(cut.end, text.len());
    let mut spans = Spans::default();
    let (mut at, mut records) = (0, 0);
    while at < text.len() {
        if let Some((_, next, _)) = grammar.no_record(text, at) {
            at = next;
            continue;
        }
        at = grammar.split(text, at, &mut spans).next;
        records += 1;
    }
    assert_eq!(records, cut.records);
});
