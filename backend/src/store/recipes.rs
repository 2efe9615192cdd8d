//! Recipes: what was set for files of one shape, by name.

use serde::de::DeserializeOwned;
use shared::recipe::{NewRecipe, Recipe, Shape};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Store, StoreError, new_id, now};

fn from_row(row: &SqliteRow) -> Result<Recipe, StoreError> {
    fn json<T: DeserializeOwned>(row: &SqliteRow, column: &str) -> Result<T, StoreError> {
        Ok(serde_json::from_str(row.try_get::<&str, _>(column)?)?)
    }
    Ok(Recipe {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        who: row.try_get("who")?,
        shape: json(row, "shape")?,
        options: json(row, "options")?,
        place: json(row, "place")?,
        uses: row.try_get::<i64, _>("uses")?.unsigned_abs(),
        kept_at: row.try_get("kept_at")?,
        used_at: row.try_get("used_at")?,
    })
}

impl Store {
    /// Keeps a recipe; one of the same name only gives way when it is said so.
    ///
    /// # Errors
    /// [`StoreError::RecipeTaken`], or if the control database refuses.
    pub async fn recipe_keep(
        &self,
        new: &NewRecipe,
        shape: &Shape,
        who: &str,
    ) -> Result<Recipe, StoreError> {
        let mut tx = self.begin().await?;
        let before: Option<String> = sqlx::query_scalar("SELECT id FROM recipes WHERE name = ?")
            .bind(&new.name)
            .fetch_optional(&mut *tx)
            .await?;
        if before.is_some() && !new.replace {
            return Err(StoreError::RecipeTaken(new.name.clone()));
        }
        let id = before.unwrap_or_else(new_id);
        sqlx::query(
            "INSERT INTO recipes (id, name, who, shape, options, place, uses, kept_at)
             VALUES (?, ?, ?, ?, ?, ?, 0, ?)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, who = excluded.who,
               shape = excluded.shape, options = excluded.options, place = excluded.place,
               kept_at = excluded.kept_at",
        )
        .bind(&id)
        .bind(&new.name)
        .bind(who)
        .bind(serde_json::to_string(shape)?)
        .bind(serde_json::to_string(&new.options)?)
        .bind(serde_json::to_string(&new.place)?)
        .bind(now())
        .execute(&mut *tx)
        .await?;
        let row =
            sqlx::query("SELECT * FROM recipes WHERE id = ?").bind(&id).fetch_one(&mut *tx).await?;
        tx.commit().await?;
        from_row(&row)
    }

    /// All recipes by name.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn recipes(&self) -> Result<Vec<Recipe>, StoreError> {
        let rows = sqlx::query("SELECT * FROM recipes ORDER BY name COLLATE NOCASE")
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(from_row).collect()
    }

    /// A recipe by its name, without regard to case.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn recipe(&self, name: &str) -> Result<Option<Recipe>, StoreError> {
        let row = sqlx::query("SELECT * FROM recipes WHERE name = ?")
            .bind(name)
            .fetch_optional(&self.reader)
            .await?;
        row.as_ref().map(from_row).transpose()
    }

    /// Notes that a run was started with a recipe.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn recipe_used(&self, name: &str) -> Result<(), StoreError> {
        sqlx::query("UPDATE recipes SET uses = uses + 1, used_at = ? WHERE name = ?")
            .bind(now())
            .bind(name)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    /// Forgets a recipe; whether it was known.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn recipe_delete(&self, id: &str) -> Result<bool, StoreError> {
        let done =
            sqlx::query("DELETE FROM recipes WHERE id = ?").bind(id).execute(&self.writer).await?;
        Ok(done.rows_affected() > 0)
    }
}

#[cfg(test)]
mod tests {
    use shared::options::{Format, ImportOptions};
    use shared::recipe::RecipePlace;

    use super::*;

    fn nightly(replace: bool, workers: u32) -> NewRecipe {
        NewRecipe {
            name: "Nightly orders".into(),
            source_id: "s".into(),
            options: ImportOptions { workers: Some(workers), ..ImportOptions::default() },
            place: RecipePlace { table: Some("orders".into()), ..RecipePlace::default() },
            replace,
        }
    }

    #[tokio::test]
    async fn a_recipe_is_kept_replaced_used_and_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), None).await.unwrap();
        let shape = Shape { format: Format::Csv, columns: vec!["id".into()] };
        let first = store.recipe_keep(&nightly(false, 2), &shape, "amy").await.unwrap();
        assert!(matches!(
            store.recipe_keep(&nightly(false, 3), &shape, "bo").await,
            Err(StoreError::RecipeTaken(_))
        ));
        store.recipe_used("nightly ORDERS").await.unwrap();
        let second = store.recipe_keep(&nightly(true, 3), &shape, "bo").await.unwrap();
        assert_eq!((second.id.as_str(), second.uses), (first.id.as_str(), 1));
        let found = store.recipe("nightly orders").await.unwrap().unwrap();
        assert_eq!((found.options.workers, found.who.as_str()), (Some(3), "bo"));
        assert_eq!(store.recipes().await.unwrap(), [found]);
        assert!(store.recipe_delete(&first.id).await.unwrap());
        assert!(store.recipe("Nightly orders").await.unwrap().is_none());
    }
}
