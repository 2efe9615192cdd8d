//! The checker of one column, chosen once for a run.

use shared::column_type::ColumnType;
use shared::target::Flavour;

use super::binary::Binary;
use super::bit::Bit;
use super::charset::Charset;
use super::decimal::Decimal;
use super::error::ConvertError;
use super::fault::Checked;
use super::float::Float;
use super::geometry::Geometry;
use super::integer::Integer;
use super::json::Json;
use super::label::{Enum, Set};
use super::mapping::MappedColumn;
use super::network::Network;
use super::number::Marks;
use super::temporal::{Duration, Keeps, Reading, Temporal, Year};
use super::text::Text;
use super::vector::Vector;
use crate::domain::{Form, Wrap};

/// What settles how a column is read, beside its type.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Marks of the file's numbers.
    pub marks: Marks,
    /// Whether digits that the column does not keep are rounded away.
    pub round: bool,
    /// How dates are written.
    pub reading: Reading,
    /// Whether somebody said how the file spells the column's bytes.
    pub bytes_settled: bool,
    /// The family of the server.
    pub flavour: Flavour,
}

/// A checker for every family of types: one `match` a field, no indirect call.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "named after their types")]
pub enum Kind {
    Integer(Integer),
    Decimal(Decimal),
    Float(Float),
    Text(Text),
    Temporal(Temporal),
    Duration(Duration),
    Year(Year),
    Bit(Bit),
    Binary(Binary),
    Enum(Enum),
    Set(Set),
    Json(Json),
    Geometry(Geometry),
    Network(Network),
    Vector(Vector),
}

impl Kind {
    /// The checker for a column; fails where its type is not loaded.
    pub fn new(column: &MappedColumn, settings: &Settings) -> Result<Self, ConvertError> {
        let sql = column.facts.sql_type.as_str();
        let Settings { marks, round, reading, bytes_settled, flavour } = settings;
        let (marks, round, flavour) = (*marks, *round, *flavour);
        let collation = column.facts.collation.as_deref();
        let binary =
            |bytes: u64, fixed| Self::Binary(Binary::new(bytes, fixed, *bytes_settled, sql));
        let charset = Charset::named(column.facts.charset.as_deref());
        if charset.is_foreign() {
            return Err(unsupported(column, "the character set swe7 has no ASCII, use utf8mb4"));
        }
        let temporal = |keeps, fsp| Self::Temporal(Temporal::new(keeps, fsp, reading.clone(), sql));
        Ok(match &column.column_type {
            ColumnType::Int { width, unsigned } => {
                let truths = sql.to_ascii_lowercase().starts_with("tinyint(1)");
                Self::Integer(Integer::new(*width, *unsigned, truths, marks, sql))
            }
            ColumnType::Decimal { precision, scale, unsigned } => {
                Self::Decimal(Decimal::new(*precision, *scale, *unsigned, round, marks, sql))
            }
            ColumnType::Float { unsigned } | ColumnType::Double { unsigned } => {
                match declared_digits(sql) {
                    Some((precision, scale)) => {
                        Self::Decimal(Decimal::new(precision, scale, *unsigned, round, marks, sql))
                    }
                    None => {
                        let single = matches!(column.column_type, ColumnType::Float { .. });
                        Self::Float(Float::new(single, *unsigned, marks, sql))
                    }
                }
            }
            ColumnType::Char { chars } => Self::Text(Text::of_chars(*chars, true, charset, sql)),
            ColumnType::Varchar { chars } => {
                Self::Text(Text::of_chars(*chars, false, charset, sql))
            }
            ColumnType::Text { size } => Self::Text(Text::of_bytes(size.bytes_max(), charset, sql)),
            ColumnType::Date => temporal(Keeps::Date, 0),
            ColumnType::Datetime { fsp } => temporal(Keeps::Datetime, *fsp),
            ColumnType::Timestamp { fsp } => temporal(Keeps::Timestamp, *fsp),
            ColumnType::Time { fsp } => Self::Duration(Duration::new(*fsp, reading, sql)),
            ColumnType::Year => Self::Year(Year),
            ColumnType::Bit { bits } => Self::Bit(Bit::new(*bits, marks)),
            ColumnType::Binary { bytes } => binary(u64::from(*bytes), true),
            ColumnType::Varbinary { bytes } => binary(u64::from(*bytes), false),
            ColumnType::Blob { size } => binary(size.bytes_max(), false),
            ColumnType::Enum { labels } => Self::Enum(Enum::new(labels, collation)),
            ColumnType::Set { labels } => Self::Set(Set::new(labels, collation)),
            ColumnType::Json => Self::Json(Json::new(flavour, charset)),
            ColumnType::Geometry { kind } => Self::Geometry(Geometry::new(kind)),
            ColumnType::Uuid => Self::Network(Network::Uuid),
            ColumnType::Inet4 => Self::Network(Network::Inet4),
            ColumnType::Inet6 => Self::Network(Network::Inet6),
            ColumnType::Vector { dimensions } => Self::Vector(Vector::new(*dimensions, flavour)),
            ColumnType::Other { .. } => {
                return Err(unsupported(column, "this version does not know the type"));
            }
        })
    }

    /// Checks and writes one field.
    #[inline]
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        match self {
            Self::Integer(column) => column.encode(bytes, out),
            Self::Text(column) => column.encode(bytes, out),
            Self::Decimal(column) => column.encode(bytes, out),
            Self::Temporal(column) => column.encode(bytes, out),
            Self::Float(column) => column.encode(bytes, out),
            Self::Duration(column) => column.encode(bytes, out),
            Self::Year(column) => column.encode(bytes, out),
            Self::Bit(column) => column.encode(bytes, out),
            Self::Binary(column) => column.encode(bytes, out),
            Self::Enum(column) => column.encode(bytes, out),
            Self::Set(column) => column.encode(bytes, out),
            Self::Json(column) => column.encode(bytes, out),
            Self::Geometry(column) => column.encode(bytes, out),
            Self::Network(column) => column.encode(bytes, out),
            Self::Vector(column) => column.encode(bytes, out),
        }
    }

    /// What the server must do with the text.
    #[must_use]
    pub const fn wrap(&self) -> Wrap {
        match self {
            Self::Bit(_) => Wrap::Bit,
            Self::Binary(_) => Wrap::Unhex,
            Self::Geometry(_) => Wrap::GeometryText,
            Self::Vector(_) => Wrap::Vector,
            _ => Wrap::Plain,
        }
    }

    /// As what a field that needs nothing done may be sent.
    #[must_use]
    pub const fn form(&self) -> Form {
        match self {
            Self::Integer(_) => Form::Integer,
            Self::Temporal(column) if column.keeps_time() => Form::Moment,
            _ => Form::Text,
        }
    }

    /// Whether the empty text is a value of the type.
    #[must_use]
    pub const fn has_empty_value(&self) -> bool {
        match self {
            Self::Text(_) | Self::Set(_) => true,
            Self::Binary(column) => !column.is_fixed(),
            Self::Enum(column) => column.has_empty(),
            _ => false,
        }
    }

    /// Whether hexadecimal digits or base64 can stand for its values.
    #[must_use]
    pub const fn takes_bytes(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Binary(_) | Self::Geometry(_))
    }
}

/// FLOAT(7,4) and its like round to their declared digits.
fn declared_digits(sql_type: &str) -> Option<(u8, u8)> {
    let inner = sql_type.split_once('(')?.1.split_once(')')?.0;
    let (precision, scale) = inner.split_once(',')?;
    Some((precision.trim().parse().ok()?, scale.trim().parse().ok()?))
}

fn unsupported(column: &MappedColumn, why: &str) -> ConvertError {
    ConvertError::UnsupportedType {
        name: column.facts.name.clone(),
        sql_type: column.facts.sql_type.clone(),
        why: why.to_owned(),
    }
}
