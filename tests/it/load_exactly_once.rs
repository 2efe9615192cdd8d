//! Whatever breaks in between, each row arrives once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use plimsoll::domain::EncodedChunk;
use plimsoll::load::{Ledger, LoadError, LoadSpec, Loader, verify};
use plimsoll::target;
use plimsoll_tests::servers;
use shared::plan::{Choice, OnDuplicate, OnError, Strategy};

use crate::load_fixture::{RUN, choice, chunk, facts, spec};

/// Writes chunks with several workers, each taking the next one; gives the retries.
async fn write_all(
    spec: LoadSpec,
    workers: usize,
    chunks: Vec<Arc<EncodedChunk>>,
) -> Result<u64, LoadError> {
    let (spec, queue) = (Arc::new(spec), Arc::new(Mutex::new(VecDeque::from(chunks))));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..workers {
        let (spec, queue) = (Arc::clone(&spec), Arc::clone(&queue));
        tasks.spawn(async move {
            let mut loader = Loader::connect(spec).await?;
            let mut retries = 0;
            loop {
                let next = queue.lock().expect("no panic").pop_front();
                let Some(chunk) = next else { break };
                retries += u64::from(loader.write(&chunk).await?.retries);
            }
            loader.finish().await?;
            Ok::<u64, LoadError>(retries)
        });
    }
    let mut retries = 0;
    while let Some(done) = tasks.join_next().await {
        retries += done.expect("no panic")?;
    }
    Ok(retries)
}

fn chunks(rows: &[String], size: usize) -> Vec<Arc<EncodedChunk>> {
    rows.chunks(size)
        .enumerate()
        .map(|(i, part)| chunk(i as u64, (i * size) as u64 + 1, part))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_replaces_end_as_one_loader_would_leave_them() -> Result<()> {
    let accounts = 600_u64;
    let place = |i: u64, a: u64, b: u64| (i * a + b) % accounts + 1;
    let rows: Vec<String> = (0..2 * accounts)
        .map(|i| {
            let id = if i < accounts { place(i, 101, 17) } else { place(i, 199, 91) };
            format!("{id}\tuser{id:05}\t{}", i / accounts)
        })
        .collect();
    for server in servers()? {
        for strategy in [Strategy::LoadData, Strategy::Insert] {
            let database = server.database().await?;
            database
                .run(
                    "CREATE TABLE a (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL, round INT, \
                      UNIQUE KEY uq (email))",
                )
                .await?;
            let spec = spec(
                &database,
                "a",
                &["id", "email", "round"],
                &choice(strategy, OnDuplicate::Replace),
            )
            .await?;
            write_all(spec, 4, chunks(&rows, 40)).await?;
            let end = database.rows("SELECT COUNT(*), SUM(id), MIN(round) FROM a").await?;
            let want = [accounts, accounts * (accounts + 1) / 2, 1].map(|n| Some(n.to_string()));
            assert_eq!(end, [want], "{strategy:?}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_connection_loses_and_doubles_nothing() -> Result<()> {
    let rows: Vec<String> = (1..=20_000).map(|i| format!("{i}\tvalue number {i}")).collect();
    for server in servers()? {
        for strategy in [Strategy::LoadData, Strategy::Insert] {
            let database = server.database().await?;
            database.run("CREATE TABLE `kill` (id INT, v VARCHAR(30))").await?;
            let choice = choice(strategy, OnDuplicate::Reject);
            let spec = spec(&database, "kill", &["id", "v"], &choice).await?;
            let (target, cancel) = (spec.target.clone(), spec.cancel.clone());
            let load = tokio::spawn(write_all(spec, 2, chunks(&rows, 500)));
            let mut kills = 0;
            while !load.is_finished() && kills < 6 {
                for id in cancel.connections().into_iter().take(1) {
                    target::kill_connection(&target, id).await?;
                    kills += 1;
                }
                tokio::task::yield_now().await;
            }
            load.await??;
            let end =
                database.rows("SELECT COUNT(*), COUNT(DISTINCT id), SUM(id) FROM `kill`").await?;
            let want = ["20000", "20000", "200010000"].map(|n| Some(n.to_owned()));
            assert_eq!(end, [want], "{strategy:?} after {kills} kills");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_chunk_that_is_in_is_not_written_again() -> Result<()> {
    for server in servers()? {
        for strategy in [Strategy::LoadData, Strategy::Insert, Strategy::SingleTransaction] {
            let database = server.database().await?;
            database.run("CREATE TABLE t (a INT)").await?;
            let choice = choice(strategy, OnDuplicate::Reject);
            let spec = Arc::new(spec(&database, "t", &["a"], &choice).await?);
            for again in [false, true] {
                let mut loader = Loader::connect(Arc::clone(&spec)).await?;
                let outcome = loader.write(&chunk(0, 1, &["1", "2"])).await?;
                loader.finish().await?;
                assert_eq!(outcome.already, again, "{strategy:?}");
                assert_eq!(outcome.counts.rows_loaded, 2);
            }
            assert_eq!(database.count("t").await?, 2, "{strategy:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn one_transaction_leaves_nothing_until_its_end() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE t (a INT PRIMARY KEY)").await?;
        let choice = choice(Strategy::SingleTransaction, OnDuplicate::Reject);
        let spec = Arc::new(spec(&database, "t", &["a"], &choice).await?);
        let mut loader = Loader::connect(Arc::clone(&spec)).await?;
        loader.write(&chunk(0, 1, &["1", "2"])).await?;
        let bad = loader.write(&chunk(1, 3, &["2", "3"])).await?;
        assert_eq!((bad.counts.rows_loaded, bad.counts.rows_rejected), (1, 1));
        assert_eq!(database.count("t").await?, 0);
        drop(loader);
        let mut loader = Loader::connect(spec).await?;
        loader.write(&chunk(0, 1, &["1", "2"])).await?;
        loader.finish().await?;
        assert_eq!(database.count("t").await?, 2);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_run_ends_at_once_and_keeps_whole_chunks() -> Result<()> {
    let rows: Vec<String> = (1..=200_000).map(|i| format!("{i}\t{}", "x".repeat(60))).collect();
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(99))").await?;
        let choice = choice(Strategy::LoadData, OnDuplicate::Reject);
        let spec = spec(&database, "t", &["a", "b"], &choice).await?;
        let (target, cancel) = (spec.target.clone(), spec.cancel.clone());
        let load = tokio::spawn(write_all(spec, 2, chunks(&rows, 20_000)));
        let ledger = Ledger::of_run(database.name(), RUN);
        let mut conn = database.connect().await?;
        while ledger.committed(&mut conn).await?.is_empty() {
            tokio::task::yield_now().await;
        }
        let begun = std::time::Instant::now();
        cancel.cancel(&target).await;
        let ended = load.await?;
        assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
        assert!(matches!(ended, Ok(_) | Err(LoadError::Cancelled)), "{ended:?}");
        let committed = ledger.committed(&mut conn).await?;
        let total = verify::sum(committed.values());
        assert_eq!(database.count("t").await?, total.rows_loaded);
        assert_eq!(total.rows_loaded % 20_000, 0);
    }
    Ok(())
}

#[tokio::test]
async fn myrocks_bulk_loads_are_whole_or_not_there() -> Result<()> {
    let database = plimsoll_tests::mariadb()?.database().await?;
    if database
        .run("CREATE TABLE t (a BIGINT PRIMARY KEY, b VARCHAR(9)) ENGINE=ROCKSDB")
        .await
        .is_err()
    {
        return Ok(());
    }
    let mut choice: Choice = choice(Strategy::EngineBulk, OnDuplicate::Reject);
    choice.order = shared::plan::Order::SortByPrimaryKey;
    let spec = Arc::new(spec(&database, "t", &["a", "b"], &choice).await?);
    assert_eq!(facts(&database, "t").await?.engine.to_uppercase(), "ROCKSDB");
    let mut loader = Loader::connect(Arc::clone(&spec)).await?;
    let good = loader.write(&chunk(0, 1, &["1\ta", "2\tb", "3\tc"])).await?;
    assert_eq!((good.counts.rows_loaded, good.slow), (3, false));
    // A key that is repeated inside the chunk: the bulk loader refuses it, the slow lane names it.
    let bad = loader.write(&chunk(1, 4, &["4\td", "5\te", "5\tf", "6\tg"])).await?;
    assert_eq!((bad.counts.rows_loaded, bad.counts.rows_rejected), (3, 1));
    assert_eq!(bad.rejects()[0].row, 6);
    assert_eq!(database.count("t").await?, 6);
    // Announced and perhaps in, as after a crash: removed and written again.
    let mut conn = database.connect().await?;
    let ledger = Ledger::of_run(database.name(), RUN);
    ledger.announce(&mut conn, 2).await?;
    database.run("INSERT INTO t VALUES (7, 'half')").await?;
    let again = loader.write(&chunk(2, 8, &["7\th", "8\ti"])).await?;
    assert_eq!(again.counts.rows_loaded, 2);
    loader.finish().await?;
    let all: String =
        database.value("SELECT GROUP_CONCAT(b ORDER BY a SEPARATOR '') FROM t").await?;
    assert_eq!(all, "abcdeghi");
    let committed = ledger.committed(&mut conn).await?;
    assert!(verify::agree(0, 8, &verify::sum(committed.values())).is_ok());
    Ok(())
}

#[tokio::test]
async fn innodbs_bulk_insert_is_all_or_nothing() -> Result<()> {
    let choice = choice(Strategy::EngineBulk, OnDuplicate::Reject);
    for (last, want) in [("4\td", 4), ("2\td", 0)] {
        let database = plimsoll_tests::mariadb()?.database().await?;
        database.run("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), KEY (b))").await?;
        let spec = Arc::new(spec(&database, "t", &["a", "b"], &choice).await?);
        let mut loader = Loader::connect(Arc::clone(&spec)).await?;
        loader.write(&chunk(0, 1, &["1\ta", "2\tb"])).await?;
        loader.write(&chunk(1, 3, &["3\tc", last])).await?;
        let ended = loader.finish().await;
        assert_eq!(ended.is_ok(), want > 0, "{ended:?}");
        assert_eq!(database.count("t").await?, want);
        let mut conn = database.connect().await?;
        let committed = Ledger::of_run(database.name(), RUN).committed(&mut conn).await?;
        assert_eq!(verify::sum(committed.values()).rows_loaded, want);
    }
    let database = plimsoll_tests::mariadb()?.database().await?;
    database.run("CREATE TABLE t (a INT PRIMARY KEY)").await?;
    database.run("INSERT INTO t VALUES (1)").await?;
    let spec = Arc::new(spec(&database, "t", &["a"], &choice).await?);
    assert!(matches!(Loader::connect(spec).await, Err(LoadError::Unfit(_))));
    Ok(())
}

#[tokio::test]
async fn foreign_keys_to_other_tables_are_checked_row_by_row() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE p (id INT PRIMARY KEY)").await?;
        database.run("INSERT INTO p VALUES (1), (2)").await?;
        database
            .run(
                "CREATE TABLE c (id INT PRIMARY KEY, p_id INT, CONSTRAINT fk_p FOREIGN KEY (p_id) \
                  REFERENCES p (id))",
            )
            .await?;
        let choice =
            Choice { on_error: OnError::Reject, ..choice(Strategy::LoadData, OnDuplicate::Reject) };
        let spec = spec(&database, "c", &["id", "p_id"], &choice).await?;
        let mut loader = Loader::connect(Arc::new(spec)).await?;
        let outcome = loader.write(&chunk(0, 1, &["1\t1", "2\t9", "3\t\\N", "4\t2"])).await?;
        assert_eq!(outcome.counts.rows_loaded, 3);
        let bad = &outcome.rejects()[0];
        assert_eq!((bad.row, bad.key.as_deref()), (2, Some("fk_p")));
        assert_eq!((bad.column.as_deref(), bad.value.as_deref()), (Some("p_id"), Some("9")));
        loader.finish().await?;
    }
    Ok(())
}
