//! What a file holds, told from its bytes: format, dialect, encoding, columns and types.
//!
//! Pure: the browser runs it on the first part of a dropped file, the service on the same part
//! and then on the whole.

pub mod cut;
pub mod delimited;
pub mod dialect;
pub mod distinct;
pub mod documents;
pub mod encoding;
pub mod evaluate;
mod general;
pub mod grammar;
pub mod header;
pub mod infer;
pub mod json;
pub mod marks;
pub mod names;
pub mod number;
pub mod order;
mod refine;
#[cfg(test)]
mod roundtrip;
mod sample;
pub mod stats;
#[cfg(test)]
mod tests;
pub mod value;

pub use sample::{SAMPLE_BYTES_MAX, binary_format, compression_of, sample, sample_text};

use serde::{Deserialize, Serialize};

use crate::column_type::ColumnType;
use crate::options::Format;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard, any number of frames.
    Zstd,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// A zip archive.
    Zip,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    Crlf,
    /// `\r` (and any of the others, should one turn up).
    Cr,
    /// Both `\n` and `\r\n`; a lone `\r` is data.
    Mixed,
    /// Any of the three.
    Any,
}

/// How delimited text is written. All of it is settled: detected or set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    /// Between fields: one or more bytes of UTF-8.
    pub delimiter: String,
    /// Around fields; none where quotes have no meaning.
    pub quote: Option<char>,
    /// Before a character to be taken as it is; a quote inside quotes is doubled where none.
    pub escape: Option<char>,
    /// Whether the first record names the columns.
    pub header: bool,
    /// Physical lines passed over before anything else.
    pub skip_rows: u64,
    /// Lines that begin with this are passed over.
    pub comment: Option<String>,
    /// Whether blanks around unquoted fields are dropped.
    pub trim: bool,
    /// Whether each record ends with a delimiter that starts no field.
    pub trailing_delimiter: bool,
    /// How lines end.
    pub line_end: LineEnd,
    /// The decimal mark of numbers.
    pub decimal: char,
    /// The thousands mark of numbers.
    pub thousands: Option<char>,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: ",".to_owned(),
            quote: Some('"'),
            escape: None,
            header: true,
            skip_rows: 0,
            comment: None,
            trim: false,
            trailing_delimiter: false,
            line_end: LineEnd::Lf,
            decimal: '.',
            thousands: None,
        }
    }
}

/// Something that was detected, and why; or set by the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it is about: `delimiter`, `quote`, `header`, `encoding`, …
    pub about: String,
    /// What was settled, for people: "comma", "header in line 1".
    pub settled: String,
    /// Why, in one sentence.
    pub why: String,
    /// How sure, 0 to 1; 1 where the person set it.
    pub confidence: f64,
    /// Whether the person set it.
    pub set: bool,
    /// Ready choices, where the file has its own: sheets, orders of day and month.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<String>,
}

impl Evidence {
    /// Something that was detected.
    #[must_use]
    pub fn found(about: &str, settled: &str, why: &str, confidence: f64) -> Self {
        Self {
            about: about.to_owned(),
            settled: settled.to_owned(),
            why: why.to_owned(),
            confidence,
            set: false,
            offers: Vec::new(),
        }
    }
}

/// What is known of one column of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnProfile {
    /// The name for a new table: legal and unique.
    pub name: String,
    /// The name as the file has it; empty without a header.
    pub source_name: String,
    /// The type for a new table.
    pub column_type: ColumnType,
    /// Why this type, in one sentence.
    pub why: String,
    /// How its dates are written, in the signs of strptime, where that was settled by evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
    /// Formats by which its dates can be read, where the evidence leaves more than one: a person
    /// must choose, and until then the column is text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub date_readings: Vec<String>,
    /// Whether its values are bytes and no text, by the file's own schema.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
    /// Whether NULLs were seen, or must be expected because only a sample was read.
    pub nullable: bool,
    /// NULLs seen.
    pub nulls: u64,
    /// Empty texts seen.
    pub empties: u64,
    /// How many different values, about.
    pub distinct_estimate: Option<u64>,
    /// Least value, as text.
    pub min: Option<String>,
    /// Greatest value, as text.
    pub max: Option<String>,
    /// Longest value in characters.
    pub longest_chars: u64,
    /// Longest value in bytes of UTF-8.
    pub longest_bytes: u64,
    /// A few values.
    pub samples: Vec<String>,
    /// Whether every value read was different and none was NULL.
    pub unique: bool,
    /// Whether values never stepped back.
    pub ascending: bool,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The format of its records.
    pub format: Format,
    /// How it is packed.
    pub compression: Compression,
    /// The character encoding, for example "UTF-8".
    pub encoding: String,
    /// How delimited text is written; none for other formats.
    pub dialect: Option<Dialect>,
    /// What was detected and why.
    pub evidence: Vec<Evidence>,
    /// Things that a person should look at, in words.
    pub warnings: Vec<String>,
    /// Markers taken as NULL.
    pub null_markers: Vec<String>,
    /// Whether a quoted marker is NULL too.
    pub quoted_null: bool,
    /// The columns.
    pub columns: Vec<ColumnProfile>,
    /// The first records, at most fifty; none is NULL.
    pub preview: Vec<Vec<Option<String>>>,
    /// Bytes of the file as it lies.
    pub file_bytes: u64,
    /// Bytes that were read for this profile, unpacked.
    pub read_bytes: u64,
    /// Whether the whole file was read.
    pub whole: bool,
    /// Records, exact where the whole file was read, else about; none where it cannot be told.
    pub rows: Option<u64>,
    /// Mean bytes of a record.
    pub record_bytes: f64,
    /// Empty lines passed over.
    pub empty_lines: u64,
    /// Comment lines passed over.
    pub comment_lines: u64,
    /// The columns suggested as primary key.
    pub primary_key: Vec<String>,
    /// Sheets or archive members to choose from.
    pub parts: Vec<String>,
}
