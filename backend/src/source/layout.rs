//! Everything that is needed to read a file, settled.

use serde::{Deserialize, Serialize};
use shared::ImportOptions;
use shared::options::Format;
use shared::profile::{Compression, Dialect, Profile};

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
    /// Names of the columns as the file has them, in its order. Where it has none: `column_1` …
    pub columns: Vec<String>,
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
}

impl Layout {
    /// What a profile and the options settle.
    #[must_use]
    pub fn from_profile(profile: &Profile, options: &ImportOptions) -> Self {
        let columns: Vec<String> = profile
            .columns
            .iter()
            .map(|c| if c.source_name.is_empty() { c.name.clone() } else { c.source_name.clone() })
            .collect();
        let binary = profile
            .columns
            .iter()
            .zip(&columns)
            .enumerate()
            .filter(|(_, (c, name))| {
                let listed = |n: &String| n.eq_ignore_ascii_case(name) || *n == c.name;
                options.binary_columns.iter().any(listed)
            })
            .map(|(i, _)| i)
            .collect();
        Self {
            format: profile.format,
            compression: profile.compression,
            encoding: profile.encoding.clone(),
            dialect: profile.dialect.clone().unwrap_or_default(),
            date_formats: profile.columns.iter().map(|c| c.date_format.clone()).collect(),
            columns,
            null_markers: profile.null_markers.clone(),
            quoted_null: profile.quoted_null,
            binary,
            sheet: options.sheet.clone(),
        }
    }
}
