//! Which column of the file fills which column of a table that is there.

use shared::options::ColumnMapping;
use shared::profile::Profile;
use shared::target::{ColumnFacts, TableFacts};

/// One column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The column of the table.
    pub column: ColumnFacts,
    /// Whether it is part of the primary key.
    pub key: bool,
    /// The column of the file that fills it, by its place.
    pub from: Option<usize>,
    /// A value for every row instead.
    pub constant: Option<String>,
    /// What is done to the file's value before it is checked.
    pub transform: Option<String>,
    /// Whether the person said so.
    pub set: bool,
    /// What happens without a column of the file.
    pub without: Without,
}

/// What fills a column that the file does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// The server numbers it.
    Numbered,
    /// The server computes it.
    Computed,
    /// Its default.
    Default,
    /// NULL.
    Null,
    /// Nothing can: it must have a value.
    Missing,
}

/// The column's name for people.
pub fn source_name(profile: &Profile, at: usize) -> Option<&str> {
    let column = profile.columns.get(at)?;
    Some(if column.source_name.is_empty() { &column.name } else { &column.source_name })
}

/// Whether the file's columns have no names of their own, so that their places count.
fn is_headless(profile: &Profile) -> bool {
    profile.dialect.as_ref().is_some_and(|d| !d.header)
}

/// The name by which the file's column is called in options: its number where it has no other.
fn key(profile: &Profile, at: usize) -> Option<String> {
    if is_headless(profile) {
        return Some((at + 1).to_string());
    }
    source_name(profile, at).map(str::to_owned)
}

/// What names say, or places in a file without a header.
fn natural(table: &TableFacts, profile: &Profile) -> Vec<Option<usize>> {
    let fillable = table.columns.iter().filter(|c| !c.generated).count();
    let fields = profile.columns.len();
    let mut next = 0;
    table
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            if column.generated {
                return None;
            }
            if is_headless(profile) {
                let at = if fields == fillable { next } else { place };
                next += 1;
                return (fields == fillable || fields == table.columns.len()).then_some(at);
            }
            (0..fields).find(|at| {
                source_name(profile, *at).is_some_and(|n| same(n, &column.name))
                    || profile.columns.get(*at).is_some_and(|c| same(&c.name, &column.name))
            })
        })
        .collect()
}

/// Matches by what the person set, else by name, without regard to case.
pub fn matches(table: &TableFacts, profile: &Profile, set: &[ColumnMapping]) -> Vec<Match> {
    let primary = table.primary_key().unwrap_or_default();
    table
        .columns
        .iter()
        .zip(natural(table, profile))
        .map(|(column, natural)| {
            let own = set.iter().find(|m| m.column == column.name);
            let from = match own {
                Some(m) => m.from.as_ref().and_then(|name| {
                    (0..profile.columns.len()).find(|at| key(profile, *at).as_ref() == Some(name))
                }),
                None => natural,
            };
            Match {
                key: primary.contains(&column.name),
                from,
                constant: own.and_then(|m| m.constant.clone()),
                transform: own.and_then(|m| m.transform.clone()),
                set: own.is_some_and(|m| {
                    from != natural || m.constant.is_some() || m.transform.is_some()
                }),
                without: without(column),
                column: column.clone(),
            }
        })
        .collect()
}

fn same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.to_lowercase()
}

const fn without(column: &ColumnFacts) -> Without {
    if column.auto_increment {
        Without::Numbered
    } else if column.generated {
        Without::Computed
    } else if column.has_default {
        Without::Default
    } else if column.nullable {
        Without::Null
    } else {
        Without::Missing
    }
}

/// Columns of the file that fill nothing.
pub fn unused(matches: &[Match], profile: &Profile) -> Vec<usize> {
    (0..profile.columns.len()).filter(|at| !matches.iter().any(|m| m.from == Some(*at))).collect()
}

/// Columns of the table that must have a value and get none.
pub fn missing(matches: &[Match]) -> Vec<&str> {
    matches
        .iter()
        .filter(|m| m.from.is_none() && m.constant.is_none() && m.without == Without::Missing)
        .map(|m| m.column.name.as_str())
        .collect()
}

/// Says that `from` (a column of the file, or nothing) fills `column`. Saying what names would
/// say anyway leaves no trace.
pub fn assign(
    set: &mut Vec<ColumnMapping>,
    table: &TableFacts,
    profile: &Profile,
    column: &str,
    from: Option<usize>,
) {
    write_out(set, table, profile);
    if let Some(own) = set.iter_mut().find(|m| m.column == column) {
        own.from = from.and_then(|at| key(profile, at));
        match own.from {
            Some(_) => own.constant = None,
            None => own.transform = None,
        }
    }
    forget_the_natural(set, table, profile);
}

/// Says what is done to the value of the file's column, or what stands in every row where none fills
/// it; an empty text takes it back.
pub fn fill_with(
    set: &mut Vec<ColumnMapping>,
    table: &TableFacts,
    profile: &Profile,
    column: &str,
    text: &str,
) {
    write_out(set, table, profile);
    if let Some(own) = set.iter_mut().find(|m| m.column == column) {
        let text = Some(text.to_owned()).filter(|t| !t.is_empty());
        match own.from {
            Some(_) => own.transform = text,
            None => own.constant = text,
        }
    }
    forget_the_natural(set, table, profile);
}

fn forget_the_natural(set: &mut Vec<ColumnMapping>, table: &TableFacts, profile: &Profile) {
    let now = matches(table, profile, set);
    if now.iter().all(|m| !m.set) && unused(&now, profile).is_empty() {
        set.clear();
    }
}

/// Writes down what fills each column now. Columns of the file that fill none are then left out,
/// where without a word about it they would be an error.
pub fn write_out(set: &mut Vec<ColumnMapping>, table: &TableFacts, profile: &Profile) {
    let before = std::mem::take(set);
    *set = matches(table, profile, &before)
        .into_iter()
        .filter(|m| !m.column.generated)
        .map(|m| {
            let own = before.iter().find(|b| b.column == m.column.name);
            ColumnMapping {
                from: m.from.and_then(|at| key(profile, at)),
                column: m.column.name,
                constant: m.constant,
                transform: m.transform,
                null: own.and_then(|b| b.null.clone()),
                date_format: own.and_then(|b| b.date_format.clone()),
            }
        })
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn table() -> TableFacts {
        let column = |name: &str, nullable: bool, auto: bool| {
            json!({"name": name, "sql_type": "int", "nullable": nullable, "has_default": false,
                "auto_increment": auto, "generated": false, "charset": null, "collation": null})
        };
        serde_json::from_value(json!({"database": "d", "name": "t", "engine": "InnoDB",
            "rows_estimate": 0, "empty": true, "data_bytes": 0, "index_bytes": 0,
            "columns": [column("id", false, true), column("Email", false, false), column("note", true, false)],
            "indexes": [{"name": "PRIMARY", "kind": "primary", "columns": ["id"], "definition": ""}],
            "foreign_keys": [], "referenced_by": [], "triggers": [], "partitioned": false,
            "charset": "utf8mb4", "create_sql": ""}))
        .unwrap()
    }

    fn profile(names: &[&str]) -> Profile {
        let column = |name: &&str| {
            json!({"name": name, "source_name": name, "column_type": "year", "why": "",
                "nullable": false, "nulls": 0, "empties": 0, "distinct_estimate": null, "min": null,
                "max": null, "longest_chars": 0, "longest_bytes": 0, "samples": [], "unique": false,
                "ascending": false})
        };
        serde_json::from_value(json!({"format": "csv", "compression": "none", "encoding": "UTF-8",
            "dialect": null, "evidence": [], "warnings": [], "null_markers": [], "quoted_null": false,
            "columns": names.iter().map(column).collect::<Vec<_>>(), "preview": [], "file_bytes": 0,
            "read_bytes": 0, "whole": false, "rows": null, "record_bytes": 0.0, "empty_lines": 0,
            "comment_lines": 0, "primary_key": [], "parts": []}))
        .unwrap()
    }

    #[test]
    fn names_match_without_regard_to_case() {
        let found = matches(&table(), &profile(&["EMAIL", "extra"]), &[]);
        let from: Vec<_> = found.iter().map(|m| m.from).collect();
        assert_eq!(from, [None, Some(0), None]);
        assert!(found[0].key);
        assert_eq!(found[0].without, Without::Numbered);
        assert_eq!(found[2].without, Without::Null);
        assert_eq!(unused(&found, &profile(&["EMAIL", "extra"])), [1]);
        assert!(missing(&found).is_empty());
    }

    #[test]
    fn a_column_that_needs_a_value_is_missed() {
        let found = matches(&table(), &profile(&["mail"]), &[]);
        assert_eq!(missing(&found), ["Email"]);
    }

    #[test]
    fn what_the_person_says_wins_and_saying_the_natural_leaves_no_trace() {
        let (table, profile) = (table(), profile(&["note"]));
        let mut set = Vec::new();
        assign(&mut set, &table, &profile, "note", None);
        let found = matches(&table, &profile, &set);
        assert_eq!((found[2].from, found[2].set, found[1].set), (None, true, false));
        assign(&mut set, &table, &profile, "note", Some(0));
        assert!(set.is_empty());
        assign(&mut set, &table, &profile, "Email", Some(0));
        assert_eq!(matches(&table, &profile, &set)[1].from, Some(0));
    }

    #[test]
    fn expressions_and_constants_stay_and_go() {
        let (table, profile) = (table(), profile(&["email", "note"]));
        let mut set = Vec::new();
        fill_with(&mut set, &table, &profile, "Email", "trim | lower");
        fill_with(&mut set, &table, &profile, "id", "7");
        let found = matches(&table, &profile, &set);
        assert_eq!(found[1].transform.as_deref(), Some("trim | lower"));
        assert_eq!((found[0].constant.as_deref(), found[0].set), (Some("7"), true));
        fill_with(&mut set, &table, &profile, "id", "");
        assign(&mut set, &table, &profile, "Email", None);
        assert_eq!(matches(&table, &profile, &set)[1].transform, None);
        assign(&mut set, &table, &profile, "Email", Some(0));
        assert!(set.is_empty());
    }

    #[test]
    fn leaving_columns_out_is_written_down() {
        let (table, profile) = (table(), profile(&["email", "extra"]));
        let mut set = Vec::new();
        write_out(&mut set, &table, &profile);
        assert_eq!(set.len(), 3);
        assert_eq!(set[1].from.as_deref(), Some("email"));
        assert!(matches(&table, &profile, &set).iter().all(|m| !m.set));
    }

    #[test]
    fn a_file_without_header_goes_by_place() {
        let mut profile = profile(&["column_1", "column_2", "column_3"]);
        let dialect =
            shared::profile::Dialect { header: false, ..shared::profile::Dialect::default() };
        profile.dialect = Some(dialect);
        let from: Vec<_> = matches(&table(), &profile, &[]).into_iter().map(|m| m.from).collect();
        assert_eq!(from, [Some(0), Some(1), Some(2)]);
        let mut set = Vec::new();
        assign(&mut set, &table(), &profile, "note", Some(0));
        assert_eq!(set[2].from.as_deref(), Some("1"));
        profile.columns.pop();
        assert!(matches(&table(), &profile, &[]).iter().all(|m| m.from.is_none()));
    }
}
