//! MyRocks' bulk loader, chunk by chunk.
//!
//! Between `SET rocksdb_bulk_load = 1` and `= 0` rows go past transactions, locks and the check
//! for repeated keys into files that become visible as a whole at the end. Two things follow.
//! The end comes before the ledger's line, never after it. And because the two cannot commit
//! together, the ledger first announces the chunk: one that was announced and never settled may
//! be in or not, so its rows, which lie between its first and its last key, are removed and
//! written again, in a transaction this time.
//!
//! Two sessions must not do this to one table: they may write one temporary file under one name,
//! which loses rows and has brought the server down (MariaDB 10.11.19).

use std::sync::Arc;

use shared::ddl::{quote_name, quote_table};
use shared::target::Flavour;

use super::lane::Fast;
use super::loader::{Loader, clean_counts};
use super::sql::{Statements, field, push_values};
use super::{ChunkOutcome, LoadError, LoadSpec, bulk_protocol, failpoint, load_data};
use crate::domain::EncodedChunk;

const BEGIN: &str = "SET SESSION rocksdb_bulk_load = 1";
const END: &str = "SET SESSION rocksdb_bulk_load = 0";

/// Writes a chunk whose rows are in the order of the primary key.
pub(super) async fn write(
    loader: &mut Loader,
    chunk: &Arc<EncodedChunk>,
) -> Result<ChunkOutcome, LoadError> {
    let (spec, ledger) = (Arc::clone(&loader.spec), loader.ledger.clone());
    if chunk.origins.is_empty() {
        return loader.write_in_transaction(chunk).await;
    }
    if ledger.is_uncertain(loader.conn()?, chunk.index).await? {
        return by_transaction(loader, chunk).await;
    }
    ledger.announce(loader.conn()?, chunk.index).await?;
    loader.run(BEGIN, "the start of the bulk load").await?;
    let statements = loader.statements.clone();
    let loaded = send(loader, &spec, &statements, chunk).await;
    failpoint::hit("in_engine_bulk");
    let ended = loader.run(END, "the end of the bulk load").await;
    match (loaded, ended) {
        (Ok(Fast::Clean(written)), Ok(())) => {
            failpoint::hit("before_commit");
            let counts = clean_counts(chunk, written);
            ledger.settle(loader.conn()?, chunk.index, &counts).await?;
            failpoint::hit("after_commit");
            Ok(ChunkOutcome { index: chunk.index, counts, ..ChunkOutcome::default() })
        }
        (Err(error), _) if error.breaks_connection() => Err(error),
        (_, Err(error)) if error.breaks_connection() => Err(error),
        (loaded, ended) => {
            tracing::debug!(chunk = chunk.index, ?loaded, ?ended, "not by the bulk loader");
            loader.spec.cancel.check()?;
            by_transaction(loader, chunk).await
        }
    }
}

/// Removes what may be there of a chunk and writes it in a transaction.
async fn by_transaction(
    loader: &mut Loader,
    chunk: &Arc<EncodedChunk>,
) -> Result<ChunkOutcome, LoadError> {
    let remove = remove_sql(&loader.spec, chunk)?;
    loader.run(&remove, "the removal of an unsettled chunk").await?;
    let announced = format!(
        "DELETE FROM {} WHERE chunk = {} AND done = 0",
        loader.ledger.full_name(),
        chunk.index
    );
    loader.run(&announced, "the ledger").await?;
    loader.write_in_transaction(chunk).await
}

/// The rows by the shortest way to the server: there is one session only, and what it does not have
/// to take apart itself is time gained.
async fn send(
    loader: &mut Loader,
    spec: &LoadSpec,
    statements: &Statements,
    chunk: &Arc<EncodedChunk>,
) -> Result<Fast, LoadError> {
    match spec.flavour {
        Flavour::Mariadb => bulk_protocol::send(loader.conn()?, spec, statements, chunk).await,
        _ => load_data::local(loader.conn()?, spec, statements, chunk).await,
    }
}

/// `DELETE … WHERE (a > '1' OR (a = '1' AND b >= '2')) AND (…)`.
///
/// Each column is compared with a constant of its own: rows compared as rows would turn large
/// numbers into floating point.
fn remove_sql(spec: &LoadSpec, chunk: &EncodedChunk) -> Result<String, LoadError> {
    let unfit = || LoadError::Unfit("MyRocks' bulk loader needs a primary key in the file.".into());
    let key = spec.keys.iter().find(|k| k.name == "PRIMARY").ok_or_else(unfit)?;
    let last = chunk.origins.len().saturating_sub(1);
    let from = edge(spec, &key.columns, chunk.row(0), '>').ok_or_else(unfit)?;
    let to = edge(spec, &key.columns, chunk.row(last), '<').ok_or_else(unfit)?;
    let table = quote_table(&spec.database, &spec.table);
    Ok(format!("DELETE FROM {table} WHERE {from} AND {to}"))
}

/// Keys from (`>`) or up to (`<`) that of a row, the row's own among them.
fn edge(spec: &LoadSpec, key: &[String], row: &[u8], sign: char) -> Option<String> {
    let mut condition = String::new();
    for (n, name) in key.iter().rev().enumerate() {
        let place = spec.columns.iter().position(|c| c.name.eq_ignore_ascii_case(name))?;
        let mut value = Vec::new();
        let column = std::slice::from_ref(spec.columns.get(place)?);
        push_values(field(row, place)?, column, spec.flavour, &mut value);
        let (name, value) = (quote_name(name), String::from_utf8(value).ok()?);
        condition = if n == 0 {
            format!("{name} {sign}= {value}")
        } else {
            format!("({name} {sign} {value} OR ({name} = {value} AND {condition}))")
        };
    }
    (!condition.is_empty()).then_some(condition)
}
