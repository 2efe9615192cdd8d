//! The sort against the standard library's stable sort.

use proptest::prelude::*;

use super::*;
use crate::domain::RowOrigin;

/// The key is everything before the first tab.
fn key(row: &[u8], out: &mut Vec<u8>) {
    out.extend(row.iter().take_while(|b| **b != b'\t'));
}

fn chunk(rows: &[(Vec<u8>, Vec<u8>)], first_row: u64) -> EncodedChunk {
    let mut chunk = EncodedChunk::default();
    for (i, (key, raw)) in rows.iter().enumerate() {
        chunk.data.extend_from_slice(key);
        chunk.data.extend_from_slice(format!("\t{}\n", first_row + i as u64).as_bytes());
        let raw_start = chunk.raw.len() as u32;
        chunk.raw.extend_from_slice(raw);
        chunk.origins.push(RowOrigin {
            row: first_row + i as u64,
            line: first_row + i as u64 + 1,
            end: chunk.data.len() as u32,
            raw_start,
            raw_end: chunk.raw.len() as u32,
        });
    }
    chunk
}

fn sorted(rows: &[(Vec<u8>, Vec<u8>)], budget: u64, chunk_bytes: u64) -> Vec<EncodedChunk> {
    let dir = tempfile::tempdir().expect("a folder");
    let mut sorter = Sorter::new(budget, dir.path(), Cancel::new(), key);
    // The budget has a floor; to spill with few rows the test empties the buffer itself.
    for (i, part) in rows.chunks(7).enumerate() {
        sorter.push(&chunk(part, i as u64 * 7 + 1)).expect("room");
        if budget == 0 {
            sorter.spill().expect("room");
        }
    }
    assert_eq!(sorter.rows(), rows.len() as u64);
    let mut chunks = Vec::new();
    let mut out = sorter.finish(chunk_bytes).expect("room");
    while let Some(chunk) = out.next_chunk().expect("a chunk") {
        chunks.push(chunk);
    }
    chunks
}

fn check(rows: &[(Vec<u8>, Vec<u8>)], chunk_bytes: u64) {
    let mut want: Vec<(Vec<u8>, u64, Vec<u8>)> = rows
        .iter()
        .enumerate()
        .map(|(i, (key, raw))| (key.clone(), i as u64 + 1, raw.clone()))
        .collect();
    want.sort_by(|a, b| a.0.cmp(&b.0));
    let in_memory = sorted(rows, 1 << 30, chunk_bytes);
    let spilled = sorted(rows, 0, chunk_bytes);
    assert_eq!(in_memory, spilled, "the budget must not change the chunks");
    let mut got = Vec::new();
    let mut last_of_chunk: Option<Vec<u8>> = None;
    for (index, chunk) in spilled.iter().enumerate() {
        assert_eq!(chunk.index, index as u64);
        assert_eq!(chunk.rows_read, chunk.rows());
        for i in 0..chunk.origins.len() {
            let mut k = Vec::new();
            key(chunk.row(i), &mut k);
            if i == 0 {
                assert_ne!(last_of_chunk.as_ref(), Some(&k), "a key in two chunks");
            }
            last_of_chunk = Some(k.clone());
            got.push((k, chunk.origins[i].row, chunk.raw_record(i).to_vec()));
        }
    }
    assert_eq!(got, want);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn rows_come_back_in_the_order_of_a_stable_sort(
        rows in prop::collection::vec(
            (
                prop_oneof![
                    prop::collection::vec(b'a'..=b'c', 0..3),
                    prop::collection::vec(0x61_u8..=0x63, 14..20),
                    prop::collection::vec(b'0'..=b'9', 1..5),
                ],
                prop::collection::vec(any::<u8>(), 0..6),
            ),
            0..700,
        ),
        chunk_bytes in 1_u64..400,
    ) {
        check(&rows, chunk_bytes);
    }
}

#[test]
fn a_cancelled_sort_ends() {
    let dir = tempfile::tempdir().expect("a folder");
    let cancel = Cancel::new();
    let mut sorter = Sorter::new(1, dir.path(), cancel.clone(), key);
    sorter.push(&chunk(&[(b"a".to_vec(), Vec::new())], 1)).expect("room");
    cancel.set();
    assert!(matches!(sorter.finish(100), Err(LoadError::Cancelled)));
}

#[test]
fn nothing_gives_nothing() {
    assert!(sorted(&[], 0, 10).is_empty());
}
