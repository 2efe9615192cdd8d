//! Recipes on the import page: one on offer for the file, all of them in a menu.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorCode;
use shared::recipe::Recipe;

use crate::browser;
use crate::components::{Button, Glyph, Icon, Look, Popover, Show, Term, TextInput, Toasts};
use crate::state::import::Import;
use crate::text::{import as t, words::terms};

/// The recipe that fits the file, once the file is known and nothing has been set.
#[component]
pub fn RecipeOffer(import: Import) -> impl IntoView {
    let offer = Memo::new(move |_| import.offer());
    move || {
        offer.get().map(|recipe| {
            let words = about(&recipe);
            let name = recipe.name.clone();
            view! {
                <div class="body offer" data-testid="recipe-offer">
                    <Icon glyph=Glyph::Recipe size=18 />
                    <div><b>{t::recipe_fits(&name)}</b><small>{words}</small></div>
                    <span class="row">
                        <Button label=t::RECIPE_USE.to_owned() look=Look::Go testid="recipe-use"
                            press=move || import.use_recipe(&recipe) />
                        <Button label=t::RECIPE_NOT_NOW.to_owned() look=Look::Bare
                            press=move || import.recipes.declined.set(true) />
                    </span>
                </div>
            }
        })
    }
}

/// What is set, to be kept; what was kept, to be used or forgotten.
#[component]
pub fn RecipeMenu(import: Import) -> impl IntoView {
    let open = RwSignal::new(false);
    let label = move || {
        import
            .form
            .with(|f| f.recipe.clone())
            .map_or_else(|| t::RECIPES.to_owned(), |r| t::recipe_in_use(&r))
    };
    let kept = Memo::new(move |_| import.recipes.all.get());
    view! {
        <Popover open class="btn".to_owned() end=true testid="recipes"
            button=ViewFn::from(move || view! { <Icon glyph=Glyph::Recipe /> <span class="cut">{label}</span> })>
            <div class="label">{t::RECIPE_KEEP} <Term text=terms::RECIPE /></div>
            <Keep import open />
            <Show when=move || !kept.with(Vec::is_empty)>
                <div class="label">{t::RECIPES_KEPT}</div>
            </Show>
            <ul class="recipes">
                {move || kept.get().into_iter().map(|r| line(import, r, open)).collect_view()}
            </ul>
        </Popover>
    }
    .into_any()
}

fn about(recipe: &Recipe) -> String {
    let when = recipe.used_at.as_ref().map(|at| browser::when(at));
    t::recipe_about(recipe.shape.columns.len(), recipe.place.table.as_deref(), recipe.uses, when)
}

#[component]
fn Keep(import: Import, open: RwSignal<bool>) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let name = RwSignal::new(import.form.with_untracked(|f| f.recipe.clone()).unwrap_or_default());
    // The name of one that is there: a second press lets this one take its place.
    let taken = RwSignal::new(None::<String>);
    let uploaded = Memo::new(move |_| import.uploader.state.with(|u| u.is_done()));
    let keep = move || {
        let typed = name.get_untracked().trim().to_owned();
        let own = import.form.with_untracked(|f| f.recipe.as_ref() == Some(&typed));
        let replace = own || taken.with_untracked(|t| t.as_ref() == Some(&typed));
        spawn_local(async move {
            match import.keep_recipe(&typed, replace).await {
                Ok(kept) => {
                    toasts.good(&t::recipe_kept(&kept.name));
                    let _ = open.try_set(false);
                }
                Err(error) if error.code == ErrorCode::Conflict && uploaded.get_untracked() => {
                    let _ = taken.try_set(Some(typed));
                }
                Err(error) => toasts.bad(&error),
            }
        });
    };
    let again = move || taken.with(|t| t.as_ref().is_some_and(|t| *t == name.get().trim()));
    view! {
        <form class="row" on:submit=move |e| {
            e.prevent_default();
            keep();
        }>
            <TextInput id="recipe-name" testid="recipe-name" value=name placeholder=t::RECIPE_NAME input=move |v| name.set(v) />
            <button class="btn" type="submit" data-testid="recipe-keep"
                disabled=move || !uploaded.get() || name.with(|n| n.trim().is_empty())>
                {move || if again() { t::RECIPE_REPLACE } else { t::RECIPE_KEEP_NOW }}
            </button>
        </form>
        <Show when=again><small role="status">{t::RECIPE_TAKEN}</small></Show>
    }
    .into_any()
}

fn line(import: Import, recipe: Recipe, open: RwSignal<bool>) -> impl IntoView {
    let toasts = expect_context::<Toasts>();
    let words = about(&recipe);
    let (used, gone) = (recipe.clone(), recipe.clone());
    let forget = move || {
        let gone = gone.clone();
        spawn_local(async move {
            if let Err(error) = import.forget_recipe(&gone).await {
                toasts.bad(&error);
            }
        });
    };
    view! {
        <li data-testid="recipe-line">
            <button type="button" class="btn bare" on:click=move |_| {
                import.use_recipe(&used);
                open.set(false);
            }>{recipe.name.clone()}</button>
            <small>{words}</small>
            <button type="button" class="term" aria-label=t::recipe_forget(&recipe.name) title=t::recipe_forget(&recipe.name)
                on:click=move |_| forget()><Icon glyph=Glyph::Trash size=14 /></button>
        </li>
    }
    .into_any()
}
