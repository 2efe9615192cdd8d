//! A server that may die, a wire that may be cut, disks that may be full, and a load among them.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use mysql_async::prelude::Queryable as _;
use plimsoll_tests::orders::{self, KeyOrder};
use plimsoll_tests::{Ambush, Flavour, MortalServer, Plimsoll, Proxy, SmallDisk, TestDatabase};
use serde_json::Value;
use tempfile::TempDir;

use super::cases::{Before, Case, Harm};
use super::tally::Story;

/// A run that takes longer than this hangs.
const RUN_AT_MOST: Duration = Duration::from_secs(120);
/// How often a run is resumed before it counts as lost.
const RESUMES_MAX: u32 = 3;
/// The user of the loads.
const USER: &str = "loader";

/// What every run of a suite shares.
pub struct World {
    server: Arc<MortalServer>,
    proxy: Proxy,
    server_disk: Arc<SmallDisk>,
    service_disk: Arc<SmallDisk>,
    _dir: TempDir,
}

impl World {
    /// None where this machine has no such server.
    pub fn new(flavour: Flavour) -> Result<Option<Self>> {
        let dir = TempDir::with_prefix("plimsoll-crash-")?;
        let server_disk = Arc::new(SmallDisk::new(dir.path().join("server"), 600)?);
        let service_disk = Arc::new(SmallDisk::new(dir.path().join("service"), 24)?);
        let Some(server) = MortalServer::start_in(server_disk.folder().to_owned(), flavour)? else {
            return Ok(None);
        };
        let server = Arc::new(server);
        let proxy = Proxy::before(server.port())?;
        Ok(Some(Self { server, proxy, server_disk, service_disk, _dir: dir }))
    }

    /// Whether this machine lets the case be tried.
    pub fn allows(&self, case: &Case) -> bool {
        case.harm != Harm::FillDisk || self.server_disk.is_small()
    }

    /// Whatever a case did to server, wire and disks is over.
    pub async fn restore(&self) -> Result<()> {
        self.server_disk.free()?;
        self.service_disk.free()?;
        self.proxy.mend();
        self.server.revive()?;
        if self.server.server().connect().await.is_err() {
            // A server that could not write may be about to die of it.
            self.server.kill()?;
            self.server.revive()?;
        }
        Ok(())
    }

    /// Loads, disturbs, goes on, and checks.
    pub async fn disturb(&self, case: &Case) -> Result<Story> {
        let load = Load::new(self, case).await?;
        let ambush = load.lay(self)?;
        let place = format!("{}:{}", case.place, case.at);
        let action = match &ambush {
            Some(ambush) => ambush.path().display().to_string(),
            None => "abort".to_owned(),
        };
        let code = load.import(Some(&format!("{place}={action}"))).await?;
        let died = code.is_none();
        let disturbed = ambush.as_ref().map_or(died, Ambush::sprung);
        self.restore().await?;
        load.grant().await?;
        let again = load.go_on().await.context("going on")?;
        load.assert_whole().await?;
        Ok(match (disturbed, again) {
            (false, _) => Story::Undisturbed,
            (true, story) => story,
        })
    }
}

/// One load.
struct Load<'a> {
    case: &'a Case,
    database: TestDatabase,
    plimsoll: Plimsoll,
    dir: TempDir,
    url: String,
    /// SHOW CREATE TABLE before, sorted by lines.
    definition: Option<Vec<String>>,
}

impl<'a> Load<'a> {
    async fn new(world: &World, case: &'a Case) -> Result<Self> {
        let database = world.server.server().database().await?;
        let dir = TempDir::with_prefix("plimsoll-case-")?;
        orders::write(&dir.path().join("orders.csv"), case.rows(), KeyOrder::Scattered, true)?;
        std::fs::write(dir.path().join("options.json"), case.options().to_string())?;
        let plimsoll = Plimsoll::with_data_in(world.service_disk.folder())?;
        let url = format!("mysql://{USER}:x@127.0.0.1:{}/{}", world.proxy.port(), database.name());
        let mut load = Self { case, database, plimsoll, dir, url, definition: None };
        let user = format!("{USER}@'127.0.0.1'");
        load.database.run(&format!("CREATE USER IF NOT EXISTS {user} IDENTIFIED BY 'x'")).await?;
        load.database.run(&format!("GRANT FILE ON *.* TO {user}")).await?;
        load.grant().await?;
        if case.way.before != Before::Missing {
            let (columns, indexes) = (orders::COLUMNS, orders::INDEXES);
            let engine = case.way.engine;
            load.database
                .run(&format!("CREATE TABLE orders ({columns}, {indexes}) ENGINE={engine}"))
                .await?;
            if case.rows_before() > 0 {
                let n = case.rows_before();
                load.database
                    .run(&format!(
                        "INSERT INTO orders (id, email) WITH RECURSIVE s (n) AS \
                         (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {n}) \
                         SELECT 1000000 + n, CONCAT('old', n) FROM s"
                    ))
                    .await?;
            }
            load.definition = Some(load.lines().await?);
        }
        Ok(load)
    }

    async fn lines(&self) -> Result<Vec<String>> {
        let mut conn = self.database.connect().await?;
        let row: Option<(String, String)> = conn.query_first("SHOW CREATE TABLE orders").await?;
        conn.disconnect().await?;
        let (_, text) = row.context("no table")?;
        let mut lines: Vec<String> =
            text.lines().map(|l| l.trim_end_matches(',').to_owned()).collect();
        lines.sort();
        Ok(lines)
    }

    async fn grant(&self) -> Result<()> {
        let database = self.database.name();
        self.database.run(&format!("GRANT ALL ON {database}.* TO {USER}@'127.0.0.1'")).await
    }

    /// What happens at the place; none where the program itself is to die.
    fn lay(&self, world: &World) -> Result<Option<Ambush>> {
        let socket = self.dir.path().join("ambush");
        let dice = self.case.dice >> 24;
        Ok(match self.case.harm {
            Harm::KillService => None,
            Harm::KillServer => {
                let server = Arc::clone(&world.server);
                Some(Ambush::lay(socket, move || {
                    let _ = server.kill();
                    if dice.is_multiple_of(2) {
                        let _ = server.revive();
                    } else {
                        // The program goes on while the server is still down.
                        std::thread::spawn(move || server.revive());
                    }
                })?)
            }
            Harm::CutConnection => {
                let proxy = world.proxy.clone();
                Some(Ambush::lay(socket, move || proxy.cut((dice % 4) as u32))?)
            }
            Harm::FillDisk => {
                // Aria, MyISAM and MySQL's binary log wait for room rather than fail.
                let waits = matches!(self.case.way.engine, "Aria" | "MyISAM")
                    || world.server.server().flavour() == Flavour::MySql;
                let disk = if waits || dice.is_multiple_of(3) {
                    Arc::clone(&world.service_disk)
                } else {
                    Arc::clone(&world.server_disk)
                };
                Some(Ambush::lay(socket, move || {
                    let _ = disk.fill();
                })?)
            }
            Harm::RevokeRight => {
                let rights = ["INSERT", "CREATE, DROP", "ALTER", "SELECT", "ALL"];
                let right = rights[(dice % rights.len() as u64) as usize];
                let (server, database) = (world.server.server(), self.database.name().to_owned());
                Some(Ambush::lay(socket, move || {
                    let _ = revoke(server, &database, right);
                })?)
            }
        })
    }

    fn words(&self) -> Vec<String> {
        let path = |name: &str| self.dir.path().join(name).display().to_string();
        let (file, options) = (path("orders.csv"), path("options.json"));
        ["import", &file, "--to", &self.url, "--table", "orders", "--options", &options]
            .map(str::to_owned)
            .to_vec()
    }

    /// Imports; the exit code, none where the program was killed.
    async fn import(&self, failpoint: Option<&str>) -> Result<Option<i32>> {
        self.command(self.words(), failpoint).await
    }

    async fn command(&self, words: Vec<String>, failpoint: Option<&str>) -> Result<Option<i32>> {
        let mut command = tokio::process::Command::from(self.plimsoll.command(words));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        if let Some(failpoint) = failpoint {
            command.env("PLIMSOLL_FAILPOINT", failpoint);
        }
        let ended = tokio::time::timeout(RUN_AT_MOST, command.output()).await;
        Ok(ended.context("it hangs")??.status.code())
    }

    async fn newest(&self) -> Result<Option<Value>> {
        let (_, history) = self.plimsoll.json(["history"])?;
        Ok(history["runs"].get(0).cloned())
    }

    /// Resumes until all is in, or begins anew where nothing was left.
    async fn go_on(&self) -> Result<Story> {
        for resumes in 0..=RESUMES_MAX {
            let Some(run) = self.newest().await? else {
                // It died before it was recorded.
                self.import(None).await?;
                return Ok(Story::BegunAnew);
            };
            if run["status"] == "succeeded" {
                self.assert_counted(&run)?;
                self.sweep_what_is_named(&run).await?;
                return Ok(if resumes == 0 { Story::WentThrough } else { Story::Resumed });
            }
            self.assert_honest(&run).await?;
            if run["resumable"] != true {
                return self.begin_anew(&run).await;
            }
            let id = run["run_id"].as_str().context("a run without an identity")?;
            self.command(vec!["resume".to_owned(), id.to_owned()], None).await?;
        }
        bail!("not whole after {RESUMES_MAX} resumes: {:?}", self.newest().await?)
    }

    /// Helper tables that a success could not remove are named by its record, and go by a sweep.
    async fn sweep_what_is_named(&self, run: &Value) -> Result<()> {
        if self.helpers().await?.is_empty() {
            return Ok(());
        }
        let named = run["outcome"].as_str().is_some_and(|o| o.contains("Helper tables"));
        ensure!(named, "helper tables were left behind that nobody names: {run}");
        let swept = self.command(vec!["sweep".to_owned()], None).await?;
        ensure!(swept == Some(0), "the sweep failed after {run}");
        Ok(())
    }

    async fn begin_anew(&self, run: &Value) -> Result<Story> {
        // What the record could not put back is put back by a sweep, as at a start of the service.
        let swept = self.command(vec!["sweep".to_owned()], None).await?;
        ensure!(swept == Some(0), "the sweep failed after {run}");
        let left = self.helpers().await?;
        ensure!(left.is_empty(), "left behind: {left:?}: {run}");
        if self.case.way.before != Before::Missing {
            let rows = self.database.count("orders").await?;
            ensure!(rows == self.case.rows_before(), "{rows} rows were left: {run}");
        }
        let code = self.import(None).await?;
        ensure!(code == Some(0), "the second import failed: {:?}", self.newest().await?);
        Ok(Story::BegunAnew)
    }

    fn assert_counted(&self, run: &Value) -> Result<()> {
        for count in ["rows_read", "rows_loaded"] {
            ensure!(run[count] == self.case.rows(), "miscounted: {run}");
        }
        Ok(())
    }

    /// What is seen agrees with what the record says.
    async fn assert_honest(&self, run: &Value) -> Result<()> {
        let id = run["run_id"].as_str().unwrap_or_default().to_ascii_lowercase();
        for name in self.helpers().await? {
            ensure!(name.ends_with(&id), "{name} belongs to no run: {run}");
        }
        let there: u64 = self
            .database
            .value(&format!(
                "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{}' \
                 AND TABLE_NAME = 'orders'",
                self.database.name()
            ))
            .await?;
        let rows = if there == 0 { 0 } else { self.database.count("orders").await? };
        let outcome = run["outcome"].as_str().unwrap_or_default();
        if outcome.contains("either all or none") {
            let whole = [self.case.rows_before(), self.case.rows_after()].contains(&rows);
            ensure!(whole, "{rows} rows, but: {run}");
        } else if outcome.contains("as it was") {
            ensure!(rows == self.case.rows_before(), "{rows} rows, but: {run}");
        } else if outcome.contains("All rows are in") {
            ensure!(rows == self.case.rows_after(), "{rows} rows, but: {run}");
        } else {
            ensure!(outcome.contains("chunks"), "nothing is said of what remains: {run}");
        }
        Ok(())
    }

    async fn helpers(&self) -> Result<Vec<String>> {
        let found = self.database.rows("SHOW TABLES LIKE '\\_plimsoll%'").await?;
        Ok(found.concat().into_iter().flatten().collect())
    }

    async fn assert_whole(&self) -> Result<()> {
        let found = self
            .database
            .rows("SELECT COUNT(*), COUNT(DISTINCT id), COUNT(DISTINCT email) FROM orders")
            .await?;
        let want = self.case.rows_after().to_string();
        ensure!(found.concat().iter().all(|n| n.as_ref() == Some(&want)), "{found:?}");
        let sum: u64 = self
            .database
            .value("SELECT CAST(SUM(id) AS UNSIGNED) FROM orders WHERE id < 1000000")
            .await?;
        let rows = self.case.rows();
        ensure!(sum == rows * (rows + 1) / 2, "the ids add up to {sum}");
        let left = self.helpers().await?;
        ensure!(left.is_empty(), "left behind: {left:?}");
        if let Some(before) = &self.definition {
            let after = self.lines().await?;
            ensure!(after == *before, "the table was {before:#?} and is {after:#?}");
        }
        let files = std::fs::read_dir(std::env::temp_dir())?.flatten();
        let runs = self.plimsoll.json(["history"])?.1;
        for file in files {
            let name = file.file_name().to_string_lossy().into_owned();
            let ours = runs["runs"].as_array().into_iter().flatten().any(|run| {
                let id = run["run_id"].as_str().unwrap_or("?").to_ascii_lowercase();
                name.contains(&id)
            });
            ensure!(!ours, "the file {name} was left behind");
        }
        Ok(())
    }
}

/// Takes a right away, and ends the sessions that had it.
fn revoke(server: &'static plimsoll_tests::TestServer, database: &str, right: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut conn = server.connect().await?;
        conn.query_drop(format!("REVOKE {right} ON {database}.* FROM {USER}@'127.0.0.1'")).await?;
        // MySQL has no KILL USER; a session may end before it is killed.
        let sessions: Vec<u64> = conn
            .query(format!("SELECT id FROM information_schema.processlist WHERE user = '{USER}'"))
            .await?;
        for id in sessions {
            let _ = conn.query_drop(format!("KILL {id}")).await;
        }
        Ok(conn.disconnect().await?)
    })
}
