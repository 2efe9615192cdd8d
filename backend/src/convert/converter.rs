//! Raw records in, canonical rows and rejects out.

use std::borrow::Cow;

use shared::ImportOptions;
use shared::error::ErrorCode;
use shared::run::Reject;
use shared::target::Flavour;

use super::binary::Spelling;
use super::error::ConvertError;
use super::fault::{Checked, Fault, fault, shown_bare};
use super::kind::{Kind, Settings};
use super::mapping::{MappedColumn, Mapping, Source};
use super::null::{NullRule, NullWishes};
use super::settings::{bad, listed, settings};
use super::sort_key::{KeyPart, SortKey};
use super::transform::Transform;
use crate::domain::{Chunk, EncodedChunk, NULL, RowOrigin, WireColumn};
use crate::source::{Field, Fields, Layout, Record, RecordFault, RecordParser};

/// How one wire column gets its text.
#[derive(Debug, Clone)]
enum Filler {
    /// From a field.
    Field(usize),
    /// The same canonical text in every row.
    Constant(Vec<u8>),
}

#[derive(Debug, Clone)]
struct Column {
    name: String,
    filler: Filler,
    nulls: NullRule,
    takes_null: bool,
    /// What happens to a field before it is checked; nothing, most often.
    before: Option<Box<Before>>,
    kind: Kind,
    key: Option<KeyPart>,
}

/// What happens to a field before it is checked.
#[derive(Debug, Clone)]
struct Before {
    transform: Option<Transform>,
    spelling: Option<Spelling>,
}

/// Turns records into canonical rows. One for a run, shared by its workers.
#[derive(Debug)]
pub struct Converter {
    columns: Vec<Column>,
    wire: Vec<WireColumn>,
}

impl Converter {
    /// Chooses a checker for every column of the mapping.
    pub fn new(
        mapping: &Mapping,
        layout: &Layout,
        options: &ImportOptions,
        flavour: Flavour,
    ) -> Result<Self, ConvertError> {
        let columns = mapping
            .columns()
            .iter()
            .map(|c| Column::new(c, layout, options, flavour))
            .collect::<Result<Vec<_>, _>>()?;
        let wire = columns
            .iter()
            .map(|c| {
                let (wrap, form) = (c.kind.wrap(), c.kind.form());
                WireColumn { name: c.name.clone(), wrap, form }
            })
            .collect();
        Ok(Self { columns, wire })
    }

    /// The columns of a canonical row, in order.
    #[must_use]
    pub fn wire_columns(&self) -> &[WireColumn] {
        &self.wire
    }

    /// Keys of canonical rows by these wire columns, in this order; none where the server's order
    /// of one of them is not known here.
    #[must_use]
    pub fn sort_key(&self, wire_columns: &[usize]) -> Option<SortKey> {
        let part = |i: &usize| Some((*i, self.columns.get(*i)?.key.clone()?));
        Some(SortKey::new(wire_columns.iter().map(part).collect::<Option<_>>()?))
    }

    /// The same by the columns' names, such as those of the primary key; none also without names
    /// and where one of them is not filled by the file.
    #[must_use]
    pub fn sort_key_by_name(&self, names: &[String]) -> Option<SortKey> {
        if names.is_empty() {
            return None;
        }
        let find = |name: &String| self.wire.iter().position(|w| w.name.eq_ignore_ascii_case(name));
        if names.is_empty() {
            return None;
        }
        self.sort_key(&names.iter().map(find).collect::<Option<Vec<_>>>()?)
    }

    /// Converts a chunk. With `keep_raw` the raw records are kept, for rejects that only the
    /// server can tell; the raw record of a reject made here is always kept.
    #[must_use]
    pub fn encode(&self, parser: &mut RecordParser, chunk: &Chunk, keep_raw: bool) -> EncodedChunk {
        let mut encoded = EncodedChunk {
            index: chunk.index,
            file_bytes_end: chunk.file_bytes_end,
            source_bytes: chunk.data.len() as u64,
            data: Vec::with_capacity(chunk.data.len() + chunk.data.len() / 16 + 64),
            ..EncodedChunk::default()
        };
        if keep_raw {
            encoded.raw.clone_from(&chunk.data);
        }
        parser.parse(chunk, |record| self.record(record, chunk, keep_raw, &mut encoded));
        encoded
    }

    #[inline]
    fn record(
        &self,
        record: Record<'_>,
        chunk: &Chunk,
        keep_raw: bool,
        encoded: &mut EncodedChunk,
    ) {
        encoded.rows_read += 1;
        let fields = match record.fields {
            Ok(fields) => fields,
            Err(why) => {
                let raw = chunk.data.get(record.raw).unwrap_or_default();
                encoded.rejects.push(malformed(record.row, record.line, why, raw));
                return;
            }
        };
        let start = encoded.data.len();
        if let Err((column, why)) = self.row(fields, &mut encoded.data) {
            encoded.data.truncate(start);
            let raw = chunk.data.get(record.raw).unwrap_or_default();
            encoded.rejects.push(column.reject(record.row, record.line, fields, *why, raw));
            return;
        }
        let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (raw_start, raw_end) =
            if keep_raw { (place(record.raw.start), place(record.raw.end)) } else { (0, 0) };
        encoded.origins.push(RowOrigin {
            row: record.row,
            line: record.line,
            end: place(encoded.data.len()),
            raw_start,
            raw_end,
        });
    }

    #[inline]
    fn row(&self, fields: Fields<'_>, out: &mut Vec<u8>) -> Result<(), (&Column, Box<Fault>)> {
        for column in &self.columns {
            let checked = match &column.filler {
                Filler::Field(index) => match fields.get(*index) {
                    Some(field) => column.encode(field, out),
                    None => Err(missing_field()),
                },
                Filler::Constant(text) => {
                    out.extend_from_slice(text);
                    Ok(())
                }
            };
            checked.map_err(|why| (column, why))?;
            out.push(b'\t');
        }
        // The last tab becomes the line end.
        if let Some(last) = out.last_mut() {
            *last = b'\n';
        }
        Ok(())
    }
}

#[cold]
fn missing_field() -> Box<Fault> {
    fault(ErrorCode::FieldCount, "the record ends before this column")
}

fn malformed(row: u64, line: u64, why: RecordFault, raw: &[u8]) -> Reject {
    Reject {
        row,
        line,
        column: why.column,
        value: why.value,
        key: None,
        code: why.code,
        message: why.message,
        raw: Some(String::from_utf8_lossy(raw).into_owned()),
    }
}

impl Column {
    fn new(
        column: &MappedColumn,
        layout: &Layout,
        options: &ImportOptions,
        flavour: Flavour,
    ) -> Result<Self, ConvertError> {
        let settings = settings(column, layout, options, flavour)?;
        let kind = Kind::new(column, &settings)?;
        let before = before(column, options, &settings, &kind)?;
        let own = column.wishes.as_ref().and_then(|w| w.null.as_ref());
        let told = own.or(options.null.as_ref());
        let nulls = NullRule::new(NullWishes {
            markers: told.unwrap_or(&layout.null_markers),
            markers_set: told.is_some(),
            quoted: options.quoted_null.or(layout.quoted_null.then_some(true)),
            empty_is_value: kind.has_empty_value(),
        });
        let mut made = Self {
            name: column.facts.name.clone(),
            filler: Filler::Constant(Vec::new()),
            nulls,
            takes_null: column.facts.nullable || column.facts.auto_increment,
            before,
            kind,
            key: KeyPart::new(column),
        };
        made.filler = match &column.source {
            Source::Field { index, .. } => Filler::Field(*index),
            Source::Constant(value) => Filler::Constant(made.constant(value)?),
        };
        Ok(made)
    }

    fn constant(&self, value: &str) -> Result<Vec<u8>, ConvertError> {
        let mut out = Vec::new();
        let field = Field { bytes: value.as_bytes(), quoted: false, is_null: false };
        self.encode(field, &mut out).map_err(|f| ConvertError::BadConstant {
            name: self.name.clone(),
            code: f.code,
            why: f.message,
        })?;
        Ok(out)
    }

    #[inline]
    fn encode(&self, field: Field<'_>, out: &mut Vec<u8>) -> Checked {
        if field.is_null || self.nulls.applies(field.bytes, field.quoted) {
            return self.null(out);
        }
        match &self.before {
            None => self.kind.encode(field.bytes, out),
            Some(before) => self.encode_after(before, field, out),
        }
    }

    #[inline(never)]
    fn encode_after(&self, before: &Before, field: Field<'_>, out: &mut Vec<u8>) -> Checked {
        let mut bytes = Cow::Borrowed(field.bytes);
        if let Some(transform) = &before.transform {
            let Some(turned) = transform.apply(field.bytes)? else { return self.null(out) };
            if self.nulls.applies(&turned, field.quoted) {
                return self.null(out);
            }
            bytes = turned;
        }
        if let Some(spelling) = before.spelling {
            bytes = Cow::Owned(spelling.decode(&bytes)?);
        }
        self.kind.encode(&bytes, out)
    }

    #[inline(never)]
    fn null(&self, out: &mut Vec<u8>) -> Checked {
        if !self.takes_null {
            return Err(fault(
                ErrorCode::NullNotAllowed,
                "the field is empty or NULL, and the column is NOT NULL: fill it in the file, map \
                 a constant to the column, or let the column be NULL",
            ));
        }
        out.extend_from_slice(NULL);
        Ok(())
    }

    #[cold]
    fn reject(&self, row: u64, line: u64, fields: Fields<'_>, why: Fault, raw: &[u8]) -> Reject {
        let value = match self.filler {
            Filler::Field(index) => fields.get(index).map(|f| shown_bare(f.bytes)),
            Filler::Constant(_) => None,
        };
        Reject {
            row,
            line,
            column: Some(self.name.clone()),
            value,
            key: None,
            code: why.code,
            message: why.message,
            raw: Some(String::from_utf8_lossy(raw).into_owned()),
        }
    }
}

fn before(
    column: &MappedColumn,
    options: &ImportOptions,
    settings: &Settings,
    kind: &Kind,
) -> Result<Option<Box<Before>>, ConvertError> {
    let expression = column.wishes.as_ref().and_then(|w| w.transform.as_deref());
    let transform = expression
        .map(|text| {
            Transform::parse(text, settings.reading.format.clone())
                .map_err(|why| bad(&format!("the transform of column `{}`", column.name()), why))
        })
        .transpose()?;
    let spelling = if listed(&options.hex_columns, column) {
        Some(Spelling::Hex)
    } else if listed(&options.base64_columns, column) {
        Some(Spelling::Base64)
    } else {
        None
    };
    if spelling.is_some() && !kind.takes_bytes() {
        return Err(bad(
            &format!("hex_columns or base64_columns with `{}`", column.name()),
            format!("a column of type {} holds no bytes", column.facts.sql_type),
        ));
    }
    // WKB in hexadecimal digits is known by itself.
    let spelling = spelling.filter(|_| !matches!(kind, Kind::Geometry(_)));
    if transform.is_none() && spelling.is_none() {
        return Ok(None);
    }
    Ok(Some(Box::new(Before { transform, spelling })))
}
