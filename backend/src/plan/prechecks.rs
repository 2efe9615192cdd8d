//! Findings before anything is loaded, each with what follows from it.

use shared::plan::{Choice, Mode, OnDuplicate, Order, Precheck, Severity, Strategy, Visibility};
use shared::units;

use super::{Facts, choices};
use crate::estimate::{EngineClass, disk_need};

fn finding(
    name: &str,
    severity: Severity,
    found: impl Into<String>,
    consequence: impl Into<String>,
) -> Precheck {
    Precheck {
        name: name.to_owned(),
        severity,
        finding: found.into(),
        consequence: consequence.into(),
    }
}

/// All findings, in no order.
pub fn all(facts: &Facts<'_>, first: Option<&Choice>) -> Vec<Precheck> {
    let mut found = Vec::new();
    server(facts, &mut found);
    rights(facts, first, &mut found);
    table(facts, first, &mut found);
    wishes(facts, &mut found);
    if let Some(choice) = first {
        engine(facts, choice, &mut found);
        if let Some(h) = facts.hindrance(choice) {
            found.push(finding(h.name, Severity::Stops, h.finding, h.advice));
        }
    }
    found
}

fn server(facts: &Facts<'_>, found: &mut Vec<Precheck>) {
    let c = facts.capabilities;
    if c.read_only {
        found.push(finding(
            "read_only",
            Severity::Stops,
            "The server is read-only.",
            "Nothing can be loaded. Take the primary server, or switch read_only off.",
        ));
    }
    if !c.local_infile {
        let asked = facts.options.strategy == Some(Strategy::LoadData);
        found.push(finding(
            "local_infile_off",
            if asked { Severity::Warns } else { Severity::Informs },
            "LOAD DATA LOCAL is switched off on the server.",
            "Rows go in by INSERT, which takes about half as long again. SET GLOBAL local_infile = 1 would allow the faster way.",
        ));
    }
    if c.replicas > 0 {
        found.push(finding(
            "replicas",
            Severity::Informs,
            format!("Replicas read the binary log: {}.", c.replicas),
            "They write every row as well, and fall behind for about as long as the load takes.",
        ));
    }
    if c.galera {
        found.push(finding(
            "galera",
            Severity::Warns,
            "The server is a Galera node.",
            "Every chunk is replicated as one transaction; keep chunks small (4 MB) and expect other nodes to follow.",
        ));
    }
    if c.group_replication {
        found.push(finding(
            "group_replication",
            Severity::Warns,
            "The server is a member of Group Replication.",
            "Every chunk must stay under group_replication_transaction_size_limit.",
        ));
    }
}

fn rights(facts: &Facts<'_>, first: Option<&Choice>, found: &mut Vec<Precheck>) {
    let mut needed = vec!["INSERT", "SELECT"];
    let staging = first.is_some_and(|c| c.visibility == Visibility::AllAtOnce);
    if facts.table.is_none() || staging {
        needed.extend(["CREATE", "DROP", "ALTER"]);
    }
    let missing: Vec<&str> = needed.into_iter().filter(|p| !(facts.may)(p)).collect();
    if !missing.is_empty() {
        let place = format!("{}.{}", facts.database, facts.table_name);
        found.push(finding(
            "privileges",
            // Rights that come by a role are not seen in every SHOW GRANTS.
            Severity::Warns,
            format!("The user seems to lack {} on {place}.", missing.join(", ")),
            format!(
                "The server may refuse. GRANT {} ON … TO this user mends it.",
                missing.join(", ")
            ),
        ));
    }
}

fn table(facts: &Facts<'_>, first: Option<&Choice>, found: &mut Vec<Precheck>) {
    let Some(table) = facts.table else { return };
    if facts.options.mode == Some(Mode::Create) {
        found.push(finding(
            "table_exists",
            Severity::Stops,
            format!("The table {} exists already.", table.name),
            "Choose another name, or add rows to it, or replace its contents.",
        ));
    }
    let no_staging = facts.no_staging_because();
    match (facts.mode(), facts.lacks_right(), &no_staging) {
        (Mode::Replace, Some(why), _) => found.push(finding(
            "replace_not_possible",
            Severity::Stops,
            format!("The contents cannot be replaced: {why}, and the new rows have to be gathered aside."),
            "Grant the right, or empty the table yourself and add the rows.",
        )),
        (Mode::Replace, None, Some(why)) => found.push(finding(
            "replaced_in_one_transaction",
            Severity::Informs,
            format!("The contents cannot be replaced by a swap: {why}."),
            "The old rows are deleted and the new ones copied in one transaction, which takes longer.",
        )),
        _ => {}
    }
    if !table.triggers.is_empty() {
        found.push(finding(
            "triggers",
            Severity::Informs,
            format!("The table has triggers: {}.", table.triggers.join(", ")),
            "They fire once for each row that goes in, so rows are written to the table itself, not to a staging table.",
        ));
    }
    if !table.foreign_keys.is_empty() {
        let names: Vec<&str> = table.foreign_keys.iter().map(|k| k.name.as_str()).collect();
        found.push(finding(
            "foreign_keys",
            Severity::Informs,
            format!("The table has foreign keys: {}.", names.join(", ")),
            "Order inside the file does not matter; records without a parent are refused.",
        ));
    }
    if table.in_use > 0 {
        found.push(finding(
            "table_in_use",
            Severity::Informs,
            format!("Statements that use the table at this moment: {}.", table.in_use),
            "They and the load wait for each other; quieter hours make it quicker.",
        ));
    }
    if table.partitioned {
        found.push(finding(
            "partitioned",
            Severity::Informs,
            "The table is partitioned.",
            "Rows of one chunk may go to several partitions.",
        ));
    }
    let wanted = facts.options.visibility == Some(Visibility::AllAtOnce);
    if wanted && first.is_some_and(|c| c.visibility == Visibility::AsTheyArrive) {
        let why = no_staging.unwrap_or_else(|| {
            format!("the table has about {} rows that stay", units::count(table.rows_estimate))
        });
        found.push(finding(
            "visibility",
            Severity::Warns,
            format!("All at once is not possible: {why}."),
            "Rows appear chunk by chunk.",
        ));
    }
}

fn wishes(facts: &Facts<'_>, found: &mut Vec<Precheck>) {
    if facts.options.skip_binary_log == Some(true) && facts.capabilities.binary_log {
        found.push(finding(
            "binary_log_skipped",
            Severity::Warns,
            "The binary log is passed over.",
            "Replicas will not get these rows, and a backup that is rolled forward by the binary log lacks them.",
        ));
    }
    if facts.options.relax_flush == Some(true) {
        found.push(finding(
            "flush_relaxed",
            Severity::Warns,
            "The server flushes commits to disk once a second while the run loads.",
            "If its machine fails meanwhile, the last second of every session's commits may be lost. The setting is put back at the end, after a crash by the next start of the service.",
        ));
    }
    if facts.options.order == Some(Order::SortByPrimaryKey) && !choices::may_sort(facts) {
        let why = if facts.on_duplicate() == OnDuplicate::Reject {
            "the table has no primary key that the file fills and whose order can be told"
        } else {
            "with repeated keys the order of the file decides"
        };
        found.push(finding(
            "sort_not_possible",
            Severity::Warns,
            format!("Rows are not sorted: {why}."),
            "They are written in the order of the file.",
        ));
    }
    if let Some(engine) = &facts.options.engine
        && facts.engine(engine).is_none()
    {
        let names: Vec<&str> = facts.capabilities.engines.iter().map(|e| e.name.as_str()).collect();
        found.push(finding(
            "engine_missing",
            Severity::Stops,
            format!("The server has no engine {engine}."),
            format!("It has {}.", names.join(", ")),
        ));
    }
}

/// Whether the disk has room for what the load writes.
fn disk(facts: &Facts<'_>, choice: &Choice, found: &mut Vec<Precheck>) {
    let Some(free) = facts.capabilities.disk_free_bytes else { return };
    let need = disk_need(facts.shape, choice).total();
    let severity = match need as f64 / free.max(1) as f64 {
        // Sizes are estimates: only what is far off stops a run.
        share if share > 1.5 => Severity::Stops,
        share if share > 0.8 => Severity::Warns,
        _ => return,
    };
    found.push(finding(
        "disk_headroom",
        severity,
        format!(
            "The load writes about {}, and the server's disk has {} left.",
            units::bytes(need),
            units::bytes(free)
        ),
        "Make room first: a load that fills the disk stops, and so may the server.",
    ));
}

fn engine(facts: &Facts<'_>, choice: &Choice, found: &mut Vec<Precheck>) {
    if EngineClass::of(&choice.engine) == EngineClass::Memory {
        found.push(finding(
            "held_in_memory",
            Severity::Warns,
            "The table is held in memory.",
            "Its rows are gone when the server stops, and it refuses rows beyond max_heap_table_size.",
        ));
    }
    disk(facts, choice, found);
    if !facts.transactions(&choice.engine) {
        let consequence = if choice.visibility == Visibility::AllAtOnce {
            "Rows go to a staging table first, so a failure leaves nothing; after a crash the load starts over."
        } else {
            "A failure or a crash in mid-load leaves the rows that were written; the load cannot be resumed."
        };
        found.push(finding(
            "no_transactions",
            Severity::Warns,
            format!("The engine {} has no transactions.", choice.engine),
            consequence,
        ));
    }
    if !facts.shape.in_key_order
        && choice.order == Order::AsIs
        && facts.shape.has_key
        && facts.shape.data_bytes_after() > facts.shape.pool_bytes
    {
        found.push(finding(
            "outgrows_buffer_pool",
            Severity::Warns,
            format!(
                "The table will hold about {}, more than the buffer pool of {}, and the file is not in key order.",
                units::bytes(facts.shape.data_bytes_after()),
                units::bytes(facts.shape.pool_bytes)
            ),
            "Each row then costs a read from disk; sorting by the primary key avoids it.",
        ));
    }
}
