//! The dialog that adds a target: fields, a test, what it found.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::target::{Capabilities, NewTarget, TlsMode};

use super::targets::capabilities;
use crate::api;
use crate::components::{Button, Dialog, ErrorNote, Field, Look, Select, Show, TextInput, Toasts};
use crate::text::{self, record as t, words};

const TLS: [TlsMode; 3] = [TlsMode::Off, TlsMode::Required, TlsMode::Verify];

fn blank() -> NewTarget {
    NewTarget {
        name: String::new(),
        host: "127.0.0.1".to_owned(),
        port: 3306,
        socket: None,
        user: "root".to_owned(),
        password: None,
        database: None,
        tls: TlsMode::Off,
        ca_pem: None,
    }
}

/// The dialog; `saved` is told when a target was added.
#[component]
pub fn TargetForm(
    open: RwSignal<bool>,
    saved: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let target = RwSignal::new(blank());
    let found = RwSignal::new(None::<Result<Capabilities, ErrorBody>>);
    let busy = RwSignal::new(false);
    let test = move || {
        busy.set(true);
        found.set(None);
        spawn_local(async move {
            let answer = api::test_target(&target.get_untracked()).await;
            let _ = found.try_set(Some(answer));
            let _ = busy.try_set(false);
        });
    };
    let save = move || {
        busy.set(true);
        spawn_local(async move {
            let answer = api::add_target(&target.get_untracked()).await;
            let _ = busy.try_set(false);
            match answer {
                Ok(_) => {
                    toasts.good(t::SAVED);
                    target.set(blank());
                    found.set(None);
                    open.set(false);
                    saved();
                }
                Err(error) => {
                    let _ = found.try_set(Some(Err(error)));
                }
            }
        });
    };
    let unnamed = Signal::derive(move || busy.get() || target.with(|t| t.name.trim().is_empty()));
    view! {
        <Dialog title=t::ADD open testid="target-dialog" footer=ViewFn::from(move || view! {
            <Button label=text::CANCEL.to_owned() press=move || open.set(false) />
            <Button testid="target-form-test" disabled=busy press=test
                label=Signal::derive(move || if busy.get() { t::TESTING } else { t::TEST }.to_owned()) />
            <Button label=t::SAVE.to_owned() look=Look::Go testid="target-form-save" disabled=unnamed press=save />
        })>
            <Fields target />
            {move || found.get().map(|f| match f {
                Ok(c) => capabilities(&c).into_any(),
                Err(error) => view! { <ErrorNote error testid="target-form-error" /> }.into_any(),
            })}
        </Dialog>
    }
    .into_any()
}

#[component]
fn Fields(target: RwSignal<NewTarget>) -> impl IntoView {
    let some = |v: String| Some(v).filter(|v| !v.trim().is_empty());
    view! {
        {line(target, "t-name", t::NAME, Some(t::NAME_HINT), "text", |t| t.name.clone(), |t, v| t.name = v)}
        <div class="fields">
            {line(target, "t-host", t::HOST, None, "text", |t| t.host.clone(), |t, v| t.host = v)}
            {line(target, "t-port", t::PORT, None, "number", |t| t.port.to_string(), |t, v| t.port = v.parse().unwrap_or(t.port))}
            {line(target, "t-socket", t::SOCKET, Some(t::SOCKET_HINT), "text",
                |t| t.socket.clone().unwrap_or_default(), move |t, v| t.socket = some(v))}
        </div>
        <div class="fields">
            {line(target, "t-user", t::USER, None, "text", |t| t.user.clone(), |t, v| t.user = v)}
            {line(target, "t-password", t::PASSWORD, Some(t::PASSWORD_HINT), "password",
                |t| t.password.clone().unwrap_or_default(), move |t, v| t.password = Some(v).filter(|v| !v.is_empty()))}
            {line(target, "t-database", t::OPEN_DATABASE, Some(t::OPTIONAL), "text",
                |t| t.database.clone().unwrap_or_default(), move |t, v| t.database = some(v))}
        </div>
        <Tls target />
    }
    .into_any()
}

fn line(
    target: RwSignal<NewTarget>,
    id: &'static str,
    label: &'static str,
    hint: Option<&'static str>,
    kind: &'static str,
    get: fn(&NewTarget) -> String,
    set: impl Fn(&mut NewTarget, String) + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <Field label=label.to_owned() id hint=Signal::stored(hint.map(str::to_owned))>
            <TextInput id kind testid=id value=Signal::derive(move || target.with(get))
                input=move |v| target.update(|t| set(t, v)) />
        </Field>
    }
    .into_any()
}

#[component]
fn Tls(target: RwSignal<NewTarget>) -> impl IntoView {
    let options: Vec<_> =
        TLS.iter().enumerate().map(|(i, m)| (i.to_string(), words::tls(*m).to_owned())).collect();
    let value = move || {
        let now = target.with(|t| t.tls);
        TLS.iter().position(|m| *m == now).unwrap_or(0).to_string()
    };
    let verify = Memo::new(move |_| target.with(|t| t.tls == TlsMode::Verify));
    view! {
        <Field label=t::TLS.to_owned() id="t-tls">
            <Select id="t-tls" testid="t-tls" value=Signal::derive(value) options
                change=move |v| {
                    let mode = v.parse().ok().and_then(|i: usize| TLS.get(i).copied()).unwrap_or_default();
                    target.update(|t| t.tls = mode);
                } />
        </Field>
        <Show when=move || verify.get()>
            <Field label=t::CA.to_owned() id="t-ca" hint=Signal::stored(Some(t::OPTIONAL.to_owned()))>
                <textarea id="t-ca" rows="4" spellcheck="false"
                    prop:value=move || target.with(|t| t.ca_pem.clone().unwrap_or_default())
                    on:input=move |e| {
                        let text = event_target_value(&e);
                        target.update(|t| t.ca_pem = Some(text).filter(|v| !v.trim().is_empty()));
                    }></textarea>
            </Field>
        </Show>
    }
    .into_any()
}
