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

/// A column of the table that the rows fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireColumn {
    /// Its name, unquoted.
    pub name: String,
    /// What the server must do with its text.
    pub wrap: Wrap,
}
