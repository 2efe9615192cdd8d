//! Everything a person can set for an import. Each field left out is detected or planned.

use serde::{Deserialize, Serialize};

use crate::plan::{IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};

/// The format of a file's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Delimited text: comma, tab, semicolon, bar or any other delimiter.
    #[serde(alias = "tsv", alias = "delimited")]
    Csv,
    /// One JSON object a line.
    #[serde(alias = "ndjson", alias = "json_lines")]
    Jsonl,
    /// One JSON array of objects.
    Json,
    /// Apache Parquet.
    Parquet,
    /// An Excel or OpenDocument sheet.
    #[serde(alias = "xlsx", alias = "ods", alias = "excel")]
    Sheet,
}

/// How a column of the table gets its values, where matching by name is not wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnMapping {
    /// The column of the table.
    pub column: String,
    /// The column of the file, by name; none with a constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// A fixed value for every row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<String>,
    /// A small expression over the value, for example `trim`, `lower`, `replace("a", "b")`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<String>,
    /// Markers that mean NULL in this column only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null: Option<Vec<String>>,
    /// The strptime format of this column only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
}

/// The options of an import, as in `--options FILE.json` and in the dashboard.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportOptions {
    /// The file's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Between fields: one or more characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Around fields; the empty text means that quotes have no meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Before a character to be taken as it is; the empty text means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escape: Option<String>,
    /// Whether the first record names the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The character encoding, by any of its usual names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Markers that mean NULL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null: Option<Vec<String>>,
    /// Whether a marker inside quotes means NULL too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted_null: Option<bool>,
    /// Whether blanks around fields are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trim: Option<bool>,
    /// Physical lines to pass over before anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_rows: Option<u64>,
    /// Lines that begin with this are passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The decimal mark of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// The thousands mark of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thousands: Option<String>,
    /// How dates are written, in the signs of strptime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
    /// The zone of the file's times and of the session, for example `+00:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Columns written as hexadecimal digits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hex_columns: Vec<String>,
    /// Columns whose bytes are taken as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binary_columns: Vec<String>,
    /// Columns written in base64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub base64_columns: Vec<String>,
    /// Columns of numbers that are seconds, or with a unit milliseconds or microseconds, since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<EpochUnit>,
    /// Whether a number with too many decimal places is rounded rather than refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<bool>,
    /// The sheet of a workbook, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// How the table's columns get their values, where names do not say it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnMapping>,

    /// What is to become of the table's rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The storage engine of a new table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The primary key of a new table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<Vec<String>>,

    /// How rows are written.
    #[serde(alias = "method", skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// In which order rows are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// What becomes of the table's indexes meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_policy: Option<IndexPolicy>,
    /// When other sessions see the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// What a repeated key means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_duplicate: Option<OnDuplicate>,
    /// What a bad record means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_error: Option<OnError>,
    /// With `on_error: reject`, the run stops past this many refused records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rejects: Option<u64>,
    /// The same as a share of the records read, for example 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_reject_share: Option<f64>,
    /// Writing connections.
    #[serde(alias = "threads", skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Bytes of the file in one chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<u64>,
    /// Rows in one INSERT, where they fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_rows: Option<u32>,
    /// Memory for sorting, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_bytes: Option<u64>,
    /// At most this many bytes a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes_per_sec: Option<u64>,
    /// Rows that are read back after the load and compared with what was sent, value by value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_sample: Option<u32>,
    /// Whether the binary log is passed over, so that replicas do not get the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_binary_log: Option<bool>,
    /// Whether the whole server flushes commits to disk only now and then while the run loads; it
    /// is put back afterwards, after a crash by the next start of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relax_flush: Option<bool>,
    /// The session's sql_mode instead of the service's own strict one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql_mode: Option<String>,
}

impl ImportOptions {
    /// These options over others: what is set here wins, the rest is as there.
    #[must_use]
    pub fn over(&self, base: &Self) -> Self {
        // Every field is read from what was written a moment ago: nothing of this can fail.
        let fields = |options: &Self| -> Option<serde_json::Map<String, serde_json::Value>> {
            serde_json::from_str(&serde_json::to_string(options).ok()?).ok()
        };
        let both = || {
            let mut all = fields(base)?;
            all.extend(fields(self)?);
            serde_json::from_str(&serde_json::to_string(&all).ok()?).ok()
        };
        both().unwrap_or_else(|| self.clone())
    }
}

/// The unit of numbers that count time since 1970-01-01 00:00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpochUnit {
    /// Seconds.
    #[serde(alias = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(alias = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(alias = "us")]
    Microseconds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_wins_and_the_rest_stays() {
        let base = ImportOptions {
            delimiter: Some(";".into()),
            workers: Some(4),
            hex_columns: vec!["digest".into()],
            ..ImportOptions::default()
        };
        let own =
            ImportOptions { workers: Some(1), quote: Some(String::new()), ..Default::default() };
        let both = own.over(&base);
        assert_eq!((both.delimiter.as_deref(), both.workers), (Some(";"), Some(1)));
        assert_eq!((both.quote.as_deref(), both.hex_columns), (Some(""), base.hex_columns));
    }
}
