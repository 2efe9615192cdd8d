//! The proleptic Gregorian calendar, as the servers count it.

/// A moment on the calendar, perhaps with an offset from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment {
    /// 1 to 9999; 0 only in zero dates.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// Billionths of a second.
    pub nanos: u32,
    /// How many digits of the fraction were written beyond the ninth and not zero.
    pub finer: bool,
    /// Whether a time of day was written.
    pub timed: bool,
    /// Seconds east of UTC, where an offset was written.
    pub offset_secs: Option<i32>,
}

/// Whether a year has a 29 February.
#[must_use]
pub const fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Days of a month; 0 for a month that does not exist.
#[must_use]
pub const fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Days from 1970-01-01 to a date (Howard Hinnant's days_from_civil).
#[must_use]
pub fn days_from_epoch(year: u16, month: u8, day: u8) -> i64 {
    let y = i64::from(year) - i64::from(month <= 2);
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let shifted = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date that is so many days from 1970-01-01; none outside the years 1 to 9999.
#[must_use]
pub fn date_from_epoch(days: i64) -> Option<(u16, u8, u8)> {
    let z = days.checked_add(719_468)?;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = u8::try_from(doy - (153 * mp + 2) / 5 + 1).ok()?;
    let month = u8::try_from(if mp < 10 { mp + 3 } else { mp - 9 }).ok()?;
    let year = era.checked_mul(400)? + yoe + i64::from(month <= 2);
    let year = u16::try_from(year).ok().filter(|y| (1..=9999).contains(y))?;
    Some((year, month, day))
}

impl Moment {
    /// Seconds from 1970-01-01 00:00:00 on the same clock, the offset not applied.
    #[must_use]
    pub fn clock_secs(&self) -> i64 {
        days_from_epoch(self.year, self.month, self.day) * 86_400
            + i64::from(self.hour) * 3600
            + i64::from(self.minute) * 60
            + i64::from(self.second)
    }

    /// The moment at so many seconds from 1970-01-01 00:00:00; none outside the years 1 to 9999.
    #[must_use]
    pub fn from_clock_secs(secs: i64, nanos: u32) -> Option<Self> {
        let (year, month, day) = date_from_epoch(secs.div_euclid(86_400))?;
        let rest = secs.rem_euclid(86_400);
        let part = |n: i64| u8::try_from(n).unwrap_or_default();
        Some(Self {
            year,
            month,
            day,
            hour: part(rest / 3600),
            minute: part(rest / 60 % 60),
            second: part(rest % 60),
            nanos,
            timed: true,
            ..Self::default()
        })
    }

    /// What is wrong with it as a date and a time of day, if something is.
    #[must_use]
    pub fn flaw(&self) -> Option<&'static str> {
        if self.year == 0 && self.month == 0 && self.day == 0 {
            return Some(
                "a zero date stands for no date: list it under null in the options to store NULL",
            );
        }
        if self.year == 0 {
            return Some("there is no year 0");
        }
        if self.month == 0 || self.day == 0 {
            return Some("a month or day of zero is no date");
        }
        if self.month > 12 {
            return Some("there is no such month");
        }
        if self.day > days_in_month(self.year, self.month) {
            return Some("that month has no such day");
        }
        if self.hour > 23 {
            return Some("hours go from 0 to 23");
        }
        if self.minute > 59 || self.second > 59 {
            return Some("minutes and seconds go from 0 to 59");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree_over_all_years() {
        let mut expected = days_from_epoch(1, 1, 1);
        assert_eq!(days_from_epoch(1970, 1, 1), 0);
        assert_eq!(days_from_epoch(2000, 3, 1), 11_017);
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    let days = days_from_epoch(year, month, day);
                    assert_eq!(days, expected);
                    assert_eq!(date_from_epoch(days), Some((year, month, day)));
                    expected += 1;
                }
            }
        }
        assert_eq!(date_from_epoch(expected), None);
    }
}
