//! Reading `SHOW GRANTS`: may this user do that to this table?

/// Whether the grants allow `privilege` (for example `INSERT`) on a table.
///
/// Roles that are not active and partial revokes are not followed: a `true` can still be refused
/// by the server, a `false` is certain unless a role gives the right.
#[must_use]
pub fn may(grants: &[String], privilege: &str, database: &str, table: &str) -> bool {
    grants.iter().any(|grant| allows(grant, privilege, database, table))
}

fn allows(grant: &str, privilege: &str, database: &str, table: &str) -> bool {
    let Some(rest) = grant.strip_prefix("GRANT ") else { return false };
    let Some((privileges, rest)) = rest.split_once(" ON ") else { return false };
    let Some((object, _)) = rest.split_once(" TO ") else { return false };
    let Some((on_database, on_table)) = object.trim_start_matches("TABLE ").rsplit_once('.') else {
        return false;
    };
    let covers = name_matches(on_database, database) && name_matches(on_table, table);
    covers && names(privileges).any(|p| p == "ALL PRIVILEGES" || p == "ALL" || p == privilege)
}

/// Privileges of `SELECT (a, b), INSERT`; one for some columns only is not the whole right.
fn names(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    list.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
}

/// Names in grants may hold the wildcards of LIKE, with a backslash before a plain one.
fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern = pattern.trim_matches('`').replace("``", "`");
    if pattern == "*" {
        return true;
    }
    like(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

fn like(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['%', rest @ ..] => (0..=text.len()).any(|i| like(rest, &text[i..])),
        ['\\', c, rest @ ..] => text.first() == Some(c) && like(rest, &text[1..]),
        ['_', rest @ ..] => !text.is_empty() && like(rest, &text[1..]),
        [c, rest @ ..] => text.first() == Some(c) && like(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_found_where_they_reach() {
        let grants = [
            "GRANT USAGE ON *.* TO `u`@`%`".to_owned(),
            "GRANT SELECT, INSERT ON `shop\\_%`.* TO `u`@`%`".to_owned(),
            "GRANT SELECT (a, b), ALTER ON `x`.`t` TO `u`@`%`".to_owned(),
        ];
        assert!(may(&grants, "INSERT", "shop_eu", "orders"));
        assert!(!may(&grants, "INSERT", "shopping", "orders"));
        assert!(!may(&grants, "ALTER", "shop_eu", "orders"));
        assert!(may(&grants, "ALTER", "x", "t"));
        assert!(!may(&grants, "SELECT", "x", "t"));
        assert!(may(&["GRANT ALL PRIVILEGES ON *.* TO `r`@`%`".to_owned()], "DROP", "a", "b"));
    }
}
