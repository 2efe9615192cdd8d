//! Moments in a zone: offsets, clocks that jump, the range of TIMESTAMP.

use shared::error::ErrorCode;

use super::calendar::Moment;
use super::column::{Keeps, Temporal};
use super::zone::NotOnce;
use crate::convert::fault::{Checked, fault, shown};

impl Temporal {
    /// Turns a moment with an offset into the clock time of the zone; a TIMESTAMP into that of the
    /// session.
    pub(super) fn in_zone(&self, moment: Moment, text: &[u8]) -> Checked<Moment> {
        let zone = self.reading.zone;
        let in_session = self.keeps == Keeps::Timestamp && !zone.is_fixed();
        let Some(offset) = moment.offset_secs else {
            return if in_session { self.in_session(moment, text) } else { Ok(moment) };
        };
        if self.keeps == Keeps::Timestamp && !self.reading.zone_known {
            return Err(fault(
                ErrorCode::Ambiguous,
                format!(
                    "{} is a moment, and the zone of the server's clock is not known here: set \
                     time_zone in the options, for example +00:00",
                    shown(text)
                ),
            ));
        }
        if offset != 0 && !self.reading.zone_set && self.keeps != Keeps::Timestamp {
            return Err(fault(
                ErrorCode::Ambiguous,
                format!(
                    "{} has an offset from UTC, which {} does not keep: set time_zone in the \
                     options to the zone in which it is to be stored, for example +00:00",
                    shown(text),
                    self.sql_type
                ),
            ));
        }
        let utc = moment.clock_secs() - i64::from(offset);
        let zone = if in_session { zone.of_session() } else { zone };
        self.moment_at(zone.clock_at(utc), moment, text)
    }

    /// Turns a clock time of a place into that of the session.
    fn in_session(&self, moment: Moment, text: &[u8]) -> Checked<Moment> {
        let zone = self.reading.zone;
        let utc = zone.utc_at(moment.clock_secs()).map_err(|not_once| {
            let (code, why) = match not_once {
                NotOnce::Never => (ErrorCode::InvalidValue, "were put forward past it"),
                NotOnce::Twice => (ErrorCode::Ambiguous, "were put back and showed it twice"),
            };
            fault(
                code,
                format!(
                    "{} is no single moment in {zone}: clocks there {why}; write it with its \
                     offset from UTC",
                    shown(text)
                ),
            )
        })?;
        self.moment_at(zone.of_session().clock_at(utc), moment, text)
    }

    fn moment_at(&self, clock_secs: i64, like: Moment, text: &[u8]) -> Checked<Moment> {
        let turned = Moment::from_clock_secs(clock_secs, like.nanos)
            .ok_or_else(|| self.out_of_range(text, "the years 1 to 9999"))?;
        Ok(Moment { finer: like.finer, ..turned })
    }

    /// Refuses what a TIMESTAMP does not hold.
    pub(super) fn check_timestamp(&self, moment: Moment, text: &[u8]) -> Checked {
        // A session's zone never jumps.
        let utc = self.reading.zone.of_session().utc_at(moment.clock_secs());
        if !utc.is_ok_and(|utc| (1..=i64::from(i32::MAX)).contains(&utc)) {
            return Err(self.out_of_range(text, "1970-01-01 00:00:01 to 2038-01-19 03:14:07 UTC"));
        }
        Ok(())
    }
}
