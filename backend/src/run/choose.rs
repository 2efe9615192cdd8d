//! The choice that a run follows: the planner's first or the person's, made to fit.

use shared::error::ErrorCode;
use shared::plan::{Choice, OnDuplicate, OnError, Order, Strategy, Visibility};

use crate::domain::Fit;
use crate::load::staging::Way;
use crate::load::workers_max;
use crate::plan;

use super::gather::Gathered;
use super::{RunError, RunInput, attempt};

/// Settles the choice.
///
/// # Errors
/// A finding that stops the run, or a choice that the server or the table does not allow.
pub fn choose(g: &Gathered, input: &RunInput) -> Result<Choice, RunError> {
    if let Some(stop) = plan::stopped(&g.view) {
        let code = match stop.name.as_str() {
            "table_exists" => ErrorCode::TableExists,
            "read_only" | "replace_not_possible" => ErrorCode::NotAllowed,
            _ => ErrorCode::BadOption,
        };
        let mut body = shared::ErrorBody::new(code, stop.finding.clone());
        body.hint = Some(stop.consequence.clone());
        return Err(body.into());
    }
    let first = g.view.candidates.first().map(|c| c.choice.clone());
    let Some(first) = first else {
        return Err(RunError::refuse(
            ErrorCode::NotAllowed,
            "There is no way to load this file into this table.",
        ));
    };
    let Some(mut choice) = input.choice.clone() else { return Ok(first) };
    // What the table and the options settle is not the choice's to change.
    choice.mode = first.mode;
    choice.on_duplicate = first.on_duplicate;
    choice.on_error = first.on_error;
    if first.visibility == Visibility::AsTheyArrive {
        choice.visibility = Visibility::AsTheyArrive;
    }
    if g.table.is_some() {
        choice.engine = first.engine;
    }
    choice.check_first =
        choice.visibility == Visibility::AsTheyArrive && choice.on_error == OnError::Stop;
    choice.chunk_bytes = choice.chunk_bytes.clamp(4 << 10, 256 << 20);
    choice.workers = choice.workers.clamp(1, 64);
    let sorts = g.view.candidates.iter().any(|c| c.choice.order == Order::SortByPrimaryKey);
    if choice.order == Order::SortByPrimaryKey && !sorts && !g.shape.has_key {
        choice.order = Order::AsIs;
    }
    if choice.on_duplicate != OnDuplicate::Reject {
        choice.order = Order::AsIs;
    }
    let moves = attempt::way(g, &choice) == Way::Move;
    let fit = Fit::of(&choice, &g.capabilities, g.table.as_ref(), &g.server_files, moves);
    if let Some(hindrance) = fit.hindrance() {
        let body = shared::ErrorBody::new(ErrorCode::BadOption, hindrance.finding);
        return Err(body.with_hint(hindrance.advice).into());
    }
    Ok(choice)
}

/// The choice made over, for rows that a quicker way could not take as they are: one connection
/// writes them in the order of the file, and each bad record is met where it stands.
#[must_use]
pub fn exactly(choice: &Choice, transactional: bool, local_infile: bool) -> Choice {
    let strategy = match choice.strategy {
        // What cannot be undone is followed row by row.
        _ if !transactional => Strategy::Insert,
        Strategy::EngineBulk if local_infile => Strategy::LoadData,
        Strategy::EngineBulk => Strategy::Insert,
        other => other,
    };
    Choice { strategy, workers: 1, order: Order::AsIs, ..choice.clone() }
}

/// Connections that may write at once, with the limits of strategy, engine and order.
#[must_use]
pub fn workers(choice: &Choice, spec: &crate::load::LoadSpec) -> u32 {
    let limit = workers_max(choice.strategy, &spec.engine, spec.transactional);
    let most = limit.map_or(u32::MAX, |(n, _)| n);
    // Where chunks go in one after another, a second connection only waits.
    let most = if spec.turnstile.is_some() { 1 } else { most };
    choice.workers.clamp(1, 64).min(most)
}
