//! Everything that planning and running need to know, gathered once: server, table, file, mapping.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mysql_async::Conn;
use shared::ddl::NewTable;
use shared::error::ErrorCode;
use shared::estimate::Estimate;
use shared::options::Format;
use shared::plan::{Choice, MappedColumn, Mode, PlanView, Precheck, Severity, Strategy};
use shared::profile::Profile;
use shared::target::{Capabilities, ColumnFacts, IndexFacts, IndexKind, TableFacts};

use crate::convert::{self, Converter, Mapping, Source};
use crate::domain::ServerFiles;
use crate::estimate::{Calibration, Shape};
use crate::load::server_files;
use crate::plan::{self, Facts};
use crate::source::{self, Layout};
use crate::store::Store;
use crate::target;

use super::{RunError, RunInput, sort};

/// What is known before the first row.
#[derive(Debug)]
pub struct Gathered {
    /// A connection for statements of the run's own.
    pub conn: Conn,
    /// The server.
    pub capabilities: Capabilities,
    /// The table, where it exists.
    pub table: Option<TableFacts>,
    /// The table to be made, where it does not.
    pub new_table: Option<NewTable>,
    /// Whether the server reads files that are written here.
    pub server_files: ServerFiles,
    /// How it is read.
    pub layout: Layout,
    /// Facts in numbers.
    pub shape: Shape,
    /// What earlier loads tell of the server.
    pub calibration: Calibration,
    /// The plan.
    pub view: PlanView,
}

/// Looks at server, table and file, and plans. With `whole` the whole file is read where its types
/// decide over a new table's.
///
/// # Errors
/// No connection, a file that cannot be read, columns that do not match.
pub async fn gather(
    store: &Store,
    input: &RunInput,
    whole: bool,
    on_bytes: Arc<AtomicU64>,
) -> Result<Gathered, RunError> {
    let spec = input.target.clone().with_database(&input.database);
    let mut conn = target::connect(&spec).await?;
    let capabilities = target::capabilities(&mut conn).await?;
    let table = target::table_facts(&mut conn, &input.database, &input.table).await?;
    let chosen = input.choice.as_ref().map(|c| c.strategy).or(input.options.strategy);
    let server_files = match chosen {
        // A file is written and read to know this: only where somebody asks for it.
        Some(Strategy::LoadDataServer | Strategy::EngineBulk) => {
            server_files::probe(&mut conn, &capabilities).await?
        }
        _ => ServerFiles::Off,
    };
    let infers = table.is_none() && input.create_table.is_none();
    let profile = profile_of(input, whole, infers, on_bytes).await?;
    if infers && profile.columns.is_empty() {
        return Err(RunError::refuse(
            ErrorCode::EmptyFile,
            format!("{} has no columns, so no table can be made for it.", input.file_name),
        ));
    }
    let layout = input.layout.clone().unwrap_or_else(|| {
        Layout::from_profile(&profile, &input.options).on_server(&capabilities.time_zone)
    });
    let new_table = table.is_none().then(|| {
        let engine = input.options.engine.as_deref();
        let key = input.options.primary_key.as_deref();
        NewTable::from_profile(&input.table, &profile, engine, key)
    });
    let facts_now = match (&table, &new_table) {
        (Some(table), _) => table.clone(),
        (None, Some(new)) => facts_of_new(new, &input.database),
        (None, None) => return Err(RunError::Lost),
    };
    let mapping = map(&facts_now, &layout, input, &capabilities)?;
    let converter = Converter::new(&mapping, &layout, &input.options, capabilities.flavour)
        .map_err(|e| RunError::from(e.body()))?;
    let key: Vec<String> = facts_now.primary_key().map(<[String]>::to_vec).unwrap_or_default();
    let order = key_order(&key, &mapping, &profile);
    let sortable = order.0 && sort::key(&key, &converter).is_some();
    let cores = std::thread::available_parallelism().map_or(2, |n| n.get() as u32);
    let replaces = input.options.mode == Some(Mode::Replace);
    let columns = mapping.columns().len() as u32;
    let about = plan::About { order, replaces, cores, columns };
    let shape = plan::shape(&profile, table.as_ref(), &capabilities, &about);
    let shape = match &input.trial {
        Some(t) => {
            let share = t.bytes_max as f64 / profile.file_bytes.max(1) as f64;
            shape.with_rows((shape.rows as f64 * share.min(1.0)) as u64)
        }
        None => shape,
    };
    let calibration = super::learn::calibration(store, &input.target.name, &shape).await?;
    let create_engine = input.create_table.as_deref().and_then(engine_of);
    let facts = Facts {
        table: table.as_ref(),
        capabilities: &capabilities,
        server_files: &server_files,
        options: &input.options,
        shape: &shape,
        database: &input.database,
        table_name: &input.table,
        key: &key,
        sortable,
        create_engine: create_engine.as_deref(),
        may: &|privilege| {
            target::may(&capabilities.privileges, privilege, &input.database, &input.table)
        },
    };
    let foretell = |choice: &Choice| calibration.foretell(&shape, choice);
    let mut view = plan::plan(&facts, &foretell);
    view.prechecks.extend(file_findings(&profile, infers));
    view.mapping = mapping_view(&mapping);
    view.unused = mapping.unused().iter().map(|u| u.name.clone()).collect();
    view.create_table = match (&input.create_table, &new_table) {
        (Some(sql), _) => table.is_none().then(|| sql.clone()),
        (None, Some(new)) => {
            let engine = view.candidates.first().map(|c| c.choice.engine.clone());
            Some(NewTable { engine, ..new.clone() }.to_sql())
        }
        (None, None) => None,
    };
    let known = Gathered {
        conn,
        capabilities,
        table,
        new_table,
        server_files,
        layout,
        shape,
        calibration,
        view,
    };
    Ok(known)
}

/// A mark of a table's definition, with the definitions of indexes that are away for the moment.
///
/// The order of lines is left out, since indexes that went come back last; and so is the
/// numbering, which counts rows.
#[must_use]
pub fn fingerprint(table: Option<&TableFacts>, away: &[String]) -> String {
    let Some(table) = table else { return "new".to_owned() };
    let lines = table.create_sql.lines().map(|line| {
        let words = line.trim_end_matches(',').split_whitespace();
        let kept = words.filter(|w| !w.to_ascii_uppercase().starts_with("AUTO_INCREMENT="));
        kept.collect::<Vec<_>>().join(" ")
    });
    let away = away.iter().map(|d| d.split_whitespace().collect::<Vec<_>>().join(" "));
    let all: BTreeSet<String> = lines.chain(away).collect();
    super::input::mark(all.into_iter().collect::<Vec<_>>().join("\n").as_bytes())
}

impl Gathered {
    /// The table as it is, or as it will be.
    #[must_use]
    pub fn facts(&self, database: &str) -> Option<TableFacts> {
        self.table.clone().or_else(|| self.new_table.as_ref().map(|n| facts_of_new(n, database)))
    }

    /// What is foretold for a choice.
    #[must_use]
    pub fn foretell(&self, choice: &Choice) -> Estimate {
        self.calibration.foretell(&self.shape, choice)
    }
}

/// Matches the file's columns to a table's.
///
/// # Errors
/// A column without a match, or of a type that is not loaded, by its name.
pub fn map(
    table: &TableFacts,
    layout: &Layout,
    input: &RunInput,
    capabilities: &Capabilities,
) -> Result<Mapping, RunError> {
    convert::map_columns(table, &layout.columns, &input.options, capabilities.flavour)
        .map_err(|e| RunError::from(e.body()))
}

/// The profile of a part, or of the whole where its types decide over a new table's. Documents are
/// read whole too: a key that turns up late is a column like any other.
async fn profile_of(
    input: &RunInput,
    whole: bool,
    infers: bool,
    on_bytes: Arc<AtomicU64>,
) -> Result<Profile, RunError> {
    let profile = read_profile(input, whole && infers, Arc::clone(&on_bytes)).await?;
    let documents = matches!(profile.format, Format::Json | Format::Jsonl);
    if documents && !profile.whole && (whole || input.layout.is_some()) {
        return read_profile(input, true, on_bytes).await;
    }
    Ok(profile)
}

async fn read_profile(
    input: &RunInput,
    whole: bool,
    on_bytes: Arc<AtomicU64>,
) -> Result<Profile, RunError> {
    let (files, options) = (input.files.clone(), input.options.clone());
    let work =
        move || source::profile(&files, &options, whole, &|n| on_bytes.store(n, Ordering::Relaxed));
    let profile = tokio::task::spawn_blocking(work).await.map_err(|_| RunError::Lost)?;
    profile.map_err(|e| RunError::from(e.body()))
}

/// What a person should look at in the file: of its columns only where they make the table.
fn file_findings(profile: &Profile, infers: bool) -> Vec<Precheck> {
    let asks = profile.columns.iter().any(|c| !c.date_readings.is_empty());
    let told = profile.warnings.iter().filter(|w| infers || !w.starts_with("Column "));
    let finding = |warning: &String| Precheck {
        name: "file".to_owned(),
        severity: Severity::Warns,
        finding: format!("{warning}."),
        consequence: if asks && warning.contains("date format") {
            "Set date_format in the options, for example %d/%m/%Y.".to_owned()
        } else {
            "Look at the preview, or set the option, before the rows go in.".to_owned()
        },
    };
    told.map(finding).collect()
}

/// Whether the file fills the whole key, and whether it comes in its order.
fn key_order(key: &[String], mapping: &Mapping, profile: &Profile) -> (bool, bool) {
    let field = |name: &String| {
        let column = mapping.columns().iter().find(|c| c.name().eq_ignore_ascii_case(name))?;
        match &column.source {
            Source::Field { index, .. } => profile.columns.get(*index),
            Source::Constant(_) => None,
        }
    };
    let fields: Option<Vec<_>> = key.iter().map(field).collect();
    match fields {
        Some(fields) if !fields.is_empty() => (true, fields.first().is_some_and(|c| c.ascending)),
        _ => (false, true),
    }
}

/// The engine that a CREATE TABLE statement names.
fn engine_of(statement: &str) -> Option<String> {
    let upper = statement.to_ascii_uppercase();
    let at = upper.rfind("ENGINE")?;
    let rest = statement.get(at + "ENGINE".len()..)?.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    let name: String =
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// A table to be made, as if the server had described it.
fn facts_of_new(new: &NewTable, database: &str) -> TableFacts {
    let columns = new
        .columns
        .iter()
        .map(|c| {
            let text = c.column_type.is_text().then(|| "utf8mb4".to_owned());
            ColumnFacts {
                name: c.name.clone(),
                sql_type: c.column_type.to_sql(),
                nullable: c.nullable,
                has_default: c.nullable,
                auto_increment: false,
                generated: false,
                charset: text,
                collation: None,
            }
        })
        .collect();
    let primary = (!new.primary_key.is_empty()).then(|| IndexFacts {
        name: "PRIMARY".to_owned(),
        kind: IndexKind::Primary,
        columns: new.primary_key.clone(),
        definition: String::new(),
    });
    TableFacts {
        database: database.to_owned(),
        name: new.name.clone(),
        engine: new.engine.clone().unwrap_or_default(),
        empty: true,
        columns,
        indexes: primary.into_iter().collect(),
        charset: "utf8mb4".to_owned(),
        ..TableFacts::default()
    }
}

fn mapping_view(mapping: &Mapping) -> Vec<MappedColumn> {
    let filled = mapping.columns().iter().map(|c| {
        let (from, how) = match &c.source {
            Source::Field { name, .. } => (Some(name.clone()), "from the file"),
            Source::Constant(_) => (None, "constant"),
        };
        MappedColumn {
            column: c.name().to_owned(),
            sql_type: c.facts.sql_type.clone(),
            from,
            how: how.to_owned(),
        }
    });
    let left = mapping.left_to_server().iter().map(|name| MappedColumn {
        column: name.clone(),
        sql_type: String::new(),
        from: None,
        how: "the server fills it".to_owned(),
    });
    filled.chain(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_that_are_away_or_come_back_in_another_order_change_no_table() {
        let new = NewTable { name: "t".into(), columns: vec![], primary_key: vec![], engine: None };
        let table = |lines: &str| TableFacts {
            create_sql: format!("CREATE TABLE `t` (\n{lines}\n) ENGINE=InnoDB AUTO_INCREMENT=7"),
            ..facts_of_new(&new, "d")
        };
        let mark = |lines: &str, away: &[String]| fingerprint(Some(&table(lines)), away);
        let whole = mark("  `a` int,\n  KEY `k` (`a`),\n  KEY `l` (`a`)", &[]);
        assert_eq!(whole, mark("  `a` int,\n  KEY `l` (`a`),\n  KEY `k` (`a`)", &[]));
        assert_eq!(whole, mark("  `a` int,\n  KEY `l` (`a`)", &["KEY `k` (`a`)".to_owned()]));
        assert_ne!(whole, mark("  `a` int,\n  KEY `l` (`a`)", &[]));
    }

    #[test]
    fn the_engine_of_a_statement_is_found() {
        let sql = "CREATE TABLE `engine` (id INT) ENGINE = Aria DEFAULT CHARSET=utf8mb4";
        assert_eq!(engine_of(sql).as_deref(), Some("Aria"));
        assert_eq!(engine_of("CREATE TABLE t (id INT)"), None);
    }
}
