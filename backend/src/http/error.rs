//! Every error leaves the service in one shape: a status and an [`ErrorBody`].
//!
//! What was to be expected goes out as it is. What was not is logged once, with its chain, under a
//! reference, and the caller gets the reference and nothing else.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError, error, web};
use shared::{ErrorBody, ErrorCode};

use crate::run::RunError;
use crate::store::StoreError;
use crate::target::TargetError;

/// Bytes of a JSON request at most: a plan with an edited table of four thousand columns fits.
const JSON_BYTES_MAX: usize = 4 << 20;

/// An error on its way to a caller.
#[derive(Debug)]
pub enum ApiError {
    /// One that the caller can understand and act upon.
    Expected(Box<ErrorBody>),
    /// One that only the log may see whole.
    Unexpected(anyhow::Error),
}

impl ApiError {
    /// An expected error with a code and a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        ErrorBody::new(code, message).into()
    }

    /// Nothing of that kind and identity exists.
    pub fn not_found(what: &str, id: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("There is no {what} {id}."))
    }
}

impl From<ErrorBody> for ApiError {
    fn from(body: ErrorBody) -> Self {
        if body.code == ErrorCode::Internal {
            Self::Unexpected(body.into())
        } else {
            Self::Expected(Box::new(body))
        }
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> Self {
        Self::Unexpected(error)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error.body() {
            body if body.code == ErrorCode::Internal => Self::Unexpected(error.into()),
            body => body.into(),
        }
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        match error.body() {
            body if body.code == ErrorCode::Internal => Self::Unexpected(error.into()),
            body => body.into(),
        }
    }
}

impl From<TargetError> for ApiError {
    fn from(error: TargetError) -> Self {
        match error.body() {
            body if body.code == ErrorCode::Internal => Self::Unexpected(error.into()),
            body => body.into(),
        }
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Expected(body) => body.fmt(f),
            Self::Unexpected(error) => error.fmt(f),
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Expected(body) => status_of(body.code),
            Self::Unexpected(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::Expected(body) => HttpResponse::build(self.status_code()).json(body),
            Self::Unexpected(error) => {
                let reference = ulid::Ulid::generate().to_string();
                tracing::error!(%reference, "{error:#}");
                HttpResponse::InternalServerError().json(
                    ErrorBody::new(
                        ErrorCode::Internal,
                        "Something unforeseen happened in the service.",
                    )
                    .with_hint(format!("Its log has the cause under {reference}.")),
                )
            }
        }
    }
}

/// The status that goes with a code: the one place where it is decided.
#[must_use]
pub fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::BadRequest | ErrorCode::BadOption => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthenticated | ErrorCode::LoginNeeded | ErrorCode::WrongLogin => {
            StatusCode::UNAUTHORIZED
        }
        ErrorCode::TooManyAttempts => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::NotFound | ErrorCode::NoSuchTable => StatusCode::NOT_FOUND,
        ErrorCode::Conflict
        | ErrorCode::TableExists
        | ErrorCode::Changed
        | ErrorCode::Cancelled
        | ErrorCode::Interrupted => StatusCode::CONFLICT,
        ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
        ErrorCode::EmptyFile
        | ErrorCode::UnsupportedFormat
        | ErrorCode::UnsupportedEncoding
        | ErrorCode::InvalidEncoding
        | ErrorCode::DamagedFile
        | ErrorCode::MalformedRecord
        | ErrorCode::FieldCount
        | ErrorCode::RecordTooLong
        | ErrorCode::InvalidValue
        | ErrorCode::OutOfRange
        | ErrorCode::WouldRound
        | ErrorCode::TooLong
        | ErrorCode::NotInCharset
        | ErrorCode::NullNotAllowed
        | ErrorCode::Ambiguous
        | ErrorCode::UnknownLabel
        | ErrorCode::DuplicateKey
        | ErrorCode::ForeignKey
        | ErrorCode::CheckConstraint
        | ErrorCode::UnsupportedType
        | ErrorCode::UnknownColumn
        | ErrorCode::MissingColumn
        | ErrorCode::TooManyRejects => StatusCode::UNPROCESSABLE_ENTITY,
        // The request was right; the database server behind the service did not play along.
        ErrorCode::CannotConnect
        | ErrorCode::AccessDenied
        | ErrorCode::ConnectionLost
        | ErrorCode::ServerRefused
        | ErrorCode::ServerWarning
        | ErrorCode::NotAllowed
        | ErrorCode::VerifyFailed => StatusCode::FAILED_DEPENDENCY,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Puts [`ErrorBody`] in the place of the framework's own answers to bad JSON, queries and paths.
pub fn configure(config: &mut web::ServiceConfig) {
    config
        .app_data(web::JsonConfig::default().limit(JSON_BYTES_MAX).error_handler(|e, _| {
            let code = match e {
                error::JsonPayloadError::Overflow { .. }
                | error::JsonPayloadError::OverflowKnownLength { .. } => ErrorCode::TooLarge,
                _ => ErrorCode::BadRequest,
            };
            ApiError::new(code, format!("The request cannot be read: {e}.")).into()
        }))
        .app_data(web::QueryConfig::default().error_handler(|e, _| {
            ApiError::new(ErrorCode::BadRequest, format!("The address cannot be read: {e}.")).into()
        }))
        .app_data(web::PathConfig::default().error_handler(|e, _| {
            ApiError::new(ErrorCode::BadRequest, format!("The address cannot be read: {e}.")).into()
        }));
}

/// The answer where no route matches.
pub async fn no_such_route(request: actix_web::HttpRequest) -> Result<HttpResponse, ApiError> {
    Err(ApiError::new(
        ErrorCode::NotFound,
        format!("The API has nothing at {} {}.", request.method(), request.path()),
    ))
}

/// The answer where the route exists and the method does not.
pub async fn no_such_method(request: actix_web::HttpRequest) -> HttpResponse {
    HttpResponse::MethodNotAllowed().json(ErrorBody::new(
        ErrorCode::BadRequest,
        format!("{} is not possible at {}.", request.method(), request.path()),
    ))
}
