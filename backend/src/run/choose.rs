//! The choice that a run follows: the planner's first or the person's, made to fit.

use shared::error::ErrorCode;
use shared::plan::{Choice, OnDuplicate, OnError, Order, Strategy, Visibility};

use crate::load::{needs_order, workers_max};
use crate::plan;

use super::gather::Gathered;
use super::{RunError, RunInput};

/// Settles the choice.
///
/// # Errors
/// A finding that stops the run, or a choice that the server or the table does not allow.
pub fn choose(g: &Gathered, input: &RunInput) -> Result<Choice, RunError> {
    if let Some(stop) = plan::stopped(&g.view) {
        let code = match stop.name.as_str() {
            "table_exists" => ErrorCode::TableExists,
            "engine_missing" | "strategy_not_offered" => ErrorCode::BadOption,
            _ => ErrorCode::NotAllowed,
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
    if choice.strategy == Strategy::LoadData && !g.capabilities.local_infile {
        return Err(RunError::refuse(
            ErrorCode::NotAllowed,
            "LOAD DATA LOCAL is switched off on the server. Use the strategy insert, or SET GLOBAL local_infile = 1.",
        ));
    }
    let sorts = g.view.candidates.iter().any(|c| c.choice.order == Order::SortByPrimaryKey);
    if choice.order == Order::SortByPrimaryKey && !sorts && !g.shape.has_key {
        choice.order = Order::AsIs;
    }
    if choice.on_duplicate != OnDuplicate::Reject {
        choice.order = Order::AsIs;
    }
    Ok(choice)
}

/// Connections that may write at once, with the limits of strategy, engine and order.
#[must_use]
pub fn workers(choice: &Choice, spec: &crate::load::LoadSpec) -> u32 {
    let limit = workers_max(choice.strategy, &spec.engine, spec.transactional);
    let most = limit.map_or(u32::MAX, |(n, _)| n);
    let ordered = needs_order(choice.on_duplicate, &spec.keys, spec.sorted);
    // Where chunks go in one after another, a second connection only waits.
    let most = if ordered { 1 } else { most };
    choice.workers.clamp(1, 64).min(most)
}
