//! Getting in: the page to log in by, and the one that an invitation link opens.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::people::{AcceptInvitation, Login};

use crate::components::{ErrorNote, Field, TextInput};
use crate::text::team as t;
use crate::{api, browser};

/// What stands in the place of every page while the service does not know who this is.
#[component]
pub fn LoginPage() -> impl IntoView {
    super::title(t::LOG_IN);
    let (name, password) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let enter = Enter::new();
    let submit = move || {
        let login = Login { name: name.get_untracked(), password: password.get_untracked() };
        // The page that was asked for, with what only its owner may see.
        let here = browser::address();
        let here = here.split('#').next().unwrap_or("/").to_owned();
        enter.go(async move { api::log_in(&login).await }, here);
    };
    enter.form(t::LOG_IN, t::LOG_IN_TEXT, Box::new(submit), move || {
        view! {
            <Field label=t::NAME.to_owned() id="login-name">
                <TextInput id="login-name" testid="login-name" value=name input=move |v| name.set(v) />
            </Field>
            {secret("login-password", t::PASSWORD, None, password)}
        }
        .into_any()
    })
}

/// `/invitation#CODE`: the code never leaves the browser but in the answer to this page.
#[component]
pub fn InvitationPage() -> impl IntoView {
    super::title(t::INVITATION);
    let password = RwSignal::new(String::new());
    let enter = Enter::new();
    let submit = move || {
        let (code, password) = (browser::fragment(), password.get_untracked());
        let accept = AcceptInvitation { code, password };
        enter.go(async move { api::accept_invitation(&accept).await }, "/".to_owned());
    };
    enter.form(t::INVITATION, t::INVITATION_TEXT, Box::new(submit), move || {
        secret("new-password", t::NEW_PASSWORD, Some(t::NEW_PASSWORD_HINT), password)
    })
}

fn secret(
    id: &'static str,
    label: &'static str,
    hint: Option<&'static str>,
    value: RwSignal<String>,
) -> AnyView {
    view! {
        <Field label=label.to_owned() id hint=Signal::stored(hint.map(str::to_owned))>
            <TextInput id kind="password" testid=id value input=move |v| value.set(v) />
        </Field>
    }
    .into_any()
}

/// A try to get in.
#[derive(Clone, Copy)]
struct Enter {
    busy: RwSignal<bool>,
    error: RwSignal<Option<ErrorBody>>,
}

impl Enter {
    fn new() -> Self {
        Self { busy: RwSignal::new(false), error: RwSignal::new(None) }
    }

    /// Waits for the answer; whoever is in begins with a fresh page.
    fn go(self, answer: impl Future<Output = api::Answer<()>> + 'static, to: String) {
        self.busy.set(true);
        spawn_local(async move {
            match answer.await {
                Ok(()) => browser::open(&to),
                Err(error) => {
                    let _ = self.error.try_set(Some(error));
                    let _ = self.busy.try_set(false);
                }
            }
        });
    }

    fn form(
        self,
        title: &'static str,
        text: &'static str,
        submit: Box<dyn Fn()>,
        fields: impl FnOnce() -> AnyView,
    ) -> AnyView {
        view! {
            <div class="head"><h1>{title}</h1></div>
            <form class="card" data-testid="enter" on:submit=move |e| {
                e.prevent_default();
                if !self.busy.get_untracked() {
                    submit();
                }
            }>
                <div class="body stack">
                    <p class="dim">{text}</p>
                    {fields()}
                    {move || self.error.get().map(|error| view! { <ErrorNote error testid="enter-error" /> })}
                    <div>
                        <button type="submit" class="btn go" data-testid="enter-button"
                            disabled=move || self.busy.get()>{title}</button>
                    </div>
                </div>
            </form>
        }
        .into_any()
    }
}
