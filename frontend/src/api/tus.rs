//! Uploads by tus 1.0: creation, HEAD for the offset, PATCH with progress, DELETE.

use js_sys::{Function, Promise};
use shared::{ErrorBody, ErrorCode};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ProgressEvent, XmlHttpRequest};

use super::http::{self, Answered};
use super::{BASE, refusal};
use crate::model::query::encode;
use crate::text;

/// Why a request did not do what it should.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The connection broke; worth another attempt.
    Lost,
    /// The service does not know the upload.
    Gone,
    /// The service said no.
    Refused(ErrorBody),
}

fn fault(status: u16, body: &str) -> Fault {
    match status {
        404 | 410 => Fault::Gone,
        // A gateway without its service, a lock still held by a broken connection, too fast.
        0 | 409 | 423 | 429 | 502..=504 => Fault::Lost,
        _ => Fault::Refused(refusal(status, body)),
    }
}

const TUS: (&str, &str) = ("Tus-Resumable", "1.0.0");

async fn tus(method: &str, id: &str) -> Result<Answered, Fault> {
    http::send(method, &address(id), &[TUS], None).await.map_err(|_| Fault::Lost)
}

fn address(id: &str) -> String {
    format!("{BASE}/uploads/{}", encode(id))
}

/// Makes room for a file and returns the upload's identity.
pub async fn create(name: &str, total: u64) -> Result<String, Fault> {
    let metadata = format!("filename {}", base64(name));
    let length = total.to_string();
    let headers = [TUS, ("Upload-Length", length.as_str()), ("Upload-Metadata", &metadata)];
    let url = format!("{BASE}/uploads");
    let answer = http::send("POST", &url, &headers, None).await.map_err(|_| Fault::Lost)?;
    if !answer.ok() {
        let status = answer.status();
        let body = answer.text().await.unwrap_or_default();
        // Nothing to be gone yet: a 404 here is a refusal.
        return Err(match fault(status, &body) {
            Fault::Gone => Fault::Refused(refusal(status, &body)),
            other => other,
        });
    }
    let location = answer.header("Location").unwrap_or_default();
    let id = location.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if id.is_empty() {
        let odd = ErrorBody::new(ErrorCode::Internal, text::ODD_ANSWER);
        return Err(Fault::Refused(odd.with_hint(text::ODD_ANSWER_HINT)));
    }
    Ok(id.to_owned())
}

/// How many bytes the service has.
pub async fn offset(id: &str) -> Result<u64, Fault> {
    let answer = tus("HEAD", id).await?;
    if !answer.ok() {
        return Err(fault(answer.status(), ""));
    }
    answer.header("Upload-Offset").and_then(|o| o.parse().ok()).ok_or(Fault::Lost)
}

/// Forgets an upload and what has arrived of it.
pub async fn delete(id: &str) -> Result<(), Fault> {
    let answer = tus("DELETE", id).await?;
    if answer.ok() { Ok(()) } else { Err(fault(answer.status(), "")) }
}

/// A PATCH under way.
pub struct Patch {
    xhr: XmlHttpRequest,
    done: Promise,
    _progress: Closure<dyn FnMut(ProgressEvent)>,
}

impl Patch {
    /// Sends `part` as the bytes from `from` on; `progress` hears how many have left.
    pub fn send(
        id: &str,
        from: u64,
        part: &Blob,
        mut progress: impl FnMut(u64) + 'static,
    ) -> Result<Self, JsValue> {
        let xhr = XmlHttpRequest::new()?;
        xhr.open_with_async("PATCH", &address(id), true)?;
        xhr.set_request_header("Tus-Resumable", "1.0.0")?;
        xhr.set_request_header("Upload-Offset", &from.to_string())?;
        xhr.set_request_header("Content-Type", "application/offset+octet-stream")?;
        let on_progress = Closure::<dyn FnMut(ProgressEvent)>::new(move |e: ProgressEvent| {
            progress(e.loaded() as u64);
        });
        xhr.upload()?.set_onprogress(Some(on_progress.as_ref().unchecked_ref()));
        let done = Promise::new(&mut |resolve: Function, _| {
            // Fires after a success, an error and an abort alike.
            xhr.set_onloadend(Some(&resolve));
        });
        xhr.send_with_opt_blob(Some(part))?;
        Ok(Self { xhr, done, _progress: on_progress })
    }

    /// The handle by which it can be broken off.
    pub fn handle(&self) -> XmlHttpRequest {
        self.xhr.clone()
    }

    /// Waits for its end: the offset that the service has reached.
    pub async fn finish(self) -> Result<u64, Fault> {
        let _ = JsFuture::from(self.done.clone()).await;
        self.xhr.set_onloadend(None);
        let status = self.xhr.status().unwrap_or(0);
        if (200..300).contains(&status) {
            let offset = self.xhr.get_response_header("Upload-Offset").ok().flatten();
            return offset.and_then(|o| o.parse().ok()).ok_or(Fault::Lost);
        }
        let body = self.xhr.response_text().ok().flatten().unwrap_or_default();
        Err(fault(status, &body))
    }
}

fn base64(text: &str) -> String {
    let latin: String = text.bytes().map(char::from).collect();
    web_sys::window().and_then(|w| w.btoa(&latin).ok()).unwrap_or_default()
}
