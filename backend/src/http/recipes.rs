//! Recipes: kept, listed, forgotten, and put under the options of a request.

use actix_web::{HttpResponse, web};
use shared::ErrorCode;
use shared::options::ImportOptions;
use shared::people::Action;
use shared::recipe::{NewRecipe, Recipe, Shape};

use super::State;
use super::error::ApiError;
use super::people::about;
use super::rights::Routes;
use super::sources;
use super::visitor::Caller;

/// The routes below `/recipes`.
pub fn routes(routes: &mut Routes<'_>) {
    use Action as A;
    routes
        .route("/recipes", A::UseRecipes, web::get().to(list))
        .route("/recipes", A::KeepRecipe, web::post().to(keep))
        .route("/recipes/{id}", A::ForgetRecipe, web::delete().to(forget));
}

async fn list(state: web::Data<State>) -> Result<web::Json<Vec<Recipe>>, ApiError> {
    Ok(web::Json(state.store.recipes().await?))
}

async fn keep(
    new: web::Json<NewRecipe>,
    caller: Caller,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let mut new = new.into_inner();
    new.name = new.name.trim().to_owned();
    check(&new.name)?;
    let shape = shape_of(&state, &caller, &new).await?;
    let kept = state.store.recipe_keep(&new, &shape, &caller.name).await?;
    let thing = format!("recipes/{}", kept.name);
    Ok(about(HttpResponse::Created().json(kept), thing))
}

/// The shape of the file as the next one will be met: with nothing set. A file that cannot be read
/// that way is known by what was set for it.
async fn shape_of(state: &State, caller: &Caller, new: &NewRecipe) -> Result<Shape, ApiError> {
    let unset = sources::read(state, caller, &new.source_id, ImportOptions::default(), false).await;
    let answer = match unset {
        Ok(answer) => answer,
        Err(_) => sources::read(state, caller, &new.source_id, new.options.clone(), false).await?,
    };
    Ok(Shape::of(&answer.profile))
}

async fn forget(id: web::Path<String>, state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    if !state.store.recipe_delete(&id).await? {
        return Err(ApiError::not_found("recipe", &id));
    }
    Ok(HttpResponse::NoContent().finish())
}

/// A request's options over those of the recipe that it names.
pub async fn options(
    state: &State,
    recipe: Option<&str>,
    own: ImportOptions,
) -> Result<ImportOptions, ApiError> {
    let Some(name) = recipe else { return Ok(own) };
    let found = state.store.recipe(name).await?;
    let found = found.ok_or_else(|| ApiError::not_found("recipe", name))?;
    Ok(own.over(&found.options))
}

fn check(name: &str) -> Result<(), ApiError> {
    let wrong = if name.is_empty() {
        "A recipe needs a name."
    } else if name.chars().count() > 100 {
        "A recipe's name has 100 characters at most."
    } else if name.chars().any(char::is_control) {
        "A recipe's name is one line of text."
    } else {
        return Ok(());
    };
    Err(ApiError::new(ErrorCode::BadOption, wrong))
}
