//! How many different values a column has, about; and whether all of them differ, for certain.

use std::collections::HashMap;

const BITS: u32 = 11;
const REGISTERS: usize = 1 << BITS;
/// Pages of 65,536 numbers each that a column's set may have: 64 MiB.
const PAGES_MAX: usize = 8192;
const PAGE_BITS: u32 = 16;
const PAGE_WORDS: usize = 1 << (PAGE_BITS - 6);
/// Values beyond numbers that a column's set may have.
const HASHES_MAX: usize = 1 << 21;

/// A 64-bit hash of a value; good enough to count by, the same everywhere.
#[inline]
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    const A: u64 = 0x9E37_79B9_7F4A_7C15;
    const B: u64 = 0xE703_7ED1_A0B4_28DB;
    let fold = |x: u64, y: u64| {
        let product = u128::from(x) * u128::from(y);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let mut state = A ^ (bytes.len() as u64);
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        state = fold(state ^ u64::from_le_bytes(*chunk), B);
    }
    let mut tail = 0_u64;
    for byte in rest {
        tail = (tail << 8) | u64::from(*byte);
    }
    fold(fold(state ^ tail, B) ^ A, B)
}

/// A HyperLogLog counter: two per cent off, two kilobytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Distinct {
    registers: Vec<u8>,
}

impl Default for Distinct {
    fn default() -> Self {
        Self { registers: vec![0; REGISTERS] }
    }
}

impl Distinct {
    /// Counts a value by its hash.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        let rank = ((hash << BITS) | (1 << (BITS - 1))).leading_zeros() as u8 + 1;
        if let Some(register) = self.registers.get_mut((hash >> (64 - BITS)) as usize)
            && *register < rank
        {
            *register = rank;
        }
    }

    /// Takes in what another counter has seen.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// How many different values, about.
    #[must_use]
    pub fn estimate(&self) -> u64 {
        let m = REGISTERS as f64;
        let sum: f64 = self.registers.iter().map(|r| (-f64::from(*r)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let zeros = self.registers.iter().filter(|r| **r == 0).count();
        let estimate = if raw <= 2.5 * m && zeros > 0 { m * (m / zeros as f64).ln() } else { raw };
        estimate.round() as u64
    }
}

/// A set that tells for certain whether a value came twice, as far as its memory goes.
#[derive(Debug, Clone, Default)]
pub enum Unique {
    /// A value came twice, or nobody asks, or there were too many to tell.
    #[default]
    No,
    /// All differ so far.
    SoFar(Box<Seen>),
}

/// The values of a [`Unique`].
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Whole numbers, a bit each.
    pages: HashMap<i64, Box<[u64; PAGE_WORDS]>>,
    /// Hashes of everything else, in no order: they are looked through as they double.
    hashes: Vec<u64>,
}

impl Seen {
    /// Adds a hash; false where it is known to have come twice.
    fn add(&mut self, hash: u64) -> bool {
        self.hashes.push(hash);
        // A sort each time their number doubles costs less than a set, in time and in memory.
        !self.hashes.len().is_power_of_two() || all_differ(&mut self.hashes)
    }
}

/// Whether all hashes differ; puts them in order.
fn all_differ(hashes: &mut [u64]) -> bool {
    hashes.sort_unstable();
    hashes.windows(2).all(|pair| pair.first() != pair.last())
}

impl Unique {
    /// An empty set.
    #[must_use]
    pub fn start() -> Self {
        Self::SoFar(Box::default())
    }

    /// Whether all values differed.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self {
            Self::No => false,
            Self::SoFar(seen) => all_differ(&mut seen.hashes.clone()),
        }
    }

    /// Adds a value: a whole number, or the hash of anything else.
    #[inline]
    pub fn add(&mut self, number: Option<i64>, hash: u64) {
        let Self::SoFar(seen) = self else { return };
        let fresh = match number {
            Some(number) => {
                let page = seen
                    .pages
                    .entry(number >> PAGE_BITS)
                    .or_insert_with(|| Box::new([0; PAGE_WORDS]));
                let bit = (number & ((1 << PAGE_BITS) - 1)) as usize;
                let word = &mut page[bit / 64];
                let fresh = *word & (1 << (bit % 64)) == 0;
                *word |= 1 << (bit % 64);
                fresh
            }
            None => seen.add(hash),
        };
        if !fresh || seen.pages.len() > PAGES_MAX || seen.hashes.len() > HASHES_MAX {
            *self = Self::No;
        }
    }

    /// Takes in what another set has seen.
    pub fn merge(&mut self, other: Self) {
        let Self::SoFar(theirs) = other else {
            *self = Self::No;
            return;
        };
        let Self::SoFar(mine) = self else { return };
        let mut twice = false;
        for (key, page) in theirs.pages {
            match mine.pages.entry(key) {
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(page);
                }
                std::collections::hash_map::Entry::Occupied(mut place) => {
                    for (a, b) in place.get_mut().iter_mut().zip(page.iter()) {
                        twice |= *a & b != 0;
                        *a |= b;
                    }
                }
            }
        }
        mine.hashes.extend(theirs.hashes);
        if twice || mine.pages.len() > PAGES_MAX || mine.hashes.len() > HASHES_MAX {
            *self = Self::No;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_close() {
        for count in [0_u64, 1, 10, 1000, 100_000] {
            let mut distinct = Distinct::default();
            for i in 0..count {
                distinct.add(hash(format!("user{i}").as_bytes()));
                distinct.add(hash(format!("user{i}").as_bytes()));
            }
            let estimate = distinct.estimate();
            assert!(estimate.abs_diff(count) * 100 <= count * 8, "{estimate} for {count}");
        }
    }

    #[test]
    fn repeats_are_certain() {
        let mut set = Unique::start();
        for i in [5, -5, 1 << 40, 6] {
            set.add(Some(i), 0);
        }
        set.add(None, 7);
        assert!(set.holds());
        let mut twice = set.clone();
        twice.add(Some(-5), 0);
        assert!(!twice.holds());
        let mut other = Unique::start();
        other.add(Some(7), 0);
        let mut both = set.clone();
        both.merge(other);
        assert!(both.holds());
        both.merge(set);
        assert!(!both.holds());
    }
}
