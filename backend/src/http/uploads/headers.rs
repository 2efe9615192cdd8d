//! The headers of the tus protocol.

use actix_web::http::header::{self, HeaderMap};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use shared::ErrorCode;

use crate::http::error::ApiError;

/// The version of the protocol that is spoken.
pub const VERSION: &str = "1.0.0";

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim)
}

/// Whether the caller speaks our version.
pub fn speaks_tus(headers: &HeaderMap) -> bool {
    text(headers, "Tus-Resumable") == Some(VERSION)
}

/// Whether the body is a part of a file.
pub fn is_offset_octet_stream(headers: &HeaderMap) -> bool {
    text(headers, "Content-Type").is_some_and(|t| {
        t.split(';').next().is_some_and(|t| t.trim() == "application/offset+octet-stream")
    })
}

/// Bytes of the file in all.
pub fn upload_length(headers: &HeaderMap) -> Result<u64, ApiError> {
    if headers.contains_key("Upload-Defer-Length") {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            "The file's length must be told at once (Upload-Length).",
        ));
    }
    number(headers, "Upload-Length")
}

/// Where the part begins.
pub fn upload_offset(headers: &HeaderMap) -> Result<u64, ApiError> {
    number(headers, "Upload-Offset")
}

/// Bytes of the body, where they are told beforehand.
pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    text(headers, header::CONTENT_LENGTH.as_str()).and_then(|v| v.parse().ok())
}

fn number(headers: &HeaderMap, name: &str) -> Result<u64, ApiError> {
    // `parse` alone would take a plus sign.
    text(headers, name)
        .filter(|v| v.bytes().all(|b| b.is_ascii_digit()))
        .and_then(|v| v.parse().ok())
        .ok_or_else(|| {
            ApiError::new(
                ErrorCode::BadRequest,
                format!("The header {name} must be a number of bytes."),
            )
        })
}

/// The file's name out of `Upload-Metadata: filename dHJpcHMuY3N2,…`; empty where none is told.
pub fn file_name(headers: &HeaderMap) -> Result<String, ApiError> {
    let wrong = |why: &str| {
        ApiError::new(ErrorCode::BadRequest, format!("The header Upload-Metadata {why}."))
    };
    let Some(value) = headers.get("Upload-Metadata") else { return Ok(String::new()) };
    let value = value.to_str().map_err(|_| wrong("holds more than ASCII"))?;
    let mut name = String::new();
    for pair in value.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (key, encoded) = pair.split_once(' ').unwrap_or((pair, ""));
        let decoded =
            BASE64.decode(encoded.trim()).map_err(|_| wrong("has a value that is no Base64"))?;
        if key == "filename" || (key == "name" && name.is_empty()) {
            name = String::from_utf8(decoded).map_err(|_| wrong("has a name that is no UTF-8"))?;
        }
    }
    Ok(name)
}

/// The header that tells the file's name.
pub fn metadata_of(name: &str) -> String {
    format!("filename {}", BASE64.encode(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::HeaderName::from_bytes(name.as_bytes()).unwrap(),
            value.parse().unwrap(),
        );
        headers
    }

    #[test]
    fn the_name_is_found_among_other_pairs() {
        for (value, name) in [
            ("filename dHJpcHMuY3N2", "trips.csv"),
            ("filetype dGV4dC9jc3Y=,filename dHJpcHMuY3N2, is_confidential", "trips.csv"),
            ("name dHJpcHMuY3N2", "trips.csv"),
            ("", ""),
        ] {
            assert_eq!(file_name(&with("upload-metadata", value)).unwrap(), name, "{value}");
        }
        for value in ["filename ###", "filename /w=="] {
            assert!(file_name(&with("upload-metadata", value)).is_err(), "{value}");
        }
    }

    #[test]
    fn lengths_are_digits_only() {
        assert_eq!(upload_length(&with("upload-length", "12")).unwrap(), 12);
        for value in ["", "-1", "+1", "1.5", "0x10", "99999999999999999999999"] {
            assert!(upload_length(&with("upload-length", value)).is_err(), "{value}");
        }
        assert!(upload_length(&with("upload-defer-length", "1")).is_err());
    }
}
