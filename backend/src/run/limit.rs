//! How many records a run may put aside before it stops.

use shared::error::{ErrorBody, ErrorCode};
use shared::options::ImportOptions;

use super::RunError;

/// Records before which a share says nothing yet.
const SHARE_FROM_RECORDS: u64 = 1000;

/// The most that may be put aside; none is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RejectLimit {
    count: Option<u64>,
    share: Option<f64>,
}

impl RejectLimit {
    /// What the options say.
    ///
    /// # Errors
    /// A share that is none.
    pub fn of(options: &ImportOptions) -> Result<Self, RunError> {
        let share = options.max_reject_share;
        if let Some(share) = share.filter(|s| !(0.0..=1.0).contains(s)) {
            return Err(RunError::refuse(
                ErrorCode::BadOption,
                format!("max_reject_share is a number between 0 and 1, not {share}."),
            ));
        }
        Ok(Self { count: options.max_rejects, share })
    }

    /// The error of a run that puts aside more than it may, while it reads.
    #[must_use]
    pub fn passed(&self, rejected: u64, read: u64) -> Option<ErrorBody> {
        let early = read < SHARE_FROM_RECORDS;
        if early { Self { share: None, ..*self } } else { *self }.passed_at_end(rejected, read)
    }

    /// The same when every record has been read.
    #[must_use]
    pub fn passed_at_end(&self, rejected: u64, read: u64) -> Option<ErrorBody> {
        let many = self.count.filter(|most| rejected > *most);
        let large = self.share.filter(|most| rejected as f64 > *most * read as f64);
        let what = match (many, large) {
            (Some(most), _) => format!("More than {most} records were refused"),
            (None, Some(most)) => format!(
                "{rejected} of {read} records were refused, which is more than {} %",
                (most * 1e6).round() / 1e4
            ),
            (None, None) => return None,
        };
        let message = format!("{what}; the run stops as it was told to.");
        Some(ErrorBody::new(ErrorCode::TooManyRejects, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(max_rejects: Option<u64>, max_reject_share: Option<f64>) -> RejectLimit {
        let options = ImportOptions { max_rejects, max_reject_share, ..ImportOptions::default() };
        RejectLimit::of(&options).unwrap()
    }

    #[test]
    fn a_count_and_a_share_each_stop_a_run() {
        assert_eq!(limit(None, None).passed_at_end(9, 9), None);
        assert_eq!(limit(Some(2), None).passed(2, 5), None);
        assert!(limit(Some(2), None).passed(3, 5).is_some());
        let tenth = limit(None, Some(0.1));
        assert_eq!(tenth.passed(900, 999), None, "too early to tell");
        assert_eq!(tenth.passed(100, 1000), None);
        assert!(tenth.passed(101, 1000).is_some());
        assert!(tenth.passed_at_end(2, 19).unwrap().message.contains("more than 10 %"));
        let wrong = ImportOptions { max_reject_share: Some(5.0), ..ImportOptions::default() };
        assert!(RejectLimit::of(&wrong).is_err());
    }
}
