//! LOAD DATA: from memory by LOCAL, or from a file that the server itself reads.

use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::plan::OnDuplicate;

use super::insert::number_after;
use super::lane::{self, Fast, Written};
use super::sql::{Statements, load_from_server};
use super::{Cancel, LoadError, LoadSpec, failpoint, server_files};
use crate::domain::{EncodedChunk, ServerFiles};

const DOING: &str = "LOAD DATA";
/// Bytes given to the driver at once: it flushes after each, and from 16 KB to 1 MB there is no
/// measurable difference.
const ITEM_BYTES: usize = 256 << 10;
const DUPLICATE: u16 = 1062;
/// The server keeps this many warnings at most.
const WARNINGS_MAX: u64 = 65_000;

/// The rows of a chunk as shared bytes, without a copy.
struct Rows(Arc<EncodedChunk>);

impl AsRef<[u8]> for Rows {
    fn as_ref(&self) -> &[u8] {
        &self.0.data
    }
}

/// Items of a chunk's rows; ends with an error once the run is cancelled, so that a server that
/// reads slowly is not fed to the end.
pub(super) fn items(
    chunk: &Arc<EncodedChunk>,
    cancel: Cancel,
) -> impl Iterator<Item = io::Result<Bytes>> + Send + 'static {
    let rows = Bytes::from_owner(Rows(Arc::clone(chunk)));
    (0..rows.len()).step_by(ITEM_BYTES).map(move |at| {
        if cancel.is_set() {
            return Err(io::Error::other("cancelled"));
        }
        Ok(rows.slice(at..rows.len().min(at + ITEM_BYTES)))
    })
}

/// Sends a chunk by LOAD DATA LOCAL. LOCAL means IGNORE: nothing of what it says is taken for a
/// success unless every count is as it should be.
pub(super) async fn local(
    conn: &mut Conn,
    spec: &LoadSpec,
    statements: &Statements,
    chunk: &Arc<EncodedChunk>,
) -> Result<Fast, LoadError> {
    let items = items(chunk, spec.cancel.clone());
    conn.set_infile_handler(async move { Ok(stream::iter(items).boxed()) });
    conn.query_drop(statements.load_local.as_str())
        .await
        .map_err(|e| LoadError::from_driver(DOING, &e))?;
    judge(conn, spec, chunk.rows()).await
}

/// Compares the server's counts with ours.
pub(super) async fn judge(conn: &mut Conn, spec: &LoadSpec, rows: u64) -> Result<Fast, LoadError> {
    let info = conn.info().into_owned();
    let number = |word: &str| number_after(&info, word).unwrap_or(u64::MAX);
    let (records, deleted) = (number("Records:"), number("Deleted:"));
    let (skipped, told) = (number("Skipped:"), number("Warnings:"));
    let warnings = match told {
        0 => 0,
        _ if lane::warnings(conn, spec).await? == 0 => 0,
        told => told,
    };
    let surprise = || Ok(Fast::Surprise(format!("{rows} rows were sent, the server says: {info}")));
    if records != rows {
        return surprise();
    }
    match spec.on_duplicate {
        OnDuplicate::Reject | OnDuplicate::Update => match (deleted, skipped, warnings) {
            (0, 0, 0) => Ok(Fast::Clean(Written { loaded: rows, skipped: 0, replaced: 0 })),
            _ => surprise(),
        },
        OnDuplicate::Replace => match (skipped, warnings) {
            (0, 0) => Ok(Fast::Clean(Written { loaded: rows, skipped: 0, replaced: deleted })),
            _ => surprise(),
        },
        OnDuplicate::Skip => {
            // Each row passed over has a warning of its own, and no other is among them.
            let told = skipped == warnings && warnings <= WARNINGS_MAX && deleted == 0;
            if told && (warnings == 0 || only_duplicates(conn, warnings).await?) {
                let loaded = rows - skipped;
                return Ok(Fast::Clean(Written { loaded, skipped, replaced: 0 }));
            }
            surprise()
        }
    }
}

async fn only_duplicates(conn: &mut Conn, count: u64) -> Result<bool, LoadError> {
    let rows: Vec<(String, u16, String)> =
        conn.query("SHOW WARNINGS").await.map_err(|e| LoadError::from_driver(DOING, &e))?;
    Ok(rows.len() as u64 == count && rows.iter().all(|(_, code, _)| *code == DUPLICATE))
}

/// Writes the chunk where the server can read it, and lets it. Without LOCAL the strict mode
/// holds, so that a bad value is an error and not a warning.
pub(super) async fn from_server(
    conn: &mut Conn,
    spec: &LoadSpec,
    chunk: &Arc<EncodedChunk>,
) -> Result<Fast, LoadError> {
    let (folder, prefix) = (folder(spec)?.to_owned(), spec.file_prefix.clone());
    let rows = Arc::clone(chunk);
    let file =
        tokio::task::spawn_blocking(move || server_files::write(&folder, &prefix, &rows.data));
    let file = file.await.map_err(io::Error::other)??;
    failpoint::hit("after_server_file");
    let path = file.path().to_string_lossy().into_owned();
    let statement = load_from_server(spec, &path);
    conn.query_drop(statement).await.map_err(|e| LoadError::from_driver(DOING, &e))?;
    judge(conn, spec, chunk.rows()).await
}

/// The folder from which the server reads.
pub(super) fn folder(spec: &LoadSpec) -> Result<&Path, LoadError> {
    match &spec.server_files {
        ServerFiles::Folder(folder) => Ok(folder),
        ServerFiles::Off | ServerFiles::NoRight | ServerFiles::NotShared(_) => {
            Err(LoadError::Unfit("The server reads no files: choose load_data.".to_owned()))
        }
    }
}
