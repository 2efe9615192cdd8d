//! Whole imports by the command line: every row in, or a plain account of which not.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use plimsoll_tests::orders::{self, KeyOrder};
use plimsoll_tests::{Plimsoll, TestDatabase};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A file, a database and the program.
pub struct Given {
    pub dir: TempDir,
    pub plimsoll: Plimsoll,
    pub database: TestDatabase,
    pub file: PathBuf,
}

impl Given {
    /// `rows` orders in a file, and a database without tables.
    pub async fn orders(
        server: &'static plimsoll_tests::TestServer,
        rows: u64,
        order: KeyOrder,
    ) -> Result<Self> {
        let dir = TempDir::with_prefix("plimsoll-runs-")?;
        let file = dir.path().join("orders.csv");
        orders::write(&file, rows, order, true)?;
        let database = server.database().await?;
        Ok(Self { plimsoll: Plimsoll::new()?, database, file, dir })
    }

    /// Makes the table, with secondary indexes or without.
    pub async fn table(&self, indexes: bool) -> Result<()> {
        let more = if indexes { format!(", {}", orders::INDEXES) } else { String::new() };
        self.database.run(&format!("CREATE TABLE orders ({}{more})", orders::COLUMNS)).await
    }

    /// The words of an import, with options.
    pub fn import(&self, options: &Value) -> Result<Vec<String>> {
        let path = self.dir.path().join("options.json");
        std::fs::write(&path, options.to_string())?;
        Ok([
            "import",
            &self.file.to_string_lossy(),
            "--to",
            &self.database.url(),
            "--table",
            "orders",
            "--options",
            &path.to_string_lossy(),
        ]
        .map(str::to_owned)
        .to_vec())
    }

    /// Every id once, from 1 to `rows`, whatever else the table held.
    pub async fn assert_each_once(&self, rows: u64) -> Result<()> {
        let found = self
            .database
            .rows("SELECT COUNT(*), COUNT(DISTINCT id), MIN(id), MAX(id) FROM orders")
            .await?;
        let want = [rows, rows, 1, rows].map(|n| Some(n.to_string())).to_vec();
        assert_eq!(found, [want]);
        Ok(())
    }

    /// No table of a run's own is left.
    pub async fn assert_swept(&self) -> Result<()> {
        let left = self.database.rows("SHOW TABLES LIKE '\\_plimsoll%'").await?;
        assert!(left.is_empty(), "left behind: {left:?}");
        Ok(())
    }
}

/// Writes a line in the place of data row `row` (from 1) of a file with a header.
pub fn replace_row(file: &Path, row: usize, line: &str) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    let mut lines: Vec<&str> = text.lines().collect();
    *lines.get_mut(row).context("no such row")? = line;
    let mut out = std::fs::File::create(file)?;
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[tokio::test]
async fn every_row_goes_into_a_table_that_is_made_for_it() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 30_000, KeyOrder::Ascending).await?;
        let (code, report) = given.plimsoll.json(given.import(&json!({}))?)?;
        assert_eq!(code, Some(0), "{report}");
        assert_eq!(report["status"], "succeeded");
        assert_eq!(report["rows_loaded"], 30_000);
        assert_eq!(report["columns"].as_array().map(Vec::len), Some(7));
        let estimate = &report["estimate"];
        assert!(estimate["low_ms"].as_u64() <= estimate["high_ms"].as_u64(), "{estimate}");
        assert!(report["steps"].as_array().is_some_and(|s| s.iter().any(|s| s["step"] == "load")));
        given.assert_each_once(30_000).await?;
        given.assert_swept().await?;
        let (_, history) = given.plimsoll.json(["history"])?;
        assert_eq!(history["runs"][0]["run_id"], report["run_id"]);
        assert_eq!(history["runs"][0]["status"], "succeeded");
    }
    Ok(())
}

#[tokio::test]
async fn scattered_keys_and_indexes_are_sorted_and_built_afterwards() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 60_000, KeyOrder::Scattered).await?;
        given.table(true).await?;
        let (code, report) = given.plimsoll.json(given.import(&json!({}))?)?;
        assert_eq!(code, Some(0), "{report}");
        assert_eq!(report["plan"]["order"], "sort_by_primary_key");
        assert_eq!(report["plan"]["index_policy"], "drop_and_rebuild");
        given.assert_each_once(60_000).await?;
        given.assert_swept().await?;
        let keys =
            given.database.rows("SHOW INDEX FROM orders WHERE Key_name <> 'PRIMARY'").await?.len();
        assert_eq!(keys, 4, "three indexes, one of two columns");
    }
    Ok(())
}

#[tokio::test]
async fn a_wrong_value_stops_the_run_and_is_named() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 50_000, KeyOrder::Ascending).await?;
        given.table(false).await?;
        replace_row(&given.file, 44_000, "44000,z@example.com,Oslo,1.50,4,2026-01-01 00:00:00,x")?;
        replace_row(&given.file, 31_234, "31234,a@example.com,Oslo,12x,4,2026-01-01 00:00:00,x")?;
        replace_row(&given.file, 49_000, "none,b@example.com,Oslo,1.00,4,2026-01-01 00:00:00,x")?;
        let options = json!({"chunk_bytes": 65536, "workers": 3});
        let (code, report) = given.plimsoll.json(given.import(&options)?)?;
        assert_eq!(code, Some(1), "{report}");
        let error = &report["error"];
        assert_eq!((&error["row"], &error["line"]), (&json!(31_234), &json!(31_235)), "{error}");
        assert_eq!(error["column"], "amount");
        assert_eq!(error["value"], "12x");
        assert_eq!(given.database.count("orders").await?, 0);
        given.assert_swept().await?;
    }
    Ok(())
}

#[tokio::test]
async fn rows_are_added_only_where_the_whole_file_is_good() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 20_000, KeyOrder::Ascending).await?;
        given.table(true).await?;
        given.database.run("INSERT INTO orders (id, email) VALUES (900000, 'first')").await?;
        let good = std::fs::read(&given.file)?;
        replace_row(
            &given.file,
            19_999,
            "19999,a@example.com,Oslo,1.00,many,2026-01-01 00:00:00,x",
        )?;
        let options = json!({"chunk_bytes": 65536});
        let (code, report) = given.plimsoll.json(given.import(&options)?)?;
        assert_eq!((code, &report["error"]["column"]), (Some(1), &json!("level")), "{report}");
        assert_eq!(given.database.count("orders").await?, 1);
        std::fs::write(&given.file, good)?;
        let (code, report) = given.plimsoll.json(given.import(&options)?)?;
        assert_eq!(code, Some(0), "{report}");
        assert!(report["steps"].as_array().is_some_and(|s| s.iter().any(|s| s["step"] == "check")));
        assert_eq!(given.database.count("orders").await?, 20_001);
        given.assert_swept().await?;
    }
    Ok(())
}

#[tokio::test]
async fn refused_records_are_put_aside_in_the_order_of_the_file() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 20_000, KeyOrder::Ascending).await?;
        given.table(true).await?;
        replace_row(
            &given.file,
            15_000,
            "15000,user1@example.com,Oslo,1.00,4,2026-01-01 00:00:00,x",
        )?;
        replace_row(&given.file, 9_000, "7,c@example.com,Oslo,1.00,4,2026-01-01 00:00:00,x")?;
        replace_row(&given.file, 300, "300,d@example.com,Oslo,1.00,4,2026-02-30 00:00:00,x")?;
        let options = json!({"chunk_bytes": 65536, "workers": 3, "on_error": "reject"});
        let (code, report) = given.plimsoll.json(given.import(&options)?)?;
        assert_eq!(code, Some(3), "{report}");
        assert_eq!(report["rows_rejected"], 3, "{report}");
        let rows: Vec<_> =
            report["rejects"].as_array().into_iter().flatten().map(|r| &r["row"]).collect();
        assert_eq!(rows, [&json!(300), &json!(9_000), &json!(15_000)], "{report}");
        assert_eq!(report["rejects"][1]["key"], "PRIMARY");
        assert_eq!(report["rejects"][2]["key"], "uq_email");
        let file = report["rejects_file"].as_str().context("a file of rejects")?;
        assert_eq!(std::fs::read_to_string(file)?.lines().count(), 3);
        assert_eq!(given.database.count("orders").await?, 19_997);
        let seventh: String = given.database.value("SELECT email FROM orders WHERE id = 7").await?;
        assert_eq!(seventh, "user7@example.com", "the first of two stays");
    }
    Ok(())
}

#[tokio::test]
async fn the_last_of_repeated_keys_wins_whatever_the_workers() -> Result<()> {
    for server in plimsoll_tests::servers()? {
        let given = Given::orders(server, 20_000, KeyOrder::Ascending).await?;
        given.table(false).await?;
        replace_row(&given.file, 19_000, "7,last@example.com,Oslo,1.00,4,2026-01-01 00:00:00,x")?;
        let options = json!({"chunk_bytes": 65536, "workers": 4, "on_duplicate": "replace"});
        let (code, report) = given.plimsoll.json(given.import(&options)?)?;
        assert_eq!(code, Some(0), "{report}");
        let seventh: String = given.database.value("SELECT email FROM orders WHERE id = 7").await?;
        assert_eq!(seventh, "last@example.com");
        assert_eq!(given.database.count("orders").await?, 19_999);
    }
    Ok(())
}

#[tokio::test]
async fn a_check_finds_every_refusal_and_loads_nothing() -> Result<()> {
    let server = plimsoll_tests::mariadb()?;
    let given = Given::orders(server, 5_000, KeyOrder::Ascending).await?;
    given.table(false).await?;
    for row in [10, 4_000] {
        replace_row(&given.file, row, "5,a@example.com,Oslo,much,4,2026-01-01 00:00:00,x")?;
    }
    let mut words = given.import(&json!({}))?;
    words[0] = "check".to_owned();
    let (code, answer) = given.plimsoll.json(words)?;
    assert_eq!((code, &answer["rows_refused"]), (Some(3), &json!(2)), "{answer}");
    assert_eq!(answer["counts"][0]["column"], "amount");
    assert_eq!(given.database.count("orders").await?, 0);
    given.assert_swept().await
}
