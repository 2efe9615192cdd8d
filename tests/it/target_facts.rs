//! What is learnt of servers and tables, and the private server.

use anyhow::Result;
use plimsoll::target::sandbox::Sandbox;
use plimsoll::target::{self, TargetSpec};
use plimsoll_tests::{Flavour, servers};
use shared::ErrorCode;
use shared::target::IndexKind;

use crate::load_fixture::{facts, target_of};

#[tokio::test]
async fn a_server_tells_what_it_is() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        let mut conn = target::connect(&target_of(&database)?).await?;
        let found = target::capabilities(&mut conn).await?;
        let mariadb = server.flavour() == Flavour::MariaDb;
        assert_eq!(found.server.starts_with("MariaDB 10."), mariadb, "{}", found.server);
        assert!(found.local_infile && !found.read_only);
        assert!(found.engines[0].default && found.engines[0].name == "InnoDB");
        assert!(found.max_allowed_packet >= 1 << 20 && found.buffer_pool_bytes > 0);
        assert!(found.redo_bytes.is_some_and(|b| b > 1 << 20));
        assert!(target::may(&found.privileges, "INSERT", "any", "table"), "{:?}", found.privileges);
        assert!(target::databases(&mut conn).await?.contains(&database.name().to_owned()));
    }
    Ok(())
}

#[tokio::test]
async fn a_table_is_known_down_to_its_keys() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE p (id INT PRIMARY KEY)").await?;
        database
            .run(
                "CREATE TABLE c (id INT AUTO_INCREMENT PRIMARY KEY, \
                 p_id INT NOT NULL DEFAULT 1, name VARCHAR(20) NOT NULL, \
                 twice INT AS (p_id * 2) VIRTUAL, UNIQUE KEY uq (name), \
                 CONSTRAINT fk FOREIGN KEY (p_id) REFERENCES p (id)) DEFAULT CHARSET=utf8mb4",
            )
            .await?;
        let child = facts(&database, "c").await?;
        assert!(child.empty);
        assert_eq!(child.primary_key(), Some(&["id".to_owned()][..]));
        let unique: Vec<_> = child.indexes.iter().filter(|i| i.kind == IndexKind::Unique).collect();
        assert_eq!(unique[0].definition, "UNIQUE KEY `uq` (`name`)");
        let key = &child.foreign_keys[0];
        assert_eq!((key.name.as_str(), key.parent.1.as_str()), ("fk", "p"));
        assert_eq!((key.columns[0].as_str(), key.parent_columns[0].as_str()), ("p_id", "id"));
        let column = |n: &str| child.column(n).cloned().expect("a column");
        assert!(column("id").auto_increment && column("p_id").has_default);
        assert!(!column("name").has_default && !column("name").nullable);
        assert!(column("twice").generated && !column("name").generated);
        assert_eq!(column("name").charset.as_deref(), Some("utf8mb4"));
        assert_eq!(facts(&database, "p").await?.referenced_by, ["c"]);
        database.run("INSERT INTO p VALUES (1)").await?;
        assert!(!facts(&database, "p").await?.empty);
        let mut conn = database.connect().await?;
        assert_eq!(target::table_facts(&mut conn, database.name(), "none").await?, None);
    }
    Ok(())
}

#[tokio::test]
async fn refusals_are_sentences_with_a_remedy() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        let mut wrong = target_of(&database)?;
        wrong.user = "nobody_of_that_name".into();
        let error = target::connect(&wrong).await.expect_err("a stranger").body();
        assert_eq!(error.code, ErrorCode::AccessDenied, "{error}");
        assert!(error.hint.is_some());
        let missing = target_of(&database)?.with_database("no_such_database");
        let error = target::connect(&missing).await.expect_err("no database").body();
        assert_eq!(error.code, ErrorCode::NotFound, "{error}");
    }
    let nobody = TargetSpec::from_url("mysql://root@127.0.0.1:1/")?;
    let error = target::connect(&nobody).await.expect_err("nobody there").body();
    assert_eq!(error.code, ErrorCode::CannotConnect);
    assert!(error.message.contains("127.0.0.1:1") && error.message.contains("refused"), "{error}");
    Ok(())
}

#[tokio::test]
async fn the_sandbox_starts_again_after_its_service_was_killed() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let first = Sandbox::start(dir.path()).await?;
    let mut conn = target::connect(first.spec()).await?;
    let found = target::capabilities(&mut conn).await?;
    assert!(found.local_infile);
    mysql_async::prelude::Queryable::query_drop(&mut conn, "CREATE TABLE t (a INT)").await?;
    let held = Sandbox::start(dir.path()).await.expect_err("one at a time").body();
    assert!(held.message.contains("Another service"), "{held}");
    let id = first.process_id();
    // As after kill -9: nobody says goodbye, and the lock goes with the process that held it.
    std::mem::forget(first);
    std::fs::remove_file(dir.path().join("lock"))?;
    let second = Sandbox::start(dir.path()).await?;
    assert_ne!(second.process_id(), id);
    let mut conn = target::connect(second.spec()).await?;
    assert_eq!(target::tables(&mut conn, "sandbox").await?.len(), 1);
    second.stop().await;
    Ok(())
}
