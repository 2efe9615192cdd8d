//! The shipped rates: microseconds a row, measured on one machine with two cores.
//!
//! 2,000,000 rows of 94 bytes and five sizes below; MariaDB 10.11 and MySQL 9. Other machines
//! differ by a factor that the fit learns from their own runs; the ratios carry over better.

use shared::plan::{Choice, IndexPolicy, Order, Strategy};
use shared::run::RunStep;
use shared::target::Flavour;

use super::Shape;

/// Bytes of a record in the measured loads; half of a row's cost is taken to grow with its width.
const MEASURED_RECORD_BYTES: f64 = 94.0;
/// Bytes a second that one core reads, parses, checks and encodes.
const CHECK_BYTES_PER_SEC: f64 = 700e6;
/// Microseconds a row and index of building indexes afterwards.
const REBUILD_ROW_US: f64 = 0.83;
/// Microseconds a row of sorting in memory.
const SORT_ROW_US: f64 = 0.18;
/// Bytes that are sorted in memory; more goes by way of the disk.
const SORT_BYTES: u64 = 512 << 20;
/// How many times longer a row takes whose page is not in the buffer pool.
const OUT_OF_POOL: f64 = 20.0;

/// Foretold milliseconds of every step that a load with these choices has.
#[must_use]
pub fn step_ms(shape: &Shape, choice: &Choice) -> Vec<(RunStep, f64)> {
    let rows = shape.rows as f64;
    let read = shape.bytes as f64 / CHECK_BYTES_PER_SEC / f64::from(shape.cores.max(1)) * 1e3;
    let mut steps = vec![(RunStep::Precheck, 20.0)];
    if choice.check_first {
        steps.push((RunStep::Check, 2.0 + read));
    }
    steps.push((RunStep::Prepare, 15.0));
    let sorts = choice.order == Order::SortByPrimaryKey;
    if sorts {
        let spills = if shape.bytes > SORT_BYTES { 3.0 } else { 1.0 };
        steps.push((RunStep::Sort, read + rows * SORT_ROW_US * spills * width(shape) / 1e3));
    }
    steps.push((RunStep::Load, 10.0 + rows * load_row_us(shape, choice) / 1e3));
    if choice.index_policy == IndexPolicy::DropAndRebuild {
        // All rows of the table go into the new indexes, not only the new ones.
        let all = rows + shape.rows_before as f64;
        let spills = if shape.table_bytes_after() > shape.pool_bytes { 1.5 } else { 1.0 };
        let us = REBUILD_ROW_US * f64::from(shape.indexes) * spills * rebuild_factor(shape);
        steps.push((RunStep::RebuildIndexes, 10.0 + all * us / 1e3));
    }
    steps.push((RunStep::Verify, 3.0 + (rows + shape.rows_before as f64) * 0.08 / 1e3));
    steps.push((RunStep::Publish, 15.0));
    steps.push((RunStep::Analyze, 15.0));
    steps
}

const fn rebuild_factor(shape: &Shape) -> f64 {
    match shape.flavour {
        Flavour::Mariadb => 1.0,
        Flavour::Mysql | Flavour::Tidb => 1.25,
    }
}

/// How much wider records cost: half of it goes with the bytes.
fn width(shape: &Shape) -> f64 {
    0.5 + 0.5 * shape.record_bytes() / MEASURED_RECORD_BYTES
}

/// Microseconds of wall time a row of the load itself.
fn load_row_us(shape: &Shape, choice: &Choice) -> f64 {
    let mysql = shape.flavour != Flavour::Mariadb;
    let sorted = shape.in_key_order || choice.order == Order::SortByPrimaryKey || !shape.has_key;
    let engine = choice.engine.to_ascii_lowercase();
    let clustered = !matches!(engine.as_str(), "aria" | "myisam" | "memory");
    let keeps = choice.index_policy == IndexPolicy::Keep;
    let indexes = if keeps { f64::from(shape.indexes) } else { 0.0 };

    let mut row = match engine.as_str() {
        "aria" | "memory" => 1.9,
        "myisam" => 2.6,
        "rocksdb" if choice.strategy == Strategy::EngineBulk => 1.3,
        "rocksdb" => 2.4,
        _ if mysql => 3.4,
        _ => 2.07,
    } * width(shape);
    if !sorted && clustered {
        row += 2.1 * outgrows(shape.data_bytes_after(), shape.pool_bytes);
    }
    // An index entry arrives in no order whatever the file's order is; a file out of key order
    // costs each entry half as much again.
    let entry = if sorted { 2.05 } else { 3.1 };
    row += indexes * entry * outgrows(shape.table_bytes_after(), shape.pool_bytes);

    let (row, writers) = match choice.strategy {
        Strategy::LoadData | Strategy::LoadDataServer | Strategy::EngineBulk => {
            (row, choice.workers)
        }
        Strategy::BulkProtocol => (row * 1.02, choice.workers),
        Strategy::Insert => (row + if mysql { 1.2 } else { 0.9 } * width(shape), choice.workers),
        Strategy::SingleTransaction => (row + 0.9 * width(shape), 1),
        Strategy::RowByRow => {
            let statement = if mysql { 390.0 } else { 140.0 };
            (row + statement + 2.0 * shape.round_trip_us as f64, choice.workers)
        }
    };
    let batches = row_round_trip_us(shape, choice);
    row * writer_share(writers) + batches / f64::from(writers.max(1))
}

/// Microseconds of waiting for the network a row, by rows to a statement.
fn row_round_trip_us(shape: &Shape, choice: &Choice) -> f64 {
    let unit = match choice.strategy {
        Strategy::RowByRow => return 0.0,
        Strategy::Insert | Strategy::SingleTransaction => choice.batch_bytes,
        _ => choice.chunk_bytes,
    };
    let rows = (unit as f64 / shape.record_bytes().max(1.0)).max(1.0);
    let rows = choice.batch_rows.map_or(rows, |most| rows.min(f64::from(most.max(1))));
    shape.round_trip_us as f64 / rows
}

/// What share of one writer's time several take: the server's cores bound it.
fn writer_share(writers: u32) -> f64 {
    match writers {
        0 | 1 => 1.0,
        2 => 0.65,
        _ => 0.62,
    }
}

/// How many times longer a random insert takes in a structure of this size: once in memory, twenty
/// times where most pages must be fetched, and in between by the share that does not fit.
fn outgrows(bytes: u64, pool: u64) -> f64 {
    let usable = pool as f64 * 0.75;
    if bytes as f64 <= usable || bytes == 0 {
        return 1.0;
    }
    // The structure grows from nothing: pages only have to be fetched once it is past the pool.
    let missing = 1.0 - usable / bytes as f64;
    OUT_OF_POOL.mul_add(missing, 1.0)
}
