//! The fast lanes: a whole chunk, all or nothing, by the strategy of the plan.

use std::sync::Arc;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::plan::{OnDuplicate, Strategy};

use super::insert::Inserter;
use super::sql::Statements;
use super::{LoadError, LoadSpec, bulk_protocol, load_data};
use crate::domain::EncodedChunk;

/// Rows as the server counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) loaded: u64,
    pub(super) skipped: u64,
    pub(super) replaced: u64,
}

impl Written {
    pub(super) const fn add(&mut self, other: Self) {
        self.loaded += other.loaded;
        self.skipped += other.skipped;
        self.replaced += other.replaced;
    }
}

/// How a fast lane ended.
#[derive(Debug)]
pub(super) enum Fast {
    /// Every count is as it should be and the server warned of nothing.
    Clean(Written),
    /// Something is not as foreseen: what was written must be undone.
    Surprise(String),
}

/// Sends a chunk by the strategy of the spec, within the transaction that is open.
pub(super) async fn send(
    conn: &mut Conn,
    spec: &LoadSpec,
    statements: &Statements,
    chunk: &Arc<EncodedChunk>,
) -> Result<Fast, LoadError> {
    if chunk.origins.is_empty() {
        return Ok(Fast::Clean(Written::default()));
    }
    if spec.by_insert() {
        return insert(conn, spec, statements, chunk).await;
    }
    match spec.strategy {
        Strategy::LoadDataServer => load_data::from_server(conn, spec, chunk).await,
        Strategy::BulkProtocol => bulk_protocol::send(conn, spec, statements, chunk).await,
        _ => load_data::local(conn, spec, statements, chunk).await,
    }
}

async fn insert(
    conn: &mut Conn,
    spec: &LoadSpec,
    statements: &Statements,
    chunk: &EncodedChunk,
) -> Result<Fast, LoadError> {
    let rows: Vec<usize> = (0..chunk.origins.len()).collect();
    let mut inserter = Inserter::new(spec, statements);
    let (mut written, mut rest) = (Written::default(), rows.as_slice());
    while !rest.is_empty() {
        spec.cancel.check()?;
        let Ok(taken) = inserter.fill(chunk, rest) else {
            return Ok(Fast::Surprise("a row is larger than a packet may be".to_owned()));
        };
        let sent = inserter.send(conn, taken).await?;
        if let Some(why) = surprise(spec, taken as u64, sent.written, sent.warnings) {
            return Ok(Fast::Surprise(why));
        }
        written.add(sent.written);
        rest = &rest[taken..];
    }
    Ok(Fast::Clean(written))
}

/// Warnings of the last statement that count. What the server notes of a column that it computes
/// itself (that the result is rounded to the column) says nothing of the rows.
pub(super) async fn warnings(conn: &mut Conn, spec: &LoadSpec) -> Result<u16, LoadError> {
    const DATA_TRUNCATED: u16 = 1265;
    let count = conn.get_warnings();
    if count == 0 || spec.generated.is_empty() {
        return Ok(count);
    }
    let told: Vec<(String, u16, String)> = conn
        .query("SHOW WARNINGS")
        .await
        .map_err(|e| LoadError::from_driver("the look at its warnings", &e))?;
    let of_generated =
        |words: &str| spec.generated.iter().any(|c| words.contains(&format!("'{c}'")));
    let harmless = told.iter().all(|(level, code, words)| {
        level == "Note" && *code == DATA_TRUNCATED && of_generated(words)
    });
    Ok(if harmless && told.len() == usize::from(count) { 0 } else { count })
}

/// Why the answer to a statement of `rows` rows cannot be taken as a success, if so.
pub(super) fn surprise(
    spec: &LoadSpec,
    rows: u64,
    written: Written,
    warnings: u16,
) -> Option<String> {
    if warnings > 0 {
        return Some(format!("the server gave {warnings} warnings"));
    }
    let stored = match spec.on_duplicate {
        OnDuplicate::Skip => written.loaded + written.skipped,
        OnDuplicate::Reject | OnDuplicate::Replace | OnDuplicate::Update => written.loaded,
    };
    (stored != rows).then(|| format!("{rows} rows were sent, the server counts {stored}"))
}
