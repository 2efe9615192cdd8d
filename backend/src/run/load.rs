//! The second half of the road: chunks into the table, one connection to a worker.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use shared::error::{ErrorBody, ErrorCode};
use shared::run::Reject;

use crate::domain::EncodedChunk;
use crate::load::{ChunkCounts, LoadError, LoadSpec, Loader, Sample, verify};

use super::RunError;
use super::limit::RejectLimit;
use super::progress::{WorkerCount, add};
use super::rejects::RejectSink;
use super::stream::{Fault, Ordered, Road, reject_body};

/// What the workers share.
#[derive(Debug)]
pub struct Loading {
    /// Chunks, in order.
    pub chunks: Ordered,
    /// What is written and how.
    pub spec: Arc<LoadSpec>,
    /// The pass over the file.
    pub road: Arc<Road>,
    /// Where rejects go.
    pub sink: Arc<Mutex<RejectSink>>,
    /// Bytes of the file to a row, where chunks do not know their place in the file (sorted).
    pub bytes_per_row: Option<f64>,
    /// Whether these chunks are the first to be counted as read.
    pub counts_reading: bool,
    /// Set where a repeated key ends this attempt, because only an exact one can tell which record
    /// comes first in the file; true where that holds for other keys than the primary only.
    pub again_on_duplicate: Option<bool>,
    /// Rows that are to be looked for afterwards.
    pub sample: Option<Mutex<Sample>>,
    /// The most records that may be put aside.
    pub limit: RejectLimit,
}

/// Writes all chunks over `workers` connections and gives the sums.
///
/// # Errors
/// Only what the road does not hold: the disk of the rejects.
pub async fn load(loading: &Arc<Loading>, workers: u32) -> Result<ChunkCounts, RunError> {
    let mut tasks = Vec::new();
    for counter in loading.road.tracker.workers(workers.max(1)) {
        tasks.push(tokio::spawn(worker(Arc::clone(loading), counter)));
    }
    let mut total = ChunkCounts::default();
    let mut failed = None;
    for task in tasks {
        match task.await {
            Ok(Ok(counts)) => total = verify::sum([&total, &counts]),
            Ok(Err(e)) => failed = Some(e),
            Err(_) => failed = Some(RunError::Lost),
        }
    }
    match failed {
        Some(e) => Err(e),
        None => Ok(total),
    }
}

async fn worker(loading: Arc<Loading>, counter: Arc<WorkerCount>) -> Result<ChunkCounts, RunError> {
    let road = &loading.road;
    let mut total = ChunkCounts::default();
    let mut loader = match Loader::connect(Arc::clone(&loading.spec)).await {
        Ok(loader) => loader,
        Err(e) => {
            stop(road, 0, &e);
            return Ok(total);
        }
    };
    let mut last = 0;
    while let Some(chunk) = loading.chunks.next().await {
        if !road.wants(chunk.index) {
            continue;
        }
        last = chunk.index;
        let chunk = Arc::new(chunk);
        match loader.write(&chunk).await {
            Ok(outcome) => {
                count(&loading, &chunk, &outcome.counts, u64::from(outcome.retries));
                add(&counter.rows, outcome.counts.rows_loaded);
                add(&counter.bytes, chunk.data.len() as u64);
                let counts = outcome.counts;
                if let Some(sample) = &loading.sample {
                    let mut sample = sample.lock().unwrap_or_else(PoisonError::into_inner);
                    sample.take(&chunk, &counts.rejects);
                }
                if let Some(body) = repeated(&loading, &counts) {
                    road.stop(Fault { chunk: last, body, record: true, inexact: false });
                }
                total = verify::sum([&total, &counts]);
                let rejected = {
                    let mut sink = loading.sink.lock().unwrap_or_else(PoisonError::into_inner);
                    sink.push(last, counts.rejects)?;
                    sink.count()
                };
                let read = road.tracker.rows_read.load(Ordering::Relaxed);
                if let Some(body) = loading.limit.passed(rejected, read) {
                    road.stop(Fault { chunk: last, body, record: false, inexact: false });
                }
            }
            Err(e) => stop(road, last, &e),
        }
    }
    let undisturbed = road.fault().is_none() && !road.cancel.is_set();
    if (undisturbed || !loading.spec.one_transaction())
        && let Err(e) = loader.finish().await
    {
        stop(road, last, &e);
    }
    Ok(total)
}

/// A repeated key that only an exact attempt can judge.
fn repeated(loading: &Loading, counts: &ChunkCounts) -> Option<ErrorBody> {
    let but_primary = loading.again_on_duplicate?;
    let judged = |r: &&Reject| but_primary && r.key.as_deref() == Some("PRIMARY");
    let mut found = counts.rejects.iter().filter(|r| r.code == ErrorCode::DuplicateKey);
    found.find(|r| !judged(r)).map(reject_body)
}

fn stop(road: &Road, chunk: u64, error: &LoadError) {
    let record = matches!(error, LoadError::Refused(_));
    road.stop(Fault { chunk, body: error.body(), record, inexact: error.asks_for_exactness() });
}

fn count(loading: &Loading, chunk: &EncodedChunk, counts: &ChunkCounts, retries: u64) {
    let tracker = &loading.road.tracker;
    add(&tracker.rows_loaded, counts.rows_loaded);
    add(&tracker.rows_skipped, counts.rows_skipped);
    add(&tracker.rows_rejected, counts.rows_rejected);
    add(&tracker.step_rows, counts.rows_read);
    add(&tracker.retries, retries);
    if loading.counts_reading {
        add(&tracker.rows_read, counts.rows_read);
    }
    match loading.bytes_per_row {
        Some(bytes) => add(&tracker.step_bytes, (counts.rows_read as f64 * bytes) as u64),
        None => {
            tracker.step_bytes.fetch_max(chunk.file_bytes_end, Ordering::Relaxed);
        }
    }
}
