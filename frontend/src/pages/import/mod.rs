//! The import page: file, table, plan and run, all in sight.

mod columns;
mod file;
mod folder;
mod go;
mod match_table;
mod new_table;
mod plan;
mod preview;
mod recipes;
mod table;
mod wishes;

use leptos::prelude::*;

pub use plan::prechecks;

use crate::components::{Button, Glyph, Look, Show};
use crate::state::import::Import;
use crate::text::import as t;

/// `/`.
#[component]
pub fn ImportPage() -> impl IntoView {
    super::title(t::TITLE);
    let import = expect_context::<Import>();
    let road = move || {
        let name = import.uploader.state.with(|u| u.name.clone());
        if name.is_empty() {
            return String::new();
        }
        let table = import.form.with(|f| format!("{}.{}", f.database, f.table()));
        format!("{name} → {table}")
    };
    view! {
        <div class="head">
            <h1>{t::TITLE}</h1>
            <span class="dim">{road}</span>
            <Show when=move || import.has_file()>
                <span class="push">
                    <recipes::RecipeMenu import />
                    <Button label=t::START_OVER.to_owned() title=t::START_OVER_HINT glyph=Glyph::Again
                        look=Look::Bare testid="start-over" press=move || import.forget(true) />
                </span>
            </Show>
        </div>
        <div class="cols">
            <div class="stack">
                <file::FilePart import />
                <table::TablePart import />
            </div>
            <div class="stack import-right" class:going=move || import.run_id.with(Option::is_some)
                class:ready=move || import.plan.with(Option::is_some)>
                <plan::PlanPart import />
                <go::RunPart import />
            </div>
        </div>
    }
    .into_any()
}

/// The head of a part: number, name, a word beside.
#[component]
fn PartHead(
    number: u8,
    #[prop(into)] name: String,
    #[prop(into)] beside: Signal<String>,
    /// "", "on" or "done".
    #[prop(into)]
    stand: Signal<&'static str>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <header>
            <span class=move || format!("part {}", stand.get()) aria-hidden="true">{number}</span>
            <h2>{name}</h2>
            <span class="dim">{move || beside.get()}</span>
            {children.map(|c| view! { <span class="push">{c()}</span> })}
        </header>
    }
    .into_any()
}
