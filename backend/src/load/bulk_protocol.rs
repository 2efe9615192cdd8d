//! MariaDB's COM_STMT_BULK_EXECUTE: one prepared statement, many rows of parameters.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Params, Value};

use super::lane::{self, Fast, Written, surprise};
use super::sql::Statements;
use super::{LoadError, LoadSpec};
use crate::domain::{EncodedChunk, Form, NULL, WireColumn, unescape};

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
        let rows = (first..next).map(|i| parameters(chunk.row(i), &spec.columns));
        let Some(batch) = rows.collect::<Option<Vec<Params>>>() else {
            return Ok(Fast::Surprise("a value is not of its column's form".to_owned()));
        };
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

/// The values of a row; none where one is not of its column's form.
fn parameters(row: &[u8], columns: &[WireColumn]) -> Option<Params> {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    let mut values = Vec::with_capacity(columns.len());
    for (field, column) in row.split(|b| *b == b'\t').zip(columns) {
        values.push(if field == NULL {
            Value::NULL
        } else {
            match column.form {
                Form::Integer => integer(field)?,
                Form::Moment => moment(field)?,
                Form::Text => Value::Bytes(unescape(field)?.into_owned()),
            }
        });
    }
    Some(Params::Positional(values))
}

fn integer(field: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(field).ok()?;
    text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::UInt)).ok()
}

/// `2026-11-30 23:59:59`, with up to six digits of a second's fraction behind a point.
fn moment(field: &[u8]) -> Option<Value> {
    let number = |at: usize, len: usize| {
        let digits = field.get(at..at + len)?;
        digits
            .iter()
            .try_fold(0_u16, |n, b| b.is_ascii_digit().then(|| n * 10 + u16::from(b - b'0')))
    };
    let small = |at: usize| number(at, 2).and_then(|n| u8::try_from(n).ok());
    let apart = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    if apart.iter().any(|(at, mark)| field.get(*at) != Some(mark)) {
        return None;
    }
    let micros = match field.get(19..)? {
        [] => 0,
        [b'.', fraction @ ..] if matches!(fraction.len(), 1..=6) => {
            let text = std::str::from_utf8(fraction).ok()?;
            text.parse::<u32>().ok()? * 10_u32.pow(6 - fraction.len() as u32)
        }
        _ => return None,
    };
    let (year, month, day) = (number(0, 4)?, small(5)?, small(8)?);
    Some(Value::Date(year, month, day, small(11)?, small(14)?, small(17)?, micros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Wrap;

    #[test]
    fn fields_become_values_of_their_columns_form() {
        let column = |form| WireColumn { name: "c".into(), wrap: Wrap::Plain, form };
        let columns = [column(Form::Integer), column(Form::Moment), column(Form::Text)];
        let values = |row: &[u8]| match parameters(row, &columns)? {
            Params::Positional(values) => Some(values),
            _ => None,
        };
        let date = Value::Date(2026, 11, 30, 23, 59, 1, 500_000);
        let text = Value::Bytes(b"a\tb".to_vec());
        assert_eq!(
            values(b"-7\t2026-11-30 23:59:01.5\ta\\tb\n"),
            Some(vec![Value::Int(-7), date, text])
        );
        let zero = Value::Date(0, 0, 0, 0, 0, 0, 0);
        let large = Value::UInt(u64::MAX);
        assert_eq!(
            values(b"18446744073709551615\t0000-00-00 00:00:00\t\\N\n"),
            Some(vec![large, zero, Value::NULL])
        );
        assert_eq!(values(b"1.5\t2026-11-30 23:59:01\tx\n"), None);
        assert_eq!(values(b"1\t2026-11-30\tx\n"), None);
        assert_eq!(values(b"1\t2026-11-30 23:59:01.\tx\n"), None);
    }
}
