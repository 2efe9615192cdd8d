//! Making a reject of a record that the server refused.
//!
//! What happened is told by the error's number alone; the server's words are only searched for
//! the names in them: which key, which column, which constraint.

use shared::ErrorCode;
use shared::run::Reject;

use super::codes::{Class, classify};
use super::sql::field;
use super::{LoadError, LoadSpec};
use crate::domain::{EncodedChunk, unescape};

/// Longest value shown, in characters.
const VALUE_CHARS_MAX: usize = 200;

/// The reject of row `i` for an error of the server that names a row; none for any other error.
pub(super) fn from_error(
    spec: &LoadSpec,
    chunk: &EncodedChunk,
    i: usize,
    error: &LoadError,
) -> Option<Reject> {
    let LoadError::Server { code, message, .. } = error else { return None };
    let Class::Row(error_code) = classify(*code) else { return None };
    Some(describe(spec, chunk, i, error_code, message))
}

/// The reject of row `i`, with the server's words.
pub(super) fn describe(
    spec: &LoadSpec,
    chunk: &EncodedChunk,
    i: usize,
    code: ErrorCode,
    words: &str,
) -> Reject {
    let place = Place::of(chunk, i);
    let row = chunk.row(i);
    let (key, columns) = match code {
        ErrorCode::DuplicateKey => {
            let key = duplicate_key(words, &spec.table);
            let columns = spec
                .keys
                .iter()
                .find(|k| Some(k.name.as_str()) == key.as_deref())
                .map(|k| k.columns.clone())
                .unwrap_or_default();
            (key, columns)
        }
        ErrorCode::ForeignKey => foreign_key(words),
        ErrorCode::CheckConstraint => (check_name(words), Vec::new()),
        _ => (None, named_column(spec, words).into_iter().collect()),
    };
    let value = values(spec, row, &columns).or_else(|| match code {
        ErrorCode::DuplicateKey => duplicate_value(words),
        _ => None,
    });
    let shown = value.as_deref().map(cut).unwrap_or_default();
    let key_words = key.as_deref().unwrap_or("?");
    let what = match code {
        ErrorCode::DuplicateKey => format!("repeats the value {shown} of the key {key_words}"),
        ErrorCode::ForeignKey => format!(
            "has {} = {shown}, for which the foreign key {key_words} finds no row",
            columns.join(", ")
        ),
        ErrorCode::CheckConstraint => format!("does not pass the check {key_words}"),
        _ => match columns.first() {
            Some(column) => {
                format!("cannot be stored, column {column}: {}", words.trim_end_matches('.'))
            }
            None => format!("cannot be stored: {}", words.trim_end_matches('.')),
        },
    };
    Reject {
        message: format!("Row {} (line {}) {what}.", place.row, place.line),
        row: place.row,
        line: place.line,
        column: match columns.as_slice() {
            [] => None,
            some => Some(some.join(", ")),
        },
        value: value.map(|v| cut(&v)),
        key,
        code,
        raw: place.raw,
    }
}

struct Place {
    row: u64,
    line: u64,
    raw: Option<String>,
}

impl Place {
    fn of(chunk: &EncodedChunk, i: usize) -> Self {
        let raw = chunk.raw_record(i);
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        let (row, line) = chunk.origins.get(i).map_or((0, 0), |o| (o.row, o.line));
        let raw = (!raw.is_empty()).then(|| String::from_utf8_lossy(raw).into_owned());
        Self { row, line, raw }
    }
}

/// A value cut to a readable length.
pub(super) fn cut(value: &str) -> String {
    match value.char_indices().nth(VALUE_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value.to_owned(),
    }
}

/// The row's own values of some columns, joined as the server joins those of a key.
fn values(spec: &LoadSpec, row: &[u8], columns: &[String]) -> Option<String> {
    let mut found = Vec::with_capacity(columns.len());
    for column in columns {
        let i = spec.columns.iter().position(|c| c.name.eq_ignore_ascii_case(column))?;
        let value = unescape(field(row, i)?);
        found.push(value.map_or_else(
            || "NULL".to_owned(),
            |bytes| String::from_utf8_lossy(&bytes).into_owned(),
        ));
    }
    (!found.is_empty()).then(|| found.join("-"))
}

/// `Duplicate entry 'beryl' for key 'rel.uq_name'`: MySQL puts the table before the key.
fn duplicate_key(words: &str, table: &str) -> Option<String> {
    let (_, key) = words.rsplit_once("' for key '")?;
    let key = key.trim_end().strip_suffix('\'').unwrap_or(key);
    let key = key.strip_prefix(table).and_then(|k| k.strip_prefix('.')).unwrap_or(key);
    Some(key.to_owned())
}

fn duplicate_value(words: &str) -> Option<String> {
    let (before, _) = words.rsplit_once("' for key '")?;
    before.split_once('\'').map(|(_, value)| value.to_owned())
}

/// ``… CONSTRAINT `fk_boss` FOREIGN KEY (`boss_id`) REFERENCES …``
fn foreign_key(words: &str) -> (Option<String>, Vec<String>) {
    let Some((_, rest)) = words.split_once("CONSTRAINT `") else { return (None, Vec::new()) };
    let Some((name, rest)) = rest.split_once("` FOREIGN KEY (") else { return (None, Vec::new()) };
    let list = rest.split_once(')').map_or("", |(list, _)| list);
    let columns = list.split(", ").map(|c| c.trim_matches('`').replace("``", "`"));
    (Some(name.replace("``", "`")), columns.filter(|c| !c.is_empty()).collect())
}

/// ``CONSTRAINT `ck` failed for …`` and `Check constraint 'ck' is violated.`
fn check_name(words: &str) -> Option<String> {
    let quote = words.find(['`', '\''])?;
    let mark = words[quote..].chars().next()?;
    let rest = &words[quote + 1..];
    rest.split_once(mark).map(|(name, _)| name.to_owned())
}

/// The column that the words name, if any.
fn named_column(spec: &LoadSpec, words: &str) -> Option<String> {
    let at = ["column ", "Column ", "Field "].iter().filter_map(|w| words.rfind(w)).max()?;
    let tail = &words[at..];
    spec.columns
        .iter()
        .map(|c| &c.name)
        .filter(|n| tail.contains(&format!("'{n}'")) || tail.contains(&format!("`{n}`")))
        .max_by_key(|n| n.len())
        .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_the_words_of_both_families() {
        let words = "Duplicate entry 'o'brien' for key 'rel.uq_name'";
        assert_eq!(duplicate_key(words, "rel").as_deref(), Some("uq_name"));
        assert_eq!(duplicate_value(words).as_deref(), Some("o'brien"));
        let words = "Duplicate entry '1' for key 'PRIMARY'";
        assert_eq!(duplicate_key(words, "rel").as_deref(), Some("PRIMARY"));
        let words = "Cannot add or update a child row: a foreign key constraint fails (`c`.`s`, \
            CONSTRAINT `fk_boss` FOREIGN KEY (`boss_id`, `b``2`) REFERENCES `s` (`id`, `x`))";
        assert_eq!(
            foreign_key(words),
            (Some("fk_boss".into()), vec!["boss_id".into(), "b`2".into()])
        );
        assert_eq!(check_name("CONSTRAINT `ck` failed for `d`.`t`").as_deref(), Some("ck"));
        assert_eq!(check_name("Check constraint 'ck' is violated.").as_deref(), Some("ck"));
        assert_eq!(cut(&"é".repeat(300)).chars().count(), VALUE_CHARS_MAX + 1);
    }
}
