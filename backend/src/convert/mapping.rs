//! Which field of the file fills which column of the table, settled before anything is loaded.

use shared::ImportOptions;
use shared::column_type::ColumnType;
use shared::options::ColumnMapping;
use shared::target::{ColumnFacts, Flavour, TableFacts};

use super::error::ConvertError;
use super::matching::{by_name, by_position, find_field, is_headless, same_name};

/// Where a column's values come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A field of the file.
    Field {
        /// Its position, from 0.
        index: usize,
        /// Its name in the file.
        name: String,
    },
    /// The same value for every row.
    Constant(String),
}

/// A column of the table that the file fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedColumn {
    /// The column as the server describes it.
    pub facts: ColumnFacts,
    /// Its type. MariaDB's JSON columns are `Json` although the server calls them `longtext`.
    pub column_type: ColumnType,
    /// Where its values come from.
    pub source: Source,
    /// What the person set for this column alone.
    pub wishes: Option<ColumnMapping>,
}

impl MappedColumn {
    /// The column's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.facts.name
    }
}

/// A field of the file that is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused {
    /// Its position, from 0.
    pub index: usize,
    /// Its name in the file.
    pub name: String,
    /// Why, for people.
    pub why: String,
}

/// The settled mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    columns: Vec<MappedColumn>,
    unused: Vec<Unused>,
    left_to_server: Vec<String>,
    flavour: Flavour,
}

impl Mapping {
    /// The columns that are filled, in the table's order.
    #[must_use]
    pub fn columns(&self) -> &[MappedColumn] {
        &self.columns
    }

    /// The same as a vector.
    #[must_use]
    pub fn view(&self) -> Vec<MappedColumn> {
        self.columns.clone()
    }

    /// Fields of the file that are not loaded.
    #[must_use]
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }

    /// Columns that the file does not have and the server fills: by default, number or NULL.
    #[must_use]
    pub fn left_to_server(&self) -> &[String] {
        &self.left_to_server
    }

    /// The family of the server.
    #[must_use]
    pub const fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// What a person should know before the load, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let unused = self.unused.iter().map(|u| format!("`{}` is left out: {}.", u.name, u.why));
        let blanks =
            self.columns.iter().filter(|c| matches!(c.column_type, ColumnType::Char { .. })).map(
                |c| {
                    format!(
                        "`{}` is a CHAR column: blanks at the end of its values are not kept.",
                        c.name()
                    )
                },
            );
        unused.chain(blanks).collect()
    }
}

/// Settles which field fills which column.
///
/// Names match without regard to case, then also without blanks around them; a file without header
/// (or whose names repeat) goes by position. `options.columns` overrides single columns; once it is
/// there, fields without a place are left out instead of being an error.
pub fn map_columns(
    table: &TableFacts,
    layout_columns: &[String],
    options: &ImportOptions,
    flavour: Flavour,
) -> Result<Mapping, ConvertError> {
    check_wishes(table, options)?;
    let mut taken: Vec<Option<usize>> = vec![None; table.columns.len()];
    let mut used = vec![false; layout_columns.len()];
    for wish in &options.columns {
        let Some(from) = &wish.from else { continue };
        let field = find_field(layout_columns, from)
            .ok_or_else(|| ConvertError::UnknownMapped { name: from.clone(), place: "the file" })?;
        if let Some(slot) = position(table, &wish.column).and_then(|c| taken.get_mut(c)) {
            *slot = Some(field);
        }
        if let Some(used) = used.get_mut(field) {
            *used = true;
        }
    }
    if is_headless(layout_columns, options) {
        by_position(table, layout_columns, options, &mut taken, &mut used)?;
    } else {
        by_name(table, layout_columns, options, &mut taken, &mut used)?;
    }
    let unused = unused_fields(table, layout_columns, options, &used)?;
    let mut mapping = Mapping { columns: Vec::new(), unused, left_to_server: Vec::new(), flavour };
    for (facts, field) in table.columns.iter().zip(&taken) {
        place(table, facts, *field, layout_columns, options, &mut mapping)?;
    }
    Ok(mapping)
}

fn check_wishes(table: &TableFacts, options: &ImportOptions) -> Result<(), ConvertError> {
    for wish in &options.columns {
        let Some(facts) = table.column(&wish.column) else {
            return Err(ConvertError::UnknownMapped {
                name: wish.column.clone(),
                place: "the table",
            });
        };
        if facts.generated {
            return Err(ConvertError::BadOption {
                what: format!("the mapping of column `{}`", facts.name),
                why: "the server computes this column, it cannot be filled".to_owned(),
            });
        }
        if wish.constant.is_some() && wish.from.is_some() {
            return Err(ConvertError::BadOption {
                what: format!("the mapping of column `{}`", facts.name),
                why: "it has both a constant and a column of the file".to_owned(),
            });
        }
    }
    let listed = [
        ("hex_columns", &options.hex_columns),
        ("binary_columns", &options.binary_columns),
        ("base64_columns", &options.base64_columns),
    ];
    for (option, names) in listed {
        if let Some(name) = names.iter().find(|n| table.column(n).is_none()) {
            return Err(ConvertError::BadOption {
                what: option.to_owned(),
                why: format!("the table has no column `{name}`"),
            });
        }
    }
    Ok(())
}

fn position(table: &TableFacts, name: &str) -> Option<usize> {
    table.columns.iter().position(|c| c.name.eq_ignore_ascii_case(name))
}

pub(super) fn wish<'a>(options: &'a ImportOptions, name: &str) -> Option<&'a ColumnMapping> {
    options.columns.iter().find(|w| w.column.eq_ignore_ascii_case(name))
}

/// A wish that names a column and nothing else leaves it to the server.
pub(super) fn says_nothing(wish: &ColumnMapping) -> bool {
    let ColumnMapping { column: _, from, constant, transform, null, date_format } = wish;
    from.is_none()
        && constant.is_none()
        && transform.is_none()
        && null.is_none()
        && date_format.is_none()
}

fn unused_fields(
    table: &TableFacts,
    names: &[String],
    options: &ImportOptions,
    used: &[bool],
) -> Result<Vec<Unused>, ConvertError> {
    let mut unused = Vec::new();
    let mut unknown = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if used.get(index) == Some(&true) {
            continue;
        }
        let facts = table
            .columns
            .iter()
            .find(|c| same_name(&c.name, name))
            .or_else(|| table.columns.get(index).filter(|_| is_headless(names, options)));
        let why = match facts {
            Some(facts) if facts.generated => "the server computes this column itself",
            Some(_) => "the mapping fills this column from elsewhere",
            None if !options.columns.is_empty() => "the mapping does not name it",
            None => {
                unknown.push(name.clone());
                continue;
            }
        };
        unused.push(Unused { index, name: name.clone(), why: why.to_owned() });
    }
    if unknown.is_empty() {
        return Ok(unused);
    }
    let table_columns = table.columns.iter().map(|c| c.name.clone()).collect();
    Err(ConvertError::UnknownColumn { names: unknown, table_columns })
}

fn place(
    table: &TableFacts,
    facts: &ColumnFacts,
    field: Option<usize>,
    names: &[String],
    options: &ImportOptions,
    mapping: &mut Mapping,
) -> Result<(), ConvertError> {
    if facts.generated {
        return Ok(());
    }
    let wishes = wish(options, &facts.name).cloned();
    let constant = wishes.as_ref().and_then(|w| w.constant.clone());
    let source = match (constant, field) {
        (Some(value), _) => Source::Constant(value),
        (None, Some(index)) => {
            Source::Field { index, name: names.get(index).cloned().unwrap_or_default() }
        }
        (None, None) if facts.nullable || facts.has_default || facts.auto_increment => {
            mapping.left_to_server.push(facts.name.clone());
            return Ok(());
        }
        (None, None) => {
            return Err(ConvertError::MissingColumn { name: facts.name.clone() });
        }
    };
    let column_type = real_type(table, facts);
    mapping.columns.push(MappedColumn { facts: facts.clone(), column_type, source, wishes });
    Ok(())
}

/// The type; a LONGTEXT that MariaDB made for JSON, with its CHECK, is JSON.
fn real_type(table: &TableFacts, facts: &ColumnFacts) -> ColumnType {
    let parsed = ColumnType::parse(&facts.sql_type);
    let long_text = matches!(parsed, ColumnType::Text { size: shared::column_type::LobSize::Long });
    let quoted = shared::ddl::quote_name(&facts.name);
    let check = format!("json_valid({quoted})").to_lowercase();
    if long_text && table.create_sql.to_lowercase().contains(&check) {
        return ColumnType::Json;
    }
    parsed
}
