//! What the values of one column have in common, gathered value by value and merged.

use super::distinct::{Distinct, Unique, hash};
use super::number::to_f64;
use super::order::{DateOrder, Order, Steps, StretchOrder};
use super::value::{Shape, Zone, shape};

/// Values kept as samples.
const SAMPLES: usize = 5;
/// Bytes of a value that are kept for samples, least and greatest.
const KEPT_BYTES: usize = 120;

/// How values are to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The decimal mark.
    pub decimal: u8,
    /// The thousands mark.
    pub thousands: Option<u8>,
    /// Markers of NULL.
    pub markers: Vec<Vec<u8>>,
    /// Whether a quoted marker is NULL too.
    pub quoted_null: bool,
}

impl Rules {
    fn is_marker(&self, bytes: &[u8], quoted: bool) -> bool {
        (!quoted || self.quoted_null) && self.markers.iter().any(|m| m == bytes)
    }
}

/// How often each shape was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "named after the shapes")]
pub struct Counts {
    pub ints: u64,
    /// Whole numbers beyond 18 digits.
    pub long_ints: u64,
    pub decimals: u64,
    pub floats: u64,
    /// Numbers that begin like codes: `007`, `+49`.
    pub coded: u64,
    pub negatives: u64,
    pub bools: u64,
    pub dates: u64,
    pub datetimes: u64,
    /// Of the datetimes, those in UTC and those with another offset.
    pub utc: u64,
    pub offsets: u64,
    pub times: u64,
    pub other_dates: u64,
    pub zero_dates: u64,
    pub uuids: u64,
    pub json: u64,
    pub texts: u64,
}

impl Counts {
    fn merge(&mut self, o: &Self) {
        self.ints += o.ints;
        self.long_ints += o.long_ints;
        self.decimals += o.decimals;
        self.floats += o.floats;
        self.coded += o.coded;
        self.negatives += o.negatives;
        self.bools += o.bools;
        self.dates += o.dates;
        self.datetimes += o.datetimes;
        self.utc += o.utc;
        self.offsets += o.offsets;
        self.times += o.times;
        self.other_dates += o.other_dates;
        self.zero_dates += o.zero_dates;
        self.uuids += o.uuids;
        self.json += o.json;
        self.texts += o.texts;
    }
}

/// What was seen of one column.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Fields, NULL or not.
    pub fields: u64,
    /// NULLs by the format or by a marker.
    pub nulls: u64,
    /// Empty fields without quotes.
    pub empties: u64,
    /// Empty fields in quotes.
    pub quoted_empties: u64,
    /// Shapes of all others.
    pub counts: Counts,
    /// Dates of unclear order.
    pub order_of_dates: Option<DateOrder>,
    /// Least and greatest of the whole numbers up to 18 digits.
    pub int_range: Option<(i64, i64)>,
    /// Most digits before the decimal mark.
    pub digits_max: u32,
    /// Most digits after it.
    pub scale_max: u32,
    /// Most digits after a second.
    pub fsp_max: u32,
    /// Longest value in characters.
    pub longest_chars: u64,
    /// Longest value in bytes.
    pub longest_bytes: u64,
    /// A few different values.
    pub samples: Vec<Vec<u8>>,
    /// How many different values.
    pub distinct: Distinct,
    /// Whether all differ.
    pub unique: Unique,
    number_range: Option<(f64, f64)>,
    number_texts: (Vec<u8>, Vec<u8>),
    least: Option<Vec<u8>>,
    greatest: Vec<u8>,
    order: Order,
    zero_one: u64,
}

impl Stats {
    /// For a first look: certain about repeated values.
    #[must_use]
    pub fn exact() -> Self {
        Self { unique: Unique::start(), ..Self::default() }
    }

    /// Takes in one field.
    #[inline]
    pub fn add(&mut self, bytes: &[u8], quoted: bool, is_null: bool, rules: &Rules) {
        self.fields += 1;
        if is_null || (!rules.markers.is_empty() && rules.is_marker(bytes, quoted)) {
            self.nulls += 1;
            return;
        }
        if bytes.is_empty() {
            if quoted {
                self.quoted_empties += 1;
            } else {
                self.empties += 1;
            }
            return;
        }
        let shape = match rules.thousands {
            Some(mark) if bytes.contains(&mark) => grouped(bytes, mark, rules.decimal),
            _ => shape(bytes, rules.decimal),
        };
        let number = self.count(shape, bytes, rules.decimal);
        let length = bytes.len() as u64;
        self.longest_bytes = self.longest_bytes.max(length);
        if length > self.longest_chars {
            let chars = if bytes.is_ascii() { length } else { chars(bytes) };
            self.longest_chars = self.longest_chars.max(chars);
        }
        let hash = hash(bytes);
        self.distinct.add(hash);
        self.unique.add(number, hash);
        self.order.add(number, bytes);
        self.extremes(bytes);
        if self.samples.len() < SAMPLES {
            self.sample(bytes);
        }
    }

    #[inline]
    fn count(&mut self, shape: Shape, bytes: &[u8], decimal: u8) -> Option<i64> {
        let counts = &mut self.counts;
        match shape {
            Shape::Int { value, digits, negative, coded } => {
                counts.ints += 1;
                counts.coded += u64::from(coded);
                counts.negatives += u64::from(negative);
                self.digits_max = self.digits_max.max(digits);
                let Some(value) = value else {
                    counts.long_ints += 1;
                    self.number(bytes, decimal);
                    return None;
                };
                self.zero_one += u64::from(value == 0 || value == 1);
                self.int_range = Some(match self.int_range {
                    Some((low, high)) => (low.min(value), high.max(value)),
                    None => (value, value),
                });
                // `007` and `7` are one number but two values.
                return (!coded).then_some(value);
            }
            Shape::Decimal { digits, scale, negative, coded } => {
                counts.decimals += 1;
                counts.coded += u64::from(coded);
                counts.negatives += u64::from(negative);
                self.digits_max = self.digits_max.max(digits);
                self.scale_max = self.scale_max.max(scale);
                self.number(bytes, decimal);
            }
            Shape::Float => {
                counts.floats += 1;
                self.number(bytes, decimal);
            }
            Shape::Bool => counts.bools += 1,
            Shape::Date => counts.dates += 1,
            Shape::Datetime { fsp, zone } => {
                counts.datetimes += 1;
                counts.utc += u64::from(zone == Zone::Utc);
                counts.offsets += u64::from(zone == Zone::Offset);
                self.fsp_max = self.fsp_max.max(fsp);
            }
            Shape::Time { fsp } => {
                counts.times += 1;
                self.fsp_max = self.fsp_max.max(fsp);
            }
            Shape::OtherDate(date) => {
                counts.other_dates += 1;
                let date = DateOrder::of(date);
                match &mut self.order_of_dates {
                    Some(order) => order.merge(&date),
                    None => self.order_of_dates = Some(date),
                }
            }
            Shape::ZeroDate => counts.zero_dates += 1,
            Shape::Uuid => counts.uuids += 1,
            Shape::Json => counts.json += 1,
            Shape::Text => counts.texts += 1,
        }
        None
    }

    /// Notes a number that is no small whole number for least and greatest.
    fn number(&mut self, bytes: &[u8], decimal: u8) {
        let Some(value) = to_f64(bytes, decimal) else { return };
        let (low, high) = self.number_range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
        if value < low {
            self.number_texts.0 = kept(bytes);
        }
        if value > high {
            self.number_texts.1 = kept(bytes);
        }
        self.number_range = Some((low.min(value), high.max(value)));
    }

    #[inline]
    fn extremes(&mut self, bytes: &[u8]) {
        let bytes = bytes.get(..KEPT_BYTES).unwrap_or(bytes);
        match &mut self.least {
            None => {
                self.least = Some(bytes.to_vec());
                self.greatest = bytes.to_vec();
            }
            Some(least) => {
                if bytes < least.as_slice() {
                    least.clear();
                    least.extend_from_slice(bytes);
                } else if bytes > self.greatest.as_slice() {
                    self.greatest.clear();
                    self.greatest.extend_from_slice(bytes);
                }
            }
        }
    }

    fn sample(&mut self, bytes: &[u8]) {
        let bytes = kept(bytes);
        if !self.samples.contains(&bytes) {
            self.samples.push(bytes);
        }
    }

    /// Begins a stretch that does not follow on the one before; its order is gathered apart.
    #[must_use]
    pub fn take_order(&mut self) -> StretchOrder {
        StretchOrder(std::mem::take(&mut self.order))
    }

    /// Puts stretches together in the order of the file.
    pub fn set_order(&mut self, stretches: impl IntoIterator<Item = StretchOrder>) {
        self.order = Order::default();
        for StretchOrder(next) in stretches {
            self.order.append(next);
        }
    }

    /// Takes in what was seen of the column elsewhere in the file. Order is put together apart.
    pub fn merge(&mut self, other: Self) {
        self.fields += other.fields;
        self.nulls += other.nulls;
        self.empties += other.empties;
        self.quoted_empties += other.quoted_empties;
        self.counts.merge(&other.counts);
        self.zero_one += other.zero_one;
        match (&mut self.order_of_dates, other.order_of_dates) {
            (Some(mine), Some(theirs)) => mine.merge(&theirs),
            (mine, theirs) => *mine = mine.or(theirs),
        }
        self.int_range = match (self.int_range, other.int_range) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        self.digits_max = self.digits_max.max(other.digits_max);
        self.scale_max = self.scale_max.max(other.scale_max);
        self.fsp_max = self.fsp_max.max(other.fsp_max);
        self.longest_chars = self.longest_chars.max(other.longest_chars);
        self.longest_bytes = self.longest_bytes.max(other.longest_bytes);
        for sample in other.samples {
            if self.samples.len() < SAMPLES && !self.samples.contains(&sample) {
                self.samples.push(sample);
            }
        }
        self.distinct.merge(&other.distinct);
        self.unique.merge(other.unique);
        if let Some((low, high)) = other.number_range {
            let (my_low, my_high) = self.number_range.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
            if low < my_low {
                self.number_texts.0 = other.number_texts.0;
            }
            if high > my_high {
                self.number_texts.1 = other.number_texts.1;
            }
            self.number_range = Some((low.min(my_low), high.max(my_high)));
        }
        if let Some(least) = other.least {
            let greatest = other.greatest;
            match &mut self.least {
                None => (self.least, self.greatest) = (Some(least), greatest),
                Some(mine) => {
                    if least < *mine {
                        *mine = least;
                    }
                    if greatest > self.greatest {
                        self.greatest = greatest;
                    }
                }
            }
        }
    }

    /// Fields that hold a value.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.fields - self.nulls - self.empties - self.quoted_empties
    }

    /// Whether each whole number is 0 or 1.
    #[must_use]
    pub fn only_zero_one(&self) -> bool {
        self.zero_one == self.counts.ints
    }

    /// Whether every field has a value and all differ: proved by a set, or by steps upwards.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        let up = self.order.started
            && (self.order.numbers == Steps::Up || self.order.bytes == Steps::Up);
        self.values() == self.fields && self.fields > 0 && (up || self.unique.holds())
    }

    /// Whether values never step back, as numbers or as bytes.
    #[must_use]
    pub fn is_ascending(&self, as_number: bool) -> bool {
        let steps = if as_number { self.order.numbers } else { self.order.bytes };
        self.order.started && steps != Steps::Back
    }

    /// Least and greatest value as text, compared as numbers or as bytes.
    #[must_use]
    pub fn range(&self, as_number: bool) -> (Option<String>, Option<String>) {
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        if !as_number {
            let greatest = self.least.is_some().then(|| text(&self.greatest));
            return (self.least.as_deref().map(text), greatest);
        }
        let (mut low, mut high) = (None, None);
        if let Some((least, greatest)) = self.int_range {
            low = Some((least as f64, least.to_string()));
            high = Some((greatest as f64, greatest.to_string()));
        }
        if let Some((least, greatest)) = self.number_range {
            if low.as_ref().is_none_or(|(v, _)| least < *v) {
                low = Some((least, text(&self.number_texts.0)));
            }
            if high.as_ref().is_none_or(|(v, _)| greatest > *v) {
                high = Some((greatest, text(&self.number_texts.1)));
            }
        }
        (low.map(|l| l.1), high.map(|h| h.1))
    }
}

fn kept(bytes: &[u8]) -> Vec<u8> {
    bytes.get(..KEPT_BYTES).unwrap_or(bytes).to_vec()
}

fn chars(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|b| (**b & 0xC0) != 0x80).count() as u64
}

/// The shape of a number with thousands marks, where they stand between groups of three.
fn grouped(bytes: &[u8], mark: u8, decimal: u8) -> Shape {
    let whole = bytes.split(|b| *b == decimal).next().unwrap_or_default();
    let unsigned = whole.strip_prefix(b"-").or_else(|| whole.strip_prefix(b"+")).unwrap_or(whole);
    let mut groups = unsigned.split(|b| *b == mark);
    let digits = |g: &[u8]| g.iter().all(u8::is_ascii_digit);
    let first = groups.next().unwrap_or_default();
    let fits = (1..=3).contains(&first.len()) && digits(first);
    if !fits || !groups.all(|g| g.len() == 3 && digits(g)) {
        return shape(bytes, decimal);
    }
    let plain: Vec<u8> = bytes.iter().copied().filter(|b| *b != mark).collect();
    match shape(&plain, decimal) {
        number @ (Shape::Int { .. } | Shape::Decimal { .. }) => number,
        _ => Shape::Text,
    }
}
