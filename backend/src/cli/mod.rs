//! The commands. No logic of their own: they call what the routes call.

mod args;
mod bar;
mod foresee;
mod foresee_args;
mod input;
mod serve;
mod show;
mod user;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use shared::api::RunQuery;
use shared::error::{ErrorBody, ErrorCode};
use shared::run::{ImportReport, RunStatus};

use crate::run::{KEEP, RunError, Runs};
use crate::store::{Store, StoreError};
use crate::target::TargetSpec;

use args::{
    Cli, Command, HistoryArgs, ImportArgs, MendArgs, RecipesArgs, RejectsArgs, RunArgs, SweepArgs,
};

/// All rows are in.
const ALL_IN: u8 = 0;
/// It failed.
const FAILED: u8 = 1;
/// The command line cannot be understood.
const USAGE: u8 = 2;
/// In, with rejects.
const WITH_REJECTS: u8 = 3;

/// Why a command ends early.
enum Stop {
    /// The command line cannot be understood.
    Usage(ErrorBody),
    /// It failed.
    Failed(ErrorBody),
}

impl From<RunError> for Stop {
    fn from(e: RunError) -> Self {
        Self::Failed(e.body())
    }
}

impl From<StoreError> for Stop {
    fn from(e: StoreError) -> Self {
        Self::Failed(e.body())
    }
}

impl From<std::io::Error> for Stop {
    fn from(e: std::io::Error) -> Self {
        Self::Failed(ErrorBody::new(ErrorCode::Internal, format!("{e}.")))
    }
}

/// Does what the command line says and gives the process's exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are no errors; clap knows where each is to be printed.
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { USAGE } else { ALL_IN });
        }
    };
    log_to_stderr(&cli.command);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            show::error(&ErrorBody::new(ErrorCode::Internal, format!("{e}.")));
            return ExitCode::from(FAILED);
        }
    };
    match runtime.block_on(run(cli)) {
        Ok(code) => ExitCode::from(code),
        Err(Stop::Usage(body)) => {
            show::error(&body);
            ExitCode::from(USAGE)
        }
        Err(Stop::Failed(body)) => {
            show::error(&body);
            ExitCode::from(FAILED)
        }
    }
}

/// The service logs; a command only where something is wrong.
fn log_to_stderr(command: &Command) {
    let level =
        if matches!(command, Command::Serve(_)) { "info,actix_server=warn" } else { "error" };
    let filter = tracing_subscriber::EnvFilter::try_from_env("PLIMSOLL_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .without_time()
        .try_init();
}

async fn run(cli: Cli) -> Result<u8, Stop> {
    let data = match cli.data {
        Some(dir) => dir,
        None => default_data_dir()?,
    };
    let store = Store::open(&data, cli.control.as_deref()).await?;
    let runs = Runs::new(store)?;
    match cli.command {
        Command::Serve(args) => serve::serve(runs, &args).await,
        Command::Import(args) => import(&runs, &args).await,
        Command::Check(args) => check(&runs, &args).await,
        Command::Plan(args) => plan(&runs, &args).await,
        Command::Estimate(args) => foresee::estimate(&runs, &args).await,
        Command::Trial(args) => foresee::trial(&runs, &args).await,
        Command::History(args) => history(&runs, args).await,
        Command::Recipes(args) => recipes(&runs, &args).await,
        Command::Resume(args) => resume(&runs, &args).await,
        Command::Cancel(args) => cancel(&runs, &args).await,
        Command::Rejects(args) => rejects(&runs, args).await,
        Command::Mend(args) => mend(&runs, args).await,
        Command::Sweep(args) => sweep(&runs, &args).await,
        Command::User(args) => user::user(runs.store(), &args).await,
    }
}

fn default_data_dir() -> Result<PathBuf, Stop> {
    directories::ProjectDirs::from("", "", "plimsoll").map(|d| d.data_dir().to_owned()).ok_or_else(
        || {
            Stop::Usage(ErrorBody::new(
                ErrorCode::BadOption,
                "This user has no home folder: name a data folder by --data or PLIMSOLL_DATA.",
            ))
        },
    )
}

async fn import(runs: &Runs, args: &ImportArgs) -> Result<u8, Stop> {
    let input = input::run_input(runs.store(), args).await.map_err(Stop::Usage)?;
    let run = runs.start(input).await?;
    if let Some(name) = &args.wishes.recipe {
        runs.store().recipe_used(name).await?;
    }
    finish(runs, &run.run_id, args.json).await
}

async fn resume(runs: &Runs, args: &RunArgs) -> Result<u8, Stop> {
    runs.recover_marks().await?;
    let run = runs.resume(&args.run, &input::user()).await?;
    finish(runs, &run.run_id, args.json).await
}

async fn rejects(runs: &Runs, args: RejectsArgs) -> Result<u8, Stop> {
    match args.out {
        Some(path) => runs.write_records(&args.run, std::fs::File::create(path)?).await?,
        None => runs.write_records(&args.run, std::io::stdout()).await?,
    }
    Ok(ALL_IN)
}

async fn mend(runs: &Runs, args: MendArgs) -> Result<u8, Stop> {
    let target = TargetSpec::from_url(&args.to).map_err(|e| Stop::Usage(e.body()))?;
    let who = args.who.unwrap_or_else(input::user);
    let input = runs.mended(&args.run, args.file, target, &who).await?;
    let run = runs.start(input).await?;
    finish(runs, &run.run_id, args.json).await
}

/// Follows a run to its end, cancels it on Ctrl-C, prints what came of it.
async fn finish(runs: &Runs, run_id: &str, json: bool) -> Result<u8, Stop> {
    if let Some(progress) = runs.subscribe(run_id) {
        let mut shown = tokio::spawn(bar::follow(progress));
        tokio::select! {
            _ = &mut shown => {}
            _ = tokio::signal::ctrl_c() => {
                runs.cancel(run_id).await?;
                let _ = shown.await;
            }
        }
    }
    runs.wait(run_id).await?;
    let report = runs.report(run_id).await?;
    if json {
        show::json(&report)?;
    } else {
        show::warnings(&runs.view(run_id).await?.prechecks)?;
        if let Some(body) = &report.error {
            show::error(body);
        }
        show::report(&report)?;
    }
    Ok(exit_code(&report))
}

fn exit_code(report: &ImportReport) -> u8 {
    match report.status {
        RunStatus::Succeeded => ALL_IN,
        RunStatus::SucceededWithRejects => WITH_REJECTS,
        _ => FAILED,
    }
}

async fn check(runs: &Runs, args: &ImportArgs) -> Result<u8, Stop> {
    let input = input::run_input(runs.store(), args).await.map_err(Stop::Usage)?;
    let answer = match runs.check(&input).await {
        Ok(answer) => answer,
        Err(e) => return refused(&e, args.json),
    };
    if args.json {
        show::json(&answer)?;
    } else {
        show::check(&answer)?;
    }
    Ok(if answer.rows_refused > 0 { WITH_REJECTS } else { ALL_IN })
}

async fn plan(runs: &Runs, args: &ImportArgs) -> Result<u8, Stop> {
    let input = input::run_input(runs.store(), args).await.map_err(Stop::Usage)?;
    let plan = match runs.plan(&input).await {
        Ok(plan) => plan,
        Err(e) => return refused(&e, args.json),
    };
    if args.json {
        show::json(&plan)?;
    } else {
        show::plan(&plan)?;
    }
    Ok(ALL_IN)
}

fn refused(e: &RunError, json: bool) -> Result<u8, Stop> {
    if !json {
        return Err(Stop::Failed(e.body()));
    }
    show::json(&serde_json::json!({ "error": e.body() }))?;
    Ok(FAILED)
}

async fn history(runs: &Runs, args: HistoryArgs) -> Result<u8, Stop> {
    runs.recover_marks().await?;
    let query = RunQuery {
        text: args.text,
        status: args.status,
        target: args.target,
        who: args.who,
        engine: args.engine,
        strategy: args.strategy,
        limit: Some(args.limit),
        offset: Some(args.offset),
        ..RunQuery::default()
    };
    let page = runs.store().runs(&query).await?;
    if args.json {
        show::json(&page)?;
    } else {
        show::history(&page.runs, page.total)?;
    }
    Ok(ALL_IN)
}

async fn recipes(runs: &Runs, args: &RecipesArgs) -> Result<u8, Stop> {
    let recipes = runs.store().recipes().await?;
    if args.json {
        show::json(&serde_json::json!({ "recipes": recipes }))?;
    } else {
        show::recipes(&recipes)?;
    }
    Ok(ALL_IN)
}

async fn cancel(runs: &Runs, args: &RunArgs) -> Result<u8, Stop> {
    runs.recover_marks().await?;
    runs.cancel(&args.run).await?;
    let run = runs.wait(&args.run).await?;
    if args.json {
        show::json(&run)?;
    } else if let Some(outcome) = &run.outcome {
        use std::io::Write;
        writeln!(std::io::stdout(), "The run is {}. {outcome}", run.status.as_str())?;
    }
    Ok(ALL_IN)
}

async fn sweep(runs: &Runs, args: &SweepArgs) -> Result<u8, Stop> {
    let keep = args.older_than.map_or(KEEP, |days| Duration::from_secs(u64::from(days) * 86_400));
    let swept = runs.sweep_runs(keep).await?;
    if args.json {
        show::json(&serde_json::json!({ "swept": swept }))?;
    } else {
        show::swept(&swept)?;
    }
    Ok(if swept.iter().all(|s| s.done) { ALL_IN } else { FAILED })
}
