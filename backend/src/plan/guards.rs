//! What the planner does not take by itself, beside what an engine or a server cannot do at all.

use shared::plan::{Choice, OnDuplicate, OnError, Strategy};

use super::Facts;
use crate::estimate::EngineClass;

/// Why a choice is not to be offered; none where nothing speaks against it.
#[must_use]
pub fn hindrance(facts: &Facts<'_>, choice: &Choice) -> Option<String> {
    let impossible = facts.hindrance(choice).map(|h| h.finding);
    impossible.or_else(|| match choice.strategy {
        Strategy::BulkProtocol if facts.on_duplicate() != OnDuplicate::Reject => {
            Some("The bulk protocol does not tell new rows from changed ones.".to_owned())
        }
        Strategy::EngineBulk => unwise_bulk(facts, choice),
        _ => None,
    })
}

fn unwise_bulk(facts: &Facts<'_>, choice: &Choice) -> Option<String> {
    if facts.shape.rows_before > 0 {
        return Some("A bulk loader wants an empty table.".to_owned());
    }
    match EngineClass::of(&choice.engine) {
        EngineClass::Innodb => innodb(facts, choice),
        EngineClass::Rocksdb => rocksdb(facts),
        EngineClass::Aria | EngineClass::Myisam => (facts.on_error() == OnError::Reject)
            .then(|| "One refused row undoes the whole load.".to_owned()),
        // Nothing is known of the others that LOAD DATA would not do as well.
        _ => Some("The engine's bulk loader is there to be asked for.".to_owned()),
    }
}

/// MariaDB's bulk insert: one transaction, one connection, an empty table.
fn innodb(facts: &Facts<'_>, choice: &Choice) -> Option<String> {
    if facts.table.is_some_and(|t| !t.foreign_keys.is_empty()) {
        return Some("The bulk insert wants a table without foreign keys.".to_owned());
    }
    if facts.on_error() == OnError::Reject {
        return Some("One refused row undoes the whole bulk insert.".to_owned());
    }
    let gains = facts.shape.kept(choice.index_policy) > 0;
    (!gains).then(|| "The bulk insert gains nothing without indexes.".to_owned())
}

/// MyRocks' bulk loader: not into the binary log, and only rows whose key the file fills.
fn rocksdb(facts: &Facts<'_>) -> Option<String> {
    if !facts.shape.has_key {
        return Some("MyRocks' bulk loader needs a primary key that the file fills.".to_owned());
    }
    facts
        .capabilities
        .binary_log
        .then(|| "Rows of MyRocks' bulk loader do not go into the binary log.".to_owned())
}
