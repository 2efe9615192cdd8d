//! VECTOR(n): numbers of single precision between square brackets.

use shared::error::ErrorCode;
use shared::target::Flavour;

use super::fault::{Checked, fault, shown};
use super::number::{Marks, Parts};

/// A VECTOR column.
#[derive(Debug, Clone, Copy)]
pub struct Vector {
    dimensions: usize,
    exact: bool,
}

impl Vector {
    /// A column of so many dimensions: exactly on MariaDB, at most on MySQL.
    #[must_use]
    pub fn new(dimensions: u32, flavour: Flavour) -> Self {
        Self {
            dimensions: usize::try_from(dimensions).unwrap_or(usize::MAX),
            exact: flavour == Flavour::Mariadb,
        }
    }

    /// Checks and writes one field.
    pub fn encode(self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let wrong = |why: &str| {
            Err(fault(ErrorCode::InvalidValue, format!("{} is not a vector: {why}", shown(bytes))))
        };
        let [b'[', inner @ .., b']'] = bytes.trim_ascii() else {
            return wrong("it should look like [1,2.5,-3]");
        };
        let start = out.len();
        let mut count = 0;
        for part in inner.split(|b| *b == b',') {
            let Ok(parts) = Parts::parse(part.trim_ascii(), Marks::PLAIN) else {
                out.truncate(start);
                return wrong("something in it is no number");
            };
            out.push(if count == 0 { b'[' } else { b',' });
            count += 1;
            let from = out.len();
            parts.push(out);
            let text = out.get(from..).unwrap_or_default();
            let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f32>().ok());
            if !value.is_some_and(f32::is_finite) {
                out.truncate(start);
                return wrong("a number in it is too large");
            }
        }
        out.push(b']');
        if count > self.dimensions || (self.exact && count != self.dimensions) {
            out.truncate(start);
            let holds = if self.exact { "" } else { "at most " };
            return Err(fault(
                ErrorCode::InvalidValue,
                format!(
                    "{} has {count} dimensions, the column {holds}{}",
                    shown(bytes),
                    self.dimensions
                ),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_between_brackets() {
        let check = |text: &str, flavour| {
            let mut out = Vec::new();
            let checked = Vector::new(3, flavour).encode(text.as_bytes(), &mut out);
            checked.ok().map(|()| String::from_utf8(out).expect("ASCII"))
        };
        assert_eq!(check("[1, 2.5,-3e1]", Flavour::Mariadb).as_deref(), Some("[1,2.5,-3e1]"));
        assert_eq!(check("[1,2]", Flavour::Mariadb), None);
        assert_eq!(check("[1,2]", Flavour::Mysql).as_deref(), Some("[1,2]"));
        for text in ["", "[]", "[1,2,3,4]", "1,2,3", "[1,,2]", "[1e39,1,1]", "[a,b,c]"] {
            assert_eq!(check(text, Flavour::Mysql), None, "{text}");
        }
    }
}
