//! The arguments of `estimate` and `trial`.

use std::path::PathBuf;

use clap::Args;

use super::args::Wishes;

/// Which server: an address, or a saved target.
#[derive(Debug, Args)]
pub struct Where {
    /// The database: `mysql://user:password@host:port/database`, with `?socket=…` or `?tls=verify`.
    #[arg(
        long,
        value_name = "URL",
        env = "PLIMSOLL_TO",
        hide_env_values = true,
        conflicts_with = "target"
    )]
    pub to: Option<String>,
    /// A saved target, by its name.
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
}

/// A load that is thought of, and how right earlier estimates were.
#[derive(Debug, Args)]
pub struct EstimateArgs {
    /// The files, or a sample of them; none for a question about rows alone.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where to.
    #[command(flatten)]
    pub place: Where,
    /// The table that the files, or the rows, go into.
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Rows to be loaded; `k`, `M` and `G` mean thousands, millions and thousands of millions.
    #[arg(long, value_name = "N", value_parser = rows)]
    pub rows: Option<u64>,
    /// Bytes of one record as text, where there is no file [default: the table's, or 100].
    #[arg(long, value_name = "B")]
    pub row_bytes: Option<f64>,
    /// Columns, where there is no file.
    #[arg(long, value_name = "N")]
    pub columns: Option<u32>,
    /// Indexes beside the primary key, where there is no file.
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub indexes: u32,
    /// The rows do not come in the order of the primary key.
    #[arg(long)]
    pub random: bool,
    /// Rows that are in the table before.
    #[arg(long, value_name = "N", default_value = "0", value_parser = rows)]
    pub rows_before: u64,
    /// When the load begins, with --by: 22:00.
    #[arg(long, value_name = "HH:MM", requires = "by", value_parser = clock)]
    pub start: Option<u32>,
    /// When it must be done: 06:00.
    #[arg(long, value_name = "HH:MM", value_parser = clock)]
    pub by: Option<u32>,
    /// Shows predicted against actual instead.
    #[arg(long)]
    pub check: bool,
    /// Leaves a run out of the estimates from now on.
    #[arg(long, value_name = "RUN")]
    pub leave_out: Option<String>,
    /// Takes a run back into the estimates.
    #[arg(long, value_name = "RUN")]
    pub take_back: Option<String>,
    /// How it is done.
    #[command(flatten)]
    pub wishes: Wishes,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// What is raced, where, and for how long.
#[derive(Debug, Args)]
pub struct TrialArgs {
    /// The files, of which the first part is loaded.
    #[arg(value_name = "FILE", required_unless_present = "ladder", conflicts_with = "ladder")]
    pub files: Vec<PathBuf>,
    /// Where to.
    #[command(flatten)]
    pub place: Where,
    /// The table like which scratch tables are made.
    #[arg(long, value_name = "NAME", required_unless_present = "ladder")]
    pub table: Option<String>,
    /// Every method, from row by row up, on rows of the service's own.
    #[arg(long)]
    pub ladder: bool,
    /// Seconds that it may take [default: 20, for the ladder 60].
    #[arg(long, value_name = "N")]
    pub seconds: Option<u32>,
    /// Rows of one load at most.
    #[arg(long, value_name = "N", value_parser = rows)]
    pub rows: Option<u64>,
    /// How it is done.
    #[command(flatten)]
    pub wishes: Wishes,
    /// Prints one JSON object on standard output.
    #[arg(long)]
    pub json: bool,
}

/// A number of rows: thousands are counted in tens.
fn rows(text: &str) -> Result<u64, String> {
    let text = text.trim().replace(['_', ','], "");
    let (number, factor) = match text.char_indices().last() {
        Some((i, 'k' | 'K')) => (&text[..i], 1_000),
        Some((i, 'm' | 'M')) => (&text[..i], 1_000_000),
        Some((i, 'g' | 'G')) => (&text[..i], 1_000_000_000),
        _ => (text.as_str(), 1),
    };
    let number: u64 = number.trim().parse().map_err(|_| "expected a number of rows".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "the number is too large".to_owned())
}

/// Minutes since midnight.
fn clock(text: &str) -> Result<u32, String> {
    let wrong = || "expected a time such as 22:00".to_owned();
    let (hours, minutes) = text.split_once(':').ok_or_else(wrong)?;
    let hours: u32 = hours.parse().ok().filter(|h| *h < 24).ok_or_else(wrong)?;
    let minutes: u32 = minutes.parse().ok().filter(|m| *m < 60).ok_or_else(wrong)?;
    Ok(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::args::{Cli, Command};

    #[test]
    fn an_estimate_needs_no_file() {
        let words =
            "plimsoll estimate --rows 2G --indexes 3 --to mysql://r@h/d --start 22:00 --by 06:00";
        let cli = Cli::try_parse_from(words.split(' ')).unwrap();
        let Command::Estimate(args) = cli.command else { panic!("estimate") };
        assert_eq!((args.rows, args.indexes), (Some(2_000_000_000), 3));
        assert_eq!((args.start, args.by), (Some(22 * 60), Some(6 * 60)));
        assert!(Cli::try_parse_from(["plimsoll", "trial", "--to", "mysql://r@h/d"]).is_err());
        let words = ["plimsoll", "trial", "--ladder", "--to", "mysql://r@h/d"];
        assert!(Cli::try_parse_from(words).is_ok());
    }
}
