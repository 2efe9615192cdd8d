//! What a server is and can do.

use std::collections::HashMap;
use std::time::Instant;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row};
use shared::target::{Capabilities, EngineView, Flavour};

use super::TargetError;

const DOING: &str = "the look at its settings";

/// Asks a server for everything that a plan depends on.
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn capabilities(conn: &mut Conn) -> Result<Capabilities, TargetError> {
    let variables = variables(conn).await?;
    let text = |name: &str| variables.get(name).map_or("", String::as_str);
    let number = |name: &str| text(name).parse::<u64>().ok();
    let is_on = |name: &str| matches!(text(name), "ON" | "1" | "YES" | "on");
    let banner = text("version").to_owned();
    let flavour = flavour(&banner, text("version_comment"));
    let version = version_numbers(&banner, flavour);
    let default_engine = match text("default_storage_engine") {
        "" => "InnoDB".to_owned(),
        name => name.to_owned(),
    };
    let time_zone = match text("time_zone") {
        "SYSTEM" => match text("system_time_zone") {
            "" => "SYSTEM".to_owned(),
            zone => zone.to_owned(),
        },
        zone => zone.to_owned(),
    };
    Ok(Capabilities {
        flavour,
        version,
        server: server_words(flavour, version, &banner),
        engines: engines(conn, &default_engine).await?,
        local_infile: is_on("local_infile"),
        read_only: is_on("read_only") || is_on("super_read_only"),
        max_allowed_packet: number("max_allowed_packet").unwrap_or(16 << 20),
        buffer_pool_bytes: number("innodb_buffer_pool_size").unwrap_or(0),
        pool_free_bytes: pool_free_bytes(conn).await,
        disk_free_bytes: disk_free_bytes(text("hostname"), text("datadir")),
        replicas: replicas(conn).await,
        redo_bytes: redo_bytes(&number),
        flush_at_commit: number("innodb_flush_log_at_trx_commit").unwrap_or(1) as u8,
        binary_log: is_on("log_bin"),
        sql_mode: text("sql_mode").to_owned(),
        time_zone,
        secure_file_priv: variables.get("secure_file_priv").filter(|v| *v != "NULL").cloned(),
        lower_case_table_names: number("lower_case_table_names").unwrap_or(0) as u8,
        galera: is_on("wsrep_on"),
        group_replication: !text("group_replication_group_name").is_empty(),
        privileges: grants(conn).await?,
        round_trip_us: round_trip_us(conn).await?,
    })
}

async fn variables(conn: &mut Conn) -> Result<HashMap<String, String>, TargetError> {
    let rows: Vec<Row> = conn
        .query("SHOW GLOBAL VARIABLES")
        .await
        .map_err(|e| TargetError::from_driver(DOING, &e))?;
    let mut found = HashMap::with_capacity(rows.len());
    for row in &rows {
        // A NULL value (secure_file_priv on some servers) is the same as the word.
        let name = row.get::<Option<String>, _>(0).flatten().unwrap_or_default();
        let value = row.get::<Option<String>, _>(1).flatten().unwrap_or_else(|| "NULL".into());
        found.insert(name.to_ascii_lowercase(), value);
    }
    Ok(found)
}

/// Bytes of the buffer pool that hold nothing; none where the server does not tell.
async fn pool_free_bytes(conn: &mut Conn) -> Option<u64> {
    let rows: Vec<(String, String)> = conn
        .query(
            "SHOW GLOBAL STATUS WHERE Variable_name IN \
             ('Innodb_buffer_pool_pages_free', 'Innodb_page_size')",
        )
        .await
        .ok()?;
    let number = |name: &str| {
        let found = rows.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        found.1.parse::<u64>().ok()
    };
    Some(number("Innodb_buffer_pool_pages_free")? * number("Innodb_page_size")?)
}

/// Free bytes of the server's disk, where the server is on this machine.
fn disk_free_bytes(hostname: &str, datadir: &str) -> Option<u64> {
    let here = rustix::system::uname();
    if hostname.is_empty() || here.nodename().to_str().ok()? != hostname {
        return None;
    }
    let disk = rustix::fs::statvfs(datadir).ok()?;
    Some(disk.f_bavail * disk.f_frsize)
}

/// Sessions that read the binary log. Without the right to see them there are none to be seen.
async fn replicas(conn: &mut Conn) -> u32 {
    let found: Result<Option<u32>, _> = conn
        .query_first(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST \
             WHERE COMMAND IN ('Binlog Dump', 'Binlog Dump GTID')",
        )
        .await;
    found.ok().flatten().unwrap_or(0)
}

fn redo_bytes(number: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    if let Some(capacity) = number("innodb_redo_log_capacity") {
        return Some(capacity);
    }
    let files = number("innodb_log_files_in_group").unwrap_or(1);
    number("innodb_log_file_size").map(|size| size * files)
}

fn flavour(banner: &str, comment: &str) -> Flavour {
    if banner.contains("TiDB") || comment.contains("TiDB") {
        Flavour::Tidb
    } else if banner.contains("MariaDB") || comment.to_ascii_lowercase().contains("mariadb") {
        Flavour::Mariadb
    } else {
        Flavour::Mysql
    }
}

/// `10.11.19-MariaDB-…`, `5.5.5-10.11.19-MariaDB`, `9.7.4`, `8.0.11-TiDB-v8.5.7`.
fn version_numbers(banner: &str, flavour: Flavour) -> (u16, u16, u16) {
    let text = match flavour {
        Flavour::Tidb => banner.split("TiDB-v").nth(1).unwrap_or(banner),
        Flavour::Mariadb => banner.strip_prefix("5.5.5-").unwrap_or(banner),
        Flavour::Mysql => banner,
    };
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let mut parts = text[..end].split('.').map(|p| p.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

fn server_words(flavour: Flavour, (major, minor, patch): (u16, u16, u16), banner: &str) -> String {
    let name = match flavour {
        Flavour::Mariadb => "MariaDB",
        Flavour::Mysql if banner.contains("-percona") => "Percona Server",
        Flavour::Mysql => "MySQL",
        Flavour::Tidb => "TiDB",
    };
    format!("{name} {major}.{minor}.{patch}")
}

async fn engines(conn: &mut Conn, default: &str) -> Result<Vec<EngineView>, TargetError> {
    let rows: Vec<Row> = conn
        .query(
            "SELECT ENGINE, SUPPORT, COALESCE(TRANSACTIONS, 'NO'), COALESCE(COMMENT, '') \
             FROM information_schema.ENGINES WHERE SUPPORT IN ('YES', 'DEFAULT')",
        )
        .await
        .map_err(|e| TargetError::from_driver("the look at its engines", &e))?;
    let mut found: Vec<EngineView> = rows
        .iter()
        .filter_map(|row| {
            let text = |i: usize| row.get::<Option<String>, _>(i).flatten().unwrap_or_default();
            let name = text(0);
            let words = words(&name, &text(3))?;
            Some(EngineView {
                default: name.eq_ignore_ascii_case(default),
                transactions: text(2) == "YES",
                name,
                words,
            })
        })
        .collect();
    let rank = |e: &EngineView| (!e.default, !e.transactions, e.name.clone());
    found.sort_by_key(rank);
    Ok(found)
}

/// What an engine is, in one plain sentence; none for those that hold no tables of one's own.
fn words(name: &str, comment: &str) -> Option<String> {
    let known = match name.to_ascii_lowercase().as_str() {
        "innodb" => "The usual choice: transactions, row locks, foreign keys, crash safety.",
        "rocksdb" => {
            "MyRocks: compressed and quick to write, with transactions; half the disk of InnoDB, \
             no foreign keys."
        }
        "tokudb" => "Compressed fractal trees with transactions and a bulk loader; no longer made.",
        "aria" => "Crash-safe without transactions: one writer at a time, quick full scans.",
        "myisam" => "The old engine without transactions or crash safety: one writer at a time.",
        "memory" => "Held in memory: gone when the server stops.",
        "archive" => "Compressed and append-only, without indexes but for one number.",
        "csv" => "A plain CSV file on the server, without indexes or NULL.",
        "columnstore" => "MariaDB ColumnStore: columns on their own, for analysis of many rows.",
        "ndbcluster" | "ndb" => "MySQL Cluster: spread over several machines, with transactions.",
        "spider" => "Spider: spread over other MariaDB servers.",
        "blackhole" => "Takes every row and keeps none: of use only to measure.",
        "performance_schema" | "information_schema" | "sequence" | "mrg_myisam" | "federated"
        | "oqgraph" | "sphinx" | "mroonga" | "perfschema" | "connect" | "s3" | "wsrep"
        | "binlog" | "partition" | "online_alter_log" => return None,
        _ => return Some(comment.to_owned()),
    };
    Some(known.to_owned())
}

async fn grants(conn: &mut Conn) -> Result<Vec<String>, TargetError> {
    let rows: Vec<String> = conn
        .query("SHOW GRANTS")
        .await
        .map_err(|e| TargetError::from_driver("the look at this user's rights", &e))?;
    Ok(rows.into_iter().map(without_secret).collect())
}

/// `SHOW GRANTS` on MariaDB ends with the hash of the password: nobody needs to see it.
fn without_secret(grant: String) -> String {
    match grant.find(" IDENTIFIED ") {
        Some(at) => grant[..at].to_owned(),
        None => grant,
    }
}

async fn round_trip_us(conn: &mut Conn) -> Result<u64, TargetError> {
    let mut took = Vec::with_capacity(7);
    for _ in 0..7 {
        let start = Instant::now();
        conn.ping().await.map_err(|e| TargetError::from_driver("a ping", &e))?;
        took.push(start.elapsed().as_micros() as u64);
    }
    took.sort_unstable();
    Ok(took[took.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_tell_family_and_version() {
        let check = |banner: &str, comment: &str, want: &str| {
            let flavour = flavour(banner, comment);
            let version = version_numbers(banner, flavour);
            assert_eq!(server_words(flavour, version, banner), want);
        };
        check("10.11.19-MariaDB-0+deb12u1", "Debian 12", "MariaDB 10.11.19");
        check("5.5.5-11.4.2-MariaDB-log", "", "MariaDB 11.4.2");
        check("9.7.4", "MySQL Community Server - GPL", "MySQL 9.7.4");
        check("8.4.0-percona", "Percona Server (GPL)", "Percona Server 8.4.0");
        check("8.0.11-TiDB-v8.5.7", "TiDB Server", "TiDB 8.5.7");
    }

    #[test]
    fn no_hash_of_a_password_is_kept() {
        let grant = "GRANT ALL PRIVILEGES ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*2470' WITH GRANT OPTION";
        assert_eq!(without_secret(grant.to_owned()), "GRANT ALL PRIVILEGES ON *.* TO `a`@`%`");
    }
}
