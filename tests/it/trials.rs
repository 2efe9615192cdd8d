//! Trials and estimates by the command line: measured, swept, learnt from.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use plimsoll_tests::orders::KeyOrder;
use serde_json::Value;

use super::runs::Given;

const ROWS: u64 = 60_000;

fn race(given: &Given) -> Vec<String> {
    let (file, url) = (given.file.to_string_lossy(), given.database.url());
    ["trial", &file, "--to", &url, "--table", "orders"].map(str::to_owned).to_vec()
}

fn ladder(given: &Given, seconds: &str) -> Vec<String> {
    let url = given.database.url();
    ["trial", "--ladder", "--to", &url, "--seconds", seconds, "--rows", "20000"]
        .map(str::to_owned)
        .to_vec()
}

fn estimate(given: &Given, more: &[&str]) -> Result<Value> {
    let url = given.database.url();
    let mut words = vec!["estimate", "--to", &url];
    words.extend(more);
    let (code, answer) = given.plimsoll.json(words)?;
    assert_eq!(code, Some(0), "{answer}");
    Ok(answer)
}

#[tokio::test]
async fn a_race_is_measured_swept_kept_out_of_the_history_and_learnt_from() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, ROWS, KeyOrder::Scattered).await?;
        given.table(true).await?;
        let before = estimate(&given, &["--rows", "1M", "--random"])?;
        let basis = before["estimate"]["basis"].as_str().unwrap_or_default();
        assert!(basis.contains("no run on this server yet"), "{basis}");

        let (code, trial) = given.plimsoll.json(race(&given))?;
        assert_eq!(code, Some(0), "{trial}");
        let results = trial["results"].as_array().unwrap();
        assert!(results.len() >= 3, "{trial}");
        let timed = results.iter().filter(|r| r["rows_per_sec"].as_f64() > Some(0.0)).count();
        assert!(timed >= 2, "{trial}");
        assert!(results.iter().any(|r| r["whole"]["expected_ms"].as_u64() > Some(0)));
        assert!(!trial["words"].as_array().unwrap().is_empty());

        given.assert_swept().await?;
        assert_eq!(given.database.count("orders").await?, 0, "the table itself is untouched");
        let (_, history) = given.plimsoll.json(["history"])?;
        assert_eq!(history["total"], 0, "{history}");
        let after = estimate(&given, &["--rows", "1M", "--random"])?;
        let basis = after["estimate"]["basis"].as_str().unwrap_or_default();
        assert!(basis.contains("trial load"), "{basis}");
    }
    Ok(())
}

#[tokio::test]
async fn a_race_for_a_new_table_leaves_none_behind() -> Result<()> {
    let given = Given::orders(plimsoll_tests::mariadb()?, ROWS, KeyOrder::Ascending).await?;
    let (code, trial) = given.plimsoll.json(race(&given))?;
    assert_eq!(code, Some(0), "{trial}");
    given.assert_swept().await?;
    let tables = given.database.rows("SHOW TABLES").await?;
    assert!(tables.is_empty(), "{tables:?}");
    Ok(())
}

#[tokio::test]
async fn the_ladder_goes_from_row_by_row_up() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 10, KeyOrder::Ascending).await?;
        let (code, trial) = given.plimsoll.json(ladder(&given, "60"))?;
        assert_eq!(code, Some(0), "{trial}");
        let results = trial["results"].as_array().unwrap();
        let rate = |title: &str| {
            let found = results.iter().find(|r| r["title"] == title);
            found.and_then(|r| r["rows_per_sec"].as_f64()).unwrap_or_default()
        };
        let slow = rate("A row and a commit at a time");
        // A rung that takes more than its share is given up and has no rate.
        assert!(rate("100 rows a statement") > 2.0 * slow, "{trial}");
        assert!(rate("LOAD DATA, a commit a chunk") > 2.0 * slow, "{trial}");
        given.assert_swept().await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_a_killed_trial_left_is_swept_by_the_next() -> Result<()> {
    let given = Given::orders(plimsoll_tests::mariadb()?, 10, KeyOrder::Ascending).await?;
    let mut child = given
        .plimsoll
        .command(ladder(&given, "60"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let deadline = Instant::now() + Duration::from_secs(40);
    loop {
        let tables = given.database.rows("SHOW TABLES LIKE '\\_plimsoll\\_t\\_%'").await?;
        if !tables.is_empty() {
            break;
        }
        if Instant::now() > deadline {
            bail!("the trial never made a table");
        }
        tokio::task::yield_now().await;
    }
    child.kill()?;
    child.wait()?;
    let (code, trial) = given.plimsoll.json(ladder(&given, "2"))?;
    assert_eq!(code, Some(0), "{trial}");
    given.assert_swept().await
}

#[tokio::test]
async fn a_question_without_a_file_is_answered() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 10, KeyOrder::Ascending).await?;
        let answer = estimate(
            &given,
            &["--rows", "200M", "--row-bytes", "95", "--indexes", "3", "--random"],
        )?;
        let first = &answer["estimate"];
        let low_to_high = ["low_ms", "expected_ms", "high_ms"].map(|n| first[n].as_u64().unwrap());
        assert!(low_to_high.is_sorted(), "{first}");
        assert_eq!(answer["choice"]["order"], "sort_by_primary_key");
        assert!(answer["disk"]["data_bytes"].as_u64() > Some(10_000_000_000), "{answer}");
        assert_eq!(answer["bend_unsorted"]["reached"], true, "{answer}");
        assert!(answer["curve"].as_array().unwrap().len() > 10);
        let window = ["--rows", "1k", "--start", "22:00", "--by", "06:00"];
        let answer = estimate(&given, &window)?;
        assert_eq!(answer["window"]["within_ms"], 8 * 3_600_000);
        assert!(answer["window"]["chance"].as_f64() > Some(0.99), "{answer}");
    }
    Ok(())
}

#[tokio::test]
async fn predicted_and_actual_stand_side_by_side_and_odd_runs_can_be_left_out() -> Result<()> {
    let given = Given::orders(plimsoll_tests::mariadb()?, 5_000, KeyOrder::Ascending).await?;
    given.table(false).await?;
    let (code, report) = given.plimsoll.json(given.import(&serde_json::json!({}))?)?;
    assert_eq!(code, Some(0), "{report}");
    let run = report["run_id"].as_str().unwrap();
    let (_, check) = given.plimsoll.json(["estimate", "--check"])?;
    assert_eq!(check["targets"][0]["runs"], 1, "{check}");
    assert_eq!(check["runs"][0]["run_id"], run);
    assert!(check["runs"][0]["actual_ms"].as_u64() > Some(0));
    let (_, check) = given.plimsoll.json(["estimate", "--leave-out", run])?;
    assert_eq!(check["runs"][0]["left_out"], true);
    assert_eq!(check["targets"].as_array().unwrap().len(), 0, "{check}");
    let answer = estimate(&given, &["--rows", "1M"])?;
    let basis = answer["estimate"]["basis"].as_str().unwrap_or_default();
    assert!(basis.contains("no run on this server yet"), "{basis}");
    let (_, check) = given.plimsoll.json(["estimate", "--take-back", run])?;
    assert_eq!(check["runs"][0]["left_out"], false);
    let answer = estimate(&given, &["--rows", "1M"])?;
    assert_eq!(answer["estimate"]["basis"], "from 1 run on this server");
    Ok(())
}
