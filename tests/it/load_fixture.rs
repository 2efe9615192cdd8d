//! What the tests of the load share: chunks by hand, and a run's loader on a test database.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use plimsoll::domain::{EncodedChunk, RowOrigin, WireColumn, Wrap};
use plimsoll::load::{Ledger, LoadSpec, server_files};
use plimsoll::target::{self, TargetSpec};
use plimsoll_tests::TestDatabase;
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::target::TableFacts;

/// The run of every test: a database holds one run only.
pub const RUN: &str = "01TEST";

/// A chunk of rows in the canonical form, numbered on from `first_row`.
pub fn chunk<R: AsRef<str>>(index: u64, first_row: u64, rows: &[R]) -> Arc<EncodedChunk> {
    let mut chunk = EncodedChunk { index, ..EncodedChunk::default() };
    for (i, row) in rows.iter().enumerate() {
        let (row, number) = (row.as_ref(), first_row + i as u64);
        chunk.data.extend_from_slice(row.as_bytes());
        chunk.data.push(b'\n');
        let raw_start = chunk.raw.len() as u32;
        chunk.raw.extend_from_slice(row.replace('\t', ",").as_bytes());
        chunk.raw.push(b'\n');
        chunk.origins.push(RowOrigin {
            row: number,
            line: number + 1,
            end: chunk.data.len() as u32,
            raw_start,
            raw_end: chunk.raw.len() as u32,
        });
    }
    chunk.rows_read = rows.len() as u64;
    Arc::new(chunk)
}

/// Plain columns.
pub fn columns(names: &[&str]) -> Vec<WireColumn> {
    names.iter().map(|n| WireColumn::text(*n, Wrap::Plain)).collect()
}

/// A choice with nothing special about it.
pub fn choice(strategy: Strategy, on_duplicate: OnDuplicate) -> Choice {
    Choice {
        engine: "InnoDB".into(),
        strategy,
        order: Order::AsIs,
        index_policy: IndexPolicy::Keep,
        visibility: Visibility::AsTheyArrive,
        mode: Mode::Append,
        on_duplicate,
        on_error: OnError::Reject,
        workers: 1,
        chunk_bytes: 1 << 20,
        batch_bytes: 64 << 10,
        batch_rows: None,
        check_first: false,
    }
}

/// How the test's own target is reached.
pub fn target_of(database: &TestDatabase) -> Result<TargetSpec> {
    Ok(TargetSpec::from_url(&database.url())?)
}

/// What is known of a table of the test.
pub async fn facts(database: &TestDatabase, table: &str) -> Result<TableFacts> {
    let mut conn = database.connect().await?;
    let facts = target::table_facts(&mut conn, database.name(), table).await?;
    facts.with_context(|| format!("no table {table}"))
}

/// The spec for a table, its ledger made.
pub async fn spec(
    database: &TestDatabase,
    table: &str,
    names: &[&str],
    choice: &Choice,
) -> Result<LoadSpec> {
    let target = target_of(database)?;
    let mut conn = target::connect(&target).await?;
    let capabilities = target::capabilities(&mut conn).await?;
    let facts = facts(database, table).await?;
    let mut spec = LoadSpec::new(&target, &facts, columns(names), choice, &capabilities, RUN);
    spec.server_files = server_files::probe(&mut conn, &capabilities).await?;
    let engine = if spec.transactional { facts.engine.as_str() } else { "InnoDB" };
    Ledger::of_run(database.name(), RUN).create(&mut conn, engine).await?;
    Ok(spec)
}
