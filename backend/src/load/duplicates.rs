//! Repeated values found only when a unique key is built again.
//!
//! A load that builds its unique keys afterwards must still name each repeated record with its
//! row. The server tells which values are there more than once and the primary keys of their rows;
//! reading the file once more, without writing, tells where in the file those rows stand. Then the
//! first of each value stays, as one loader would have left it, and the others go.

use std::collections::HashMap;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, Value};
use shared::ErrorCode;
use shared::ddl::quote_name;
use shared::run::Reject;

use super::ledger::REMOVED;
use super::reject::cut;
use super::spec::KeyNames;
use super::sql::{field, unescape};
use super::{ChunkCounts, Ledger, LoadError, LoadSpec};
use crate::domain::EncodedChunk;

const DOING: &str = "the search for repeated values";
/// More rows than this are not named one by one.
const ROWS_MAX: usize = 1_000_000;
const REMOVE_AT_ONCE: usize = 500;

/// A row whose value of some key is not its own alone.
#[derive(Debug)]
struct Involved {
    order: (u64, usize),
    row: u64,
    line: u64,
    raw: Option<String>,
    primary: Vec<Vec<u8>>,
    groups: Vec<usize>,
}

#[derive(Debug)]
struct Group {
    key: String,
    columns: String,
    value: String,
}

/// Repeated values, and the rows of the file that have them as far as they were seen.
#[derive(Debug)]
pub struct Repeated {
    primary: Vec<String>,
    places: Vec<usize>,
    groups: Vec<Group>,
    wanted: HashMap<Vec<u8>, Vec<usize>>,
    seen: Vec<Involved>,
}

fn failed(error: &mysql_async::Error) -> LoadError {
    LoadError::from_driver(DOING, error)
}

/// Asks the server for the repeated values of `keys`, unique keys that are not built yet.
///
/// # Errors
/// [`LoadError::Duplicates`] where the rows cannot be told apart: the table has no primary key,
/// the file does not fill it, or there are too many. Otherwise the server refuses.
pub async fn find(
    conn: &mut Conn,
    spec: &LoadSpec,
    primary: &[String],
    keys: &[KeyNames],
) -> Result<Repeated, LoadError> {
    let place = |c: &String| spec.columns.iter().position(|w| w.name.eq_ignore_ascii_case(c));
    let places: Option<Vec<usize>> = primary.iter().map(place).collect();
    let mut found = Repeated {
        primary: primary.to_vec(),
        places: places.clone().unwrap_or_default(),
        groups: Vec::new(),
        wanted: HashMap::new(),
        seen: Vec::new(),
    };
    let mut rows_found = 0;
    for key in keys {
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
        let rows: Vec<Row> =
            conn.query(search(spec, primary, key)).await.map_err(|e| failed(&e))?;
        rows_found += rows.len();
        for row in rows {
            let mut values = row.unwrap().into_iter().map(bytes);
            let value = values.next().unwrap_or_default();
            let of_row: Vec<Vec<u8>> = values.map(|v| plain(&v)).collect();
            let group = *numbers.entry(value.clone()).or_insert_with(|| {
                found.groups.push(Group {
                    key: key.name.clone(),
                    columns: key.columns.join(", "),
                    value: String::from_utf8_lossy(&value).replace('\0', "-"),
                });
                found.groups.len() - 1
            });
            found.wanted.entry(of_row.join(&b'\t')).or_default().push(group);
        }
    }
    if places.is_none() || primary.is_empty() || rows_found > ROWS_MAX {
        return Err(found.untold());
    }
    Ok(found)
}

fn search(spec: &LoadSpec, primary: &[String], key: &KeyNames) -> String {
    let table = format!("{}.{}", quote_name(&spec.database), quote_name(&spec.table));
    let list = |alias: &str, columns: &[String]| {
        let each: Vec<String> =
            columns.iter().map(|c| format!("{alias}{}", quote_name(c))).collect();
        each.join(", ")
    };
    let columns = list("", &key.columns);
    let filled: Vec<String> =
        key.columns.iter().map(|c| format!("{} IS NOT NULL", quote_name(c))).collect();
    let of_row = if primary.is_empty() { "NULL".to_owned() } else { list("t.", primary) };
    format!(
        "SELECT CONCAT_WS(CHAR(0), {}), {of_row} FROM {table} t JOIN (SELECT {columns} FROM \
         {table} WHERE {} GROUP BY {columns} HAVING COUNT(*) > 1) d USING ({columns})",
        list("d.", &key.columns),
        filled.join(" AND "),
    )
}

fn bytes(value: Value) -> Vec<u8> {
    match value {
        Value::Bytes(bytes) => bytes,
        Value::NULL => Vec::new(),
        other => other.as_sql(true).trim_matches('\'').as_bytes().to_vec(),
    }
}

/// Numbers in one spelling, so that those of the file and of the server compare.
fn plain(text: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(text).ok().and_then(|t| t.parse::<i128>().ok()) {
        Some(number) => number.to_string().into_bytes(),
        None => text.to_vec(),
    }
}

impl Repeated {
    /// How many values are there more than once.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    fn untold(&self) -> LoadError {
        let first = self.groups.first();
        LoadError::Duplicates {
            key: first.map(|g| g.key.clone()).unwrap_or_default(),
            groups: self.groups.len() as u64,
            example: first.map(|g| cut(&g.value)).unwrap_or_default(),
        }
    }

    /// Looks for the rows in a chunk of the file, which is read once more for that.
    pub fn see(&mut self, chunk: &EncodedChunk) {
        for (i, origin) in chunk.origins.iter().enumerate() {
            let row = chunk.row(i);
            let primary: Vec<Vec<u8>> = self
                .places
                .iter()
                .map(|&p| plain(&field(row, p).and_then(unescape).unwrap_or_default()))
                .collect();
            let Some(groups) = self.wanted.get(&primary.join(&b'\t')) else { continue };
            let raw = chunk.raw_record(i);
            let raw = (!raw.is_empty())
                .then(|| String::from_utf8_lossy(raw).trim_end_matches(['\r', '\n']).to_owned());
            self.seen.push(Involved {
                order: (chunk.index, i),
                row: origin.row,
                line: origin.line,
                raw,
                primary,
                groups: groups.clone(),
            });
        }
    }

    /// Removes all but the first row of each value, with a line of its own in the ledger, in one
    /// transaction. The answer's `rows_replaced` is how many went; each is a reject. Asked again
    /// after a crash it answers from the ledger.
    ///
    /// # Errors
    /// [`LoadError::Duplicates`] where the file does not show every row, [`LoadError::Refused`]
    /// where bad records stop the run; the server refuses.
    pub async fn remove(
        mut self,
        conn: &mut Conn,
        spec: &LoadSpec,
    ) -> Result<ChunkCounts, LoadError> {
        let ledger = Ledger::named(&spec.database, &spec.ledger);
        if let Some(known) = ledger.find(conn, REMOVED).await? {
            return Ok(known);
        }
        if self.seen.len() != self.wanted.len() {
            return Err(self.untold());
        }
        self.seen.sort_by_key(|r| r.order);
        let (mut taken, mut rejects) = (vec![false; self.groups.len()], Vec::new());
        let mut gone: Vec<&[Vec<u8>]> = Vec::new();
        for row in &self.seen {
            match row.groups.iter().find(|g| taken[**g]) {
                Some(&group) => {
                    rejects.push(reject(row, &self.groups[group]));
                    gone.push(&row.primary);
                }
                None => row.groups.iter().for_each(|g| taken[*g] = true),
            }
        }
        if let Some(first) = rejects.first().filter(|_| spec.stop_on_reject) {
            return Err(LoadError::Refused(Box::new(first.clone())));
        }
        conn.query_drop("START TRANSACTION").await.map_err(|e| failed(&e))?;
        for part in gone.chunks(REMOVE_AT_ONCE) {
            conn.query_drop(self.delete(spec, part)).await.map_err(|e| failed(&e))?;
            if conn.affected_rows() != part.len() as u64 {
                return Err(LoadError::Verify(format!(
                    "{} rows with repeated values were to be removed, the server removed {}.",
                    part.len(),
                    conn.affected_rows()
                )));
            }
        }
        let counts = ChunkCounts {
            rows_replaced: rejects.len() as u64,
            rows_rejected: rejects.len() as u64,
            rejects,
            ..ChunkCounts::default()
        };
        ledger.write(conn, REMOVED, &counts).await?;
        conn.query_drop("COMMIT").await.map_err(|e| failed(&e))?;
        Ok(counts)
    }

    fn delete(&self, spec: &LoadSpec, rows: &[&[Vec<u8>]]) -> String {
        let each: Vec<String> = rows
            .iter()
            .map(|row| {
                let parts: Vec<String> = self
                    .primary
                    .iter()
                    .zip(row.iter())
                    .map(|(c, v)| {
                        let literal = Value::Bytes(v.clone()).as_sql(false);
                        format!("{} = {literal}", quote_name(c))
                    })
                    .collect();
                format!("({})", parts.join(" AND "))
            })
            .collect();
        format!(
            "DELETE FROM {}.{} WHERE {}",
            quote_name(&spec.database),
            quote_name(&spec.table),
            each.join(" OR ")
        )
    }
}

fn reject(row: &Involved, group: &Group) -> Reject {
    Reject {
        row: row.row,
        line: row.line,
        column: Some(group.columns.clone()),
        value: Some(cut(&group.value)),
        key: Some(group.key.clone()),
        code: ErrorCode::DuplicateKey,
        message: format!(
            "Row {} (line {}) repeats the value {} of the key {}.",
            row.row,
            row.line,
            cut(&group.value),
            group.key
        ),
        raw: row.raw.clone(),
    }
}
