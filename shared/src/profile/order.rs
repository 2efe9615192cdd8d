//! How the values of a column follow on each other, and in which order its dates are written.

use super::value::{Clock, OtherDate, Year};

/// What the dates of unclear order have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateOrder {
    /// The one before all others; `alike` says whether all are of its kind.
    pub like: OtherDate,
    /// Whether separators, years and times are all of one kind.
    pub alike: bool,
    /// Greatest first number.
    pub first_max: u32,
    /// Greatest second number.
    pub second_max: u32,
}

impl DateOrder {
    pub(super) fn of(date: OtherDate) -> Self {
        Self { like: date, alike: true, first_max: date.first, second_max: date.second }
    }

    pub(super) fn merge(&mut self, o: &Self) {
        let kind = |d: &OtherDate| (d.separator, d.year, d.time);
        self.alike &= o.alike && kind(&self.like) == kind(&o.like);
        self.first_max = self.first_max.max(o.first_max);
        self.second_max = self.second_max.max(o.second_max);
    }

    /// The formats that the dates can be read by, day first before month first; none where years have
    /// two digits or the dates are of several kinds.
    #[must_use]
    pub fn readings(&self) -> Vec<String> {
        if !self.alike || self.like.year != Year::Last {
            return Vec::new();
        }
        let s = char::from(self.like.separator);
        let time = self.time();
        [format!("%d{s}%m{s}%Y{time}"), format!("%m{s}%d{s}%Y{time}")].to_vec()
    }

    /// Whether a format is written as these dates are: its separator, the place of its year.
    #[must_use]
    pub fn is_written_as(&self, format: &str) -> bool {
        let first = self.like.year == Year::First;
        self.alike
            && format.contains(char::from(self.like.separator))
            && format.starts_with("%Y") == first
            && format.contains("%y") == (self.like.year == Year::Short)
    }

    fn time(&self) -> &'static str {
        match self.like.time {
            Clock::None => "",
            Clock::Minutes => " %H:%M",
            Clock::Seconds => " %H:%M:%S",
        }
    }

    /// The strptime format that the evidence settles; none where it can be read in two ways.
    #[must_use]
    pub fn format(&self) -> Option<String> {
        if !self.alike {
            return None;
        }
        let s = char::from(self.like.separator);
        let date = match self.like.year {
            Year::First => format!("%Y{s}%m{s}%d"),
            Year::Short => return None,
            Year::Last if self.first_max > 12 && self.second_max <= 12 => format!("%d{s}%m{s}%Y"),
            Year::Last if self.second_max > 12 && self.first_max <= 12 => format!("%m{s}%d{s}%Y"),
            Year::Last => return None,
        };
        Some(date + self.time())
    }
}

/// Whether values step back.
#[derive(Debug, Clone, Default)]
pub(super) struct Order {
    pub(super) started: bool,
    /// Compared as numbers, and as bytes.
    pub(super) numbers: Steps,
    pub(super) bytes: Steps,
    first_number: i64,
    last_number: i64,
    first_bytes: Vec<u8>,
    last_bytes: Vec<u8>,
}

/// How a sequence moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Steps {
    /// Each is greater than the one before.
    #[default]
    Up,
    /// None is less than the one before.
    Level,
    /// One is less.
    Back,
}

impl Steps {
    #[inline]
    fn step(&mut self, order: std::cmp::Ordering) {
        match order {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal if *self == Self::Up => *self = Self::Level,
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => *self = Self::Back,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Back, _) | (_, Self::Back) => Self::Back,
            (Self::Level, _) | (_, Self::Level) => Self::Level,
            _ => Self::Up,
        }
    }
}

impl Order {
    #[inline]
    pub(super) fn add(&mut self, number: Option<i64>, bytes: &[u8]) {
        if !self.started {
            self.started = true;
            self.first_number = number.unwrap_or_default();
            self.last_number = self.first_number;
            if number.is_none() {
                self.numbers = Steps::Back;
            }
            self.first_bytes = bytes.to_vec();
            self.last_bytes = bytes.to_vec();
            return;
        }
        if self.numbers != Steps::Back {
            match number {
                Some(number) => {
                    self.numbers.step(self.last_number.cmp(&number));
                    self.last_number = number;
                }
                None => self.numbers = Steps::Back,
            }
        }
        if self.bytes != Steps::Back {
            self.bytes.step(self.last_bytes.as_slice().cmp(bytes));
            self.last_bytes.clear();
            self.last_bytes.extend_from_slice(bytes);
        }
    }

    /// What comes after in the file.
    pub(super) fn append(&mut self, next: Self) {
        if !next.started {
            return;
        }
        if !self.started {
            *self = next;
            return;
        }
        self.numbers = self.numbers.and(next.numbers);
        self.numbers.step(self.last_number.cmp(&next.first_number));
        self.bytes = self.bytes.and(next.bytes);
        self.bytes.step(self.last_bytes.cmp(&next.first_bytes));
        self.last_number = next.last_number;
        self.last_bytes = next.last_bytes;
    }
}

/// How the values of a stretch of the file step.
#[derive(Debug, Clone, Default)]
pub struct StretchOrder(pub(super) Order);
