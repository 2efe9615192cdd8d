//! A private server to measure on, with the settings of the workload and nothing else on it.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::process;
use crate::workspace::Workspace;

/// The script that brings a real MySQL, where the clone has it as a neighbour.
const MYSQL_SCRIPT: &str = "../shared/tools/mysql-server";
const START_AT_MOST: Duration = Duration::from_secs(60);

/// The server's family.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The distribution's MariaDB.
    Mariadb,
    /// MySQL, by the script.
    Mysql,
}

/// A running server; it and its data go with the value.
pub struct Server {
    family: Family,
    port: u16,
    child: Option<Child>,
    folder: PathBuf,
    script: PathBuf,
}

impl Server {
    /// Starts one with a buffer pool of `pool_mb` megabytes, a redo log that never fills, and a
    /// disk that is asked to keep what is committed.
    pub fn start(workspace: &Workspace, family: Family, pool_mb: u32) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let folder = workspace.target().join("xtask").join(format!("bench-server-{port}"));
        let script = workspace.path(MYSQL_SCRIPT);
        let mut server = Self { family, port, child: None, folder, script };
        match family {
            Family::Mariadb => server.start_mariadb(pool_mb)?,
            Family::Mysql => server.start_mysql(pool_mb)?,
        }
        server.sql("CREATE DATABASE bench")?;
        Ok(server)
    }

    fn start_mariadb(&mut self, pool_mb: u32) -> Result<()> {
        let install = process::find("mariadb-install-db").context("MariaDB is not installed")?;
        let data = self.folder.join("data");
        fs::create_dir_all(&data)?;
        let data_option = format!("--datadir={}", data.display());
        process::capture(
            Command::new(install).args(["--no-defaults", "--skip-test-db"]).arg(&data_option).args(
                ["--auth-root-authentication-method=normal", "--skip-name-resolve", "--force"],
            ),
        )?;
        let program = process::find("mariadbd").context("MariaDB is not installed")?;
        let mut command = Command::new(program);
        command.args(["--no-defaults", "--user=root", "--bind-address=127.0.0.1"]);
        command.arg(data_option).arg(format!("--port={}", self.port));
        command.arg(format!("--socket={}", self.folder.join("s").display()));
        command.arg(format!("--log-error={}", self.folder.join("log").display()));
        command.arg(format!("--innodb-buffer-pool-size={pool_mb}M"));
        command.args([
            "--innodb-log-file-size=2G",
            "--innodb-flush-log-at-trx-commit=1",
            "--local-infile=1",
            "--max-allowed-packet=64M",
            "--character-set-server=utf8mb4",
            "--skip-log-bin",
            "--skip-name-resolve",
            "--plugin-load-add=ha_rocksdb",
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.spawn().context("starting mariadbd")?);
        let begun = Instant::now();
        while self.sql("SELECT 1").is_err() {
            if begun.elapsed() > START_AT_MOST {
                bail!("mariadbd does not answer; see {}", self.folder.display());
            }
            sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    fn start_mysql(&mut self, pool_mb: u32) -> Result<()> {
        let mut command = Command::new(&self.script);
        command.arg("start").arg(self.port.to_string());
        command.arg(format!("--innodb-buffer-pool-size={pool_mb}M"));
        command.args(["--innodb-redo-log-capacity=2G", "--max-allowed-packet=64M"]);
        process::capture(&mut command).context("MySQL is started by a script beside the clone")?;
        Ok(())
    }

    /// The URL of the database.
    pub fn url(&self) -> String {
        format!("mysql://root@127.0.0.1:{}/bench", self.port)
    }

    /// A client's command line, ready for `-e`.
    pub fn client(&self) -> Command {
        let mut command = Command::new("mariadb");
        command.args(["--no-defaults", "-uroot", "-h127.0.0.1", "--local-infile=1", "-N"]);
        command.arg(format!("-P{}", self.port));
        command
    }

    /// Runs statements and gives what they print.
    pub fn sql(&self, statements: &str) -> Result<String> {
        process::capture(self.client().args(["-e", statements]))
    }

    /// Waits until nothing is left to be written back, so that no load pays for the one before.
    pub fn settle(&self) -> Result<()> {
        let ask = "SELECT variable_value FROM information_schema.global_status \
                   WHERE variable_name = 'Innodb_buffer_pool_pages_dirty'";
        let ask = match self.family {
            Family::Mariadb => ask.to_owned(),
            Family::Mysql => ask.replace("information_schema", "performance_schema"),
        };
        self.sql("SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0.001; SET GLOBAL innodb_max_dirty_pages_pct = 0.001")?;
        let begun = Instant::now();
        while self.sql(&ask)?.trim().parse::<u64>().unwrap_or(0) > 50
            && begun.elapsed() < START_AT_MOST
        {
            sleep(Duration::from_millis(100));
        }
        self.sql("SET GLOBAL innodb_max_dirty_pages_pct = DEFAULT; SET GLOBAL innodb_max_dirty_pages_pct_lwm = DEFAULT")?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
        if self.family == Family::Mysql {
            let _ = process::capture(Command::new(&self.script).arg("stop"));
        }
        let _ = remove(&self.folder);
    }
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}
