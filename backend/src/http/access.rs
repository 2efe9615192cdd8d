//! Who may talk to the service: the guard that every request passes.
//!
//! A service on a laptop's loopback is reachable by every page in the laptop's browser. So: the
//! Host header must name this machine (a page that rebinds its own name to 127.0.0.1 is refused),
//! what changes anything must come from the dashboard itself. While nobody has an account, nothing
//! is shown without the token of the printed address, and whoever has it is an admin; as soon as
//! anyone has one, the token is worth nothing and a login is asked for. What someone may do once
//! they are known is decided behind, by [`super::rights`].

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, header};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpResponse, ResponseError as _, web};
use sha2::{Digest, Sha256};
use shared::people::Role;
use shared::{ErrorBody, ErrorCode};

use super::error::ApiError;
use super::visitor::{Caller, Visitor};
use crate::people::{People, SESSION_FOR};

/// How the printed address lets people in.
#[derive(Clone, Default)]
pub enum TokenRule {
    /// A token made anew at each start: the rule.
    #[default]
    Random,
    /// This token, for scripts that must know it beforehand.
    Fixed(String),
    /// Anyone who reaches the port may do anything: for development and tests.
    Off,
}

/// What the guard knows.
pub struct Access {
    /// The token in the printed address; none where everyone is let in.
    pub token: Option<String>,
    cookie_name: String,
    cookie_value: String,
    session_name: String,
    host_names: Vec<String>,
    /// Whether the address of a caller is the one that a proxy tells.
    behind_proxy: bool,
    /// The name of whoever has the token.
    who: String,
    people: People,
}

/// What [`Access`] is made of.
pub struct AccessOptions {
    /// How the printed address lets in.
    pub rule: TokenRule,
    /// The port, which is part of the cookies' names: cookies do not tell ports apart.
    pub port: u16,
    /// Names under which the service may be called.
    pub host_names: Vec<String>,
    /// Whether there is a proxy before the service.
    pub behind_proxy: bool,
    /// The name of whoever has the token.
    pub who: String,
}

impl Access {
    /// Settles the token. `session_key` stays the same over restarts, so that an open page goes on
    /// working.
    pub fn new(
        options: AccessOptions,
        session_key: &[u8],
        people: People,
    ) -> Result<Self, getrandom::Error> {
        let AccessOptions { rule, port, host_names, behind_proxy, who } = options;
        let token = match rule {
            TokenRule::Random => {
                let mut bytes = [0; 24];
                getrandom::fill(&mut bytes)?;
                Some(hex(&bytes))
            }
            TokenRule::Fixed(token) => Some(token),
            TokenRule::Off => None,
        };
        let cookie_value = hex(&Sha256::new()
            .chain_update(b"plimsoll session cookie")
            .chain_update(session_key)
            .finalize());
        Ok(Self {
            token,
            cookie_name: format!("plimsoll_{port}"),
            cookie_value,
            session_name: format!("plimsoll_session_{port}"),
            host_names,
            behind_proxy,
            who,
            people,
        })
    }

    /// The accounts.
    pub fn people(&self) -> &People {
        &self.people
    }

    /// Whether the request has the token of the printed address, or the cookie that it set.
    fn has_token(&self, request: &ServiceRequest) -> bool {
        let Some(token) = &self.token else { return true };
        let cookie =
            cookies(request, &self.cookie_name).any(|value| same(value, &self.cookie_value));
        cookie || bearer(request).is_some_and(|given| same(given, token))
    }

    /// Who has logged in, or for whom a token acts.
    async fn account(&self, request: &ServiceRequest) -> Result<Option<Caller>, ApiError> {
        for secret in cookies(request, &self.session_name) {
            if let Some(person) = self.people.by_session(secret).await? {
                return Ok(Some(Caller::of(person, Some(secret.to_owned()))));
            }
        }
        let Some(secret) = bearer(request) else { return Ok(None) };
        Ok(self.people.by_token(secret).await?.map(|person| Caller::of(person, None)))
    }

    /// The address that a request comes from.
    fn address(&self, request: &ServiceRequest) -> String {
        let peer = || request.peer_addr().map(|peer| peer.ip().to_string()).unwrap_or_default();
        // Only the last one is the proxy's word; those before it are anyone's.
        let told = header_text(request, header::HeaderName::from_static("x-forwarded-for"))
            .and_then(|all| all.rsplit(',').next())
            .and_then(|last| last.trim().parse::<std::net::IpAddr>().ok());
        match told {
            Some(told) if self.behind_proxy => told.to_string(),
            _ => peer(),
        }
    }

    /// The cookie of a session; only over TLS where the page came by it.
    pub fn session_cookie(&self, secret: &str, by_tls: bool) -> String {
        let secure = if by_tls { "; Secure" } else { "" };
        format!(
            "{}={secret}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{secure}",
            self.session_name,
            SESSION_FOR.as_secs()
        )
    }

    /// Takes the cookie of a session away.
    pub fn no_session_cookie(&self) -> String {
        format!("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict", self.session_name)
    }

    /// Whether the Host header names this machine. Addresses are always right: only a name can be
    /// made to point here by someone else.
    fn is_ours(&self, host: &str) -> bool {
        let name = host_name(host);
        name.parse::<std::net::IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.host_names.iter().any(|ours| ours.eq_ignore_ascii_case(name))
    }

    /// For thirty days, out of reach of scripts and of other sites' requests.
    fn set_cookie(&self) -> String {
        format!(
            "{}={}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict",
            self.cookie_name, self.cookie_value
        )
    }
}

/// Finds out who asks, and lets them through or says in a sentence why not.
pub async fn guard<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    let Some(access) = request.app_data::<web::Data<Access>>().cloned() else {
        return Err(ApiError::from(anyhow::anyhow!("the guard has no rules")).into());
    };
    let refused = match foreign(&access, &request) {
        Some(answer) => Err(answer),
        None => visitor(&access, &request).await,
    };
    match refused {
        Ok(visitor) => {
            request.extensions_mut().insert(visitor);
            Ok(next.call(request).await?.map_into_left_body())
        }
        Err(answer) => Ok(request.into_response(answer).map_into_right_body()),
    }
}

/// The refusal of a request that other sites may be behind.
fn foreign(access: &Access, request: &ServiceRequest) -> Option<HttpResponse> {
    let host = header_text(request, header::HOST)
        .or_else(|| request.uri().authority().map(|a| a.as_str()))
        .unwrap_or_default();
    if !access.is_ours(host) {
        let error = ErrorBody::new(
            ErrorCode::Forbidden,
            format!("This service does not answer under the name {:?}.", host_name(host)),
        )
        .with_hint("Use the printed address, or start it with --host-name for a name of its own.");
        return Some(ApiError::from(error).error_response());
    }
    if !is_safe(request.method()) && !is_own_page(request, host) {
        let error = ErrorBody::new(
            ErrorCode::Forbidden,
            "Another site's page asked for this; only the dashboard itself may.",
        );
        return Some(ApiError::from(error).error_response());
    }
    None
}

/// Who asks. Where there are accounts, strangers go on too: the dashboard has the page to log in
/// by, and the API lets in nobody whom it does not know.
async fn visitor(access: &Access, request: &ServiceRequest) -> Result<Visitor, HttpResponse> {
    let address = access.address(request);
    let find = async {
        if !access.people.any().await? {
            return Ok(None);
        }
        Ok::<_, ApiError>(Some(access.account(request).await?))
    };
    if let Some(caller) = find.await.map_err(|error| error.error_response())? {
        return Ok(Visitor { address, caller });
    }
    let free = matches!(request.path(), "/healthz" | "/readyz");
    if let Some(answer) = sign_in(access, request) {
        return Err(answer);
    }
    if !free && !access.has_token(request) {
        return Err(ask_to_sign_in(request));
    }
    let caller =
        Caller { name: access.who.clone(), role: Role::Admin, person: None, session: None };
    Ok(Visitor { address, caller: Some(caller) })
}

/// A GET with the right token sets the cookie and goes on without the token, so that it stays out
/// of the browser's history and of the Referer header.
fn sign_in(access: &Access, request: &ServiceRequest) -> Option<HttpResponse> {
    if request.method() != Method::GET {
        return None;
    }
    let token = access.token.as_ref()?;
    let mut given = None;
    let mut rest = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(request.query_string().as_bytes()) {
        if name == "token" {
            given = Some(value.into_owned());
        } else {
            rest.append_pair(&name, &value);
        }
    }
    let given = given?;
    if !same(&given, token) {
        return Some(ask_to_sign_in(request));
    }
    let rest = rest.finish();
    // One slash only: `//other.example` would lead away.
    let path = format!("/{}", request.path().trim_start_matches(['/', '\\']));
    let to = if rest.is_empty() { path } else { format!("{path}?{rest}") };
    Some(
        HttpResponse::SeeOther()
            .insert_header((header::LOCATION, to))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .insert_header((header::SET_COOKIE, access.set_cookie()))
            .finish(),
    )
}

fn ask_to_sign_in(request: &ServiceRequest) -> HttpResponse {
    const SENTENCE: &str = "This page opens with the address that the service printed when it \
                            started: it ends in ?token=….";
    let wants_page = header_text(request, header::ACCEPT).is_some_and(|a| a.contains("text/html"));
    if wants_page {
        return HttpResponse::Unauthorized()
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .content_type("text/html; charset=utf-8")
            .body(format!(
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
                 <title>Plimsoll</title><h1>Not signed in</h1><p>{SENTENCE}</p></html>"
            ));
    }
    ApiError::from(
        ErrorBody::new(ErrorCode::Unauthenticated, SENTENCE)
            .with_hint("A script sends the token as `Authorization: Bearer …`."),
    )
    .error_response()
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a request that changes something comes from our own page, or from no page at all:
/// browsers name the page's origin with every such request, scripts name none.
fn is_own_page(request: &ServiceRequest, host: &str) -> bool {
    let site_is_ours = header_text(request, header::HeaderName::from_static("sec-fetch-site"))
        .is_none_or(|site| matches!(site, "same-origin" | "none"));
    let origin_is_ours = match request.headers().get(header::ORIGIN) {
        None => true,
        Some(origin) => origin
            .to_str()
            .ok()
            .and_then(|o| o.strip_prefix("http://").or_else(|| o.strip_prefix("https://")))
            .is_some_and(|o| o.eq_ignore_ascii_case(host)),
    };
    site_is_ours && origin_is_ours
}

/// The values of the cookies of a name.
fn cookies<'a>(request: &'a ServiceRequest, name: &'a str) -> impl Iterator<Item = &'a str> {
    request
        .headers()
        .get_all(header::COOKIE)
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(move |(n, value)| (n == name).then_some(value))
}

/// What stands behind `Authorization: Bearer`.
fn bearer(request: &ServiceRequest) -> Option<&str> {
    header_text(request, header::AUTHORIZATION)?.strip_prefix("Bearer ").map(str::trim)
}

fn header_text(request: &ServiceRequest, name: header::HeaderName) -> Option<&str> {
    request.headers().get(name).and_then(|v| v.to_str().ok())
}

/// `host[:port]` without its port and brackets.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

/// Compares digests, so that the time taken tells nothing of the secret.
fn same(a: &str, b: &str) -> bool {
    Sha256::digest(a.as_bytes()) == Sha256::digest(b.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_without_port_and_brackets() {
        for (host, name) in [
            ("localhost:8620", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]:8620", "::1"),
            ("", ""),
        ] {
            assert_eq!(host_name(host), name, "{host}");
        }
    }

    #[tokio::test]
    async fn only_addresses_localhost_and_given_names_are_ours() {
        let dir = tempfile::tempdir().unwrap();
        let store = crate::store::Store::open(dir.path(), None).await.unwrap();
        let options = AccessOptions {
            rule: TokenRule::Off,
            port: 1,
            host_names: vec!["load.example".to_owned()],
            behind_proxy: false,
            who: "amy".to_owned(),
        };
        let people = People::new(store, crate::people::system_clock());
        let access = Access::new(options, b"", people).unwrap();
        for host in ["127.0.0.1:1", "[::1]:1", "localhost", "LOCALHOST:9", "load.example:80"] {
            assert!(access.is_ours(host), "{host}");
        }
        for host in ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:1"] {
            assert!(!access.is_ours(host), "{host}");
        }
    }
}
