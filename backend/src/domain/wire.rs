//! How a column's canonical text becomes its value on the server.

/// What the server must do with a field's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Nothing: the text is the value.
    Plain,
    /// `UNHEX(…)`: bytes, so that no character set touches them.
    Unhex,
    /// A number into a BIT column: `CAST(… AS UNSIGNED)`.
    Bit,
    /// `ST_GeomFromText(…)`.
    GeometryText,
    /// `ST_GeomFromWKB(UNHEX(…))`.
    GeometryWkb,
    /// MySQL's `STRING_TO_VECTOR(…)`, MariaDB's `VEC_FromText(…)`.
    Vector,
}

/// As what a plain field crosses the wire where the protocol is binary: what is not text is not
/// taken apart by the server again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Bytes.
    Text,
    /// A whole number of at most 64 bits.
    Integer,
    /// A date with its time.
    Moment,
}

/// A column of the table that the rows fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireColumn {
    /// Its name, unquoted.
    pub name: String,
    /// What the server must do with its text.
    pub wrap: Wrap,
    /// As what a field that needs nothing done may be sent.
    pub form: Form,
}

impl WireColumn {
    /// A column whose fields are sent as text.
    #[must_use]
    pub fn text(name: impl Into<String>, wrap: Wrap) -> Self {
        Self { name: name.into(), wrap, form: Form::Text }
    }
}
