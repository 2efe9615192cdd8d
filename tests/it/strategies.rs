//! Each strategy on each engine that has it, by the command line: whole files, named duplicates,
//! and named reasons where it cannot be had.

use anyhow::Result;
use plimsoll_tests::orders::KeyOrder;
use plimsoll_tests::{Flavour, TestServer, orders};
use serde_json::{Value, json};

use super::runs::{Given, replace_row};

const ROWS: u64 = 4_000;

/// Engines of the test's server that have the strategy.
fn engines(server: &TestServer, strategy: &str) -> Vec<&'static str> {
    match (server.flavour(), strategy) {
        (Flavour::MySql, "engine_bulk" | "bulk_protocol") => vec![],
        (Flavour::MySql, _) => vec!["InnoDB"],
        (Flavour::MariaDb, "row_by_row" | "single_transaction") => vec!["InnoDB", "Aria"],
        (Flavour::MariaDb, _) => vec!["InnoDB", "ROCKSDB", "Aria", "MyISAM"],
    }
}

const STRATEGIES: [&str; 7] = [
    "load_data",
    "load_data_server",
    "engine_bulk",
    "bulk_protocol",
    "insert",
    "single_transaction",
    "row_by_row",
];

async fn given(server: &'static TestServer, engine: &str) -> Result<Given> {
    let given = Given::orders(server, ROWS, KeyOrder::Scattered).await?;
    let (columns, indexes) = (orders::COLUMNS, orders::INDEXES);
    let statement = format!("CREATE TABLE orders ({columns}, {indexes}) ENGINE={engine}");
    given.database.run(&statement).await?;
    Ok(given)
}

async fn assert_indexes(given: &Given) -> Result<()> {
    let found = given.database.rows("SHOW INDEX FROM orders WHERE Seq_in_index = 1").await?;
    assert_eq!(found.len(), 4, "{found:?}");
    Ok(())
}

#[tokio::test]
async fn whole_files_arrive_by_every_strategy_on_every_engine() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        for strategy in STRATEGIES {
            for engine in engines(server, strategy) {
                let given = given(server, engine).await?;
                let options = json!({"strategy": strategy, "chunk_bytes": 65_536, "workers": 3});
                let (code, report) = given.plimsoll.json(given.import(&options)?)?;
                assert_eq!(code, Some(0), "{strategy} {engine}: {report}");
                assert_eq!(report["plan"]["strategy"], strategy, "{engine}");
                assert_eq!(report["rows_loaded"], ROWS, "{strategy} {engine}");
                given.assert_each_once(ROWS).await?;
                assert_indexes(&given).await?;
                given.assert_swept().await?;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn records_that_a_bulk_loader_cannot_name_are_named_all_the_same() -> Result<()> {
    let server = plimsoll_tests::mariadb()?;
    for strategy in ["engine_bulk", "load_data", "insert"] {
        for engine in engines(server, strategy) {
            let given = given(server, engine).await?;
            let id = orders::id(99, ROWS, KeyOrder::Scattered);
            let rest = "Oslo,1.00,4,2026-01-01 00:00:00,x";
            let other = orders::id(699, ROWS, KeyOrder::Scattered);
            replace_row(&given.file, 700, &format!("{other},user{id}@example.com,{rest}"))?;
            replace_row(&given.file, 2_500, &format!("{id},z@example.com,{rest}"))?;
            let options = json!({
                "strategy": strategy, "chunk_bytes": 65_536, "on_error": "reject",
            });
            let (code, report) = given.plimsoll.json(given.import(&options)?)?;
            assert_eq!(code, Some(3), "{strategy} {engine}: {report}");
            let named: Vec<_> = report["rejects"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|r| (r["row"].as_u64(), r["key"].as_str()))
                .collect();
            let want = [(Some(700), Some("uq_email")), (Some(2_500), Some("PRIMARY"))];
            assert_eq!(named, want, "{strategy} {engine}: {report}");
            assert_eq!(given.database.count("orders").await?, ROWS - 2, "{strategy} {engine}");
            assert_indexes(&given).await?;
            given.assert_swept().await?;
        }
    }
    Ok(())
}

/// The finding that stops an import with these options.
fn stops(given: &Given, options: &Value) -> Result<String> {
    let (code, report) = given.plimsoll.json(given.import(options)?)?;
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(report["error"]["code"], "bad_option", "{report}");
    assert!(
        report["error"]["hint"].as_str().is_some_and(|h| h.to_lowercase().contains("choose")),
        "{report}"
    );
    let mut words = given.import(options)?;
    words[0] = "plan".to_owned();
    let (_, plan) = given.plimsoll.json(words)?;
    let findings = plan["prechecks"].as_array().cloned().unwrap_or_default();
    let stop = findings.iter().find(|p| p["severity"] == "stops");
    let stop = stop.unwrap_or_else(|| panic!("nothing stops: {plan}"));
    assert_eq!(stop["finding"], report["error"]["message"]);
    Ok(stop["name"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn what_a_server_or_an_engine_does_not_have_is_said_beforehand() -> Result<()> {
    if let Some(mysql) = plimsoll_tests::mysql()? {
        let given = given(mysql, "InnoDB").await?;
        let bulk = json!({"strategy": "bulk_protocol"});
        assert_eq!(stops(&given, &bulk)?, "bulk_protocol_mariadb_only");
        let bulk = json!({"strategy": "engine_bulk"});
        assert_eq!(stops(&given, &bulk)?, "engine_bulk_version");
        assert_eq!(given.database.count("orders").await?, 0);
    }
    let mariadb = plimsoll_tests::mariadb()?;
    let given_rocks = given(mariadb, "ROCKSDB").await?;
    let keep = json!({"strategy": "engine_bulk", "index_policy": "keep"});
    assert_eq!(stops(&given_rocks, &keep)?, "engine_bulk_indexes");
    let skip = json!({"strategy": "engine_bulk", "on_duplicate": "skip"});
    assert_eq!(stops(&given_rocks, &skip)?, "engine_bulk_duplicates");
    // Rows that stay could lie between those of the file, where an unsettled chunk is removed.
    given_rocks.database.run("INSERT INTO orders (id, email) VALUES (2, 'theirs')").await?;
    let bulk = json!({"strategy": "engine_bulk"});
    assert_eq!(stops(&given_rocks, &bulk)?, "engine_bulk_indexes");
    let direct = json!({"strategy": "engine_bulk", "visibility": "as_they_arrive"});
    assert_eq!(stops(&given_rocks, &direct)?, "engine_bulk_needs_staging");
    assert_eq!(given_rocks.database.count("orders").await?, 1);
    let given_memory = given(mariadb, "MEMORY").await?;
    assert_eq!(stops(&given_memory, &bulk)?, "engine_bulk_not_there");
    Ok(())
}

#[tokio::test]
async fn a_user_without_the_right_is_told_which() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = given(server, "InnoDB").await?;
        let user = format!("u_{}", given.database.name());
        let database = given.database.name();
        given
            .database
            .run(&format!("CREATE USER {user}@'127.0.0.1' IDENTIFIED BY 'secret'"))
            .await?;
        given.database.run(&format!("GRANT ALL ON {database}.* TO {user}@'127.0.0.1'")).await?;
        let options = json!({"strategy": "load_data_server"});
        let mut words = given.import(&options)?;
        let url = given.database.url().replacen("root@", &format!("{user}:secret@"), 1);
        words[3] = url;
        let (code, report) = given.plimsoll.json(words)?;
        assert_eq!(code, Some(1), "{report}");
        assert!(
            report["error"]["message"].as_str().is_some_and(|m| m.contains("FILE")),
            "{report}"
        );
        given.database.run(&format!("DROP USER {user}@'127.0.0.1'")).await?;
    }
    Ok(())
}
