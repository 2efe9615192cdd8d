//! Recipes: what was set for one file, kept by name and offered again for files of its shape.

use serde::{Deserialize, Serialize};

use crate::options::{Format, ImportOptions};
use crate::profile::Profile;

/// What makes files alike: their format and their columns, as they are detected when nothing is
/// set. What was set for one file may read it quite differently; the next file is met unset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The format of the records.
    pub format: Format,
    /// The names of the columns in order; made-up ones where the file names none.
    pub columns: Vec<String>,
}

impl Shape {
    /// The shape of what was detected.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let name = |c: &crate::profile::ColumnProfile| {
            let own = c.source_name.trim();
            if own.is_empty() { c.name.clone() } else { own.to_owned() }
        };
        Self { format: profile.format, columns: profile.columns.iter().map(name).collect() }
    }

    /// Whether a file of the other shape may be read and mapped the same way. A file without
    /// columns fits nothing: nothing is known of it.
    #[must_use]
    pub fn fits(&self, other: &Self) -> bool {
        !self.columns.is_empty()
            && self.format == other.format
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(|(a, b)| same(a, b))
    }
}

fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// A recipe as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Identity.
    pub id: String,
    /// What people and scripts call it.
    pub name: String,
    /// Who kept it last.
    pub who: String,
    /// The shape of the file it was made for.
    pub shape: Shape,
    /// What was set: how to read the file, its mapping, wishes for the plan.
    pub options: ImportOptions,
    /// Where the file went, as a proposal.
    #[serde(default)]
    pub place: RecipePlace,
    /// How often it was used.
    pub uses: u64,
    /// When it was kept last, RFC 3339.
    pub kept_at: String,
    /// When it was used last.
    #[serde(default)]
    pub used_at: Option<String>,
}

/// Where rows went. Each part may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecipePlace {
    /// The saved target.
    pub target_id: Option<String>,
    /// The database.
    pub database: Option<String>,
    /// The table.
    pub table: Option<String>,
    /// The statement that makes the table, where the person edited it.
    pub create_table: Option<String>,
}

/// `POST /recipes`: keeps what was set for a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewRecipe {
    /// Its name.
    pub name: String,
    /// The uploaded file whose shape it is for.
    pub source_id: String,
    /// What was set.
    #[serde(default)]
    pub options: ImportOptions,
    /// Where the file goes.
    #[serde(default)]
    pub place: RecipePlace,
    /// Whether it takes the place of one of the same name.
    #[serde(default)]
    pub replace: bool,
}

/// The recipe that is offered for a file by itself: of those that fit, the one used last.
#[must_use]
pub fn offered<'a>(recipes: &'a [Recipe], file: &Shape) -> Option<&'a Recipe> {
    let fitting = recipes.iter().filter(|r| r.shape.fits(file));
    fitting.max_by_key(|r| r.used_at.as_ref().unwrap_or(&r.kept_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(columns: &[&str]) -> Shape {
        let columns = columns.iter().map(|c| (*c).to_owned()).collect();
        Shape { format: Format::Csv, columns }
    }

    fn recipe(name: &str, columns: &[&str], used_at: Option<&str>) -> Recipe {
        Recipe {
            id: name.to_owned(),
            name: name.to_owned(),
            who: "amy".to_owned(),
            shape: shape(columns),
            options: ImportOptions::default(),
            place: RecipePlace::default(),
            uses: 0,
            kept_at: "2026-01-01T00:00:00.000Z".to_owned(),
            used_at: used_at.map(str::to_owned),
        }
    }

    #[test]
    fn the_same_columns_in_the_same_order_fit() {
        assert!(shape(&["id", "Größe"]).fits(&shape(&["ID", "größe"])));
        assert!(!shape(&["id", "name"]).fits(&shape(&["name", "id"])));
        assert!(!shape(&["id"]).fits(&shape(&["id", "name"])));
        assert!(!shape(&[]).fits(&shape(&[])));
        let json = Shape { format: Format::Jsonl, ..shape(&["id"]) };
        assert!(!json.fits(&shape(&["id"])));
    }

    #[test]
    fn of_those_that_fit_the_one_used_last_is_offered() {
        let all = [
            recipe("kept", &["id"], None),
            recipe("used", &["id"], Some("2026-02-01T00:00:00.000Z")),
            recipe("other", &["x"], Some("2026-03-01T00:00:00.000Z")),
        ];
        assert_eq!(offered(&all, &shape(&["id"])).map(|r| r.name.as_str()), Some("used"));
        assert_eq!(offered(&all, &shape(&["y"])), None);
    }
}
