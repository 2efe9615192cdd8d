//! Files that lie on the service's machine already: looked through and picked, one, several or by a
//! pattern, instead of uploaded.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::api::{FolderEntry, FolderView, NewSource};
use shared::{ErrorBody, units};

use crate::api;
use crate::components::{Bones, Button, Dialog, ErrorNote, Glyph, Look, Show, TextInput};
use crate::state::Latest;
use crate::state::import::Import;
use crate::text::import as t;

/// The button and its dialog, where a folder was opened for the service.
#[component]
pub fn OnService(import: Import) -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <Show when=move || import.has_folder()>
            <Button label=t::ON_SERVICE.to_owned() glyph=Glyph::Table title=t::ON_SERVICE_HINT
                testid="on-service" press=move || open.set(true) />
            <Browse import open />
        </Show>
    }
    .into_any()
}

#[component]
fn Browse(import: Import, open: RwSignal<bool>) -> impl IntoView {
    let path = RwSignal::new(String::new());
    let view = RwSignal::new(None::<Result<FolderView, ErrorBody>>);
    let picked = RwSignal::new(Vec::<String>::new());
    let pattern = RwSignal::new(String::new());
    let fault = RwSignal::new(None::<ErrorBody>);
    let latest = Latest::new();
    Effect::new(move |_| {
        if !open.get() {
            return;
        }
        let path = path.get();
        let ticket = latest.ask();
        spawn_local(async move {
            let answer = api::files(&path).await;
            if latest.is_last(ticket) {
                let _ = view.try_set(Some(answer));
            }
        });
    });
    let wanted = move || {
        let typed = pattern.get().trim().to_owned();
        if typed.is_empty() { picked.get() } else { vec![typed] }
    };
    let take = move || {
        let files = wanted();
        spawn_local(async move {
            match api::make_source(&NewSource { files, uploads: Vec::new() }).await {
                Ok(source) => {
                    open.set(false);
                    picked.set(Vec::new());
                    fault.set(None);
                    import.take_source(&source);
                }
                Err(error) => fault.set(Some(error)),
            }
        });
    };
    let footer = ViewFn::from(move || {
        view! {
            <Button label=t::USE_FILES.to_owned() look=Look::Go testid="use-files" press=take
                disabled=Signal::derive(move || wanted().is_empty()) />
        }
    });
    view! {
        <Dialog title=t::ON_SERVICE open footer testid="folder-dialog">
            <Crumbs path />
            {move || match view.get() {
                None => view! { <Bones /> }.into_any(),
                Some(Err(error)) => view! { <ErrorNote error /> }.into_any(),
                Some(Ok(found)) => list(&found, path, picked).into_any(),
            }}
            <label for="folder-pattern">{t::PATTERN}</label>
            <TextInput id="folder-pattern" value=pattern placeholder=t::PATTERN_EXAMPLE
                testid="folder-pattern" input=move |v| pattern.set(v) />
            {move || fault.get().map(|error| view! { <ErrorNote error testid="folder-error" /> })}
        </Dialog>
    }
    .into_any()
}

/// The way to the folder that is shown.
#[component]
fn Crumbs(path: RwSignal<String>) -> impl IntoView {
    let parts = move || {
        let shown = path.get();
        let mut so_far = String::new();
        let mut all = vec![(t::FOLDER_ROOT.to_owned(), String::new())];
        for part in shown.split('/').filter(|p| !p.is_empty()) {
            so_far = if so_far.is_empty() { part.to_owned() } else { format!("{so_far}/{part}") };
            all.push((part.to_owned(), so_far.clone()));
        }
        all.into_iter()
            .map(|(name, to)| {
                view! {
                    <button type="button" class="btn bare" on:click=move |_| path.set(to.clone())>{name}</button>
                }
            })
            .collect_view()
    };
    view! { <div class="row wrap" data-testid="folder-path">{parts}</div> }.into_any()
}

fn list(
    found: &FolderView,
    path: RwSignal<String>,
    picked: RwSignal<Vec<String>>,
) -> impl IntoView + use<> {
    let rows = found.entries.iter().map(|entry| row(entry.clone(), path, picked)).collect_view();
    let none = found.entries.is_empty().then(|| view! { <p class="dim">{t::FOLDER_EMPTY}</p> });
    let more = (found.more > 0).then(|| view! { <p class="dim">{t::folder_more(found.more)}</p> });
    view! {
        <div class="wide" tabindex="0" role="region" aria-label=t::ON_SERVICE>
            <table data-testid="folder-entries"><tbody>{rows}</tbody></table>
            {none}
            {more}
        </div>
    }
    .into_any()
}

fn row(entry: FolderEntry, path: RwSignal<String>, picked: RwSignal<Vec<String>>) -> impl IntoView {
    let FolderEntry { name, path: own, folder, bytes, modified } = entry;
    if folder {
        let to = own;
        return view! {
            <tr>
                <td colspan="3">
                    <button type="button" class="btn bare" data-testid=format!("folder-{name}")
                        on:click=move |_| path.set(to.clone())>{format!("{name}/")}</button>
                </td>
            </tr>
        }
        .into_any();
    }
    let (now, toggled) = (own.clone(), own);
    let checked = move || picked.with(|p| p.contains(&now));
    let toggle = move |_| {
        picked.update(|p| match p.iter().position(|x| *x == toggled) {
            Some(at) => {
                p.remove(at);
            }
            None => p.push(toggled.clone()),
        });
    };
    let day = modified.and_then(|m| m.get(..10).map(str::to_owned));
    view! {
        <tr>
            <td>
                <label>
                    <input type="checkbox" data-testid=format!("file-{name}") prop:checked=checked
                        on:change=toggle />
                    " " {name}
                </label>
            </td>
            <td class="n">{units::bytes(bytes)}</td>
            <td class="n dim">{day}</td>
        </tr>
    }
    .into_any()
}
