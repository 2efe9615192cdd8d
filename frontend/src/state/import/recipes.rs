//! Recipes: offered for a file of their shape, used, kept, forgotten.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::recipe::{NewRecipe, Recipe, Shape, offered};

use super::Import;
use crate::api;
use crate::model::form::{Form, Into};

/// The recipes, and whether the one on offer was declined.
#[derive(Clone, Copy)]
pub struct Recipes {
    /// All of them, by name.
    pub all: RwSignal<Vec<Recipe>>,
    /// Whether the person wants none for this file.
    pub declined: RwSignal<bool>,
}

impl Recipes {
    /// Fetches them.
    pub fn start() -> Self {
        let recipes = Self { all: RwSignal::new(Vec::new()), declined: RwSignal::new(false) };
        recipes.refresh();
        recipes
    }

    /// Fetches them again.
    pub fn refresh(self) {
        spawn_local(async move {
            // Without them nothing is offered; what is wrong with the service shows elsewhere.
            if let Ok(all) = api::recipes().await {
                self.all.set(all);
            }
        });
    }
}

impl Import {
    /// The recipe that fits the file, while nothing has been set for it.
    pub fn offer(self) -> Option<Recipe> {
        let untouched = self.form.with(Form::is_untouched);
        if !untouched || self.recipes.declined.get() {
            return None;
        }
        let shape = self.seen.with(|s| s.as_ref().map(|s| Shape::of(&s.profile)))?;
        self.recipes.all.with(|all| offered(all, &shape).cloned())
    }

    /// Sets what a recipe says. Rows go to its table; a table that is not there is made.
    pub fn use_recipe(self, recipe: &Recipe) {
        let known = self.place.targets.with_untracked(|targets| {
            let id = recipe.place.target_id.as_ref();
            id.is_some_and(|id| targets.iter().flatten().any(|t| &t.id == id))
        });
        self.form.update(|f| f.use_recipe(recipe, known));
        self.check.set(None);
        let place = self.form.with_untracked(|f| (f.target_id.clone(), f.database.clone()));
        let Some(table) = recipe.place.table.clone() else { return };
        let (Some(target), database) = place else { return };
        spawn_local(async move {
            let Ok(tables) = api::tables(&target, &database).await else { return };
            let there = tables.iter().any(|t| t.name == table);
            self.form.update(|f| f.into = if there { Into::Existing } else { Into::New });
        });
    }

    /// Keeps what is set under a name.
    ///
    /// # Errors
    /// A sentence, where the service refuses.
    pub async fn keep_recipe(self, name: &str, replace: bool) -> Result<Recipe, ErrorBody> {
        let source_id = self.uploader.state.with_untracked(|u| u.id.clone()).unwrap_or_default();
        let (options, place) = self.form.with_untracked(Form::as_recipe);
        let new = NewRecipe { name: name.to_owned(), source_id, options, place, replace };
        let kept = api::keep_recipe(&new).await?;
        self.form.update(|f| f.recipe = Some(kept.name.clone()));
        self.recipes.refresh();
        Ok(kept)
    }

    /// Forgets a recipe; what is set stays.
    ///
    /// # Errors
    /// A sentence, where the service refuses.
    pub async fn forget_recipe(self, recipe: &Recipe) -> Result<(), ErrorBody> {
        api::delete_recipe(&recipe.id).await?;
        self.form.update(|f| {
            if f.recipe.as_ref() == Some(&recipe.name) {
                f.recipe = None;
            }
        });
        self.recipes.refresh();
        Ok(())
    }
}
