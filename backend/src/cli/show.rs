//! Answers on standard output: JSON for scripts, plain lines for people.

use std::io::Write;

use serde::Serialize;
use shared::api::CheckAnswer;
use shared::error::ErrorBody;
use shared::estimate::Estimate;
use shared::plan::{PlanView, Precheck, Severity};
use shared::recipe::Recipe;
use shared::run::{ImportReport, RunStatus, RunView, SweptRun};
use shared::units;

/// Prints one JSON object and a line feed.
pub fn json(value: &impl Serialize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)
}

/// Prints an error as a sentence on standard error.
pub fn error(body: &ErrorBody) {
    // Where even standard error is gone there is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "plimsoll: {body}");
}

pub fn range(e: &Estimate) -> String {
    format!(
        "{} (between {} and {} in {:.0} of 100 loads, {})",
        units::duration_ms(e.expected_ms),
        units::duration_ms(e.low_ms),
        units::duration_ms(e.high_ms),
        e.coverage * 100.0,
        e.basis
    )
}

/// The end of a run, for people.
pub fn report(report: &ImportReport) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let secs = report.elapsed_ms as f64 / 1000.0;
    let rate = if secs > 0.0 { report.rows_loaded as f64 / secs } else { 0.0 };
    match report.status {
        RunStatus::Succeeded | RunStatus::SucceededWithRejects => writeln!(
            out,
            "{} of {} rows are in {} after {} ({}).",
            units::count(report.rows_loaded),
            units::count(report.rows_read),
            report.table,
            units::duration_ms(report.elapsed_ms),
            units::rows_per_sec(rate)
        )?,
        status => writeln!(out, "The run is {}.", status.as_str())?,
    }
    if report.rows_skipped > 0 {
        writeln!(out, "{} rows were passed over.", units::count(report.rows_skipped))?;
    }
    if report.rows_rejected > 0 {
        writeln!(out, "{} records were refused:", units::count(report.rows_rejected))?;
        for r in report.rejects.iter().take(10) {
            writeln!(out, "  row {}, line {}: {}", r.row, r.line, r.message)?;
        }
        if let Some(file) = &report.rejects_file {
            writeln!(out, "All of them are in {file}.")?;
        }
    }
    if let Some(outcome) = &report.outcome {
        writeln!(out, "{outcome}")?;
    }
    if let Some(e) = &report.estimate {
        writeln!(out, "Foretold: {}.", range(e))?;
    }
    for s in &report.steps {
        writeln!(out, "  {:<16} {:>10}", s.step.as_str(), units::duration_ms(s.ms))?;
    }
    writeln!(out, "Run {}", report.run_id)
}

/// What a person should have looked at, for people.
pub fn warnings(prechecks: &[Precheck]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for p in prechecks.iter().filter(|p| p.severity == Severity::Warns) {
        writeln!(out, "warns: {} {}", p.finding, p.consequence)?;
    }
    Ok(())
}

/// A check, for people.
pub fn check(answer: &CheckAnswer) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} records read in {}, {} would be refused.",
        units::count(answer.rows_read),
        units::duration_ms(answer.elapsed_ms),
        units::count(answer.rows_refused)
    )?;
    for c in &answer.counts {
        let column = c.column.as_deref().unwrap_or("(whole record)");
        writeln!(out, "  {:>10}  {column}: {}", units::count(c.count), c.code.as_str())?;
    }
    for r in answer.rejects.iter().take(20) {
        writeln!(out, "  row {}, line {}: {}", r.row, r.line, r.message)?;
    }
    Ok(())
}

/// A plan, for people.
pub fn plan(plan: &PlanView) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for (i, c) in plan.candidates.iter().enumerate() {
        writeln!(out, "{}. {}: {}", i + 1, c.title, range(&c.estimate))?;
        if i == 0 {
            for reason in &c.reasons {
                writeln!(out, "     {reason}")?;
            }
        } else if let Some(why) = &c.why_not {
            writeln!(out, "     {why}")?;
        }
    }
    for p in &plan.prechecks {
        let mark = match p.severity {
            Severity::Stops => "stops",
            Severity::Warns => "warns",
            Severity::Informs => "note",
        };
        writeln!(out, "{mark}: {} {}", p.finding, p.consequence)?;
    }
    if !plan.sql.is_empty() {
        writeln!(out, "SQL of the first way, rows left out:")?;
        for sql in &plan.sql {
            writeln!(out, "  {};", sql.replace('\n', "\n  "))?;
        }
    }
    Ok(())
}

/// Runs as a table, for people.
pub fn history(runs: &[RunView], total: u64) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for r in runs {
        let rate = r.rows_per_sec.map(units::rows_per_sec).unwrap_or_default();
        writeln!(
            out,
            "{}  {:<22} {:<10} {}.{} ← {}  {} rows  {}  {rate}",
            r.run_id,
            r.status.as_str(),
            r.choice.strategy.as_str(),
            r.database,
            r.table,
            r.file,
            units::count(r.rows_loaded),
            units::duration_ms(r.elapsed_ms)
        )?;
    }
    writeln!(out, "{} of {} runs", runs.len(), units::count(total))
}

/// Recipes, for people.
pub fn recipes(recipes: &[Recipe]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for r in recipes {
        let columns = r.shape.columns.len();
        let place = r.place.table.as_deref().unwrap_or("any table");
        writeln!(out, "{:<32} {columns} columns → {place}, used {} times", r.name, r.uses)?;
    }
    writeln!(out, "{} recipes", recipes.len())
}

/// What a sweep did, for people.
pub fn swept(swept: &[SweptRun]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for s in swept {
        let mark = if s.done { "swept" } else { "stays" };
        writeln!(out, "{mark}  {}  {}.{}  {}", s.run_id, s.database, s.table, s.outcome)?;
    }
    if swept.is_empty() {
        writeln!(out, "Nothing is left behind.")?;
    }
    Ok(())
}
