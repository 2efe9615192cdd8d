//! Whether a strategy can be had: one list of conditions, for the planner and for the loader.

use std::path::PathBuf;

use shared::plan::{Choice, IndexPolicy, OnDuplicate, Order, Strategy, Visibility};
use shared::target::{Capabilities, Flavour, IndexKind, TableFacts};

/// Since when a server recovers after a crash in InnoDB's bulk insert (MDEV-37192).
const BULK_INSERT_RECOVERS: [(u16, u16, u16); 3] = [(10, 11, 15), (11, 4, 9), (11, 8, 4)];

/// Whether the server can be given files that it reads itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ServerFiles {
    /// The server reads none: secure_file_priv is NULL.
    #[default]
    Off,
    /// The user lacks the right FILE.
    NoRight,
    /// What is written here cannot be read there, and why.
    NotShared(String),
    /// Files written into this folder can be read by the server: tried.
    Folder(PathBuf),
}

/// Why a strategy cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hindrance {
    /// A stable name.
    pub name: &'static str,
    /// What was found, in one sentence.
    pub finding: String,
    /// What to do instead.
    pub advice: String,
}

/// What a strategy's conditions are asked of.
#[derive(Debug, Clone)]
pub struct Fit<'a> {
    /// How rows are to be written.
    pub strategy: Strategy,
    /// The engine of the table.
    pub engine: &'a str,
    /// The server's family.
    pub flavour: Flavour,
    /// The server's version.
    pub version: (u16, u16, u16),
    /// Whether it is a Galera node.
    pub galera: bool,
    /// Whether LOAD DATA LOCAL is allowed.
    pub local_infile: bool,
    /// Whether the server reads files.
    pub server_files: &'a ServerFiles,
    /// What a repeated key means.
    pub on_duplicate: OnDuplicate,
    /// Whether the table that is written was empty and is nobody else's meanwhile.
    pub alone: bool,
    /// Whether rows come in the order of the primary key.
    pub sorted: bool,
    /// Whether other indexes than the primary key are there while rows are written.
    pub secondary_keys: bool,
    /// Whether the server numbers a key.
    pub numbered: bool,
    /// Whether the table is partitioned.
    pub partitioned: bool,
}

impl<'a> Fit<'a> {
    /// The conditions of a choice before anything is done. `moves` tells whether rows are gathered
    /// aside and copied, rather than swapped in.
    #[must_use]
    pub fn of(
        choice: &'a Choice,
        capabilities: &Capabilities,
        table: Option<&TableFacts>,
        server_files: &'a ServerFiles,
        moves: bool,
    ) -> Self {
        let keeps = choice.index_policy == IndexPolicy::Keep;
        let has_secondary =
            table.is_some_and(|t| t.indexes.iter().any(|i| i.kind != IndexKind::Primary));
        Self {
            strategy: choice.strategy,
            engine: &choice.engine,
            flavour: capabilities.flavour,
            version: capabilities.version,
            galera: capabilities.galera,
            local_infile: capabilities.local_infile,
            server_files,
            on_duplicate: choice.on_duplicate,
            alone: choice.visibility == Visibility::AllAtOnce,
            sorted: choice.order == Order::SortByPrimaryKey,
            // A table from which rows are copied has a key over their numbers.
            secondary_keys: moves || (keeps && has_secondary),
            numbered: table.is_some_and(|t| t.columns.iter().any(|c| c.auto_increment)),
            partitioned: table.is_some_and(|t| t.partitioned),
        }
    }

    /// The first condition that does not hold, if any.
    #[must_use]
    pub fn hindrance(&self) -> Option<Hindrance> {
        match self.strategy {
            Strategy::LoadData => (!self.local_infile).then(local_infile_off),
            Strategy::LoadDataServer => self.files_hindrance(),
            Strategy::BulkProtocol => (self.flavour != Flavour::Mariadb).then(|| {
                hindrance(
                    "bulk_protocol_mariadb_only",
                    "The bulk protocol is spoken by MariaDB only.",
                    "Choose load_data or insert.",
                )
            }),
            Strategy::EngineBulk => self.bulk_hindrance(),
            Strategy::Insert | Strategy::SingleTransaction | Strategy::RowByRow => None,
        }
    }

    fn files_hindrance(&self) -> Option<Hindrance> {
        let (name, finding) = match self.server_files {
            ServerFiles::Folder(_) => return None,
            ServerFiles::Off => (
                "server_files_off",
                "The server reads no files: its secure_file_priv is NULL.".to_owned(),
            ),
            ServerFiles::NoRight => (
                "file_right_missing",
                "The user lacks the right FILE, without which the server reads no files for it."
                    .to_owned(),
            ),
            ServerFiles::NotShared(why) => (
                "server_files_not_shared",
                format!("The server cannot be given files from here: {why}."),
            ),
        };
        Some(hindrance(name, finding, "Choose load_data, which needs no file on the server."))
    }

    fn bulk_hindrance(&self) -> Option<Hindrance> {
        let stop = |name, finding: &str, advice: &str| Some(hindrance(name, finding, advice));
        if self.on_duplicate != OnDuplicate::Reject {
            return stop(
                "engine_bulk_duplicates",
                "An engine's bulk loader cannot skip, replace or update rows.",
                "Choose load_data, or let repeated keys be refused.",
            );
        }
        if !self.alone {
            return stop(
                "engine_bulk_needs_staging",
                "An engine's bulk loader wants an empty table that nobody else uses.",
                "Load all at once, through a staging table, or choose load_data.",
            );
        }
        if self.partitioned {
            return stop(
                "engine_bulk_partitioned",
                "An engine's bulk loader is not safe on a partitioned table.",
                "Choose load_data.",
            );
        }
        match self.engine.to_ascii_lowercase().as_str() {
            "rocksdb" => self.rocksdb_hindrance(),
            "innodb" => self.innodb_hindrance(),
            "tokudb" if self.numbered => stop(
                "engine_bulk_numbered",
                "TokuDB's loader is not used where the server numbers rows.",
                "Choose load_data.",
            ),
            // LOCAL means IGNORE, which TokuDB's loader refuses.
            "tokudb" => self.files_hindrance(),
            "aria" | "myisam" => (!self.local_infile).then(local_infile_off),
            _ => Some(hindrance(
                "engine_bulk_not_there",
                format!("The engine {} has no bulk loader.", self.engine),
                "Choose load_data.",
            )),
        }
    }

    fn rocksdb_hindrance(&self) -> Option<Hindrance> {
        let stop = |name, finding: &str, advice: &str| Some(hindrance(name, finding, advice));
        if !self.local_infile {
            return Some(local_infile_off());
        }
        if !self.sorted {
            return stop(
                "engine_bulk_key_order",
                "MyRocks' bulk loader takes rows in the order of the primary key only, and they \
                 cannot be sorted by it here.",
                "Choose load_data, or a primary key of numbers, dates or binary text that the file fills.",
            );
        }
        if self.secondary_keys {
            return stop(
                "engine_bulk_indexes",
                "MyRocks' bulk loader fills the primary key only, and other indexes would be \
                 there meanwhile.",
                "Let the indexes be built afterwards (drop_and_rebuild), or choose load_data.",
            );
        }
        None
    }

    fn innodb_hindrance(&self) -> Option<Hindrance> {
        if self.flavour != Flavour::Mariadb || self.version < (10, 6, 0) {
            return Some(hindrance(
                "engine_bulk_version",
                "InnoDB has a bulk insert on MariaDB 10.6 and later only.",
                "Choose load_data.",
            ));
        }
        if !mended(self.version, &BULK_INSERT_RECOVERS) {
            return Some(hindrance(
                "engine_bulk_known_fault",
                "In this version of MariaDB InnoDB's bulk insert may keep the server from \
                 recovering after a crash (MDEV-37192).",
                "Choose load_data, or take MariaDB 10.11.15, 11.4.9 or 11.8.4.",
            ));
        }
        if self.galera {
            return Some(hindrance(
                "engine_bulk_galera",
                "InnoDB's bulk insert is not used on a Galera node.",
                "Choose load_data.",
            ));
        }
        (!self.local_infile).then(local_infile_off)
    }
}

/// Whether a version has a mend that came in these, one of each series; series between and after
/// the last have it too.
fn mended(version: (u16, u16, u16), since: &[(u16, u16, u16)]) -> bool {
    let series = |v: (u16, u16, u16)| (v.0, v.1);
    match since.iter().rev().find(|s| series(**s) <= series(version)) {
        Some(s) if series(*s) == series(version) => version >= *s,
        // A series of its own between two that were mended: only those after the last are sure.
        Some(s) => since.last() == Some(s),
        None => false,
    }
}

fn local_infile_off() -> Hindrance {
    hindrance(
        "local_infile_off",
        "LOAD DATA LOCAL is switched off on the server.",
        "Choose insert, or SET GLOBAL local_infile = 1.",
    )
}

fn hindrance(
    name: &'static str,
    finding: impl Into<String>,
    advice: impl Into<String>,
) -> Hindrance {
    Hindrance { name, finding: finding.into(), advice: advice.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<'a>(change: impl FnOnce(&mut Fit<'a>), want: Option<&str>) {
        let mut fit = Fit {
            strategy: Strategy::EngineBulk,
            engine: "InnoDB",
            flavour: Flavour::Mariadb,
            version: (10, 11, 19),
            galera: false,
            local_infile: true,
            server_files: &ServerFiles::Off,
            on_duplicate: OnDuplicate::Reject,
            alone: true,
            sorted: false,
            secondary_keys: true,
            numbered: true,
            partitioned: false,
        };
        change(&mut fit);
        assert_eq!(fit.hindrance().map(|h| h.name), want, "{fit:?}");
    }

    #[test]
    fn bulk_loaders_have_their_engines_conditions() {
        check(|_| {}, None);
        check(|f| f.flavour = Flavour::Mysql, Some("engine_bulk_version"));
        check(|f| f.version = (10, 11, 14), Some("engine_bulk_known_fault"));
        check(|f| f.version = (11, 4, 8), Some("engine_bulk_known_fault"));
        check(|f| f.version = (11, 4, 9), None);
        check(|f| f.version = (11, 8, 3), Some("engine_bulk_known_fault"));
        check(|f| f.version = (11, 8, 4), None);
        check(|f| f.alone = false, Some("engine_bulk_needs_staging"));
        check(|f| f.on_duplicate = OnDuplicate::Skip, Some("engine_bulk_duplicates"));
        check(|f| f.engine = "MEMORY", Some("engine_bulk_not_there"));
        check(|f| f.engine = "Aria", None);
        check(|f| f.engine = "ROCKSDB", Some("engine_bulk_key_order"));
        check(|f| (f.engine, f.sorted) = ("ROCKSDB", true), Some("engine_bulk_indexes"));
        check(|f| f.engine = "TokuDB", Some("engine_bulk_numbered"));
        check(|f| (f.engine, f.numbered) = ("TokuDB", false), Some("server_files_off"));
    }

    #[test]
    fn others_have_the_servers() {
        check(|f| f.strategy = Strategy::LoadDataServer, Some("server_files_off"));
        let folder = ServerFiles::Folder("/tmp".into());
        check(
            |f| {
                f.strategy = Strategy::LoadDataServer;
                f.server_files = &folder;
            },
            None,
        );
        check(|f| f.strategy = Strategy::BulkProtocol, None);
        let mysql =
            |f: &mut Fit<'_>| (f.strategy, f.flavour) = (Strategy::BulkProtocol, Flavour::Mysql);
        check(mysql, Some("bulk_protocol_mariadb_only"));
        check(
            |f| (f.strategy, f.local_infile) = (Strategy::LoadData, false),
            Some("local_infile_off"),
        );
    }
}
