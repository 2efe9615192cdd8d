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
    // Drawn once for all buttons, whatever they do: each `impl Fn` would be a copy of all of it.
    draw(Box::new(press), Drawn { label, look, glyph, disabled, title, large, testid })
}

struct Drawn {
    label: Signal<String>,
    look: Look,
    glyph: Option<Glyph>,
    disabled: Signal<bool>,
    title: Option<&'static str>,
    large: bool,
    testid: Option<&'static str>,
}

fn draw(press: Box<dyn Fn()>, drawn: Drawn) -> AnyView {
    let Drawn { label, look, glyph, disabled, title, large, testid } = drawn;
    view! {
        <button type="button" class=look.class() class:large=large disabled=move || disabled.get()
            title=title data-testid=testid on:click=move |_| press()>
            {glyph.map(|glyph| view! { <Icon glyph /> })}
            {move || label.get()}
        </button>
    }
    .into_any()
}
