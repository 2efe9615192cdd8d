//! Rows that carry their place in the file with them.

use crate::domain::EncodedChunk;

/// Rows of one chunk at most, for numbering: a chunk's rows have less than 2^30 bytes.
const ROWS_MAX: u64 = 1 << 30;

/// The same chunk with three more fields at the end of each row: its row and its line, and a
/// number that tells rows of several files apart and grows in the order of reading.
pub(super) fn append(chunk: &EncodedChunk) -> EncodedChunk {
    let mut placed = EncodedChunk {
        data: Vec::with_capacity(chunk.data.len() + chunk.origins.len() * 28),
        origins: Vec::with_capacity(chunk.origins.len()),
        index: chunk.index,
        rows_read: chunk.rows_read,
        raw: chunk.raw.clone(),
        rejects: chunk.rejects.clone(),
        file_bytes_end: chunk.file_bytes_end,
        source_bytes: chunk.source_bytes,
    };
    for (i, origin) in chunk.origins.iter().enumerate() {
        let row = chunk.row(i);
        placed.data.extend_from_slice(row.strip_suffix(b"\n").unwrap_or(row));
        let number = chunk.index * ROWS_MAX + i as u64;
        let place = format!("\t{}\t{}\t{number}\n", origin.row, origin.line);
        placed.data.extend_from_slice(place.as_bytes());
        let mut moved = *origin;
        moved.end = placed.data.len() as u32;
        placed.origins.push(moved);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RowOrigin;

    #[test]
    fn each_row_gets_its_place() {
        let origin = |row, end| RowOrigin { row, line: row + 1, end, raw_start: 0, raw_end: 0 };
        let chunk = EncodedChunk {
            data: b"a\tb\nc\td\n".to_vec(),
            origins: vec![origin(1, 4), origin(2, 8)],
            ..EncodedChunk::default()
        };
        let placed = append(&chunk);
        assert_eq!(placed.data, b"a\tb\t1\t2\t0\nc\td\t2\t3\t1\n");
        assert_eq!(placed.row(1), b"c\td\t2\t3\t1\n");
    }
}
