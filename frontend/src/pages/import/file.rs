//! Part 1: the file, its upload, what was found in it.

use leptos::html;
use leptos::prelude::*;
use shared::units;

use super::PartHead;
use super::preview::Preview;
use super::recipes::RecipeOffer;
use crate::browser;
use crate::components::{Button, ErrorNote, Glyph, Icon, Look, Meter, Note, Show, Tone};
use crate::model::format;
use crate::model::upload::Phase;
use crate::state::import::{Import, Reader};
use crate::text::{import as t, words};

#[component]
pub fn FilePart(import: Import) -> impl IntoView {
    let beside = move || {
        import.uploader.state.with(|u| {
            if u.name.is_empty() {
                return String::new();
            }
            let packed = import
                .seen
                .with(|s| s.as_ref().and_then(|s| words::compression(s.profile.compression)));
            let packed = packed.map(|p| format!(" · {p}")).unwrap_or_default();
            format!("{} · {}{packed}", u.name, units::bytes(u.total))
        })
    };
    let stand = move || {
        if import.uploader.state.with(|u| u.is_done()) { "done" } else { "on" }
    };
    let empty = Memo::new(move |_| !import.has_file());
    view! {
        <section class="card" data-testid="part-file">
            <PartHead number=1 name=t::FILE beside=Signal::derive(beside) stand=Signal::derive(stand)>
                <UploadTag import />
            </PartHead>
            {move || view! { <Drop import small=!empty.get() /> }}
            <UploadLine import />
            {move || {
                import.fault.get().map(|error| view! { <div class="body"><ErrorNote error testid="file-error" /></div> })
            }}
            <RecipeOffer import />
            <Preview import />
        </section>
    }
    .into_any()
}

#[component]
fn Drop(import: Import, small: bool) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let take = move |list| import.take(browser::files(list));
    let choose = move || {
        if let Some(input) = input.get_untracked() {
            input.set_value("");
            input.click();
        }
    };
    let missing = move || {
        import.uploader.state.with(|u| {
            (u.phase == Phase::Missing)
                .then(|| t::missing_file(&u.name, &format::percent(u.share(), 1.0)))
        })
    };
    view! {
        <div class="drop" class:small=small data-testid="drop-zone">
            <Icon glyph=Glyph::Upload size={if small { 18 } else { 30 }} />
            <div>
                {(!small).then(|| view! { <h3>{t::DROP_TITLE}</h3> })}
                {move || match missing() {
                    Some(text) => view! { <b>{text}</b> }.into_any(),
                    None if small => t::DROP_OTHER.into_any(),
                    None => view! { {t::DROP_TEXT} " " {t::DROP_SEVERAL} }.into_any(),
                }}
            </div>
            {(!small).then(|| view! { <super::folder::OnService import /> })}
            <input type="file" multiple hidden node_ref=input data-testid="file-input" aria-label=t::CHOOSE
                on:change=move |_| take(input.get_untracked().and_then(|i| i.files())) />
            <Button testid="choose-file" press=choose look={if small { Look::Plain } else { Look::Go }}
                label=Signal::derive(move || {
                    let words = match (missing().is_some(), small) {
                        (true, _) => t::CHOOSE_AGAIN,
                        (_, true) => t::CHOOSE_OTHER,
                        _ => t::CHOOSE,
                    };
                    words.to_owned()
                }) />
        </div>
    }
    .into_any()
}

/// What is the matter with the upload, in the head.
#[component]
fn UploadTag(import: Import) -> impl IntoView {
    let state = import.uploader.state;
    move || {
        let (class, words) = state.with(|u| {
            let share = format::percent(u.share(), 1.0);
            match &u.phase {
                Phase::Idle | Phase::Missing => ("", String::new()),
                Phase::Creating => ("tag run", t::UP_CREATING.to_owned()),
                Phase::Asking => ("tag run", t::UP_ASKING.to_owned()),
                Phase::Sending => ("tag run", t::sending(&share, u.bytes_per_sec())),
                Phase::Joining => ("tag run", t::UP_JOINING.to_owned()),
                Phase::Paused => ("tag", format!("{} · {share}", t::UP_PAUSED)),
                Phase::Waiting { retry_ms } => ("tag warn", t::waiting(*retry_ms)),
                Phase::Done => ("tag good", t::UP_DONE.to_owned()),
                Phase::Failed(_) => ("tag bad", t::UP_FAILED.to_owned()),
            }
        });
        let phase = state.with(|u| phase_name(&u.phase));
        (!words.is_empty()).then(|| {
            view! { <span class=class data-testid="upload-status" data-phase=phase>{words}</span> }
        })
    }
}

const fn phase_name(phase: &Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Creating => "creating",
        Phase::Asking => "asking",
        Phase::Sending => "sending",
        Phase::Joining => "joining",
        Phase::Paused => "paused",
        Phase::Waiting { .. } => "waiting",
        Phase::Done => "done",
        Phase::Missing => "missing",
        Phase::Failed(_) => "failed",
    }
}

/// The upload's bar and buttons, while there is something to see or to do.
#[component]
fn UploadLine(import: Import) -> impl IntoView {
    let uploader = import.uploader;
    let state = uploader.state;
    let phase = Memo::new(move |_| state.with(|u| u.phase.clone()));
    let shown =
        Memo::new(move |_| !matches!(phase.get(), Phase::Idle | Phase::Done | Phase::Missing));
    let line = move || {
        state.with(|u| {
            let sent = format!("{} of {}", units::bytes(u.sent()), units::bytes(u.total));
            let left = u
                .remaining_ms()
                .map(|ms| format!("{} {}", units::duration_ms(ms), crate::text::record::REMAINING));
            let several = u.piece().filter(|_| u.pieces.len() > 1);
            let which = several.map(|p| t::file_of(u.at + 1, u.pieces.len(), &p.name));
            [Some(sent), left, which].into_iter().flatten().collect::<Vec<_>>().join(" · ")
        })
    };
    let going = Memo::new(move |_| state.with(|u| u.is_active()));
    view! {
        <Show when=move || shown.get()>
            <div class="body">
                <div class="upload">
                    <span class="dim" data-testid="upload-progress">{line}</span>
                    <span class="row">
                        {move || {
                            if going.get() {
                                view! { <Button label=t::UP_PAUSE.to_owned() glyph=Glyph::Pause testid="upload-pause" press=move || uploader.pause() /> }.into_any()
                            } else {
                                view! { <Button label=t::UP_RESUME.to_owned() glyph=Glyph::Play testid="upload-resume" press=move || uploader.resume() /> }.into_any()
                            }
                        }}
                        <Button label=crate::text::CANCEL.to_owned() glyph=Glyph::Cross testid="upload-cancel"
                            press=move || import.forget(true) />
                    </span>
                    <Meter share=Signal::derive(move || state.with(|u| u.share())) label=t::FILE
                        class=Signal::derive(move || if going.get() { "" } else { "idle" }) />
                </div>
            </div>
        </Show>
        {move || match phase.get() {
            Phase::Failed(error) => Some(view! { <div class="body"><ErrorNote error testid="upload-error" /></div> }),
            _ => None,
        }}
        {move || {
            let waits = import.seen.with(|s| {
                s.as_ref().is_some_and(|s| s.by == Reader::Browser && s.profile.columns.is_empty())
            });
            waits.then(|| view! { <div class="body"><Note tone=Tone::Plain>{t::READING_SERVICE}</Note></div> })
        }}
    }
    .into_any()
}
