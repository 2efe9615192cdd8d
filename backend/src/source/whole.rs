//! The profile of files on disk: a sample first, then, where wanted, every record.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use shared::ImportOptions;
use shared::options::Format;
use shared::profile::documents::{self, Gathered};
use shared::profile::infer::Scope;
use shared::profile::order::StretchOrder;
use shared::profile::stats::{Rules, Stats};
use shared::profile::{Profile, delimited};

use super::{ChunkReader, Layout, RecordParser, SourceError, look};
use crate::domain::Chunk;

/// Chunks of the full pass: small enough to share well, large enough not to matter.
const CHUNK_BYTES: u64 = 4 << 20;
/// What the sample says of bad records is said anew by the full pass.
const UNREADABLE: &str = "records cannot be read";

/// Profiles files of one shape; with `whole`, every record is read. `on_bytes` is told now and then
/// how many bytes of the files, as they lie, have been read. Blocking.
///
/// # Errors
/// A file that cannot be read, is damaged or empty; an option that cannot be followed.
pub fn profile(
    paths: &[PathBuf],
    options: &ImportOptions,
    whole: bool,
    on_bytes: &(dyn Fn(u64) + Sync),
) -> Result<Profile, SourceError> {
    let mut profile = look::sample(paths, options)?;
    if whole && !profile.whole {
        every_record(paths, options, &mut profile, on_bytes)?;
    } else {
        on_bytes(profile.file_bytes);
    }
    Ok(profile)
}

/// A record that cannot be read.
#[derive(Debug, Clone)]
struct Bad {
    row: u64,
    line: u64,
    message: String,
}

/// What one worker gathers.
struct Share {
    stats: Vec<Stats>,
    gathered: Option<Gathered>,
    orders: Vec<(u64, Vec<StretchOrder>)>,
    records: u64,
    bytes: u64,
    bad: u64,
    first_bad: Option<Bad>,
}

impl Share {
    fn new(profile: &Profile, options: &ImportOptions) -> Self {
        let json = matches!(profile.format, Format::Json | Format::Jsonl);
        // Only what was unique in the sample, and not by its order, needs a set to prove it.
        let stats = profile
            .columns
            .iter()
            .map(|c| if c.unique && !c.ascending { Stats::exact() } else { Stats::default() })
            .collect();
        Self {
            stats,
            gathered: json.then(|| Gathered::new(options, true)),
            orders: Vec::new(),
            records: 0,
            bytes: 0,
            bad: 0,
            first_bad: None,
        }
    }

    fn chunk(&mut self, chunk: &Chunk, parser: &mut RecordParser, rules: &Rules) {
        self.bytes += chunk.data.len() as u64;
        let Self { stats, gathered, records, bad, first_bad, .. } = self;
        parser.parse(chunk, |record| {
            *records += 1;
            if let Some(gathered) = gathered {
                let raw = chunk.data.get(record.raw.clone()).unwrap_or_default();
                gathered.add(raw, record.row);
                return;
            }
            match record.fields {
                Ok(fields) => {
                    for (stats, field) in stats.iter_mut().zip(fields.iter()) {
                        stats.add(field.bytes, field.quoted, field.is_null, rules);
                    }
                }
                Err(fault) => {
                    *bad += 1;
                    if first_bad.as_ref().is_none_or(|f| record.row < f.row) {
                        let column =
                            fault.column.map(|c| format!(", column {c}")).unwrap_or_default();
                        let message = format!("{}{column}", fault.message);
                        *first_bad = Some(Bad { row: record.row, line: record.line, message });
                    }
                }
            }
        });
        let order = self.stats.iter_mut().map(Stats::take_order).collect();
        self.orders.push((chunk.index, order));
    }

    fn merge(&mut self, other: Self) {
        for (mine, theirs) in self.stats.iter_mut().zip(other.stats) {
            mine.merge(theirs);
        }
        match (&mut self.gathered, other.gathered) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine, theirs) => *mine = mine.take().or(theirs),
        }
        self.orders.extend(other.orders);
        self.records += other.records;
        self.bytes += other.bytes;
        self.bad += other.bad;
        self.first_bad = match (self.first_bad.take(), other.first_bad) {
            (Some(a), Some(b)) => Some(if a.row <= b.row { a } else { b }),
            (a, b) => a.or(b),
        };
    }

    /// Puts the order of the file together from that of its chunks.
    fn settle_order(&mut self) {
        let mut orders = std::mem::take(&mut self.orders);
        orders.sort_by_key(|(index, _)| *index);
        let mut columns: Vec<Vec<StretchOrder>> = self.stats.iter().map(|_| Vec::new()).collect();
        for (_, stretch) in orders {
            for (column, order) in columns.iter_mut().zip(stretch) {
                column.push(order);
            }
        }
        for (stats, stretches) in self.stats.iter_mut().zip(columns) {
            stats.set_order(stretches);
        }
    }
}

fn every_record(
    paths: &[PathBuf],
    options: &ImportOptions,
    profile: &mut Profile,
    on_bytes: &(dyn Fn(u64) + Sync),
) -> Result<(), SourceError> {
    let layout = Layout::from_profile(profile, options);
    let rules = delimited::rules(&layout.dialect, profile);
    let workers = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 8);
    let (send, receive) = sync_channel::<Chunk>(workers);
    let receive = Mutex::new(receive);
    let fresh = || Share::new(profile, options);
    let (shares, read) = std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers)
            .map(|_| {
                let (share, receive, layout, rules) = (fresh(), &receive, &layout, &rules);
                scope.spawn(move || work(share, receive, layout, rules))
            })
            .collect();
        let read = read_all(paths, &layout, &send, on_bytes);
        drop(send);
        let shares: Vec<Share> = running.into_iter().filter_map(|r| r.join().ok()).collect();
        (shares, read)
    });
    let (blanks, comments) = read?;
    let whole_crew = shares.len() == workers;
    let Some(mut all) = shares.into_iter().reduce(|mut all, share| {
        all.merge(share);
        all
    }) else {
        return Err(look::empty("the file"));
    };
    if !whole_crew {
        return Err(SourceError::new(shared::ErrorCode::Internal, "a reading thread broke down"));
    }
    all.settle_order();
    profile.empty_lines = blanks;
    profile.comment_lines = comments;
    fill(profile, &all, options);
    Ok(())
}

/// Sends every chunk to the workers. Gives empty lines and comment lines.
fn read_all(
    paths: &[PathBuf],
    layout: &Layout,
    send: &SyncSender<Chunk>,
    on_bytes: &(dyn Fn(u64) + Sync),
) -> Result<(u64, u64), SourceError> {
    let mut reader = ChunkReader::open(paths, layout, CHUNK_BYTES)?;
    while let Some(chunk) = reader.next_chunk()? {
        on_bytes(chunk.file_bytes_end);
        if send.send(chunk).is_err() {
            break;
        }
    }
    Ok(reader.passed_lines())
}

fn work(
    mut share: Share,
    receive: &Mutex<Receiver<Chunk>>,
    layout: &Layout,
    rules: &Rules,
) -> Share {
    let mut parser = RecordParser::new(layout);
    loop {
        let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(chunk) = next else { return share };
        share.chunk(&chunk, &mut parser, rules);
    }
}

fn fill(profile: &mut Profile, all: &Share, options: &ImportOptions) {
    let scope = Scope { whole: true, options };
    profile.whole = true;
    profile.rows = Some(all.records);
    profile.read_bytes = all.bytes;
    profile.record_bytes = all.bytes as f64 / all.records.max(1) as f64;
    profile.warnings.retain(|w| !w.contains(UNREADABLE) && !w.contains("no well-formed JSON"));
    if let Some(bad) = &all.first_bad {
        profile.warnings.push(format!(
            "{} of {} {UNREADABLE}; the first of them is data row {} (line {}): {}",
            all.bad, all.records, bad.row, bad.line, bad.message
        ));
    }
    if let Some(gathered) = &all.gathered {
        documents::settle(profile, gathered, scope);
        let width = profile.columns.len();
        profile.preview.iter_mut().for_each(|row| row.resize(width, None));
        return;
    }
    let names: Vec<String> = profile.columns.iter().map(|c| c.name.clone()).collect();
    let sources: Vec<String> = profile.columns.iter().map(|c| c.source_name.clone()).collect();
    delimited::settle_columns(profile, &names, &sources, &all.stats, scope);
}
