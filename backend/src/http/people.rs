//! Logging in and out, one's own account, and people as admins see them.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use shared::ErrorCode;
use shared::people::{
    AcceptInvitation, Action, Invitation, Login, NewPerson, NewToken, PasswordChange, PersonChange,
    PersonView, TokenMade, TokenView,
};

use super::State;
use super::access::Access;
use super::error::ApiError;
use super::rights::{self, Routes, Thing};
use super::visitor::{Caller, Visitor, login_needed};
use crate::people::{PeopleError, Session};
use crate::store::Deed;

impl From<PeopleError> for ApiError {
    fn from(error: PeopleError) -> Self {
        match error.body() {
            body if body.code == ErrorCode::Internal => Self::Unexpected(error.into()),
            body => body.into(),
        }
    }
}

/// The routes of logging in, of one's account and of people.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/login", A::LogIn, web::post().to(log_in))
        .route("/invitation", A::AcceptInvitation, web::post().to(accept))
        .route("/logout", A::LogOut, web::post().to(log_out))
        .route("/account/password", A::ChangePassword, web::post().to(change_password))
        .route("/tokens", A::Enter, web::get().to(tokens))
        .route("/tokens", A::MakeToken, web::post().to(make_token))
        .route("/tokens/{id}", A::RevokeToken, web::delete().to(revoke_token))
        .route("/people", A::SeePeople, web::get().to(list))
        .route("/people", A::AddPerson, web::post().to(add))
        .route("/people/{id}", A::ChangePerson, web::post().to(change))
        .route("/people/{id}/invitation", A::InvitePerson, web::post().to(invite))
        .route("/people/{id}/tokens", A::SeePeople, web::get().to(tokens_of));
}

async fn log_in(
    request: HttpRequest,
    login: web::Json<Login>,
    visitor: Visitor,
    access: web::Data<Access>,
    state: web::Data<State>,
) -> HttpResponse {
    let Login { name, password } = login.into_inner();
    let begun = access.people().log_in(&name, &password, &visitor.address).await;
    entered(&request, &state, &access, &visitor, Action::LogIn, &name, begun).await
}

async fn accept(
    request: HttpRequest,
    accept: web::Json<AcceptInvitation>,
    visitor: Visitor,
    access: web::Data<Access>,
    state: web::Data<State>,
) -> HttpResponse {
    let AcceptInvitation { code, password } = accept.into_inner();
    let begun = access.people().accept(&code, &password, &visitor.address).await;
    let name = begun.as_ref().map(|session| session.person.name.clone()).unwrap_or_default();
    entered(&request, &state, &access, &visitor, Action::AcceptInvitation, &name, begun).await
}

/// Lets someone in with a cookie, or not, and keeps that they tried.
async fn entered(
    request: &HttpRequest,
    state: &State,
    access: &Access,
    visitor: &Visitor,
    action: Action,
    name: &str,
    begun: Result<Session, PeopleError>,
) -> HttpResponse {
    let begun = begun.map_err(ApiError::from);
    let outcome = begun.as_ref().map_or_else(rights::outcome_of, |_| "done".to_owned());
    let (action, address) = (action.as_str(), &visitor.address);
    let deed = Deed { who: name, address, action: &action, thing: "", outcome: &outcome };
    rights::note(state, deed).await;
    match begun {
        Ok(Session { person, secret }) => HttpResponse::Ok()
            .insert_header((header::SET_COOKIE, access.session_cookie(&secret, by_tls(request))))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .json(person),
        Err(error) => error.error_response(),
    }
}

/// Whether the browser sees the page over TLS: behind a proxy only it knows.
fn by_tls(request: &HttpRequest) -> bool {
    let origin = request.headers().get(header::ORIGIN);
    origin.and_then(|o| o.to_str().ok()).is_some_and(|o| o.starts_with("https://"))
}

async fn log_out(caller: Caller, access: web::Data<Access>) -> Result<HttpResponse, ApiError> {
    let session = session(caller)?;
    access.people().log_out(&session.secret).await?;
    Ok(HttpResponse::NoContent()
        .insert_header((header::SET_COOKIE, access.no_session_cookie()))
        .finish())
}

/// The caller's own session; whoever acts by a token or by the printed address has none.
fn session(caller: Caller) -> Result<Session, ApiError> {
    match (caller.person, caller.session) {
        (Some(person), Some(secret)) => Ok(Session { person, secret }),
        _ => Err(login_needed()),
    }
}

async fn change_password(
    change: web::Json<PasswordChange>,
    caller: Caller,
    visitor: Visitor,
    access: web::Data<Access>,
) -> Result<HttpResponse, ApiError> {
    let session = session(caller)?;
    let PasswordChange { old, new } = change.into_inner();
    access.people().change_password(&session, &old, &new, &visitor.address).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn tokens(
    caller: Caller,
    state: web::Data<State>,
) -> Result<web::Json<Vec<TokenView>>, ApiError> {
    let Some(person) = caller.person else { return Ok(web::Json(Vec::new())) };
    Ok(web::Json(state.store.tokens(Some(&person.id)).await?))
}

async fn make_token(
    new: web::Json<NewToken>,
    caller: Caller,
    access: web::Data<Access>,
) -> Result<HttpResponse, ApiError> {
    let made: TokenMade = access.people().make_token(&session(caller)?.person, &new).await?;
    let token = &made.token;
    let thing = format!("tokens/{} ({}, {})", token.id, token.name, token.role.as_str());
    Ok(about(HttpResponse::Created().json(&made), thing))
}

async fn revoke_token(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    if !state.store.token_delete(&id).await? {
        return Err(ApiError::not_found("token", &id));
    }
    Ok(HttpResponse::NoContent().finish())
}

async fn list(state: web::Data<State>) -> Result<web::Json<Vec<PersonView>>, ApiError> {
    Ok(web::Json(state.store.people().await?.into_iter().map(|p| p.view).collect()))
}

async fn add(
    new: web::Json<NewPerson>,
    access: web::Data<Access>,
) -> Result<HttpResponse, ApiError> {
    Ok(invited(HttpResponse::Created().json(access.people().add(&new.name, new.role).await?), &new))
}

fn invited(answer: HttpResponse, new: &NewPerson) -> HttpResponse {
    about(answer, format!("people/{} ({})", new.name.trim(), new.role.as_str()))
}

async fn change(
    id: web::Path<String>,
    change: web::Json<PersonChange>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    if !state.store.person_change(&id, change.role, change.disabled).await? {
        return Err(ApiError::not_found("person", &id));
    }
    let person =
        state.store.person(&id).await?.ok_or_else(|| ApiError::not_found("person", &id))?;
    let person = person.view;
    let out = if person.disabled { ", kept out" } else { "" };
    let thing = format!("people/{} ({}{out})", person.name, person.role.as_str());
    Ok(about(HttpResponse::Ok().json(&person), thing))
}

async fn invite(
    id: web::Path<String>,
    access: web::Data<Access>,
) -> Result<HttpResponse, ApiError> {
    let invitation: Invitation = access.people().invite(&id).await?;
    let thing = format!("people/{}", invitation.person.name);
    Ok(about(HttpResponse::Created().json(&invitation), thing))
}

async fn tokens_of(
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<web::Json<Vec<TokenView>>, ApiError> {
    Ok(web::Json(state.store.tokens(Some(&id)).await?))
}

/// An answer that tells the audit what it was about.
pub fn about(mut answer: HttpResponse, thing: String) -> HttpResponse {
    answer.extensions_mut().insert(Thing(thing));
    answer
}
