//! The frame: rail, routes, what all pages share.

use leptos::prelude::*;
use leptos_router::components::{A, Route, Router, Routes};
use leptos_router::hooks::{use_location, use_navigate};
use leptos_router::{NavigateOptions, path};

use crate::browser;
use crate::components::{Button, Empty, Glyph, Icon, Look, Mark, Toaster, Toasts};
use crate::pages::{EstimatePage, ImportPage, KitPage, RunPage, RunsPage, TargetsPage, TrialsPage};
use crate::state::import::Import;
use crate::state::service::Service;
use crate::text as t;

const THEME: &str = "plimsoll.theme";

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    let toasts = Toasts::new();
    let service = Service::start();
    provide_context(toasts);
    provide_context(service);
    provide_context(Import::start(service));
    view! {
        <Router>
            <a class="skip" href="#content">{t::SKIP}</a>
            <div class="frame">
                <Rail service />
                <main class="page" id="content" tabindex="-1">
                    <Show when=move || service.away.get()>
                        <div class="strip" role="status" data-testid="service-away">
                            <Icon glyph=Glyph::Warning />
                            {t::SERVICE_AWAY}
                        </div>
                    </Show>
                    <Routes fallback=|| view! { <Lost /> }>
                        <Route path=path!("/") view=ImportPage />
                        <Route path=path!("/runs") view=RunsPage />
                        <Route path=path!("/runs/:id") view=RunPage />
                        <Route path=path!("/estimate") view=EstimatePage />
                        <Route path=path!("/trials") view=TrialsPage />
                        <Route path=path!("/targets") view=TargetsPage />
                        <Route path=path!("/kit") view=KitPage />
                    </Routes>
                </main>
            </div>
            <Toaster toasts />
        </Router>
    }
    .into_any()
}

#[component]
fn Rail(service: Service) -> impl IntoView {
    let here = use_location().pathname;
    drop_anywhere();
    let active =
        Memo::new(move |_| service.about.with(|a| a.as_ref().map_or(0, |a| a.runs_active)));
    let current = move |root: &'static str| {
        let on = here.with(|p| if root == "/" { p == "/" } else { p.starts_with(root) });
        on.then_some("page")
    };
    view! {
        <header class="rail">
            <A href="/" attr:class="brand" attr:aria-label=t::APP>
                <Mark />
                <span class="word">{t::APP}</span>
            </A>
            <nav aria-label=t::NAV>
                <a href="/" aria-current=move || current("/")>
                    <Icon glyph=Glyph::Upload />
                    {t::NAV_IMPORT}
                </a>
                <a href="/runs" aria-current=move || current("/runs")>
                    <Icon glyph=Glyph::Runs />
                    {t::NAV_RUNS}
                    {move || {
                        let n = active.get();
                        (n > 0).then(|| view! { <span class="tag run"><span class="dot"></span>{n}</span> })
                    }}
                </a>
                <a href="/estimate" aria-current=move || current("/estimate")>
                    <Icon glyph=Glyph::Curve />
                    {t::NAV_ESTIMATE}
                </a>
                <a href="/trials" aria-current=move || current("/trials")>
                    <Icon glyph=Glyph::Bars />
                    {t::NAV_TRIALS}
                </a>
                <a href="/targets" aria-current=move || current("/targets")>
                    <Icon glyph=Glyph::Database />
                    {t::NAV_TARGETS}
                </a>
            </nav>
            <div class="foot">
                <ThemeChoice />
                <span class="who">
                    {move || {
                        service.about.with(|a| a.as_ref().map(|a| {
                            view! { <span class="cut">{t::as_person(&a.who)}</span> <br /> {a.version.clone()} }
                        }))
                    }}
                </span>
            </div>
        </header>
    }
    .into_any()
}

/// A file dropped on any page is taken to be imported, and never opened by the browser instead.
fn drop_anywhere() {
    let import = expect_context::<Import>();
    let navigate = use_navigate();
    let over = window_event_listener(leptos::ev::dragover, |e| {
        e.prevent_default();
        browser::set_dragging(true);
    });
    let leave = window_event_listener(leptos::ev::dragleave, |e| {
        // Only when it leaves the window.
        if e.related_target().is_none() {
            browser::set_dragging(false);
        }
    });
    let drop = window_event_listener(leptos::ev::drop, move |e| {
        e.prevent_default();
        browser::set_dragging(false);
        let file = e.data_transfer().and_then(|d| d.files()).and_then(|f| f.get(0));
        if let Some(file) = file {
            navigate("/", NavigateOptions::default());
            import.take(file);
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
}

/// Auto, light, dark, and round again.
#[component]
fn ThemeChoice() -> impl IntoView {
    let theme = RwSignal::new(browser::recall(THEME).unwrap_or_else(|| "auto".to_owned()));
    Effect::new(move |_| {
        let now = theme.get();
        let fixed = (now != "auto").then_some(now.as_str());
        browser::set_theme(fixed);
        browser::keep(THEME, fixed);
    });
    let next = move || {
        theme.update(|t| {
            *t = match t.as_str() {
                "auto" => "light",
                "light" => "dark",
                _ => "auto",
            }
            .to_owned();
        });
    };
    let words = Signal::derive(move || {
        theme
            .with(|now| match now.as_str() {
                "light" => t::THEME_LIGHT,
                "dark" => t::THEME_DARK,
                _ => t::THEME_AUTO,
            })
            .to_owned()
    });
    move || {
        let glyph = theme.with(|now| match now.as_str() {
            "light" => Glyph::Sun,
            "dark" => Glyph::Moon,
            _ => Glyph::Auto,
        });
        view! { <Button label=words glyph look=Look::Bare title=t::THEME testid="theme" press=next /> }
    }
}

#[component]
fn Lost() -> impl IntoView {
    browser::set_title(t::NOT_FOUND_TITLE);
    view! {
        <Empty glyph=Glyph::Search title=t::NOT_FOUND_TITLE text=t::NOT_FOUND>
            <a class="btn" href="/">{t::TO_IMPORT}</a>
        </Empty>
    }
    .into_any()
}
