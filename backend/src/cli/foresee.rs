//! `plimsoll estimate` and `plimsoll trial`.

use std::io::Write;
use std::time::Duration;

use shared::capacity::{CapacityAnswer, CapacityRequest, CheckedEstimates};
use shared::error::{ErrorBody, ErrorCode};
use shared::trial::{TrialKind, TrialStatus, TrialView};
use shared::units;

use super::foresee_args::{EstimateArgs, TrialArgs, Where};
use super::{ALL_IN, FAILED, Stop, input, refused, show};
use crate::run::{CapacityInput, RunError, Runs, TrialInput};
use crate::target::TargetSpec;

/// Bytes of a row where nobody says.
const ROW_BYTES: f64 = 100.0;
const MINUTES_A_DAY: u32 = 24 * 60;
/// How often a trial is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The server, and its identity where it is a saved target.
async fn place(runs: &Runs, place: &Where) -> Result<(TargetSpec, Option<String>), Stop> {
    if let Some(url) = &place.to {
        return Ok((TargetSpec::from_url(url).map_err(|e| Stop::Usage(e.body()))?, None));
    }
    let usage = |words: String| Stop::Usage(ErrorBody::new(ErrorCode::BadRequest, words));
    let Some(name) = &place.target else {
        return Err(usage("Name the server by --to URL or a saved target by --target.".to_owned()));
    };
    let saved = runs.store().targets().await?;
    let found = saved.into_iter().find(|t| t.connection.name == *name);
    let Some(found) = found else { return Err(usage(format!("There is no target {name:?}."))) };
    let id = found.id.clone();
    Ok((found.connection.into(), Some(id)))
}

/// Answers how long, how much disk, which way; or how right it was so far.
pub async fn estimate(runs: &Runs, args: &EstimateArgs) -> Result<u8, Stop> {
    for (run, left_out) in [(&args.leave_out, true), (&args.take_back, false)] {
        if let Some(run) = run {
            runs.leave_out(run, left_out).await?;
        }
    }
    if args.check || args.leave_out.is_some() || args.take_back.is_some() {
        let found = runs.check_estimates().await?;
        if args.json {
            show::json(&found)?;
        } else {
            checked(&found)?;
        }
        return Ok(ALL_IN);
    }
    match answer(runs, args).await? {
        Ok(answer) => {
            if args.json {
                show::json(&as_json(&answer))?;
            } else {
                capacity(&answer)?;
            }
            Ok(ALL_IN)
        }
        Err(e) => refused(&e, args.json),
    }
}

async fn answer(
    runs: &Runs,
    args: &EstimateArgs,
) -> Result<Result<CapacityAnswer, RunError>, Stop> {
    let (target, target_id) = place(runs, &args.place).await?;
    let within_ms = args.by.map(|by| {
        let start = args.start.unwrap_or_else(minutes_now);
        let minutes = (by + MINUTES_A_DAY - start - 1) % MINUTES_A_DAY + 1;
        u64::from(minutes) * 60_000
    });
    let usage = |words: &str| Stop::Usage(ErrorBody::new(ErrorCode::BadRequest, words));
    if !args.files.is_empty() {
        let Some(table) = &args.table else {
            return Err(usage("Name the table that the file goes into by --table."));
        };
        let input =
            input::of_files(runs.store(), &args.files, target, target_id, table, &args.wishes)
                .await
                .map_err(Stop::Usage)?;
        return Ok(runs.capacity_of_file(&input, args.rows, within_ms).await);
    }
    let Some(rows) = args.rows else {
        return Err(usage("Name a file, or a number of rows by --rows."));
    };
    let asked = CapacityRequest {
        target_id: target_id.unwrap_or_default(),
        rows,
        row_bytes: args.row_bytes.unwrap_or(if args.table.is_some() { 0.0 } else { ROW_BYTES }),
        database: None,
        table: args.table.clone(),
        columns: args.columns,
        indexes: args.indexes,
        in_key_order: !args.random,
        rows_before: args.rows_before,
        within_ms,
        options: input::options(runs.store(), &args.wishes).await.map_err(Stop::Usage)?,
    };
    Ok(runs.capacity(&CapacityInput { target, asked }).await)
}

fn minutes_now() -> u32 {
    use chrono::Timelike as _;
    let now = chrono::Local::now();
    now.hour() * 60 + now.minute()
}

/// The answer with the first way at its top, where scripts have always found it.
fn as_json(answer: &CapacityAnswer) -> serde_json::Value {
    let mut value = serde_json::to_value(answer).unwrap_or_default();
    if let (Some(object), Some(first)) = (value.as_object_mut(), answer.candidates.first()) {
        let top = serde_json::json!({
            "choice": first.choice,
            "title": first.title,
            "estimate": first.estimate,
            "disk_bytes": first.disk_bytes,
        });
        if let serde_json::Value::Object(top) = top {
            object.extend(top);
        }
    }
    value
}

fn capacity(answer: &CapacityAnswer) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} rows of {:.0} bytes into {} ({}):",
        units::count(answer.rows),
        answer.row_bytes,
        answer.target,
        answer.server
    )?;
    for (i, c) in answer.candidates.iter().enumerate() {
        writeln!(out, "{}. {}: {}", i + 1, c.title, show::range(&c.estimate))?;
        let why = if i == 0 { c.reasons.join(" ") } else { c.why_not.clone().unwrap_or_default() };
        writeln!(out, "     {why}")?;
    }
    let d = &answer.disk;
    writeln!(
        out,
        "Disk of the first way: {} (rows {}, indexes {}, meanwhile {}, logs {}).",
        units::bytes(d.total()),
        units::bytes(d.data_bytes),
        units::bytes(d.index_bytes),
        units::bytes(d.temporary_bytes),
        units::bytes(d.log_bytes)
    )?;
    if let Some(bend) = answer.bend.as_ref().or(answer.bend_unsorted.as_ref()) {
        let which = if answer.bend.is_some() { "" } else { "Without sorting: " };
        writeln!(out, "{which}{}", bend.words)?;
    }
    if let Some(window) = &answer.window {
        writeln!(out, "{}", window.words)?;
    }
    Ok(())
}

fn checked(found: &CheckedEstimates) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if found.runs.is_empty() {
        return writeln!(out, "No run has ended yet that was foretold.");
    }
    for t in &found.targets {
        writeln!(
            out,
            "{}: {} runs, half of them within {:.0} % of what was foretold; {:.0} of 100 within \
             the range that promised {:.0}.",
            t.target,
            t.runs,
            t.median_error * 100.0,
            t.held * 100.0,
            t.promised * 100.0
        )?;
    }
    for r in found.runs.iter().take(40) {
        let mark = match (r.left_out, r.held) {
            (true, _) => "left out",
            (false, true) => "",
            (false, false) => "outside",
        };
        writeln!(
            out,
            "{}  {:>10}  {:>10} against {:>10} ({} – {})  {:+5.0} %  {mark:<8}  {}",
            r.run_id,
            units::count(r.rows),
            units::duration_ms(r.actual_ms),
            units::duration_ms(r.estimate.expected_ms),
            units::duration_ms(r.estimate.low_ms),
            units::duration_ms(r.estimate.high_ms),
            r.error * 100.0,
            r.what
        )?;
    }
    Ok(())
}

/// Races, or climbs the ladder, and shows what came of it.
pub async fn trial(runs: &Runs, args: &TrialArgs) -> Result<u8, Stop> {
    let (target, target_id) = place(runs, &args.place).await?;
    let database = input::database(&target).map_err(Stop::Usage)?;
    let race = match &args.table {
        Some(table) if !args.ladder => {
            let input = input::of_files(
                runs.store(),
                &args.files,
                target.clone(),
                target_id.clone(),
                table,
                &args.wishes,
            );
            Some(input.await.map_err(Stop::Usage)?)
        }
        _ => None,
    };
    let options = input::options(runs.store(), &args.wishes).await.map_err(Stop::Usage)?;
    let input = TrialInput {
        kind: if args.ladder { TrialKind::Ladder } else { TrialKind::Race },
        race,
        target,
        target_id,
        database,
        seconds: args.seconds,
        rows_max: args.rows,
        engine: options.engine,
        who: input::who(&args.wishes),
    };
    let begun = runs.start_trial(input).await?;
    let ended = follow(runs, &begun.id).await?;
    if args.json {
        show::json(&ended)?;
    } else {
        if let Some(error) = &ended.error {
            show::error(error);
        }
        table(&ended)?;
    }
    Ok(if ended.status == TrialStatus::Done { ALL_IN } else { FAILED })
}

/// Waits for a trial; Ctrl-C ends it in good order.
async fn follow(runs: &Runs, id: &str) -> Result<TrialView, Stop> {
    let mut shown = 0;
    loop {
        let view = runs.trial(id).await?;
        for r in view.results.iter().skip(shown) {
            let rate = units::rows_per_sec(r.rows_per_sec);
            // Progress only: where standard error is gone the trial goes on.
            let _ = writeln!(std::io::stderr(), "{}: {rate}", r.title);
        }
        shown = view.results.len();
        if view.status != TrialStatus::Running {
            return Ok(view);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = tokio::signal::ctrl_c() => { runs.cancel_trial(id).await?; }
        }
    }
}

fn table(view: &TrialView) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} on {}: {}", view.what, view.target, view.server)?;
    let timed = view.results.iter().filter(|r| r.rows_per_sec > 0.0);
    let slowest = timed.map(|r| r.rows_per_sec).fold(f64::INFINITY, f64::min);
    let wide = view.results.iter().map(|r| r.title.chars().count()).max().unwrap_or(0);
    for r in &view.results {
        let took = match &r.note {
            Some(note) => note.clone(),
            None => format!(
                "{:>9} rows {:>9} {:>14} {:>7.1}×",
                units::count(r.rows),
                units::duration_ms(r.ms),
                units::rows_per_sec(r.rows_per_sec),
                r.rows_per_sec / slowest
            ),
        };
        let whole =
            r.whole.as_ref().map(|e| format!("  whole file {}", units::duration_ms(e.expected_ms)));
        writeln!(out, "  {:<wide$}  {took}{}", r.title, whole.unwrap_or_default())?;
    }
    for words in &view.words {
        writeln!(out, "{words}")?;
    }
    writeln!(out, "Trial {}, {}", view.id, units::duration_ms(view.elapsed_ms))
}
