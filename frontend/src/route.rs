//! Addresses: which page is shown, and how another is shown without loading the program anew.
//!
//! A handful of pages need no library for it: one signal for the path, one for what is behind the
//! `?`, and the browser's own history.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, MouseEvent, UrlSearchParams};

use crate::model::pages::Page;

/// The address of the page.
#[derive(Clone, Copy)]
pub struct Route {
    path: RwSignal<String>,
    search: RwSignal<String>,
}

impl Route {
    /// Begins to follow the browser's address and the links on the page.
    pub fn start() -> Self {
        let (path, search) = here();
        let route = Self { path: RwSignal::new(path), search: RwSignal::new(search) };
        // Both live as long as the program does.
        let back = window_event_listener(leptos::ev::popstate, move |_| route.read());
        let click = window_event_listener(leptos::ev::click, move |e| route.follow(&e));
        on_cleanup(move || {
            back.remove();
            click.remove();
        });
        route
    }

    /// The page that is shown.
    pub fn page(self) -> Memo<Page> {
        Memo::new(move |_| self.path.with(|path| Page::of(path)))
    }

    /// The run in the address, where it is a run's.
    pub fn run_id(self) -> Memo<String> {
        Memo::new(move |_| self.path.with(|path| crate::model::pages::run_id(path)))
    }

    /// A value behind the `?`; follows the address.
    pub fn param(self, name: &str) -> Option<String> {
        self.search.with(|search| value(search, name))
    }

    /// The same, once.
    pub fn param_now(self, name: &str) -> Option<String> {
        self.search.with_untracked(|search| value(search, name))
    }

    /// Shows another address of this service.
    pub fn go(self, to: &str) {
        self.change(to, false);
        if let Some(window) = web_sys::window() {
            window.scroll_to_with_x_and_y(0.0, 0.0);
            let main = window.document().and_then(|d| d.get_element_by_id("content"));
            if let Some(main) = main.and_then(|m| m.dyn_into::<web_sys::HtmlElement>().ok()) {
                // Whoever uses the keyboard or hears the page is at its beginning as well.
                let _ = main.focus();
            }
        }
    }

    /// Puts another address in the place of this one: the same page with other filters.
    pub fn replace(self, to: &str) {
        self.change(to, true);
    }

    fn change(self, to: &str, replace: bool) {
        let history = web_sys::window().and_then(|w| w.history().ok());
        if let Some(history) = history {
            // Fails only for addresses of others, which no page asks for.
            let _ = if replace {
                history.replace_state_with_url(&JsValue::NULL, "", Some(to))
            } else {
                history.push_state_with_url(&JsValue::NULL, "", Some(to))
            };
        }
        self.read();
    }

    fn read(self) {
        let (path, search) = here();
        if self.search.with_untracked(|s| *s != search) {
            self.search.set(search);
        }
        if self.path.with_untracked(|p| *p != path) {
            self.path.set(path);
        }
    }

    /// A plain press on a link to a page of ours shows it; all else is the browser's.
    fn follow(self, event: &MouseEvent) {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
        let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
        let link = target.and_then(|t| t.closest("a[href]").ok().flatten());
        let Some(link) = link.filter(|_| plain && !event.default_prevented()) else { return };
        let href = link.get_attribute("href").unwrap_or_default();
        let ours = href.starts_with('/') && !href.starts_with("//") && !href.starts_with("/api/");
        if ours && !link.has_attribute("download") && !link.has_attribute("target") {
            event.prevent_default();
            self.go(&href);
        }
    }
}

fn here() -> (String, String) {
    let location = web_sys::window().map(|w| w.location());
    let part = |get: fn(&web_sys::Location) -> Result<String, JsValue>| {
        location.as_ref().and_then(|l| get(l).ok()).unwrap_or_default()
    };
    (part(web_sys::Location::pathname), part(web_sys::Location::search))
}

fn value(search: &str, name: &str) -> Option<String> {
    UrlSearchParams::new_with_str(search).ok()?.get(name)
}
