//! What stops a load, and what is to be done about each kind.

use mysql_async::Error;
use shared::run::Reject;
use shared::{ErrorBody, ErrorCode};

use super::codes::{Class, classify};
use crate::target::TargetError;

/// What an error calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// Send the whole chunk again.
    Retry,
    /// Find the bad record and put it aside.
    Reject,
    /// Stop the run.
    Abort,
}

/// A failure while writing.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The server refused a statement.
    #[error("The server refused {doing}: {message} (error {code}).")]
    Server {
        /// What was being done, as a noun.
        doing: &'static str,
        /// The server's number.
        code: u16,
        /// The server's words.
        message: String,
    },
    /// The connection broke, or the driver lost its place in the talk.
    #[error("The connection broke during {doing}: {reason}.")]
    Lost {
        /// What was being done, as a noun.
        doing: &'static str,
        /// What the driver says.
        reason: String,
    },
    /// No connection can be opened.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A record is bad and bad records stop the run. Its chunk was undone.
    #[error("{}", .0.message)]
    Refused(Box<Reject>),
    /// The server took rows of a table without transactions in a way that was not foreseen.
    #[error("{0}")]
    NotUndone(String),
    /// The engine's bulk loader did not take the rows as they are and left nothing; another way
    /// can name the record.
    #[error("The engine's bulk loader did not take the rows and left nothing: {0}")]
    BulkRefused(String),
    /// Sending again did not help.
    #[error("Chunk {chunk} was sent {tries} times and failed each time; at last: {last}")]
    Exhausted {
        /// Number of the chunk.
        chunk: u64,
        /// How often it was sent.
        tries: u32,
        /// The last error.
        last: Box<LoadError>,
    },
    /// Counts on both sides do not agree.
    #[error("{0}")]
    Verify(String),
    /// What was asked for does not go together.
    #[error("{0}")]
    Unfit(String),
    /// A temporary file cannot be used.
    #[error("A temporary file cannot be used: {0}.")]
    Io(#[from] std::io::Error),
    /// The run was cancelled.
    #[error("The run was cancelled.")]
    Cancelled,
}

impl LoadError {
    /// Makes a sentence of an error met while `doing` something.
    #[must_use]
    pub fn from_driver(doing: &'static str, error: &Error) -> Self {
        match TargetError::from_driver(doing, error) {
            TargetError::Refused { doing, code, message } => Self::Server { doing, code, message },
            TargetError::Lost { doing, reason } => Self::Lost { doing, reason },
            other => Self::Target(other),
        }
    }

    /// What is to be done about it.
    #[must_use]
    pub const fn disposition(&self) -> Disposition {
        match self {
            Self::Server { code, .. } => match classify(*code) {
                Class::Retry => Disposition::Retry,
                Class::Row(_) => Disposition::Reject,
                Class::Stopped | Class::Abort(_) => Disposition::Abort,
            },
            Self::Lost { .. } => Disposition::Retry,
            Self::Target(error) => match error {
                TargetError::CannotConnect { .. } | TargetError::Lost { .. } => Disposition::Retry,
                TargetError::Refused { code, .. } => match classify(*code) {
                    Class::Retry => Disposition::Retry,
                    Class::Row(_) | Class::Stopped | Class::Abort(_) => Disposition::Abort,
                },
                TargetError::BadUrl(_)
                | TargetError::AccessDenied { .. }
                | TargetError::NoSuchDatabase(_)
                | TargetError::Tls { .. }
                | TargetError::Sandbox { .. } => Disposition::Abort,
            },
            Self::Refused(_)
            | Self::NotUndone(_)
            | Self::BulkRefused(_)
            | Self::Exhausted { .. }
            | Self::Verify(_)
            | Self::Unfit(_)
            | Self::Io(_)
            | Self::Cancelled => Disposition::Abort,
        }
    }

    /// Whether the connection can no longer be trusted.
    #[must_use]
    pub const fn breaks_connection(&self) -> bool {
        match self {
            Self::Lost { .. } | Self::Target(_) => true,
            Self::Server { code, .. } => {
                matches!(code, 1053 | 1152 | 1158..=1161 | 1184 | 1927 | 2006 | 2013 | 3169 | 4031)
            }
            _ => false,
        }
    }

    /// Whether the rows have to be written again by a way that looks at each of them.
    #[must_use]
    pub const fn asks_for_exactness(&self) -> bool {
        matches!(self, Self::NotUndone(_) | Self::BulkRefused(_))
    }

    /// The code under which scripts know it.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Server { code, .. } => match classify(*code) {
                Class::Row(code) | Class::Abort(code) => code,
                Class::Stopped => ErrorCode::Cancelled,
                Class::Retry => ErrorCode::ServerRefused,
            },
            Self::Lost { .. } => ErrorCode::ConnectionLost,
            Self::Target(error) => error.code(),
            Self::Refused(reject) => reject.code,
            Self::NotUndone(_) | Self::BulkRefused(_) => ErrorCode::ServerWarning,
            Self::Exhausted { last, .. } => last.code(),
            Self::Verify(_) => ErrorCode::VerifyFailed,
            Self::Unfit(_) => ErrorCode::BadOption,
            Self::Io(e) if e.kind() == std::io::ErrorKind::StorageFull => ErrorCode::DiskFull,
            Self::Io(_) => ErrorCode::Internal,
            Self::Cancelled => ErrorCode::Cancelled,
        }
    }

    fn hint(&self) -> Option<String> {
        let words = match self {
            Self::Target(error) => return Some(error.hint()),
            Self::Server { code: 1148 | 3948 | 4166, .. } => {
                "local_infile is off on the server: switch it on (SET GLOBAL local_infile = 1) or \
                 choose the strategy insert."
            }
            Self::Server { code: 1021 | 1114 | 3675, .. } => {
                "Free disk space on the server, then resume the run: committed chunks stay."
            }
            Self::Server { code: 1290 | 1836, .. } => {
                "The server refuses writes or files: see its read_only and secure_file_priv."
            }
            Self::Server { code: 1044 | 1142 | 1143 | 1227, .. } => {
                "Ask the server's administrator for the missing right, then resume the run."
            }
            Self::Lost { .. } | Self::Exhausted { .. } => {
                "See that the server runs and is reachable, then resume the run: the ledger knows \
                 which chunks are in."
            }
            Self::BulkRefused(_) => "Choose load_data: it names each bad record.",
            Self::Refused(_) => {
                "Mend the record, or let bad records be put aside (on_error: reject)."
            }
            _ => return None,
        };
        Some(words.to_owned())
    }

    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let mut body = ErrorBody::new(self.code(), self.to_string());
        body.hint = self.hint();
        if let Self::Refused(reject) = self {
            body.row = Some(reject.row);
            body.line = Some(reject.line);
            body.column.clone_from(&reject.column);
            body.value.clone_from(&reject.value);
        }
        body
    }
}

impl From<&LoadError> for ErrorBody {
    fn from(error: &LoadError) -> Self {
        error.body()
    }
}
