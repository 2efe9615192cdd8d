//! Well-known text.

use super::{DEPTH_MAX, KINDS, Point, ring_flaw};
use crate::convert::number::{Marks, Parts};

type Step<T = ()> = Result<T, &'static str>;

struct Reader<'a> {
    rest: &'a [u8],
}

/// Reads a whole geometry, writes it in one spelling, and says its kind.
pub fn read(text: &[u8], out: &mut Vec<u8>) -> Step<&'static str> {
    let mut reader = Reader { rest: text };
    let kind = reader.geometry(out, 0)?;
    reader.blanks();
    if reader.rest.is_empty() { Ok(kind) } else { Err("something follows it") }
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.blanks();
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn want(&mut self, byte: u8, why: &'static str) -> Step {
        if self.eat(byte) { Ok(()) } else { Err(why) }
    }

    fn word(&mut self) -> String {
        self.blanks();
        let end = self.rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        String::from_utf8_lossy(word).to_ascii_uppercase()
    }

    fn geometry(&mut self, out: &mut Vec<u8>, depth: usize) -> Step<&'static str> {
        if depth > DEPTH_MAX {
            return Err("it is nested too deeply");
        }
        let word = self.word();
        let (kind, _) =
            KINDS.iter().find(|(name, _)| *name == word).ok_or("its kind is not known")?;
        out.extend_from_slice(kind.as_bytes());
        match *kind {
            "POINT" => self.list(out, 1, |r, out| r.point(out).map(drop))?,
            "LINESTRING" => self.line(out)?,
            "POLYGON" => self.polygon(out)?,
            "MULTIPOINT" => self.list(out, usize::MAX, |r, out| {
                let inner = r.eat(b'(');
                r.point(out)?;
                if inner { r.want(b')', "a ) is missing") } else { Ok(()) }
            })?,
            "MULTILINESTRING" => self.list(out, usize::MAX, Self::line)?,
            "MULTIPOLYGON" => self.list(out, usize::MAX, Self::polygon)?,
            _ => self.list(out, usize::MAX, |r, out| r.geometry(out, depth + 1).map(drop))?,
        }
        Ok(kind)
    }

    /// `(`, one to `most` things between commas, `)`.
    fn list(
        &mut self,
        out: &mut Vec<u8>,
        most: usize,
        mut each: impl FnMut(&mut Self, &mut Vec<u8>) -> Step,
    ) -> Step {
        self.want(b'(', "a ( is missing")?;
        out.push(b'(');
        let mut count = 0;
        loop {
            each(self, out)?;
            count += 1;
            if count < most && self.eat(b',') {
                out.push(b',');
                continue;
            }
            self.want(b')', "a comma or ) is missing, or a point has more than two numbers")?;
            out.push(b')');
            return Ok(());
        }
    }

    fn points(&mut self, out: &mut Vec<u8>) -> Step<Vec<Point>> {
        let mut points = Vec::new();
        self.list(out, usize::MAX, |reader, out| {
            points.push(reader.point(out)?);
            Ok(())
        })?;
        Ok(points)
    }

    fn line(&mut self, out: &mut Vec<u8>) -> Step {
        if self.points(out)?.len() < 2 { Err("a line needs at least two points") } else { Ok(()) }
    }

    fn polygon(&mut self, out: &mut Vec<u8>) -> Step {
        self.list(out, usize::MAX, |reader, out| {
            let ring = reader.points(out)?;
            ring_flaw(&ring).map_or(Ok(()), Err)
        })
    }

    fn point(&mut self, out: &mut Vec<u8>) -> Step<Point> {
        let x = self.number(out)?;
        out.push(b' ');
        Ok((x, self.number(out)?))
    }

    fn number(&mut self, out: &mut Vec<u8>) -> Step<f64> {
        self.blanks();
        let end = self
            .rest
            .iter()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
            .count();
        let (text, rest) = self.rest.split_at(end);
        let parts = Parts::parse(text, Marks::PLAIN).map_err(|_| "a number is missing")?;
        self.rest = rest;
        let from = out.len();
        parts.push(out);
        std::str::from_utf8(out.get(from..).unwrap_or_default())
            .ok()
            .and_then(|t| t.parse::<f64>().ok())
            .filter(|n| n.is_finite())
            .ok_or("a number is too large")
    }
}
