//! A private MariaDB of the service's own: a Unix socket, its own data folder, no network.
//!
//! It is there so that a person without a server can import at once. It stops with the service,
//! and a service that was killed leaves nothing that blocks the next start: a server that still
//! runs on the same data folder is stopped first.

mod process;
mod settings;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use shared::target::TlsMode;

use super::{TargetError, TargetSpec, connect};
use process::Server;

/// The database that the sandbox opens first.
const DATABASE: &str = "sandbox";
const START_TIMEOUT: Duration = Duration::from_secs(90);

/// A running private server.
#[derive(Debug)]
pub struct Sandbox {
    server: Server,
    spec: TargetSpec,
    /// Held as long as the sandbox runs: two services never share one data folder.
    _lock: File,
}

impl Sandbox {
    /// Starts the server in `dir`, making its data folder the first time.
    ///
    /// # Errors
    /// No MariaDB server is installed, the folder cannot be used, another service holds it, or
    /// the server does not start; the message carries the end of the server's own log.
    pub async fn start(dir: &Path) -> Result<Self, TargetError> {
        let dir = dir.to_owned();
        let prepared = tokio::task::spawn_blocking(move || prepare(&dir)).await;
        let (lock, plan) = prepared.map_err(|e| failure(&format!("cannot be prepared: {e}")))??;
        let server = match launch(&plan, true).await {
            Ok(server) => server,
            // A plugin that does not fit the server must not cost the whole sandbox.
            Err(_) if plan.rocksdb => launch(&plan, false).await?,
            Err(error) => return Err(error),
        };
        let spec = plan.spec();
        Ok(Self { server, spec, _lock: lock })
    }

    /// How to connect.
    #[must_use]
    pub const fn spec(&self) -> &TargetSpec {
        &self.spec
    }

    /// The server's process.
    #[must_use]
    pub const fn process_id(&self) -> u32 {
        self.server.process_id()
    }

    /// Stops the server in good order.
    pub async fn stop(self) {
        let Self { server, _lock, .. } = self;
        // Nothing is to be done about a stop that fails: the next start clears it up.
        let _ = tokio::task::spawn_blocking(move || server.stop()).await;
    }
}

/// Where everything of one sandbox lies.
#[derive(Debug, Clone)]
struct Plan {
    server: PathBuf,
    dir: PathBuf,
    socket: PathBuf,
    rocksdb: bool,
}

impl Plan {
    fn spec(&self) -> TargetSpec {
        TargetSpec {
            name: "Sandbox".to_owned(),
            host: String::new(),
            port: 0,
            socket: Some(self.socket.to_string_lossy().into_owned()),
            user: "root".to_owned(),
            password: None,
            database: Some(DATABASE.to_owned()),
            tls: TlsMode::Off,
            ca_pem: None,
        }
    }
}

fn failure(what: &str) -> TargetError {
    TargetError::Sandbox {
        message: format!("The sandbox server {what}."),
        hint: "Save a target of your own instead, or mend this and start again.".to_owned(),
    }
}

fn prepare(dir: &Path) -> Result<(File, Plan), TargetError> {
    let cannot = |what: &str| failure(&format!("cannot use {}: {what}", dir.display()));
    std::fs::create_dir_all(dir.join("files")).map_err(|e| cannot(&e.to_string()))?;
    let dir = dir.canonicalize().map_err(|e| cannot(&e.to_string()))?;
    settings::only_for_owner(&dir).map_err(|e| cannot(&e.to_string()))?;
    let lock = File::create(dir.join("lock")).map_err(|e| cannot(&e.to_string()))?;
    lock.try_lock().map_err(|_| TargetError::Sandbox {
        message: format!("Another service uses the sandbox server in {}.", dir.display()),
        hint: "Stop the other one, or start this one with another --data folder.".to_owned(),
    })?;
    let tools = settings::find_tools()?;
    let socket = settings::socket_path(&dir).map_err(|e| cannot(&e.to_string()))?;
    process::stop_leftover(&dir);
    process::install(&tools, &dir)?;
    let _ = std::fs::remove_file(&socket);
    Ok((lock, Plan { server: tools.server, rocksdb: tools.rocksdb, dir, socket }))
}

async fn launch(plan: &Plan, with_plugins: bool) -> Result<Server, TargetError> {
    let arguments = settings::arguments(&plan.dir, &plan.socket, plan.rocksdb && with_plugins);
    let mut server = Server::spawn(&plan.server, arguments, &plan.dir)?;
    let mut spec = plan.spec();
    spec.database = None;
    let begun = Instant::now();
    loop {
        match connect(&spec).await {
            Ok(mut conn) => {
                conn.query_drop(format!("CREATE DATABASE IF NOT EXISTS {DATABASE}"))
                    .await
                    .map_err(|e| TargetError::from_driver("the first database", &e))?;
                let _ = conn.disconnect().await;
                return Ok(server);
            }
            Err(error) => {
                if server.has_ended() || begun.elapsed() > START_TIMEOUT {
                    let log = process::end_of_log(&plan.dir);
                    return Err(failure(&format!("does not start: {error} Its log ends: {log}")));
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}
