//! Who is on the other side of a request.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use shared::people::{Action, PersonView, Role, allows};
use shared::{ErrorBody, ErrorCode};

use super::error::ApiError;

/// Whoever sent a request, known or not.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The address that it came from.
    pub address: String,
    /// Who, where the service knows them.
    pub caller: Option<Caller>,
}

impl FromRequest for Visitor {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = request.extensions().get::<Self>().cloned();
        ready(found.ok_or_else(|| anyhow::anyhow!("the guard was passed by").into()))
    }
}

/// Someone whom the service knows.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The name under which what they do is recorded.
    pub name: String,
    /// What they are.
    pub role: Role,
    /// Their account; none for whoever has the token of the printed address.
    pub person: Option<PersonView>,
    /// The secret of their session; none where a token acts for them.
    pub session: Option<String>,
}

impl Caller {
    /// Someone with an account.
    pub fn of(person: PersonView, session: Option<String>) -> Self {
        Self { name: person.name.clone(), role: person.role, person: Some(person), session }
    }

    /// Lets them do something with a thing of somebody's, or says in a sentence what it needs.
    pub fn may(&self, action: Action, owner: Option<&str>) -> Result<(), ApiError> {
        let own = owner.is_none_or(|owner| owner == self.name);
        if allows(self.role, action, own) {
            return Ok(());
        }
        let (mine, others) = action.needs();
        let (needed, whose) = if own { (mine, "") } else { (others, " for what is not your own") };
        let error = ErrorBody::new(
            ErrorCode::Forbidden,
            format!(
                "This needs the role {}{whose}; yours is {}.",
                needed.as_str(),
                self.role.as_str()
            ),
        );
        Err(error.with_hint("An admin can give you another role.").into())
    }
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = request.extensions().get::<Visitor>().and_then(|v| v.caller.clone());
        ready(found.ok_or_else(login_needed))
    }
}

/// The answer to whoever is not known.
pub fn login_needed() -> ApiError {
    ErrorBody::new(ErrorCode::LoginNeeded, "This needs a login.")
        .with_hint("A script sends a token of someone as `Authorization: Bearer …`.")
        .into()
}
