//! What can go wrong with accounts.

use shared::{ErrorBody, ErrorCode};

use crate::store::StoreError;

/// What can go wrong with accounts.
#[derive(Debug, thiserror::Error)]
pub enum PeopleError {
    /// The control database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The name or the password; which of them is not told.
    #[error("The name or the password is not right.")]
    WrongLogin,
    /// Used, expired, taken back, or never made.
    #[error("This invitation has been used, has expired, or was replaced by another.")]
    WrongInvitation,
    /// Too many attempts from one address or on one name.
    #[error("There were too many attempts to log in; try again in {minutes} minutes.")]
    TooMany {
        /// Until the window has passed.
        minutes: u64,
    },
    /// No person of that identity, or one who is kept out.
    #[error("There is no one to invite with the identity {0}.")]
    NoSuchPerson(String),
    /// A name, a password or a number that is not taken.
    #[error("{0}")]
    BadOption(String),
    /// The password could not be hashed.
    #[error("the password cannot be hashed: {0}")]
    Hash(#[from] argon2::password_hash::Error),
    /// The hashing was broken off.
    #[error("the password was not hashed: {0}")]
    Broken(#[from] tokio::task::JoinError),
    /// The system has no random numbers.
    #[error("no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl PeopleError {
    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let (code, hint) = match self {
            Self::Store(error) => return error.body(),
            Self::WrongLogin => (
                ErrorCode::WrongLogin,
                Some("Who has forgotten it asks an admin for a new invitation."),
            ),
            Self::WrongInvitation => {
                (ErrorCode::WrongLogin, Some("An admin can give you a new one."))
            }
            Self::TooMany { .. } => (ErrorCode::TooManyAttempts, None),
            Self::NoSuchPerson(_) => (ErrorCode::NotFound, None),
            Self::BadOption(_) => (ErrorCode::BadOption, None),
            Self::Hash(_) | Self::Broken(_) | Self::Random(_) => (ErrorCode::Internal, None),
        };
        let body = ErrorBody::new(code, self.to_string());
        match hint {
            Some(hint) => body.with_hint(hint),
            None => body,
        }
    }
}
