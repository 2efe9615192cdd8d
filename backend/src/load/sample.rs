//! A sample of rows, read back: whether the server holds what was sent, value by value.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::ddl::quote_name;
use shared::run::Reject;
use shared::target::TableFacts;

use super::sql::{field, push_values};
use super::{LoadError, LoadSpec};
use crate::domain::{EncodedChunk, Wrap};
use crate::target;

const DOING: &str = "the reading back of a sample";
/// Rows that one statement looks for.
const ROWS_AT_ONCE: usize = 50;

/// How a column's value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    /// With its literal.
    Plain,
    /// By code points, whatever its own collation finds equal.
    Text,
}

/// Rows set aside while they are written, to be looked for afterwards.
#[derive(Debug, Default)]
pub struct Sample {
    key: Vec<usize>,
    tests: Vec<(usize, Test)>,
    rows_per_chunk: usize,
    rows_max: usize,
    rows: Vec<Vec<u8>>,
}

impl Sample {
    /// A sample of `rows_max` rows out of about `chunks` chunks; none where the file does not fill
    /// the primary key, by which rows are found.
    #[must_use]
    pub fn new(spec: &LoadSpec, table: &TableFacts, rows_max: usize, chunks: u64) -> Option<Self> {
        let place = |name: &String| {
            let found = spec.columns.iter().position(|c| c.name.eq_ignore_ascii_case(name))?;
            spec.columns.get(found).filter(|c| c.wrap == Wrap::Plain).map(|_| found)
        };
        let key: Option<Vec<usize>> = table.primary_key()?.iter().map(place).collect();
        let tests = spec.columns.iter().enumerate().filter_map(|(i, column)| {
            let test = test(&table.column(&column.name)?.sql_type)?;
            Some((i, test))
        });
        let chunks = usize::try_from(chunks.max(1)).unwrap_or(usize::MAX);
        Some(Self {
            key: key?,
            tests: tests.collect(),
            rows_per_chunk: rows_max.div_ceil(chunks).max(1),
            rows_max,
            rows: Vec::new(),
        })
    }

    /// Sets rows of a chunk aside that was written, evenly out of it and none that was refused.
    pub fn take(&mut self, chunk: &EncodedChunk, rejects: &[Reject]) {
        let count = chunk.origins.len();
        let step = (count / self.rows_per_chunk).max(1);
        for i in (0..count).step_by(step).take(self.rows_per_chunk) {
            let row = chunk.origins.get(i).map_or(0, |o| o.row);
            if self.rows.len() < self.rows_max && !rejects.iter().any(|r| r.row == row) {
                self.rows.push(chunk.row(i).to_vec());
            }
        }
    }

    /// Looks for the rows; how many were found.
    ///
    /// # Errors
    /// [`LoadError::Verify`] for a row that is not there as it was sent; the server refuses.
    pub async fn read_back(&self, spec: &LoadSpec) -> Result<u64, LoadError> {
        let conn = &mut target::connect_loader(&spec.target, spec.session_statements()).await?;
        spec.cancel.register(conn.id());
        let found = self.all_found(conn, spec).await;
        spec.cancel.forget(conn.id());
        found
    }

    async fn all_found(&self, conn: &mut Conn, spec: &LoadSpec) -> Result<u64, LoadError> {
        for part in self.rows.chunks(ROWS_AT_ONCE) {
            if self.found(conn, spec, part).await? == part.len() as u64 {
                continue;
            }
            for row in part {
                if self.found(conn, spec, std::slice::from_ref(row)).await? != 1 {
                    return Err(LoadError::Verify(format!(
                        "A row that was written is not there as it was sent: {}.",
                        self.condition(spec, row, &[])
                    )));
                }
            }
        }
        Ok(self.rows.len() as u64)
    }

    async fn found(
        &self,
        conn: &mut Conn,
        spec: &LoadSpec,
        rows: &[Vec<u8>],
    ) -> Result<u64, LoadError> {
        let each: Vec<String> =
            rows.iter().map(|row| self.condition(spec, row, &self.tests)).collect();
        let statement = format!(
            "SELECT COUNT(*) FROM {}.{} WHERE {}",
            quote_name(&spec.database),
            quote_name(&spec.table),
            each.join(" OR ")
        );
        let count: Option<u64> =
            conn.query_first(statement).await.map_err(|e| LoadError::from_driver(DOING, &e))?;
        Ok(count.unwrap_or(0))
    }

    /// `(id = ('7') AND name … <=> ('x'))`.
    fn condition(&self, spec: &LoadSpec, row: &[u8], tests: &[(usize, Test)]) -> String {
        let literal = |place: usize| {
            let mut value = Vec::new();
            if let (Some(field), Some(column)) = (field(row, place), spec.columns.get(place)) {
                push_values(field, std::slice::from_ref(column), spec.flavour, &mut value);
            }
            String::from_utf8_lossy(&value).into_owned()
        };
        let name =
            |place: usize| spec.columns.get(place).map(|c| quote_name(&c.name)).unwrap_or_default();
        let keys = self.key.iter().map(|&p| format!("{} = {}", name(p), literal(p)));
        let others = tests.iter().map(|&(p, test)| match test {
            Test::Plain => format!("{} <=> {}", name(p), literal(p)),
            Test::Text => {
                format!("CONVERT({} USING utf8mb4) COLLATE utf8mb4_bin <=> {}", name(p), literal(p))
            }
        });
        format!("({})", keys.chain(others).collect::<Vec<_>>().join(" AND "))
    }
}

/// How values of a type are compared; none for those that the server keeps in another spelling
/// than they were sent in (floating point, JSON, sets, geometry and the like).
fn test(sql_type: &str) -> Option<Test> {
    let word: String = sql_type.chars().take_while(char::is_ascii_alphanumeric).collect();
    match word.to_ascii_lowercase().as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "decimal" | "date"
        | "datetime" | "timestamp" | "time" | "binary" | "varbinary" | "tinyblob" | "blob"
        | "mediumblob" | "longblob" => Some(Test::Plain),
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => Some(Test::Text),
        _ => None,
    }
}
