//! Names: of a table for a file, and of tables as servers allow them.

/// Longest table name in MySQL and MariaDB, in characters.
pub const NAME_CHARS_MAX: usize = 64;

const ENDINGS: [&str; 17] = [
    ".gz", ".zst", ".zstd", ".xz", ".bz2", ".zip", ".csv", ".tsv", ".tab", ".txt", ".json",
    ".jsonl", ".ndjson", ".parquet", ".xlsx", ".ods", ".psv",
];

/// A table's name for a file's: endings gone, plain lower-case letters, digits and lines.
pub fn table_for_file(file_name: &str) -> String {
    let lower = file_name.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let mut stem = lower.as_str();
    while let Some(shorter) = ENDINGS.iter().find_map(|e| stem.strip_suffix(e)) {
        stem = shorter;
    }
    let mut name = String::new();
    for c in stem.chars() {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let name: String = name.trim_end_matches('_').chars().take(NAME_CHARS_MAX).collect();
    match name.chars().next() {
        None => "imported".to_owned(),
        Some(c) if c.is_ascii_digit() => format!("t_{name}").chars().take(NAME_CHARS_MAX).collect(),
        Some(_) => name,
    }
}

/// A table's name for several files: what their names begin with, without a number at its end;
/// where they begin differently, the first one's.
pub fn table_for_files<T: AsRef<str>>(file_names: &[T]) -> String {
    let all: Vec<String> = file_names.iter().map(|n| table_for_file(n.as_ref())).collect();
    let Some((first, rest)) = all.split_first() else { return table_for_file("") };
    if rest.is_empty() {
        return first.clone();
    }
    let common = |other: &String| {
        let same = first.chars().zip(other.chars()).take_while(|(a, b)| a == b);
        same.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let end = rest.iter().map(common).min().unwrap_or(first.len());
    let begin = first.get(..end).unwrap_or_default();
    let stem = begin.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
    if stem.chars().count() > 1 { stem.to_owned() } else { first.clone() }
}

/// Why a table may not be called so; none where it may.
pub fn table_name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("Give the table a name.")
    } else if name.chars().count() > NAME_CHARS_MAX {
        Some("At most 64 characters.")
    } else if name.ends_with(' ') {
        Some("A name may not end with a blank.")
    } else if name.contains('\0') {
        Some("A name may not hold a NUL.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_give_plain_table_names() {
        for (file, table) in [
            ("orders-2026.csv.gz", "orders_2026"),
            ("C:\\tmp\\My Report (final).XLSX", "my_report_final"),
            ("2026-orders.csv", "t_2026_orders"),
            ("Größen.csv", "größen"),
            (".csv", "imported"),
            ("___.txt", "imported"),
        ] {
            assert_eq!(table_for_file(file), table);
        }
        assert_eq!(table_for_file(&"x".repeat(90)).chars().count(), 64);
    }

    #[test]
    fn hostile_names_are_told_apart() {
        assert!(table_name_fault("a`b").is_none());
        assert!(table_name_fault("").is_some());
        assert!(table_name_fault(&"x".repeat(65)).is_some());
        assert!(table_name_fault("a ").is_some());
    }

    #[test]
    fn several_files_give_what_their_names_begin_with() {
        assert_eq!(table_for_files(&["orders-2025-01.csv", "orders-2025-02.csv"]), "orders");
        assert_eq!(table_for_files(&["größe1.csv", "größe2.csv"]), "größe");
        assert_eq!(table_for_files(&["a.csv", "b.csv"]), "a");
        assert_eq!(table_for_files(&["one-7.csv"]), "one_7");
    }
}
