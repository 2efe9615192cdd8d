//! The zone of the file's times and of the loading session.

use chrono::offset::{MappedLocalTime, Offset as _, TimeZone as _};
use chrono::{DateTime, NaiveDateTime};
use chrono_tz::Tz;

use super::iso::Cursor;

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Always so many seconds east of UTC.
    Offset(i32),
    /// A place, whose clocks are put forward and back.
    Place(Tz),
}

/// Why a clock time is no single moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotOnce {
    /// The clock was put forward past it.
    Never,
    /// The clock was put back and showed it twice.
    Twice,
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self::Offset(0);

    /// Reads a zone as the options write it: `+00:00`, `UTC`, `-07:30`, `Europe/Berlin`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let mut at = Cursor::new(text.as_bytes());
        if let Some(secs) = at.offset().filter(|_| at.done()) {
            // MySQL's own limits.
            if (-50_340..=50_400).contains(&secs) {
                return Ok(Self::Offset(secs));
            }
        }
        let named = chrono_tz::TZ_VARIANTS.iter().find(|z| z.name().eq_ignore_ascii_case(text));
        named.map(|zone| Self::Place(*zone)).ok_or_else(|| {
            format!(
                "\"{text}\" is no zone; write an offset such as +00:00 or -07:30, UTC, or a place \
                 such as Europe/Berlin"
            )
        })
    }

    /// The zone that the session must have: servers know offsets, but not always names, so that
    /// moments of a place are sent in UTC.
    #[must_use]
    pub fn of_session(self) -> Self {
        match self {
            Self::Offset(_) => self,
            Self::Place(_) => Self::UTC,
        }
    }

    /// The clock of this zone at a moment, both in seconds from 1970-01-01 00:00:00.
    #[must_use]
    pub fn clock_at(self, utc_secs: i64) -> i64 {
        match self {
            Self::Offset(secs) => utc_secs + i64::from(secs),
            Self::Place(zone) => {
                let offset = naive(utc_secs).map(|utc| zone.offset_from_utc_datetime(&utc).fix());
                utc_secs + offset.map_or(0, |o| i64::from(o.local_minus_utc()))
            }
        }
    }

    /// The moment at which this zone's clock shows a time.
    ///
    /// # Errors
    /// Where it never does, or does twice.
    pub fn utc_at(self, clock_secs: i64) -> Result<i64, NotOnce> {
        match self {
            Self::Offset(secs) => Ok(clock_secs - i64::from(secs)),
            Self::Place(zone) => {
                let clock = naive(clock_secs).ok_or(NotOnce::Never)?;
                match zone.offset_from_local_datetime(&clock) {
                    MappedLocalTime::Single(offset) => {
                        Ok(clock_secs - i64::from(offset.fix().local_minus_utc()))
                    }
                    MappedLocalTime::Ambiguous(..) => Err(NotOnce::Twice),
                    MappedLocalTime::None => Err(NotOnce::Never),
                }
            }
        }
    }

    /// Whether its clock never jumps.
    #[must_use]
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::Offset(_))
    }
}

impl std::fmt::Display for Zone {
    /// An offset as every server takes it, a place by its name.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Offset(secs) => {
                let sign = if *secs < 0 { '-' } else { '+' };
                let minutes = secs.unsigned_abs() / 60;
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            Self::Place(zone) => f.write_str(zone.name()),
        }
    }
}

fn naive(secs: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp(secs, 0).map(|moment| moment.naive_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_as_options_write_them() {
        assert_eq!(Zone::parse("+00:00"), Ok(Zone::UTC));
        assert_eq!(Zone::parse("UTC"), Ok(Zone::UTC));
        assert_eq!(Zone::parse("-07:30"), Ok(Zone::Offset(-27_000)));
        assert_eq!(Zone::parse(" europe/berlin "), Ok(Zone::Place(chrono_tz::Europe::Berlin)));
        for wrong in ["+15:00", "", "moon", "Europe"] {
            assert!(Zone::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn zones_are_written_as_servers_take_them() {
        let of_session = |text| Zone::parse(text).unwrap().of_session().to_string();
        assert_eq!(of_session("UTC"), "+00:00");
        assert_eq!(of_session("-07:30"), "-07:30");
        assert_eq!(of_session("Europe/Berlin"), "+00:00");
    }

    #[test]
    fn clocks_of_a_place_jump() {
        let berlin = Zone::parse("Europe/Berlin").unwrap();
        let clock = |text: &str| {
            NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap().and_utc().timestamp()
        };
        let utc = |text| berlin.utc_at(clock(text));
        assert_eq!(utc("2024-01-15 12:00"), Ok(clock("2024-01-15 11:00")));
        assert_eq!(utc("2024-07-15 12:00"), Ok(clock("2024-07-15 10:00")));
        assert_eq!(utc("2024-03-31 02:30"), Err(NotOnce::Never));
        assert_eq!(utc("2024-10-27 02:30"), Err(NotOnce::Twice));
        assert_eq!(berlin.clock_at(clock("2024-03-31 01:00")), clock("2024-03-31 03:00"));
        assert_eq!(berlin.clock_at(clock("2024-10-27 00:59")), clock("2024-10-27 02:59"));
    }
}
