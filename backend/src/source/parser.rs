//! Records out of chunks: what each worker runs.

use std::ops::Range;

use shared::ErrorCode;
use shared::options::Format;
use shared::profile::grammar::{self, Fault, Grammar, Spans};

use super::Layout;
use super::json::JsonRecords;
use crate::domain::Chunk;

/// One field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// The value: UTF-8 (but for binary columns), quotes and escapes undone.
    pub bytes: &'a [u8],
    /// Whether it stood between quotes.
    pub quoted: bool,
    /// Whether it is NULL by the format itself: JSON's null, a missing key, an escaped `N`.
    pub is_null: bool,
}

/// The fields of a record, as many as the layout has columns.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    data: &'a [u8],
    spans: &'a Spans,
}

impl<'a> Fields<'a> {
    /// How many.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.spans.len()
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.spans.is_empty()
    }

    /// Field `i`, from 0.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Field<'a>> {
        let span = self.spans.spans.get(i)?;
        Some(Field {
            bytes: self.spans.bytes(self.data, i)?,
            quoted: span.flags & grammar::QUOTED != 0,
            is_null: span.flags & grammar::NULL != 0,
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Field<'a>> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }
}

/// Why a record cannot be taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFault {
    /// The kind.
    pub code: ErrorCode,
    /// One sentence, without row and line.
    pub message: String,
    /// The column at fault, where it is one.
    pub column: Option<String>,
    /// The offending value, cut to a readable length.
    pub value: Option<String>,
}

/// A record, good or bad.
#[derive(Debug)]
pub struct Record<'a> {
    /// Data row from 1, over all files.
    pub row: u64,
    /// Physical line of its first byte, from 1, in its file.
    pub line: u64,
    /// Its bytes in the chunk's data, without the line end.
    pub raw: Range<usize>,
    /// Its fields, or what is wrong with it.
    pub fields: Result<Fields<'a>, RecordFault>,
}

/// Takes chunks apart. One for each worker: it keeps buffers.
#[derive(Debug)]
pub struct RecordParser {
    rules: Rules,
    columns: Vec<String>,
    binary: Vec<bool>,
    encoding: String,
    spans: Spans,
}

#[derive(Debug)]
enum Rules {
    Delimited(Box<Grammar>),
    Json(JsonRecords),
}

impl RecordParser {
    /// A parser for files of this layout.
    #[must_use]
    pub fn new(layout: &Layout) -> Self {
        let rules = match layout.format {
            Format::Jsonl | Format::Json => Rules::Json(JsonRecords::new(layout)),
            Format::Csv | Format::Parquet | Format::Sheet => {
                Rules::Delimited(Box::new(Grammar::new(&layout.dialect)))
            }
        };
        let mut binary = vec![false; layout.columns.len()];
        for i in &layout.binary {
            if let Some(b) = binary.get_mut(*i) {
                *b = true;
            }
        }
        Self {
            rules,
            columns: layout.columns.clone(),
            binary,
            encoding: layout.encoding.clone(),
            spans: Spans::default(),
        }
    }

    /// Hands every record of the chunk to `each`, in order.
    pub fn parse(&mut self, chunk: &Chunk, mut each: impl FnMut(Record<'_>)) {
        let valid = simdutf8::basic::from_utf8(&chunk.data).is_ok();
        match &mut self.rules {
            Rules::Json(json) => json.parse(chunk, valid, &mut self.spans, |r, spans| {
                let fields = r.fields.map(|()| Fields { data: &chunk.data, spans });
                each(Record { row: r.row, line: r.line, raw: r.raw, fields });
            }),
            Rules::Delimited(_) => self.parse_delimited(chunk, valid, each),
        }
    }

    fn parse_delimited(&mut self, chunk: &Chunk, valid: bool, mut each: impl FnMut(Record<'_>)) {
        let Self { rules, columns, binary, encoding, spans } = self;
        let Rules::Delimited(grammar) = rules else { return };
        let data = &chunk.data[..];
        let width = columns.len();
        let (mut row, mut line, mut at) = (chunk.first_row, chunk.first_line, 0);
        while at < data.len() {
            if let Some((_, next, _)) = grammar.no_record(data, at) {
                line += 1;
                at = next;
                continue;
            }
            let split = grammar.split(data, at, spans);
            let fault = if split.fault.is_none() && spans.spans.len() == width {
                if valid { None } else { undecodable(data, spans, columns, binary, encoding) }
            } else {
                Some(form_fault(split.fault, spans.spans.len(), columns))
            };
            let fields = match fault {
                None => Ok(Fields { data, spans }),
                Some(fault) => Err(fault),
            };
            each(Record { row, line, raw: at..split.end, fields });
            row += 1;
            line += split.lines;
            at = split.next;
        }
    }
}

fn form_fault(fault: Option<Fault>, found: usize, columns: &[String]) -> RecordFault {
    let (code, field, message) = match fault {
        Some(Fault::Unclosed { field }) => (
            ErrorCode::MalformedRecord,
            Some(field),
            "a quote opens here and never closes before the end of the file".to_owned(),
        ),
        Some(Fault::AfterQuote { field }) => (
            ErrorCode::MalformedRecord,
            Some(field),
            "text stands after a closing quote; quotes inside a quoted field must be doubled"
                .to_owned(),
        ),
        None => (
            ErrorCode::FieldCount,
            None,
            format!("{found} {}, {} expected", plural(found), columns.len()),
        ),
    };
    let column = field.and_then(|f| columns.get(f)).cloned();
    RecordFault { code, message, column, value: None }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "field" } else { "fields" }
}

/// The first field that is not UTF-8, if any.
#[cold]
fn undecodable(
    data: &[u8],
    spans: &Spans,
    columns: &[String],
    binary: &[bool],
    encoding: &str,
) -> Option<RecordFault> {
    for i in 0..spans.spans.len() {
        if binary.get(i).copied().unwrap_or(false) {
            continue;
        }
        let bytes = spans.bytes(data, i).unwrap_or_default();
        if let Err(e) = std::str::from_utf8(bytes) {
            return Some(bad_bytes(bytes, e.valid_up_to(), columns.get(i), encoding));
        }
    }
    None
}

/// The fault of a field whose byte `at` is no character.
pub(super) fn bad_bytes(
    bytes: &[u8],
    at: usize,
    column: Option<&String>,
    encoding: &str,
) -> RecordFault {
    let rest = bytes.get(at..).unwrap_or_default();
    let shown = super::decode::original_bytes(rest, encoding);
    let hex: Vec<String> = shown.iter().map(|b| format!("0x{b:02X}")).collect();
    let noun = if hex.len() == 1 { "byte" } else { "bytes" };
    let verb = if hex.len() == 1 { "is" } else { "are" };
    let before = String::from_utf8_lossy(bytes.get(..at).unwrap_or_default());
    let tail: String =
        before.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    RecordFault {
        code: ErrorCode::InvalidEncoding,
        message: format!("{noun} {} {verb} not valid {encoding}", hex.join(" ")),
        column: column.cloned(),
        value: Some(tail),
    }
}
