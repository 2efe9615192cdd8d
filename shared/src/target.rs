//! Targets: saved database connections, what their servers can do, and their tables.

use serde::{Deserialize, Serialize};

/// How a connection is protected on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TlsMode {
    /// No TLS.
    #[default]
    Off,
    /// TLS, the certificate is not looked at.
    Required,
    /// TLS, the certificate must be signed by a known authority and name the host.
    Verify,
}

/// What is needed to make or change a target. The password goes in and never comes out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTarget {
    /// The name under which people know it.
    pub name: String,
    /// Host name or address; empty with a socket.
    #[serde(default)]
    pub host: String,
    /// TCP port.
    #[serde(default = "default_port")]
    pub port: u16,
    /// Path of a Unix socket on the service's machine.
    #[serde(default)]
    pub socket: Option<String>,
    /// User.
    pub user: String,
    /// Password.
    #[serde(default)]
    pub password: Option<String>,
    /// The database to open first.
    #[serde(default)]
    pub database: Option<String>,
    /// Protection on the wire.
    #[serde(default)]
    pub tls: TlsMode,
    /// Certificate authority in PEM, where it is a private one.
    #[serde(default)]
    pub ca_pem: Option<String>,
}

const fn default_port() -> u16 {
    3306
}

impl std::fmt::Debug for NewTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewTarget")
            .field("name", &self.name)
            .field("host", &self.host)
            .field("port", &self.port)
            .field("socket", &self.socket)
            .field("user", &self.user)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

/// A saved target, without its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetView {
    /// Identity.
    pub id: String,
    /// Name.
    pub name: String,
    /// Where it is, for people: `root@127.0.0.1:3306` or a socket.
    pub address: String,
    /// Whether this is the service's own sandbox server.
    pub sandbox: bool,
    /// The database to open first.
    pub database: Option<String>,
    /// Protection on the wire.
    pub tls: TlsMode,
}

/// Which family a server is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flavour {
    /// MariaDB.
    Mariadb,
    /// MySQL or Percona Server.
    Mysql,
    /// TiDB.
    Tidb,
}

/// One storage engine of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineView {
    /// Its name as the server writes it.
    pub name: String,
    /// Whether it is the server's default.
    pub default: bool,
    /// Whether it has transactions.
    pub transactions: bool,
    /// What it is, in one plain sentence.
    pub words: String,
}

/// What a server is and can do, as found when connecting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Family.
    pub flavour: Flavour,
    /// Version as numbers, for example (10, 11, 19).
    pub version: (u16, u16, u16),
    /// Version for people, for example "MariaDB 10.11.19".
    pub server: String,
    /// Engines that can hold tables.
    pub engines: Vec<EngineView>,
    /// Whether LOAD DATA LOCAL is allowed.
    pub local_infile: bool,
    /// Whether the server refuses writes.
    pub read_only: bool,
    /// Largest packet, in bytes.
    pub max_allowed_packet: u64,
    /// InnoDB's buffer pool, in bytes.
    pub buffer_pool_bytes: u64,
    /// Of that, bytes that hold nothing now, where the server tells.
    #[serde(default)]
    pub pool_free_bytes: Option<u64>,
    /// Free bytes of the disk that the server's tables are on, where that can be told.
    #[serde(default)]
    pub disk_free_bytes: Option<u64>,
    /// Replicas that read the binary log now.
    #[serde(default)]
    pub replicas: u32,
    /// Redo log capacity, in bytes, where known.
    pub redo_bytes: Option<u64>,
    /// innodb_flush_log_at_trx_commit.
    pub flush_at_commit: u8,
    /// Whether the binary log is written.
    pub binary_log: bool,
    /// The server's sql_mode.
    pub sql_mode: String,
    /// The server's zone.
    pub time_zone: String,
    /// secure_file_priv: none where files cannot be read, empty where all can.
    pub secure_file_priv: Option<String>,
    /// 0 or 1 keep or fold the case of table names.
    pub lower_case_table_names: u8,
    /// Whether this is a Galera node.
    pub galera: bool,
    /// Whether this is a Group Replication member.
    pub group_replication: bool,
    /// Privileges of the user, as SHOW GRANTS lists them.
    pub privileges: Vec<String>,
    /// Round trip in microseconds, the median of several.
    pub round_trip_us: u64,
}

/// A table in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSummary {
    /// Name.
    pub name: String,
    /// Engine; none for a view.
    pub engine: Option<String>,
    /// Rows, as the server guesses them.
    pub rows_estimate: Option<u64>,
    /// Data and indexes, in bytes.
    pub bytes: Option<u64>,
}

/// A column of an existing table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnFacts {
    /// Name.
    pub name: String,
    /// Type as the server writes it, for example `varchar(64)`.
    pub sql_type: String,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// Whether it has a default (an expression counts).
    pub has_default: bool,
    /// Whether the server numbers it.
    pub auto_increment: bool,
    /// Whether the server computes it.
    pub generated: bool,
    /// Character set, for text.
    pub charset: Option<String>,
    /// Collation, for text.
    pub collation: Option<String>,
}

/// What kind of index it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexKind {
    /// The primary key.
    Primary,
    /// Every value once.
    Unique,
    /// Plain.
    Plain,
    /// Full text.
    Fulltext,
    /// Spatial.
    Spatial,
}

/// An index of an existing table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexFacts {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: IndexKind,
    /// Its columns, in order; an expression is given as such.
    pub columns: Vec<String>,
    /// The definition as SHOW CREATE TABLE writes it, for putting it back exactly.
    pub definition: String,
}

/// A foreign key of an existing table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKeyFacts {
    /// Name of the constraint.
    pub name: String,
    /// Columns of this table.
    pub columns: Vec<String>,
    /// Database and table that it points to.
    pub parent: (String, String),
    /// Columns of the parent.
    pub parent_columns: Vec<String>,
    /// The definition as SHOW CREATE TABLE writes it.
    pub definition: String,
}

/// What is known of an existing table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFacts {
    /// Database.
    pub database: String,
    /// Name.
    pub name: String,
    /// Engine.
    pub engine: String,
    /// Rows, as the server guesses them; exact when `empty` is told.
    pub rows_estimate: u64,
    /// Whether it has no row at all (asked for, not guessed).
    pub empty: bool,
    /// Bytes of data.
    pub data_bytes: u64,
    /// Bytes of indexes.
    pub index_bytes: u64,
    /// Columns, in order.
    pub columns: Vec<ColumnFacts>,
    /// Indexes, the primary key first.
    pub indexes: Vec<IndexFacts>,
    /// Foreign keys of this table.
    pub foreign_keys: Vec<ForeignKeyFacts>,
    /// Tables whose foreign keys point here.
    pub referenced_by: Vec<String>,
    /// Triggers, by name.
    pub triggers: Vec<String>,
    /// Whether it is partitioned.
    pub partitioned: bool,
    /// Default character set.
    pub charset: String,
    /// Statements of other sessions that use the table at this moment.
    #[serde(default)]
    pub in_use: u32,
    /// SHOW CREATE TABLE.
    pub create_sql: String,
}

impl TableFacts {
    /// The primary key's columns, none without one.
    #[must_use]
    pub fn primary_key(&self) -> Option<&[String]> {
        self.indexes.iter().find(|i| i.kind == IndexKind::Primary).map(|i| i.columns.as_slice())
    }

    /// A column by its name, as the server compares names: without regard to case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnFacts> {
        self.columns.iter().find(|c| c.name.eq_ignore_ascii_case(name))
    }
}
