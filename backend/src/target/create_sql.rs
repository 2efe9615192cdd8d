//! Taking `SHOW CREATE TABLE` apart: the definitions of keys exactly as the server writes them.
//!
//! `information_schema` knows less than that text (index comments, visibility, parsers, prefix
//! lengths, the spelling of expressions), and an index must come back exactly as it was.

/// One line of the body, without its comma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// `PRIMARY KEY …`, `UNIQUE KEY …`, `KEY …`, `FULLTEXT KEY …`, `SPATIAL KEY …`.
    Index {
        /// Its name; `PRIMARY` for the primary key.
        name: String,
        /// The line.
        definition: String,
    },
    /// `CONSTRAINT … FOREIGN KEY …`.
    ForeignKey {
        /// Its name.
        name: String,
        /// The line.
        definition: String,
    },
    /// A column or anything else.
    Other,
}

/// Lines between the parentheses.
pub(super) fn lines(create_sql: &str) -> Vec<Line> {
    body(create_sql).into_iter().map(classify).collect()
}

/// Entries of the body, parted at the commas outside quotes and parentheses.
fn body(create_sql: &str) -> Vec<&str> {
    let Some(open) = create_sql.find('(') else { return Vec::new() };
    let text = &create_sql[open + 1..];
    let mut entries = Vec::new();
    let (mut depth, mut start, mut quote) = (0_u32, 0_usize, None::<char>);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), '\\') => {
                chars.next();
            }
            // A doubled quote closes and opens again: the same in the end.
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '`' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => {
                entries.push(text[start..at].trim());
                return entries;
            }
            (None, ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                entries.push(text[start..at].trim());
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    entries
}

fn classify(entry: &str) -> Line {
    if entry.starts_with("PRIMARY KEY") {
        return Line::Index { name: "PRIMARY".to_owned(), definition: entry.to_owned() };
    }
    for word in ["UNIQUE KEY ", "KEY ", "FULLTEXT KEY ", "SPATIAL KEY ", "VECTOR KEY "] {
        if let Some(name) = entry.strip_prefix(word).and_then(quoted_name) {
            return Line::Index { name, definition: entry.to_owned() };
        }
    }
    match entry.strip_prefix("CONSTRAINT ").and_then(quoted_name) {
        Some(name) if entry.contains(" FOREIGN KEY ") => {
            Line::ForeignKey { name, definition: entry.to_owned() }
        }
        _ => Line::Other,
    }
}

/// The name in backticks at the start.
fn quoted_name(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut chars = text.strip_prefix('`')?.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '`' {
            if chars.peek() != Some(&'`') {
                return Some(name);
            }
            chars.next();
        }
        name.push(c);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "CREATE TABLE `t` (\n  `id` int(11) NOT NULL,\n  `a,b` varchar(20) \
        DEFAULT 'x, (y' COMMENT 'it''s, \\' odd',\n  `e` enum('a','b,c') DEFAULT NULL,\n  \
        PRIMARY KEY (`id`),\n  UNIQUE KEY `uq``1` (`a,b`(10) DESC) COMMENT 'k, l',\n  \
        KEY `fx` ((lower(`a,b`))) /*!80000 INVISIBLE */,\n  FULLTEXT KEY `ft` (`a,b`),\n  \
        CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `p` (`id`) ON DELETE CASCADE,\n  \
        CONSTRAINT `ck` CHECK (`id` > 0)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 \
        COMMENT='see PARTITION BY'";

    #[test]
    fn keys_are_found_with_their_exact_text() {
        let found: Vec<Line> = lines(TABLE).into_iter().filter(|l| *l != Line::Other).collect();
        let index = |name: &str, definition: &str| Line::Index {
            name: name.to_owned(),
            definition: definition.to_owned(),
        };
        assert_eq!(
            found,
            [
                index("PRIMARY", "PRIMARY KEY (`id`)"),
                index("uq`1", "UNIQUE KEY `uq``1` (`a,b`(10) DESC) COMMENT 'k, l'"),
                index("fx", "KEY `fx` ((lower(`a,b`))) /*!80000 INVISIBLE */"),
                index("ft", "FULLTEXT KEY `ft` (`a,b`)"),
                Line::ForeignKey {
                    name: "fk".into(),
                    definition: "CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `p` (`id`) ON \
                        DELETE CASCADE"
                        .into()
                },
            ]
        );
        assert_eq!(lines(TABLE).len(), 9);
    }
}
