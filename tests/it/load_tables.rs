//! Tables with everything that hangs on them come out as they went in.

use anyhow::{Context as _, Result};
use mysql_async::prelude::Queryable as _;
use plimsoll_tests::orders::KeyOrder;
use plimsoll_tests::{Flavour, TestDatabase, TestServer};
use serde_json::json;

use super::runs::Given;

const ROWS: u64 = 3_000;

fn odd_table(server: &TestServer) -> String {
    // MySQL gives a CHECK of a table made LIKE another a name of its own making.
    let (hidden, more, check) = match server.flavour() {
        Flavour::MariaDb => ("IGNORED", "", "CONSTRAINT ck "),
        Flavour::MySql => ("INVISIBLE", ", KEY fun ((UPPER(city)), id)", ""),
    };
    format!(
        "CREATE TABLE orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(64) NOT NULL, \
         city VARCHAR(32), amount DECIMAL(12,2), level INT, created_at DATETIME, \
         note VARCHAR(100) COMMENT 'what: it''s', \
         net DECIMAL(12,2) GENERATED ALWAYS AS (amount / 2) STORED, \
         day INT GENERATED ALWAYS AS (DAYOFYEAR(created_at)) VIRTUAL, \
         UNIQUE KEY `odd ``name` (email) COMMENT 'one, (two)', KEY pre (note(10), city DESC), \
         KEY gen (net), KEY virt (day), KEY hid (level) {hidden}, FULLTEXT KEY ft (note){more}, \
         {check}CHECK (level < 1000)) COMMENT='kept' AUTO_INCREMENT=500000"
    )
}

/// SHOW CREATE TABLE, but for the order of its lines and the next number.
async fn definition(database: &TestDatabase) -> Result<Vec<String>> {
    let mut conn = database.connect().await?;
    let row: Option<(String, String)> = conn.query_first("SHOW CREATE TABLE orders").await?;
    conn.disconnect().await?;
    let (_, text) = row.context("no table")?;
    let mut lines: Vec<String> = text
        .lines()
        .map(|l| l.trim_end_matches(',').to_owned())
        .map(|l| {
            l.split(' ').filter(|w| !w.starts_with("AUTO_INCREMENT=")).collect::<Vec<_>>().join(" ")
        })
        .collect();
    lines.sort();
    Ok(lines)
}

#[tokio::test]
async fn indexes_of_every_kind_and_generated_columns_come_back() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        for rows_before in [0, 1] {
            let given = Given::orders(server, ROWS, KeyOrder::Scattered).await?;
            given.database.run(&odd_table(server)).await?;
            if rows_before == 1 {
                given.database.run("INSERT INTO orders (id, email) VALUES (400000, 'x')").await?;
            }
            let before = definition(&given.database).await?;
            let options = json!({"index_policy": "drop_and_rebuild", "on_error": "reject"});
            let (code, report) = given.plimsoll.json(given.import(&options)?)?;
            assert_eq!(code, Some(0), "{report}");
            assert_eq!(report["plan"]["index_policy"], "drop_and_rebuild");
            assert_eq!(definition(&given.database).await?, before);
            let halves: u64 = given
                .database
                .value("SELECT COUNT(*) FROM orders WHERE ABS(net - amount / 2) < 0.01")
                .await?;
            assert_eq!(halves, ROWS);
            given.database.run("INSERT INTO orders (email) VALUES ('next')").await?;
            let next: u64 =
                given.database.value("SELECT id FROM orders WHERE email = 'next'").await?;
            assert!(next >= 500_000, "numbering goes on, and not at {next}");
            given.assert_swept().await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn contents_are_replaced_under_foreign_keys_and_triggers() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, ROWS, KeyOrder::Scattered).await?;
        given.table(true).await?;
        given
            .database
            .run("INSERT INTO orders (id, email) VALUES (7, 'old'), (900000, 'gone')")
            .await?;
        given
            .database
            .run("CREATE TABLE items (o BIGINT, FOREIGN KEY (o) REFERENCES orders (id) ON DELETE SET NULL)")
            .await?;
        given.database.run("INSERT INTO items VALUES (900000)").await?;
        given.database.run("CREATE TABLE seen (n INT PRIMARY KEY AUTO_INCREMENT)").await?;
        given
            .database
            .run("CREATE TRIGGER ai AFTER INSERT ON orders FOR EACH ROW INSERT INTO seen VALUES ()")
            .await?;
        let before = definition(&given.database).await?;
        let (code, report) = given.plimsoll.json(given.import(&json!({"mode": "replace"}))?)?;
        assert_eq!(code, Some(0), "{report}");
        given.assert_each_once(ROWS).await?;
        assert_eq!(given.database.count("seen").await?, ROWS, "the trigger fired once a row");
        let orphans: u64 =
            given.database.value("SELECT COUNT(*) FROM items WHERE o IS NULL").await?;
        assert_eq!(orphans, 1, "the children's own rule holds");
        assert_eq!(definition(&given.database).await?, before);
        given.assert_swept().await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_a_dead_run_left_goes_by_the_rule() -> Result<()> {
    let server = plimsoll_tests::mariadb()?;
    let given = Given::orders(server, ROWS, KeyOrder::Ascending).await?;
    given.table(true).await?;
    let options = json!({"chunk_bytes": 65_536});
    let mut killed = given.plimsoll.command(given.import(&options)?);
    killed.env("PLIMSOLL_FAILPOINT", "after_commit:2=abort").output()?;
    let helpers = "SHOW TABLES LIKE '\\_plimsoll%'";
    assert_eq!(given.database.rows(helpers).await?.len(), 2, "a staging table and a ledger");
    // It can be resumed, so it is waited for.
    let (code, swept) = given.plimsoll.json(["sweep"])?;
    assert_eq!((code, &swept["swept"]), (Some(0), &json!([])), "{swept}");
    assert_eq!(given.database.rows(helpers).await?.len(), 2);
    let (code, swept) = given.plimsoll.json(["sweep", "--older-than", "0"])?;
    assert_eq!((code, &swept["swept"][0]["done"]), (Some(0), &json!(true)), "{swept}");
    given.assert_swept().await?;
    let (_, history) = given.plimsoll.json(["history"])?;
    let run = &history["runs"][0];
    assert_eq!((&run["status"], &run["resumable"]), (&json!("interrupted"), &json!(false)));
    assert!(run["outcome"].as_str().is_some_and(|o| o.contains("as it was")), "{run}");
    let output = given.plimsoll.run(["resume", run["run_id"].as_str().unwrap_or_default()])?;
    assert_eq!(output.status.code(), Some(1));
    let (_, again) = given.plimsoll.json(["sweep", "--older-than", "0"])?;
    assert_eq!(again["swept"], json!([]), "nothing is left to sweep");
    Ok(())
}

#[tokio::test]
async fn a_sample_is_read_back_and_a_row_that_was_changed_is_noticed() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        for change in ["", "SET NEW.city = 'Elsewhere'"] {
            let given = Given::orders(server, ROWS, KeyOrder::Scattered).await?;
            given.table(true).await?;
            if !change.is_empty() {
                let trigger = "CREATE TRIGGER bi BEFORE INSERT ON orders FOR EACH ROW";
                given.database.run(&format!("{trigger} {change}")).await?;
            }
            let options = json!({
                "verify_sample": 200, "chunk_bytes": 65_536, "visibility": "as_they_arrive",
            });
            let (code, report) = given.plimsoll.json(given.import(&options)?)?;
            if change.is_empty() {
                assert_eq!(code, Some(0), "{report}");
            } else {
                assert_eq!(code, Some(1), "{report}");
                assert_eq!(report["error"]["code"], "verify_failed", "{report}");
            }
        }
    }
    Ok(())
}
