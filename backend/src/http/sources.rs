//! Uploaded files as people see them.

use actix_web::{HttpResponse, web};
use shared::ErrorCode;
use shared::api::{ProfileAnswer, ProfileRequest, SourceView};

use super::State;
use super::error::ApiError;
use super::uploads;
use crate::source;
use crate::store::SourceSaved;

/// The routes below `/sources`.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/sources", web::get().to(list))
        .route("/sources/{id}", web::get().to(get))
        .route("/sources/{id}", web::delete().to(delete))
        .route("/sources/{id}/profile", web::post().to(profile));
}

async fn list(state: web::Data<State>) -> Result<web::Json<Vec<SourceView>>, ApiError> {
    let all = state.uploads.list().await?;
    Ok(web::Json(all.into_iter().map(|saved| saved.view).collect()))
}

async fn get(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<web::Json<SourceView>, ApiError> {
    Ok(web::Json(state.uploads.get(&id).await?.view))
}

async fn delete(id: web::Path<String>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    let unfinished = state.store.runs_unfinished().await?;
    if let Some(run) = unfinished.iter().find(|r| r.view.source_id.as_deref() == Some(&**id)) {
        let run_id = &run.view.run_id;
        return Err(ApiError::new(
            ErrorCode::Conflict,
            format!("The run {run_id} is reading this file."),
        ));
    }
    uploads::delete(&state, &id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What is in a file, read with these options.
async fn profile(
    id: web::Path<String>,
    request: web::Json<ProfileRequest>,
    state: web::Data<State>,
) -> Result<web::Json<ProfileAnswer>, ApiError> {
    let saved = complete(&state, &id).await?;
    let ProfileRequest { options, whole } = request.into_inner();
    let paths = vec![saved.path.clone()];
    let reading = move || source::profile(&paths, &options, whole, &|_| ());
    let profile = web::block(reading).await.map_err(anyhow::Error::from)?.map_err(|error| {
        let mut body = error.body();
        // People know the file by the name they gave it.
        let path = saved.path.to_string_lossy();
        body.message = body.message.replace(&*path, &saved.view.name);
        body
    })?;
    Ok(web::Json(ProfileAnswer { source: saved.view, profile }))
}

/// A file that is wholly here.
pub async fn complete(state: &State, id: &str) -> Result<SourceSaved, ApiError> {
    let saved = state.uploads.get(id).await?;
    if saved.view.complete {
        return Ok(saved);
    }
    let SourceView { name, bytes, received_bytes, .. } = saved.view;
    Err(ApiError::new(
        ErrorCode::Conflict,
        format!("{name} is still arriving: {received_bytes} of {bytes} bytes are here."),
    ))
}
