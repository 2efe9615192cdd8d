//! Buttons.

use leptos::prelude::*;

use super::icon::{Glyph, Icon};

/// How a button looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    /// Beside others.
    #[default]
    Plain,
    /// The one action of its part.
    Go,
    /// It takes something away.
    Bad,
    /// Only words.
    Bare,
}

impl Look {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "btn",
            Self::Go => "btn go",
            Self::Bad => "btn bad",
            Self::Bare => "btn bare",
        }
    }
}

/// A button with words and perhaps an icon.
#[component]
pub fn Button(
    #[prop(into)] label: Signal<String>,
    press: impl Fn() + 'static,
    #[prop(optional)] look: Look,
    #[prop(optional, into)] glyph: Option<Glyph>,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional, into)] title: Option<&'static str>,
    #[prop(optional)] large: bool,
    #[prop(optional)] testid: Option<&'static str>,
) -> impl IntoView {
    view! {
        <button type="button" class=look.class() class:large=large disabled=move || disabled.get()
            title=title data-testid=testid on:click=move |_| press()>
            {glyph.map(|glyph| view! { <Icon glyph /> })}
            {move || label.get()}
        </button>
    }
}
