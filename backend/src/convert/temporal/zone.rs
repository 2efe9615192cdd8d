//! The zone of the file's times and of the loading session.

use super::iso::Cursor;

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Always so many seconds east of UTC.
    Offset(i32),
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self::Offset(0);

    /// Reads a zone as the options write it: `+00:00`, `UTC`, `-07:30`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let mut at = Cursor::new(text.as_bytes());
        if let Some(secs) = at.offset().filter(|_| at.done()) {
            // MySQL's own limits.
            if (-50_340..=50_400).contains(&secs) {
                return Ok(Self::Offset(secs));
            }
        }
        Err(format!("\"{text}\" is no zone; write an offset such as +00:00 or -07:30, or UTC"))
    }

    /// The clock of this zone at a moment, both in seconds from 1970-01-01 00:00:00.
    #[must_use]
    pub fn clock_at(self, utc_secs: i64) -> i64 {
        match self {
            Self::Offset(secs) => utc_secs + i64::from(secs),
        }
    }

    /// The moment at which this zone's clock shows a time; none where it never does.
    #[must_use]
    pub fn utc_at(self, clock_secs: i64) -> Option<i64> {
        match self {
            Self::Offset(secs) => Some(clock_secs - i64::from(secs)),
        }
    }

    /// Whether its clock never jumps.
    #[must_use]
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::Offset(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_as_options_write_them() {
        assert_eq!(Zone::parse("+00:00"), Ok(Zone::UTC));
        assert_eq!(Zone::parse("UTC"), Ok(Zone::UTC));
        assert_eq!(Zone::parse("-07:30"), Ok(Zone::Offset(-27_000)));
        assert!(Zone::parse("+15:00").is_err());
        assert!(Zone::parse("").is_err());
        assert!(Zone::parse("moon").is_err());
    }
}
