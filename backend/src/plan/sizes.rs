//! Workers, chunks and batches.

use shared::plan::{OnDuplicate, OnError, Strategy, Visibility};
use shared::target::Flavour;

use super::Facts;

const CHUNK_BYTES: u64 = 8 << 20;
const CHUNK_BYTES_SMALL: u64 = 4 << 20;
const CHUNK_BYTES_REPLICATED: u64 = 2 << 20;
const CHUNK_BYTES_LEAST: u64 = 4 << 10;
const CHUNK_BYTES_MOST: u64 = 256 << 20;
/// Raw records of all chunks under way at once.
const FLIGHT_BYTES: u64 = 64 << 20;
/// A file below this is cut finer, so that every worker gets some of it.
const SMALL_FILE_BYTES: u64 = 128 << 20;
/// The most workers that the planner takes by itself.
const WORKERS_MOST: u32 = 8;

/// Writing connections, and why there are not more where there are fewer than cores.
pub fn workers(
    facts: &Facts<'_>,
    engine: &str,
    strategy: Strategy,
    visibility: Visibility,
) -> (u32, Option<&'static str>) {
    if strategy == Strategy::SingleTransaction {
        return (1, Some("one transaction needs one connection"));
    }
    if strategy == Strategy::EngineBulk {
        return (1, Some("the engine's bulk loader takes one connection to a table"));
    }
    if facts.on_duplicate() != OnDuplicate::Reject && facts.has_unique() {
        return (
            1,
            Some("with repeated keys the order of the file decides, so one connection writes"),
        );
    }
    let engine = engine.to_ascii_lowercase();
    if matches!(engine.as_str(), "aria" | "myisam" | "memory") {
        return (1, Some("the engine takes one writer at a time"));
    }
    if let Some(workers) = facts.options.workers {
        return (workers.clamp(1, 64), None);
    }
    // Where rows can no longer be taken back, which of two equal keys stays must not be chance.
    if visibility == Visibility::AsTheyArrive
        && facts.on_error() == OnError::Reject
        && facts.has_unique()
    {
        return (
            1,
            Some("of two records with one key the first must stay, so one connection writes"),
        );
    }
    let chunks = facts.shape.bytes.div_ceil(CHUNK_BYTES_SMALL).max(1);
    // One more than cores: while one waits for its commit, the others write.
    let most = (facts.shape.cores + 1).clamp(1, WORKERS_MOST);
    (most.min(u32::try_from(chunks).unwrap_or(WORKERS_MOST)), None)
}

/// Bytes of the file in one chunk.
pub fn chunk_bytes(facts: &Facts<'_>, workers: u32) -> u64 {
    if let Some(bytes) = facts.options.chunk_bytes {
        return bytes.clamp(CHUNK_BYTES_LEAST, CHUNK_BYTES_MOST);
    }
    let server = facts.capabilities;
    let replicated = server.galera || server.group_replication || server.flavour == Flavour::Tidb;
    if replicated {
        // Each transaction goes to all nodes as one: many small ones are what they bear.
        return CHUNK_BYTES_REPLICATED;
    }
    let bytes = if facts.shape.bytes < SMALL_FILE_BYTES { CHUNK_BYTES_SMALL } else { CHUNK_BYTES };
    bytes.min(FLIGHT_BYTES / u64::from(workers + 2)).max(1 << 20)
}

/// Bytes of one INSERT statement, well under the server's largest packet.
pub fn batch_bytes(facts: &Facts<'_>) -> u64 {
    let good: u64 = match facts.capabilities.flavour {
        Flavour::Mariadb => 256 << 10,
        Flavour::Mysql | Flavour::Tidb => 64 << 10,
    };
    // A far server pays for each statement: fewer and larger ones.
    let far = if facts.shape.round_trip_us > 5_000 { 4 } else { 1 };
    (good * far).min(facts.capabilities.max_allowed_packet / 2).max(1024)
}
