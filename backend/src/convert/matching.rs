//! Which field goes with which column: by name, or by position where names say nothing.

use shared::ImportOptions;
use shared::target::{ColumnFacts, TableFacts};

use super::error::ConvertError;
use super::mapping::{says_nothing, wish};

/// A field by its name, by the name without regard to case, or by its number from 1.
pub(super) fn find_field(names: &[String], wanted: &str) -> Option<usize> {
    names
        .iter()
        .position(|n| n == wanted)
        .or_else(|| names.iter().position(|n| same_name(n, wanted)))
        .or_else(|| {
            let number: usize = wanted.parse().ok()?;
            (1..=names.len()).contains(&number).then(|| number - 1)
        })
}

pub(super) fn same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// Whether the file's names are only numbers that its reader gave.
pub(super) fn is_headless(names: &[String], options: &ImportOptions) -> bool {
    options.header == Some(false)
        || names.iter().all(String::is_empty)
        || (options.header.is_none()
            && names.iter().enumerate().all(|(i, n)| *n == format!("column_{}", i + 1)))
}

/// Columns that position counts: neither computed by the server nor set to a constant.
fn fillable(table: &TableFacts, options: &ImportOptions) -> Vec<usize> {
    let fillable = |c: &ColumnFacts| {
        !c.generated && wish(options, &c.name).is_none_or(|w| w.constant.is_none())
    };
    (0..table.columns.len()).filter(|i| table.columns.get(*i).is_some_and(fillable)).collect()
}

pub(super) fn by_position(
    table: &TableFacts,
    names: &[String],
    options: &ImportOptions,
    taken: &mut [Option<usize>],
    used: &mut [bool],
) -> Result<(), ConvertError> {
    if options.columns.iter().any(|w| w.from.is_some()) {
        return Ok(());
    }
    let columns = fillable(table, options);
    if columns.len() != names.len() {
        // A file with a field for every column, computed ones too, is an export of the table.
        let whole = table.columns.len() == names.len();
        if !whole {
            return Err(ConvertError::ColumnCount { file: names.len(), table: columns.len() });
        }
        for (i, facts) in table.columns.iter().enumerate() {
            if !facts.generated {
                fill(taken, used, i, i);
            }
        }
        return Ok(());
    }
    for (field, column) in columns.into_iter().enumerate() {
        fill(taken, used, column, field);
    }
    Ok(())
}

fn fill(taken: &mut [Option<usize>], used: &mut [bool], column: usize, field: usize) {
    if let (Some(slot), Some(used)) = (taken.get_mut(column), used.get_mut(field)) {
        *slot = Some(field);
        *used = true;
    }
}

pub(super) fn by_name(
    table: &TableFacts,
    names: &[String],
    options: &ImportOptions,
    taken: &mut [Option<usize>],
    used: &mut [bool],
) -> Result<(), ConvertError> {
    let repeats = |name: &str| names.iter().filter(|n| same_name(n, name)).count() > 1;
    let fixed =
        |name: &str| wish(options, name).is_some_and(|w| w.constant.is_some() || says_nothing(w));
    for (column, facts) in table.columns.iter().enumerate() {
        if facts.generated || taken.get(column).is_none_or(Option::is_some) || fixed(&facts.name) {
            continue;
        }
        let exact = names.iter().position(|n| *n == facts.name);
        let field = match exact {
            Some(field) if names.iter().filter(|n| **n == facts.name).count() == 1 => Some(field),
            _ => names.iter().position(|n| same_name(n, &facts.name)),
        };
        let Some(field) = field else { continue };
        if used.get(field) == Some(&true) {
            continue;
        }
        if repeats(&facts.name) && !table_was_made_from(table, names) {
            return Err(two_for_one(&facts.name, names));
        }
        fill(taken, used, column, field);
    }
    if table_was_made_from(table, names) {
        for column in 0..names.len() {
            if taken.get(column) == Some(&None) && used.get(column) == Some(&false) {
                fill(taken, used, column, column);
            }
        }
    }
    Ok(())
}

/// Whether the table has a column for every field in the same order, names alike wherever the
/// file's names are usable (there, alone, legal): then position settles the others.
fn table_was_made_from(table: &TableFacts, names: &[String]) -> bool {
    let once = |name: &str| names.iter().filter(|n| same_name(n, name)).count() == 1;
    let usable = |name: &str| !name.trim().is_empty() && once(name) && name.chars().count() <= 64;
    table.columns.len() == names.len()
        && table.columns.iter().zip(names).all(|(facts, name)| {
            let alike = if usable(name) {
                same_name(&facts.name, name)
            } else {
                begins_alike(&facts.name, name)
            };
            !facts.generated && alike
        })
}

/// Whether a name could have been made from an unusable one: `Amount_2` from a second `Amount`.
fn begins_alike(made: &str, name: &str) -> bool {
    let head: String = name.trim().to_lowercase().chars().take(40).collect();
    made.to_lowercase().starts_with(&head)
}

fn two_for_one(column: &str, names: &[String]) -> ConvertError {
    let mut found = names
        .iter()
        .enumerate()
        .filter(|(_, n)| same_name(n, column))
        .map(|(i, n)| format!("column {} (\"{n}\")", i + 1));
    ConvertError::TwoForOne {
        name: column.to_owned(),
        first: found.next().unwrap_or_default(),
        second: found.next().unwrap_or_default(),
    }
}
