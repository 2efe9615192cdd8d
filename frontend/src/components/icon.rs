//! Icons as inline SVG, drawn on a 16-pixel grid with one stroke, and the mark.

use leptos::prelude::*;

/// The icons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by what they show")]
pub enum Glyph {
    Upload,
    File,
    Table,
    Runs,
    Database,
    Check,
    Warning,
    Stop,
    Info,
    Help,
    Chevron,
    Down,
    Cross,
    Copy,
    Pause,
    Play,
    Again,
    Plus,
    Trash,
    Download,
    Search,
    Sun,
    Moon,
    Auto,
    Arrow,
    Curve,
    Bars,
    Compare,
    Recipe,
    Grip,
}

impl Glyph {
    /// All, for the kit.
    pub const ALL: [Self; 30] = [
        Self::Upload,
        Self::File,
        Self::Table,
        Self::Runs,
        Self::Database,
        Self::Check,
        Self::Warning,
        Self::Stop,
        Self::Info,
        Self::Help,
        Self::Chevron,
        Self::Down,
        Self::Cross,
        Self::Copy,
        Self::Pause,
        Self::Play,
        Self::Again,
        Self::Plus,
        Self::Trash,
        Self::Download,
        Self::Search,
        Self::Sun,
        Self::Moon,
        Self::Auto,
        Self::Arrow,
        Self::Curve,
        Self::Bars,
        Self::Compare,
        Self::Recipe,
        Self::Grip,
    ];

    const fn path(self) -> &'static str {
        match self {
            Self::Upload => "M8 10.5V2.5M4.8 5.6 8 2.4l3.2 3.2M2.5 10.5v3h11v-3",
            Self::File => "M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.2h3.3M6 8.5h4.4M6 11h4.4",
            Self::Table => "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6.2 6.3V13",
            Self::Runs => "M2.5 4h7M2.5 8h11M2.5 12h5",
            Self::Database => {
                "M2.8 4c0-1.2 2.3-2 5.2-2s5.2.8 5.2 2-2.3 2-5.2 2-5.2-.8-5.2-2v8c0 1.2 2.3 2 5.2 2s5.2-.8 5.2-2V4M2.8 8c0 1.2 2.3 2 5.2 2s5.2-.8 5.2-2"
            }
            Self::Check => "M2.8 8.6 6.3 12l7-8",
            Self::Warning => "M8 2.2 14.4 13H1.6zM8 6.4v3.2M8 11.2v.4",
            Self::Stop => {
                "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4"
            }
            Self::Info => "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 7.4v3.6M8 5v.4",
            Self::Help => {
                "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M6.2 6.3a1.9 1.9 0 1 1 2.7 1.9c-.6.3-.9.6-.9 1.2M8 11.2v.4"
            }
            Self::Chevron => "m6 3.5 4.5 4.5L6 12.5",
            Self::Down => "m4 6.2 4 4 4-4",
            Self::Cross => "m4 4 8 8M12 4l-8 8",
            Self::Copy => "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
            Self::Pause => "M5.5 3.5v9M10.5 3.5v9",
            Self::Play => "M5 3.2v9.6L12.6 8z",
            Self::Again => "M12.9 6.2A5.2 5.2 0 1 0 13 9.6M13.2 2.8v3.6H9.6",
            Self::Plus => "M8 3v10M3 8h10",
            Self::Trash => "M2.8 4.2h10.4M6 4V2.4h4V4M4.2 4.4l.6 9.2h6.4l.6-9.2M6.8 7v4M9.2 7v4",
            Self::Download => "M8 2.5v8M4.8 7.4 8 10.6l3.2-3.2M2.5 11v2.5h11V11",
            Self::Search => "M7 2.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2M10.4 10.4l3.4 3.4",
            Self::Sun => {
                "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M12.7 3.3l-1 1M4.3 11.7l-1 1"
            }
            Self::Moon => "M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6 5.8 5.8 0 1 0 13.4 9.6",
            Self::Auto => "M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6",
            Self::Arrow => "M2.5 8h11M9.5 4l4 4-4 4",
            Self::Curve => "M2.5 2.5v11h11M4.5 11c4 0 6-2.5 8.5-8",
            Self::Bars => "M2.5 3.5h11M2.5 8h7M2.5 12.5h3.5",
            Self::Compare => "M8 2v12M2.5 4.5h3v7h-3zM10.5 6.5h3v5h-3z",
            Self::Recipe => "M4 2h8v12l-4-2.8L4 14z",
            Self::Grip => "M6 4v.1M10 4v.1M6 8v.1M10 8v.1M6 12v.1M10 12v.1",
        }
    }
}

/// One icon; it says nothing to a screen reader, the words beside it do.
#[component]
pub fn Icon(glyph: Glyph, #[prop(default = 16)] size: u32) -> impl IntoView {
    view! {
        <svg width=size height=size viewBox="0 0 16 16" fill="none" stroke="currentColor"
            stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <path d=glyph.path() />
        </svg>
    }
    .into_any()
}

/// The mark: a plimsoll line, a ring and the water's edge through it.
#[component]
pub fn Mark(#[prop(default = 22)] size: u32) -> impl IntoView {
    view! {
        <svg width=size height=size viewBox="0 0 22 22" fill="none" aria-hidden="true">
            <circle cx="11" cy="11" r="6.5" stroke="currentColor" stroke-width="2" />
            <path class="line" d="M1 11h20" stroke="currentColor" stroke-width="2.4" />
        </svg>
    }
    .into_any()
}
