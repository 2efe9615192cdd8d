//! `docs/API.md` tells of every route and every error code that there is, and of no other.

use std::collections::{BTreeMap, BTreeSet};
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

const METHODS: [&str; 6] = ["get()", "post()", "head()", "patch()", "delete()", "method("];

/// Every route that the sources make, with the action that it names, if it names one: what stands
/// as `"/path", A::Name, web::get()` and `"/path", … (A::Name, web::get()…`.
pub fn routed() -> BTreeMap<String, Option<String>> {
    let mut routes = BTreeMap::new();
    for source in sources_below("backend/src/http") {
        let words: Vec<&str> = source.split_whitespace().collect();
        let source = words.join(" ").replace("( \"", "(\"");
        let (mut rest, mut path) = (source.as_str(), "");
        while let Some(at) = rest.find("web::") {
            let (before, after) = rest.split_at(at);
            let made = [".route(\"", ".only(\""].iter().filter_map(|m| before.rfind(m)).max();
            if let Some(made) = made {
                path = before[made..].split('"').nth(1).unwrap();
            }
            let method = &after["web::".len()..];
            if METHODS.iter().any(|m| method.starts_with(m)) {
                let method = match method.strip_prefix("method(Method::") {
                    Some(named) => named.split(')').next().unwrap(),
                    None => method.split('(').next().unwrap(),
                };
                let action = before.trim_end_matches([',', ' ']).rsplit([' ', '(']).next().unwrap();
                let action = action.strip_prefix("A::").or(action.strip_prefix("Action::"));
                let route = format!("{} {path}", method.to_uppercase());
                routes.insert(route, action.map(str::to_owned));
            }
            rest = &after["web::".len()..];
        }
    }
    routes
}

#[test]
fn every_route_is_documented_and_no_other() {
    let (documented, routed) = (documented(), routed().into_keys().collect::<BTreeSet<_>>());
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
