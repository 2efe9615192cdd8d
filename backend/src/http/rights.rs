//! The one place where the API's routes are made: each names what it does, and nobody does it whom
//! the table of rights does not let. A route cannot be made without.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header;
use actix_web::middleware::{Next, from_fn};
use actix_web::{FromRequest as _, HttpRequest, ResponseError as _, Route, web};
use shared::people::Action;
use shared::{ErrorBody, ErrorCode};

use super::State;
use super::error::{ApiError, no_such_method};
use super::visitor::{Visitor, login_needed};
use crate::store::{Deed, StoreError};

/// Takes the routes of the API.
pub struct Routes<'a>(&'a mut web::ServiceConfig);

impl<'a> Routes<'a> {
    /// Routes that go where these services go.
    pub fn new(config: &'a mut web::ServiceConfig) -> Self {
        Self(config)
    }

    /// A route, and what it does.
    pub fn route(&mut self, path: &str, action: Action, route: Route) -> &mut Self {
        self.0.route(path, gated(action, route));
        self
    }

    /// All routes of a path: other methods are refused by name. `body_bytes_max` is for bodies that
    /// are taken whole.
    pub fn only<const N: usize>(
        &mut self,
        path: &str,
        body_bytes_max: Option<usize>,
        routes: [(Action, Route); N],
    ) -> &mut Self {
        let mut resource = web::resource(path).default_service(web::to(no_such_method));
        if let Some(max) = body_bytes_max {
            resource = resource.app_data(web::PayloadConfig::new(max));
        }
        for (action, route) in routes {
            resource = resource.route(gated(action, route));
        }
        self.0.service(resource);
        self
    }
}

/// What an answer was about, where its address does not say it; for the audit.
#[derive(Debug, Clone)]
pub struct Thing(pub String);

fn gated(action: Action, route: Route) -> Route {
    route.wrap(from_fn(move |request, next| gate(action, request, next)))
}

async fn gate<B: MessageBody + 'static>(
    action: Action,
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    let (state, visitor) = match asked(&mut request).await {
        Ok(asked) => asked,
        Err(error) => return Ok(refuse(request, &error)),
    };
    // Whoever logs in is nobody yet: that is kept where their name is known.
    if action.is_public() {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let thing = thing_of(request.request());
    if let Err(error) = may(action, &request, &state, &visitor).await {
        if error.status_code() == actix_web::http::StatusCode::FORBIDDEN {
            keep(&state, &visitor, action, &thing, &outcome_of(&error)).await;
        }
        return Ok(refuse(request, &error));
    }
    let answer = next.call(request).await?;
    if action.is_audited() {
        let (thing, outcome) = told(&answer, thing);
        keep(&state, &visitor, action, &thing, &outcome).await;
    }
    Ok(answer.map_into_left_body())
}

async fn asked(request: &mut ServiceRequest) -> Result<(web::Data<State>, Visitor), ApiError> {
    let state = request.app_data::<web::Data<State>>().cloned();
    let state = state.ok_or_else(|| anyhow::anyhow!("the gate has no state"))?;
    let (request, payload) = request.parts_mut();
    Ok((state, Visitor::from_request(request, payload).await?))
}

fn refuse<B>(request: ServiceRequest, error: &ApiError) -> ServiceResponse<EitherBody<B>> {
    request.into_response(error.error_response()).map_into_right_body()
}

async fn may(
    action: Action,
    request: &ServiceRequest,
    state: &State,
    visitor: &Visitor,
) -> Result<(), ApiError> {
    let caller = visitor.caller.as_ref().ok_or_else(login_needed)?;
    let owner = owner(action, request, state).await?;
    caller.may(action, owner.as_deref())?;
    if action.needs_login() && caller.session.is_none() {
        let error = ErrorBody::new(ErrorCode::Forbidden, "This needs a login with a password.");
        return Err(error.with_hint("A token cannot do this on someone's behalf.").into());
    }
    Ok(())
}

/// Whose thing the address names. Of nothing that exists, the route itself has to say so.
async fn owner(
    action: Action,
    request: &ServiceRequest,
    state: &State,
) -> Result<Option<String>, StoreError> {
    let Some(id) = request.match_info().get("id") else { return Ok(None) };
    let store = &state.store;
    match action {
        Action::SeeRejects | Action::CancelRun | Action::ResumeRun | Action::MendRun => {
            store.run_who(id).await
        }
        Action::UseSource | Action::RemoveSource => {
            Ok(store.source(id).await?.map(|source| source.view.who))
        }
        Action::RevokeToken => Ok(store.token(id).await?.map(|token| token.who)),
        _ => Ok(None),
    }
}

/// What an address is about: its first part, and the identity in it.
fn thing_of(request: &HttpRequest) -> String {
    let path = request.path().trim_start_matches("/api/v1/");
    let kind = path.split('/').next().unwrap_or_default();
    match request.match_info().get("id") {
        Some(id) => format!("{kind}/{id}"),
        None => path.to_owned(),
    }
}

/// What was done, and how it went: by the answer.
fn told<B>(answer: &ServiceResponse<B>, thing: String) -> (String, String) {
    let response = answer.response();
    let named = response.extensions().get::<Thing>().map(|thing| thing.0.clone());
    let made = response.headers().get(header::LOCATION).and_then(|at| at.to_str().ok());
    let made = made.and_then(|at| at.strip_prefix("/api/v1/")).map(str::to_owned);
    let error = response.error().and_then(|e| e.as_error::<ApiError>());
    let outcome = match error {
        Some(error) => outcome_of(error),
        None if response.status().is_success() => "done".to_owned(),
        None => response.status().as_str().to_owned(),
    };
    (named.or(made).unwrap_or(thing), outcome)
}

/// The code of an error, as the audit has it.
pub fn outcome_of(error: &ApiError) -> String {
    match error {
        ApiError::Expected(body) => body.code.as_str(),
        ApiError::Unexpected(_) => ErrorCode::Internal.as_str(),
    }
}

async fn keep(state: &State, visitor: &Visitor, action: Action, thing: &str, outcome: &str) {
    let who = visitor.caller.as_ref().map_or("", |caller| &caller.name);
    let (address, action) = (&visitor.address, action.as_str());
    note(state, Deed { who, address, action: &action, thing, outcome }).await;
}

/// Adds to the audit. What was done is done: that it cannot be kept is told in the log, loudly.
pub async fn note(state: &State, deed: Deed<'_>) {
    if let Err(error) = state.store.audit_add(deed).await {
        tracing::error!("The audit could not keep {deed:?}: {error}");
    }
}
