//! Choices that the planner must make.

use shared::column_type::ColumnType;
use shared::options::{Format, ImportOptions};
use shared::plan::{IndexPolicy, OnDuplicate, OnError, Order, PlanView, Strategy, Visibility};
use shared::profile::{ColumnProfile, Compression, Dialect, Profile};
use shared::target::{Capabilities, EngineView, Flavour, IndexFacts, IndexKind, TableFacts};

use super::*;
use crate::domain::ServerFiles;

fn profile(rows: u64, ascending: bool) -> Profile {
    Profile {
        format: Format::Csv,
        compression: Compression::None,
        encoding: "UTF-8".into(),
        dialect: Some(Dialect::default()),
        evidence: vec![],
        warnings: vec![],
        null_markers: vec![],
        quoted_null: false,
        columns: vec![ColumnProfile {
            name: "id".into(),
            source_name: "id".into(),
            column_type: ColumnType::parse("bigint"),
            why: String::new(),
            date_format: None,
            date_readings: Vec::new(),
            binary: false,
            nullable: false,
            nulls: 0,
            empties: 0,
            distinct_estimate: None,
            min: None,
            max: None,
            longest_chars: 7,
            longest_bytes: 7,
            samples: vec![],
            unique: true,
            ascending,
        }],
        preview: vec![],
        file_bytes: rows * 94,
        read_bytes: 1 << 20,
        whole: false,
        rows: Some(rows),
        record_bytes: 94.0,
        empty_lines: 0,
        comment_lines: 0,
        primary_key: vec!["id".into()],
        parts: vec![],
    }
}

pub(super) fn engine(name: &str, default: bool, transactions: bool) -> EngineView {
    EngineView { name: name.into(), default, transactions, words: String::new() }
}

pub(super) fn server() -> Capabilities {
    Capabilities {
        flavour: Flavour::Mariadb,
        version: (10, 11, 19),
        server: "MariaDB 10.11.19".into(),
        engines: vec![
            engine("InnoDB", true, true),
            engine("Aria", false, false),
            engine("MEMORY", false, false),
        ],
        local_infile: true,
        read_only: false,
        max_allowed_packet: 16 << 20,
        buffer_pool_bytes: 2 << 30,
        pool_free_bytes: None,
        disk_free_bytes: None,
        replicas: 0,
        redo_bytes: None,
        flush_at_commit: 1,
        binary_log: false,
        sql_mode: String::new(),
        time_zone: "SYSTEM".into(),
        secure_file_priv: None,
        lower_case_table_names: 0,
        galera: false,
        group_replication: false,
        privileges: vec![],
        round_trip_us: 40,
    }
}

pub(super) fn orders(empty: bool, unique: u32, plain: u32) -> TableFacts {
    let index = |name: String, kind| IndexFacts {
        name,
        kind,
        columns: vec!["id".into()],
        definition: String::new(),
    };
    let mut indexes = vec![index("PRIMARY".into(), IndexKind::Primary)];
    indexes.extend((0..unique).map(|i| index(format!("u{i}"), IndexKind::Unique)));
    indexes.extend((0..plain).map(|i| index(format!("k{i}"), IndexKind::Plain)));
    TableFacts {
        database: "db".into(),
        name: "orders".into(),
        engine: "InnoDB".into(),
        rows_estimate: if empty { 0 } else { 2_000_000 },
        empty,
        data_bytes: 1 << 20,
        indexes,
        charset: "utf8mb4".into(),
        ..TableFacts::default()
    }
}

pub(super) struct Given {
    pub(super) rows: u64,
    pub(super) sorted: bool,
    pub(super) table: Option<TableFacts>,
    pub(super) server: Capabilities,
    pub(super) options: ImportOptions,
    pub(super) server_files: bool,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            rows: 2_000_000,
            sorted: true,
            table: Some(orders(true, 0, 0)),
            server: server(),
            options: ImportOptions::default(),
            server_files: false,
        }
    }
}

/// Asks something of the facts that are given.
pub(super) fn asked<T>(given: &Given, ask: impl FnOnce(&Facts<'_>) -> T) -> T {
    let profile = profile(given.rows, given.sorted);
    let table = given.table.as_ref();
    let about = About { order: (true, given.sorted), replaces: false, cores: 2, columns: 7 };
    let shape = shape(&profile, table, &given.server, &about);
    let key = ["id".to_owned()];
    let files = match given.server_files {
        true => ServerFiles::Folder("/files".into()),
        false => ServerFiles::Off,
    };
    let facts = Facts {
        table,
        server_files: &files,
        capabilities: &given.server,
        options: &given.options,
        shape: &shape,
        database: "db",
        table_name: "orders",
        key: &key,
        sortable: true,
        create_engine: None,
        may: &|_| true,
    };
    ask(&facts)
}

pub(super) fn planned(given: &Given) -> PlanView {
    let calibration = crate::estimate::Calibration::shipped();
    asked(given, |facts| plan(facts, &|choice| calibration.foretell(facts.shape, choice)))
}

fn first(given: &Given) -> shared::plan::Choice {
    planned(given).candidates.remove(0).choice
}

#[test]
fn an_empty_table_is_loaded_aside_by_three_connections() {
    let choice = first(&Given::default());
    assert_eq!(choice.strategy, Strategy::LoadData);
    assert_eq!(choice.visibility, Visibility::AllAtOnce);
    assert_eq!(choice.order, Order::AsIs);
    assert_eq!((choice.workers, choice.check_first), (3, false));
    assert_eq!(choice.chunk_bytes, 8 << 20);
}

#[test]
fn random_order_is_sorted_and_indexes_wait() {
    let table = Some(orders(true, 1, 2));
    let choice = first(&Given { sorted: false, table, ..Given::default() });
    assert_eq!(choice.order, Order::SortByPrimaryKey);
    assert_eq!(choice.index_policy, IndexPolicy::DropAndRebuild);
}

#[test]
fn rows_in_the_table_keep_indexes_and_are_checked_first() {
    let table = Some(orders(false, 1, 2));
    let choice = first(&Given { rows: 500_000, table: table.clone(), ..Given::default() });
    assert_eq!(choice.index_policy, IndexPolicy::Keep);
    assert_eq!(choice.visibility, Visibility::AsTheyArrive);
    assert!(choice.check_first);
    let options = ImportOptions { on_error: Some(OnError::Reject), ..ImportOptions::default() };
    let choice = first(&Given { table, options, ..Given::default() });
    assert!(!choice.check_first);
    assert_eq!(choice.workers, 1, "the first of two equal keys must stay");
}

#[test]
fn triggers_forbid_staging() {
    let mut table = orders(true, 0, 0);
    table.triggers = vec!["t_audit".into()];
    let view = planned(&Given { table: Some(table), ..Given::default() });
    assert_eq!(view.candidates[0].choice.visibility, Visibility::AsTheyArrive);
    assert!(view.prechecks.iter().any(|p| p.name == "triggers"));
}

#[test]
fn without_local_infile_rows_are_inserted_or_go_by_the_bulk_protocol() {
    let off = Capabilities { local_infile: false, ..server() };
    let view = planned(&Given { server: off.clone(), ..Given::default() });
    assert_eq!(view.candidates[0].choice.strategy, Strategy::BulkProtocol);
    let server = Capabilities { flavour: Flavour::Mysql, ..off };
    let view = planned(&Given { server, ..Given::default() });
    assert_eq!(view.candidates[0].choice.strategy, Strategy::Insert);
    assert!(view.prechecks.iter().any(|p| p.name == "local_infile_off"));
}

#[test]
fn replacing_rows_takes_one_connection_and_no_sorting() {
    let options =
        ImportOptions { on_duplicate: Some(OnDuplicate::Replace), ..ImportOptions::default() };
    let choice = first(&Given { sorted: false, options, ..Given::default() });
    assert_eq!((choice.workers, choice.order), (1, Order::AsIs));
}

#[test]
fn a_new_table_gets_the_default_engine_and_others_are_offered() {
    let view = planned(&Given { table: None, ..Given::default() });
    assert_eq!(view.candidates[0].choice.engine, "InnoDB");
    let aria = view.candidates.iter().find(|c| c.choice.engine == "Aria").unwrap();
    assert_eq!(aria.choice.workers, 1);
    assert!(aria.why_not.as_ref().unwrap().contains("no transactions"));
    assert!(view.candidates.iter().all(|c| c.choice.engine != "MEMORY"));
}

#[test]
fn a_read_only_server_stops_the_run() {
    let server = Capabilities { read_only: true, ..server() };
    let view = planned(&Given { server, ..Given::default() });
    assert_eq!(stopped(&view).unwrap().name, "read_only");
}
