//! Refused records put right by hand and loaded alone.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;

use crate::api;
use crate::components::{Bones, Button, Dialog, ErrorNote, Look, Show};
use crate::route::Route;
use crate::text::record as t;

/// Records that may be mended in the page; more are downloaded.
const RECORDS_MAX: u64 = 2000;

/// The button and its dialog, where there are not too many records to edit by hand.
#[component]
pub fn Mend(id: String, total: Signal<u64>) -> impl IntoView {
    let open = RwSignal::new(false);
    let few = Memo::new(move |_| (1..=RECORDS_MAX).contains(&total.get()));
    view! {
        <Show when=move || few.get()>
            <Button label=t::MEND.to_owned() title=t::MEND_HINT testid="mend" press=move || open.set(true) />
            <Edit id=id.clone() open />
        </Show>
    }
    .into_any()
}

#[component]
fn Edit(id: String, open: RwSignal<bool>) -> impl IntoView {
    let records = RwSignal::new(None::<Result<String, ErrorBody>>);
    let fault = RwSignal::new(None::<ErrorBody>);
    let sending = RwSignal::new(false);
    let route = expect_context::<Route>();
    let of = id.clone();
    Effect::new(move |_| {
        if !open.get() {
            return;
        }
        let id = of.clone();
        spawn_local(async move {
            let answer = api::records(&id).await;
            let _ = records.try_set(Some(answer));
        });
    });
    let send = move || {
        let Some(Ok(text)) = records.get_untracked() else { return };
        let id = id.clone();
        sending.set(true);
        spawn_local(async move {
            match api::mend(&id, &text).await {
                Ok(run) => route.go(&format!("/runs/{}", run.run_id)),
                Err(error) => {
                    let _ = fault.try_set(Some(error));
                }
            }
            let _ = sending.try_set(false);
        });
    };
    let footer = ViewFn::from(move || {
        let send = send.clone();
        view! {
            <Button label=t::MEND_LOAD.to_owned() look=Look::Go testid="mend-load" press=send
                disabled=Signal::derive(move || sending.get()) />
        }
    });
    view! {
        <Dialog title=t::MEND open footer testid="mend-dialog">
            <p class="dim">{t::MEND_TEXT}</p>
            {move || match records.get() {
                None => view! { <Bones /> }.into_any(),
                Some(Err(error)) => view! { <ErrorNote error /> }.into_any(),
                Some(Ok(text)) => view! {
                    <textarea rows="14" spellcheck="false" class="mono" aria-label=t::MEND
                        data-testid="mend-text" prop:value=text
                        on:change=move |e| records.set(Some(Ok(event_target_value(&e))))></textarea>
                }.into_any(),
            }}
            {move || fault.get().map(|error| view! { <ErrorNote error testid="mend-error" /> })}
        </Dialog>
    }
    .into_any()
}
