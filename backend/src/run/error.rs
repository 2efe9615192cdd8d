//! What can stop a run.

use shared::error::{ErrorBody, ErrorCode};

use crate::load::LoadError;
use crate::store::StoreError;
use crate::target::TargetError;

/// Why a run, a plan or a check ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The control database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The target.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Writing.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Anything that already has its sentence: the file, a value, a precheck.
    #[error("{0}")]
    Refused(Box<ErrorBody>),
    /// A file of the run's own could not be written.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Someone cancelled it.
    #[error("The run was cancelled.")]
    Cancelled,
    /// A thread of the run ended without an answer.
    #[error("A part of the run ended without an answer; the log has more.")]
    Lost,
}

impl RunError {
    /// A refusal with a code and a sentence.
    pub(super) fn refuse(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Refused(Box::new(ErrorBody::new(code, message)))
    }

    /// There is no such run.
    pub(super) fn no_run(run_id: &str) -> Self {
        Self::refuse(ErrorCode::NotFound, format!("There is no run {run_id}."))
    }

    /// The error as people and scripts see it.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        match self {
            Self::Store(e) => e.body(),
            Self::Target(e) => e.body(),
            Self::Load(e) => e.body(),
            Self::Refused(body) => (**body).clone(),
            Self::Io { source, .. } => {
                let full = source.kind() == std::io::ErrorKind::StorageFull;
                let code = if full { ErrorCode::DiskFull } else { ErrorCode::Internal };
                ErrorBody::new(code, format!("{self}."))
            }
            Self::Cancelled => ErrorBody::new(ErrorCode::Cancelled, self.to_string()),
            Self::Lost => ErrorBody::new(ErrorCode::Internal, self.to_string()),
        }
    }
}

impl From<ErrorBody> for RunError {
    fn from(body: ErrorBody) -> Self {
        Self::Refused(Box::new(body))
    }
}
