//! Every sensible combination of the choices.

use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};

use super::guards::hindrance;
use super::{Facts, sizes};
use crate::estimate::EngineClass;

/// Rows below which deferring indexes or sorting is not worth a statement.
const ROWS_FEW: u64 = 20_000;

/// What may be taken by itself; the others are there for comparison, or for a person to ask for.
const BY_ITSELF: [Strategy; 5] = [
    Strategy::LoadData,
    Strategy::EngineBulk,
    Strategy::BulkProtocol,
    Strategy::Insert,
    Strategy::RowByRow,
];

/// All ways, in no order.
pub fn all(facts: &Facts<'_>) -> Vec<Choice> {
    let visibility = visibility(facts);
    let mut found = Vec::new();
    for engine in engines(facts) {
        let ordered = facts.options.strategy.is_some_and(|s| in_order_alone(s, &engine));
        for order in orders(facts, &engine, ordered) {
            for index_policy in policies(facts, visibility, ordered) {
                let way = Way { engine: &engine, order, index_policy, visibility };
                found.extend(strategies(facts, &way));
            }
        }
    }
    found
}

/// A way as far as it is settled before the strategy.
#[derive(Clone, Copy)]
struct Way<'a> {
    engine: &'a str,
    order: Order,
    index_policy: IndexPolicy,
    visibility: Visibility,
}

/// Ways that differ from a good one only in the number of connections.
pub fn neighbours(facts: &Facts<'_>, best: &Choice) -> Vec<Choice> {
    let settled = facts.options.workers.is_some() || best.workers < 2;
    if settled {
        return Vec::new();
    }
    let with = |workers: u32| {
        let chunk_bytes = sizes::chunk_bytes(facts, workers);
        Choice { workers, chunk_bytes, ..best.clone() }
    };
    vec![with(1), with(best.workers + 1)]
}

fn choice(facts: &Facts<'_>, way: &Way<'_>, strategy: Strategy) -> Choice {
    let (workers, _) = sizes::workers(facts, way.engine, strategy, way.visibility);
    let seen_at_once = way.visibility == Visibility::AsTheyArrive;
    Choice {
        engine: way.engine.to_owned(),
        strategy,
        order: way.order,
        index_policy: way.index_policy,
        visibility: way.visibility,
        mode: facts.mode(),
        on_duplicate: facts.on_duplicate(),
        on_error: facts.on_error(),
        workers,
        chunk_bytes: sizes::chunk_bytes(facts, workers),
        batch_bytes: sizes::batch_bytes(facts),
        batch_rows: facts.options.batch_rows,
        check_first: seen_at_once && facts.on_error() == OnError::Stop,
    }
}

fn engines(facts: &Facts<'_>) -> Vec<String> {
    let preferred = facts.preferred_engine().unwrap_or("InnoDB").to_owned();
    if facts.engine_is_set() {
        return vec![preferred];
    }
    // Only InnoDB is replicated between the nodes of these.
    if facts.capabilities.galera || facts.capabilities.group_replication {
        return vec!["InnoDB".to_owned()];
    }
    let mut engines = vec![preferred];
    for e in &facts.capabilities.engines {
        let lasts = !matches!(
            e.name.to_ascii_lowercase().as_str(),
            "memory" | "blackhole" | "csv" | "archive" | "federated" | "mrg_myisam" | "merge"
        );
        if lasts && !engines.iter().any(|n| n.eq_ignore_ascii_case(&e.name)) {
            engines.push(e.name.clone());
        }
    }
    engines
}

/// All at once for tables whose rows nobody has yet, as they arrive for those that have some.
pub fn visibility(facts: &Facts<'_>) -> Visibility {
    if facts.lacks_right().is_some() {
        return Visibility::AsTheyArrive;
    }
    // Swapping is the only way to replace without a moment of nothing; rows that point to each
    // other can only go in together.
    if facts.mode() == Mode::Replace || facts.points_to_itself() {
        return Visibility::AllAtOnce;
    }
    match facts.options.visibility {
        Some(wanted) => wanted,
        // A bulk loader wants a table of its own.
        None if facts.options.strategy == Some(Strategy::EngineBulk) => Visibility::AllAtOnce,
        None if facts.no_staging_because().is_some() || facts.adds_to_rows() => {
            Visibility::AsTheyArrive
        }
        None => Visibility::AllAtOnce,
    }
}

/// The choices of a way, one for each strategy that may be taken.
fn strategies(facts: &Facts<'_>, way: &Way<'_>) -> Vec<Choice> {
    if let Some(strategy) = facts.options.strategy {
        // What is switched off on the server cannot be had by asking: the next best, said so.
        return match strategy {
            Strategy::LoadData if !facts.capabilities.local_infile => {
                vec![choice(facts, way, Strategy::Insert)]
            }
            other => vec![choice(facts, way, other)],
        };
    }
    let each = BY_ITSELF.into_iter().map(|strategy| choice(facts, way, strategy));
    each.filter(|c| hindrance(facts, c).is_none()).collect()
}

/// Whether rows may be written in another order than the file's.
pub fn may_sort(facts: &Facts<'_>) -> bool {
    facts.sortable && facts.shape.has_key && facts.on_duplicate() == OnDuplicate::Reject
}

/// MyRocks' bulk loader takes sorted rows of the primary key, and nothing else.
fn in_order_alone(strategy: Strategy, engine: &str) -> bool {
    strategy == Strategy::EngineBulk && engine.eq_ignore_ascii_case("RocksDB")
}

fn orders(facts: &Facts<'_>, engine: &str, in_order_alone: bool) -> Vec<Order> {
    if in_order_alone && may_sort(facts) {
        return vec![Order::SortByPrimaryKey];
    }
    match facts.options.order {
        Some(Order::SortByPrimaryKey) if may_sort(facts) => return vec![Order::SortByPrimaryKey],
        Some(_) => return vec![Order::AsIs],
        None => {}
    }
    let class = EngineClass::of(engine);
    let gains = class == EngineClass::Rocksdb || (class.clusters() && !facts.shape.in_key_order);
    if gains && may_sort(facts) && facts.shape.rows >= ROWS_FEW {
        vec![Order::AsIs, Order::SortByPrimaryKey]
    } else {
        vec![Order::AsIs]
    }
}

fn policies(facts: &Facts<'_>, visibility: Visibility, primary_only: bool) -> Vec<IndexPolicy> {
    if facts.shape.indexes == 0 {
        return vec![IndexPolicy::Keep];
    }
    if primary_only && facts.options.index_policy.is_none() {
        return vec![IndexPolicy::DropAndRebuild];
    }
    // Repeated keys have to be met row by row where a rule says what becomes of them.
    let unique_needed = facts.on_duplicate() != OnDuplicate::Reject;
    let all_unique = facts.shape.unique_indexes == facts.shape.indexes;
    if unique_needed && all_unique {
        return vec![IndexPolicy::Keep];
    }
    if let Some(policy) = facts.options.index_policy {
        return vec![policy];
    }
    // A table in use keeps its indexes unless told otherwise.
    if visibility == Visibility::AsTheyArrive && facts.shape.rows_before > 0 {
        return vec![IndexPolicy::Keep];
    }
    if facts.no_staging_because().is_some() || facts.adds_to_rows() {
        return vec![IndexPolicy::Keep];
    }
    if facts.shape.rows < ROWS_FEW {
        return vec![IndexPolicy::Keep];
    }
    vec![IndexPolicy::DropAndRebuild, IndexPolicy::Keep]
}
