//! Files as people see them: uploaded, or lying on the service's machine.

use std::path::PathBuf;

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use shared::api::{FolderView, NewSource, ProfileAnswer, ProfileRequest, SourceView, joint_name};
use shared::options::ImportOptions;
use shared::people::{Action, allows};
use shared::{ErrorBody, ErrorCode};

use super::State;
use super::error::ApiError;
use super::rights::Routes;
use super::uploads;
use super::visitor::Caller;
use crate::source::{self, Folder};
use crate::store::SourceSaved;

/// The routes below `/sources`.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/files", A::Upload, web::get().to(files))
        .route("/sources", A::Upload, web::get().to(list))
        .route("/sources", A::Upload, web::post().to(make))
        .route("/sources/{id}", A::UseSource, web::get().to(get))
        .route("/sources/{id}", A::RemoveSource, web::delete().to(delete))
        .route("/sources/{id}/profile", A::UseSource, web::post().to(profile));
}

#[derive(Deserialize)]
struct Place {
    #[serde(default)]
    path: String,
}

/// What lies on the service's machine, where a folder was opened for imports.
async fn files(
    place: web::Query<Place>,
    state: web::Data<State>,
) -> Result<web::Json<FolderView>, ApiError> {
    let folder = folder(&state)?;
    let look = move || folder.look(&place.path);
    let view = web::block(look).await.map_err(anyhow::Error::from)?;
    Ok(web::Json(view.map_err(|e| e.body())?))
}

fn folder(state: &State) -> Result<Folder, ApiError> {
    state.files.clone().ok_or_else(|| {
        let body =
            ErrorBody::new(ErrorCode::NotFound, "No folder of this machine is open for imports.");
        body.with_hint("Start the service with --files DIR.").into()
    })
}

/// A source of files that are there already: of the service's machine, or several uploads.
async fn make(
    request: web::Json<NewSource>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let NewSource { files, uploads } = request.into_inner();
    let mut paths = Vec::new();
    let mut names = Vec::new();
    if !files.is_empty() || uploads.is_empty() {
        let folder = folder(&state)?;
        let find = move || folder.find(&files);
        paths = web::block(find).await.map_err(anyhow::Error::from)?.map_err(|e| e.body())?;
        let name = |p: &PathBuf| p.file_name().map(|n| n.to_string_lossy().into_owned());
        names.extend(paths.iter().filter_map(name));
    }
    for id in uploads {
        let saved = complete(&state, &caller, &id).await?;
        paths.extend(saved.paths());
        names.push(saved.view.name);
    }
    let made = state.uploads.refer(&joint_name(&names), paths, &caller.name).await?;
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/api/v1/sources/{}", made.view.id)))
        .json(made.view))
}

/// The files that the caller may use.
async fn list(
    caller: Caller,
    state: web::Data<State>,
) -> Result<web::Json<Vec<SourceView>>, ApiError> {
    let all = state.uploads.list().await?.into_iter().map(|saved| saved.view);
    let may = |view: &SourceView| allows(caller.role, Action::UseSource, view.who == caller.name);
    Ok(web::Json(all.filter(may).collect()))
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
    caller: Caller,
    state: web::Data<State>,
) -> Result<web::Json<ProfileAnswer>, ApiError> {
    let ProfileRequest { options, whole } = request.into_inner();
    Ok(web::Json(read(&state, &caller, &id, options, whole).await?))
}

/// Reads the beginning of a file that is wholly here, or all of it.
pub async fn read(
    state: &State,
    caller: &Caller,
    id: &str,
    options: ImportOptions,
    whole: bool,
) -> Result<ProfileAnswer, ApiError> {
    let saved = complete(state, caller, id).await?;
    let paths = saved.paths();
    let reading = move || source::profile(&paths, &options, whole, &|_| ());
    let profile = web::block(reading).await.map_err(anyhow::Error::from)?.map_err(|error| {
        let mut body = error.body();
        // People know a file by its name, not by where it lies here.
        for path in saved.paths() {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
            let name = name.filter(|_| !saved.referenced.is_empty());
            let name = name.unwrap_or_else(|| saved.view.name.clone());
            body.message = body.message.replace(&*path.to_string_lossy(), &name);
        }
        body
    })?;
    Ok(ProfileAnswer { source: saved.view, profile })
}

/// A file that is wholly here and that the caller may use, wherever a request names it.
pub async fn complete(state: &State, caller: &Caller, id: &str) -> Result<SourceSaved, ApiError> {
    let saved = state.uploads.get(id).await?;
    caller.may(Action::UseSource, Some(&saved.view.who))?;
    if saved.view.complete {
        return Ok(saved);
    }
    let SourceView { name, bytes, received_bytes, .. } = saved.view;
    Err(ApiError::new(
        ErrorCode::Conflict,
        format!("{name} is still arriving: {received_bytes} of {bytes} bytes are here."),
    ))
}
