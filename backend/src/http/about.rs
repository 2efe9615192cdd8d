//! What the dashboard asks first.

use actix_web::web;
use shared::api::{About, RunQuery};

use super::State;
use super::error::ApiError;

/// `GET /about`.
pub async fn about(state: web::Data<State>) -> Result<web::Json<About>, ApiError> {
    let mut runs_active = 0;
    for status in ["queued", "running", "reverting"] {
        let query =
            RunQuery { status: Some(status.to_owned()), limit: Some(1), ..RunQuery::default() };
        runs_active += state.store.runs(&query).await?.total;
    }
    Ok(web::Json(About {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        who: state.who.clone(),
        upload_bytes_max: state.uploads.limits.bytes_max,
        disk_free_bytes: state.uploads.free_bytes().map_err(anyhow::Error::from)?,
        runs_active,
        files: state.files.is_some(),
    }))
}
