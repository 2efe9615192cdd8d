//! Resumable uploads: tus 1.0 with creation, termination and expiration.

mod files;
mod headers;
mod receive;

use std::sync::Arc;

use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError as _, web};
use shared::people::Action;
use shared::{ErrorBody, ErrorCode};

pub use files::{UploadError, UploadLimits, Uploads};
use receive::Ending;

use super::State;
use super::error::{ApiError, no_such_method};
use super::rights::Routes;
use super::visitor::Caller;
use crate::store::SourceSaved;

const EXTENSIONS: &str = "creation,termination,expiration";

impl From<UploadError> for ApiError {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::Io(_) | UploadError::Store(_) => Self::Unexpected(error.into()),
            expected => expected.body().into(),
        }
    }
}

/// The routes below `/uploads`.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .only(
            "/uploads",
            None,
            [
                (A::Upload, web::post().to(create)),
                (A::Enter, web::method(Method::OPTIONS).to(options)),
            ],
        )
        .only(
            "/uploads/{id}",
            None,
            [
                (A::UseSource, web::head().to(offset)),
                (A::UseSource, web::patch().to(append)),
                (A::UseSource, web::post().to(append_by_post)),
                (A::RemoveSource, web::delete().to(remove)),
                (A::Enter, web::method(Method::OPTIONS).to(options)),
            ],
        );
}

fn answer(status: StatusCode) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer
        .insert_header(("Tus-Resumable", headers::VERSION))
        .insert_header((header::CACHE_CONTROL, "no-store"));
    answer
}

/// What the service speaks.
async fn options(state: web::Data<State>) -> HttpResponse {
    answer(StatusCode::NO_CONTENT)
        .insert_header(("Tus-Version", headers::VERSION))
        .insert_header(("Tus-Extension", EXTENSIONS))
        .insert_header(("Tus-Max-Size", state.uploads.limits.bytes_max))
        .finish()
}

/// Errors carry the version too, as the protocol wants.
fn refuse(error: impl Into<ApiError>) -> HttpResponse {
    let error = error.into();
    let mut response = error.error_response();
    let headers = response.headers_mut();
    headers.insert(
        header::HeaderName::from_static("tus-resumable"),
        header::HeaderValue::from_static(headers::VERSION),
    );
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}

fn wrong_version() -> HttpResponse {
    answer(StatusCode::PRECONDITION_FAILED).insert_header(("Tus-Version", headers::VERSION)).json(
        ErrorBody::new(
            ErrorCode::BadRequest,
            format!("Uploads are sent with the header Tus-Resumable: {}.", headers::VERSION),
        ),
    )
}

async fn create(request: HttpRequest, caller: Caller, state: web::Data<State>) -> HttpResponse {
    if !headers::speaks_tus(request.headers()) {
        return wrong_version();
    }
    let begun = async {
        let bytes = headers::upload_length(request.headers())?;
        let name = headers::file_name(request.headers())?;
        Ok::<_, ApiError>(state.uploads.create(&name, bytes, &caller.name).await?)
    };
    match begun.await {
        Ok(upload) => with_expiry(answer(StatusCode::CREATED), &upload)
            .insert_header((header::LOCATION, format!("/api/v1/uploads/{}", upload.view.id)))
            .finish(),
        Err(error) => refuse(error),
    }
}

/// How far an upload is; whoever was sending it is cut off first, so that the answer stays true.
async fn offset(
    request: HttpRequest,
    id: web::Path<String>,
    state: web::Data<State>,
) -> HttpResponse {
    if !headers::speaks_tus(request.headers()) {
        return wrong_version();
    }
    let found = async {
        state.uploads.get(&id).await?;
        state.uploads.release(&id).await;
        state.uploads.get(&id).await
    };
    match found.await {
        Ok(upload) => with_expiry(answer(StatusCode::OK), &upload)
            .insert_header(("Upload-Offset", upload.view.received_bytes))
            .insert_header(("Upload-Length", upload.view.bytes))
            .insert_header(("Upload-Metadata", headers::metadata_of(&upload.view.name)))
            .finish(),
        Err(error) => refuse(error),
    }
}

/// For clients whose way out lets no PATCH or DELETE through.
async fn append_by_post(
    request: HttpRequest,
    id: web::Path<String>,
    state: web::Data<State>,
    body: web::Payload,
) -> HttpResponse {
    match request.headers().get("X-HTTP-Method-Override").map(header::HeaderValue::as_bytes) {
        Some(b"PATCH") => append(request, id, state, body).await,
        Some(b"DELETE") => remove(request, id, state).await,
        _ => no_such_method(request).await,
    }
}

async fn append(
    request: HttpRequest,
    id: web::Path<String>,
    state: web::Data<State>,
    body: web::Payload,
) -> HttpResponse {
    if !headers::speaks_tus(request.headers()) {
        return wrong_version();
    }
    if !headers::is_offset_octet_stream(request.headers()) {
        return answer(StatusCode::UNSUPPORTED_MEDIA_TYPE).json(ErrorBody::new(
            ErrorCode::BadRequest,
            "Parts of a file are sent as application/offset+octet-stream.",
        ));
    }
    let appended = async {
        let offset = headers::upload_offset(request.headers())?;
        let length = headers::content_length(request.headers());
        receive_part(&state, &id, offset, length, body).await
    };
    match appended.await {
        Ok(upload) => with_expiry(answer(StatusCode::NO_CONTENT), &upload)
            .insert_header(("Upload-Offset", upload.view.received_bytes))
            .finish(),
        Err(error) => refuse(error),
    }
}

async fn receive_part(
    state: &State,
    id: &str,
    offset: u64,
    content_length: Option<u64>,
    body: web::Payload,
) -> Result<SourceSaved, ApiError> {
    state.uploads.get(id).await?;
    let claim = state.uploads.claim(id)?;
    let upload = state.uploads.get(id).await?;
    let (bytes, received_bytes) = (upload.view.bytes, upload.view.received_bytes);
    if offset != received_bytes {
        return Err(UploadError::Offset { offset, received_bytes }.into());
    }
    let missing_bytes = bytes.saturating_sub(received_bytes);
    let too_large = |bytes_sent| UploadError::TooLarge { bytes: bytes_sent, bytes_max: bytes };
    if let Some(length) = content_length
        && length > missing_bytes
    {
        return Err(too_large(received_bytes.saturating_add(length)).into());
    }
    let reserve_bytes = state.uploads.limits.reserve_bytes;
    let target = receive::Target { path: upload.path, reserve_bytes, missing_bytes };
    // A task of its own: when the connection breaks, the framework drops this handler, and what
    // had arrived must still reach the disk.
    let task = actix_web::rt::spawn(receive::receive(claim, target, body));
    let ending = task.await.map_err(anyhow::Error::from)??;
    let upload = state.uploads.get(id).await?;
    state.uploads.note_received(&upload).await?;
    match ending {
        Ending::Whole => Ok(upload),
        Ending::TooMuch => Err(too_large(bytes.saturating_add(1)).into()),
        Ending::Cut => Err(ErrorBody::new(
            ErrorCode::Conflict,
            format!("The transfer was cut at byte {}.", upload.view.received_bytes),
        )
        .with_hint("Ask for the offset (HEAD) and go on there.")
        .into()),
    }
}

async fn remove(
    request: HttpRequest,
    id: web::Path<String>,
    state: web::Data<State>,
) -> HttpResponse {
    if !headers::speaks_tus(request.headers()) {
        return wrong_version();
    }
    match delete(&state, &id).await {
        Ok(()) => answer(StatusCode::NO_CONTENT).finish(),
        Err(error) => refuse(error),
    }
}

/// Keeps bytes that came in one piece as a source of their own.
pub async fn keep(
    state: &State,
    who: &str,
    name: &str,
    bytes: &[u8],
) -> Result<SourceSaved, ApiError> {
    let made = state.uploads.create(name, bytes.len() as u64, who).await?;
    tokio::fs::write(&made.path, bytes).await.map_err(UploadError::Io)?;
    let kept = state.uploads.get(&made.view.id).await?;
    state.uploads.note_received(&kept).await?;
    Ok(kept)
}

/// Deletes an upload or a whole source, after ending whatever is writing to it.
pub async fn delete(state: &State, id: &str) -> Result<(), ApiError> {
    state.uploads.get(id).await?;
    state.uploads.release(id).await;
    let _claim = state.uploads.claim(id)?;
    let upload = state.uploads.get(id).await?;
    Ok(state.uploads.remove(&upload).await?)
}

/// Says until when an unfinished upload is kept.
fn with_expiry(mut answer: HttpResponseBuilder, upload: &SourceSaved) -> HttpResponseBuilder {
    if !upload.view.complete
        && let Ok(at) = files::expires_at(upload)
    {
        answer.insert_header(("Upload-Expires", header::HttpDate::from(at).to_string()));
    }
    answer
}

/// Deletes what nobody finished, once an hour for as long as the service runs.
pub async fn sweep_hourly(uploads: Arc<Uploads>) {
    let mut hour = tokio::time::interval(std::time::Duration::from_secs(3600));
    loop {
        hour.tick().await; // The first comes at once.
        if let Err(error) = uploads.sweep().await {
            tracing::warn!("Uploads that have expired cannot be deleted: {error}");
        }
    }
}
