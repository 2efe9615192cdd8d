//! What stops a conversion before its first record.

use shared::error::{ErrorBody, ErrorCode};

/// A table, a file and options that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// A column of the file has no place in the table.
    #[error("{}", unknown_words(.names, .table_columns))]
    UnknownColumn {
        /// The file's columns without a place.
        names: Vec<String>,
        /// The columns that the table has.
        table_columns: Vec<String>,
    },
    /// `options.columns` names a column that the table or the file does not have.
    #[error("the mapping names the column `{name}`, which {place} does not have")]
    UnknownMapped {
        /// The name.
        name: String,
        /// "the table" or "the file".
        place: &'static str,
    },
    /// A column that must have a value is not in the file.
    #[error("the table's column `{name}` must have a value, has no default and is not in the file")]
    MissingColumn {
        /// The column.
        name: String,
    },
    /// Two columns of the file would fill one of the table.
    #[error("the file has two columns for the table's column `{name}`: {first} and {second}")]
    TwoForOne {
        /// The column of the table.
        name: String,
        /// Position of the first, from 1, with its name.
        first: String,
        /// Position of the second.
        second: String,
    },
    /// A file without header has another number of columns than the table.
    #[error("the file has no header and {file} columns, the table takes {table}")]
    ColumnCount {
        /// Columns of the file.
        file: usize,
        /// Columns of the table that can be filled.
        table: usize,
    },
    /// A type that is not loaded.
    #[error("column `{name}` is of type {sql_type}: {why}")]
    UnsupportedType {
        /// The column.
        name: String,
        /// Its type as the server writes it.
        sql_type: String,
        /// Why it cannot be loaded.
        why: String,
    },
    /// An option that cannot be understood.
    #[error("{what}: {why}")]
    BadOption {
        /// Which option, for people.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// A constant that its column refuses.
    #[error("the constant for column `{name}` cannot be stored: {why}")]
    BadConstant {
        /// The column.
        name: String,
        /// The code of the refusal.
        code: ErrorCode,
        /// The refusal.
        why: String,
    },
}

fn unknown_words(names: &[String], table_columns: &[String]) -> String {
    let list =
        |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let what = if names.len() == 1 { "column" } else { "columns" };
    let verb = if names.len() == 1 { "has" } else { "have" };
    format!(
        "the file's {what} {} {verb} no place in the table, which has {}",
        list(names),
        list(table_columns)
    )
}

impl ConvertError {
    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let (code, column, hint) = match self {
            Self::UnknownColumn { names, .. } => (
                ErrorCode::UnknownColumn,
                names.first().cloned(),
                Some("Map the columns by hand, or take the extra ones out of the file."),
            ),
            Self::UnknownMapped { name, .. } => {
                (ErrorCode::UnknownColumn, Some(name.clone()), None)
            }
            Self::MissingColumn { name } => (
                ErrorCode::MissingColumn,
                Some(name.clone()),
                Some("Map a column of the file or a constant to it, or give it a default."),
            ),
            Self::TwoForOne { name, .. } => (
                ErrorCode::Ambiguous,
                Some(name.clone()),
                Some("Say with a mapping which of them is meant."),
            ),
            Self::ColumnCount { .. } => (
                ErrorCode::FieldCount,
                None,
                Some("Map the columns by hand, or check the delimiter and the header."),
            ),
            Self::UnsupportedType { name, .. } => {
                (ErrorCode::UnsupportedType, Some(name.clone()), None)
            }
            Self::BadOption { .. } => (ErrorCode::BadOption, None, None),
            Self::BadConstant { name, code, .. } => (*code, Some(name.clone()), None),
        };
        let mut body = ErrorBody::new(code, self.to_string());
        body.column = column;
        body.hint = hint.map(str::to_owned);
        body
    }
}

impl From<&ConvertError> for ErrorBody {
    fn from(error: &ConvertError) -> Self {
        error.body()
    }
}
