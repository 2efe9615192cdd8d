//! Capacity questions, how right estimates were, and trials.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use shared::capacity::{CapacityAnswer, CapacityRequest, CheckedEstimates, LeaveOut};
use shared::people::Action;
use shared::trial::{TrialKind, TrialPage, TrialRequest, TrialView};

use super::State;
use super::error::ApiError;
use super::rights::Routes;
use super::visitor::Caller;
use super::{sources, targets};
use crate::run::{CapacityInput, RunInput, TrialInput};

/// The routes `/estimate` and those below `/trials`.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/estimate", A::Foresee, web::post().to(capacity))
        .route("/estimate/check", A::Foresee, web::get().to(check))
        .route("/estimate/left-out", A::LeaveOut, web::post().to(leave_out))
        .route("/trials", A::SeeTrials, web::get().to(list))
        .route("/trials", A::StartTrial, web::post().to(start))
        .route("/trials/{id}", A::SeeTrials, web::get().to(get))
        .route("/trials/{id}/cancel", A::CancelTrial, web::post().to(cancel));
}

async fn capacity(
    request: web::Json<CapacityRequest>,
    state: web::Data<State>,
) -> Result<web::Json<CapacityAnswer>, ApiError> {
    let asked = request.into_inner();
    let target = targets::find(&state, &asked.target_id).await?.connection.into();
    let (runs, input) = (state.runs.clone(), CapacityInput { target, asked });
    Ok(web::Json(state.apart(async move { runs.capacity(&input).await }).await??))
}

async fn check(state: web::Data<State>) -> Result<web::Json<CheckedEstimates>, ApiError> {
    Ok(web::Json(state.runs.check_estimates().await?))
}

async fn leave_out(
    request: web::Json<LeaveOut>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    state.runs.leave_out(&request.run_id, request.left_out).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What a request asks for, with its file and its target found.
async fn trial_input(
    state: &State,
    caller: &Caller,
    request: TrialRequest,
) -> Result<TrialInput, ApiError> {
    let saved = targets::find(state, &request.target_id).await?;
    let target: crate::target::TargetSpec = saved.connection.into();
    let race = match (request.kind, &request.source_id, &request.table) {
        (TrialKind::Race, Some(source), Some(table)) => {
            let source = sources::complete(state, caller, source).await?;
            Some(RunInput {
                files: source.paths(),
                file_name: source.view.name,
                source_id: Some(source.view.id),
                target: target.clone(),
                target_id: Some(saved.id.clone()),
                database: request.database.clone(),
                table: table.clone(),
                options: request.options.clone(),
                create_table: None,
                choice: None,
                layout: None,
                who: caller.name.clone(),
                trial: None,
            })
        }
        _ => None,
    };
    Ok(TrialInput {
        kind: request.kind,
        race,
        target,
        target_id: Some(saved.id),
        database: request.database,
        seconds: request.seconds,
        rows_max: request.rows_max,
        engine: request.options.engine,
        who: caller.name.clone(),
    })
}

/// Begins a trial. 202: it goes on by itself.
async fn start(
    request: web::Json<TrialRequest>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let input = trial_input(&state, &caller, request.into_inner()).await?;
    let runs = state.runs.clone();
    let trial = state.apart(async move { runs.start_trial(input).await }).await??;
    Ok(accepted(&trial))
}

fn accepted(trial: &TrialView) -> HttpResponse {
    HttpResponse::Accepted()
        .insert_header((header::LOCATION, format!("/api/v1/trials/{}", trial.id)))
        .json(trial)
}

#[derive(Deserialize)]
struct Which {
    target: Option<String>,
}

async fn list(
    which: web::Query<Which>,
    state: web::Data<State>,
) -> Result<web::Json<TrialPage>, ApiError> {
    let trials = state.store.trials(which.target.as_deref()).await?;
    Ok(web::Json(TrialPage { trials }))
}

async fn get(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<web::Json<TrialView>, ApiError> {
    Ok(web::Json(state.runs.trial(&id).await?))
}

async fn cancel(id: web::Path<String>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    Ok(accepted(&state.runs.cancel_trial(&id).await?))
}
