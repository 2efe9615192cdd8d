//! Rows gathered out of sight and copied in one transaction.

use std::sync::Arc;

use anyhow::Result;
use plimsoll::load::staging::{self, Way};
use plimsoll::load::{LoadSpec, Loader, transfer};
use plimsoll_tests::{TestDatabase, servers};
use shared::ErrorCode;
use shared::plan::{Mode, OnDuplicate, Strategy, Visibility};

use crate::load_fixture::{RUN, choice, chunk, facts, spec};

async fn staged(
    database: &TestDatabase,
    table: &str,
    columns: &[&str],
    rule: OnDuplicate,
    chunks: &[&[&str]],
) -> Result<LoadSpec> {
    let mut spec = spec(database, table, columns, &choice(Strategy::LoadData, rule)).await?;
    let mut conn = database.connect().await?;
    spec.table = staging::create_with_positions(&mut conn, database.name(), table, RUN).await?;
    let spec = spec.with_positions();
    let mut loader = Loader::connect(Arc::new(spec.clone())).await?;
    let mut row = 1;
    for (index, rows) in chunks.iter().enumerate() {
        let outcome = loader.write(&chunk(index as u64, row, rows)).await?;
        assert!(outcome.rejects().is_empty(), "{outcome:?}");
        row += rows.len() as u64;
    }
    loader.finish().await?;
    Ok(spec)
}

#[tokio::test]
async fn children_may_come_before_their_parents_and_only_true_orphans_are_refused() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database
            .run(
                "CREATE TABLE staff (id INT PRIMARY KEY, boss_id INT NULL, KEY (boss_id), \
                 CONSTRAINT fk_boss FOREIGN KEY (boss_id) REFERENCES staff (id))",
            )
            .await?;
        let table = facts(&database, "staff").await?;
        let (way, why) = staging::way(&table, Mode::Append, Visibility::AsTheyArrive);
        assert_eq!(way, Way::Move);
        assert!(why.is_some_and(|w| w.contains("fk_boss")));
        let chunks: [&[&str]; 3] =
            [&["5\t3", "4\t2", "8\t7"], &["3\t2", "2\t1", "1\t\\N"], &["6\t99", "7\t6"]];
        let spec =
            staged(&database, "staff", &["id", "boss_id"], OnDuplicate::Reject, &chunks).await?;
        let counts = transfer::transfer(&spec, &table, false).await?;
        let ids = database.rows("SELECT id FROM staff ORDER BY id").await?.concat();
        assert_eq!(ids, ["1", "2", "3", "4", "5"].map(|i| Some(i.to_owned())));
        let found: Vec<_> = counts
            .rejects
            .iter()
            .map(|r| (r.row, r.line, r.code, r.column.as_deref(), r.key.as_deref()))
            .collect();
        let orphan = |row| (row, row + 1, ErrorCode::ForeignKey, Some("boss_id"), Some("fk_boss"));
        // Row 7 has no boss; row 8 reports to it, and row 3 to that one.
        assert_eq!(found, [orphan(3), orphan(7), orphan(8)]);
        assert_eq!((counts.rows_read, counts.rows_loaded), (8, 5));
        let again = transfer::transfer(&spec, &table, false).await?;
        assert_eq!(again, counts, "a second call answers from the ledger");
        assert_eq!(database.count("staff").await?, 5);
    }
    Ok(())
}

#[tokio::test]
async fn a_replaced_table_that_others_point_to_is_emptied_in_the_same_transaction() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE p (id INT PRIMARY KEY)").await?;
        database
            .run(
                "CREATE TABLE c (p_id INT, FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE)",
            )
            .await?;
        database.run("INSERT INTO p VALUES (1), (2), (3)").await?;
        database.run("INSERT INTO c VALUES (1)").await?;
        let table = facts(&database, "p").await?;
        assert_eq!(staging::way(&table, Mode::Replace, Visibility::AllAtOnce).0, Way::Move);
        let spec = staged(&database, "p", &["id"], OnDuplicate::Reject, &[&["2", "9"]]).await?;
        let counts = transfer::transfer(&spec, &table, true).await?;
        assert_eq!((counts.rows_loaded, counts.rows_replaced), (2, 3));
        let ids = database.rows("SELECT id FROM p ORDER BY id").await?.concat();
        assert_eq!(ids, ["2", "9"].map(|i| Some(i.to_owned())));
        assert_eq!(database.count("c").await?, 0, "the children's rule holds");
    }
    Ok(())
}

#[tokio::test]
async fn keys_that_the_table_has_are_named_or_follow_the_rule() -> Result<()> {
    for server in servers()? {
        for (rule, want, loaded, replaced, skipped, rejected) in [
            (OnDuplicate::Reject, "1 a,2 b,4 d", 1, 0, 0, 2),
            (OnDuplicate::Skip, "1 a,2 b,4 d", 1, 0, 2, 0),
            (OnDuplicate::Replace, "1 c,3 b,4 d", 3, 2, 0, 0),
            (OnDuplicate::Update, "1 c,3 b,4 d", 3, 2, 0, 0),
        ] {
            let database = server.database().await?;
            database
                .run("CREATE TABLE t (id INT PRIMARY KEY, n VARCHAR(9), UNIQUE KEY uq (n))")
                .await?;
            database.run("INSERT INTO t VALUES (1,'a'),(2,'b')").await?;
            let table = facts(&database, "t").await?;
            let spec =
                staged(&database, "t", &["id", "n"], rule, &[&["1\tc", "3\tb"], &["4\td"]]).await?;
            let counts = transfer::transfer(&spec, &table, false).await?;
            let got: String =
                database.value("SELECT GROUP_CONCAT(id, ' ', n ORDER BY id) FROM t").await?;
            assert_eq!(got, want, "{rule:?}");
            let numbers = (
                counts.rows_loaded,
                counts.rows_replaced,
                counts.rows_skipped,
                counts.rows_rejected,
            );
            assert_eq!(numbers, (loaded, replaced, skipped, rejected), "{rule:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn triggers_fire_once_a_row() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE orders (id INT PRIMARY KEY, email VARCHAR(40))").await?;
        database.run("CREATE TABLE audit (n INT AUTO_INCREMENT PRIMARY KEY, id INT)").await?;
        database
            .run(
                "CREATE TRIGGER ai AFTER INSERT ON orders FOR EACH ROW \
                 INSERT INTO audit (id) VALUES (NEW.id)",
            )
            .await?;
        let table = facts(&database, "orders").await?;
        assert_eq!(table.triggers, ["ai"]);
        assert_eq!(staging::way(&table, Mode::Append, Visibility::AllAtOnce).0, Way::Move);
        let rows: [&[&str]; 1] = [&["1\ta", "2\tb"]];
        let spec =
            staged(&database, "orders", &["id", "email"], OnDuplicate::Reject, &rows).await?;
        assert_eq!(database.count("audit").await?, 0);
        transfer::transfer(&spec, &table, false).await?;
        assert_eq!(database.count("audit").await?, 2);
        let mut conn = database.connect().await?;
        staging::sweep(&mut conn, database.name(), "orders", RUN).await?;
        assert!(staging::leftovers(&mut conn, database.name()).await?.iter().all(|l| l.0 == 'l'));
    }
    Ok(())
}
