//! Who is let in, and the attacks that a page in the same browser could try.

use plimsoll::http::TokenRule;

use crate::http_client::{Answer, Server};

fn guarded() -> Server {
    Server::start_with(|options| options.token = TokenRule::Random)
}

fn cookie_of(answer: &Answer) -> String {
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// The path and query of the printed address.
fn printed_path(server: &Server) -> String {
    let url = server.url();
    url.split_once("://").unwrap().1.split_once('/').map(|(_, path)| format!("/{path}")).unwrap()
}

#[test]
fn the_printed_address_lets_in_and_nothing_else_does() {
    let server = guarded();
    server.get("/api/v1/about").assert_error(401, "unauthenticated");
    server.get("/api/v1/no/such").assert_error(401, "unauthenticated");
    server.get("/").assert_error(401, "unauthenticated");
    server.get("/?token=wrong").assert_error(401, "unauthenticated");
    let page = server.send("GET /", &[("Accept", "text/html")], b"");
    assert_eq!(page.status, 401);
    assert!(page.text().contains("?token="), "{}", page.text());
    assert_eq!(server.get("/healthz").status, 200);

    let entered = server.get(&printed_path(&server));
    assert_eq!(entered.status, 303);
    assert_eq!(entered.header("location"), Some("/"));
    let attributes = entered.header("set-cookie").unwrap();
    assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Strict"));
    let cookie = cookie_of(&entered);
    assert_eq!(server.send("GET /api/v1/about", &[("Cookie", &cookie)], b"").status, 200);
    let both = format!("other=1; {cookie}");
    assert_eq!(server.send("GET /", &[("Cookie", &both)], b"").status, 200);
    let forged = format!("{cookie}0");
    server.send("GET /", &[("Cookie", &forged)], b"").assert_error(401, "unauthenticated");
}

#[test]
fn a_script_shows_the_token_as_bearer() {
    let server = guarded();
    let url = server.url();
    let bearer = format!("Bearer {}", url.split_once("token=").unwrap().1);
    assert_eq!(server.send("GET /api/v1/about", &[("Authorization", &bearer)], b"").status, 200);
    server
        .send("GET /api/v1/about", &[("Authorization", "Bearer x")], b"")
        .assert_error(401, "unauthenticated");
}

#[test]
fn the_token_leaves_the_address_and_the_rest_of_it_stays() {
    let server = guarded();
    let token = printed_path(&server).replace("/?", "");
    let entered = server.get(&format!("/runs/01ABC?{token}&step=load"));
    assert_eq!(entered.header("location"), Some("/runs/01ABC?step=load"));
    let away = server.get(&format!("//evil.example/?{token}"));
    let location = away.header("location").unwrap_or("/");
    assert!(location.starts_with('/') && !location.starts_with("//"), "{location}");
}

#[test]
fn a_session_outlives_a_restart_and_the_token_does_not() {
    let mut server = guarded();
    let before = printed_path(&server);
    let value = cookie_of(&server.get(&before)).split_once('=').unwrap().1.to_owned();
    server.restart_with(|options| options.token = TokenRule::Random);
    server.get(&before).assert_error(401, "unauthenticated");
    let cookie = format!("plimsoll_{}={value}", server.address().port());
    assert_eq!(server.send("GET /api/v1/about", &[("Cookie", &cookie)], b"").status, 200);
    let key = std::fs::metadata(server.data_dir().join("session.key")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&key.permissions()) & 0o777, 0o600);
}

#[test]
fn a_name_that_someone_else_points_at_us_is_refused() {
    let server = Server::start_with(|o| o.host_names = vec!["load.example".to_owned()]);
    for host in ["evil.example", "evil.example:8620", "127.0.0.1.evil.example", ""] {
        server.send("GET /api/v1/about", &[("Host", host)], b"").assert_error(403, "forbidden");
    }
    for host in ["localhost", "localhost:9999", "127.0.0.1", "[::1]:8620", "load.example"] {
        assert_eq!(server.send("GET /api/v1/about", &[("Host", host)], b"").status, 200, "{host}");
    }
}

#[test]
fn another_sites_page_can_change_nothing() {
    let server = Server::start();
    let own = format!("http://{}", server.address());
    let start = |headers: &[(&str, &str)]| {
        let mut all = vec![("Tus-Resumable", "1.0.0"), ("Upload-Length", "1")];
        all.extend_from_slice(headers);
        server.send("POST /api/v1/uploads", &all, b"").status
    };
    assert_eq!(start(&[]), 201, "a script sends neither header");
    assert_eq!(start(&[("Origin", &own), ("Sec-Fetch-Site", "same-origin")]), 201);
    for headers in [
        [("Origin", "http://evil.example")].as_slice(),
        &[("Origin", "null")],
        &[("Origin", "http://127.0.0.1:1")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Origin", &own), ("Sec-Fetch-Site", "cross-site")],
    ] {
        assert_eq!(start(headers), 403, "{headers:?}");
    }
    for line in ["DELETE /api/v1/sources/x", "PATCH /api/v1/uploads/x", "POST /api/v1/runs"] {
        server.send(line, &[("Origin", "http://evil.example")], b"").assert_error(403, "forbidden");
    }
    let read = server.send("GET /api/v1/about", &[("Origin", "http://evil.example")], b"");
    assert_eq!(read.header("access-control-allow-origin"), None);
}

#[test]
fn every_answer_carries_the_security_headers() {
    let server = guarded();
    for answer in [server.get("/"), server.get("/healthz"), server.get("/api/v1/none")] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(policy.contains("'wasm-unsafe-eval'") && !policy.contains("unsafe-inline"));
        assert!(!policy.contains("'unsafe-eval'"), "{policy}");
    }
}
