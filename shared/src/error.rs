//! One table of error codes, and the body in which every error reaches a person or a script.

use serde::{Deserialize, Serialize};

/// What went wrong, stable across releases: scripts may match on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request or the command line cannot be understood.
    BadRequest,
    /// An option has a value that is not allowed.
    BadOption,
    /// Nothing of that name exists.
    NotFound,
    /// The thing was changed or used by someone else meanwhile.
    Conflict,
    /// The caller has not shown who they are.
    Unauthenticated,
    /// The caller has to log in.
    LoginNeeded,
    /// The name, the password or the invitation is not right.
    WrongLogin,
    /// Too many wrong logins; some minutes have to pass.
    TooManyAttempts,
    /// The caller may not do this.
    Forbidden,
    /// The upload is larger than allowed.
    TooLarge,
    /// The disk of the service has no room.
    DiskFull,
    /// The file has no bytes or no records.
    EmptyFile,
    /// The file's format cannot be read.
    UnsupportedFormat,
    /// The file's character encoding cannot be read.
    UnsupportedEncoding,
    /// Bytes that are no characters of the file's encoding.
    InvalidEncoding,
    /// A compressed file is damaged or ends early.
    DamagedFile,
    /// A record cannot be taken apart: a quote that never closes, text after a closing quote.
    MalformedRecord,
    /// A record has more or fewer fields than the header.
    FieldCount,
    /// A record is longer than the reader's limit.
    RecordTooLong,
    /// A value is not of the column's type.
    InvalidValue,
    /// A number outside the column's range.
    OutOfRange,
    /// A number with more decimal places than the column keeps.
    WouldRound,
    /// A text longer than the column.
    TooLong,
    /// A character that the column's character set does not have.
    NotInCharset,
    /// NULL into a column that must have a value.
    NullNotAllowed,
    /// A value that reads in two ways and must be settled by an option.
    Ambiguous,
    /// A label that the ENUM or SET does not have.
    UnknownLabel,
    /// A key that is already in the table or earlier in the file.
    DuplicateKey,
    /// No parent row for a foreign key.
    ForeignKey,
    /// A CHECK constraint refused the row.
    CheckConstraint,
    /// A column type that this version does not load.
    UnsupportedType,
    /// A column of the file has no place in the table.
    UnknownColumn,
    /// A column that must have a value is not in the file.
    MissingColumn,
    /// The table does not exist and was not to be made.
    NoSuchTable,
    /// The table exists and was to be made.
    TableExists,
    /// The database server cannot be reached.
    CannotConnect,
    /// The database server refused the user or the password.
    AccessDenied,
    /// The connection broke and did not come back.
    ConnectionLost,
    /// The server refused a statement.
    ServerRefused,
    /// The server accepted rows with a warning that was not foreseen.
    ServerWarning,
    /// What the plan needs is switched off or not allowed on the server.
    NotAllowed,
    /// Counts on both sides do not agree.
    VerifyFailed,
    /// The file, the table or the options are not those of the run to be resumed.
    Changed,
    /// Too many records were refused.
    TooManyRejects,
    /// The run was cancelled.
    Cancelled,
    /// The service stopped while the run was under way.
    Interrupted,
    /// Something unforeseen; the log has it.
    Internal,
}

impl ErrorCode {
    /// The code as scripts see it, for example `too_long`.
    #[must_use]
    pub fn as_str(self) -> String {
        crate::wire::name_of(&self)
    }

    /// Reads a code as written by [`ErrorCode::as_str`]; an unknown one is `Internal`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        crate::wire::by_name(text).unwrap_or(Self::Internal)
    }
}

/// An error as people and scripts see it: what, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The code from the table above.
    pub code: ErrorCode,
    /// One sentence: what happened, with row, line, column and value where there are such.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Data row from 1, header not counted.
    #[serde(default)]
    pub row: Option<u64>,
    /// Physical line from 1, header counted.
    #[serde(default)]
    pub line: Option<u64>,
    /// Name of the column.
    #[serde(default)]
    pub column: Option<String>,
    /// The offending value, cut to a readable length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl ErrorBody {
    /// An error with a code and a sentence.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            row: None,
            line: None,
            column: None,
            value: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for ErrorBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ErrorBody {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_reads_back_as_written() {
        for code in [ErrorCode::TooLong, ErrorCode::DuplicateKey, ErrorCode::Internal] {
            assert_eq!(ErrorCode::parse(&code.as_str()), code);
        }
        assert_eq!(ErrorCode::TooLong.as_str(), "too_long");
        assert_eq!(ErrorCode::parse("no such code"), ErrorCode::Internal);
    }
}
