//! The dashboard: files that Trunk built, embedded in the binary, served as small and as seldom as
//! the browser allows.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::Path;

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use rust_embed::Embed;
use sha2::{Digest, Sha256};
use shared::ErrorCode;

use super::error::{ApiError, no_such_method};

/// Files smaller than this gain nothing from compression.
const COMPRESS_BYTES_MIN: usize = 1024;

#[derive(Embed)]
#[folder = "$CARGO_MANIFEST_DIR/../dist/"]
struct Embedded;

/// One file in each of the forms in which it can be sent.
struct Asset {
    mime: String,
    etag: String,
    cache: &'static str,
    plain: Bytes,
    gzip: Option<Bytes>,
    brotli: Option<Bytes>,
}

/// Every file of the dashboard, in memory.
pub struct Assets {
    files: HashMap<String, Asset>,
    /// The policy that lets this dashboard's own scripts run, and no other.
    pub policy: String,
}

impl Assets {
    /// The dashboard inside the binary.
    #[must_use]
    pub fn embedded() -> Self {
        Self::from_files(Embedded::iter().filter_map(|name| {
            let file = Embedded::get(&name)?;
            Some((name.into_owned(), Bytes::from(file.data.into_owned())))
        }))
    }

    /// A dashboard in a folder, for working on it without building the service again.
    pub fn from_dir(dir: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        let mut dirs = vec![dir.to_owned()];
        while let Some(at) = dirs.pop() {
            for entry in std::fs::read_dir(at)? {
                let path = entry?.path();
                if path.is_dir() {
                    dirs.push(path);
                } else if let Ok(name) = path.strip_prefix(dir) {
                    files.push((name.to_string_lossy().into_owned(), std::fs::read(&path)?.into()));
                }
            }
        }
        Ok(Self::from_files(files))
    }

    fn from_files(all: impl IntoIterator<Item = (String, Bytes)>) -> Self {
        let mut all: HashMap<String, Bytes> = all.into_iter().collect();
        let names: Vec<String> = all
            .keys()
            .filter(|name| !(is_packed(name) && all.contains_key(&name[..name.len() - 3])))
            .cloned()
            .collect();
        let mut files = HashMap::new();
        for name in names {
            let brotli = all.remove(&format!("{name}.br"));
            let gzip = all.remove(&format!("{name}.gz"));
            if let Some(plain) = all.remove(&name) {
                files.insert(name.clone(), Asset::new(&name, plain, gzip, brotli));
            }
        }
        let index = files.get("index.html").map(|a| String::from_utf8_lossy(&a.plain));
        let policy = policy(&index.unwrap_or_default());
        Self { files, policy }
    }

    /// The file for a path of the address bar: itself, or the page for every address that is not
    /// a file's, since the dashboard reads addresses itself.
    fn find(&self, path: &str) -> Option<&Asset> {
        let name = path.trim_start_matches('/');
        let last = name.rsplit('/').next().unwrap_or_default();
        match self.files.get(name) {
            Some(asset) => Some(asset),
            None if last.contains('.') => None,
            None => self.files.get("index.html"),
        }
    }
}

impl Asset {
    fn new(name: &str, plain: Bytes, gzip: Option<Bytes>, brotli: Option<Bytes>) -> Self {
        let mime = mime_guess::from_path(name).first_or_octet_stream();
        let text =
            mime.type_() == "text" || matches!(mime.subtype().as_str(), "javascript" | "json");
        let packs = text || matches!(mime.subtype().as_str(), "wasm" | "svg");
        let gzip = gzip.or_else(|| (packs && brotli.is_none()).then(|| pack(&plain)).flatten());
        let mime = if text { format!("{mime}; charset=utf-8") } else { mime.to_string() };
        let etag = BASE64.encode(&Sha256::digest(&plain)[..12]);
        // The page is private to who holds the token; a hashed name never changes its content.
        let cache = if is_hashed(name) {
            "private, max-age=31536000, immutable"
        } else {
            "private, no-cache"
        };
        Self { mime, etag, cache, plain, gzip, brotli }
    }

    fn respond(&self, request: &HttpRequest) -> HttpResponse {
        let accepts = |coding: &str| {
            request
                .headers()
                .get_all(header::ACCEPT_ENCODING)
                .filter_map(|v| v.to_str().ok())
                .any(|v| accepts_coding(v, coding))
        };
        let (body, coding) = match (&self.brotli, &self.gzip) {
            (Some(body), _) if accepts("br") => (body, Some("br")),
            (_, Some(body)) if accepts("gzip") => (body, Some("gzip")),
            _ => (&self.plain, None),
        };
        // Each form has a tag of its own, as the standard wants.
        let etag = format!("\"{}{}\"", self.etag, coding.unwrap_or_default());
        let known = request
            .headers()
            .get(header::IF_NONE_MATCH)
            .and_then(|v| v.to_str().ok())
            .is_some_and(|v| v.split(',').any(|t| t.trim().trim_start_matches("W/") == etag));
        let mut answer = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        answer
            .insert_header((header::ETAG, etag))
            .insert_header((header::CACHE_CONTROL, self.cache))
            .insert_header((header::VARY, "Accept-Encoding"));
        if known {
            return answer.finish();
        }
        if let Some(coding) = coding {
            answer.insert_header((header::CONTENT_ENCODING, coding));
        }
        answer.insert_header((header::CONTENT_TYPE, self.mime.as_str())).body(body.clone())
    }
}

/// Serves whatever is not the API's.
pub async fn serve_asset(
    request: HttpRequest,
    assets: web::Data<Assets>,
) -> Result<HttpResponse, ApiError> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(no_such_method(request).await);
    }
    let path = percent_encoding::percent_decode_str(request.path()).decode_utf8_lossy();
    assets
        .find(&path)
        .map(|asset| asset.respond(&request))
        .ok_or_else(|| ApiError::new(ErrorCode::NotFound, format!("There is no file {path}.")))
}

/// The content security policy: our own files, WebAssembly, and the page's inline scripts by their
/// hashes (Trunk writes one that starts the dashboard). Nothing else inline, nothing from elsewhere.
fn policy(index: &str) -> String {
    let mut scripts = String::from("'self' 'wasm-unsafe-eval'");
    for script in inline_scripts(index) {
        scripts.push_str(&format!(" 'sha256-{}'", BASE64.encode(Sha256::digest(script))));
    }
    format!(
        "default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
}

/// What stands between `<script …>` and `</script>` where no `src` is given.
fn inline_scripts(html: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        let Some(open_end) = rest[at..].find('>') else { break };
        let tag = &rest[at..at + open_end];
        let body = &rest[at + open_end + 1..];
        let Some(end) = body.find("</script") else { break };
        if !tag.contains(" src=") && !body[..end].is_empty() {
            found.push(&body[..end]);
        }
        rest = &body[end..];
    }
    found
}

fn is_packed(name: &str) -> bool {
    name.ends_with(".br") || name.ends_with(".gz")
}

/// Whether a name carries a hash of the content, as Trunk's do: `app-0123456789abcdef_bg.wasm`.
fn is_hashed(name: &str) -> bool {
    name.split(['-', '_', '.', '/'])
        .any(|part| part.len() >= 14 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn accepts_coding(value: &str, coding: &str) -> bool {
    value.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        named && !parts.any(|p| matches!(p, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn pack(plain: &[u8]) -> Option<Bytes> {
    if plain.len() < COMPRESS_BYTES_MIN {
        return None;
    }
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packer.write_all(plain).ok()?;
    packer.finish().ok().filter(|packed| packed.len() < plain.len()).map(Bytes::from)
}

/// Headers that every answer carries.
pub fn security_headers(policy: &str) -> Vec<(header::HeaderName, HeaderValue)> {
    let mut headers = vec![
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        ),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("same-origin"),
        ),
    ];
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.push((header::CONTENT_SECURITY_POLICY, policy));
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_named_by_hash_and_files_are_not() {
        let html = "<script type=\"module\">\nimport a;\n</script><script src=\"x.js\"></script>";
        assert_eq!(inline_scripts(html), ["\nimport a;\n"]);
        let hash = BASE64.encode(Sha256::digest("\nimport a;\n"));
        assert!(policy(html).contains(&format!("'wasm-unsafe-eval' 'sha256-{hash}';")));
        assert!(!policy("<p>").contains("sha256"));
    }

    #[test]
    fn names_with_a_hash_are_kept_for_good() {
        for name in ["plimsoll-0123456789abcdef_bg.wasm", "style-0123456789abcdef.css"] {
            assert!(is_hashed(name), "{name}");
        }
        for name in ["index.html", "favicon-32x32.png", "decade.css"] {
            assert!(!is_hashed(name), "{name}");
        }
    }

    #[test]
    fn a_coding_refused_by_weight_is_not_sent() {
        assert!(accepts_coding("gzip, deflate, br", "br"));
        assert!(accepts_coding("br;q=0.5", "br"));
        assert!(!accepts_coding("br;q=0, gzip", "br"));
        assert!(!accepts_coding("identity", "gzip"));
    }

    #[test]
    fn a_precompressed_file_is_a_form_of_its_plain_one() {
        let assets = Assets::from_files([
            ("index.html".to_owned(), Bytes::from_static(b"<p>")),
            ("a.js".to_owned(), Bytes::from_static(b"1")),
            ("a.js.br".to_owned(), Bytes::from_static(b"packed")),
            ("notes.gz".to_owned(), Bytes::from_static(b"alone")),
        ]);
        assert!(assets.find("/a.js").is_some_and(|a| a.brotli.is_some()));
        assert!(assets.find("/a.js.br").is_none());
        assert!(assets.find("/notes.gz").is_some());
        assert!(assets.find("/runs/01ABC").is_some_and(|a| a.plain == "<p>"));
        assert!(assets.find("/missing.js").is_none());
    }
}
