//! Rows in memory, and their order.

use crate::domain::EncodedChunk;

use super::Row;

/// Rows one behind another, and an entry for each that is small enough to be moved about.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    places: Vec<Place>,
    key: Vec<u8>,
    /// Whether every key fits into the prefix: then bytes are never looked at.
    long_keys: bool,
}

/// The first sixteen bytes of the key as a number: most comparisons end here, without a jump to
/// the key itself.
#[derive(Debug, Clone, Copy)]
struct Entry {
    prefix: u128,
    place: u32,
    key_len: u32,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    body_len: u32,
    raw_len: u32,
    row: u64,
    line: u64,
}

const ENTRY_BYTES: usize = size_of::<Entry>() + size_of::<Place>();

impl Buffer {
    pub(super) fn push(
        &mut self,
        chunk: &EncodedChunk,
        i: usize,
        key_of: &mut impl FnMut(&[u8], &mut Vec<u8>),
    ) {
        let body = chunk.row(i);
        let raw = chunk.raw_record(i);
        let (row, line) = chunk.origins.get(i).map_or((0, 0), |o| (o.row, o.line));
        self.key.clear();
        key_of(body, &mut self.key);
        let mut first = [0_u8; 16];
        let head = self.key.len().min(16);
        first[..head].copy_from_slice(&self.key[..head]);
        self.long_keys |= self.key.len() > 16;
        let place = self.places.len() as u32;
        self.entries.push(Entry {
            prefix: u128::from_be_bytes(first),
            place,
            key_len: self.key.len() as u32,
        });
        self.places.push(Place {
            start: self.bytes.len(),
            body_len: body.len() as u32,
            raw_len: raw.len() as u32,
            row,
            line,
        });
        self.bytes.extend_from_slice(&self.key);
        self.bytes.extend_from_slice(body);
        self.bytes.extend_from_slice(raw);
    }

    /// Memory in use, with what growing would take.
    pub(super) fn bytes(&self) -> usize {
        if self.entries.len() == u32::MAX as usize {
            return usize::MAX;
        }
        self.bytes.len() + self.entries.len() * ENTRY_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.places.clear();
        self.long_keys = false;
    }

    /// Puts the entries in order; rows of equal keys by their place, which is the order in which
    /// they came.
    pub(super) fn sort(&mut self) {
        if !self.long_keys {
            self.entries.sort_unstable_by_key(|e| (e.prefix, e.key_len, e.place));
            return;
        }
        let (bytes, places) = (&self.bytes, &self.places);
        let key = |e: &Entry| {
            let start = places.get(e.place as usize).map_or(0, |p| p.start);
            bytes.get(start..start + e.key_len as usize).unwrap_or_default()
        };
        self.entries.sort_unstable_by(|a, b| {
            a.prefix
                .cmp(&b.prefix)
                .then_with(|| key(a).cmp(key(b)))
                .then_with(|| a.place.cmp(&b.place))
        });
    }

    /// Rows in the order of the entries.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.entries.len()).filter_map(|i| self.row(i))
    }

    /// The row at place `i` of the order.
    pub(super) fn row(&self, i: usize) -> Option<Row<'_>> {
        let entry = self.entries.get(i)?;
        let place = self.places.get(entry.place as usize)?;
        let key_end = place.start + entry.key_len as usize;
        let body_end = key_end + place.body_len as usize;
        Some(Row {
            key: self.bytes.get(place.start..key_end)?,
            body: self.bytes.get(key_end..body_end)?,
            raw: self.bytes.get(body_end..body_end + place.raw_len as usize)?,
            row: place.row,
            line: place.line,
        })
    }
}
