//! Loads that are only thought of: how long, how much disk, which way, does it fit?

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use shared::capacity::{
    Bend, CapacityAnswer, CapacityRequest, CheckedEstimates, CurvePoint, Dot, Window,
};
use shared::error::ErrorCode;
use shared::plan::{Candidate, Choice, IndexPolicy, Mode, Order, PlanView, Strategy};
use shared::target::{Capabilities, IndexFacts, IndexKind, TableFacts};
use shared::units;

use super::gather::gather;
use super::{RunError, RunInput, Runs, learn};
use crate::domain::ServerFiles;
use crate::estimate::{
    Calibration, EngineClass, Shape, chance_within, checked, disk_need, entry_width,
};
use crate::plan::{self, Facts};
use crate::target::{self, TargetSpec};

/// Points of the curve.
const CURVE_POINTS: u32 = 33;
/// The curve reaches this many times below and above the rows that were asked for.
const CURVE_REACH: f64 = 30.0;
/// Columns where nobody says.
const COLUMNS: u32 = 8;
/// Runs that a check looks back on.
const CHECKED_RUNS: u32 = 500;

/// A load that is only thought of.
#[derive(Debug, Clone)]
pub struct CapacityInput {
    /// The server.
    pub target: TargetSpec,
    /// What is asked; its target's identity has been resolved.
    pub asked: CapacityRequest,
}

impl Runs {
    /// Answers a capacity question without any file. The target is asked what it is.
    ///
    /// # Errors
    /// No connection, a question without rows, or the control database refuses.
    pub async fn capacity(&self, input: &CapacityInput) -> Result<CapacityAnswer, RunError> {
        let asked = &input.asked;
        let mut conn = target::connect(&input.target).await?;
        let capabilities = target::capabilities(&mut conn).await?;
        let table = match (&asked.table, asked.database.as_ref().or(input.target.database.as_ref()))
        {
            (Some(table), Some(database)) => {
                target::table_facts(&mut conn, database, table).await?
            }
            _ => None,
        };
        let _ = conn.disconnect().await;
        let shape = shape_of(asked, table.as_ref(), &capabilities);
        if shape.rows == 0 || shape.bytes == 0 {
            let why = "Name the number of rows and the bytes of one.";
            return Err(RunError::refuse(ErrorCode::BadRequest, why));
        }
        let past = learn::past(self.store(), &input.target.name).await?;
        let known = Calibration::learn(&input.target.name, &shape, &past);
        let view = thought_of(asked, table, &shape, &capabilities, &known);
        let mut answer = answer(view, &shape, &known, asked.within_ms)?;
        answer.target.clone_from(&input.target.name);
        answer.server.clone_from(&capabilities.server);
        answer.dots = self.dots(&input.target.name, &answer.candidates).await?;
        Ok(answer)
    }

    /// The same for a file, or for a file taken as a sample of so many rows.
    ///
    /// # Errors
    /// As [`Runs::plan`].
    pub async fn capacity_of_file(
        &self,
        input: &RunInput,
        rows: Option<u64>,
        within_ms: Option<u64>,
    ) -> Result<CapacityAnswer, RunError> {
        let g = gather(self.store(), input, false, Arc::new(AtomicU64::new(0))).await?;
        let shape = rows.map_or_else(|| g.shape.clone(), |rows| g.shape.with_rows(rows));
        let mut view = g.view;
        scaled(&mut view, &shape, &g.calibration);
        let mut answer = answer(view, &shape, &g.calibration, within_ms)?;
        answer.target.clone_from(&input.target.name);
        answer.server.clone_from(&g.capabilities.server);
        answer.dots = self.dots(&input.target.name, &answer.candidates).await?;
        let _ = g.conn.disconnect().await;
        Ok(answer)
    }

    /// Predicted against actual, for the last runs.
    ///
    /// # Errors
    /// If the control database refuses.
    pub async fn check_estimates(&self) -> Result<CheckedEstimates, RunError> {
        Ok(checked(self.store().run_checks(CHECKED_RUNS).await?))
    }

    /// Takes an odd run out of the estimates, or back in.
    ///
    /// # Errors
    /// If there is no such run, or the control database refuses.
    pub async fn leave_out(&self, run_id: &str, left_out: bool) -> Result<(), RunError> {
        if self.store().run_leave_out(run_id, left_out).await? {
            return Ok(());
        }
        Err(RunError::no_run(run_id))
    }

    /// Past runs on a target by the engine of the first way.
    async fn dots(&self, target: &str, candidates: &[Candidate]) -> Result<Vec<Dot>, RunError> {
        let engine = candidates.first().map(|c| EngineClass::of(&c.choice.engine));
        let runs = self.store().run_dots(target, CHECKED_RUNS).await?;
        let same = |choice: &Choice| Some(EngineClass::of(&choice.engine)) == engine;
        Ok(runs.into_iter().filter(|(choice, _)| same(choice)).map(|(_, dot)| dot).collect())
    }
}

/// A question in numbers; what a table that is there tells goes before what was asked.
fn shape_of(
    asked: &CapacityRequest,
    table: Option<&TableFacts>,
    capabilities: &Capabilities,
) -> Shape {
    let count = |kind: fn(IndexKind) -> bool| {
        table.map(|t| t.indexes.iter().filter(|i| kind(i.kind)).count() as u32)
    };
    let rows_before = table.map_or(asked.rows_before, |t| t.rows_estimate);
    let replaces = asked.options.mode == Some(Mode::Replace);
    let mut shape = Shape {
        rows: asked.rows,
        bytes: (asked.rows as f64 * asked.row_bytes) as u64,
        in_key_order: asked.in_key_order,
        has_key: table.is_none_or(|t| t.primary_key().is_some()),
        indexes: count(|k| k != IndexKind::Primary).unwrap_or(asked.indexes),
        unique_indexes: count(|k| k == IndexKind::Unique).unwrap_or(0),
        rows_before: if replaces { 0 } else { rows_before },
        bytes_before: 0,
        pool_bytes: capabilities.buffer_pool_bytes.max(1 << 20),
        flavour: capabilities.flavour,
        round_trip_us: capabilities.round_trip_us,
        cores: std::thread::available_parallelism().map_or(2, |n| n.get() as u32),
        columns: table.map_or(asked.columns.unwrap_or(COLUMNS), |t| t.columns.len() as u32),
        copies: rows_before > 0,
        flushes: capabilities.flush_at_commit == 1,
        binary_log: capabilities.binary_log,
        entry_width: table.and_then(|t| entry_width(t, &|_| None)),
    };
    let stored = table.filter(|t| !t.empty).map(|t| t.data_bytes as f64 / t.rows_estimate as f64);
    if let (true, Some(stored)) = (asked.row_bytes <= 0.0, stored) {
        shape.bytes = (asked.rows as f64 * Shape::record_bytes_of(stored)) as u64;
    }
    shape.bytes_before = match table {
        Some(t) => t.data_bytes + t.index_bytes,
        None => shape.with_rows(rows_before).table_bytes_after(),
    };
    shape
}

/// The plan for rows that are only thought of.
fn thought_of(
    asked: &CapacityRequest,
    table: Option<TableFacts>,
    shape: &Shape,
    capabilities: &Capabilities,
    known: &Calibration,
) -> PlanView {
    let filled = || (asked.rows_before > 0).then(|| filled_table(asked, shape, capabilities));
    let table = table.or_else(filled);
    let facts = Facts {
        table: table.as_ref(),
        capabilities,
        options: &asked.options,
        shape,
        database: "",
        table_name: "",
        key: &["the primary key".to_owned()],
        sortable: true,
        create_engine: None,
        server_files: &ServerFiles::Off,
        may: &|_| true,
    };
    plan::plan(&facts, &|choice| known.foretell(shape, choice))
}

/// A table with rows in it that is only thought of.
fn filled_table(asked: &CapacityRequest, shape: &Shape, server: &Capabilities) -> TableFacts {
    let default = || server.engines.iter().find(|e| e.default).map(|e| e.name.clone());
    let index = |kind, name: String| IndexFacts {
        name,
        kind,
        columns: Vec::new(),
        definition: String::new(),
    };
    let mut indexes = vec![index(IndexKind::Primary, "PRIMARY".to_owned())];
    indexes.extend((0..asked.indexes).map(|i| index(IndexKind::Plain, format!("k{i}"))));
    TableFacts {
        engine: asked.options.engine.clone().or_else(default).unwrap_or_default(),
        rows_estimate: asked.rows_before,
        data_bytes: shape.bytes_before,
        indexes,
        ..TableFacts::default()
    }
}

/// Foretells every candidate again for another number of rows, and ranks them anew.
pub fn scaled(view: &mut PlanView, shape: &Shape, known: &Calibration) {
    for c in &mut view.candidates {
        c.estimate = known.foretell(shape, &c.choice);
        c.disk_bytes = Some(disk_need(shape, &c.choice).total());
    }
    let engine = view.candidates.first().map(|c| c.choice.engine.clone()).unwrap_or_default();
    view.candidates
        .sort_by_key(|c| (!c.choice.engine.eq_ignore_ascii_case(&engine), c.estimate.expected_ms));
}

fn answer(
    view: PlanView,
    shape: &Shape,
    known: &Calibration,
    within_ms: Option<u64>,
) -> Result<CapacityAnswer, RunError> {
    let Some(first) = view.candidates.first() else {
        let why = "There is no way to load these rows into this server.";
        return Err(RunError::refuse(ErrorCode::NotAllowed, why));
    };
    let choice = &first.choice;
    let unsorted = Choice {
        strategy: Strategy::LoadData,
        order: Order::AsIs,
        index_policy: IndexPolicy::Keep,
        ..choice.clone()
    };
    Ok(CapacityAnswer {
        target: String::new(),
        server: String::new(),
        rows: shape.rows,
        row_bytes: shape.record_bytes(),
        disk: disk_need(shape, choice),
        bend: bend(shape, choice),
        bend_unsorted: bend(shape, &unsorted),
        window: within_ms.map(|within_ms| {
            let chance = chance_within(&first.estimate, within_ms);
            let words = format!(
                "In {:.0} of 100 loads like this one, all {} rows are in within {}.",
                chance * 100.0,
                units::count(shape.rows),
                units::duration_ms(within_ms)
            );
            Window { within_ms, chance, words }
        }),
        curve: curve(shape, choice, known),
        dots: Vec::new(),
        candidates: view.candidates,
        prechecks: view.prechecks,
    })
}

fn bend(shape: &Shape, choice: &Choice) -> Option<Bend> {
    let rows = shape.bend_rows(choice)?;
    let reached = shape.rows_after() > rows;
    let what = match (shape.is_sorted(choice), shape.kept_indexes(choice)) {
        (true, _) => "entries of the indexes go to random places",
        (false, 0) => "rows out of key order go to random places",
        (false, _) => "rows and entries of the indexes go to random places",
    };
    let words = format!(
        "From about {} rows the buffer pool of {} no longer holds what is written to: {what}, and each then waits for the disk. {}",
        units::count(rows),
        units::bytes(shape.pool_bytes),
        if reached { "This load goes beyond it." } else { "This load stays below it." }
    );
    Some(Bend { rows, reached, words })
}

/// Time against rows, evenly on a scale of powers.
fn curve(shape: &Shape, choice: &Choice, known: &Calibration) -> Vec<CurvePoint> {
    let steps = f64::from(CURVE_POINTS - 1);
    let reach = CURVE_REACH.ln();
    (0..CURVE_POINTS)
        .map(|i| {
            let by = reach * (2.0 * f64::from(i) / steps - 1.0);
            let rows = ((shape.rows as f64 * by.exp()) as u64).max(1);
            let e = known.foretell(&shape.with_rows(rows), choice);
            CurvePoint { rows, low_ms: e.low_ms, expected_ms: e.expected_ms, high_ms: e.high_ms }
        })
        .collect()
}
