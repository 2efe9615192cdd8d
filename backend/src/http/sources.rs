//! Uploaded files as people see them.

use actix_web::{HttpResponse, web};
use shared::ErrorCode;
use shared::api::SourceView;

use super::State;
use super::error::ApiError;
use super::uploads;

/// The routes below `/sources`.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/sources", web::get().to(list))
        .route("/sources/{id}", web::get().to(get))
        .route("/sources/{id}", web::delete().to(delete));
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
