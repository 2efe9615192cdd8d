//! What the dashboard asks first.

use actix_web::web;
use shared::api::{About, RunQuery};
use shared::people::Action;

use super::State;
use super::error::ApiError;
use super::rights::Routes;
use super::visitor::Caller;

/// The route `/about`.
pub fn routes(routes: &mut Routes<'_>) {
    routes.route("/about", Action::Enter, web::get().to(about));
}

async fn about(caller: Caller, state: web::Data<State>) -> Result<web::Json<About>, ApiError> {
    let mut runs_active = 0;
    for status in ["queued", "running", "reverting"] {
        let query =
            RunQuery { status: Some(status.to_owned()), limit: Some(1), ..RunQuery::default() };
        runs_active += state.store.runs(&query).await?.total;
    }
    Ok(web::Json(About {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        who: caller.name,
        role: caller.role,
        account: caller.session.is_some(),
        upload_bytes_max: state.uploads.limits.bytes_max,
        disk_free_bytes: state.uploads.free_bytes().map_err(anyhow::Error::from)?,
        runs_active,
        files: state.files.is_some(),
    }))
}
