//! What the planner knows.

use shared::options::ImportOptions;
use shared::plan::{Choice, Mode, OnDuplicate, OnError};
use shared::profile::{Compression, Profile};
use shared::target::{Capabilities, EngineView, IndexKind, TableFacts};

use crate::domain::{Fit, Hindrance, ServerFiles};
use crate::estimate::{Shape, entry_width};

/// Everything that the planner looks at.
pub struct Facts<'a> {
    /// The table, where it exists.
    pub table: Option<&'a TableFacts>,
    /// The server.
    pub capabilities: &'a Capabilities,
    /// Whether the server reads files that are written here.
    pub server_files: &'a ServerFiles,
    /// What the person set.
    pub options: &'a ImportOptions,
    /// The same in numbers, from [`shape`].
    pub shape: &'a Shape,
    /// The database.
    pub database: &'a str,
    /// The table's name.
    pub table_name: &'a str,
    /// The primary key, of the table or of the one to be made.
    pub key: &'a [String],
    /// Whether that key's order can be told from the text of its values.
    pub sortable: bool,
    /// The engine that a statement of the person's own names for a new table.
    pub create_engine: Option<&'a str>,
    /// Whether the user may do that to the table: a privilege as GRANT names it.
    pub may: &'a dyn Fn(&str) -> bool,
}

impl Facts<'_> {
    /// What becomes of the table's rows.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match (self.options.mode, self.table) {
            (Some(Mode::Create) | None, None) => Mode::Create,
            (Some(mode), _) => mode,
            (None, Some(_)) => Mode::Append,
        }
    }

    /// What a bad record means.
    #[must_use]
    pub fn on_error(&self) -> OnError {
        self.options.on_error.unwrap_or_default()
    }

    /// What a repeated key means.
    #[must_use]
    pub fn on_duplicate(&self) -> OnDuplicate {
        self.options.on_duplicate.unwrap_or_default()
    }

    /// Whether rows gathered aside would be copied, rather than swapped in.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.no_staging_because().is_some() || self.adds_to_rows()
    }

    /// Why a choice's strategy cannot be had, if so.
    #[must_use]
    pub fn hindrance(&self, choice: &Choice) -> Option<Hindrance> {
        Fit::of(choice, self.capabilities, self.table, self.server_files, self.moves()).hindrance()
    }

    /// Whether any key of the table must be unique.
    #[must_use]
    pub fn has_unique(&self) -> bool {
        self.table.map_or(!self.key.is_empty(), |t| {
            t.indexes.iter().any(|i| matches!(i.kind, IndexKind::Primary | IndexKind::Unique))
        })
    }

    /// The engine that the person or the table settles, else the server's default.
    #[must_use]
    pub fn preferred_engine(&self) -> Option<&str> {
        if let Some(table) = self.table {
            return Some(&table.engine);
        }
        self.options.engine.as_deref().or(self.create_engine).or_else(|| {
            self.capabilities.engines.iter().find(|e| e.default).map(|e| e.name.as_str())
        })
    }

    /// Whether the engine is settled.
    #[must_use]
    pub fn engine_is_set(&self) -> bool {
        self.table.is_some() || self.options.engine.is_some() || self.create_engine.is_some()
    }

    /// What the server says of an engine.
    #[must_use]
    pub fn engine(&self, name: &str) -> Option<&EngineView> {
        self.capabilities.engines.iter().find(|e| e.name.eq_ignore_ascii_case(name))
    }

    /// Whether an engine has transactions; an unknown one is taken to have none.
    #[must_use]
    pub fn transactions(&self, engine: &str) -> bool {
        self.engine(engine).is_some_and(|e| e.transactions)
    }

    /// Why a staging table cannot take the table's place.
    #[must_use]
    pub fn no_staging_because(&self) -> Option<String> {
        let table = self.table?;
        if !table.triggers.is_empty() {
            return Some(format!("the table has triggers ({})", table.triggers.join(", ")));
        }
        if let Some(key) = table.foreign_keys.first() {
            return Some(format!("the table has a foreign key ({})", key.name));
        }
        if let Some(other) = table.referenced_by.first() {
            return Some(format!("a foreign key of {other} points to the table"));
        }
        self.lacks_right()
    }

    /// Which right for tables of the run's own is missing.
    #[must_use]
    pub fn lacks_right(&self) -> Option<String> {
        self.table?;
        let missing = ["CREATE", "DROP", "ALTER"].into_iter().find(|p| !(self.may)(p));
        missing.map(|p| format!("the user lacks the right {p}"))
    }

    /// Whether a foreign key of the table points to the table itself.
    #[must_use]
    pub fn points_to_itself(&self) -> bool {
        self.table.is_some_and(|t| {
            t.foreign_keys.iter().any(|k| k.parent.0 == t.database && k.parent.1 == t.name)
        })
    }

    /// Whether rows are in the table that must stay.
    #[must_use]
    pub fn adds_to_rows(&self) -> bool {
        self.mode() == Mode::Append && self.table.is_some_and(|t| !t.empty)
    }
}

/// What the shape of a load depends on beside file, table and server.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Whether the file fills the primary key, and whether it comes in its order.
    pub order: (bool, bool),
    /// Whether the rows take the place of the table's.
    pub replaces: bool,
    /// Cores of the machine that reads the file.
    pub cores: u32,
    /// Columns that the file fills.
    pub columns: u32,
}

/// The facts in numbers.
#[must_use]
pub fn shape(
    profile: &Profile,
    table: Option<&TableFacts>,
    capabilities: &Capabilities,
    about: &About,
) -> Shape {
    let record = profile.record_bytes.max(1.0);
    let by_size = (profile.file_bytes as f64 / record) as u64;
    let rows = match (profile.whole, profile.compression) {
        (false, Compression::None) => by_size,
        _ => profile.rows.unwrap_or(by_size),
    };
    let bytes = match profile.compression {
        Compression::None => profile.file_bytes.max(1),
        _ => (rows as f64 * record) as u64,
    };
    let count = |wanted: &dyn Fn(IndexKind) -> bool| {
        table.map_or(0, |t| t.indexes.iter().filter(|i| wanted(i.kind)).count() as u32)
    };
    let before = table.filter(|t| !about.replaces && !t.empty);
    let (has_key, in_key_order) = about.order;
    Shape {
        rows,
        bytes,
        in_key_order,
        has_key,
        indexes: count(&|k| k != IndexKind::Primary),
        unique_indexes: count(&|k| k == IndexKind::Unique),
        rows_before: before.map_or(0, |t| t.rows_estimate),
        bytes_before: before.map_or(0, |t| t.data_bytes + t.index_bytes),
        pool_bytes: capabilities.buffer_pool_bytes.max(1 << 20),
        flavour: capabilities.flavour,
        round_trip_us: capabilities.round_trip_us,
        cores: about.cores,
        columns: about.columns,
        copies: before.is_some() || table.is_some_and(is_tied),
        flushes: capabilities.flush_at_commit == 1,
        binary_log: capabilities.binary_log,
        entry_width: table.and_then(|t| entry_width(t, &|name| text_bytes(profile, name))),
    }
}

/// Mean bytes of a column's values, by the few that were kept.
fn text_bytes(profile: &Profile, name: &str) -> Option<f64> {
    let column = profile.columns.iter().find(|c| c.name.eq_ignore_ascii_case(name))?;
    let bytes: usize = column.samples.iter().map(String::len).sum();
    (!column.samples.is_empty()).then(|| bytes as f64 / column.samples.len() as f64)
}

/// Whether something hangs on the table that a swap would lose.
fn is_tied(table: &TableFacts) -> bool {
    !table.triggers.is_empty() || !table.foreign_keys.is_empty() || !table.referenced_by.is_empty()
}
