//! The whole file read and checked, nothing loaded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use shared::api::{CheckAnswer, RefusalCount};
use shared::plan::Choice;
use shared::run::Reject;

use crate::convert::Converter;
use crate::load::Cancel;
use crate::store::Store;

use super::gather::{self, Gathered, gather};
use super::job::Job;
use super::progress::{Tracker, add};
use super::rejects::REPORTED;
use super::stream::{self, Reading, Road};
use super::{RunError, RunInput};

/// Chunks of a check: small, for nothing but memory depends on their size.
const CHUNK_BYTES: u64 = 4 << 20;

fn reading(input: &RunInput, g: &Gathered, chunk_bytes: u64) -> Reading {
    Reading {
        files: input.files.clone(),
        layout: g.layout.clone(),
        chunk_bytes,
        threads: g.shape.cores.clamp(1, 8),
        keep_raw: false,
        max_bytes_per_sec: None,
        done: Arc::default(),
        bytes_max: input.trial.as_ref().map(|t| t.bytes_max),
    }
}

fn converter(input: &RunInput, g: &Gathered) -> Result<Arc<Converter>, RunError> {
    let facts = g.facts(&input.database).ok_or(RunError::Lost)?;
    let mapping = gather::map(&facts, &g.layout, input, &g.capabilities)?;
    Converter::new(&mapping, &g.layout, &input.options, g.capabilities.flavour)
        .map(Arc::new)
        .map_err(|e| e.body().into())
}

/// Finds the first bad record of the file, as an error; none where all are good.
///
/// # Errors
/// The first bad record, or a file that cannot be read.
pub(super) async fn first_fault(job: &Job, g: &Gathered, choice: &Choice) -> Result<(), RunError> {
    let converter = converter(&job.input, g)?;
    let road = Arc::new(Road::new(job.cancel.clone(), Arc::clone(&job.tracker), true));
    let chunks = stream::begin(&reading(&job.input, g, choice.chunk_bytes), &converter, &road)?;
    while let Some(chunk) = chunks.next().await {
        add(&road.tracker.step_rows, chunk.rows_read);
        road.tracker.step_bytes.fetch_max(chunk.file_bytes_end, Ordering::Relaxed);
    }
    if job.cancel.is_set() {
        return Err(RunError::Cancelled);
    }
    match road.fault() {
        Some(fault) => Err(fault.body.into()),
        None => Ok(()),
    }
}

/// Finds every bad record of the file.
///
/// # Errors
/// No connection, a file that cannot be read, columns that do not match.
pub(super) async fn check(store: &Store, input: &RunInput) -> Result<CheckAnswer, RunError> {
    let begun = Instant::now();
    let g = gather(store, input, true, Arc::new(AtomicU64::new(0))).await?;
    let converter = converter(input, &g)?;
    let tracker = Arc::new(Tracker::new(input.file_bytes()));
    let road = Arc::new(Road::new(Cancel::new(), tracker, false));
    let chunks = stream::begin(&reading(input, &g, CHUNK_BYTES), &converter, &road)?;
    let (mut rows_read, mut rows_refused) = (0, 0);
    let mut rejects: Vec<Reject> = Vec::new();
    let mut counts: BTreeMap<(Option<String>, String), RefusalCount> = BTreeMap::new();
    while let Some(chunk) = chunks.next().await {
        rows_read += chunk.rows_read;
        rows_refused += chunk.rejects.len() as u64;
        for reject in chunk.rejects {
            let key = (reject.column.clone(), reject.code.as_str());
            let count = counts.entry(key).or_insert_with(|| RefusalCount {
                column: reject.column.clone(),
                code: reject.code,
                count: 0,
            });
            count.count += 1;
            if rejects.len() < REPORTED {
                rejects.push(reject);
            }
        }
    }
    if let Some(fault) = road.fault() {
        return Err(fault.body.into());
    }
    let mut counts: Vec<RefusalCount> = counts.into_values().collect();
    counts.sort_by_key(|c| std::cmp::Reverse(c.count));
    let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(CheckAnswer { rows_read, rows_refused, counts, rejects, elapsed_ms })
}
