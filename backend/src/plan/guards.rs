//! What an engine or a server cannot do, or not safely: why a strategy is not offered.

use shared::plan::{IndexPolicy, OnDuplicate, OnError, Order, Strategy};
use shared::target::Flavour;

use super::Facts;
use crate::domain::{BULK_INSERT_RECOVERS, ServerFiles, mended};
use crate::estimate::EngineClass;

/// A way that is about to be offered, as far as guards look at it.
#[derive(Debug, Clone, Copy)]
pub struct Way<'a> {
    /// The engine.
    pub engine: &'a str,
    /// The strategy.
    pub strategy: Strategy,
    /// The order.
    pub order: Order,
    /// What becomes of the indexes.
    pub index_policy: IndexPolicy,
}

/// Why a way is not to be taken; none where nothing speaks against it.
#[must_use]
pub fn hindrance(facts: &Facts<'_>, way: &Way<'_>) -> Option<String> {
    let server = facts.capabilities;
    let local = "LOAD DATA LOCAL is switched off on the server.";
    match way.strategy {
        Strategy::LoadData => (!server.local_infile).then(|| local.to_owned()),
        Strategy::LoadDataServer => server_files(facts),
        Strategy::BulkProtocol if server.flavour != Flavour::Mariadb => {
            Some("The bulk protocol is spoken by MariaDB only.".to_owned())
        }
        Strategy::BulkProtocol if facts.on_duplicate() != OnDuplicate::Reject => {
            Some("The bulk protocol does not tell new rows from changed ones.".to_owned())
        }
        Strategy::EngineBulk if !server.local_infile => Some(local.to_owned()),
        Strategy::EngineBulk => engine_bulk(facts, way),
        Strategy::BulkProtocol
        | Strategy::Insert
        | Strategy::SingleTransaction
        | Strategy::RowByRow => None,
    }
}

fn server_files(facts: &Facts<'_>) -> Option<String> {
    if facts.capabilities.secure_file_priv.is_none() {
        return Some("The server reads no files (secure_file_priv is NULL).".to_owned());
    }
    if !matches!(facts.server_files, ServerFiles::Folder(_)) {
        return Some("The folder from which the server reads files is not on this machine.".into());
    }
    (!(facts.may)("FILE")).then(|| "The user lacks the right FILE.".to_owned())
}

fn engine_bulk(facts: &Facts<'_>, way: &Way<'_>) -> Option<String> {
    if facts.on_duplicate() != OnDuplicate::Reject {
        return Some("A bulk loader cannot skip, replace or update rows.".to_owned());
    }
    if facts.shape.rows_before > 0 {
        return Some("A bulk loader wants an empty table.".to_owned());
    }
    match (EngineClass::of(way.engine), facts.capabilities.flavour) {
        (EngineClass::Innodb, Flavour::Mariadb) => innodb(facts, way),
        (EngineClass::Rocksdb, _) => rocksdb(facts, way),
        (EngineClass::Tokudb, _) => Some(
            "TokuDB's bulk loader does not work under LOAD DATA LOCAL, which ignores bad rows."
                .to_owned(),
        ),
        (_, Flavour::Tidb) => {
            Some("TiDB's IMPORT INTO reads from its own storage, not from here.".to_owned())
        }
        (_, _) => Some(format!("{} has no bulk loader of its own.", way.engine)),
    }
}

/// MariaDB's bulk insert: one transaction, one connection, an empty table.
fn innodb(facts: &Facts<'_>, way: &Way<'_>) -> Option<String> {
    let server = facts.capabilities;
    let version = server.version;
    if version < (10, 6, 0) {
        return Some("MariaDB has its bulk insert from 10.6 on.".to_owned());
    }
    if facts.table.is_some_and(|t| !t.foreign_keys.is_empty()) {
        return Some("The bulk insert wants a table without foreign keys.".to_owned());
    }
    if server.galera && !mended(version, &[(10, 11, 12), (11, 4, 6), (11, 8, 0)]) {
        return Some("On Galera this version's bulk insert can hang (MDEV-36360).".to_owned());
    }
    let partitioned = facts.table.is_some_and(|t| t.partitioned);
    if partitioned && !mended(version, &[(10, 6, 16), (10, 11, 6), (11, 0, 4)]) {
        return Some(
            "This version's bulk insert damages partitioned tables (MDEV-31835).".to_owned(),
        );
    }
    if !mended(version, &BULK_INSERT_RECOVERS) {
        return Some("This version's bulk insert may not survive a crash (MDEV-37192).".to_owned());
    }
    if facts.on_error() == OnError::Reject {
        return Some("One refused row undoes the whole bulk insert.".to_owned());
    }
    if facts.shape.kept(way.index_policy) == 0 {
        return Some("The bulk insert gains nothing without indexes.".to_owned());
    }
    None
}

/// MyRocks' bulk loader: key order, no secondary keys meanwhile, not into the binary log.
fn rocksdb(facts: &Facts<'_>, way: &Way<'_>) -> Option<String> {
    let shape = facts.shape;
    if !shape.has_key {
        return Some("MyRocks' bulk loader needs a primary key that the file fills.".to_owned());
    }
    if !shape.in_key_order && way.order != Order::SortByPrimaryKey {
        return Some("MyRocks' bulk loader takes rows in the order of the key only.".to_owned());
    }
    if shape.kept(way.index_policy) > 0 {
        return Some("MyRocks' bulk loader wants no secondary keys meanwhile.".to_owned());
    }
    facts
        .capabilities
        .binary_log
        .then(|| "Rows of MyRocks' bulk loader do not go into the binary log.".to_owned())
}
