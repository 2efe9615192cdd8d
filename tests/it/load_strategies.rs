//! Every strategy writes the same rows, and names the same bad ones.

use std::sync::Arc;

use anyhow::Result;
use plimsoll::load::{ChunkOutcome, Ledger, LoadError, Loader};
use plimsoll_tests::{Flavour, TestDatabase, TestServer, servers};
use shared::ErrorCode;
use shared::plan::{OnDuplicate, OnError, Strategy};

use crate::load_fixture::{RUN, choice, chunk, spec};

/// Strategies that a server of this family has for a table in use.
fn strategies(server: &TestServer) -> Vec<Strategy> {
    let all = Strategy::ALL.into_iter().filter(|s| *s != Strategy::EngineBulk);
    let mariadb = server.flavour() == Flavour::MariaDb;
    all.filter(|s| mariadb || *s != Strategy::BulkProtocol).collect()
}

/// A database with the table.
async fn with_table(server: &'static TestServer) -> Result<TestDatabase> {
    let database = server.database().await?;
    database.run(TABLE).await?;
    Ok(database)
}

const TABLE: &str = "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(20), amount DECIMAL(10,2), \
    at DATETIME, note TEXT, UNIQUE KEY uq_name (name), CONSTRAINT ck CHECK (amount < 1000))";
const COLUMNS: [&str; 5] = ["id", "name", "amount", "at", "note"];

async fn write(
    database: &TestDatabase,
    strategy: Strategy,
    rule: OnDuplicate,
    on_error: OnError,
    rows: &[&str],
) -> Result<ChunkOutcome, LoadError> {
    let choice = shared::plan::Choice { on_error, ..choice(strategy, rule) };
    let spec = spec(database, "t", &COLUMNS, &choice).await.expect("a spec");
    let mut loader = Loader::connect(Arc::new(spec)).await?;
    let outcome = loader.write(&chunk(0, 1, rows)).await?;
    loader.finish().await?;
    Ok(outcome)
}

#[tokio::test]
async fn the_same_rows_arrive_by_every_strategy() -> Result<()> {
    let rows = [
        "1\tash\t1.50\t2026-01-02 03:04:05\tit's \\\\ a \\t tab\\nand \\0 nul",
        "2\tO'Hara\t\\N\t\\N\t",
        "3\t\u{1F600} ü\t-3.00\t1999-12-31 23:59:59\t\\\\N is text",
    ];
    for server in servers()? {
        let mut answers = Vec::new();
        for strategy in strategies(server) {
            let database = with_table(server).await?;
            let outcome =
                write(&database, strategy, OnDuplicate::Reject, OnError::Reject, &rows).await?;
            assert_eq!(outcome.counts.rows_loaded, 3, "{strategy:?}");
            assert!(!outcome.slow, "{strategy:?} went down the slow lane");
            answers.push(database.rows("SELECT *, HEX(note) FROM t ORDER BY id").await?);
            let mut conn = database.connect().await?;
            let ledger = Ledger::of_run(database.name(), RUN).committed(&mut conn).await?;
            assert_eq!(ledger[&0], outcome.counts, "{strategy:?}");
        }
        let text = |at: (usize, usize)| answers[0][at.0][at.1].as_deref();
        assert_eq!(text((0, 4)), Some("it's \\ a \t tab\nand \0 nul"));
        assert_eq!(text((1, 2)), None);
        assert_eq!(text((1, 4)), Some(""));
        assert_eq!(text((2, 4)), Some("\\N is text"));
        assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:?}");
    }
    Ok(())
}

#[tokio::test]
async fn every_strategy_names_the_same_bad_records() -> Result<()> {
    let rows = [
        "1\tamber\t1.00\t2026-01-01 00:00:00\ta",
        "2\tberyl\t1.00\t2026-01-01 00:00:00\tb",
        "1\tcoral\t1.00\t2026-01-01 00:00:00\tc",
        "3\tberyl\t1.00\t2026-01-01 00:00:00\td",
        "5\tthis name is much longer than twenty\t1.00\t2026-01-01 00:00:00\te",
        "6\tflint\t5000.00\t2026-01-01 00:00:00\tf",
        "7\tgarnet\tabc\t2026-01-01 00:00:00\tg",
        "8\thalite\t1.00\t2026-02-30 00:00:00\th",
        "4\tdolomite\t1.00\t2026-01-01 00:00:00\ti",
    ];
    for server in servers()? {
        for strategy in strategies(server) {
            let database = with_table(server).await?;
            let outcome =
                write(&database, strategy, OnDuplicate::Reject, OnError::Reject, &rows).await?;
            let ids: Vec<_> = database.rows("SELECT id FROM t ORDER BY id").await?;
            assert_eq!(ids.concat(), ["1", "2", "4"].map(|i| Some(i.to_owned())), "{strategy:?}");
            assert_eq!(outcome.counts.rows_loaded, 3);
            let found: Vec<_> = outcome
                .rejects()
                .iter()
                .map(|r| (r.row, r.line, r.code, r.key.as_deref(), r.column.as_deref()))
                .collect();
            assert_eq!(
                found,
                [
                    (3, 4, ErrorCode::DuplicateKey, Some("PRIMARY"), Some("id")),
                    (4, 5, ErrorCode::DuplicateKey, Some("uq_name"), Some("name")),
                    (5, 6, ErrorCode::TooLong, None, Some("name")),
                    (6, 7, ErrorCode::CheckConstraint, Some("ck"), None),
                    (7, 8, ErrorCode::InvalidValue, None, Some("amount")),
                    (8, 9, ErrorCode::InvalidValue, None, Some("at")),
                ],
                "{strategy:?} {:?}",
                outcome.rejects()
            );
            let values: Vec<_> =
                outcome.rejects().iter().take(2).map(|r| r.value.as_deref()).collect();
            assert_eq!(values, [Some("1"), Some("beryl")]);
            assert_eq!(
                outcome.rejects()[1].raw.as_deref(),
                Some("3,beryl,1.00,2026-01-01 00:00:00,d")
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_bad_record_that_stops_the_run_leaves_nothing_of_its_chunk() -> Result<()> {
    for server in servers()? {
        for strategy in strategies(server).into_iter().filter(|s| *s != Strategy::RowByRow) {
            let database = with_table(server).await?;
            let rows = ["1\ta\t1.00\t\\N\tx", "1\tb\t1.00\t\\N\ty"];
            let refused =
                write(&database, strategy, OnDuplicate::Reject, OnError::Stop, &rows).await;
            let error = refused.expect_err("a repeated key").body();
            assert_eq!(
                (error.code, error.row, error.line),
                (ErrorCode::DuplicateKey, Some(2), Some(3))
            );
            assert!(error.message.contains("PRIMARY") && error.message.contains('1'), "{error}");
            assert_eq!(database.count("t").await?, 0, "{strategy:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn rules_for_repeated_keys_end_as_one_loader_would() -> Result<()> {
    let rows = [
        "1\told\t1.00\t\\N\tfirst",
        "2\tb\t1.00\t\\N\tfirst",
        "1\tnew\t2.00\t\\N\tsecond",
        "3\tb\t3.00\t\\N\tsecond",
    ];
    let of = |names: &[(&str, &str)]| -> Vec<Vec<Option<String>>> {
        names.iter().map(|(i, n)| vec![Some((*i).to_owned()), Some((*n).to_owned())]).collect()
    };
    for server in servers()? {
        for strategy in strategies(server) {
            for (rule, want, grown, skipped) in [
                (OnDuplicate::Skip, of(&[("1", "old"), ("2", "b")]), 2, 2),
                (OnDuplicate::Replace, of(&[("1", "new"), ("3", "b")]), 2, 0),
                (OnDuplicate::Update, of(&[("1", "new"), ("3", "b")]), 2, 0),
            ] {
                let database = with_table(server).await?;
                let outcome = write(&database, strategy, rule, OnError::Reject, &rows).await?;
                let got = database.rows("SELECT id, name FROM t ORDER BY id").await?;
                assert_eq!(got, want, "{strategy:?} {rule:?}");
                let counts = &outcome.counts;
                assert_eq!(
                    counts.rows_loaded - counts.rows_replaced,
                    grown,
                    "{strategy:?} {rule:?}"
                );
                assert_eq!(counts.rows_skipped, skipped, "{strategy:?} {rule:?}");
                assert_eq!(counts.rows_loaded + counts.rows_skipped, 4, "{strategy:?} {rule:?}");
                assert!(outcome.rejects().is_empty(), "{strategy:?} {rule:?}");
            }
        }
    }
    Ok(())
}
