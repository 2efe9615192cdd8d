//! The first half of the road: files in, checked and encoded chunks out, in the order of the file.
//!
//! One thread reads, some convert; between them queues of one chunk, so that a slow consumer slows
//! the reader and memory stays bounded by the workers, whatever the file's size.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use shared::error::ErrorBody;
use shared::run::Reject;
use tokio::sync::mpsc;

use crate::convert::Converter;
use crate::domain::{Chunk, EncodedChunk};
use crate::load::Cancel;
use crate::source::{ChunkReader, Layout, RecordParser};

use super::RunError;
use super::pace::Pace;
use super::progress::{Tracker, add};

/// What stopped the road, by the place in the file where it did.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Number of the chunk.
    pub chunk: u64,
    /// The error.
    pub body: ErrorBody,
    /// Whether a record was at fault, rather than a machine.
    pub record: bool,
    /// Whether a way that looks at each record could tell more.
    pub inexact: bool,
}

/// Shared by everything that works on one pass over the file.
#[derive(Debug)]
pub struct Road {
    stop_at: AtomicU64,
    fault: Mutex<Option<Fault>>,
    /// The switch of the run.
    pub cancel: Cancel,
    /// Counters of the run.
    pub tracker: Arc<Tracker>,
    /// Whether the first bad record ends the pass.
    pub stop_on_reject: bool,
}

impl Road {
    /// A road that nothing has stopped.
    #[must_use]
    pub fn new(cancel: Cancel, tracker: Arc<Tracker>, stop_on_reject: bool) -> Self {
        Self {
            stop_at: AtomicU64::new(u64::MAX),
            fault: Mutex::new(None),
            cancel,
            tracker,
            stop_on_reject,
        }
    }

    /// Records a fault. Of several the one that comes first in the file counts, whoever met it
    /// first; chunks before it still go their way, so that an earlier one can be found.
    pub fn stop(&self, fault: Fault) {
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop_at.fetch_min(fault.chunk, Ordering::AcqRel);
        if first.as_ref().is_none_or(|f| fault.chunk < f.chunk) {
            *first = Some(fault);
        }
    }

    /// Whether a chunk is still wanted.
    #[must_use]
    pub fn wants(&self, chunk: u64) -> bool {
        chunk < self.stop_at.load(Ordering::Acquire) && !self.cancel.is_set()
    }

    /// What stopped it, if anything did.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is read and how.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The files.
    pub files: Vec<PathBuf>,
    /// How they are read.
    pub layout: Layout,
    /// Bytes of one chunk.
    pub chunk_bytes: u64,
    /// Converting threads.
    pub threads: u32,
    /// Whether raw records go along, for rejects that only the server can tell.
    pub keep_raw: bool,
    /// At most this many bytes a second.
    pub max_bytes_per_sec: Option<u64>,
    /// Chunks that are in already and need not be converted.
    pub done: Arc<BTreeSet<u64>>,
    /// Bytes of the file after which no further chunk is read.
    pub bytes_max: Option<u64>,
}

/// Chunks in the order of their numbers.
#[derive(Debug)]
pub struct Ordered {
    inner: tokio::sync::Mutex<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    from: mpsc::Receiver<EncodedChunk>,
    early: BTreeMap<u64, EncodedChunk>,
    next: u64,
    done: Arc<BTreeSet<u64>>,
}

impl Ordered {
    /// Orders what comes from a channel; numbers in `done` are not waited for.
    #[must_use]
    pub fn new(from: mpsc::Receiver<EncodedChunk>, done: Arc<BTreeSet<u64>>) -> Self {
        let waiting = Waiting { from, early: BTreeMap::new(), next: 0, done };
        Self { inner: tokio::sync::Mutex::new(waiting) }
    }

    /// The next chunk; none at the end, or where one is missing because the road was stopped.
    pub async fn next(&self) -> Option<EncodedChunk> {
        let mut w = self.inner.lock().await;
        loop {
            while w.done.contains(&w.next) {
                w.next += 1;
            }
            let next = w.next;
            if let Some(chunk) = w.early.remove(&next) {
                w.next += 1;
                return Some(chunk);
            }
            let chunk = w.from.recv().await?;
            w.early.insert(chunk.index, chunk);
        }
    }
}

/// Begins to read and convert. The chunks end when the file does, the road is stopped or the run
/// cancelled; then [`Road::fault`] has the reason.
///
/// # Errors
/// If a file cannot be opened.
pub fn begin(
    reading: &Reading,
    converter: &Arc<Converter>,
    road: &Arc<Road>,
) -> Result<Ordered, RunError> {
    let reader = ChunkReader::open(&reading.files, &reading.layout, reading.chunk_bytes)
        .map_err(|e| RunError::from(e.body()))?;
    let (raw_in, raw_out) = sync_channel::<Chunk>(1);
    let (encoded_in, encoded_out) = mpsc::channel(1);
    let raw_out = Arc::new(Mutex::new(raw_out));
    let pace = reading.max_bytes_per_sec.map(Pace::new);
    let (for_reader, done) = (Arc::clone(road), Arc::clone(&reading.done));
    let bytes_max = reading.bytes_max.unwrap_or(u64::MAX);
    spawn("plimsoll-read", move || read(reader, bytes_max, &for_reader, &raw_in, &done, pace))?;
    for _ in 0..reading.threads.max(1) {
        let (road, converter) = (Arc::clone(road), Arc::clone(converter));
        let (raw, encoded) = (Arc::clone(&raw_out), encoded_in.clone());
        let (parser, keep_raw) = (RecordParser::new(&reading.layout), reading.keep_raw);
        spawn("plimsoll-convert", move || {
            convert(&converter, parser, &road, &raw, &encoded, keep_raw);
        })?;
    }
    Ok(Ordered::new(encoded_out, Arc::clone(&reading.done)))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), RunError> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(|_| ()).map_err(|source| RunError::Io { path: "a thread".to_owned(), source })
}

fn read(
    mut reader: ChunkReader,
    bytes_max: u64,
    road: &Road,
    out: &SyncSender<Chunk>,
    done: &BTreeSet<u64>,
    mut pace: Option<Pace>,
) {
    let mut next = 0;
    let mut before = 0;
    while road.wants(next) && before < bytes_max {
        match reader.next_chunk() {
            Ok(Some(chunk)) => {
                next = chunk.index + 1;
                road.tracker.bytes_read.store(chunk.file_bytes_end, Ordering::Relaxed);
                let bytes = chunk.file_bytes_end.saturating_sub(before);
                before = chunk.file_bytes_end;
                if done.contains(&chunk.index) {
                    add(&road.tracker.step_bytes, bytes);
                    continue;
                }
                if let Some(pace) = &mut pace {
                    pace.wait(bytes, &road.cancel);
                }
                if out.send(chunk).is_err() {
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

fn convert(
    converter: &Converter,
    mut parser: RecordParser,
    road: &Road,
    raw: &Mutex<Receiver<Chunk>>,
    encoded: &mpsc::Sender<EncodedChunk>,
    keep_raw: bool,
) {
    loop {
        let next = raw.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(chunk) = next else { return };
        if !road.wants(chunk.index) {
            continue;
        }
        let out = converter.encode(&mut parser, &chunk, keep_raw);
        drop(chunk);
        if road.stop_on_reject
            && let Some(first) = out.rejects.first()
        {
            let body = reject_body(first);
            road.stop(Fault { chunk: out.index, body, record: true, inexact: false });
            continue;
        }
        if encoded.blocking_send(out).is_err() {
            return;
        }
    }
}

/// A bad record as the error that stops a run.
#[must_use]
pub fn reject_body(reject: &Reject) -> ErrorBody {
    let mut body = ErrorBody::new(reject.code, reject.message.clone());
    body.row = Some(reject.row);
    body.line = Some(reject.line);
    body.column.clone_from(&reject.column);
    body.value.clone_from(&reject.value);
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shared::ImportOptions;
    use shared::target::{ColumnFacts, Flavour, TableFacts};

    fn table() -> TableFacts {
        let column = |name: &str, sql_type: &str| ColumnFacts {
            name: name.to_owned(),
            sql_type: sql_type.to_owned(),
            nullable: true,
            has_default: false,
            auto_increment: false,
            generated: false,
            charset: None,
            collation: None,
        };
        let mut facts: TableFacts = serde_json::from_value(serde_json::json!({
            "database": "", "name": "t", "engine": "InnoDB", "rows_estimate": 0, "empty": true,
            "data_bytes": 0, "index_bytes": 0, "columns": [], "indexes": [], "foreign_keys": [],
            "referenced_by": [], "triggers": [], "partitioned": false, "charset": "utf8mb4",
            "create_sql": "",
        }))
        .unwrap();
        facts.columns = vec![column("n", "int"), column("s", "varchar(40)")];
        facts
    }

    /// Rows, then row and line of every reject.
    fn load(file: &std::path::Path, threads: u32, chunk_bytes: u64) -> (Vec<u8>, Vec<(u64, u64)>) {
        let options: ImportOptions = serde_json::from_str(
            r#"{"delimiter": ",", "quote": "\"", "escape": "", "header": true}"#,
        )
        .unwrap();
        let files = vec![file.to_owned()];
        let profile = crate::source::profile(&files, &options, false, &|_| {}).unwrap();
        let layout = Layout::from_profile(&profile, &options);
        let mapping =
            crate::convert::map_columns(&table(), &layout.columns, &options, Flavour::Mariadb);
        let converter =
            Converter::new(&mapping.unwrap(), &layout, &options, Flavour::Mariadb).unwrap();
        let reading = Reading {
            files,
            layout,
            chunk_bytes,
            threads,
            keep_raw: false,
            max_bytes_per_sec: None,
            done: Arc::default(),
            bytes_max: None,
        };
        let road = Arc::new(Road::new(Cancel::new(), Arc::new(Tracker::new(0)), false));
        let chunks = begin(&reading, &Arc::new(converter), &road).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (mut rows, mut rejects) = (Vec::new(), Vec::new());
        while let Some(chunk) = runtime.block_on(chunks.next()) {
            rows.extend(chunk.data);
            rejects.extend(chunk.rejects.iter().map(|r| (r.row, r.line)));
        }
        assert!(road.fault().is_none());
        (rows, rejects)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn neither_workers_nor_borders_change_what_is_loaded(
            rows in prop::collection::vec((any::<i16>(), "[a-z,\"\n\r ]{0,12}", 0_u8..20), 1..120),
            chunk_bytes in 1_u64..200,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("t.csv");
            let mut text = "n,s\n".to_owned();
            for (n, s, odd) in &rows {
                let bad = if *odd == 0 { "x" } else { "" };
                text.push_str(&format!("{bad}{n},\"{}\"\n", s.replace('"', "\"\"")));
            }
            std::fs::write(&file, text).unwrap();
            let expect = load(&file, 1, 1 << 20);
            prop_assert_eq!(expect.1.len(), rows.iter().filter(|r| r.2 == 0).count());
            for threads in [1, 8] {
                prop_assert_eq!(&load(&file, threads, chunk_bytes), &expect, "{} threads", threads);
            }
        }
    }
}
