//! JSON records to fields: by key, never by position.

use std::collections::HashMap;
use std::ops::Range;

use shared::ErrorCode;
use shared::options::Format;
use shared::profile::grammar::{NULL, QUOTED, SCRATCH, Span, Spans};
use shared::profile::json::{self, Kind};

use super::Layout;
use super::parser::{RecordFault, bad_bytes};
use crate::domain::Chunk;

/// A record before its fields are handed out.
pub(super) struct JsonRecord {
    pub row: u64,
    pub line: u64,
    pub raw: Range<usize>,
    pub fields: Result<(), RecordFault>,
}

/// Where each key belongs.
#[derive(Debug)]
pub(super) struct JsonRecords {
    columns: Vec<String>,
    places: HashMap<Vec<u8>, usize>,
    encoding: String,
    lines: bool,
}

impl JsonRecords {
    pub fn new(layout: &Layout) -> Self {
        let places = layout
            .source_columns
            .iter()
            .enumerate()
            .map(|(i, key)| (key.as_bytes().to_vec(), i))
            .collect();
        let lines = layout.format == Format::Jsonl;
        let encoding = layout.encoding.clone();
        Self { columns: layout.columns.clone(), places, encoding, lines }
    }

    /// Hands every record of the chunk to `each`.
    pub fn parse(
        &self,
        chunk: &Chunk,
        valid: bool,
        spans: &mut Spans,
        mut each: impl FnMut(JsonRecord, &Spans),
    ) {
        let data = &chunk.data[..];
        let (mut row, mut line, mut at) = (chunk.first_row, chunk.first_line, 0);
        while at < data.len() {
            let (raw, next) = if self.lines { next_line(data, at) } else { next_element(data, at) };
            let before = data.get(at..raw.start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', before).count() as u64;
            if raw.is_empty() {
                at = next;
                line += u64::from(self.lines);
                continue;
            }
            let record = data.get(raw.clone()).unwrap_or_default();
            let fields = self.fields(record, raw.start, valid, spans);
            each(JsonRecord { row, line, raw: raw.clone(), fields }, spans);
            row += 1;
            let passed = data.get(raw.start..next).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', passed).count() as u64;
            at = next;
        }
    }

    fn fields(
        &self,
        record: &[u8],
        offset: usize,
        valid: bool,
        spans: &mut Spans,
    ) -> Result<(), RecordFault> {
        spans.clear();
        spans.spans.resize(self.columns.len(), Span { start: 0, end: 0, flags: NULL });
        let mut seen = vec![false; self.columns.len()];
        let mut fault = None;
        let result = json::members(record, |member| {
            let key = json::unescape(member.key)?;
            let Some(&place) = self.places.get(&*key) else {
                let name = String::from_utf8_lossy(&key).into_owned();
                fault = Some(RecordFault {
                    code: ErrorCode::UnknownColumn,
                    message: format!("the key {name:?} is not among the file's columns"),
                    column: Some(name),
                    value: None,
                });
                return Err(String::new());
            };
            let column = self.columns.get(place);
            if seen.get(place) == Some(&true) {
                return Err(format!("the key {:?} stands there twice", column.cloned()));
            }
            if let Some(seen) = seen.get_mut(place) {
                *seen = true;
            }
            let value = record.get(member.start..member.end).unwrap_or_default();
            if !valid && let Err(e) = std::str::from_utf8(value) {
                fault = Some(bad_bytes(value, e.valid_up_to(), column, &self.encoding));
                return Err(String::new());
            }
            let at = (offset + member.start) as u32;
            let end = (offset + member.end) as u32;
            let span = match member.kind {
                Kind::Null => Span { start: 0, end: 0, flags: NULL },
                Kind::Bool | Kind::Number => Span { start: at, end, flags: 0 },
                Kind::Nested => Span { start: at, end, flags: QUOTED },
                Kind::Text => match json::unescape(value)? {
                    std::borrow::Cow::Borrowed(_) => Span { start: at, end, flags: QUOTED },
                    std::borrow::Cow::Owned(text) => {
                        let start = spans.scratch.len() as u32;
                        spans.scratch.extend_from_slice(&text);
                        let end = spans.scratch.len() as u32;
                        Span { start, end, flags: QUOTED | SCRATCH }
                    }
                },
            };
            if let Some(slot) = spans.spans.get_mut(place) {
                *slot = span;
            }
            Ok(())
        });
        match (result, fault) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(fault)) => Err(fault),
            (Err(message), None) => Err(RecordFault {
                code: ErrorCode::MalformedRecord,
                message,
                column: None,
                value: None,
            }),
        }
    }
}

fn next_line(data: &[u8], at: usize) -> (Range<usize>, usize) {
    let rest = data.get(at..).unwrap_or_default();
    let found = memchr::memchr(b'\n', rest);
    let end = found.map_or(data.len(), |f| at + f);
    let line = data.get(at..end).unwrap_or_default();
    let trimmed = line.trim_ascii_end();
    let start = trimmed.len() - trimmed.trim_ascii_start().len();
    (at + start..at + trimmed.len().max(start), found.map_or(data.len(), |f| at + f + 1))
}

fn next_element(data: &[u8], at: usize) -> (Range<usize>, usize) {
    let start = json::between(data, at);
    if start >= data.len() {
        return (data.len()..data.len(), data.len());
    }
    let end = json::value_end(data, start).unwrap_or(data.len());
    (start..end, end)
}
