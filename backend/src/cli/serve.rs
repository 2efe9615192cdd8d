//! The service: recovery, the sandbox, the routes, an orderly stop.

use std::io::Write;

use secrecy::ExposeSecret as _;
use shared::error::{ErrorBody, ErrorCode};
use shared::target::NewTarget;
use tokio::signal::unix::{SignalKind, signal};

use crate::http::{self, ServeOptions, TokenRule};
use crate::run::{KEEP, Runs};
use crate::target::TargetSpec;
use crate::target::sandbox::Sandbox;

use super::Stop;
use super::args::ServeArgs;
use super::input::user;

/// Serves until it is told to stop.
pub async fn serve(runs: Runs, args: &ServeArgs) -> Result<u8, Stop> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    if !args.bind.ip().is_loopback() && args.no_token {
        tracing::warn!("Everyone who reaches {} may import and delete.", args.bind);
    }
    let options = ServeOptions {
        bind: args.bind,
        token: if args.no_token { TokenRule::Off } else { TokenRule::Random },
        host_names: args.host_name.clone(),
        behind_proxy: args.behind_proxy,
        who: user(),
        upload_bytes_max: args.upload_max,
        dist: args.dashboard.clone(),
        files: args.files.clone(),
        ..ServeOptions::default()
    };
    let sandbox = start_sandbox(&runs, &args.sandbox).await?;
    // What an earlier service left half done is put back before anyone can start anew.
    runs.recover().await?;
    tokio::spawn(sweep(runs.clone()));
    let serving = match http::serve(runs, options).await {
        Ok(serving) => serving,
        Err(error) => {
            stop_sandbox(sandbox).await;
            return Err(Stop::Failed(ErrorBody::new(ErrorCode::Internal, format!("{error}."))));
        }
    };
    writeln!(std::io::stdout(), "{}", serving.url())?;
    std::io::stdout().flush()?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    tracing::info!("Stopping.");
    serving.stop().await;
    stop_sandbox(sandbox).await;
    Ok(super::ALL_IN)
}

/// Removes what dead runs have left, beside the service's own work: a target may be far or gone.
async fn sweep(runs: Runs) {
    match runs.sweep_runs(KEEP).await {
        Ok(swept) => {
            for s in swept.iter().filter(|s| s.done) {
                tracing::info!(run = %s.run_id, outcome = %s.outcome, "swept");
            }
        }
        Err(e) => tracing::warn!(error = %e, "nothing could be swept"),
    }
}

/// Starts the private server where it is asked for, or where there is no other target to load into.
async fn start_sandbox(runs: &Runs, when: &str) -> Result<Option<Sandbox>, Stop> {
    let store = runs.store();
    let has_others = store.targets().await?.iter().any(|target| !target.sandbox);
    if when == "off" || (when == "auto" && has_others) {
        return Ok(None);
    }
    match Sandbox::start(&store.data_dir().join("sandbox")).await {
        Ok(sandbox) => {
            store.target_insert(&as_target(sandbox.spec()), true).await?;
            Ok(Some(sandbox))
        }
        // Without a MariaDB on this machine the service still works with targets elsewhere.
        Err(error) if when == "auto" => {
            tracing::warn!("No sandbox server: {}", error.body());
            Ok(None)
        }
        Err(error) => Err(Stop::Failed(error.body())),
    }
}

fn as_target(spec: &TargetSpec) -> NewTarget {
    NewTarget {
        name: spec.name.clone(),
        host: spec.host.clone(),
        port: spec.port,
        socket: spec.socket.clone(),
        user: spec.user.clone(),
        password: spec.password.as_ref().map(|p| p.expose_secret().to_owned()),
        database: spec.database.clone(),
        tls: spec.tls,
        ca_pem: spec.ca_pem.clone(),
    }
}

async fn stop_sandbox(sandbox: Option<Sandbox>) {
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
}
