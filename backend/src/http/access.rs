//! Who may talk to the service: the guard that every request passes.
//!
//! A service on a laptop's loopback is reachable by every page in the laptop's browser. So: the
//! Host header must name this machine (a page that rebinds its own name to 127.0.0.1 is refused),
//! what changes anything must come from the dashboard itself, and without the token of the printed
//! address nothing is shown at all.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, header};
use actix_web::middleware::Next;
use actix_web::{HttpResponse, ResponseError, web};
use sha2::{Digest, Sha256};
use shared::{ErrorBody, ErrorCode};

use super::error::ApiError;

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
    host_names: Vec<String>,
}

impl Access {
    /// Settles the token. `session_key` stays the same over restarts, so that an open page goes on
    /// working; the cookie's name carries the port, because cookies do not tell ports apart.
    pub fn new(
        rule: TokenRule,
        session_key: &[u8],
        port: u16,
        host_names: Vec<String>,
    ) -> Result<Self, getrandom::Error> {
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
        Ok(Self { token, cookie_name: format!("plimsoll_{port}"), cookie_value, host_names })
    }

    fn knows(&self, request: &ServiceRequest) -> bool {
        let Some(token) = &self.token else { return true };
        let cookie = request
            .headers()
            .get_all(header::COOKIE)
            .filter_map(|v| v.to_str().ok())
            .flat_map(|v| v.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == self.cookie_name && same(value, &self.cookie_value));
        let bearer = header_text(request, header::AUTHORIZATION)
            .and_then(|value| value.strip_prefix("Bearer "))
            .is_some_and(|given| same(given.trim(), token));
        cookie || bearer
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

/// Lets a request through, or says in a sentence why not.
pub async fn guard<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    let Some(access) = request.app_data::<web::Data<Access>>().cloned() else {
        return Err(ApiError::from(anyhow::anyhow!("the guard has no rules")).into());
    };
    match refusal(&access, &request) {
        None => Ok(next.call(request).await?.map_into_left_body()),
        Some(answer) => Ok(request.into_response(answer).map_into_right_body()),
    }
}

fn refusal(access: &Access, request: &ServiceRequest) -> Option<HttpResponse> {
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
    if matches!(request.path(), "/healthz" | "/readyz") || access.knows(request) {
        return sign_in(access, request);
    }
    sign_in(access, request).or_else(|| Some(ask_to_sign_in(request)))
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

    #[test]
    fn only_addresses_localhost_and_given_names_are_ours() {
        let access = Access::new(TokenRule::Off, b"", 1, vec!["load.example".to_owned()]).unwrap();
        for host in ["127.0.0.1:1", "[::1]:1", "localhost", "LOCALHOST:9", "load.example:80"] {
            assert!(access.is_ours(host), "{host}");
        }
        for host in ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:1"] {
            assert!(!access.is_ours(host), "{host}");
        }
    }
}
