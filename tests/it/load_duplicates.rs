//! Repeated keys end as one loader reading in file order would leave them, whatever the workers,
//! and under the column's own collation.

use std::fmt::Write as _;

use anyhow::Result;
use mysql_async::prelude::Queryable as _;
use plimsoll_tests::orders::KeyOrder;
use plimsoll_tests::{TestDatabase, TestServer};
use serde_json::json;

use super::runs::Given;

const TABLE: &str = "(k VARCHAR(20) CHARACTER SET utf8mb4 PRIMARY KEY, n INT, v INT, \
                     UNIQUE KEY uq (n))";
const ROWS: u64 = 1_500;

/// Rows with keys that repeat, also in another case.
fn rows() -> Vec<(String, u64, u64)> {
    (0..ROWS)
        .map(|i| {
            let word = format!("Word{}", i * 7_919 % 1_100);
            let k = if i % 3 == 0 { word.to_uppercase() } else { word };
            (k, i * 104_729 % 1_300, i)
        })
        .collect()
}

/// What one loader leaves that sends row after row.
async fn one_by_one(database: &TestDatabase, rule: &str) -> Result<u64> {
    let (verb, tail) = match rule {
        "skip" => ("INSERT", " ON DUPLICATE KEY UPDATE expected.k = expected.k"),
        "replace" => ("REPLACE", ""),
        "update" => {
            ("INSERT", " ON DUPLICATE KEY UPDATE k = VALUES(k), n = VALUES(n), v = VALUES(v)")
        }
        _ => ("INSERT", ""),
    };
    let mut conn = database.connect().await?;
    conn.query_drop(format!("CREATE TABLE expected {TABLE}")).await?;
    conn.query_drop("START TRANSACTION").await?;
    let mut refused = 0;
    for (k, n, v) in rows() {
        let sent =
            conn.query_drop(format!("{verb} INTO expected VALUES ('{k}', {n}, {v}){tail}")).await;
        match sent {
            Err(mysql_async::Error::Server(e)) if e.code == 1062 => refused += 1,
            other => other?,
        }
    }
    conn.query_drop("COMMIT").await?;
    conn.disconnect().await?;
    Ok(refused)
}

async fn check(server: &'static TestServer, rule: &str, visibility: &str) -> Result<()> {
    for workers in [1, 8] {
        let given = Given::orders(server, 1, KeyOrder::Ascending).await?;
        let mut text = "k,n,v\n".to_owned();
        for (k, n, v) in rows() {
            writeln!(text, "{k},{n},{v}")?;
        }
        std::fs::write(&given.file, text)?;
        given.database.run(&format!("CREATE TABLE orders {TABLE}")).await?;
        let refused = one_by_one(&given.database, rule).await?;
        let options = json!({
            "on_duplicate": rule, "on_error": "reject", "visibility": visibility,
            "workers": workers, "chunk_bytes": 4_096,
        });
        let (_, report) = given.plimsoll.json(given.import(&options)?)?;
        let what = format!("{rule} {visibility} {workers}");
        assert_eq!(report["rows_rejected"], refused, "{what}: {report}");
        let all = |table: &str| format!("SELECT BINARY k, n, v FROM {table} ORDER BY k, n");
        let (got, want) = (
            given.database.rows(&all("orders")).await?,
            given.database.rows(&all("expected")).await?,
        );
        assert!(got == want, "{what}: {} rows, {} wanted", got.len(), want.len());
    }
    Ok(())
}

#[tokio::test]
async fn one_worker_and_eight_end_as_one_loader_would() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        for rule in ["reject", "skip", "replace", "update"] {
            for visibility in ["all_at_once", "as_they_arrive"] {
                check(server, rule, visibility).await?;
            }
        }
    }
    Ok(())
}
