//! DATE, TIME, DATETIME, TIMESTAMP and YEAR.

mod calendar;
mod column;
mod duration;
mod format;
mod iso;
mod year;
mod zone;

pub use column::{Keeps, Reading, Temporal};
pub use duration::Duration;
pub use format::DateFormat;
pub use year::Year;
pub use zone::Zone;
