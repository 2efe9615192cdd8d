//! Each engine's and server's guard, one test each.

use shared::options::ImportOptions;
use shared::plan::{Choice, IndexPolicy, OnError, Order, PlanView, Strategy, Visibility};
use shared::target::{Capabilities, Flavour, TableFacts};

use super::choices;
use super::facts::Facts;
use super::guards::hindrance;
use super::tests::{Given, asked, engine, orders, planned, server};

fn has(view: &PlanView, wanted: impl Fn(&Choice) -> bool) -> bool {
    view.candidates.iter().any(|c| wanted(&c.choice))
}

/// How an engine's own bulk loader may be used: all orders and index policies that nothing speaks
/// against.
fn bulk_ways(given: &Given) -> Vec<(Order, IndexPolicy)> {
    let mut ways = Vec::new();
    for order in [Order::AsIs, Order::SortByPrimaryKey] {
        for index_policy in [IndexPolicy::Keep, IndexPolicy::DropAndRebuild] {
            let hindered = asked(given, |facts| {
                let strategy = Strategy::EngineBulk;
                hindrance(facts, &Choice { strategy, order, index_policy, ..plain(facts) })
            });
            if hindered.is_none() {
                ways.push((order, index_policy));
            }
        }
    }
    ways
}

/// LOAD DATA into the given table, aside.
fn plain(facts: &Facts<'_>) -> Choice {
    let options =
        ImportOptions { visibility: Some(Visibility::AllAtOnce), ..facts.options.clone() };
    let first = choices::all(&Facts { options: &options, ..*facts }).into_iter().next();
    first.expect("there is always a way")
}

fn bulk(given: &Given) -> bool {
    !bulk_ways(given).is_empty()
}

fn indexed() -> Option<TableFacts> {
    Some(orders(true, 1, 2))
}

#[test]
fn mariadbs_bulk_insert_wants_an_empty_table_with_indexes() {
    let given = Given { table: indexed(), ..Given::default() };
    assert!(bulk(&given));
    assert!(bulk_ways(&given).iter().all(|(_, policy)| *policy == IndexPolicy::Keep));
    assert!(!bulk(&Given::default()), "it gains nothing without indexes");
    let filled = Given { table: Some(orders(false, 1, 2)), ..Given::default() };
    assert!(!bulk(&filled), "the table must be empty");
    let on_error = Some(OnError::Reject);
    let options = ImportOptions { on_error, ..ImportOptions::default() };
    assert!(!bulk(&Given { options, ..given }), "one refused row undoes all");
}

#[test]
fn versions_whose_bulk_insert_is_not_safe_do_not_get_it() {
    let offered = |version, partitioned, galera| {
        let server = Capabilities { version, galera, ..server() };
        let table = indexed().map(|t| TableFacts { partitioned, ..t });
        bulk(&Given { table, server, ..Given::default() })
    };
    assert!(offered((10, 11, 19), false, false));
    assert!(!offered((10, 5, 20), false, false), "there is none before 10.6");
    assert!(!offered((10, 11, 14), false, false), "MDEV-37192");
    assert!(!offered((11, 4, 8), false, false), "MDEV-37192");
    assert!(offered((11, 4, 9), false, false));
    assert!(offered((12, 1, 2), false, false));
    assert!(!offered((10, 11, 19), true, false), "MDEV-31835");
    assert!(!offered((10, 11, 19), false, true), "MDEV-36360");
}

#[test]
fn mysql_has_no_bulk_insert_and_no_bulk_protocol() {
    let mysql = Capabilities { flavour: Flavour::Mysql, version: (9, 7, 4), ..server() };
    let given = Given { table: indexed(), server: mysql, ..Given::default() };
    assert!(!bulk(&given));
    let by_protocol = |c: &Choice| c.strategy == Strategy::BulkProtocol;
    assert!(!has(&planned(&given), by_protocol));
    assert!(has(&planned(&Given { table: indexed(), ..Given::default() }), by_protocol));
}

fn rocksdb(mut table: TableFacts) -> Option<TableFacts> {
    table.engine = "RocksDB".into();
    Some(table)
}

fn with_rocksdb() -> Capabilities {
    let mut server = server();
    server.engines.push(engine("RocksDB", false, true));
    server
}

#[test]
fn myrocks_loads_in_bulk_in_key_order_without_secondary_keys() {
    let given = |sorted, table| Given { sorted, table, server: with_rocksdb(), ..Given::default() };
    let ways = bulk_ways(&given(false, rocksdb(orders(true, 0, 2))));
    assert_eq!(ways, [(Order::SortByPrimaryKey, IndexPolicy::DropAndRebuild)]);
    let plain = given(true, rocksdb(orders(true, 0, 0)));
    assert!(bulk_ways(&plain).iter().all(|(order, _)| *order == Order::SortByPrimaryKey));
    assert_eq!(planned(&plain).candidates[0].choice.strategy, Strategy::EngineBulk);
    assert!(!bulk(&given(true, rocksdb(orders(false, 0, 0)))), "keys may overlap");
    let logged = Capabilities { binary_log: true, ..with_rocksdb() };
    let table = rocksdb(orders(true, 0, 0));
    let given = Given { table, server: logged, ..Given::default() };
    assert!(!bulk(&given), "replicas would not see the rows");
}

#[test]
fn tokudbs_loader_is_not_had_by_local_files() {
    let mut table = orders(true, 0, 2);
    table.engine = "TokuDB".into();
    let mut server = server();
    server.engines.push(engine("TokuDB", false, true));
    assert!(!bulk(&Given { table: Some(table), server, ..Given::default() }));
}

#[test]
fn engines_of_one_writer_get_one_connection() {
    for name in ["Aria", "MyISAM", "MEMORY"] {
        let mut table = orders(true, 0, 0);
        table.engine = name.into();
        let mut server = server();
        server.engines.push(engine("MyISAM", false, false));
        let given = Given { table: Some(table), server, ..Given::default() };
        let view = planned(&given);
        assert!(view.candidates.iter().all(|c| c.choice.workers == 1), "{name}");
    }
}

#[test]
fn aria_and_myisam_load_in_bulk_where_a_refused_row_stops_the_load() {
    let given = |name: &str, on_error| {
        let mut table = orders(true, 0, 0);
        table.engine = name.into();
        let mut server = server();
        server.engines.push(engine("MyISAM", false, false));
        let options = ImportOptions { on_error: Some(on_error), ..ImportOptions::default() };
        Given { table: Some(table), server, options, ..Given::default() }
    };
    for name in ["Aria", "MyISAM"] {
        assert!(bulk(&given(name, OnError::Stop)), "{name}");
        assert!(!bulk(&given(name, OnError::Reject)), "{name}: one such row undoes it all");
    }
    assert!(!bulk(&given("MEMORY", OnError::Stop)));
}

#[test]
fn rows_in_memory_are_named_as_such() {
    let mut table = orders(true, 0, 0);
    table.engine = "MEMORY".into();
    let view = planned(&Given { table: Some(table), ..Given::default() });
    assert!(view.prechecks.iter().any(|p| p.name == "held_in_memory"));
    let view = planned(&Given { table: None, ..Given::default() });
    assert!(!has(&view, |c| c.engine == "MEMORY"), "never by itself");
}

#[test]
fn galera_and_group_replication_get_innodb_and_small_transactions() {
    for (galera, group_replication) in [(true, false), (false, true)] {
        let server = Capabilities { galera, group_replication, ..server() };
        let view = planned(&Given { table: None, server, ..Given::default() });
        assert!(view.candidates.iter().all(|c| c.choice.engine == "InnoDB"));
        assert!(view.candidates.iter().all(|c| c.choice.chunk_bytes <= 4 << 20));
        let name = if galera { "galera" } else { "group_replication" };
        assert!(view.prechecks.iter().any(|p| p.name == name));
    }
}

#[test]
fn tidb_gets_small_transactions_and_no_bulk_loader() {
    let server = Capabilities { flavour: Flavour::Tidb, version: (8, 5, 7), ..server() };
    let given = Given { table: indexed(), server, ..Given::default() };
    let view = planned(&given);
    assert!(!bulk(&given) && !has(&view, |c| c.strategy == Strategy::BulkProtocol));
    assert!(view.candidates.iter().all(|c| c.choice.chunk_bytes <= 4 << 20));
}

#[test]
fn the_server_reads_files_only_where_this_process_can_put_them() {
    let hindered = |server_files| {
        asked(&Given { server_files, ..Given::default() }, |facts| {
            let strategy = Strategy::LoadDataServer;
            hindrance(facts, &Choice { strategy, ..plain(facts) }).is_some()
        })
    };
    assert!(!hindered(true));
    assert!(hindered(false), "secure_file_priv is NULL, or another machine's folder");
}

#[test]
fn ways_that_differ_in_connections_are_offered_beside_the_best() {
    let view = planned(&Given::default());
    let best = &view.candidates[0].choice;
    let other = |n: u32| {
        view.candidates.iter().any(|c| {
            Choice { workers: n, chunk_bytes: c.choice.chunk_bytes, ..best.clone() } == c.choice
        })
    };
    assert!(other(1) && other(4));
    let options = ImportOptions { workers: Some(2), ..ImportOptions::default() };
    let view = planned(&Given { options, ..Given::default() });
    assert!(view.candidates.iter().all(|c| c.choice.workers <= 2), "settled is settled");
}
