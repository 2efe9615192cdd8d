//! Column names that a server takes: legal, and unique whatever its case and accents.

use std::collections::HashSet;

/// Characters that a name may have.
const CHARS_MAX: usize = 64;

/// Makes names of a header legal and unique; empty ones become `column_N`.
#[must_use]
pub fn legal(names: &[String]) -> Vec<String> {
    // Names that stand as they are come first, so that a repeated one never takes their place.
    let plain: Vec<String> = names.iter().map(|n| cleaned(n)).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let mut keeps = vec![false; plain.len()];
    for (i, name) in plain.iter().enumerate() {
        keeps[i] = !name.is_empty() && taken.insert(folded(name));
    }
    plain
        .into_iter()
        .zip(keeps)
        .enumerate()
        .map(|(i, (name, keeps))| {
            if keeps {
                return name;
            }
            let base = if name.is_empty() { format!("column_{}", i + 1) } else { name.clone() };
            let mut number = 1;
            let mut tried = base.clone();
            if !name.is_empty() {
                number = 2;
                tried = numbered(&base, number);
            }
            while !taken.insert(folded(&tried)) {
                number += 1;
                tried = numbered(&base, number);
            }
            tried
        })
        .collect()
}

fn numbered(base: &str, number: usize) -> String {
    let tail = format!("_{number}");
    let head: String = base.chars().take(CHARS_MAX - tail.len()).collect();
    format!("{}{tail}", head.trim_end())
}

/// Without what no identifier may hold: NUL, characters beyond the basic plane, blanks around it,
/// more than 64 characters.
fn cleaned(name: &str) -> String {
    let name: String = name
        .trim()
        .chars()
        .map(|c| match c {
            '\r' | '\n' | '\t' => ' ',
            '\0' => '_',
            c if u32::from(c) > 0xFFFF => '_',
            c => c,
        })
        .take(CHARS_MAX)
        .collect();
    name.trim().to_owned()
}

/// What servers take for the same name: case and the accents of Latin letters do not count.
fn folded(name: &str) -> String {
    name.to_lowercase()
        .chars()
        .map(|c| match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
            'ç' | 'ć' | 'č' => 'c',
            'ď' => 'd',
            'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
            'ì'..='ï' | 'ī' | 'į' => 'i',
            'ñ' | 'ń' | 'ň' => 'n',
            'ò'..='ö' | 'ō' | 'ő' => 'o',
            'ř' => 'r',
            'ß' | 'ś' | 'š' | 'ş' => 's',
            'ť' => 't',
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
            'ý' | 'ÿ' => 'y',
            'ź' | 'ż' | 'ž' => 'z',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expect: &[&str]) {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        assert_eq!(legal(&names), expect);
    }

    #[test]
    fn legal_names_stay() {
        check(
            &["id", "group", "a.b", "back`tick", "größe", "x y"],
            &["id", "group", "a.b", "back`tick", "größe", "x y"],
        );
    }

    #[test]
    fn repeated_and_empty_names_are_numbered() {
        check(
            &["id", "amount", "Amount", "", "note"],
            &["id", "amount", "Amount_2", "column_4", "note"],
        );
        check(&["a", "a", "a_2", "A"], &["a", "a_3", "a_2", "A_4"]);
        check(&["column_2", ""], &["column_2", "column_2_2"]);
        check(&["e", "é"], &["e", "é_2"]);
    }

    #[test]
    fn what_no_identifier_may_hold_goes() {
        check(&[" name ", "a\0b", "😀", "l1\nl2"], &["name", "a_b", "_", "l1 l2"]);
        let long = "x".repeat(70);
        let names = legal(&[long.clone(), long]);
        assert_eq!(names[0].chars().count(), 64);
        assert_eq!(names[1].chars().count(), 64);
        assert_ne!(names[0], names[1]);
    }
}
