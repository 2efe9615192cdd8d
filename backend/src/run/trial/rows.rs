//! Rows of the service's own for the ladder: a shop's orders, the same every time.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use crate::run::RunError;

const FIELDS: usize = 7;
const CITIES: [&str; 8] = ["Osaka", "Lima", "Oslo", "Quito", "Perth", "Accra", "Turin", "Leeds"];

/// Writes orders as CSV with a header; the numbers come in order, or scattered.
///
/// # Errors
/// If the disk refuses.
pub(super) fn write(path: &Path, rows: u64, scattered: bool) -> Result<(), RunError> {
    orders(path, rows, scattered)
        .map_err(|source| RunError::Io { path: path.display().to_string(), source })
}

fn orders(path: &Path, rows: u64, scattered: bool) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(b"id,email,city,amount,level,created_at,note\n")?;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 8) % below
    };
    // A step without a common divisor visits every number once.
    let step = (rows * 5 / 8..).find(|s| gcd(*s, rows) == 1).unwrap_or(1);
    for i in 0..rows {
        let id = 1 + if scattered { (i * step) % rows } else { i };
        let city = CITIES.get(random(8) as usize).copied().unwrap_or_default();
        writeln!(
            out,
            "{id},user{id}@example.com,{city},{}.{:02},{},2026-{:02}-{:02} {:02}:{:02}:00,\"note {}, x\"",
            random(1000),
            random(100),
            random(10),
            1 + random(12),
            1 + random(28),
            random(24),
            random(60),
            random(1 << 56),
        )?;
    }
    out.flush()
}

/// The first rows of a file that [`write`] has written.
///
/// # Errors
/// If the disk refuses.
pub(super) fn first(path: &Path, count: usize) -> Result<Vec<Vec<String>>, RunError> {
    let io = |source| RunError::Io { path: path.display().to_string(), source };
    let file = BufReader::new(File::open(path).map_err(io)?);
    let lines = file.lines().skip(1).take(count);
    // The last field alone is quoted, and alone holds a comma.
    let split = |line: String| -> Vec<String> {
        line.splitn(FIELDS, ',').map(|f| f.trim_matches('"').to_owned()).collect()
    };
    lines.map(|line| line.map(split).map_err(io)).collect()
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
