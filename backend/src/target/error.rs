//! What goes wrong between us and a target, as sentences that say what to do.

use mysql_async::{DriverError, Error, IoError};
use shared::{ErrorBody, ErrorCode};

/// A failure to reach a target or to learn about it.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The address cannot be understood.
    #[error("The address of the target cannot be understood: {0}.")]
    BadUrl(String),
    /// Nothing answers.
    #[error("No database server answers at {address}: {reason}.")]
    CannotConnect {
        /// Where.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// User or password are refused.
    #[error("The server at {address} refuses the user {user}: {reason}")]
    AccessDenied {
        /// Where.
        address: String,
        /// Who.
        user: String,
        /// What the server says.
        reason: String,
    },
    /// The database does not exist.
    #[error("There is no database {0} on the server, or this user may not see it.")]
    NoSuchDatabase(String),
    /// TLS was asked for and did not come about.
    #[error("The connection to {address} cannot be protected: {reason}.")]
    Tls {
        /// Where.
        address: String,
        /// What failed.
        reason: String,
    },
    /// The server refused a statement.
    #[error("The server refused {doing}: {message} (error {code}).")]
    Refused {
        /// What was being done, as a noun.
        doing: &'static str,
        /// The server's number.
        code: u16,
        /// The server's words.
        message: String,
    },
    /// The connection broke.
    #[error("The connection broke during {doing}: {reason}.")]
    Lost {
        /// What was being done, as a noun.
        doing: &'static str,
        /// What the driver says.
        reason: String,
    },
    /// The private server does not start or stop.
    #[error("{message}")]
    Sandbox {
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    },
}

impl TargetError {
    /// Makes a sentence of an error met while `doing` something on a connection that stands.
    #[must_use]
    pub fn from_driver(doing: &'static str, error: &Error) -> Self {
        match error {
            Error::Server(e) => {
                Self::Refused { doing, code: e.code, message: e.message.trim_end().to_owned() }
            }
            other => Self::Lost { doing, reason: plain_reason(other) },
        }
    }

    /// Makes a sentence of an error met while connecting.
    #[must_use]
    pub fn from_connect(address: &str, user: &str, database: Option<&str>, error: &Error) -> Self {
        let address = address.to_owned();
        match error {
            Error::Server(e) => match e.code {
                1044 | 1045 | 1130 | 1698 | 1862 | 3118 | 3955 | 4151 => Self::AccessDenied {
                    address,
                    user: user.to_owned(),
                    reason: sentence(&e.message),
                },
                1049 => Self::NoSuchDatabase(database.unwrap_or_default().to_owned()),
                code => Self::Refused { doing: "the connection", code, message: e.message.clone() },
            },
            Error::Io(IoError::Tls(e)) => Self::Tls { address, reason: e.to_string() },
            Error::Driver(DriverError::NoClientSslFlagFromServer) => {
                Self::Tls { address, reason: "the server offers no TLS".to_owned() }
            }
            // MySQL answers strangers with a method of its choice, so as not to tell who is known.
            Error::Driver(DriverError::UnknownAuthPlugin { name }) => Self::AccessDenied {
                address,
                user: user.to_owned(),
                reason: format!(
                    "it asks for the sign-in method {name}, as MySQL does of users it does not know."
                ),
            },
            other => Self::CannotConnect { address, reason: plain_reason(other) },
        }
    }

    /// The code under which scripts know it.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::BadUrl(_) => ErrorCode::BadRequest,
            Self::CannotConnect { .. } | Self::Tls { .. } => ErrorCode::CannotConnect,
            Self::AccessDenied { .. } => ErrorCode::AccessDenied,
            Self::NoSuchDatabase(_) => ErrorCode::NotFound,
            Self::Refused { .. } => ErrorCode::ServerRefused,
            Self::Lost { .. } => ErrorCode::ConnectionLost,
            Self::Sandbox { .. } => ErrorCode::Internal,
        }
    }

    /// What to do about it, in a sentence.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::BadUrl(_) => "Write it as mysql://user:password@host:3306/database, or with \
                ?socket=/path/to/socket for a Unix socket; special characters in the password \
                are written as %XX."
                .to_owned(),
            Self::CannotConnect { .. } => "Check host and port (or the socket's path), that the \
                server runs, and that no firewall is in between."
                .to_owned(),
            Self::AccessDenied { .. } => {
                "Check user and password, and from which hosts the server lets this user in."
                    .to_owned()
            }
            Self::NoSuchDatabase(name) => format!(
                "Create it with CREATE DATABASE {}, or name another one.",
                shared::ddl::quote_name(name)
            ),
            Self::Tls { .. } => "Give the certificate authority of the server, choose TLS \
                without verification, or switch TLS off where the network is trusted."
                .to_owned(),
            Self::Refused { code: 1040 | 1203 | 1226, .. } => {
                "The server has no free connections: use fewer workers or raise \
                 max_connections."
                    .to_owned()
            }
            Self::Refused { code: 1142 | 1143 | 1227, .. } => {
                "Ask the server's administrator for the missing right.".to_owned()
            }
            Self::Refused { .. } => "See the server's words above.".to_owned(),
            Self::Lost { .. } => "Check that the server still runs and try again.".to_owned(),
            Self::Sandbox { hint, .. } => hint.clone(),
        }
    }

    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        ErrorBody::new(self.code(), self.to_string()).with_hint(self.hint())
    }
}

impl From<&TargetError> for ErrorBody {
    fn from(error: &TargetError) -> Self {
        error.body()
    }
}

fn sentence(words: &str) -> String {
    let words = words.trim();
    if words.ends_with('.') { words.to_owned() } else { format!("{words}.") }
}

/// The innermost words of an error: the outer ones only say "input/output error" again.
pub(super) fn plain_reason(error: &Error) -> String {
    match error {
        Error::Io(IoError::Io(e)) => match e.kind() {
            std::io::ErrorKind::ConnectionRefused => "the connection was refused".to_owned(),
            std::io::ErrorKind::NotFound => "the socket does not exist".to_owned(),
            std::io::ErrorKind::PermissionDenied => "the socket may not be used".to_owned(),
            std::io::ErrorKind::TimedOut => "it did not answer in time".to_owned(),
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset => {
                "the server closed the connection".to_owned()
            }
            _ => e.to_string(),
        },
        Error::Driver(DriverError::ConnectionClosed) => "the connection is closed".to_owned(),
        Error::Driver(e) => e.to_string().trim_end_matches('.').to_owned(),
        Error::Io(IoError::Tls(e)) => e.to_string(),
        Error::Server(e) => e.message.clone(),
        Error::Other(e) => e.to_string(),
        Error::Url(e) => e.to_string(),
    }
}
