//! Indexes go and come back; repeated values that only the rebuild meets are named all the same.

use std::sync::Arc;

use anyhow::Result;
use plimsoll::load::index_ddl::{DropRule, plan_drop};
use plimsoll::load::{KeyNames, LoadError, Loader, duplicates};
use plimsoll_tests::servers;
use shared::ErrorCode;
use shared::plan::{OnDuplicate, Strategy};

use crate::load_fixture::{choice, chunk, facts, spec};

#[tokio::test]
async fn indexes_come_back_exactly_and_a_second_rebuild_does_nothing() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database
            .run(
                "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(50), b INT, g INT, \
                 UNIQUE KEY `odd``name` (b) COMMENT 'it''s, one', KEY ab (a(10), b), \
                 FULLTEXT KEY ft (a))",
            )
            .await?;
        let before = facts(&database, "t").await?;
        let dropped = plan_drop(&before, DropRule::UniqueToo).expect("something to drop");
        assert_eq!(dropped.names.len(), 3);
        let mut conn = database.connect().await?;
        dropped.drop(&mut conn).await?;
        assert_eq!(facts(&database, "t").await?.indexes.len(), 1);
        dropped.rebuild(&mut conn).await?;
        dropped.rebuild(&mut conn).await?;
        let after = facts(&database, "t").await?;
        let definitions = |f: &shared::target::TableFacts| {
            let mut all: Vec<String> = f.indexes.iter().map(|i| i.definition.clone()).collect();
            all.sort();
            all
        };
        assert_eq!(definitions(&after), definitions(&before));
    }
    Ok(())
}

#[tokio::test]
async fn repeated_values_met_by_the_rebuild_are_named_and_the_first_stays() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database
            .run("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9), UNIQUE KEY uq (a))")
            .await?;
        let table = facts(&database, "t").await?;
        let dropped = plan_drop(&table, DropRule::UniqueToo).expect("a unique key");
        let mut conn = database.connect().await?;
        dropped.drop(&mut conn).await?;
        let choice = choice(Strategy::LoadData, OnDuplicate::Reject);
        let spec = spec(&database, "t", &["id", "a"], &choice).await?;
        let mut loader = Loader::connect(Arc::new(spec.clone())).await?;
        let file = [chunk(0, 1, &["9\tx", "2\ty", "3\tz"]), chunk(1, 4, &["1\tX", "5\tw", "4\ty"])];
        for chunk in &file {
            loader.write(chunk).await?;
        }
        loader.finish().await?;
        let error = dropped.rebuild(&mut conn).await.expect_err("repeated values");
        assert!(matches!(error, LoadError::Server { code: 1062, .. }), "{error}");
        let keys = [KeyNames { name: "uq".into(), columns: vec!["a".into()] }];
        let mut repeated = duplicates::find(&mut conn, &spec, &["id".to_owned()], &keys).await?;
        assert_eq!(repeated.groups(), 2);
        for chunk in &file {
            repeated.see(chunk);
        }
        let counts = repeated.remove(&mut conn, &spec).await?;
        let found: Vec<_> = counts
            .rejects
            .iter()
            .map(|r| (r.row, r.code, r.key.as_deref(), r.raw.as_deref()))
            .collect();
        let bad = |row, raw| (row, ErrorCode::DuplicateKey, Some("uq"), Some(raw));
        // The collation folds case: X repeats x.
        assert_eq!(found, [bad(4, "1,X"), bad(6, "4,y")]);
        dropped.rebuild(&mut conn).await?;
        assert_eq!(database.count("t").await?, 4);
    }
    Ok(())
}
