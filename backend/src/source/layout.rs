//! Everything that is needed to read a file, settled.

use serde::{Deserialize, Serialize};
use shared::ImportOptions;
use shared::options::Format;
use shared::profile::{Compression, Dialect, Profile};

use super::canonical;

/// How a file is to be read: what its profile found and the person set, with nothing left open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The format of its records.
    pub format: Format,
    /// How it is packed.
    pub compression: Compression,
    /// The character encoding, for example "UTF-8".
    pub encoding: String,
    /// How delimited text is written; for other formats the form that their records are turned into.
    pub dialect: Dialect,
    /// Names of the columns in the file's order, legal and unique: the file's own where they are.
    pub columns: Vec<String>,
    /// The same as the file has them: a header's fields, or keys; empty where it has no names.
    pub source_columns: Vec<String>,
    /// Markers that mean NULL in every column.
    pub null_markers: Vec<String>,
    /// Whether a quoted marker is NULL too.
    pub quoted_null: bool,
    /// How the dates of each column are written, in the signs of strptime, where that was settled.
    pub date_formats: Vec<Option<String>>,
    /// Columns (from 0) whose bytes need not be characters.
    pub binary: Vec<usize>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// The server's own time zone, where its name is beyond doubt: that of times which name none.
    #[serde(default)]
    pub server_zone: Option<String>,
}

impl Layout {
    /// What a profile and the options settle.
    #[must_use]
    pub fn from_profile(profile: &Profile, options: &ImportOptions) -> Self {
        let listed = |names: &[String], c: &shared::profile::ColumnProfile| {
            names.iter().any(|n| n.eq_ignore_ascii_case(&c.name) || *n == c.source_name)
        };
        let binary = profile
            .columns
            .iter()
            .enumerate()
            .filter(|(_, c)| c.binary || listed(&options.binary_columns, c))
            .map(|(i, _)| i)
            .collect();
        let dialect = match (&profile.dialect, profile.format) {
            (Some(dialect), _) => dialect.clone(),
            (None, Format::Parquet | Format::Sheet) => canonical::dialect(true),
            (None, _) => Dialect::default(),
        };
        Self {
            format: profile.format,
            compression: profile.compression,
            encoding: profile.encoding.clone(),
            dialect,
            columns: profile.columns.iter().map(|c| c.name.clone()).collect(),
            source_columns: profile.columns.iter().map(|c| c.source_name.clone()).collect(),
            date_formats: profile.columns.iter().map(|c| c.date_format.clone()).collect(),
            null_markers: profile.null_markers.clone(),
            quoted_null: profile.quoted_null,
            binary,
            sheet: options.sheet.clone(),
            server_zone: None,
        }
    }

    /// The same for a server with this time zone. Of abbreviations such as `EST` nobody can say
    /// whether they keep summer time, so they are left alone.
    #[must_use]
    pub fn on_server(mut self, time_zone: &str) -> Self {
        let plain = |b: &u8| b.is_ascii_digit() || matches!(b, b':' | b'+' | b'-');
        let sure = time_zone.bytes().all(|b| plain(&b))
            || time_zone.contains('/')
            || matches!(time_zone, "UTC" | "GMT");
        self.server_zone = Some(time_zone.to_owned()).filter(|z| sure && !z.is_empty());
        self
    }
}
