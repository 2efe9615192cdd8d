//! The sort between the two halves of the road: all rows in, chunks in key order out.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::convert::{Converter, SortKey};
use crate::domain::EncodedChunk;
use crate::load::LoadError;
use crate::load::sort::{SortedChunks, Sorter};

use super::RunError;
use super::limit::RejectLimit;
use super::progress::add;
use super::rejects::RejectSink;
use super::stream::{self, Fault, Ordered, Reading, Road};

/// Memory for sorting where nobody says.
pub const BUDGET_BYTES: u64 = 512 << 20;

/// What is sorted and how.
pub struct Job<'a> {
    /// What is read.
    pub reading: &'a Reading,
    /// The converter.
    pub converter: &'a Arc<Converter>,
    /// The pass over the file.
    pub road: &'a Arc<Road>,
    /// Where rejects go.
    pub sink: &'a Arc<Mutex<RejectSink>>,
    /// The primary key.
    pub key: &'a [String],
    /// The most records that may be put aside.
    pub limit: RejectLimit,
    /// Memory, in bytes.
    pub budget_bytes: u64,
    /// Where what does not fit is put.
    pub dir: &'a Path,
}

/// What writes the key of a canonical row, where its order is the server's own and it is equal
/// where the server finds the values equal: rows that repeat a key must come out side by side.
#[must_use]
pub fn key(key: &[String], converter: &Converter) -> Option<SortKey> {
    converter.sort_key_by_name(key).filter(SortKey::is_exact)
}

impl Job<'_> {
    /// Reads, converts and sorts the whole file; then gives chunks in key order, without those in
    /// `done`. The same file and options give the same chunks.
    ///
    /// # Errors
    /// A file that cannot be read or written; what stopped the road is in [`Road::fault`].
    pub async fn run(&self, done: &Arc<BTreeSet<u64>>) -> Result<Ordered, RunError> {
        let key = key(self.key, self.converter).ok_or(RunError::Lost)?;
        let chunks = stream::begin(self.reading, self.converter, self.road)?;
        let mut sorter =
            Sorter::new(self.budget_bytes, self.dir, self.road.cancel.clone(), move |row, out| {
                key.write(row, out);
            });
        let (road, sink) = (Arc::clone(self.road), Arc::clone(self.sink));
        let handle = tokio::runtime::Handle::current();
        let (chunk_bytes, limit) = (self.reading.chunk_bytes, self.limit);
        let sorted = tokio::task::spawn_blocking(move || {
            while let Some(mut chunk) = handle.block_on(chunks.next()) {
                if !road.wants(chunk.index) {
                    continue;
                }
                sorter.push(&chunk)?;
                count(&road, &chunk);
                let rejects = std::mem::take(&mut chunk.rejects);
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                sink.push(chunk.index, rejects)?;
                let read = road.tracker.rows_read.load(Ordering::Relaxed);
                if let Some(body) = limit.passed(sink.count(), read) {
                    road.stop(Fault { chunk: chunk.index, body, record: false, inexact: false });
                }
            }
            Ok::<_, RunError>(sorter.finish(chunk_bytes)?)
        });
        let sorted = sorted.await.map_err(|_| RunError::Lost)??;
        self.sink.lock().unwrap_or_else(PoisonError::into_inner).begin_pass();
        let (to_loaders, from_sorter) = mpsc::channel(1);
        let (road, skip) = (Arc::clone(self.road), Arc::clone(done));
        tokio::task::spawn_blocking(move || give(sorted, &road, &skip, &to_loaders));
        Ok(Ordered::new(from_sorter, Arc::clone(done)))
    }
}

fn count(road: &Road, chunk: &EncodedChunk) {
    let tracker = &road.tracker;
    let rejected = chunk.rejects.len() as u64;
    add(&tracker.rows_read, chunk.rows_read);
    add(&tracker.rows_rejected, rejected);
    add(&tracker.step_rows, chunk.rows_read);
    tracker.step_bytes.fetch_max(chunk.file_bytes_end, Ordering::Relaxed);
}

fn give(
    mut sorted: SortedChunks,
    road: &Road,
    skip: &BTreeSet<u64>,
    out: &mpsc::Sender<EncodedChunk>,
) {
    let mut next = 0;
    while road.wants(next) {
        let chunk: Result<Option<EncodedChunk>, LoadError> = sorted.next_chunk();
        match chunk {
            Ok(Some(chunk)) => {
                next = chunk.index + 1;
                if !skip.contains(&chunk.index) && out.blocking_send(chunk).is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(e) => {
                road.stop(Fault { chunk: next, body: e.body(), record: false, inexact: false });
                return;
            }
        }
    }
}
