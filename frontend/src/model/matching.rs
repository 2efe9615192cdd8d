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

/// The name by which the file's column is called in options.
pub fn source_name(profile: &Profile, at: usize) -> Option<&str> {
    let column = profile.columns.get(at)?;
    Some(if column.source_name.is_empty() { &column.name } else { &column.source_name })
}

/// Matches by what the person set, else by name, without regard to case.
pub fn matches(table: &TableFacts, profile: &Profile, set: &[ColumnMapping]) -> Vec<Match> {
    let key = table.primary_key().unwrap_or_default();
    table
        .columns
        .iter()
        .map(|column| {
            let own = set.iter().find(|m| m.column == column.name);
            let by_name = || {
                (0..profile.columns.len()).find(|at| {
                    source_name(profile, *at).is_some_and(|n| same(n, &column.name))
                        || profile.columns.get(*at).is_some_and(|c| same(&c.name, &column.name))
                })
            };
            let from = match own {
                Some(m) => m.from.as_ref().and_then(|name| {
                    (0..profile.columns.len())
                        .find(|at| source_name(profile, *at) == Some(name.as_str()))
                }),
                None if column.generated => None,
                None => by_name(),
            };
            Match {
                key: key.contains(&column.name),
                from,
                constant: own.and_then(|m| m.constant.clone()),
                set: own.is_some(),
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
    set.retain(|m| m.column != column);
    let natural = matches(table, profile, set).into_iter().find(|m| m.column.name == column);
    if natural.is_some_and(|m| m.from == from) {
        return;
    }
    set.push(ColumnMapping {
        column: column.to_owned(),
        from: from.and_then(|at| source_name(profile, at)).map(str::to_owned),
        constant: None,
        transform: None,
        null: None,
        date_format: None,
    });
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
            json!({"name": name, "source_name": name, "column_type": {"type": "year"}, "why": "",
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
        let (table, profile) = (table(), profile(&["mail", "note"]));
        let mut set = Vec::new();
        assign(&mut set, &table, &profile, "Email", Some(0));
        assert_eq!(matches(&table, &profile, &set)[1].from, Some(0));
        assign(&mut set, &table, &profile, "Email", None);
        assert!(set.is_empty());
        assign(&mut set, &table, &profile, "note", None);
        assert_eq!(set.len(), 1);
        assign(&mut set, &table, &profile, "note", Some(1));
        assert!(set.is_empty());
    }
}
