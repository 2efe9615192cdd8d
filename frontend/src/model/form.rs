//! What a person has asked for on the import page, and the requests it makes.

use serde::{Deserialize, Serialize};
use shared::ImportOptions;
use shared::api::PlanRequest;
use shared::plan::{Choice, Mode};

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
        self.choice = None;
    }
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
    fn the_form_survives_being_stored() {
        let form = form();
        let text = serde_json::to_string(&form).unwrap();
        assert_eq!(serde_json::from_str::<Form>(&text).unwrap(), form);
        assert_eq!(serde_json::from_str::<Form>("{}").unwrap(), Form::default());
    }
}
