//! Well-known binary, either byte order.

use super::{DEPTH_MAX, KINDS, Point, ring_flaw};

type Step<T = ()> = Result<T, &'static str>;

const SHORT: &str = "it ends too early";

struct Reader<'a> {
    rest: &'a [u8],
}

/// Reads a whole geometry, writes it as WKT, and says its kind.
pub fn read(bytes: &[u8], out: &mut Vec<u8>) -> Step<&'static str> {
    let mut reader = Reader { rest: bytes };
    let kind = reader.geometry(out, None, 0)?;
    if reader.rest.is_empty() { Ok(kind) } else { Err("something follows it") }
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Step<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(SHORT)?;
        self.rest = rest;
        Ok(*head)
    }

    fn number(&mut self, little: bool) -> Step<u32> {
        let bytes = self.take()?;
        Ok(if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn float(&mut self, little: bool, out: &mut Vec<u8>) -> Step<f64> {
        let bytes = self.take()?;
        let value = if little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) };
        if !value.is_finite() {
            return Err("a number in it is not finite");
        }
        // The shortest digits that read back as the same number.
        let plain = (1e-5..1e15).contains(&value.abs()) || value == 0.0;
        let text = if plain { format!("{value}") } else { format!("{value:e}") };
        out.extend_from_slice(text.as_bytes());
        Ok(value)
    }

    fn geometry(
        &mut self,
        out: &mut Vec<u8>,
        within: Option<&str>,
        depth: usize,
    ) -> Step<&'static str> {
        if depth > DEPTH_MAX {
            return Err("it is nested too deeply");
        }
        let little = match self.take::<1>()? {
            [0] => false,
            [1] => true,
            _ => return Err("its byte order is not known"),
        };
        let number = self.number(little)?;
        let (kind, _) = KINDS
            .iter()
            .find(|(_, n)| *n == number)
            .ok_or("its kind is not known, or it has a height or a reference system of its own")?;
        match within {
            // The parts of a MULTI… are written without their kind.
            Some(wanted) if wanted != *kind => return Err("a part of it is of the wrong kind"),
            Some(_) => {}
            None => out.extend_from_slice(kind.as_bytes()),
        }
        match *kind {
            "POINT" => {
                let bare = within == Some("POINT");
                if !bare {
                    out.push(b'(');
                }
                self.point(little, out)?;
                if !bare {
                    out.push(b')');
                }
            }
            "LINESTRING" => self.line(little, out)?,
            "POLYGON" => self.list(little, out, |r, out| {
                let ring = r.points(little, out)?;
                ring_flaw(&ring).map_or(Ok(()), Err)
            })?,
            "GEOMETRYCOLLECTION" => {
                self.list(little, out, |r, out| r.geometry(out, None, depth + 1).map(drop))?;
            }
            multi => {
                let part = multi.trim_start_matches("MULTI");
                self.list(little, out, |r, out| r.geometry(out, Some(part), depth + 1).map(drop))?;
            }
        }
        Ok(kind)
    }

    fn list(
        &mut self,
        little: bool,
        out: &mut Vec<u8>,
        mut each: impl FnMut(&mut Self, &mut Vec<u8>) -> Step,
    ) -> Step {
        let count = self.number(little)?;
        if count == 0 {
            return Err("it is empty");
        }
        out.push(b'(');
        for i in 0..count {
            if i > 0 {
                out.push(b',');
            }
            each(self, out)?;
        }
        out.push(b')');
        Ok(())
    }

    fn point(&mut self, little: bool, out: &mut Vec<u8>) -> Step<Point> {
        let x = self.float(little, out)?;
        out.push(b' ');
        Ok((x, self.float(little, out)?))
    }

    fn points(&mut self, little: bool, out: &mut Vec<u8>) -> Step<Vec<Point>> {
        let mut points = Vec::new();
        self.list(little, out, |reader, out| {
            points.push(reader.point(little, out)?);
            Ok(())
        })?;
        Ok(points)
    }

    fn line(&mut self, little: bool, out: &mut Vec<u8>) -> Step {
        let points = self.points(little, out)?;
        if points.len() < 2 { Err("a line needs at least two points") } else { Ok(()) }
    }
}
