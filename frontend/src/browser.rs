//! The few things that only a browser has: clock, storage, theme, clipboard, the bytes of a file.

use js_sys::{Array, Date, Function, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DragEvent, File, Storage};

use crate::model::format;

/// JSON as a value: taken apart by the browser, so that the program need not hold a way to read
/// every type from text.
pub fn from_json<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_wasm_bindgen::from_value(js_sys::JSON::parse(text).ok()?).ok()
}

/// A value as JSON: put together by the browser, for the same reason.
pub fn to_json<T: Serialize>(value: &T) -> Option<String> {
    let value = value.serialize(&Serializer::json_compatible()).ok()?;
    js_sys::JSON::stringify(&value).ok().map(String::from)
}

/// The beginning of every address of this service.
pub fn origin() -> String {
    web_sys::window().and_then(|w| w.location().origin().ok()).unwrap_or_default()
}

/// What stands behind the `#`.
pub fn fragment() -> String {
    let hash = web_sys::window().and_then(|w| w.location().hash().ok()).unwrap_or_default();
    hash.trim_start_matches('#').to_owned()
}

/// Loads a page of this service anew, with nothing of before.
pub fn open(path: &str) {
    if let Some(window) = web_sys::window() {
        // Fails only for addresses that cannot be read.
        let _ = window.location().assign(path);
    }
}

/// Milliseconds since 1970.
pub fn now_ms() -> f64 {
    Date::now()
}

fn local() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

fn session() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

/// What is kept beyond the tab.
pub fn recall(key: &str) -> Option<String> {
    local()?.get_item(key).ok().flatten()
}

/// Keeps something beyond the tab; none forgets it. A full or forbidden storage is no error.
pub fn keep(key: &str, value: Option<&str>) {
    if let Some(storage) = local() {
        let _ = match value {
            Some(v) => storage.set_item(key, v),
            None => storage.remove_item(key),
        };
    }
}

/// What is kept for this tab.
pub fn recall_tab(key: &str) -> Option<String> {
    session()?.get_item(key).ok().flatten()
}

/// Keeps something for this tab; none forgets it.
pub fn keep_tab(key: &str, value: Option<&str>) {
    if let Some(storage) = session() {
        let _ = match value {
            Some(v) => storage.set_item(key, v),
            None => storage.remove_item(key),
        };
    }
}

/// The part of a file's bytes before `end`.
pub async fn first_bytes(file: &File, end: u64) -> Result<Vec<u8>, JsValue> {
    let part = slice(file, 0, end)?;
    let buffer = JsFuture::from(part.array_buffer()).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// The first bytes inside a gzip file, and whether they are all; none where the browser cannot
/// unpack it.
pub async fn first_bytes_inside(file: &File, end: usize) -> Option<(Vec<u8>, bool)> {
    let class: Function =
        Reflect::get(&js_sys::global(), &"DecompressionStream".into()).ok()?.dyn_into().ok()?;
    let unpacker = Reflect::construct(&class, &Array::of1(&"gzip".into())).ok()?;
    let packed = call(file, "stream", &Array::new())?;
    let stream = call(&packed, "pipeThrough", &Array::of1(&unpacker))?;
    let reader = call(&stream, "getReader", &Array::new())?;
    let mut found = Vec::new();
    while found.len() < end {
        let promise: js_sys::Promise = call(&reader, "read", &Array::new())?.dyn_into().ok()?;
        // A damaged file still shows what can be read of it; the service says what is wrong.
        let Ok(piece) = JsFuture::from(promise).await else { break };
        if Reflect::get(&piece, &"done".into()).ok()?.is_truthy() {
            return Some((found, true));
        }
        let bytes: Uint8Array = Reflect::get(&piece, &"value".into()).ok()?.dyn_into().ok()?;
        let from = found.len();
        found.resize(from + bytes.length() as usize, 0);
        bytes.copy_to(found.get_mut(from..)?);
    }
    let _ = call(&reader, "cancel", &Array::new());
    found.truncate(end);
    Some((found, false))
}

fn call(of: &JsValue, name: &str, arguments: &Array) -> Option<JsValue> {
    let method: Function = Reflect::get(of, &name.into()).ok()?.dyn_into().ok()?;
    method.apply(of, arguments).ok()
}

/// A part of a file, not yet read.
pub fn slice(file: &File, from: u64, to: u64) -> Result<Blob, JsValue> {
    file.slice_with_f64_and_f64(from as f64, to as f64)
}

/// Shows light, dark or what the system says (none).
pub fn set_theme(theme: Option<&str>) {
    let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
    if let Some(root) = root {
        let _ = match theme {
            Some(t) => root.set_attribute("data-theme", t),
            None => root.remove_attribute("data-theme"),
        };
    }
}

/// The words in the tab.
pub fn set_title(title: &str) {
    if let Some(document) = web_sys::window().and_then(|w| w.document()) {
        document.set_title(title);
    }
}

/// Copies text.
pub fn copy(text: &str) {
    if let Some(window) = web_sys::window() {
        let _ = window.navigator().clipboard().write_text(text);
    }
}

/// The address of the page.
pub fn address() -> String {
    web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default()
}

/// A moment in the reader's own way of writing it.
pub fn moment(rfc3339: &str) -> String {
    let date = Date::new(&JsValue::from_str(rfc3339));
    if date.get_time().is_nan() {
        return rfc3339.to_owned();
    }
    let options = js_sys::Object::new();
    for (name, value) in [("dateStyle", "medium"), ("timeStyle", "short")] {
        let _ = js_sys::Reflect::set(&options, &name.into(), &value.into());
    }
    String::from(date.to_locale_string("default", &options))
}

/// The day of a moment in the reader's own way of writing it.
pub fn day(at_ms: i64) -> String {
    part_of(at_ms, "dateStyle", "medium")
}

/// The time of day of a moment, in the same way.
pub fn time(at_ms: i64) -> String {
    part_of(at_ms, "timeStyle", "short")
}

fn part_of(at_ms: i64, part: &str, style: &str) -> String {
    let options = js_sys::Object::new();
    let _ = js_sys::Reflect::set(&options, &part.into(), &style.into());
    let date = Date::new(&JsValue::from_f64(at_ms as f64));
    String::from(date.to_locale_string("default", &options))
}

/// Whether the screen is as narrow as a telephone's.
pub fn is_narrow() -> bool {
    let width = web_sys::window().and_then(|w| w.inner_width().ok()).and_then(|w| w.as_f64());
    width.is_some_and(|w| w <= 760.0)
}

/// How long ago, or the moment itself when that is long.
pub fn when(rfc3339: &str) -> String {
    let at = Date::new(&JsValue::from_str(rfc3339)).get_time();
    if at.is_nan() {
        return rfc3339.to_owned();
    }
    format::ago(now_ms() - at).unwrap_or_else(|| moment(rfc3339))
}

/// Whether the page can be seen.
pub fn is_visible() -> bool {
    web_sys::window().and_then(|w| w.document()).is_some_and(|d| !d.hidden())
}

/// Whether what is dragged comes from outside: files.
pub fn drags_files(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|d| d.types());
    types.is_some_and(|types| types.includes(&"Files".into(), 0))
}

/// The files of a list.
pub fn files(list: Option<web_sys::FileList>) -> Vec<File> {
    list.map(|l| (0..l.length()).filter_map(|i| l.get(i)).collect()).unwrap_or_default()
}

/// Marks the page while a file is held over it.
pub fn set_dragging(on: bool) {
    let body = web_sys::window().and_then(|w| w.document()).and_then(|d| d.body());
    if let Some(body) = body {
        let _ = body.class_list().toggle_with_force("dragging", on);
    }
}
