//! What is known of an existing table.

use std::collections::HashMap;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Row};
use shared::ddl::{quote_name, quote_table};
use shared::target::{ColumnFacts, ForeignKeyFacts, IndexFacts, IndexKind, TableFacts};

use super::TargetError;
use super::create_sql::{self, Line};

const DOING: &str = "the look at the table";

fn failed(error: &Error) -> TargetError {
    TargetError::from_driver(DOING, error)
}

/// Everything that a plan and a load need to know of a table; none where there is no such table
/// (a view is none).
///
/// # Errors
/// The server refuses or the connection breaks.
pub async fn table_facts(
    conn: &mut Conn,
    database: &str,
    table: &str,
) -> Result<Option<TableFacts>, TargetError> {
    let head: Option<Head> = conn
        .exec_first(
            "SELECT TABLE_NAME, ENGINE, TABLE_ROWS, DATA_LENGTH, INDEX_LENGTH, \
                    SUBSTRING_INDEX(COALESCE(TABLE_COLLATION, ''), '_', 1), \
                    COALESCE(CREATE_OPTIONS, '') \
             FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND TABLE_TYPE = 'BASE TABLE'",
            (database, table),
        )
        .await
        .map_err(|e| failed(&e))?;
    let Some((name, engine, rows, data_bytes, index_bytes, charset, options)) = head else {
        return Ok(None);
    };
    let full_name = quote_table(database, &name);
    let create_sql = create_sql(conn, &full_name).await?;
    let empty = is_empty(conn, &full_name).await?;
    let (indexes, mut foreign_keys) = (indexes(conn, database, &name, &create_sql).await?, vec![]);
    for (name, definition) in create_sql::lines(&create_sql).into_iter().filter_map(|l| match l {
        Line::ForeignKey { name, definition } => Some((name, definition)),
        Line::Index { .. } | Line::Other => None,
    }) {
        foreign_keys.push(foreign_key(conn, database, table, name, definition).await?);
    }
    Ok(Some(TableFacts {
        database: database.to_owned(),
        engine: engine.unwrap_or_default(),
        rows_estimate: if empty { 0 } else { rows.unwrap_or(1).max(1) },
        empty,
        data_bytes: data_bytes.unwrap_or(0),
        index_bytes: index_bytes.unwrap_or(0),
        columns: columns(conn, database, &name).await?,
        indexes,
        foreign_keys,
        referenced_by: referenced_by(conn, database, &name).await?,
        triggers: triggers(conn, database, &name).await?,
        partitioned: options.contains("partitioned"),
        charset,
        in_use: in_use(conn, database, &name).await,
        create_sql,
        name,
    }))
}

type Head = (String, Option<String>, Option<u64>, Option<u64>, Option<u64>, String, String);

async fn create_sql(conn: &mut Conn, full_name: &str) -> Result<String, TargetError> {
    // Definitions are cut out of this text: it must come in the usual quotes whatever the
    // server's sql_mode is.
    let mode: Option<String> =
        conn.query_first("SELECT @@SESSION.sql_mode").await.map_err(|e| failed(&e))?;
    conn.query_drop("SET SESSION sql_mode = ''").await.map_err(|e| failed(&e))?;
    conn.query_drop("SET SESSION sql_quote_show_create = 1").await.map_err(|e| failed(&e))?;
    let row: Result<Option<Row>, Error> =
        conn.query_first(format!("SHOW CREATE TABLE {full_name}")).await;
    conn.exec_drop("SET SESSION sql_mode = ?", (mode.unwrap_or_default(),))
        .await
        .map_err(|e| failed(&e))?;
    let row = row.map_err(|e| failed(&e))?;
    Ok(row.and_then(|r| r.get::<String, _>(1)).unwrap_or_default())
}

/// Statements that use the table now; our own have ended. A server that does not tell has none.
async fn in_use(conn: &mut Conn, database: &str, table: &str) -> u32 {
    let pattern = table.replace('\\', "\\\\").replace('_', "\\_").replace('%', "\\%");
    let row: Result<Option<Row>, Error> = conn
        .exec_first(format!("SHOW OPEN TABLES FROM {} LIKE ?", quote_name(database)), (pattern,))
        .await;
    row.ok().flatten().and_then(|r| r.get::<u32, _>(2)).unwrap_or(0)
}

async fn is_empty(conn: &mut Conn, full_name: &str) -> Result<bool, TargetError> {
    let found: Option<u8> = conn
        .query_first(format!("SELECT 1 FROM {full_name} LIMIT 1"))
        .await
        .map_err(|e| failed(&e))?;
    Ok(found.is_none())
}

async fn columns(
    conn: &mut Conn,
    database: &str,
    table: &str,
) -> Result<Vec<ColumnFacts>, TargetError> {
    let rows: Vec<Row> = conn
        .exec(
            "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT IS NOT NULL, \
                    LOWER(EXTRA), CHARACTER_SET_NAME, COLLATION_NAME, \
                    COALESCE(GENERATION_EXPRESSION, '') <> '' \
             FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
            (database, table),
        )
        .await
        .map_err(|e| failed(&e))?;
    Ok(rows
        .iter()
        .map(|row| {
            let text = |i: usize| row.get::<Option<String>, _>(i).flatten();
            let truth = |i: usize| row.get::<Option<i64>, _>(i).flatten() == Some(1);
            let extra = text(4).unwrap_or_default();
            let nullable = text(2).as_deref() == Some("YES");
            ColumnFacts {
                name: text(0).unwrap_or_default(),
                sql_type: text(1).unwrap_or_default(),
                nullable,
                has_default: truth(3) || nullable || extra.contains("default_generated"),
                auto_increment: extra.contains("auto_increment"),
                generated: truth(7)
                    || extra.contains("virtual")
                    || extra.contains("stored generated"),
                charset: text(5),
                collation: text(6),
            }
        })
        .collect())
}

async fn indexes(
    conn: &mut Conn,
    database: &str,
    table: &str,
    create_sql: &str,
) -> Result<Vec<IndexFacts>, TargetError> {
    // EXPRESSION exists on MySQL 8 only; there COLUMN_NAME is NULL for such a part.
    let rows: Vec<Row> = conn
        .query(format!("SHOW INDEX FROM {} IN {}", quote_name(table), quote_name(database)))
        .await
        .map_err(|e| failed(&e))?;
    let mut parts: HashMap<String, (bool, String, Vec<String>)> = HashMap::new();
    for row in &rows {
        let text = |name: &str| row.get::<Option<String>, _>(name).flatten();
        let unique = row.get::<Option<i64>, _>("Non_unique").flatten() == Some(0);
        let column = text("Column_name")
            .or_else(|| text("Expression").map(|e| format!("({e})")))
            .unwrap_or_default();
        parts
            .entry(text("Key_name").unwrap_or_default())
            .or_insert_with(|| (unique, text("Index_type").unwrap_or_default(), Vec::new()))
            .2
            .push(column);
    }
    let mut found: Vec<IndexFacts> = create_sql::lines(create_sql)
        .into_iter()
        .filter_map(|line| {
            let Line::Index { name, definition } = line else { return None };
            let (unique, kind, columns) = parts.remove(&name)?;
            let kind = match kind.as_str() {
                "FULLTEXT" => IndexKind::Fulltext,
                "SPATIAL" => IndexKind::Spatial,
                _ if name == "PRIMARY" => IndexKind::Primary,
                _ if unique => IndexKind::Unique,
                _ => IndexKind::Plain,
            };
            Some(IndexFacts { name, kind, columns, definition })
        })
        .collect();
    found.sort_by_key(|i| i.kind != IndexKind::Primary);
    Ok(found)
}

async fn foreign_key(
    conn: &mut Conn,
    database: &str,
    table: &str,
    name: String,
    definition: String,
) -> Result<ForeignKeyFacts, TargetError> {
    let rows: Vec<(String, String, String, String)> = conn
        .exec(
            "SELECT COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, \
                    REFERENCED_COLUMN_NAME \
             FROM information_schema.KEY_COLUMN_USAGE \
             WHERE CONSTRAINT_SCHEMA = ? AND TABLE_NAME = ? AND CONSTRAINT_NAME = ? \
               AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY ORDINAL_POSITION",
            (database, table, &name),
        )
        .await
        .map_err(|e| failed(&e))?;
    let parent = rows
        .first()
        .map(|(_, schema, parent, _)| (schema.clone(), parent.clone()))
        .unwrap_or_default();
    let (columns, parent_columns) = rows.into_iter().map(|(c, _, _, p)| (c, p)).unzip();
    Ok(ForeignKeyFacts { name, columns, parent, parent_columns, definition })
}

async fn referenced_by(
    conn: &mut Conn,
    database: &str,
    table: &str,
) -> Result<Vec<String>, TargetError> {
    let rows: Vec<(String, String)> = conn
        .exec(
            "SELECT DISTINCT CONSTRAINT_SCHEMA, TABLE_NAME \
             FROM information_schema.REFERENTIAL_CONSTRAINTS \
             WHERE UNIQUE_CONSTRAINT_SCHEMA = ? AND REFERENCED_TABLE_NAME = ?",
            (database, table),
        )
        .await
        .map_err(|e| failed(&e))?;
    // A table that points to itself is told by its own foreign keys.
    Ok(rows
        .into_iter()
        .filter(|(schema, name)| !(schema == database && name == table))
        .map(|(schema, name)| if schema == database { name } else { format!("{schema}.{name}") })
        .collect())
}

async fn triggers(
    conn: &mut Conn,
    database: &str,
    table: &str,
) -> Result<Vec<String>, TargetError> {
    conn.exec(
        "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS \
         WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? ORDER BY TRIGGER_NAME",
        (database, table),
    )
    .await
    .map_err(|e| failed(&e))
}
