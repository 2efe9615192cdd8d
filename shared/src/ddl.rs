//! The statement that makes a table for a file.

use crate::column_type::ColumnType;
use crate::profile::Profile;

/// Quotes a name for SQL. Names may hold any character but NUL.
#[must_use]
pub fn quote_name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// The name of a table with its database, for SQL.
#[must_use]
pub fn quote_table(database: &str, table: &str) -> String {
    format!("{}.{}", quote_name(database), quote_name(table))
}

/// One column of a table to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewColumn {
    /// Name.
    pub name: String,
    /// Type.
    pub column_type: ColumnType,
    /// Whether NULL is allowed.
    pub nullable: bool,
}

/// A table to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTable {
    /// Name, unquoted.
    pub name: String,
    /// Columns, in order.
    pub columns: Vec<NewColumn>,
    /// Primary key; none where empty.
    pub primary_key: Vec<String>,
    /// Engine; the server's default where none.
    pub engine: Option<String>,
}

impl NewTable {
    /// A table that fits what a profile found.
    #[must_use]
    pub fn from_profile(
        name: &str,
        profile: &Profile,
        engine: Option<&str>,
        primary_key: Option<&[String]>,
    ) -> Self {
        let primary_key =
            primary_key.map_or_else(|| profile.primary_key.clone(), <[String]>::to_vec);
        let columns = profile
            .columns
            .iter()
            .map(|c| NewColumn {
                name: c.name.clone(),
                column_type: c.column_type.clone(),
                nullable: c.nullable && !primary_key.contains(&c.name),
            })
            .collect();
        Self { name: name.to_owned(), columns, primary_key, engine: engine.map(str::to_owned) }
    }

    /// The CREATE TABLE statement, one column a line.
    #[must_use]
    pub fn to_sql(&self) -> String {
        let mut lines: Vec<String> = self
            .columns
            .iter()
            .map(|c| {
                let null = if c.nullable { "NULL" } else { "NOT NULL" };
                format!("  {} {} {null}", quote_name(&c.name), c.column_type.to_sql())
            })
            .collect();
        if !self.primary_key.is_empty() {
            let key: Vec<String> = self.primary_key.iter().map(|c| quote_name(c)).collect();
            lines.push(format!("  PRIMARY KEY ({})", key.join(", ")));
        }
        let engine = self.engine.as_ref().map(|e| format!(" ENGINE={e}")).unwrap_or_default();
        format!(
            "CREATE TABLE {} (\n{}\n){engine} DEFAULT CHARSET=utf8mb4",
            quote_name(&self.name),
            lines.join(",\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_quoted() {
        assert_eq!(quote_name("a`b"), "`a``b`");
        let table = NewTable {
            name: "t`".into(),
            columns: vec![NewColumn {
                name: "id".into(),
                column_type: ColumnType::parse("bigint"),
                nullable: false,
            }],
            primary_key: vec!["id".into()],
            engine: Some("InnoDB".into()),
        };
        assert_eq!(
            table.to_sql(),
            "CREATE TABLE `t``` (\n  `id` bigint NOT NULL,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
        );
    }
}
