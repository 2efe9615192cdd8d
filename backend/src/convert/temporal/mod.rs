//! DATE, TIME, DATETIME, TIMESTAMP and YEAR.

mod calendar;
mod column;
mod duration;
mod format;
mod iso;
mod moments;
mod year;
mod zone;

pub use calendar::Moment;
pub use column::{Keeps, Reading, Temporal};
pub use duration::Duration;
pub use format::DateFormat;
pub use year::Year;
pub use zone::Zone;

/// A moment written year first; none for anything else. Not yet checked against the calendar.
#[must_use]
pub fn read_iso(bytes: &[u8]) -> Option<Moment> {
    iso::parse(bytes).ok()
}
