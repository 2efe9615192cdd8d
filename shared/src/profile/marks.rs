//! Which marks numbers are written with, by evidence alone: `1.234,56` or `1,234.56`.

use super::delimited::Cell;

/// Marks that the values settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    /// The decimal mark.
    pub decimal: char,
    /// The thousands mark.
    pub thousands: Option<char>,
    /// Why.
    pub why: String,
}

/// What the numbers of one column say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Nothing, or no numbers.
    Nothing,
    /// The decimal mark is this; whether the other was seen between thousands.
    Decimal(u8, bool),
    /// They contradict each other.
    Both,
}

/// Judges the columns of a sample. None where the usual point fits, or nothing settles it.
#[must_use]
pub fn judge(data: &[Vec<Cell>], columns: usize) -> Option<Marks> {
    let mut settled: Option<(u8, bool, Vec<u8>)> = None;
    for i in 0..columns {
        let values = data.iter().filter_map(|r| r.get(i)).map(|c| c.bytes.as_slice());
        match column(values) {
            (Says::Decimal(mark, groups), example) => match &mut settled {
                None => settled = Some((mark, groups, example)),
                Some((before, grouped, _)) if *before == mark => *grouped |= groups,
                Some(_) => return None,
            },
            (Says::Nothing | Says::Both, _) => {}
        }
    }
    let (mark, groups, example) = settled?;
    let other = if mark == b',' { '.' } else { ',' };
    if mark == b'.' && !groups {
        return None;
    }
    Some(Marks {
        decimal: char::from(mark),
        thousands: groups.then_some(other),
        why: format!("{} can be read in no other way", String::from_utf8_lossy(&example)),
    })
}

fn column<'a>(values: impl Iterator<Item = &'a [u8]>) -> (Says, Vec<u8>) {
    let mut says = Says::Nothing;
    let mut example = Vec::new();
    for value in values.filter(|v| !v.is_empty()) {
        if !value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+')) {
            return (Says::Nothing, Vec::new());
        }
        let next = one(value);
        says = match (says, next) {
            (before, Says::Nothing) => before,
            (Says::Nothing, next) => {
                example = value.to_vec();
                next
            }
            (Says::Decimal(a, x), Says::Decimal(b, y)) if a == b => Says::Decimal(a, x | y),
            _ => return (Says::Both, Vec::new()),
        };
    }
    (says, example)
}

/// What one number says.
fn one(value: &[u8]) -> Says {
    let digits = value.strip_prefix(b"-").or_else(|| value.strip_prefix(b"+")).unwrap_or(value);
    let count = |mark: u8| digits.iter().filter(|b| **b == mark).count();
    let (points, commas) = (count(b'.'), count(b','));
    let last = |mark: u8| digits.iter().rposition(|b| *b == mark);
    let (mark, other, others) = match (points, commas) {
        (0, 0) => return Says::Nothing,
        (1, 0) => (b'.', b',', 0),
        (0, 1) => (b',', b'.', 0),
        (1, n) if last(b'.') > last(b',') => (b'.', b',', n),
        (n, 1) if last(b',') > last(b'.') => (b',', b'.', n),
        // The same mark twice stands between thousands.
        (n, 0) if n > 1 && groups(digits, b'.') => return Says::Decimal(b',', true),
        (0, n) if n > 1 && groups(digits, b',') => return Says::Decimal(b'.', true),
        _ => return Says::Both,
    };
    let at = last(mark).unwrap_or_default();
    let (before, after) = digits.split_at(at);
    if others > 0 {
        let fits = groups(before, other);
        return if fits { Says::Decimal(mark, true) } else { Says::Both };
    }
    // One mark before three digits may stand between thousands: `1.000`.
    if after.len() == 4 && (1..=3).contains(&before.len()) && before.first() != Some(&b'0') {
        return Says::Nothing;
    }
    Says::Decimal(mark, false)
}

fn groups(digits: &[u8], mark: u8) -> bool {
    let mut groups = digits.split(|b| *b == mark);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len())
        && first.iter().all(u8::is_ascii_digit)
        && groups.all(|g| g.len() == 3 && g.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], expect: Option<(char, Option<char>)>) {
        let rows: Vec<Vec<Cell>> = values
            .iter()
            .map(|v| vec![Cell { bytes: v.as_bytes().to_vec(), quoted: false }])
            .collect();
        assert_eq!(judge(&rows, 1).map(|m| (m.decimal, m.thousands)), expect, "{values:?}");
    }

    #[test]
    fn marks_need_evidence() {
        check(&["1234,56", "0,5"], Some((',', None)));
        check(&["3.071.250,00", "1,5"], Some((',', Some('.'))));
        check(&["1,234.56"], Some(('.', Some(','))));
        check(&["1,234,567", "12"], Some(('.', Some(','))));
        check(&["1.000", "2.500"], None);
        check(&["1,000"], None);
        check(&["1.5", "2.25"], None);
        check(&["1,5", "2.25"], None);
        check(&["a,b"], None);
    }
}
