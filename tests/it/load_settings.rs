//! Roads to the server, and settings that are put back.

use anyhow::{Context as _, Result};
use plimsoll_tests::orders::KeyOrder;
use plimsoll_tests::{Flavour, MortalServer, TestDatabase};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::runs::Given;

const ROWS: u64 = 3_000;

async fn import_over(given: &Given, url: String) -> Result<(Option<i32>, Value)> {
    given.database.run("DROP TABLE IF EXISTS orders").await?;
    let mut words = given.import(&json!({}))?;
    words[3] = url;
    given.plimsoll.json(words)
}

#[tokio::test]
async fn mysqls_passwords_are_understood_on_every_road() -> Result<()> {
    let Some(server) = plimsoll_tests::mysql()? else { return Ok(()) };
    let given = Given::orders(server, ROWS, KeyOrder::Ascending).await?;
    let (name, user) = (given.database.name(), format!("s_{}", given.database.name()));
    for host in ["127.0.0.1", "localhost"] {
        let who = format!("{user}@'{host}'");
        let make =
            format!("CREATE USER {who} IDENTIFIED WITH caching_sha2_password BY 'p@ss w/rd'");
        given.database.run(&make).await?;
        given.database.run(&format!("GRANT ALL ON {name}.* TO {who}")).await?;
    }
    let plain = given.database.url().replacen("root@", &format!("{user}:p%40ss%20w%2Frd@"), 1);
    let socket = server.socket().map(|s| s.display().to_string());
    let roads = [Some(plain.clone()), Some(format!("{plain}?tls=required"))];
    let by_socket = socket.map(|socket| format!("{plain}?socket={socket}"));
    for url in roads.into_iter().chain([by_socket]).flatten() {
        let (code, report) = import_over(&given, url.clone()).await?;
        assert_eq!(code, Some(0), "{url}: {report}");
        given.assert_each_once(ROWS).await?;
    }
    for host in ["127.0.0.1", "localhost"] {
        given.database.run(&format!("DROP USER {user}@'{host}'")).await?;
    }
    Ok(())
}

/// The server's flush policy.
async fn flush(database: &TestDatabase) -> Result<u64> {
    database.value("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relaxed_flush_policy_is_put_back_by_the_run_or_after_its_crash() -> Result<()> {
    let folder = TempDir::with_prefix("plimsoll-flush-")?;
    // A server of its own: the setting is everybody's.
    let server = MortalServer::start_in(folder.path().to_owned(), Flavour::MariaDb)?;
    let server = server.context("no MariaDB")?;
    let given = Given::orders(server.server(), ROWS, KeyOrder::Ascending).await?;
    given.database.run("SET GLOBAL innodb_flush_log_at_trx_commit = 1").await?;
    let options = json!({"relax_flush": true, "chunk_bytes": 65_536});
    let mut killed = given.plimsoll.command(given.import(&options)?);
    let killed = killed.env("PLIMSOLL_FAILPOINT", "before_commit:2=abort").output()?;
    assert_eq!(killed.status.code(), None);
    assert_eq!(flush(&given.database).await?, 2);
    given.plimsoll.serve(&["--sandbox", "off"])?.interrupt()?;
    assert_eq!(flush(&given.database).await?, 1);
    let (_, history) = given.plimsoll.json(["history"])?;
    let run = history["runs"][0]["run_id"].as_str().unwrap_or_default().to_owned();
    let (code, report) = given.plimsoll.json(["resume", &run])?;
    assert_eq!(code, Some(0), "{report}");
    given.assert_each_once(ROWS).await?;
    assert_eq!(flush(&given.database).await?, 1);
    let (code, plan) = given.plimsoll.json({
        let mut words = given.import(&options)?;
        words[0] = "plan".to_owned();
        words
    })?;
    assert_eq!(code, Some(0));
    let told = plan["prechecks"].as_array().is_some_and(|p| {
        p.iter().any(|p| p["name"] == "flush_relaxed" && p["severity"] == "warns")
    });
    assert!(told, "{plan}");
    Ok(())
}
