//! Plans, checks and runs: asked for, watched, cancelled, resumed; rejects.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use shared::ErrorCode;
use shared::api::{CheckAnswer, PlanRequest, RejectPage};
use shared::people::Action;
use shared::plan::PlanView;
use shared::run::RunView;

use super::State;
use super::error::ApiError;
use super::rights::Routes;
use super::visitor::Caller;
use super::{csv, recipes, rejects, sources, targets, uploads};
use crate::run::RunInput;

/// Rejects to a page where the caller names no number, and at most.
const PAGE_REJECTS: u64 = 100;
const PAGE_REJECTS_MAX: u64 = 1000;

/// Bytes of mended records in one request.
const MENDED_BYTES_MAX: usize = 256 << 20;

/// The routes `/plan` and `/check` and those below `/runs`.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/plan", A::Plan, web::post().to(plan))
        .route("/check", A::Plan, web::post().to(check))
        .route("/runs", A::StartRun, web::post().to(start))
        .route("/runs/{id}", A::SeeRuns, web::get().to(get))
        .route("/runs/{id}/events", A::SeeRuns, web::get().to(super::events::follow))
        .route("/runs/{id}/cancel", A::CancelRun, web::post().to(cancel))
        .route("/runs/{id}/resume", A::ResumeRun, web::post().to(resume))
        .route("/runs/{id}/rejects", A::SeeRejects, web::get().to(reject_page))
        .route("/runs/{id}/rejects.csv", A::SeeRejects, web::get().to(rejects_csv))
        .route("/runs/{id}/records", A::SeeRejects, web::get().to(records))
        .only("/runs/{id}/mend", Some(MENDED_BYTES_MAX), [(A::MendRun, web::post().to(mend))]);
}

/// What a request asks for, with its file and its target found.
async fn input(state: &State, caller: &Caller, request: PlanRequest) -> Result<RunInput, ApiError> {
    let source = sources::complete(state, caller, &request.source_id).await?;
    let target = targets::find(state, &request.target_id).await?;
    Ok(RunInput {
        files: source.paths(),
        file_name: source.view.name,
        source_id: Some(source.view.id),
        target: target.connection.into(),
        target_id: Some(target.id),
        database: request.database,
        table: request.table,
        options: recipes::options(state, request.recipe.as_deref(), request.options).await?,
        create_table: request.create_table,
        choice: request.choice,
        layout: None,
        who: caller.name.clone(),
        trial: None,
    })
}

async fn plan(
    request: web::Json<PlanRequest>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<web::Json<PlanView>, ApiError> {
    let input = input(&state, &caller, request.into_inner()).await?;
    let runs = state.runs.clone();
    Ok(web::Json(state.apart(async move { runs.plan(&input).await }).await??))
}

async fn check(
    request: web::Json<PlanRequest>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<web::Json<CheckAnswer>, ApiError> {
    let input = input(&state, &caller, request.into_inner()).await?;
    let runs = state.runs.clone();
    Ok(web::Json(state.apart(async move { runs.check(&input).await }).await??))
}

/// Begins a run. 202: it goes on by itself, and its events tell how.
async fn start(
    request: web::Json<PlanRequest>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let request = request.into_inner();
    let recipe = request.recipe.clone().or_else(|| request.from_recipe.clone());
    let input = input(&state, &caller, request).await?;
    let runs = state.runs.clone();
    let run = state.apart(async move { runs.start(input).await }).await??;
    if let Some(name) = recipe {
        state.store.recipe_used(&name).await?;
    }
    Ok(accepted(&run))
}

fn accepted(run: &RunView) -> HttpResponse {
    HttpResponse::Accepted()
        .insert_header((header::LOCATION, format!("/api/v1/runs/{}", run.run_id)))
        .json(run)
}

async fn cancel(id: web::Path<String>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    let runs = state.runs.clone();
    let run = state.apart(async move { runs.cancel(&id).await }).await??;
    Ok(accepted(&run))
}

async fn resume(
    id: web::Path<String>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let (runs, who) = (state.runs.clone(), caller.name);
    let run = state.apart(async move { runs.resume(&id, &who).await }).await??;
    Ok(accepted(&run))
}

async fn get(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<web::Json<RunView>, ApiError> {
    Ok(web::Json(state.runs.view(&id).await?))
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    offset: u64,
    limit: Option<u64>,
    /// Records are cut to so many characters: for a page that shows only their beginnings.
    raw_chars: Option<usize>,
}

async fn reject_page(
    id: web::Path<String>,
    page: web::Query<Page>,
    state: web::Data<State>,
) -> Result<web::Json<RejectPage>, ApiError> {
    let limit = page.limit.unwrap_or(PAGE_REJECTS).min(PAGE_REJECTS_MAX);
    let Page { offset, raw_chars, .. } = page.into_inner();
    let runs = state.runs.clone();
    let mut found = state.apart(async move { runs.rejects(&id, offset, limit).await }).await??;
    if let Some(chars) = raw_chars {
        for reject in &mut found.rejects {
            cut(&mut reject.raw, chars);
        }
    }
    Ok(web::Json(found))
}

fn cut(text: &mut Option<String>, chars: usize) {
    if let Some(text) = text
        && let Some((at, _)) = text.char_indices().nth(chars)
    {
        text.truncate(at);
        text.push('…');
    }
}

async fn rejects_csv(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let run = state.runs.view(&id).await?;
    let path = state.store.run_dir(&run.run_id).join(rejects::FILE);
    Ok(HttpResponse::Ok()
        .content_type(csv::CONTENT_TYPE)
        .insert_header((header::CONTENT_DISPOSITION, rejects::disposition(&run.file)))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .streaming(rejects::stream(path)))
}

/// The refused records as they stand in the file, to be mended.
async fn records(id: web::Path<String>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    let run = state.runs.view(&id).await?;
    // What cannot be written is told before the answer begins.
    state.runs.can_mend(&run.run_id).await?;
    let (pieces, stream) = rejects::pieces();
    let runs = state.runs.clone();
    state.runtime.spawn(async move {
        if let Err(error) = runs.write_records(&run.run_id, pieces).await {
            tracing::warn!("The records of run {} cannot be written: {error}", run.run_id);
        }
    });
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .streaming(stream))
}

/// Loads mended records into the run's table. 202, as for any run.
async fn mend(
    id: web::Path<String>,
    records: web::Bytes,
    caller: Caller,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let run = state.runs.view(&id).await?;
    let target_id = run.target_id.clone().ok_or_else(|| {
        ApiError::new(ErrorCode::NotFound, "The target of this run is not a saved one.")
    })?;
    let target = targets::find(&state, &target_id).await?;
    let kept = uploads::keep(&state, &caller.name, &run.file, &records).await?;
    let mended =
        state.runs.mended(&id, kept.path.clone(), target.connection.into(), &caller.name).await;
    let mut input = match mended {
        Ok(input) => input,
        Err(error) => {
            uploads::delete(&state, &kept.view.id).await?;
            return Err(error.into());
        }
    };
    input.source_id = Some(kept.view.id);
    let runs = state.runs.clone();
    let run = state.apart(async move { runs.start(input).await }).await??;
    Ok(accepted(&run))
}
