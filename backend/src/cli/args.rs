//! The command line as people write it.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde::de::DeserializeOwned;
use shared::plan::{IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};

use super::foresee_args::{EstimateArgs, TrialArgs};
use super::user::UserArgs;

/// Gets files into MySQL and MariaDB: plans, foretells, loads, verifies and remembers.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, about, max_term_width = 100)]
pub struct Cli {
    /// The folder of the control database, uploads and rejects [default: the user's data folder].
    #[arg(long, global = true, env = "PLIMSOLL_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The control database, where it is not `control.db` in the data folder.
    #[arg(long, global = true, env = "PLIMSOLL_CONTROL", value_name = "URL")]
    pub control: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serves the dashboard and the HTTP API.
    Serve(ServeArgs),
    /// Imports files into a table.
    Import(ImportArgs),
    /// Reads and checks files against a table; loads nothing.
    Check(ImportArgs),
    /// Shows every way to import files, with time ranges, reasons and SQL.
    Plan(ImportArgs),
    /// Says how long an import would take, for files or for so many rows; how right it was so far.
    Estimate(EstimateArgs),
    /// Races ways to import files on a sample, or climbs the ladder of all methods.
    Trial(TrialArgs),
    /// Lists past and present runs, newest first.
    History(HistoryArgs),
    /// Lists the recipes by name.
    Recipes(RecipesArgs),
    /// Goes on with a run that was interrupted, failed or cancelled.
    Resume(RunArgs),
    /// Stops a run, wherever it is running.
    Cancel(RunArgs),
    /// Writes the refused records of a run as a file of the same form, to be mended.
    Rejects(RejectsArgs),
    /// Loads mended records of a run into its table.
    Mend(MendArgs),
    /// Removes tables and files that ended runs have left on their servers.
    Sweep(SweepArgs),
    /// Adds, invites and lists people with accounts.
    User(UserArgs),
}

/// Where and how to serve.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:8620", value_name = "ADDR:PORT")]
    pub bind: SocketAddr,
    /// A private MariaDB server to play with: `auto` starts one where no target is saved.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, default_value = "auto",
          default_missing_value = "on", value_parser = ["auto", "on", "off"])]
    pub sandbox: String,
    /// Largest upload in bytes; `k`, `M`, `G` and `T` are understood.
    #[arg(long, default_value = "1T", value_name = "BYTES", value_parser = bytes)]
    pub upload_max: u64,
    /// A folder of this machine whose files may be imported without uploading them.
    #[arg(long, value_name = "DIR")]
    pub files: Option<PathBuf>,
    /// A folder with a built dashboard to serve instead of the one inside this binary.
    #[arg(long, value_name = "DIR")]
    pub dashboard: Option<PathBuf>,
    /// A name under which the service may be called, besides localhost and addresses.
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// There is a proxy before it: callers' addresses are the last of X-Forwarded-For.
    #[arg(long)]
    pub behind_proxy: bool,
    /// Lets everyone in who reaches the port: for development and tests.
    #[arg(long)]
    pub no_token: bool,
}

/// Files, a table and wishes.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The files, read one after the other.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The database: `mysql://user:password@host:port/database`, with `?socket=…` or `?tls=verify`.
    #[arg(long, value_name = "URL", env = "PLIMSOLL_TO", hide_env_values = true)]
    pub to: String,
    /// The table; made where it is missing.
    #[arg(long, value_name = "NAME")]
    pub table: String,
    /// How it is done.
    #[command(flatten)]
    pub wishes: Wishes,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// How an import is done.
#[derive(Debug, Args)]
pub struct Wishes {
    /// A recipe by its name, as kept in the dashboard; options and flags win over it.
    #[arg(long, value_name = "NAME")]
    pub recipe: Option<String>,
    /// Options as JSON; flags below win over it.
    #[arg(long, value_name = "FILE.json")]
    pub options: Option<PathBuf>,
    /// Engine of a new table.
    #[arg(long, value_name = "E")]
    pub engine: Option<String>,
    /// How rows are written: load_data, load_data_server, engine_bulk, bulk_protocol, insert,
    /// single_transaction or row_by_row.
    #[arg(long, value_name = "S", value_parser = word::<Strategy>)]
    pub strategy: Option<Strategy>,
    /// create, append or replace.
    #[arg(long, value_name = "M", value_parser = word::<Mode>)]
    pub mode: Option<Mode>,
    /// keep or drop_and_rebuild.
    #[arg(long, value_name = "P", value_parser = word::<IndexPolicy>)]
    pub index_policy: Option<IndexPolicy>,
    /// as_they_arrive or all_at_once.
    #[arg(long, value_name = "V", value_parser = word::<Visibility>)]
    pub visibility: Option<Visibility>,
    /// as_is or sort_by_primary_key.
    #[arg(long, value_name = "O", value_parser = word::<Order>)]
    pub order: Option<Order>,
    /// reject, skip, replace or update.
    #[arg(long, value_name = "D", value_parser = word::<OnDuplicate>)]
    pub on_duplicate: Option<OnDuplicate>,
    /// stop or reject.
    #[arg(long, value_name = "E", value_parser = word::<OnError>)]
    pub on_error: Option<OnError>,
    /// With `--on-error reject`, stop past this many refused records, or this share of all: 100 or 1%.
    #[arg(long, value_name = "N|P%", value_parser = reject_limit)]
    pub max_rejects: Option<RejectLimit>,
    /// Writing connections.
    #[arg(long, value_name = "N")]
    pub workers: Option<u32>,
    /// Bytes of the file in one chunk.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub chunk_bytes: Option<u64>,
    /// At most this many bytes of the file a second; `k`, `M` and `G` are understood.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_rate: Option<u64>,
    /// Columns of the primary key of a new table, parted by commas.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub primary_key: Option<Vec<String>>,
    /// Under whose name the run is recorded [default: the user of this machine].
    #[arg(long, value_name = "NAME")]
    pub who: Option<String>,
}

/// Which runs to list.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Text in the file's, database's or table's name.
    pub text: Option<String>,
    /// Only this status.
    #[arg(long)]
    pub status: Option<String>,
    /// Only this target.
    #[arg(long)]
    pub target: Option<String>,
    /// Only this person.
    #[arg(long)]
    pub who: Option<String>,
    /// Only this engine.
    #[arg(long)]
    pub engine: Option<String>,
    /// Only this strategy.
    #[arg(long)]
    pub strategy: Option<String>,
    /// Runs to list.
    #[arg(long, default_value_t = 20)]
    pub limit: u32,
    /// Runs to pass over.
    #[arg(long, default_value_t = 0)]
    pub offset: u64,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// How to list recipes.
#[derive(Debug, Args)]
pub struct RecipesArgs {
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// What to sweep.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Gives up runs that nobody has resumed for so many days; 0 means all that could be resumed.
    #[arg(long, value_name = "DAYS")]
    pub older_than: Option<u32>,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// Which run.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The run's identity, as `history` shows it.
    pub run: String,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// Which run's rejects, and where to.
#[derive(Debug, Args)]
pub struct RejectsArgs {
    /// The run's identity, as `history` shows it.
    pub run: String,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Mended records, and the run that refused them.
#[derive(Debug, Args)]
pub struct MendArgs {
    /// The run's identity, as `history` shows it.
    pub run: String,
    /// The mended records, in the form in which `rejects` wrote them.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The server of the run, asked for again because passwords are not kept.
    #[arg(long, value_name = "URL", env = "PLIMSOLL_TO", hide_env_values = true)]
    pub to: String,
    /// Under whose name the run is recorded [default: the user of this machine].
    #[arg(long, value_name = "NAME")]
    pub who: Option<String>,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// A word of the wire, for example `load_data`; hyphens do as well.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let wire = text.to_ascii_lowercase().replace('-', "_");
    serde_json::from_value(serde_json::Value::String(wire)).map_err(|e| {
        let known = e.to_string();
        known.split_once(", expected ").map_or(known.clone(), |(_, k)| format!("expected {k}"))
    })
}

/// How many records may be refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RejectLimit {
    /// So many.
    Count(u64),
    /// This part of all, 0 to 1.
    Share(f64),
}

fn reject_limit(text: &str) -> Result<RejectLimit, String> {
    let wrong = || "expected a number such as 100 or a share such as 1%".to_owned();
    let Some(percent) = text.trim().strip_suffix('%') else {
        return text.trim().parse().map(RejectLimit::Count).map_err(|_| wrong());
    };
    let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
    if (0.0..=100.0).contains(&percent) {
        Ok(RejectLimit::Share(percent / 100.0))
    } else {
        Err(wrong())
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, factor) = match text.char_indices().last() {
        Some((i, 'k' | 'K')) => (&text[..i], 1 << 10),
        Some((i, 'm' | 'M')) => (&text[..i], 1 << 20),
        Some((i, 'g' | 'G')) => (&text[..i], 1 << 30),
        Some((i, 't' | 'T')) => (&text[..i], 1_u64 << 40),
        _ => (text, 1),
    };
    let number: u64 = number.trim().parse().map_err(|_| "expected a number of bytes".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "the number is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn words_of_the_wire_are_understood() {
        let cli = Cli::try_parse_from([
            "plimsoll",
            "import",
            "a.csv",
            "b.csv",
            "--to",
            "mysql://r@h/d",
            "--table",
            "t",
            "--strategy",
            "row-by-row",
            "--on-duplicate",
            "replace",
            "--chunk-bytes",
            "4M",
            "--max-rejects",
            "0.5%",
        ])
        .unwrap();
        let Command::Import(args) = cli.command else { panic!("import") };
        assert_eq!(args.files.len(), 2);
        assert_eq!(args.wishes.max_rejects, Some(RejectLimit::Share(0.005)));
        assert_eq!(reject_limit("100"), Ok(RejectLimit::Count(100)));
        assert!(reject_limit("101%").is_err() && reject_limit("some").is_err());
        assert_eq!(args.wishes.strategy, Some(Strategy::RowByRow));
        assert_eq!(args.wishes.on_duplicate, Some(OnDuplicate::Replace));
        assert_eq!(args.wishes.chunk_bytes, Some(4 << 20));
        let wrong = Cli::try_parse_from([
            "plimsoll", "import", "a.csv", "--to", "u", "--table", "t", "--mode", "upsert",
        ]);
        assert!(wrong.unwrap_err().to_string().contains("append"));
    }

    #[test]
    fn the_sandbox_may_be_asked_for_without_a_value() {
        for (words, when) in [
            (vec!["plimsoll", "serve"], "auto"),
            (vec!["plimsoll", "serve", "--sandbox"], "on"),
            (vec!["plimsoll", "serve", "--sandbox", "off"], "off"),
        ] {
            let cli = Cli::try_parse_from(words).unwrap();
            let Command::Serve(args) = cli.command else { panic!("serve") };
            assert_eq!(args.sandbox, when);
        }
    }
}
