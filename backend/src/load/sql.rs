//! The statements that carry rows, made once for each loader.

use shared::ddl::{quote_name, quote_table};
use shared::plan::OnDuplicate;
use shared::target::Flavour;

use super::LoadSpec;
use crate::domain::{NULL, WireColumn, Wrap};

/// How fields, lines and NULL stand in the canonical form.
const CANONICAL: &str = "CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ENCLOSED BY '' \
    ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' STARTING BY ''";

/// Statements for one table and one rule for repeated keys.
#[derive(Debug, Clone)]
pub(super) struct Statements {
    /// `LOAD DATA LOCAL`.
    pub(super) load_local: String,
    /// Everything before the first `(` of an INSERT.
    pub(super) insert_head: String,
    /// Everything behind the last `)`.
    pub(super) insert_tail: String,
    /// INSERT of one row with a question mark a column.
    pub(super) prepared: String,
}

impl Statements {
    pub(super) fn new(spec: &LoadSpec) -> Self {
        let table = quote_table(&spec.database, &spec.table);
        let names: Vec<String> = spec.columns.iter().map(|c| quote_name(&c.name)).collect();
        let verb = if spec.on_duplicate == OnDuplicate::Replace { "REPLACE" } else { "INSERT" };
        let insert_head = format!("{verb} INTO {table} ({}) VALUES ", names.join(","));
        let insert_tail = tail(spec, &names, &table);
        let marks: Vec<String> =
            spec.columns.iter().map(|c| wrapped(c.wrap, "?", spec.flavour)).collect();
        let prepared = format!("{insert_head}({}){insert_tail}", marks.join(","));
        Self {
            load_local: load_data(spec, "LOCAL INFILE 'plimsoll'", true),
            insert_head,
            insert_tail,
            prepared,
        }
    }
}

/// `LOAD DATA` of a file on the server itself.
pub(super) fn load_from_server(spec: &LoadSpec, path: &str) -> String {
    load_data(spec, &format!("INFILE {}", super::session::quote_text(path)), false)
}

fn load_data(spec: &LoadSpec, from: &str, local: bool) -> String {
    let table = quote_table(&spec.database, &spec.table);
    let rule = match spec.on_duplicate {
        OnDuplicate::Replace => "REPLACE ",
        OnDuplicate::Skip => "IGNORE ",
        // LOCAL means IGNORE by itself.
        OnDuplicate::Reject | OnDuplicate::Update => "",
    };
    let rule = if local && rule == "IGNORE " { "" } else { rule };
    let (mut places, mut sets) = (Vec::new(), Vec::new());
    for (i, column) in spec.columns.iter().enumerate() {
        let name = quote_name(&column.name);
        if column.wrap == Wrap::Plain {
            places.push(name);
        } else {
            let variable = format!("@v{i}");
            sets.push(format!("{name} = {}", wrapped(column.wrap, &variable, spec.flavour)));
            places.push(variable);
        }
    }
    let set = if sets.is_empty() { String::new() } else { format!(" SET {}", sets.join(", ")) };
    format!("LOAD DATA {from} {rule}INTO TABLE {table} {CANONICAL} ({}){set}", places.join(","))
}

fn tail(spec: &LoadSpec, names: &[String], table: &str) -> String {
    let first = names.first().map_or("", String::as_str);
    match spec.on_duplicate {
        OnDuplicate::Reject | OnDuplicate::Replace => String::new(),
        // Strict about everything but the key, which IGNORE would not be.
        OnDuplicate::Skip => format!(" ON DUPLICATE KEY UPDATE {table}.{first} = {table}.{first}"),
        OnDuplicate::Update => {
            // MySQL warns of VALUES(); MariaDB knows no row alias.
            let alias = spec.flavour == Flavour::Mysql && spec.version >= (8, 0, 19);
            let each: Vec<String> = names
                .iter()
                .map(|n| match alias {
                    true => format!("{n} = _plimsoll_new.{n}"),
                    false => format!("{n} = VALUES({n})"),
                })
                .collect();
            let alias = if alias { " AS _plimsoll_new" } else { "" };
            format!("{alias} ON DUPLICATE KEY UPDATE {}", each.join(", "))
        }
    }
}

/// The expression that makes a column's value of its text.
pub(super) fn wrapped(wrap: Wrap, text: &str, flavour: Flavour) -> String {
    match wrap {
        Wrap::Plain => text.to_owned(),
        Wrap::Unhex => format!("UNHEX({text})"),
        Wrap::Bit => format!("CAST({text} AS UNSIGNED)"),
        Wrap::GeometryText => format!("ST_GeomFromText({text})"),
        Wrap::GeometryWkb => format!("ST_GeomFromWKB(UNHEX({text}))"),
        Wrap::Vector if flavour == Flavour::Mariadb => format!("VEC_FromText({text})"),
        Wrap::Vector => format!("STRING_TO_VECTOR({text})"),
    }
}

/// Writes one row of the canonical form as `(…)`.
///
/// The canonical form has no tab, line feed or NUL but as `\t`, `\n` and `\0`, which mean the
/// same within quotes: only the quote itself is left to be escaped.
pub(super) fn push_values(row: &[u8], columns: &[WireColumn], flavour: Flavour, out: &mut Vec<u8>) {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    out.push(b'(');
    for (i, (field, column)) in row.split(|b| *b == b'\t').zip(columns).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        if field == NULL {
            out.extend_from_slice(b"NULL");
        } else if column.wrap == Wrap::Plain {
            push_quoted(field, out);
        } else {
            let around = wrapped(column.wrap, "\0", flavour);
            let (before, behind) = around.split_once('\0').unwrap_or(("", ""));
            out.extend_from_slice(before.as_bytes());
            push_quoted(field, out);
            out.extend_from_slice(behind.as_bytes());
        }
    }
    out.push(b')');
}

fn push_quoted(field: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    let mut rest = field;
    while let Some(at) = memchr::memchr(b'\'', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"\\'");
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'\'');
}

/// Field `i` of a row of the canonical form.
pub(super) fn field(row: &[u8], i: usize) -> Option<&[u8]> {
    row.strip_suffix(b"\n").unwrap_or(row).split(|b| *b == b'\t').nth(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn columns(wraps: &[Wrap]) -> Vec<WireColumn> {
        wraps.iter().enumerate().map(|(i, wrap)| WireColumn::text(format!("c{i}"), *wrap)).collect()
    }

    #[test]
    fn a_row_becomes_values() {
        let mut out = Vec::new();
        let columns = columns(&[Wrap::Plain, Wrap::Unhex, Wrap::Plain, Wrap::Plain]);
        push_values(b"O'Hara \\\\ Co\t4F\t\\N\t\n", &columns, Flavour::Mariadb, &mut out);
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text, "('O\\'Hara \\\\ Co',UNHEX('4F'),NULL,'')");
    }

    #[test]
    fn a_field_is_found_by_its_place() {
        assert_eq!(field(b"a\tb\tc\n", 2), Some(&b"c"[..]));
    }

    proptest! {
        #[test]
        fn quotes_never_end_a_literal_early(text in "[a'\\\\]{0,12}") {
            let canonical = text.replace('\\', "\\\\");
            let mut out = Vec::new();
            push_quoted(canonical.as_bytes(), &mut out);
            // Inside, every quote and every backslash stands behind a backslash of its own.
            let inner = &out[1..out.len() - 1];
            let mut plain = Vec::new();
            let mut bytes = inner.iter().copied();
            while let Some(b) = bytes.next() {
                prop_assert_ne!(b, b'\'');
                plain.push(if b == b'\\' { bytes.next().expect("a pair") } else { b });
            }
            prop_assert_eq!(plain, text.into_bytes());
        }
    }
}
