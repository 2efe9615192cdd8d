//! SQL column types of MySQL and MariaDB, as the server writes them and as we reason about them.

use serde::{Deserialize, Serialize};

/// Width of an integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntWidth {
    /// 1 byte.
    Tiny,
    /// 2 bytes.
    Small,
    /// 3 bytes.
    Medium,
    /// 4 bytes.
    Int,
    /// 8 bytes.
    Big,
}

impl IntWidth {
    /// Bits of the type.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Tiny => 8,
            Self::Small => 16,
            Self::Medium => 24,
            Self::Int => 32,
            Self::Big => 64,
        }
    }
}

/// Size class of TEXT and BLOB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LobSize {
    /// 255 bytes.
    Tiny,
    /// 65,535 bytes.
    Plain,
    /// 16,777,215 bytes.
    Medium,
    /// 4,294,967,295 bytes.
    Long,
}

impl LobSize {
    /// The most bytes that a value may have.
    #[must_use]
    pub const fn bytes_max(self) -> u64 {
        match self {
            Self::Tiny => 255,
            Self::Plain => 65_535,
            Self::Medium => 16_777_215,
            Self::Long => 4_294_967_295,
        }
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Plain => "",
            Self::Medium => "medium",
            Self::Long => "long",
        }
    }
}

/// A column's type.
/// On the wire it is its SQL: `decimal(10,2)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[allow(missing_docs, reason = "fields are named as in SQL")]
pub enum ColumnType {
    /// TINYINT to BIGINT. `tinyint(1)` is a TINYINT.
    Int { width: IntWidth, unsigned: bool },
    /// BIT(n).
    Bit { bits: u8 },
    /// DECIMAL(precision, scale).
    Decimal { precision: u8, scale: u8, unsigned: bool },
    /// FLOAT.
    Float { unsigned: bool },
    /// DOUBLE.
    Double { unsigned: bool },
    /// CHAR(n), in characters.
    Char { chars: u32 },
    /// VARCHAR(n), in characters.
    Varchar { chars: u32 },
    /// TINYTEXT to LONGTEXT.
    Text { size: LobSize },
    /// BINARY(n).
    Binary { bytes: u32 },
    /// VARBINARY(n).
    Varbinary { bytes: u32 },
    /// TINYBLOB to LONGBLOB.
    Blob { size: LobSize },
    /// DATE.
    Date,
    /// TIME(fsp).
    Time { fsp: u8 },
    /// DATETIME(fsp).
    Datetime { fsp: u8 },
    /// TIMESTAMP(fsp).
    Timestamp { fsp: u8 },
    /// YEAR.
    Year,
    /// ENUM.
    Enum { labels: Vec<String> },
    /// SET.
    Set { labels: Vec<String> },
    /// JSON (MySQL's own type; MariaDB writes it as LONGTEXT with a CHECK).
    Json,
    /// GEOMETRY, POINT and so on; the kind in lower case.
    Geometry { kind: String },
    /// MariaDB's UUID.
    Uuid,
    /// MariaDB's INET4.
    Inet4,
    /// MariaDB's INET6.
    Inet6,
    /// VECTOR(dimensions).
    Vector { dimensions: u32 },
    /// A type that is not known here.
    Other { name: String },
}

impl From<String> for ColumnType {
    fn from(sql: String) -> Self {
        Self::parse(&sql)
    }
}

impl From<ColumnType> for String {
    fn from(column_type: ColumnType) -> Self {
        column_type.to_sql()
    }
}

impl ColumnType {
    /// Reads a type as `information_schema.columns.column_type` writes it.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let unsigned = lower.contains(" unsigned") || lower.contains(" zerofill");
        let word_end = lower.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(lower.len());
        let (word, rest) = lower.split_at(word_end);
        let args = arguments(rest);
        let number = |i: usize, or: u32| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(or);
        let fsp = u8::try_from(number(0, 0)).unwrap_or(0);
        match word {
            "tinyint" | "bool" | "boolean" => Self::Int { width: IntWidth::Tiny, unsigned },
            "smallint" => Self::Int { width: IntWidth::Small, unsigned },
            "mediumint" => Self::Int { width: IntWidth::Medium, unsigned },
            "int" | "integer" => Self::Int { width: IntWidth::Int, unsigned },
            "bigint" => Self::Int { width: IntWidth::Big, unsigned },
            "bit" => Self::Bit { bits: u8::try_from(number(0, 1)).unwrap_or(64) },
            "decimal" | "numeric" | "dec" => Self::Decimal {
                precision: u8::try_from(number(0, 10)).unwrap_or(65),
                scale: u8::try_from(number(1, 0)).unwrap_or(30),
                unsigned,
            },
            "float" => Self::Float { unsigned },
            "double" | "real" => Self::Double { unsigned },
            "char" => Self::Char { chars: number(0, 1) },
            "varchar" => Self::Varchar { chars: number(0, 0) },
            "tinytext" => Self::Text { size: LobSize::Tiny },
            "text" => Self::Text { size: LobSize::Plain },
            "mediumtext" => Self::Text { size: LobSize::Medium },
            "longtext" => Self::Text { size: LobSize::Long },
            "binary" => Self::Binary { bytes: number(0, 1) },
            "varbinary" => Self::Varbinary { bytes: number(0, 0) },
            "tinyblob" => Self::Blob { size: LobSize::Tiny },
            "blob" => Self::Blob { size: LobSize::Plain },
            "mediumblob" => Self::Blob { size: LobSize::Medium },
            "longblob" => Self::Blob { size: LobSize::Long },
            "date" => Self::Date,
            "time" => Self::Time { fsp },
            "datetime" => Self::Datetime { fsp },
            "timestamp" => Self::Timestamp { fsp },
            "year" => Self::Year,
            "enum" => Self::Enum { labels: labels(text.get(word_end..).unwrap_or_default()) },
            "set" => Self::Set { labels: labels(text.get(word_end..).unwrap_or_default()) },
            "json" => Self::Json,
            "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
            | "multipolygon" | "geometrycollection" | "geomcollection" => {
                Self::Geometry { kind: word.to_owned() }
            }
            "uuid" => Self::Uuid,
            "inet4" => Self::Inet4,
            "inet6" => Self::Inet6,
            "vector" => Self::Vector { dimensions: number(0, 0) },
            _ => Self::Other { name: text.to_owned() },
        }
    }

    /// The type as SQL, ready for CREATE TABLE.
    #[must_use]
    pub fn to_sql(&self) -> String {
        let sign = |unsigned: bool| if unsigned { " unsigned" } else { "" };
        let frac = |name: &str, fsp: u8| {
            if fsp == 0 { name.to_owned() } else { format!("{name}({fsp})") }
        };
        match self {
            Self::Int { width, unsigned } => {
                let name = match width {
                    IntWidth::Tiny => "tinyint",
                    IntWidth::Small => "smallint",
                    IntWidth::Medium => "mediumint",
                    IntWidth::Int => "int",
                    IntWidth::Big => "bigint",
                };
                format!("{name}{}", sign(*unsigned))
            }
            Self::Bit { bits } => format!("bit({bits})"),
            Self::Decimal { precision, scale, unsigned } => {
                format!("decimal({precision},{scale}){}", sign(*unsigned))
            }
            Self::Float { unsigned } => format!("float{}", sign(*unsigned)),
            Self::Double { unsigned } => format!("double{}", sign(*unsigned)),
            Self::Char { chars } => format!("char({chars})"),
            Self::Varchar { chars } => format!("varchar({chars})"),
            Self::Text { size } => format!("{}text", size.prefix()),
            Self::Binary { bytes } => format!("binary({bytes})"),
            Self::Varbinary { bytes } => format!("varbinary({bytes})"),
            Self::Blob { size } => format!("{}blob", size.prefix()),
            Self::Date => "date".to_owned(),
            Self::Time { fsp } => frac("time", *fsp),
            Self::Datetime { fsp } => frac("datetime", *fsp),
            Self::Timestamp { fsp } => frac("timestamp", *fsp),
            Self::Year => "year".to_owned(),
            Self::Enum { labels } => format!("enum({})", quoted(labels)),
            Self::Set { labels } => format!("set({})", quoted(labels)),
            Self::Json => "json".to_owned(),
            Self::Geometry { kind } => kind.clone(),
            Self::Uuid => "uuid".to_owned(),
            Self::Inet4 => "inet4".to_owned(),
            Self::Inet6 => "inet6".to_owned(),
            Self::Vector { dimensions } => format!("vector({dimensions})"),
            Self::Other { name } => name.clone(),
        }
    }

    /// Whether values are characters of a character set.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Char { .. }
                | Self::Varchar { .. }
                | Self::Text { .. }
                | Self::Enum { .. }
                | Self::Set { .. }
                | Self::Json
        )
    }

    /// Whether values are numbers, to be set flush right.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Int { .. }
                | Self::Bit { .. }
                | Self::Decimal { .. }
                | Self::Float { .. }
                | Self::Double { .. }
                | Self::Year
        )
    }
}

fn arguments(rest: &str) -> Vec<String> {
    let Some(inner) = rest.trim_start().strip_prefix('(') else { return Vec::new() };
    let inner = inner.split(')').next().unwrap_or_default();
    inner.split(',').map(|a| a.trim().to_owned()).collect()
}

/// Labels of `('a','it''s')`. Both servers double quotes and put a backslash before a backslash and
/// for line ends and NUL.
fn labels(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\'' {
            continue;
        }
        let mut label = String::new();
        while let Some(c) = chars.next() {
            match c {
                '\'' if chars.peek() == Some(&'\'') => {
                    chars.next();
                    label.push(c);
                }
                '\'' => break,
                '\\' => label.extend(chars.next().map(|escaped| match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    other => other,
                })),
                _ => label.push(c),
            }
        }
        found.push(label);
    }
    found
}

fn quoted(labels: &[String]) -> String {
    let each: Vec<String> = labels
        .iter()
        .map(|l| format!("'{}'", l.replace('\\', "\\\\").replace('\'', "''")))
        .collect();
    each.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_back_as_written() {
        for sql in [
            "tinyint",
            "bigint unsigned",
            "bit(8)",
            "decimal(12,2)",
            "double",
            "char(3)",
            "varchar(64)",
            "mediumtext",
            "varbinary(16)",
            "longblob",
            "date",
            "time",
            "datetime(3)",
            "timestamp",
            "year",
            "enum('a','it''s','b,c','d\\\\e')",
            "json",
            "point",
            "uuid",
            "inet6",
            "vector(3)",
        ] {
            assert_eq!(ColumnType::parse(sql).to_sql(), sql);
        }
    }

    #[test]
    fn display_widths_and_old_names_are_understood() {
        assert_eq!(ColumnType::parse("int(10) unsigned zerofill").to_sql(), "int unsigned");
        assert_eq!(ColumnType::parse("tinyint(1)").to_sql(), "tinyint");
        assert_eq!(ColumnType::parse("numeric(5)").to_sql(), "decimal(5,0)");
        assert_eq!(ColumnType::parse("year(4)"), ColumnType::Year);
        assert_eq!(ColumnType::parse("xmltype"), ColumnType::Other { name: "xmltype".into() });
    }
}
