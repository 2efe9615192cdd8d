//! Requests by the browser's own `fetch`.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

/// An answer of any status.
pub struct Answered {
    response: Response,
}

/// The service could not be reached, or the connection broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreachable;

impl From<JsValue> for Unreachable {
    fn from(_: JsValue) -> Self {
        Self
    }
}

/// Sends a request with these headers and perhaps a body.
pub async fn send(
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Result<Answered, Unreachable> {
    let named = Headers::new()?;
    for (name, value) in headers {
        named.set(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method(method);
    init.set_headers(&named);
    if let Some(body) = body {
        init.set_body(&JsValue::from_str(body));
    }
    let window = web_sys::window().ok_or(Unreachable)?;
    let response = JsFuture::from(window.fetch_with_str_and_init(url, &init)).await?;
    Ok(Answered { response: response.dyn_into()? })
}

impl Answered {
    /// Whether the service did what was asked.
    pub fn ok(&self) -> bool {
        self.response.ok()
    }

    /// Its status.
    pub fn status(&self) -> u16 {
        self.response.status()
    }

    /// A header of it.
    pub fn header(&self, name: &str) -> Option<String> {
        self.response.headers().get(name).ok().flatten()
    }

    /// Its body.
    pub async fn text(self) -> Result<String, Unreachable> {
        let text = JsFuture::from(self.response.text()?).await?;
        text.as_string().ok_or(Unreachable)
    }
}
