//! `docs/API.md` tells of every route and every error code that there is, and of no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use plimsoll::http::status_of;
use shared::ErrorCode;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The text of every file in a folder and below it.
fn sources_below(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut texts = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}

/// Headings of the form ### `GET /path`.
fn documented() -> BTreeSet<String> {
    let page = read("docs/API.md");
    let headings = page.lines().filter_map(|l| l.strip_prefix("### `")?.strip_suffix('`'));
    headings.map(str::to_owned).collect()
}

/// Every `.route("/path", web::get()…` and `web::resource("/path") .route(web::get()…`.
fn routed() -> BTreeSet<String> {
    let mut routes = BTreeSet::new();
    for source in sources_below("backend/src/http") {
        let mut path = "";
        for line in source.lines().map(str::trim) {
            let quoted = line.split('"').nth(1).unwrap_or_default();
            if line.contains("web::resource(\"") || line.starts_with(".route(\"") {
                path = quoted;
            }
            let Some(at) = line.find("web::").filter(|_| line.starts_with(".route(")) else {
                continue;
            };
            let method = &line[at + "web::".len()..];
            let method = match method.strip_prefix("method(Method::") {
                Some(named) => named.split(')').next().unwrap(),
                None => method.split('(').next().unwrap(),
            };
            routes.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    routes
}

#[test]
fn every_route_is_documented_and_no_other() {
    let (documented, routed) = (documented(), routed());
    assert!(routed.len() > 25, "{routed:?}");
    let missing: Vec<_> = routed.difference(&documented).collect();
    let invented: Vec<_> = documented.difference(&routed).collect();
    assert!(missing.is_empty() && invented.is_empty(), "{missing:?} {invented:?}");
}

#[test]
fn every_error_code_is_documented_with_its_status() {
    let page = read("docs/API.md");
    let mut documented = BTreeSet::new();
    for row in page.lines().filter(|l| l.starts_with("| ") && l.contains('`')) {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let status: u16 = cells.next().unwrap().parse().unwrap();
        let codes = cells.next().unwrap();
        for code in codes.split('`').skip(1).step_by(2) {
            let parsed = ErrorCode::parse(code);
            assert_eq!(parsed.as_str(), code, "no such code");
            assert_eq!(status_of(parsed).as_u16(), status, "{code}");
            documented.insert(code.to_owned());
        }
    }
    let source = read("shared/src/error.rs");
    let body = source.split("pub enum ErrorCode {").nth(1).unwrap().split("\n}").next().unwrap();
    let variants = body.lines().map(str::trim).filter(|l| !l.starts_with("///") && !l.is_empty());
    let codes: BTreeSet<String> = variants.map(|v| snake(v.trim_end_matches(','))).collect();
    assert_eq!(codes, documented);
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}
