//! How wide an index entry is, by the table's definition.

use shared::target::{ColumnFacts, IndexKind, TableFacts};

/// What the engine keeps with an entry, in bytes.
const ENTRY_OVERHEAD: f64 = 6.0;
/// Share of its greatest length that a text is taken to have where nobody knows.
const TEXT_SHARE: f64 = 0.35;
/// The most bytes of a text that is not known.
const TEXT_MOST: f64 = 40.0;

/// Mean bytes of an entry of the indexes beside the primary key, the row's key included; none
/// where there is no such index, or where one is on something other than a column.
///
/// `text_bytes` tells the mean length of a column's text, where the file is known.
#[must_use]
pub fn entry_width(table: &TableFacts, text_bytes: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let of = |columns: &[String]| -> Option<f64> {
        columns.iter().map(|name| column_width(table, name, text_bytes)).sum()
    };
    let key = table.primary_key().map_or(Some(6.0), of)?;
    let entries: Option<Vec<f64>> = table
        .indexes
        .iter()
        .filter(|index| index.kind != IndexKind::Primary)
        .map(|index| of(&index.columns).filter(|width| *width > 0.0))
        .collect();
    let entries = entries.filter(|e| !e.is_empty())?;
    Some(entries.iter().sum::<f64>() / entries.len() as f64 + key + ENTRY_OVERHEAD)
}

fn column_width(
    table: &TableFacts,
    name: &str,
    text_bytes: &dyn Fn(&str) -> Option<f64>,
) -> Option<f64> {
    let column: &ColumnFacts = table.column(name)?;
    let (word, length) = parts(&column.sql_type);
    Some(match word {
        "tinyint" | "bool" | "boolean" | "year" | "enum" | "bit" => 1.0,
        "smallint" => 2.0,
        "mediumint" | "date" | "time" => 3.0,
        "int" | "integer" | "float" | "timestamp" => 4.0,
        "datetime" => 5.0,
        "bigint" | "double" | "set" => 8.0,
        // Four bytes for nine digits.
        "decimal" | "numeric" => length.unwrap_or(10.0) * 4.0 / 9.0 + 1.0,
        "binary" => length.unwrap_or(1.0),
        "uuid" | "inet6" => 16.0,
        _ => {
            let guess = length.map_or(TEXT_MOST, |n| (n * TEXT_SHARE).min(TEXT_MOST));
            text_bytes(&column.name).unwrap_or(guess) + 1.0
        }
    })
}

/// `varchar(64)` is `varchar` and 64; `decimal(12,2)` is `decimal` and 12.
fn parts(sql_type: &str) -> (&str, Option<f64>) {
    let end = sql_type.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(sql_type.len());
    let (word, rest) = sql_type.split_at(end);
    let length = rest.strip_prefix('(').and_then(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        rest.get(..end)?.parse().ok()
    });
    (word, length)
}

#[cfg(test)]
mod tests {
    use shared::target::IndexFacts;

    use super::*;

    fn table(indexes: &[(IndexKind, &[&str])]) -> TableFacts {
        let column = |(name, sql_type): (&str, &str)| ColumnFacts {
            name: name.to_owned(),
            sql_type: sql_type.to_owned(),
            nullable: false,
            has_default: false,
            auto_increment: false,
            generated: false,
            charset: None,
            collation: None,
        };
        let columns = [
            ("id", "bigint(20) unsigned"),
            ("email", "varchar(64)"),
            ("amount", "decimal(12,2)"),
            ("at", "datetime"),
            ("note", "text"),
        ];
        let index = |(kind, columns): &(IndexKind, &[&str])| IndexFacts {
            name: String::new(),
            kind: *kind,
            columns: columns.iter().map(|c| (*c).to_owned()).collect(),
            definition: String::new(),
        };
        TableFacts {
            columns: columns.map(column).to_vec(),
            indexes: indexes.iter().map(index).collect(),
            ..TableFacts::default()
        }
    }

    fn width(indexes: &[(IndexKind, &[&str])]) -> Option<f64> {
        let text = |name: &str| (name == "email").then_some(20.0);
        entry_width(&table(indexes), &text).map(f64::round)
    }

    #[test]
    fn an_entry_is_as_wide_as_its_columns_and_the_key() {
        let key = (IndexKind::Primary, ["id"].as_slice());
        assert_eq!(width(&[key, (IndexKind::Unique, &["email"])]), Some(35.0), "21 + 8 + 6");
        assert_eq!(width(&[key, (IndexKind::Plain, &["at"])]), Some(19.0), "5 + 8 + 6");
        assert_eq!(width(&[key, (IndexKind::Plain, &["AMOUNT", "at"])]), Some(25.0));
        assert_eq!(
            width(&[key, (IndexKind::Plain, &["note"])]),
            Some(55.0),
            "text of no known length"
        );
        let two = [key, (IndexKind::Unique, ["email"].as_slice()), (IndexKind::Plain, &["at"])];
        assert_eq!(width(&two), Some(27.0), "the mean of both");
    }

    #[test]
    fn nothing_is_told_of_what_is_not_known() {
        let key = (IndexKind::Primary, ["id"].as_slice());
        assert_eq!(width(&[key]), None, "no index");
        assert_eq!(width(&[key, (IndexKind::Plain, &["lower(email)"])]), None, "an expression");
        assert_eq!(width(&[key, (IndexKind::Plain, &[])]), None, "only thought of");
    }
}
