//! What can go wrong when a file is read.

use std::path::PathBuf;

use shared::{ErrorBody, ErrorCode};

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The operating system refused.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A packed file is damaged or ends early.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the unpacker said.
        detail: String,
    },
    /// A record is longer than the reader's limit.
    #[error(
        "the record that begins in line {line} (data row {row}) is longer than {limit_bytes} bytes"
    )]
    RecordTooLong {
        /// Data row from 1.
        row: u64,
        /// Physical line from 1.
        line: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// What was found cannot be worked with; the body says it all.
    #[error("{0}")]
    Body(ErrorBody),
}

impl SourceError {
    /// A failure with a code and a sentence.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Body(ErrorBody::new(code, message))
    }

    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let message = self.to_string();
        match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                ErrorBody::new(ErrorCode::NotFound, message)
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                ErrorBody::new(ErrorCode::Forbidden, message)
            }
            Self::Io { .. } => ErrorBody::new(ErrorCode::Internal, message),
            Self::Damaged { .. } => ErrorBody::new(ErrorCode::DamagedFile, message)
                .with_hint("Pack or download the file again."),
            Self::RecordTooLong { row, line, .. } => {
                let mut body = ErrorBody::new(ErrorCode::RecordTooLong, message)
                    .with_hint("A quote that never closes is the usual cause: look at that line.");
                body.row = Some(*row);
                body.line = Some(*line);
                body
            }
            Self::Body(body) => body.clone(),
        }
    }
}

impl From<&SourceError> for ErrorBody {
    fn from(error: &SourceError) -> Self {
        error.body()
    }
}

impl From<ErrorBody> for SourceError {
    fn from(body: ErrorBody) -> Self {
        Self::Body(body)
    }
}
