//! Fills a control database with copies of its newest run, for looking at a long history:
//! `cargo run --example many_runs -- control.db 10000`.

use anyhow::{Context as _, Result};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

const ENGINES: [&str; 3] = ["InnoDB", "RocksDB", "Aria"];
const STRATEGIES: [&str; 3] = ["load_data", "insert", "bulk_protocol"];
const PEOPLE: [&str; 4] = ["amy", "bo", "cleo", "dan"];
const STATUSES: [&str; 10] = [
    "succeeded",
    "succeeded",
    "succeeded",
    "succeeded",
    "succeeded",
    "succeeded",
    "succeeded",
    "succeeded_with_rejects",
    "failed",
    "cancelled",
];

#[tokio::main]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let path = words.next().context("which control.db?")?;
    let count: u32 = words.next().context("how many runs?")?.parse()?;
    let options = SqliteConnectOptions::new().filename(&path);
    let mut conn = SqliteConnection::connect_with(&options).await?;
    let mut tx = conn.begin().await?;
    sqlx::query("CREATE TEMP TABLE one AS SELECT * FROM runs ORDER BY id DESC LIMIT 1")
        .execute(&mut *tx)
        .await?;
    let first: String = sqlx::query_scalar("SELECT id FROM one").fetch_one(&mut *tx).await?;
    for i in 0..count {
        let id = format!("00{i:024}");
        let pick = |of: &[&'static str]| of[(i as usize * 7 + i as usize / 11) % of.len()];
        // One a quarter of an hour, over a hundred days or so, a little faster week by week.
        sqlx::query(
            "UPDATE one SET id = ?, engine = ?, strategy = ?, who = ?, status = ?,
               file_name = ?, rows_loaded = 1000 + ? % 90000, elapsed_ms = 200 + ? % 5000,
               rows_per_sec = 90000 + ? % 40000 + ? * 8,
               created_at = strftime('%Y-%m-%dT%H:%M:%f', 'now', '-' || (? * 15) || ' minutes') || 'Z'",
        )
        .bind(&id)
        .bind(pick(&ENGINES))
        .bind(pick(&STRATEGIES))
        .bind(pick(&PEOPLE))
        .bind(pick(&STATUSES))
        .bind(format!("orders-{i:05}.csv"))
        .bind(i * 37)
        .bind(i * 41)
        .bind(i * 97)
        .bind(i)
        .bind(count - i)
        .execute(&mut *tx)
        .await?;
        sqlx::query("INSERT INTO runs SELECT * FROM one").execute(&mut *tx).await?;
        sqlx::query(
            "INSERT INTO run_steps (run_id, ordinal, step, ms, rows, bytes, done)
             SELECT ?, ordinal, step, ms, rows, bytes, done FROM run_steps WHERE run_id = ?",
        )
        .bind(&id)
        .bind(&first)
        .execute(&mut *tx)
        .await?;
    }
    tx.commit().await?;
    Ok(())
}
