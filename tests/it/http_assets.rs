//! The dashboard's files: types, caching, compression, and addresses that are pages.

use std::fs;
use std::io::Read as _;

use crate::http_client::{Answer, Server};

const HASHED: &str = "/plimsoll-0123456789abcdef.js";

/// A service with a dashboard as Trunk lays it out.
fn with_dashboard() -> Server {
    let dist = tempfile::tempdir().unwrap();
    let script = "console.log('plimsoll');".repeat(200);
    let index = "<!doctype html><script type=\"module\">import init from '/x.js';</script>";
    for (name, content) in [
        ("index.html", index.as_bytes()),
        ("plimsoll-0123456789abcdef.js", script.as_bytes()),
        ("plimsoll-0123456789abcdef_bg.wasm", b"\0asm"),
        ("plimsoll-0123456789abcdef_bg.wasm.br", b"packed by brotli"),
        ("assets/mark.svg", b"<svg/>"),
    ] {
        let path = dist.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    Server::start_with(|options| options.dist = Some(dist.path().to_owned()))
}

fn with(server: &Server, path: &str, header: (&str, &str)) -> Answer {
    server.send(&format!("GET {path}"), &[header], b"")
}

#[test]
fn every_page_is_the_dashboard_and_every_file_is_itself() {
    let server = with_dashboard();
    for path in ["/", "/history", "/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/index.html"] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(page.header("cache-control"), Some("private, no-cache"));
        assert!(page.text().contains("import init"));
    }
    let wasm = server.get("/plimsoll-0123456789abcdef_bg.wasm");
    assert_eq!(wasm.header("content-type"), Some("application/wasm"));
    assert_eq!(wasm.body, b"\0asm");
    assert_eq!(server.get("/assets/mark.svg").header("content-type"), Some("image/svg+xml"));
    server.get("/missing.js").assert_error(404, "not_found");
    for path in ["/../Cargo.toml", "/%2e%2e/%2e%2e/etc/passwd.txt", "/assets/..%2f..%2fx.txt"] {
        let answer = server.get(path);
        assert!(!answer.text().contains("root:") && answer.status != 500, "{path}");
    }
    assert_eq!(server.send("POST /history", &[], b"").status, 405);
}

#[test]
fn the_policy_names_the_page_s_own_script() {
    let server = with_dashboard();
    let page = server.get("/");
    let policy = page.header("content-security-policy").unwrap();
    // sha256 of `import init from '/x.js';`, computed with openssl.
    assert!(policy.contains("'sha256-dDeiJ8+z0+Kuw0x0+TpDhzT1pOxaSCEpsCbdBR+E4Kk='"), "{policy}");
}

#[test]
fn hashed_files_are_kept_and_others_asked_for_again() {
    let server = with_dashboard();
    let script = server.get(HASHED);
    assert_eq!(script.header("cache-control"), Some("private, max-age=31536000, immutable"));
    let etag = script.header("etag").unwrap().to_owned();
    let again = with(&server, HASHED, ("If-None-Match", &etag));
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), Some(&*etag));
    assert_eq!(with(&server, HASHED, ("If-None-Match", "\"other\"")).status, 200);
    let head = server.send(&format!("HEAD {HASHED}"), &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn what_is_packed_goes_packed_to_those_who_can_read_it() {
    let server = with_dashboard();
    let wasm = "/plimsoll-0123456789abcdef_bg.wasm";
    let packed = with(&server, wasm, ("Accept-Encoding", "gzip, deflate, br, zstd"));
    assert_eq!(packed.header("content-encoding"), Some("br"));
    assert_eq!(packed.header("content-type"), Some("application/wasm"));
    assert_eq!(packed.header("vary"), Some("Accept-Encoding"));
    assert_eq!(packed.body, b"packed by brotli");
    assert_eq!(with(&server, wasm, ("Accept-Encoding", "br;q=0")).body, b"\0asm");

    let plain = server.get(HASHED);
    assert_eq!(plain.header("content-encoding"), None);
    let packed = with(&server, HASHED, ("Accept-Encoding", "gzip"));
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_ne!(packed.header("etag"), plain.header("etag"));
    assert!(packed.body.len() < plain.body.len() / 10);
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&*packed.body).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
}

#[test]
fn a_binary_without_a_dashboard_says_how_to_build_one() {
    let server = Server::start();
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.text().starts_with("<!doctype html>") || page.text().starts_with("<!DOCTYPE"));
}
