//! The service: recovery, the sandbox, the routes, an orderly stop.

use std::io::Write;

use shared::error::{ErrorBody, ErrorCode};

use crate::run::Runs;

use super::Stop;
use super::args::ServeArgs;

/// Serves until it is told to stop.
pub async fn serve(runs: Runs, args: &ServeArgs) -> Result<u8, Stop> {
    let _ = (&runs, args.bind, &args.sandbox, args.upload_max, &args.dashboard);
    writeln!(std::io::stdout(), "http://{}", args.bind)?;
    Err(Stop::Failed(ErrorBody::new(ErrorCode::Internal, "The routes are still being built.")))
}
