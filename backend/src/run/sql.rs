//! The SQL of a plan as people read it beforehand, rows left out.

use shared::ddl::{quote_name, quote_table};
use shared::plan::{Choice, IndexPolicy, Strategy};

use crate::convert;
use crate::load::index_ddl::{self, DropRule};
use crate::load::staging::{self, Way};
use crate::load::{Session, ledger};

use super::RunInput;
use super::gather::Gathered;

/// The statements, in order.
#[must_use]
pub fn statements(
    g: &Gathered,
    input: &RunInput,
    choice: &Choice,
    way: Way,
    run_id: &str,
) -> Vec<String> {
    let name = |table: &str| quote_table(&input.database, table);
    let (staging, old) = (staging::staging_name(run_id), staging::old_name(run_id));
    let physical = if way == Way::Direct { input.table.clone() } else { staging.clone() };
    let mut found = Vec::new();
    match (&g.table, &g.view.create_table) {
        (Some(_), _) if way != Way::Direct => {
            found.push(format!("CREATE TABLE {} LIKE {}", name(&staging), name(&input.table)));
        }
        (None, Some(create)) => found.push(create.clone()),
        _ => {}
    }
    found.push(format!("CREATE TABLE {} (chunk BIGINT …)", name(&ledger::table_name(run_id))));
    let rule = if way == Way::Swap { DropRule::UniqueToo } else { DropRule::NonUnique };
    let dropped = (choice.index_policy == IndexPolicy::DropAndRebuild)
        .then(|| g.table.as_ref().and_then(|t| index_ddl::plan_drop(t, rule)))
        .flatten()
        .map(|d| if way == Way::Direct { d } else { d.for_table(&staging) });
    if let Some(dropped) = &dropped {
        found.push(dropped.drop_sql.clone());
    }
    // Only that statement gets InnoDB's bulk insert which checks neither kind of key.
    let bulk = choice.strategy == Strategy::EngineBulk;
    let unchecked = bulk && choice.engine.eq_ignore_ascii_case("InnoDB");
    let session = Session {
        time_zone: convert::session_zone(&g.layout, &input.options),
        sql_mode: input.options.sql_mode.clone(),
        skip_binary_log: input.options.skip_binary_log == Some(true),
        unique_checks: !unchecked,
        foreign_key_checks: !unchecked,
    };
    found.extend(session.statements(g.capabilities.flavour, &choice.engine));
    let columns: Vec<String> = g
        .view
        .mapping
        .iter()
        .filter(|m| !m.sql_type.is_empty())
        .map(|m| quote_name(&m.column))
        .collect();
    let columns = columns.join(", ");
    let line = format!("INSERT INTO {} VALUES …", name(&ledger::table_name(run_id)));
    let rows = match choice.strategy {
        Strategy::LoadData | Strategy::LoadDataServer | Strategy::EngineBulk => format!(
            "LOAD DATA {}INFILE … INTO TABLE {} CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' ({columns})",
            if choice.strategy == Strategy::LoadDataServer { "" } else { "LOCAL " },
            name(&physical)
        ),
        _ => format!("INSERT INTO {} ({columns}) VALUES …", name(&physical)),
    };
    if bulk && choice.engine.eq_ignore_ascii_case("RocksDB") {
        let set = |on: u8| format!("SET SESSION rocksdb_bulk_load = {on}");
        found.extend([set(1), rows, set(0), line]);
    } else {
        found.extend(["BEGIN".to_owned(), rows, line, "COMMIT".to_owned()]);
    }
    if let Some(dropped) = &dropped {
        found.push(dropped.rebuild_sql.clone());
    }
    found.push(format!("SELECT COUNT(*) FROM {}", name(&physical)));
    match (way, &g.table) {
        (Way::Swap, Some(_)) => {
            found.push(format!(
                "RENAME TABLE {} TO {}, {} TO {}",
                name(&input.table),
                name(&old),
                name(&staging),
                name(&input.table)
            ));
            found.push(format!("DROP TABLE {}", name(&old)));
        }
        (Way::Swap, None) => {
            found.push(format!("RENAME TABLE {} TO {}", name(&staging), name(&input.table)));
        }
        (Way::Move, _) => found.push(format!(
            "INSERT INTO {} ({columns}) SELECT {columns} FROM {}",
            name(&input.table),
            name(&staging)
        )),
        (Way::Direct, _) => {}
    }
    found.push(format!("ANALYZE TABLE {}", name(&input.table)));
    found
}
