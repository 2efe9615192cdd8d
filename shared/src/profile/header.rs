//! Whether the first record names the columns.

use std::collections::HashSet;

use super::Evidence;
use super::value::{Shape, shape};

/// Names are seldom longer.
const NAME_CHARS_MAX: usize = 64;

/// A record's cells, quotes undone.
pub type Cells = Vec<Vec<u8>>;

/// Judges the first of some records, against those after it.
#[must_use]
pub fn judge(first: &Cells, others: &[Cells], decimal: u8) -> (bool, Evidence) {
    let (header, why, confidence) = verdict(first, others, decimal);
    let settled = if header { "the first record names the columns" } else { "no header" };
    let evidence = Evidence::found("header", settled, &why, confidence);
    (header, evidence)
}

fn verdict(first: &Cells, others: &[Cells], decimal: u8) -> (bool, String, f64) {
    let named = first.iter().filter(|c| is_name(c, decimal)).count();
    let distinct: HashSet<&Vec<u8>> = first.iter().collect();
    if others.is_empty() {
        let header = named == first.len() && distinct.len() == first.len();
        let why = if header {
            "a single record of words, all different"
        } else {
            "a single record with values in it"
        };
        return (header, why.to_owned(), 0.6);
    }
    let mut votes = 0.0;
    let mut typed = 0;
    let mut alike = 0;
    for (i, cell) in first.iter().enumerate() {
        let vote = column_vote(cell, others.iter().filter_map(|r| r.get(i)), decimal);
        typed += usize::from(vote >= 1.0);
        alike += usize::from(vote < 0.0);
        votes += vote;
    }
    if distinct.len() < first.len() {
        // Names repeat sometimes, values often.
        votes -= 0.3;
    }
    let certain = (0.6 + votes.abs() * 0.2).min(0.98);
    if votes > 0.0 {
        let why = match typed {
            0 => "its words are not values of the columns below".to_owned(),
            n => format!("above {n} columns of numbers or dates it has words"),
        };
        (true, why, certain)
    } else {
        (false, format!("{alike} of its fields look like those below"), certain)
    }
}

/// How much a cell looks like the name (above zero) or a value (below) of its column.
fn column_vote<'a>(cell: &[u8], values: impl Iterator<Item = &'a Vec<u8>>, decimal: u8) -> f64 {
    let own = kind(cell, decimal);
    let mut all_typed = true;
    let mut all_years = true;
    let mut seen = 0;
    let mut met = false;
    for value in values.filter(|v| !v.is_empty()) {
        seen += 1;
        all_years &= is_year(value);
        met |= value.as_slice() == cell;
        all_typed &= kind(value, decimal) != Kind::Word;
    }
    let name = is_name(cell, decimal);
    match (seen, all_typed, own) {
        (0, _, _) => {
            if name {
                0.1
            } else {
                0.0
            }
        }
        (_, true, Kind::Word) if cell.is_empty() => 0.0,
        (_, true, Kind::Word) => 1.0,
        // A year above numbers that are none may well be a name.
        (_, true, _) if is_year(cell) && !all_years => 0.0,
        (_, true, _) => -1.0,
        (_, false, Kind::Word) if met => -0.7,
        (_, false, Kind::Word) if name => 0.3,
        (_, false, Kind::Word) if cell.is_empty() => 0.0,
        (_, false, _) => -0.5,
    }
}

/// Whether a cell is a year of our time, and nothing else.
fn is_year(cell: &[u8]) -> bool {
    matches!(cell, [b'1', b'9', a, b] | [b'2', b'0', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Other,
    Word,
}

fn kind(cell: &[u8], decimal: u8) -> Kind {
    match shape(cell, decimal) {
        Shape::Int { .. } | Shape::Decimal { .. } | Shape::Float => Kind::Number,
        Shape::Text => Kind::Word,
        _ => Kind::Other,
    }
}

/// Whether a cell could be a column's name.
fn is_name(cell: &[u8], decimal: u8) -> bool {
    let Ok(text) = std::str::from_utf8(cell) else { return false };
    let text = text.trim();
    !text.is_empty()
        && text.chars().count() <= NAME_CHARS_MAX
        && kind(cell, decimal) == Kind::Word
        && text.chars().any(char::is_alphabetic)
        && !text.contains(['@', '\n', '\\', '{', '='])
        && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&str], expect: bool) {
        let cells = |row: &&str| row.split('|').map(|c| c.as_bytes().to_vec()).collect::<Cells>();
        let rows: Vec<Cells> = rows.iter().map(cells).collect();
        let (header, evidence) = judge(&rows[0], &rows[1..], b'.');
        assert_eq!(header, expect, "{evidence:?}");
    }

    #[test]
    fn headers_are_told_from_data() {
        check(&["id|name", "1|a", "2|b"], true);
        check(&["1|user1@x.com|Oslo|1.5", "2|user2@x.com|Osaka|2.5", "3|u@x.com|Oslo|3"], false);
        check(&["id|group|2005|hit%", "1|g1|10|55"], true);
        check(&["id|amount|Amount||note", "1|10|11|12|n1"], true);
        check(&["id|2019|2020", "1|5|6", "2|7|8"], true);
        check(&["1|2019|5", "2|2020|6", "3|2021|7"], false);
        check(&["name|city", "Ann|Oslo", "Bo|Lima"], true);
        check(&["Oslo|red", "Lima|blue", "Oslo|red"], false);
        check(&["1|a|2024-01-02", "2|b|2024-01-03"], false);
        check(&["id|name"], true);
        check(&["1|name"], false);
        check(&["lot|label", "1|red", "2|zero"], true);
    }
}
