//! The dashboard: a page in the browser that talks to the service's API.
#![allow(clippy::needless_pass_by_value, reason = "components take their props by value")]

mod api;
mod app;
mod browser;
mod charts;
mod components;
mod model;
mod pages;
mod route;
mod state;
mod text;

fn main() {
    console_error_panic_hook::set_once();
    if let Some(boot) =
        web_sys::window().and_then(|w| w.document()).and_then(|d| d.get_element_by_id("boot"))
    {
        boot.remove();
    }
    leptos::mount::mount_to_body(app::App);
}
