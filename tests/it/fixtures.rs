//! What the other tests stand on must stand itself.

use anyhow::Result;
use plimsoll_tests::orders::{self, KeyOrder};
use plimsoll_tests::{Flavour, mariadb, servers};

#[tokio::test]
async fn every_server_gives_a_database_that_is_gone_afterwards() -> Result<()> {
    for server in servers()? {
        let database = server.database().await?;
        database.run("CREATE TABLE t (a INT PRIMARY KEY, b TEXT)").await?;
        database.run("INSERT INTO t VALUES (1, 'one'), (2, NULL)").await?;
        assert_eq!(database.count("t").await?, 2);
        assert_eq!(
            database.rows("SELECT a, b FROM t ORDER BY a").await?,
            [[Some("1".to_owned()), Some("one".to_owned())], [Some("2".to_owned()), None]]
        );
        let version: String = database.value("SELECT VERSION()").await?;
        assert_eq!(version.contains("MariaDB"), server.flavour() == Flavour::MariaDb);
        let local_infile: u8 = database.value("SELECT @@local_infile").await?;
        assert_eq!(local_infile, 1);

        let name = database.name().to_owned();
        drop(database);
        let left = server.database().await?;
        let sql = format!(
            "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = '{name}'"
        );
        assert_eq!(left.value::<u64>(&sql).await?, 0);
    }
    Ok(())
}

#[tokio::test]
async fn mariadb_brings_myrocks_where_the_plugin_is_installed() -> Result<()> {
    if !std::path::Path::new("/usr/lib/mysql/plugin/ha_rocksdb.so").is_file() {
        return Ok(());
    }
    let database = mariadb()?.database().await?;
    database.run("CREATE TABLE t (a INT PRIMARY KEY) ENGINE = ROCKSDB").await?;
    database.run("INSERT INTO t VALUES (1)").await?;
    assert_eq!(database.count("t").await?, 1);
    Ok(())
}

#[test]
fn scattered_orders_have_every_key_once() {
    for rows in [1, 2, 7, 1000] {
        let mut ids: Vec<u64> =
            (0..rows).map(|number| orders::id(number, rows, KeyOrder::Scattered)).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=rows).collect::<Vec<_>>());
    }
}
