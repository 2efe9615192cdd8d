//! ENUM and SET: by label, never by number.

use std::collections::HashMap;

use shared::error::ErrorCode;

use super::fault::{Checked, Fault, fault, shown};
use super::out::push_escaped;
use super::text::utf8;

/// Labels named in a refusal at most.
const NAMED_MAX: usize = 12;

/// The labels of a column.
#[derive(Debug, Clone)]
struct Labels {
    exact: HashMap<Vec<u8>, usize>,
    /// Labels in lower case, where the collation does not tell case; none where two meet there.
    folded: HashMap<String, Option<usize>>,
    /// Each as it is sent.
    encoded: Vec<Vec<u8>>,
    shown: String,
}

impl Labels {
    fn new(labels: &[String], collation: Option<&str>) -> Self {
        let tells_case =
            collation.is_some_and(|c| c.ends_with("_bin") || c.ends_with("_cs") || c == "binary");
        let mut folded: HashMap<String, Option<usize>> = HashMap::new();
        if !tells_case {
            for (i, label) in labels.iter().enumerate() {
                folded.entry(label.to_lowercase()).and_modify(|hit| *hit = None).or_insert(Some(i));
            }
        }
        let encoded = labels
            .iter()
            .map(|label| {
                let mut out = Vec::new();
                push_escaped(&mut out, label.as_bytes());
                out
            })
            .collect();
        let mut named: Vec<String> =
            labels.iter().take(NAMED_MAX).map(|l| format!("'{l}'")).collect();
        if labels.len() > NAMED_MAX {
            named.push(format!("… ({} in all)", labels.len()));
        }
        Self {
            exact: labels.iter().enumerate().map(|(i, l)| (l.as_bytes().to_vec(), i)).collect(),
            folded,
            encoded,
            shown: named.join(", "),
        }
    }

    /// The label that a text names: as it is, without blanks at its end, or in another case.
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        if let Some(i) = self.exact.get(bytes) {
            return Some(*i);
        }
        let text = bytes.trim_ascii();
        if let Some(i) = self.exact.get(text) {
            return Some(*i);
        }
        self.folded.get(&std::str::from_utf8(text).ok()?.to_lowercase()).copied().flatten()
    }

    fn push(&self, label: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encoded.get(label).map(Vec::as_slice).unwrap_or_default());
    }

    #[cold]
    fn unknown(&self, bytes: &[u8], of: &str) -> Box<Fault> {
        fault(
            ErrorCode::UnknownLabel,
            format!("{} is no label of the {of}, which has {}", shown(bytes), self.shown),
        )
    }
}

/// An ENUM column.
#[derive(Debug, Clone)]
pub struct Enum {
    labels: Labels,
    has_empty: bool,
}

impl Enum {
    /// A column with these labels.
    #[must_use]
    pub fn new(labels: &[String], collation: Option<&str>) -> Self {
        Self {
            labels: Labels::new(labels, collation),
            has_empty: labels.iter().any(String::is_empty),
        }
    }

    /// Whether the empty text is one of the labels.
    #[must_use]
    pub const fn has_empty(&self) -> bool {
        self.has_empty
    }

    /// Checks and writes one field.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        utf8(bytes)?;
        let label = self.labels.find(bytes).ok_or_else(|| self.labels.unknown(bytes, "ENUM"))?;
        self.labels.push(label, out);
        Ok(())
    }
}

/// A SET column: labels between commas, in any order.
#[derive(Debug, Clone)]
pub struct Set {
    labels: Labels,
}

impl Set {
    /// A column with these labels.
    #[must_use]
    pub fn new(labels: &[String], collation: Option<&str>) -> Self {
        Self { labels: Labels::new(labels, collation) }
    }

    /// Checks and writes one field.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        utf8(bytes)?;
        let mut members = 0_u64;
        if !bytes.trim_ascii().is_empty() {
            for part in bytes.split(|b| *b == b',') {
                let label =
                    self.labels.find(part).ok_or_else(|| self.labels.unknown(part, "SET"))?;
                members |= 1_u64.checked_shl(u32::try_from(label).unwrap_or(64)).unwrap_or(0);
            }
        }
        // The server keeps members in the order of its labels.
        let mut first = true;
        for label in (0..64).filter(|i| members >> i & 1 == 1) {
            if !first {
                out.push(b',');
            }
            first = false;
            self.labels.push(label, out);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(of: &[&str]) -> Vec<String> {
        of.iter().map(|l| (*l).to_owned()).collect()
    }

    fn text(
        encode: impl Fn(&[u8], &mut Vec<u8>) -> Checked,
        value: &str,
    ) -> Result<String, ErrorCode> {
        let mut out = Vec::new();
        encode(value.as_bytes(), &mut out).map_err(|f| f.code)?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn digits_are_labels_and_never_positions() {
        let state = Enum::new(&labels(&["0", "1", "2"]), Some("utf8mb4_general_ci"));
        let check = |v: &str| text(|b, o| state.encode(b, o), v);
        assert_eq!(check("1").as_deref(), Ok("1"));
        assert_eq!(check("0").as_deref(), Ok("0"));
        assert_eq!(check("3"), Err(ErrorCode::UnknownLabel));
        let words = Enum::new(&labels(&["small", "Größe", "a\\b"]), Some("utf8mb4_general_ci"));
        let check = |v: &str| text(|b, o| words.encode(b, o), v);
        for (value, want) in
            [("SMALL", "small"), ("grÖSSE", ""), ("größe ", "Größe"), ("a\\b", "a\\\\b")]
        {
            if want.is_empty() {
                assert_eq!(check(value), Err(ErrorCode::UnknownLabel));
            } else {
                assert_eq!(check(value).as_deref(), Ok(want));
            }
        }
        assert_eq!(check("1"), Err(ErrorCode::UnknownLabel));
        let exact = Enum::new(&labels(&["a"]), Some("utf8mb4_bin"));
        assert_eq!(text(|b, o| exact.encode(b, o), "A"), Err(ErrorCode::UnknownLabel));
    }

    #[test]
    fn sets_come_in_the_order_of_their_labels() {
        let set = Set::new(&labels(&["red", "green", "blue"]), None);
        let check = |v: &str| text(|b, o| set.encode(b, o), v);
        assert_eq!(check("blue,red").as_deref(), Ok("red,blue"));
        assert_eq!(check("Blue, RED,blue").as_deref(), Ok("red,blue"));
        assert_eq!(check("").as_deref(), Ok(""));
        assert_eq!(check("red,1"), Err(ErrorCode::UnknownLabel));
        assert_eq!(check("5"), Err(ErrorCode::UnknownLabel));
        assert_eq!(check("red,,blue"), Err(ErrorCode::UnknownLabel));
    }
}
