//! For whoever watches over the service: is it there, and can it work.

use actix_web::{HttpResponse, web};
use serde_json::json;

use super::State;
use super::error::ApiError;

/// The process answers.
pub async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "ok"}))
}

/// The control database answers and the data folder can be asked.
pub async fn readyz(state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    let database = state.store.targets().await.map(drop).map_err(|e| e.to_string());
    let disk = state.uploads.free_bytes().map_err(|e| e.to_string());
    match (database, disk) {
        (Ok(()), Ok(_)) => Ok(HttpResponse::Ok().json(json!({"status": "ready"}))),
        (database, disk) => {
            let why = database.err().or(disk.err()).unwrap_or_default();
            tracing::error!("not ready: {why}");
            Ok(HttpResponse::ServiceUnavailable().json(json!({"status": "not ready"})))
        }
    }
}
