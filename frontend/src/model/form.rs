//! What a person has asked for on the import page, and the requests it makes.

use serde::{Deserialize, Serialize};
use shared::api::PlanRequest;
use shared::ddl::NewTable;
use shared::plan::{Choice, Mode};
use shared::recipe::{Recipe, RecipePlace};
use shared::{ColumnType, ImportOptions};

/// Where rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Into {
    /// A table that is made.
    #[default]
    New,
    /// A table that is there.
    Existing,
}

/// The whole form. It is kept by the browser, so a reload loses nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Form {
    /// The target's identity.
    pub target_id: Option<String>,
    /// The database.
    pub database: String,
    /// A new table or one that is there.
    pub into: Into,
    /// The new table's name.
    pub new_table: String,
    /// The name of the table that is there.
    pub old_table: String,
    /// The statement that makes the table, where the person edited it.
    pub create_table: Option<String>,
    /// The card that the person picked.
    pub choice: Option<Choice>,
    /// Options and wishes.
    pub options: ImportOptions,
    /// The recipe in use, by name.
    pub recipe: Option<String>,
    /// Types of a new table's columns that the person set instead of the detected ones.
    pub types: Vec<(String, String)>,
}

impl Form {
    /// The table that rows go to.
    pub fn table(&self) -> &str {
        match self.into {
            Into::New => self.new_table.trim_start(),
            Into::Existing => &self.old_table,
        }
    }

    /// The request for a plan, once enough is said. A picked card is sent only by
    /// [`Form::run_request`], so that every plan shows all the cards.
    pub fn plan_request(&self, source_id: &str) -> Option<PlanRequest> {
        let target_id = self.target_id.clone()?;
        if self.database.is_empty() || crate::model::names::table_name_fault(self.table()).is_some()
        {
            return None;
        }
        let mut options = self.options.clone();
        match self.into {
            Into::New => options.mode = Some(Mode::Create),
            Into::Existing => {
                options.engine = None;
                options.primary_key = None;
                if options.mode == Some(Mode::Create) {
                    options.mode = None;
                }
            }
        }
        Some(PlanRequest {
            source_id: source_id.to_owned(),
            target_id,
            database: self.database.clone(),
            table: self.table().to_owned(),
            options,
            create_table: self.create_table.clone().filter(|_| self.into == Into::New),
            choice: None,
            recipe: None,
            from_recipe: self.recipe.clone(),
        })
    }

    /// The request for a run, with the picked card.
    pub fn run_request(&self, source_id: &str, choice: Option<Choice>) -> Option<PlanRequest> {
        self.plan_request(source_id).map(|request| PlanRequest { choice, ..request })
    }

    /// The options that decide how the file is read; when they change, the preview is read anew.
    pub fn reading(&self) -> ImportOptions {
        reading(&self.options)
    }

    /// Forgets what belonged to the last file; the place to import into stays.
    pub fn for_new_file(&mut self, table: &str) {
        let kept = ImportOptions {
            engine: self.options.engine.take(),
            on_error: self.options.on_error,
            on_duplicate: self.options.on_duplicate,
            ..ImportOptions::default()
        };
        self.options = kept;
        self.new_table = table.to_owned();
        self.create_table = None;
        self.types.clear();
        self.choice = None;
        self.recipe = None;
    }

    /// Whether nothing has been set for this file: a recipe would overwrite nothing.
    pub fn is_untouched(&self) -> bool {
        let kept = ImportOptions {
            engine: self.options.engine.clone(),
            on_error: self.options.on_error,
            on_duplicate: self.options.on_duplicate,
            ..ImportOptions::default()
        };
        self.recipe.is_none() && self.choice.is_none() && self.options == kept
    }

    /// Sets what a recipe says; its target counts only where it is still there.
    pub fn use_recipe(&mut self, recipe: &Recipe, target_known: bool) {
        let place = recipe.place.clone();
        self.options = recipe.options.clone();
        self.recipe = Some(recipe.name.clone());
        self.choice = None;
        self.types.clear();
        self.create_table = place.create_table;
        if let Some(table) = place.table {
            self.new_table.clone_from(&table);
            self.old_table = table;
        }
        if target_known {
            self.target_id = place.target_id;
            self.database = place.database.unwrap_or_else(|| self.database.clone());
        }
    }

    /// What is set, to be kept: a picked card as the wishes that it stands for, since its sizes
    /// belong to this one file.
    pub fn as_recipe(&self) -> (ImportOptions, RecipePlace) {
        let mut options = self.options.clone();
        if let Some(choice) = &self.choice {
            options.strategy = Some(choice.strategy);
            options.order = Some(choice.order);
            options.index_policy = Some(choice.index_policy);
            options.visibility = Some(choice.visibility);
            options.workers = Some(choice.workers);
        }
        let place = RecipePlace {
            target_id: self.target_id.clone(),
            database: Some(self.database.clone()).filter(|d| !d.is_empty()),
            table: Some(self.table().to_owned()).filter(|t| !t.is_empty()),
            create_table: self.create_table.clone().filter(|_| self.into == Into::New),
        };
        (options, place)
    }

    /// Sets the type of a new table's column; the detected one leaves no trace.
    pub fn set_type(&mut self, column: &str, sql_type: &str, detected: &str) {
        self.types.retain(|(name, _)| name != column);
        let sql_type = sql_type.trim();
        if !sql_type.is_empty() && sql_type != detected {
            self.types.push((column.to_owned(), sql_type.to_owned()));
        }
    }
}

/// A new table with the types that the person set.
pub fn with_types(mut table: NewTable, types: &[(String, String)]) -> NewTable {
    for column in &mut table.columns {
        if let Some((_, own)) = types.iter().find(|(name, _)| *name == column.name) {
            column.column_type = ColumnType::Other { name: own.clone() };
        }
    }
    table
}

/// The part of options that decides how a file is read.
pub fn reading(options: &ImportOptions) -> ImportOptions {
    ImportOptions {
        format: options.format,
        delimiter: options.delimiter.clone(),
        quote: options.quote.clone(),
        escape: options.escape.clone(),
        header: options.header,
        encoding: options.encoding.clone(),
        null: options.null.clone(),
        quoted_null: options.quoted_null,
        trim: options.trim,
        skip_rows: options.skip_rows,
        comment: options.comment.clone(),
        decimal: options.decimal.clone(),
        thousands: options.thousands.clone(),
        date_format: options.date_format.clone(),
        sheet: options.sheet.clone(),
        ..ImportOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::Strategy;

    fn form() -> Form {
        Form {
            target_id: Some("t".into()),
            database: "shop".into(),
            new_table: "orders".into(),
            options: ImportOptions {
                engine: Some("InnoDB".into()),
                strategy: Some(Strategy::Insert),
                delimiter: Some(";".into()),
                ..ImportOptions::default()
            },
            create_table: Some("CREATE".into()),
            ..Form::default()
        }
    }

    #[test]
    fn a_new_table_is_created_with_its_engine_and_statement() {
        let request = form().plan_request("s").unwrap();
        assert_eq!(request.options.mode, Some(Mode::Create));
        assert_eq!(request.options.engine.as_deref(), Some("InnoDB"));
        assert_eq!(request.create_table.as_deref(), Some("CREATE"));
    }

    #[test]
    fn a_table_that_is_there_keeps_its_engine() {
        let mut form = form();
        form.into = Into::Existing;
        assert_eq!(form.plan_request("s"), None, "no table yet");
        form.old_table = "old".into();
        let request = form.plan_request("s").unwrap();
        assert_eq!(request.table, "old");
        assert_eq!((request.options.engine, request.options.mode), (None, None));
        assert_eq!(request.create_table, None);
    }

    #[test]
    fn only_reading_options_reread_the_file() {
        let form = form();
        assert_eq!(form.reading().delimiter.as_deref(), Some(";"));
        assert_eq!(form.reading().strategy, None);
    }

    #[test]
    fn another_file_keeps_the_place_and_forgets_the_dialect() {
        let mut form = form();
        form.for_new_file("clicks");
        assert_eq!(form.database, "shop");
        assert_eq!(form.new_table, "clicks");
        assert_eq!(form.options.delimiter, None);
        assert_eq!(form.options.engine.as_deref(), Some("InnoDB"));
        assert_eq!(form.create_table, None);
    }

    #[test]
    fn a_recipe_takes_the_place_of_what_is_set() {
        let mut before = form();
        before.choice =
            Some(crate::model::ladder::tests::candidate(Strategy::LoadData, 1, 2, 3).choice);
        let (options, place) = before.as_recipe();
        assert_eq!(options.strategy, Some(Strategy::LoadData), "the picked card as a wish");
        assert_eq!(place.table.as_deref(), Some("orders"));
        let recipe = Recipe {
            id: "r".into(),
            name: "nightly".into(),
            who: "amy".into(),
            shape: shared::recipe::Shape { format: shared::options::Format::Csv, columns: vec![] },
            options,
            place,
            uses: 0,
            kept_at: String::new(),
            used_at: None,
        };
        let mut form = Form { target_id: Some("other".into()), ..Form::default() };
        assert!(form.is_untouched());
        form.use_recipe(&recipe, false);
        assert_eq!(form.target_id.as_deref(), Some("other"), "its target is gone");
        assert_eq!((form.new_table.as_str(), form.old_table.as_str()), ("orders", "orders"));
        assert!(!form.is_untouched());
        form.for_new_file("orders_2");
        assert!(form.is_untouched());
    }

    #[test]
    fn a_type_that_is_set_is_in_the_statement_and_goes_again() {
        let mut form = Form::default();
        form.set_type("id", " bigint unsigned ", "int");
        let table = NewTable {
            name: "t".into(),
            columns: vec![shared::ddl::NewColumn {
                name: "id".into(),
                column_type: ColumnType::parse("int"),
                nullable: false,
            }],
            primary_key: vec![],
            engine: None,
        };
        assert!(with_types(table, &form.types).to_sql().contains("`id` bigint unsigned NOT NULL"));
        form.set_type("id", "int", "int");
        assert!(form.types.is_empty());
    }

    #[test]
    fn the_form_survives_being_stored() {
        let form = form();
        let text = serde_json::to_string(&form).unwrap();
        assert_eq!(serde_json::from_str::<Form>(&text).unwrap(), form);
        assert_eq!(serde_json::from_str::<Form>("{}").unwrap(), Form::default());
    }
}
