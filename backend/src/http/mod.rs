//! Routes, extractors, uploads, server-sent events: the service as the browser and scripts see it.
//!
//! Handlers parse, call a room, and give its answer a wire shape; they decide nothing.

mod about;
mod access;
mod assets;
mod audit;
mod csv;
mod error;
mod estimate;
mod events;
mod health;
mod history;
mod people;
mod recipes;
mod rejects;
mod rights;
mod runs;
mod sources;
mod targets;
mod uploads;
mod visitor;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use actix_web::dev::{ServerHandle, Service as _};
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, web};
use tokio::sync::watch;

pub use access::TokenRule;
pub use error::{ApiError, status_of};
pub use uploads::UploadLimits;

use crate::people::{Clock, People, system_clock};
use crate::run::Runs;
use crate::source::Folder;
use crate::store::Store;
use access::{Access, AccessOptions};
use assets::Assets;
use rights::Routes;
use uploads::Uploads;

/// How the service is to be reached and what it takes.
#[derive(Clone)]
pub struct ServeOptions {
    /// Where it listens; port 0 takes a free one.
    pub bind: SocketAddr,
    /// How people get in.
    pub token: TokenRule,
    /// Names under which it may be called, besides `localhost` and addresses.
    pub host_names: Vec<String>,
    /// Whether there is a proxy before it that tells callers' addresses.
    pub behind_proxy: bool,
    /// The name under which runs are recorded while nobody has an account.
    pub who: String,
    /// By which invitations, sessions and tokens end.
    pub clock: Clock,
    /// Bytes of one upload at most.
    pub upload_bytes_max: u64,
    /// Bytes of the disk that uploads leave free.
    pub disk_reserve_bytes: u64,
    /// A folder with the dashboard, in the place of the embedded one.
    pub dist: Option<PathBuf>,
    /// A folder whose files may be imported without being uploaded.
    pub files: Option<PathBuf>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from(([127, 0, 0, 1], 8620)),
            token: TokenRule::Random,
            host_names: Vec::new(),
            behind_proxy: false,
            clock: system_clock(),
            who: std::env::var("USER").unwrap_or_else(|_| "someone".to_owned()),
            upload_bytes_max: 1 << 40,
            disk_reserve_bytes: 512 << 20,
            dist: None,
            files: None,
        }
    }
}

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The dashboard's folder cannot be read.
    #[error("the dashboard in {path} cannot be read: {source}")]
    Dist {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder of files to import cannot be read.
    #[error("{}", .0.message)]
    Files(shared::ErrorBody),
    /// It cannot be told who has an account.
    #[error("the accounts cannot be read: {0}")]
    People(String),
    /// No random numbers, or no key.
    #[error("the session key cannot be made: {0}")]
    Key(String),
}

/// What every handler may use.
pub struct State {
    runs: Runs,
    store: Store,
    uploads: Arc<Uploads>,
    /// The folder whose files may be imported where they lie.
    files: Option<Folder>,
    /// Becomes true when the service ends, for answers that would go on for ever.
    stopping: watch::Receiver<bool>,
    /// The runtime of the caller of [`serve`]. What outlives a request, or works hard, belongs
    /// there: a handler's own runtime is one thread, and ends with the service.
    runtime: tokio::runtime::Handle,
}

impl State {
    /// Does something on the service's own runtime, whatever becomes of the request.
    async fn apart<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.runtime.spawn(work).await.map_err(|e| anyhow::Error::from(e).into())
    }
}

/// A service that is running.
pub struct Serving {
    /// Where it listens.
    pub address: SocketAddr,
    token: Option<String>,
    handle: ServerHandle,
    stopping: watch::Sender<bool>,
    server: tokio::task::JoinHandle<io::Result<()>>,
    sweeper: tokio::task::JoinHandle<()>,
}

impl Serving {
    /// The address to open in a browser, with the token that lets it in.
    #[must_use]
    pub fn url(&self) -> String {
        let mut at = self.address;
        if at.ip().is_unspecified() {
            at.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        match &self.token {
            Some(token) => format!("http://{at}/?token={token}"),
            None => format!("http://{at}/"),
        }
    }

    /// Ends it: no new connections, open requests get some seconds to end.
    pub async fn stop(self) {
        self.sweeper.abort();
        // Fails only where nothing is left that listens.
        let _ = self.stopping.send(true);
        self.handle.stop(true).await;
        if let Ok(Err(error)) = self.server.await {
            tracing::warn!("The service did not end well: {error}");
        }
    }
}

/// Starts the service and returns as soon as it listens.
///
/// # Errors
/// If it cannot listen, or its key or its dashboard cannot be read.
pub async fn serve(runs: Runs, options: ServeOptions) -> Result<Serving, ServeError> {
    let store = runs.store().clone();
    let listener = std::net::TcpListener::bind(options.bind)
        .and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) =
        listener.map_err(|source| ServeError::Bind { address: options.bind, source })?;
    let assets = match &options.dist {
        None => Assets::embedded(),
        Some(path) => Assets::from_dir(path)
            .map_err(|source| ServeError::Dist { path: path.clone(), source })?,
    };
    let files = options.files.as_deref().map(Folder::open).transpose();
    let files = files.map_err(|error| ServeError::Files(error.body()))?;
    let key = session_key(&store.data_dir().join("session.key"))
        .map_err(|error| ServeError::Key(error.to_string()))?;
    let people = People::new(store.clone(), options.clock);
    let has_accounts = people.any().await.map_err(|e| ServeError::People(e.to_string()))?;
    let access = AccessOptions {
        rule: options.token,
        port: address.port(),
        host_names: options.host_names,
        behind_proxy: options.behind_proxy,
        who: options.who,
    };
    let access =
        Access::new(access, &key, people).map_err(|error| ServeError::Key(error.to_string()))?;
    let token = access.token.clone().filter(|_| !has_accounts);
    let limits = UploadLimits {
        bytes_max: options.upload_bytes_max,
        reserve_bytes: options.disk_reserve_bytes,
    };
    let uploads = Arc::new(Uploads::new(store.clone(), limits));
    let sweeper = tokio::spawn(uploads::sweep_hourly(uploads.clone()));
    let (stopping, stopping_rx) = watch::channel(false);
    let state = web::Data::new(State {
        runs,
        store,
        uploads,
        files,
        stopping: stopping_rx,
        runtime: tokio::runtime::Handle::current(),
    });
    let headers = Arc::new(assets::security_headers(&assets.policy));
    let (access, assets) = (web::Data::new(access), web::Data::new(assets));
    let server = HttpServer::new(move || {
        let headers = headers.clone();
        App::new()
            .app_data(state.clone())
            .app_data(access.clone())
            .app_data(assets.clone())
            .configure(error::configure)
            .configure(routes)
            .wrap(from_fn(access::guard))
            .wrap_fn(move |request, service| {
                let headers = headers.clone();
                let answer = service.call(request);
                async move {
                    let mut answer = answer.await?;
                    for (name, value) in headers.iter() {
                        answer.headers_mut().insert(name.clone(), value.clone());
                    }
                    Ok(answer)
                }
            })
    })
    .workers(std::thread::available_parallelism().map_or(2, usize::from).min(4))
    .shutdown_timeout(5)
    .disable_signals()
    .listen(listener)
    .map_err(|source| ServeError::Bind { address, source })?
    .run();
    let handle = server.handle();
    let server = tokio::spawn(server);
    Ok(Serving { address, token, handle, stopping, server, sweeper })
}

fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/healthz", web::get().to(health::healthz))
        .route("/readyz", web::get().to(health::readyz))
        .service(
            web::scope("/api/v1").configure(api).default_service(web::to(error::no_such_route)),
        )
        .service(web::scope("/api").default_service(web::to(error::no_such_route)))
        .default_service(web::to(assets::serve_asset));
}

fn api(config: &mut web::ServiceConfig) {
    let mut routes = Routes::new(config);
    for room in [
        about::routes,
        people::routes,
        audit::routes,
        uploads::routes,
        sources::routes,
        targets::routes,
        recipes::routes,
        history::routes,
        runs::routes,
        estimate::routes,
    ] {
        room(&mut routes);
    }
}

/// Reads the key that keeps sessions over restarts, or makes it, readable by its owner only.
fn session_key(path: &std::path::Path) -> io::Result<Vec<u8>> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    match std::fs::read(path) {
        Ok(key) if key.len() >= 32 => return Ok(key),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut key = vec![0; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).open(path)?.write_all(&key)?;
    Ok(key)
}
