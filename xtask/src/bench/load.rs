//! `cargo xtask bench load [WORKLOAD…]`: whole imports against the plain way, in turn.
//!
//! Both are timed as a person would: from the command's start to its end, on one server, from one
//! file, each load after the server has come to rest. The median of the turns counts.

mod server;
mod workload;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use self::server::Server;
use self::workload::{Against, WORKLOADS, Workload, create_table};
use super::orders::{self, Ids};
use crate::args::Args;
use crate::say;
use crate::service;
use crate::workspace::Workspace;

const TURNS: usize = 3;
/// What is compared with is not waited for longer than this, nor made again.
const CAP: Duration = Duration::from_secs(300);

/// Runs the workloads that are named, or all, and prints a table.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let turns = args.value("--turns")?.map_or(Ok(TURNS), |n| n.parse()).context("--turns")?;
    let mut chosen: Vec<&Workload> = Vec::new();
    while let Some(name) = args.command() {
        let found = WORKLOADS.iter().find(|w| w.name == name);
        chosen.push(found.with_context(|| format!("no workload is called `{name}`"))?);
    }
    if chosen.is_empty() {
        chosen.extend(WORKLOADS);
    }
    service::build(workspace, true)?;
    say::line(&format!(
        "{:<62} {:>9} {:>9} {:>7} {:>7}",
        "", "plain s", "ours s", "ratio", "wanted"
    ));
    let mut met = true;
    for workload in chosen {
        let (plain, ours) = measure(workspace, workload, turns)?;
        let ratio = plain.secs / ours.secs;
        met &= ratio >= workload.wanted;
        say::line(&format!(
            "{:<62} {:>9} {:>9} {:>7} {:>7}",
            workload.about,
            plain.told(),
            ours.told(),
            format!("{}{ratio:.2}", if plain.cut { "> " } else { "" }),
            workload.wanted,
        ));
        say::line(&format!("    turns: {} | {}", plain.turns(), ours.turns()));
    }
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The median of some turns.
struct Taken {
    secs: f64,
    all: Vec<f64>,
    /// Whether the load was not waited for.
    cut: bool,
}

impl Taken {
    fn of(all: &[Option<Duration>]) -> Self {
        let cut = all.iter().any(Option::is_none);
        let mut secs: Vec<f64> = all.iter().map(|t| t.unwrap_or(CAP).as_secs_f64()).collect();
        let all = secs.clone();
        secs.sort_by(f64::total_cmp);
        Self { secs: secs.get(secs.len() / 2).copied().unwrap_or(f64::NAN), all, cut }
    }

    fn told(&self) -> String {
        format!("{}{:.2}", if self.cut { "> " } else { "" }, self.secs)
    }

    fn turns(&self) -> String {
        let all: Vec<String> = self.all.iter().map(|secs| format!("{secs:.2}")).collect();
        all.join(", ")
    }
}

fn measure(workspace: &Workspace, w: &Workload, turns: usize) -> Result<(Taken, Taken)> {
    let first = w.rows_before + 1;
    let file = orders::file(workspace, w.ids, first, w.rows)?;
    let before = match w.rows_before {
        0 => None,
        rows => Some(orders::file(workspace, Ids::InOrder, 1, rows)?),
    };
    let mut server = Server::start(workspace, w.family, w.pool_mb)?;
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..turns.max(1) {
        prepare(&server, w, w.engine, before.as_deref())?;
        ours.push(import(workspace, &server, &file, w, w.options, None)?);
        if plain.contains(&None) {
            continue;
        }
        let engine = if w.against == Against::PlainInnodb { "InnoDB" } else { w.engine };
        prepare(&server, w, engine, before.as_deref())?;
        let took = match w.against {
            Against::Unsorted => {
                import(workspace, &server, &file, w, "{\"order\": \"as_is\"}", Some(CAP))?
            }
            Against::Plain | Against::PlainInnodb => load_data(&server, &file)?,
        };
        if took.is_none() {
            // Rolling back would take longer than the load.
            drop(server);
            server = Server::start(workspace, w.family, w.pool_mb)?;
        }
        plain.push(took);
    }
    Ok((Taken::of(&plain), Taken::of(&ours)))
}

fn prepare(server: &Server, w: &Workload, engine: &str, before: Option<&Path>) -> Result<()> {
    server.sql("DROP TABLE IF EXISTS bench.orders")?;
    server.sql(&create_table(engine, w.indexes))?;
    if let Some(before) = before {
        load_data(server, before)?.context("the rows before take too long")?;
    }
    server.settle()
}

/// The plain way; none where it is not done in time.
fn load_data(server: &Server, file: &Path) -> Result<Option<Duration>> {
    let statement = format!(
        "LOAD DATA LOCAL INFILE '{}' INTO TABLE bench.orders CHARACTER SET utf8mb4 \
         FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'",
        file.display()
    );
    let mut command = server.client();
    command.args(["-e", &statement]).stdout(Stdio::null());
    timed(&mut command, Some(CAP))
}

/// How long a command takes; none where it is not done within `cap`, which ends it.
fn timed(command: &mut Command, cap: Option<Duration>) -> Result<Option<Duration>> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("a load failed");
            }
            return Ok(Some(begun.elapsed()));
        }
        if cap.is_some_and(|cap| begun.elapsed() > cap) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// This program's way, with all that it checks; none where it is not done within `cap`.
fn import(
    workspace: &Workspace,
    server: &Server,
    file: &Path,
    w: &Workload,
    options: &str,
    cap: Option<Duration>,
) -> Result<Option<Duration>> {
    let data = workspace.target().join("xtask").join("bench-data");
    let (options_file, said_file) = (data.join("options.json"), data.join("said.json"));
    fs::create_dir_all(&data)?;
    fs::write(&options_file, options)?;
    let mut command = Command::new(workspace.plimsoll(true));
    command.arg("import").arg(file).args(["--to", &server.url(), "--table", "orders", "--json"]);
    command.arg("--data").arg(&data).arg("--options").arg(&options_file);
    let took = timed(command.stdout(File::create(&said_file)?), cap)?;
    let said = fs::read_to_string(&said_file)?;
    let loaded = format!("\"rows_loaded\":{}", w.rows);
    if took.is_some() && !said.replace(' ', "").contains(&loaded) {
        bail!("not all rows are in: {said}");
    }
    if std::env::var_os("PLIMSOLL_BENCH_SAY").is_some() {
        say::line(&said);
    }
    Ok(took)
}
