//! Runs and their history, against a real SQLite file.

use std::time::Instant;

use shared::api::RunQuery;
use shared::options::ImportOptions;
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::run::{RunStatus, RunStep, RunView, StepView};

use super::*;

fn choice(strategy: Strategy) -> Choice {
    Choice {
        engine: "InnoDB".into(),
        strategy,
        order: Order::AsIs,
        index_policy: IndexPolicy::Keep,
        visibility: Visibility::AsTheyArrive,
        mode: Mode::Append,
        on_duplicate: OnDuplicate::Reject,
        on_error: OnError::Stop,
        workers: 2,
        chunk_bytes: 1 << 24,
        batch_bytes: 1 << 18,
        batch_rows: None,
        check_first: false,
    }
}

fn run(id: &str, file: &str, who: &str, strategy: Strategy) -> NewRun {
    let view = RunView {
        run_id: id.into(),
        who: who.into(),
        status: RunStatus::Queued,
        step: None,
        file: file.into(),
        file_bytes: 100,
        source_id: None,
        target: "shop".into(),
        target_id: None,
        server: String::new(),
        database: "db".into(),
        table: "orders".into(),
        choice: choice(strategy),
        options: ImportOptions::default(),
        prechecks: vec![],
        reasons: vec![],
        rows_read: 0,
        rows_loaded: 0,
        rows_rejected: 0,
        rows_skipped: 0,
        bytes_read: 0,
        retries: 0,
        rows_per_sec: None,
        estimate: None,
        steps: vec![],
        error: None,
        outcome: None,
        sql: vec![],
        resumable: false,
        created_at: now(),
        started_at: None,
        ended_at: None,
        elapsed_ms: 0,
        curve: vec![],
    };
    NewRun {
        view,
        input: serde_json::json!({"files": ["/tmp/a.csv"]}),
        password: Some("geheim".to_owned().into()),
        options_fingerprint: "o".into(),
        trial_id: None,
    }
}

async fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), None).await.unwrap();
    (dir, store)
}

#[tokio::test]
async fn a_run_is_taken_once_and_ends_once() {
    let (_dir, store) = store().await;
    store.run_insert(&run("r1", "a.csv", "amy", Strategy::LoadData)).await.unwrap();
    store.run_claim("r1", RunStatus::Queued, "owner").await.unwrap();
    let again = store.run_claim("r1", RunStatus::Queued, "other").await;
    assert!(matches!(again, Err(StoreError::Stale { .. })));
    let step = StepView { step: RunStep::Load, ms: 900, rows: 10, bytes: 100, done: true };
    let tick = RunTick {
        steps: vec![step.clone()],
        rows_read: 10,
        rows_loaded: 10,
        elapsed_ms: 1000,
        ..RunTick::default()
    };
    assert!(!store.run_tick("r1", &tick).await.unwrap());
    assert!(store.run_request_cancel("r1").await.unwrap());
    assert!(store.run_tick("r1", &tick).await.unwrap());
    let end = RunEnd {
        status: RunStatus::Succeeded,
        tick,
        error: None,
        outcome: None,
        resumable: false,
        curve: vec![],
        left_behind: false,
    };
    store.run_end("r1", RunStatus::Running, &end).await.unwrap();
    assert!(store.run_end("r1", RunStatus::Running, &end).await.is_err());
    let saved = store.run("r1").await.unwrap().unwrap();
    assert_eq!(saved.view.steps, vec![step]);
    assert_eq!(saved.view.rows_per_sec, Some(10.0));
    assert!(saved.password.is_none(), "an ended run needs no password");
    assert!(!store.run_request_cancel("r1").await.unwrap());
    let illegal = store.run_transition("r1", RunStatus::Succeeded, RunStatus::Running).await;
    assert!(matches!(illegal, Err(StoreError::Illegal { .. })));
}

#[tokio::test]
async fn the_history_filters_and_escapes() {
    let (_dir, store) = store().await;
    store.run_insert(&run("r1", "100%.csv", "amy", Strategy::LoadData)).await.unwrap();
    store.run_insert(&run("r2", "100x.csv", "bob", Strategy::Insert)).await.unwrap();
    let page = |q: RunQuery| {
        let store = store.clone();
        async move {
            let page = store.runs(&q).await.unwrap();
            page.runs.into_iter().map(|r| r.run_id).collect::<Vec<_>>()
        }
    };
    let text = |t: &str| RunQuery { text: Some(t.into()), ..RunQuery::default() };
    assert_eq!(page(RunQuery::default()).await, ["r2", "r1"]);
    assert_eq!(page(text("0%.")).await, ["r1"]);
    assert_eq!(page(text("DB.ORDERS")).await, ["r2", "r1"]);
    let who = RunQuery { who: Some("bob".into()), ..RunQuery::default() };
    assert_eq!(page(who).await, ["r2"]);
    let strategy = RunQuery { strategy: Some("load_data".into()), ..RunQuery::default() };
    assert_eq!(page(strategy).await, ["r1"]);
    let second = RunQuery { limit: Some(1), offset: Some(1), ..RunQuery::default() };
    assert_eq!(page(second).await, ["r1"]);
}

#[tokio::test]
async fn ten_thousand_runs_page_at_once() {
    let (_dir, store) = store().await;
    store.run_insert(&run("r", "a.csv", "amy", Strategy::LoadData)).await.unwrap();
    sqlx::query(
        "INSERT INTO runs
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         SELECT printf('r%06d', i), who, CASE i % 9 WHEN 0 THEN 'failed' ELSE 'succeeded' END, step,
           file_name, file_bytes, source_id, target_name, target_id, server, database_name,
           table_name, engine, strategy, workers, choice, options, input, secret, prechecks,
           reasons, estimate, facts, error, outcome, sql_sent, columns, rows_read, rows_loaded,
           rows_rejected, rows_skipped, bytes_read, retries, rows_per_sec, elapsed_ms,
           file_fingerprint, table_fingerprint, options_fingerprint, resumable, left_out, owner_id,
           heartbeat_ms, cancel_requested, created_at, started_at, ended_at, state, trial_id,
           curve, left_behind
         FROM runs, n WHERE id = 'r'",
    )
    .execute(&store.writer)
    .await
    .unwrap();
    let begun = Instant::now();
    let query = RunQuery {
        status: Some("succeeded".into()),
        text: Some("orders".into()),
        offset: Some(5_000),
        ..RunQuery::default()
    };
    let page = store.runs(&query).await.unwrap();
    assert_eq!((page.runs.len(), page.total), (50, 8_889));
    assert!(begun.elapsed().as_millis() < 500, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_journal_outlives_the_process() {
    let (dir, store) = store().await;
    store.run_insert(&run("r1", "a.csv", "amy", Strategy::LoadData)).await.unwrap();
    let dropped = DroppedIndex {
        run_id: "r1".into(),
        database: "db".into(),
        table: "orders".into(),
        drop_sql: "ALTER TABLE `orders` DROP KEY `k`".into(),
        rebuild_sql: "ALTER TABLE `orders` ADD KEY `k` (`city`)".into(),
        plan: "{}".into(),
    };
    store.journal_write(std::slice::from_ref(&dropped)).await.unwrap();
    drop(store);
    let store = Store::open(dir.path(), None).await.unwrap();
    assert_eq!(store.journal_open_runs().await.unwrap(), ["r1"]);
    assert_eq!(store.journal("r1").await.unwrap(), [dropped]);
    store.journal_clear("r1").await.unwrap();
    assert!(store.journal_open_runs().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_store_opens_twice_and_refuses_other_databases() {
    let (dir, a) = store().await;
    let b = Store::open(dir.path(), None).await.unwrap();
    assert_eq!(a.data_dir(), b.data_dir());
    let refused = Store::open(dir.path(), Some("mysql://u:geheim@h/db")).await.unwrap_err();
    assert!(!refused.to_string().contains("geheim"), "{refused}");
}
