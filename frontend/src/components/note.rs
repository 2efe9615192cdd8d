//! Notes: a finding, an error with what to do.

use leptos::prelude::*;
use shared::ErrorBody;

use super::icon::{Glyph, Icon};
use crate::text::record;

/// What a note means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Good to know.
    Plain,
    /// All is well.
    Good,
    /// Beware.
    Warn,
    /// Something is wrong.
    Bad,
}

impl Tone {
    /// Its class.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }

    /// Its icon.
    pub const fn glyph(self) -> Glyph {
        match self {
            Self::Plain => Glyph::Info,
            Self::Good => Glyph::Check,
            Self::Warn => Glyph::Warning,
            Self::Bad => Glyph::Stop,
        }
    }
}

/// A note.
#[component]
pub fn Note(
    tone: Tone,
    children: Children,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    view! {
        <div class=format!("note {}", tone.class()) data-testid=testid>
            <Icon glyph=tone.glyph() />
            <div>{children()}</div>
        </div>
    }
    .into_any()
}

/// An error: what, where, and what to do.
#[component]
pub fn ErrorNote(
    error: ErrorBody,
    #[prop(default = "error")] testid: &'static str,
) -> impl IntoView {
    let place = record::position(error.row, error.line, error.column.as_deref());
    let value = error.value.clone();
    view! {
        <div class="note bad" role="alert" data-testid=testid data-code=error.code.as_str()>
            <Icon glyph=Glyph::Stop />
            <div>
                <b>{error.message}</b>
                {place.map(|p| view! { <small>{p} {value.map(|v| view! { " · " <code>{v}</code> })}</small> })}
                {error.hint.map(|h| view! { <small>{h}</small> })}
            </div>
        </div>
    }
    .into_any()
}
