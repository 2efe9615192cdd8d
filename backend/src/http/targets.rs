//! Saved targets, and what their servers say when asked.

use actix_web::{HttpResponse, web};
use mysql_async::Conn;
use shared::ErrorCode;
use shared::api::Databases;
use shared::people::{Action, allows};
use shared::target::{Capabilities, NewTarget, TableFacts, TableSummary, TargetView};

use super::State;
use super::error::ApiError;
use super::people::about;
use super::rights::Routes;
use super::visitor::Caller;
use crate::store::TargetSaved;
use crate::target::{self, TargetError, TargetSpec};

/// The routes below `/targets`.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/targets", A::SeeTargets, web::get().to(list))
        .route("/targets", A::AddTarget, web::post().to(add))
        .route("/targets/test", A::TestTarget, web::post().to(test))
        .route("/targets/{id}", A::RemoveTarget, web::delete().to(delete))
        .route("/targets/{id}/capabilities", A::InspectTarget, web::get().to(capabilities))
        .route("/targets/{id}/databases", A::InspectTarget, web::get().to(databases))
        .route("/targets/{id}/databases/{db}/tables", A::InspectTarget, web::get().to(tables))
        .route(
            "/targets/{id}/databases/{db}/tables/{table}",
            A::InspectTarget,
            web::get().to(table),
        );
}

/// A saved target, or the sentence that there is none.
pub async fn find(state: &State, id: &str) -> Result<TargetSaved, ApiError> {
    state.store.target(id).await?.ok_or_else(|| ApiError::not_found("target", id))
}

/// All targets; where they are and under which user is for those who settle them.
async fn list(
    caller: Caller,
    state: web::Data<State>,
) -> Result<web::Json<Vec<TargetView>>, ApiError> {
    let all = state.store.targets().await?;
    let mut views: Vec<TargetView> = all.iter().map(TargetSaved::view).collect();
    if !allows(caller.role, Action::AddTarget, false) {
        views.iter_mut().for_each(|view| view.address.clear());
    }
    Ok(web::Json(views))
}

async fn add(new: web::Json<NewTarget>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    let mut new = new.into_inner();
    new.name = new.name.trim().to_owned();
    check(&new)?;
    let saved = state.store.target_insert(&new, false).await?;
    let view = saved.view();
    let thing = format!("targets/{} ({})", view.name, view.address);
    Ok(about(HttpResponse::Created().json(view), thing))
}

/// Connects with what was typed and tells what was found; nothing is saved.
async fn test(new: web::Json<NewTarget>) -> Result<HttpResponse, ApiError> {
    let new = new.into_inner();
    check(&new)?;
    let thing = format!("targets/{} ({}@{}:{})", new.name, new.user, new.host, new.port);
    let found = ask(new.into(), async |conn| target::capabilities(conn).await).await?;
    Ok(about(HttpResponse::Ok().json(found), thing))
}

async fn delete(id: web::Path<String>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    let target = find(&state, &id).await?;
    if target.sandbox {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            "The sandbox belongs to the service and cannot be removed.",
        ));
    }
    state.store.target_delete(&id).await?;
    Ok(about(HttpResponse::NoContent().finish(), format!("targets/{}", target.view().name)))
}

async fn capabilities(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<web::Json<Capabilities>, ApiError> {
    let spec = find(&state, &id).await?.connection.into();
    ask(spec, async |conn| target::capabilities(conn).await).await.map(web::Json)
}

async fn databases(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<web::Json<Databases>, ApiError> {
    let spec = find(&state, &id).await?.connection.into();
    let databases = ask(spec, async |conn| target::databases(conn).await).await?;
    Ok(web::Json(Databases { databases }))
}

async fn tables(
    path: web::Path<(String, String)>,
    state: web::Data<State>,
) -> Result<web::Json<Vec<TableSummary>>, ApiError> {
    let (id, database) = path.into_inner();
    let spec = find(&state, &id).await?.connection.into();
    ask(spec, async |conn| target::tables(conn, &database).await).await.map(web::Json)
}

async fn table(
    path: web::Path<(String, String, String)>,
    state: web::Data<State>,
) -> Result<web::Json<TableFacts>, ApiError> {
    let (id, database, name) = path.into_inner();
    let spec = find(&state, &id).await?.connection.into();
    let facts = ask(spec, async |conn| target::table_facts(conn, &database, &name).await).await?;
    facts.map(web::Json).ok_or_else(|| {
        ApiError::new(ErrorCode::NoSuchTable, format!("There is no table {name} in {database}."))
    })
}

/// Opens a connection, asks, and parts from the server in peace.
async fn ask<T>(
    spec: TargetSpec,
    question: impl AsyncFnOnce(&mut Conn) -> Result<T, TargetError>,
) -> Result<T, ApiError> {
    let mut conn = target::connect(&spec).await?;
    let answer = question(&mut conn).await;
    // The answer is here; how the parting goes changes nothing.
    let _ = conn.disconnect().await;
    Ok(answer?)
}

/// What can be told of a target without connecting.
fn check(new: &NewTarget) -> Result<(), ApiError> {
    let has_socket = new.socket.as_ref().is_some_and(|s| !s.is_empty());
    let wrong = match new {
        _ if new.name.is_empty() => "A target needs a name.",
        _ if new.name.chars().count() > 100 => "A target's name has 100 characters at most.",
        _ if new.name.chars().any(char::is_control) => "A target's name is one line of text.",
        _ if new.user.is_empty() => "A target needs a user.",
        _ if new.host.is_empty() && !has_socket => "A target needs a host or a socket.",
        _ if new.port == 0 && !has_socket => "A target's port is a number from 1 to 65535.",
        _ => return Ok(()),
    };
    Err(ApiError::new(ErrorCode::BadOption, wrong))
}
