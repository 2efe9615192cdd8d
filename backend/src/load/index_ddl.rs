//! Dropping a table's secondary indexes before a load and putting them back exactly as they were.
//!
//! Planning is apart from doing: the caller saves [`DroppedIndexes`] in the control database
//! first, and only then drops.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use serde::{Deserialize, Serialize};
use shared::ddl::{quote_name, quote_table};
use shared::target::{IndexFacts, IndexKind, TableFacts};

use super::{LoadError, failpoint};

/// Which indexes may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropRule {
    /// Only those that refuse nothing.
    NonUnique,
    /// Unique ones too: only where a repeated value can still be told afterwards, that is in a
    /// table that was empty and that nobody else writes.
    UniqueToo,
}

/// What was dropped and how it comes back. This is the journal's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedIndexes {
    /// Database of the table.
    pub database: String,
    /// The table.
    pub table: String,
    /// Names of the indexes.
    pub names: Vec<String>,
    /// The unique ones among them.
    pub unique: Vec<String>,
    /// Their definitions as SHOW CREATE TABLE wrote them, in the same order as the names.
    pub definitions: Vec<String>,
    /// The statement that drops them.
    pub drop_sql: String,
    /// The one statement that builds them all.
    pub rebuild_sql: String,
}

/// Plans which indexes of a table go during a load; none where none may.
///
/// Kept are: the primary key, an index without which a foreign key or an AUTO_INCREMENT column
/// cannot stand, and everything that a foreign key of another table may lean on.
#[must_use]
pub fn plan_drop(table: &TableFacts, rule: DropRule) -> Option<DroppedIndexes> {
    let gone: Vec<&IndexFacts> = table.indexes.iter().filter(|i| may_go(table, i, rule)).collect();
    if gone.is_empty() {
        return None;
    }
    let name = quote_table(&table.database, &table.name);
    let drops: Vec<String> =
        gone.iter().map(|i| format!("DROP INDEX {}", quote_name(&i.name))).collect();
    let adds: Vec<String> = gone.iter().map(|i| format!("ADD {}", i.definition)).collect();
    Some(DroppedIndexes {
        database: table.database.clone(),
        table: table.name.clone(),
        names: gone.iter().map(|i| i.name.clone()).collect(),
        unique: gone
            .iter()
            .filter(|i| i.kind == IndexKind::Unique)
            .map(|i| i.name.clone())
            .collect(),
        definitions: gone.iter().map(|i| i.definition.clone()).collect(),
        drop_sql: format!("ALTER TABLE {name} {}", drops.join(", ")),
        rebuild_sql: format!("ALTER TABLE {name} {}", adds.join(", ")),
    })
}

fn may_go(table: &TableFacts, index: &IndexFacts, rule: DropRule) -> bool {
    let kind_allows = match index.kind {
        IndexKind::Primary => false,
        IndexKind::Unique => rule == DropRule::UniqueToo,
        IndexKind::Plain | IndexKind::Fulltext | IndexKind::Spatial => true,
    };
    let leads_with = |columns: &[String]| {
        index.columns.len() >= columns.len()
            && index.columns.iter().zip(columns).all(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    let foreign_key = table.foreign_keys.iter().any(|k| {
        let points_here = k.parent.1 == table.name && k.parent.0 == table.database;
        leads_with(&k.columns) || (points_here && leads_with(&k.parent_columns))
    });
    let numbered = table
        .columns
        .iter()
        .filter(|c| c.auto_increment)
        .any(|c| leads_with(std::slice::from_ref(&c.name)));
    // A table without a primary key may be clustered by its first unique key: replacing that
    // means writing the table anew.
    let clusters = index.kind == IndexKind::Unique && table.primary_key().is_none();
    let leaned_on = !table.referenced_by.is_empty();
    kind_allows && !foreign_key && !numbered && !clusters && !leaned_on
}

impl DroppedIndexes {
    /// The same for another table made like this one: a staging table before its swap.
    #[must_use]
    pub fn for_table(&self, table: &str) -> Self {
        let (from, to) =
            (quote_table(&self.database, &self.table), quote_table(&self.database, table));
        let moved = |sql: &str| sql.replacen(&from, &to, 1);
        Self {
            table: table.to_owned(),
            drop_sql: moved(&self.drop_sql),
            rebuild_sql: moved(&self.rebuild_sql),
            ..self.clone()
        }
    }

    /// Drops the indexes. The journal must have been written.
    ///
    /// # Errors
    /// The server refuses or the connection breaks.
    pub async fn drop(&self, conn: &mut Conn) -> Result<(), LoadError> {
        conn.query_drop(&self.drop_sql)
            .await
            .map_err(|e| LoadError::from_driver("the dropping of indexes", &e))?;
        failpoint::hit("after_drop_indexes");
        Ok(())
    }

    /// Builds those that are missing, in one statement. Nothing to do is no error, so that
    /// recovery can call it whatever state it finds.
    ///
    /// # Errors
    /// [`LoadError::Server`] with 1062 where a unique key meets a repeated value. Otherwise the
    /// server refuses or the connection breaks.
    pub async fn rebuild(&self, conn: &mut Conn) -> Result<(), LoadError> {
        failpoint::hit("before_rebuild");
        let there = self.present(conn).await?;
        let missing: Vec<String> = self
            .names
            .iter()
            .zip(&self.definitions)
            .filter(|(name, _)| !there.iter().any(|t| t.eq_ignore_ascii_case(name)))
            .map(|(_, definition)| format!("ADD {definition}"))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let name = quote_table(&self.database, &self.table);
        conn.query_drop(format!("ALTER TABLE {name} {}", missing.join(", ")))
            .await
            .map_err(|e| LoadError::from_driver("the building of indexes", &e))?;
        failpoint::hit("after_rebuild");
        Ok(())
    }

    /// Names of the dropped indexes that are there again.
    async fn present(&self, conn: &mut Conn) -> Result<Vec<String>, LoadError> {
        conn.exec(
            "SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            (&self.database, &self.table),
        )
        .await
        .map_err(|e| LoadError::from_driver("the look at the indexes", &e))
    }
}

/// Settings under which an index build is quickest, as far as the user may set them for the
/// session. What is refused is left: it costs time only.
pub async fn speed_up_build(conn: &mut Conn) {
    // MySQL 8.0.27 and later. MariaDB's sort buffer is best at its default and cannot be set.
    for setting in ["innodb_ddl_buffer_size = 67108864", "innodb_ddl_threads = 4"] {
        let _ = conn.query_drop(format!("SET SESSION {setting}")).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::target::{ColumnFacts, ForeignKeyFacts};

    fn table() -> TableFacts {
        let column = |name: &str, auto_increment: bool| ColumnFacts {
            name: name.into(),
            sql_type: "int".into(),
            nullable: true,
            has_default: true,
            auto_increment,
            generated: false,
            charset: None,
            collation: None,
        };
        let index = |name: &str, kind, columns: &[&str], definition: &str| IndexFacts {
            name: name.into(),
            kind,
            columns: columns.iter().map(|c| (*c).to_owned()).collect(),
            definition: definition.into(),
        };
        TableFacts {
            database: "d".into(),
            name: "t".into(),
            engine: "InnoDB".into(),
            empty: true,
            columns: vec![column("id", false), column("n", true), column("p", false)],
            indexes: vec![
                index("PRIMARY", IndexKind::Primary, &["id"], "PRIMARY KEY (`id`)"),
                index("k", IndexKind::Plain, &["id", "p"], "KEY `k` (`id`,`p`)"),
                index("uq", IndexKind::Unique, &["id"], "UNIQUE KEY `uq` (`id`) COMMENT 'x'"),
                index("num", IndexKind::Plain, &["n"], "KEY `num` (`n`)"),
                index("fk", IndexKind::Plain, &["p", "id"], "KEY `fk` (`p`,`id`)"),
            ],
            foreign_keys: vec![ForeignKeyFacts {
                name: "f".into(),
                columns: vec!["p".into()],
                parent: ("d".into(), "parents".into()),
                parent_columns: vec!["id".into()],
                definition: String::new(),
            }],
            charset: "utf8mb4".into(),
            ..TableFacts::default()
        }
    }

    #[test]
    fn only_what_nothing_leans_on_goes_and_comes_back_word_for_word() {
        let plan = plan_drop(&table(), DropRule::NonUnique).expect("something to drop");
        assert_eq!(plan.names, ["k"]);
        assert_eq!(plan.drop_sql, "ALTER TABLE `d`.`t` DROP INDEX `k`");
        let plan = plan_drop(&table(), DropRule::UniqueToo).expect("something to drop");
        assert_eq!(plan.names, ["k", "uq"]);
        assert_eq!(plan.unique, ["uq"]);
        assert_eq!(
            plan.rebuild_sql,
            "ALTER TABLE `d`.`t` ADD KEY `k` (`id`,`p`), ADD UNIQUE KEY `uq` (`id`) COMMENT 'x'"
        );
        assert!(plan.for_table("s").rebuild_sql.starts_with("ALTER TABLE `d`.`s` ADD"));
    }

    #[test]
    fn a_table_that_others_point_to_keeps_all() {
        let table = TableFacts { referenced_by: vec!["c".into()], ..table() };
        assert_eq!(plan_drop(&table, DropRule::UniqueToo), None);
    }
}
