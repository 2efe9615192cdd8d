//! Which fields mean NULL.

/// The NULL rule of one column.
#[derive(Debug, Clone)]
pub struct NullRule {
    markers: Vec<Vec<u8>>,
    longest: usize,
    quoted_markers: bool,
    empty: bool,
    empty_quoted: bool,
}

/// What a rule is made from.
#[derive(Debug, Clone, Copy)]
pub struct NullWishes<'a> {
    /// Markers in force for the column.
    pub markers: &'a [String],
    /// Whether somebody said which markers mean NULL, if only that none does.
    pub markers_set: bool,
    /// Whether quoted markers count, where somebody said so.
    pub quoted: Option<bool>,
    /// Whether the empty text is a value of the column's type.
    pub empty_is_value: bool,
}

impl NullRule {
    /// Settles the rule.
    ///
    /// An empty field is no value of a number or a date, so it means NULL there without being
    /// told, quoted or not; in a text column it is the empty text unless it is a marker, and
    /// quotes make any marker text. An explicit empty list of markers means that nothing is NULL;
    /// an explicit `quoted_null: false` that whatever stands in quotes is text in every column.
    #[must_use]
    pub fn new(wishes: NullWishes<'_>) -> Self {
        let quoted_markers = wishes.quoted.unwrap_or(!wishes.empty_is_value);
        let nothing_is_null = wishes.markers_set && wishes.markers.is_empty();
        let marked_empty = wishes.markers.iter().any(String::is_empty);
        let natural = !wishes.empty_is_value && !nothing_is_null;
        let markers: Vec<Vec<u8>> = wishes
            .markers
            .iter()
            .filter(|m| !m.is_empty())
            .map(|m| m.as_bytes().to_vec())
            .collect();
        Self {
            longest: markers.iter().map(Vec::len).max().unwrap_or(0),
            markers,
            quoted_markers,
            empty: marked_empty || natural,
            empty_quoted: if wishes.empty_is_value {
                marked_empty && quoted_markers
            } else {
                natural && wishes.quoted != Some(false)
            },
        }
    }

    /// Whether a field means NULL.
    #[inline]
    #[must_use]
    pub fn applies(&self, bytes: &[u8], quoted: bool) -> bool {
        if bytes.is_empty() {
            return if quoted { self.empty_quoted } else { self.empty };
        }
        bytes.len() <= self.longest && self.marked(bytes, quoted)
    }

    #[inline(never)]
    fn marked(&self, bytes: &[u8], quoted: bool) -> bool {
        (!quoted || self.quoted_markers) && self.markers.iter().any(|m| m == bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(markers: &[&str], set: bool, quoted: Option<bool>, text: bool) -> NullRule {
        let markers: Vec<String> = markers.iter().map(|m| (*m).to_owned()).collect();
        NullRule::new(NullWishes {
            markers: &markers,
            markers_set: set,
            quoted,
            empty_is_value: text,
        })
    }

    #[test]
    fn by_default_empty_is_null_for_numbers_and_text_for_text() {
        let number = rule(&[], false, None, false);
        assert!(number.applies(b"", false) && number.applies(b"", true));
        let text = rule(&[], false, None, true);
        assert!(!text.applies(b"", false) && !text.applies(b"", true));
    }

    #[test]
    fn a_marked_empty_field_is_null_and_a_quoted_one_text() {
        let text = rule(&[""], true, Some(false), true);
        assert!(text.applies(b"", false) && !text.applies(b"", true));
        assert!(!text.applies(b" ", false));
        let text = rule(&[""], true, None, true);
        assert!(text.applies(b"", false) && !text.applies(b"", true));
        let text = rule(&[""], true, Some(true), true);
        assert!(text.applies(b"", true));
        let number = rule(&[""], true, Some(false), false);
        assert!(number.applies(b"", false) && !number.applies(b"", true));
    }

    #[test]
    fn other_markers_do_not_take_the_empty_field_from_numbers() {
        let date = rule(&["0000-00-00"], true, None, false);
        assert!(date.applies(b"0000-00-00", false) && date.applies(b"", false));
        assert!(date.applies(b"0000-00-00", true), "quotes mean nothing around a date");
        let none = rule(&[], true, None, false);
        assert!(!none.applies(b"", false) && !none.applies(b"", true));
    }
}
