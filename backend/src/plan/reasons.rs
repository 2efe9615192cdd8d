//! Titles and reasons in plain words, with the numbers they rest on.

use shared::estimate::Estimate;
use shared::plan::{Choice, IndexPolicy, Mode, Order, Strategy, Visibility};
use shared::units;

use super::{Facts, sizes};
use crate::estimate::EngineClass;

/// A short title, for example `LOAD DATA × 2, sorted by id, indexes after`.
pub fn title(choice: &Choice, facts: &Facts<'_>) -> String {
    let mut parts = vec![match choice.workers {
        1 => strategy_words(choice.strategy).to_owned(),
        n => format!("{} × {n}", strategy_words(choice.strategy)),
    }];
    if choice.order == Order::SortByPrimaryKey {
        parts.push(format!("sorted by {}", facts.key.join(", ")));
    }
    if choice.index_policy == IndexPolicy::DropAndRebuild {
        parts.push("indexes after".to_owned());
    }
    if !facts.engine_is_set() {
        parts.push(choice.engine.clone());
    }
    parts.join(", ")
}

fn strategy_words(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::LoadData => "LOAD DATA",
        Strategy::LoadDataServer => "LOAD DATA on the server",
        Strategy::Insert => "INSERT, many rows a statement",
        Strategy::BulkProtocol => "bulk protocol",
        Strategy::EngineBulk => "the engine's bulk loader",
        Strategy::SingleTransaction => "INSERT in one transaction",
        Strategy::RowByRow => "row by row",
    }
}

/// Why a way is as it is.
pub fn reasons(choice: &Choice, facts: &Facts<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let shape = facts.shape;
    found.push(strategy_reason(choice, facts));
    let (workers, why) = sizes::workers(facts, &choice.engine, choice.strategy, choice.visibility);
    match why {
        Some(why) if workers == choice.workers => found.push(sentence(why)),
        _ if choice.workers > 1 => found.push(format!(
            "Uses {} connections: one alone leaves cores idle, one more than cores writes while another waits for its commit, and more gain nothing.",
            choice.workers
        )),
        _ => {}
    }
    match choice.order {
        Order::SortByPrimaryKey => {
            let after = shape.data_bytes_after();
            let grows = if after > shape.pool_bytes {
                format!(
                    ", and the table will be {:.1} times the buffer pool of {}",
                    after as f64 / shape.pool_bytes as f64,
                    units::bytes(shape.pool_bytes)
                )
            } else {
                String::new()
            };
            found.push(format!(
                "Sorts by {} first: the file is not in the order of the primary key{grows}.",
                facts.key.join(", ")
            ));
        }
        Order::AsIs if shape.has_key && shape.in_key_order => {
            found.push(
                "The file is in the order of the primary key, so no sorting is needed.".into(),
            );
        }
        Order::AsIs => {}
    }
    index_reason(choice, facts, &mut found);
    visibility_reason(choice, facts, &mut found);
    if !facts.transactions(&choice.engine) {
        found.push(format!(
            "{} has no transactions: after a crash the load starts over.",
            choice.engine
        ));
    }
    found
}

fn strategy_reason(choice: &Choice, facts: &Facts<'_>) -> String {
    match choice.strategy {
        Strategy::LoadData => format!(
            "Sends checked rows by LOAD DATA LOCAL, the fastest way in, in chunks of {}, each one transaction.",
            units::bytes(choice.chunk_bytes)
        ),
        Strategy::Insert if !facts.capabilities.local_infile => format!(
            "LOAD DATA LOCAL is switched off on the server, so rows go in by INSERT statements of {}.",
            units::bytes(choice.batch_bytes)
        ),
        Strategy::Insert => {
            format!("Sends INSERT statements of {}.", units::bytes(choice.batch_bytes))
        }
        Strategy::RowByRow => {
            "One statement and one transaction a row: for comparison, or for a server that allows nothing else.".into()
        }
        Strategy::SingleTransaction => {
            "One transaction for the whole file: nothing is seen before the end, and a rollback takes long.".into()
        }
        Strategy::LoadDataServer => "The server reads the file itself; nothing crosses the wire.".into(),
        Strategy::BulkProtocol => "MariaDB's bulk protocol: as fast as LOAD DATA, with more work for this side.".into(),
        Strategy::EngineBulk => match EngineClass::of(&choice.engine) {
            EngineClass::Innodb => "MariaDB's bulk insert: the whole file in one transaction, all entries of an index sorted and written once.".into(),
            EngineClass::Rocksdb => "MyRocks' own bulk loader, finished after each chunk: rows sorted by the key go past locks and the log.".into(),
            _ => format!("{}'s own bulk loader: the whole file in one statement.", choice.engine),
        },
    }
}

fn index_reason(choice: &Choice, facts: &Facts<'_>, found: &mut Vec<String>) {
    let n = facts.shape.indexes;
    if n == 0 {
        return;
    }
    let indexes = if n == 1 { "the index".to_owned() } else { format!("all {n} indexes") };
    found.push(match choice.index_policy {
        IndexPolicy::DropAndRebuild => format!(
            "Builds {indexes} once after the load: building them from {} sorted rows is cheaper than keeping them up row by row.",
            units::count(facts.shape.rows + facts.shape.rows_before)
        ),
        IndexPolicy::Keep if facts.shape.rows_before > 0 => format!(
            "Keeps {indexes}: the table has {} rows already and may be in use.",
            units::count(facts.shape.rows_before)
        ),
        IndexPolicy::Keep => format!("Keeps {indexes} up row by row."),
    });
}

fn visibility_reason(choice: &Choice, facts: &Facts<'_>, found: &mut Vec<String>) {
    let copies = facts.no_staging_because().is_some() || facts.adds_to_rows();
    found.push(match (choice.visibility, choice.mode) {
        (Visibility::AllAtOnce, _) if copies => {
            "Gathers the rows aside and copies them into the table in one transaction: nobody sees half, and their order does not matter to foreign keys.".into()
        }
        (Visibility::AllAtOnce, Mode::Create) => {
            "Loads into a table aside and gives it its name at the end: it appears whole or not at all.".into()
        }
        (Visibility::AllAtOnce, _) => {
            "Loads into a staging table and swaps it in by one RENAME: nobody sees half, a failure leaves nothing.".into()
        }
        (Visibility::AsTheyArrive, _) => {
            let why = facts.no_staging_because().map(|w| format!(", because {w}")).unwrap_or_default();
            let check = if choice.check_first {
                "; the whole file is checked before the first row goes in"
            } else {
                ""
            };
            format!("Rows appear chunk by chunk{why}{check}.")
        }
    });
}

/// Why a way was not the first.
pub fn why_not(best: &(Choice, Estimate), this: (&Choice, &Estimate), facts: &Facts<'_>) -> String {
    let (choice, estimate) = this;
    if !choice.engine.eq_ignore_ascii_case(&best.0.engine) {
        let default = facts.preferred_engine().unwrap_or("the default engine");
        let time = compare(estimate.expected_ms, best.1.expected_ms);
        let safe =
            if facts.transactions(&choice.engine) { "" } else { ", and it has no transactions" };
        return format!("Another engine than {default} is your decision: {time} expected{safe}.");
    }
    let mut losses = Vec::new();
    if choice.strategy != best.0.strategy {
        losses.push(format!("{} costs more a row", strategy_words(choice.strategy)));
    }
    if choice.strategy == best.0.strategy && choice.workers < best.0.workers {
        losses.push("fewer connections leave cores of the server idle".to_owned());
    }
    if choice.strategy == best.0.strategy && choice.workers > best.0.workers {
        losses.push("still more connections gain nothing".to_owned());
    }
    if choice.order == Order::AsIs && best.0.order == Order::SortByPrimaryKey {
        losses.push("rows out of key order land all over the table".to_owned());
    }
    if choice.order == Order::SortByPrimaryKey && best.0.order == Order::AsIs {
        losses.push("sorting takes longer than it saves".to_owned());
    }
    if choice.index_policy == IndexPolicy::Keep && best.0.index_policy != IndexPolicy::Keep {
        losses.push("every row would be put into every index at once".to_owned());
    }
    if choice.index_policy != IndexPolicy::Keep && best.0.index_policy == IndexPolicy::Keep {
        losses.push("building the indexes again takes longer than keeping them".to_owned());
    }
    let time = compare(estimate.expected_ms, best.1.expected_ms);
    if losses.is_empty() {
        format!("{time} expected.")
    } else {
        format!("{time} expected: {}.", losses.join("; "))
    }
}

fn compare(this: u64, best: u64) -> String {
    let ratio = this as f64 / best.max(1) as f64;
    if ratio >= 1.05 {
        format!("{ratio:.1} times as long")
    } else if ratio <= 0.95 {
        format!("{:.1} times as fast", 1.0 / ratio.max(0.001))
    } else {
        "about the same time".to_owned()
    }
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
