//! Opening connections, and stopping what runs on one from another.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, SslOpts};
use secrecy::ExposeSecret;
use shared::target::TlsMode;

use super::{TargetError, TargetSpec};

/// Longest wait for a server that accepts a connection and then says nothing.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// Opens a connection.
///
/// # Errors
/// A sentence for each way in which it can fail; see [`TargetError`].
pub async fn connect(spec: &TargetSpec) -> Result<Conn, TargetError> {
    open(spec, options(spec)).await
}

/// Opens a connection that writes: `init` runs before anything else does.
///
/// # Errors
/// As [`connect`].
pub async fn connect_loader(spec: &TargetSpec, init: Vec<String>) -> Result<Conn, TargetError> {
    open(spec, options(spec).init(init)).await
}

/// Stops the statement that connection `id` runs. Nothing happens where it has ended by itself.
///
/// # Errors
/// As [`connect`], or the server refuses.
pub async fn kill_query(spec: &TargetSpec, id: u32) -> Result<(), TargetError> {
    kill(spec, &format!("KILL QUERY {id}")).await
}

/// Ends connection `id`. Nothing happens where it has ended by itself.
///
/// # Errors
/// As [`connect`], or the server refuses.
pub async fn kill_connection(spec: &TargetSpec, id: u32) -> Result<(), TargetError> {
    kill(spec, &format!("KILL {id}")).await
}

async fn kill(spec: &TargetSpec, statement: &str) -> Result<(), TargetError> {
    const UNKNOWN_THREAD: u16 = 1094;
    let mut conn = connect(spec).await?;
    let outcome = match conn.query_drop(statement).await {
        Err(mysql_async::Error::Server(e)) if e.code == UNKNOWN_THREAD => Ok(()),
        other => other.map_err(|e| TargetError::from_driver("the stop of a statement", &e)),
    };
    // The statement has been given; how the parting goes changes nothing.
    let _ = conn.disconnect().await;
    outcome
}

async fn open(spec: &TargetSpec, options: OptsBuilder) -> Result<Conn, TargetError> {
    let address = spec.address();
    let conn = tokio::time::timeout(CONNECT_TIMEOUT, Conn::new(options)).await.map_err(|_| {
        TargetError::CannotConnect {
            address: address.clone(),
            reason: format!("it did not answer within {} seconds", CONNECT_TIMEOUT.as_secs()),
        }
    })?;
    conn.map_err(|e| TargetError::from_connect(&address, &spec.user, spec.database.as_deref(), &e))
}

fn options(spec: &TargetSpec) -> OptsBuilder {
    let mut options = OptsBuilder::default()
        .user(Some(spec.user.clone()))
        .pass(spec.password.as_ref().map(|p| p.expose_secret().to_owned()))
        .db_name(spec.database.clone())
        // The driver would move from an address of this machine to the server's socket by itself,
        // past any tunnel or proxy that the address stands for.
        .prefer_socket(false)
        .tcp_keepalive(Some(Duration::from_secs(30)))
        .stmt_cache_size(16usize);
    if let Some(socket) = &spec.socket {
        options = options.socket(Some(socket.clone()));
    } else {
        options = options.ip_or_hostname(spec.host.clone()).tcp_port(spec.port);
        options = options.ssl_opts(tls(spec));
    }
    options
}

fn tls(spec: &TargetSpec) -> Option<SslOpts> {
    let own_roots = || match &spec.ca_pem {
        Some(pem) => SslOpts::default()
            .with_root_certs(vec![pem.clone().into_bytes().into()])
            .with_disable_built_in_roots(true),
        None => SslOpts::default(),
    };
    match spec.tls {
        TlsMode::Off => None,
        TlsMode::Required => {
            let any = SslOpts::default().with_danger_accept_invalid_certs(true);
            Some(any.with_danger_skip_domain_validation(true))
        }
        TlsMode::Verify => Some(own_roots()),
    }
}
