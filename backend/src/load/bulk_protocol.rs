//! MariaDB's COM_STMT_BULK_EXECUTE: one prepared statement, many rows of parameters.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Params, Value};

use super::lane::{self, Fast, Written, surprise};
use super::sql::{Statements, unescape};
use super::{LoadError, LoadSpec};
use crate::domain::EncodedChunk;

const DOING: &str = "a bulk execute";
/// Beside each value goes a mark and its length.
const OVERHEAD_PER_VALUE: u64 = 10;
/// The driver cuts what does not fit into one packet, and only the last part's answer is seen:
/// batches stay well below.
const PACKET_SHARE: u64 = 2;

/// Sends a chunk in batches, each of which fits one packet so that each answer is seen.
pub(super) async fn send(
    conn: &mut Conn,
    spec: &LoadSpec,
    statements: &Statements,
    chunk: &EncodedChunk,
) -> Result<Fast, LoadError> {
    let statement = conn
        .prep(statements.prepared.as_str())
        .await
        .map_err(|e| LoadError::from_driver(DOING, &e))?;
    let limit = spec.batch_bytes.max(64 << 10).min(spec.max_allowed_packet / PACKET_SHARE);
    let rows_max = spec.batch_rows.map_or(usize::MAX, |r| r.max(1) as usize);
    let columns = spec.columns.len();
    let (mut written, mut next) = (Written::default(), 0);
    while next < chunk.origins.len() {
        spec.cancel.check()?;
        let (first, mut bytes) = (next, 0_u64);
        while next < chunk.origins.len() && next - first < rows_max {
            let more = chunk.row(next).len() as u64 + OVERHEAD_PER_VALUE * columns as u64;
            if next > first && bytes + more > limit {
                break;
            }
            bytes += more;
            next += 1;
        }
        if bytes > spec.max_allowed_packet / PACKET_SHARE {
            return Ok(Fast::Surprise("a row is larger than a packet may be".to_owned()));
        }
        let batch: Vec<Params> = (first..next).map(|i| parameters(chunk.row(i))).collect();
        conn.exec_batch(&statement, batch).await.map_err(|e| LoadError::from_driver(DOING, &e))?;
        let sent = Written { loaded: conn.affected_rows(), skipped: 0, replaced: 0 };
        let warnings = lane::warnings(conn, spec).await?;
        if let Some(why) = surprise(spec, (next - first) as u64, sent, warnings) {
            return Ok(Fast::Surprise(why));
        }
        written.add(sent);
    }
    Ok(Fast::Clean(written))
}

fn parameters(row: &[u8]) -> Params {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    let values = row.split(|b| *b == b'\t').map(|field| {
        if field.contains(&b'\\') {
            unescape(field).map_or(Value::NULL, Value::Bytes)
        } else {
            Value::Bytes(field.to_vec())
        }
    });
    Params::Positional(values.collect())
}
