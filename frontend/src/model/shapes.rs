//! Whether files can be one import: only where their columns are the same, in the same order.

use shared::profile::{ColumnProfile, Profile};
use shared::{ErrorBody, ErrorCode};

use crate::text::import as t;

/// A file by name, and what was seen of it.
type Named<'a> = (&'a str, &'a Profile);

/// What keeps a file from being imported with the first one; none where nothing does.
pub fn difference(first: Named<'_>, other: Named<'_>) -> Option<ErrorBody> {
    let ((first_name, first), (name, other)) = (first, other);
    let sentence = if first.format != other.format {
        t::formats_differ(name, first_name)
    } else if first.columns.len() != other.columns.len() {
        let (here, there) = (other.columns.len(), first.columns.len());
        t::counts_differ(name, here, first_name, there)
    } else {
        let differ = |(a, b): &(&ColumnProfile, &ColumnProfile)| a.source_name != b.source_name;
        let mut pairs = first.columns.iter().zip(&other.columns);
        let at = pairs.position(|pair| differ(&pair))?;
        let called = |p: &Profile| p.columns.get(at).map(|c| c.source_name.clone());
        t::names_differ(at + 1, (name, called(other)?), (first_name, called(first)?))
    };
    Some(ErrorBody::new(ErrorCode::UnknownColumn, sentence).with_hint(t::SHAPES_HINT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::ImportOptions;
    use shared::profile::sample;

    fn seen(name: &str, text: &str) -> Profile {
        sample(text.as_bytes(), true, name, &ImportOptions::default()).unwrap()
    }

    fn told(a: &str, b: (&str, &str)) -> Option<String> {
        let (first, other) = (seen("a.csv", a), seen(b.0, b.1));
        difference(("a.csv", &first), (b.0, &other)).map(|e| e.message)
    }

    #[test]
    fn files_of_one_shape_go_together_and_others_are_told_apart_in_words() {
        let a = "id,city\n1,Oslo\n2,Lima\n";
        assert_eq!(told(a, ("b.csv", "id,city\n3,Quito\n4,Perth\n")), None);
        assert_eq!(
            told(a, ("b.csv", "id,town\n3,Quito\n4,Perth\n")).unwrap(),
            "Column 2 of b.csv is called \u{201c}town\u{201d}, in a.csv \u{201c}city\u{201d}."
        );
        assert_eq!(
            told(a, ("b.csv", "id,city,paid\n3,Quito,1\n4,Perth,2\n")).unwrap(),
            "b.csv has 3 columns, a.csv has 2."
        );
        assert!(
            told(a, ("b.jsonl", "{\"id\":1}\n{\"id\":2}\n"))
                .unwrap()
                .contains("written differently")
        );
    }
}
