//! The frame: rail, routes, what all pages share.

use leptos::prelude::*;
use shared::people::Action;

use crate::components::{Button, Empty, Glyph, Icon, Look, Mark, Show, Toaster, Toasts};
use crate::model::pages::Page;
use crate::pages::{
    ComparePage, EstimatePage, ImportPage, InvitationPage, KitPage, LoginPage, RunPage, RunsPage,
    TargetsPage, TeamPage, TrialsPage,
};
use crate::route::Route;
use crate::state::import::Import;
use crate::state::service::Service;
use crate::text as t;
use crate::{api, browser};

const THEME: &str = "plimsoll.theme";

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    let toasts = Toasts::new();
    let service = Service::start();
    let route = Route::start();
    provide_context(toasts);
    provide_context(route);
    provide_context(service);
    provide_context(Import::start(service));
    drop_anywhere(route);
    let page = route.page();
    let admin = service.may(Action::AddTarget);
    view! {
            <a class="skip" href="#content">{t::SKIP}</a>
            <div class="frame">
                <Rail service page />
                <main class="page" id="content" tabindex="-1">
                    <Show when=move || service.away.get()>{strip("service-away", t::SERVICE_AWAY)}</Show>
                    <Show when=move || service.locked.get()>{strip("session-over", t::SESSION_OVER)}</Show>
                    {move || match page.get() {
                        Page::Invitation => view! { <InvitationPage /> }.into_any(),
                        _ if service.stranger.get() => view! { <LoginPage /> }.into_any(),
                        Page::Import => view! { <ImportPage /> }.into_any(),
                        Page::Runs => view! { <RunsPage /> }.into_any(),
                        Page::Compare => view! { <ComparePage /> }.into_any(),
                        Page::Run => view! { <RunPage /> }.into_any(),
                        Page::Estimate => view! { <EstimatePage /> }.into_any(),
                        Page::Trials => view! { <TrialsPage /> }.into_any(),
                        Page::Targets | Page::Team if !admin.get() => not_yours(),
                        Page::Team => view! { <TeamPage /> }.into_any(),
                        Page::Targets => view! { <TargetsPage /> }.into_any(),
                        Page::Kit => view! { <KitPage /> }.into_any(),
                        Page::Lost => view! { <Lost /> }.into_any(),
                    }}
                </main>
            </div>
            <Toaster toasts />
    }
    .into_any()
}

/// What stands in the place of a page that needs another role.
fn not_yours() -> AnyView {
    browser::set_title(t::team::NOT_YOURS_TITLE);
    view! { <Empty glyph=Glyph::Stop title=t::team::NOT_YOURS_TITLE text=t::team::NOT_YOURS /> }
        .into_any()
}

/// Something about the whole page, above it.
fn strip(testid: &'static str, words: &'static str) -> impl IntoView {
    view! {
        <div class="strip" role="status" data-testid=testid>
            <Icon glyph=Glyph::Warning />
            {words}
        </div>
    }
    .into_any()
}

#[component]
fn Rail(service: Service, page: Memo<Page>) -> impl IntoView {
    let active =
        Memo::new(move |_| service.about.with(|a| a.as_ref().map_or(0, |a| a.runs_active)));
    let (targets, trials, foresee) = (
        service.may(Action::AddTarget),
        service.may(Action::StartTrial),
        service.may(Action::Foresee),
    );
    let current = move |root: &'static str| (page.get().root() == root).then_some("page");
    view! {
        <header class="rail">
            <a href="/" class="brand" aria-label=t::APP>
                <Mark />
                <span class="word">{t::APP}</span>
            </a>
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
                <a href="/estimate" aria-current=move || current("/estimate") hidden=move || !foresee.get()>
                    <Icon glyph=Glyph::Curve />
                    {t::NAV_ESTIMATE}
                </a>
                <a href="/trials" aria-current=move || current("/trials") hidden=move || !trials.get()>
                    <Icon glyph=Glyph::Bars />
                    {t::NAV_TRIALS}
                </a>
                <a href="/targets" aria-current=move || current("/targets") hidden=move || !targets.get()>
                    <Icon glyph=Glyph::Database />
                    {t::NAV_TARGETS}
                </a>
                <a href="/team" aria-current=move || current("/team") hidden=move || !targets.get()>
                    <Icon glyph=Glyph::File />
                    {t::team::TEAM}
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
                <Leave service />
            </div>
        </header>
    }
    .into_any()
}

/// The end of the session, where there is one.
#[component]
fn Leave(service: Service) -> impl IntoView {
    let is_in = Memo::new(move |_| service.about.with(|a| a.as_ref().is_some_and(|a| a.account)));
    let leave = move || {
        leptos::task::spawn_local(async move {
            // A session that has ended already is no error to whoever leaves.
            let _ = api::log_out().await;
            browser::open("/");
        });
    };
    view! {
        <Show when=move || is_in.get()>
            <Button label=t::team::LOG_OUT.to_owned() look=Look::Bare testid="log-out" press=leave />
        </Show>
    }
    .into_any()
}

/// A file dropped on any page is taken to be imported, and never opened by the browser instead.
fn drop_anywhere(route: Route) {
    let import = expect_context::<Import>();
    let over = window_event_listener(leptos::ev::dragover, |e| {
        // What is dragged within the page is the page's own affair.
        if browser::drags_files(&e) {
            e.prevent_default();
            browser::set_dragging(true);
        }
    });
    let leave = window_event_listener(leptos::ev::dragleave, |e| {
        // Only when it leaves the window.
        if e.related_target().is_none() {
            browser::set_dragging(false);
        }
    });
    let drop = window_event_listener(leptos::ev::drop, move |e| {
        if !browser::drags_files(&e) {
            return;
        }
        e.prevent_default();
        browser::set_dragging(false);
        let files = browser::files(e.data_transfer().and_then(|d| d.files()));
        if !files.is_empty() {
            route.go("/");
            import.take(files);
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
