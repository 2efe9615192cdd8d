//! The capacity question as people type it.

use shared::capacity::CapacityRequest;
use shared::options::ImportOptions;
use shared::profile::number::to_f64;

const MINUTES_A_DAY: u64 = 24 * 60;

/// The fields of the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The target.
    pub target_id: String,
    /// Rows, as typed.
    pub rows: String,
    /// Bytes of a row, as typed.
    pub row_bytes: String,
    /// Indexes, as typed.
    pub indexes: String,
    /// Rows before, as typed.
    pub rows_before: String,
    /// The engine; empty for the planner's choice.
    pub engine: String,
    /// `sorted` or `random`.
    pub order: String,
    /// `any`, `keep` or `drop_and_rebuild`.
    pub start: String,
    /// When it must be done; empty for whenever.
    pub by: String,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            target_id: String::new(),
            rows: "10M".to_owned(),
            row_bytes: "100".to_owned(),
            indexes: "2".to_owned(),
            rows_before: "0".to_owned(),
            engine: String::new(),
            order: "random".to_owned(),
            start: "22:00".to_owned(),
            by: "06:00".to_owned(),
        }
    }
}

/// A number as people write it: `2M`, `1.5 million` is not, `1,000,000` is.
pub fn number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !matches!(c, ' ' | ',' | '_')).collect();
    let (digits, factor) = match text.chars().last()? {
        'k' | 'K' => (text.get(..text.len() - 1)?, 1e3),
        'm' | 'M' => (text.get(..text.len() - 1)?, 1e6),
        'g' | 'G' | 'b' | 'B' => (text.get(..text.len() - 1)?, 1e9),
        _ => (text.as_str(), 1.0),
    };
    let number = to_f64(digits.as_bytes(), b'.')?;
    (number.is_finite() && number >= 0.0).then_some(number * factor)
}

/// Minutes since midnight.
pub fn clock(text: &str) -> Option<u64> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let hours: u64 = hours.parse().ok().filter(|h| *h < 24)?;
    let minutes: u64 = minutes.parse().ok().filter(|m| *m < 60)?;
    Some(hours * 60 + minutes)
}

/// Milliseconds from one time of day to the next such time of day.
pub fn window_ms(start: &str, by: &str) -> Option<u64> {
    let (start, by) = (clock(start)?, clock(by)?);
    let minutes = (by + MINUTES_A_DAY - start - 1) % MINUTES_A_DAY + 1;
    Some(minutes * 60_000)
}

impl Question {
    /// The question for the service; none while something in it cannot be read.
    pub fn request(&self) -> Option<CapacityRequest> {
        let rows = number(&self.rows).filter(|n| *n >= 1.0)?;
        Some(CapacityRequest {
            target_id: Some(self.target_id.clone()).filter(|t| !t.is_empty())?,
            rows: rows as u64,
            row_bytes: number(&self.row_bytes).filter(|n| *n >= 1.0)?,
            database: None,
            table: None,
            columns: None,
            indexes: number(&self.indexes).filter(|n| *n <= 64.0)? as u32,
            in_key_order: self.order == "sorted",
            rows_before: number(&self.rows_before)? as u64,
            within_ms: window_ms(&self.start, &self.by),
            options: ImportOptions {
                engine: Some(self.engine.clone()).filter(|e| !e.is_empty()),
                ..ImportOptions::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(number("2M"), Some(2e6));
        assert_eq!(number("1,000,000"), Some(1e6));
        assert_eq!(number("2.5 G"), Some(2.5e9));
        assert_eq!(number("many"), None);
        assert_eq!(number(""), None);
        assert_eq!(number("-3"), None);
    }

    #[test]
    fn a_window_may_go_over_midnight() {
        assert_eq!(window_ms("22:00", "06:00"), Some(8 * 3_600_000));
        assert_eq!(window_ms("06:00", "22:00"), Some(16 * 3_600_000));
        assert_eq!(window_ms("06:00", "06:00"), Some(24 * 3_600_000));
        assert_eq!(window_ms("22:00", ""), None);
    }

    #[test]
    fn a_question_that_cannot_be_read_is_not_asked() {
        let asked = Question { target_id: "t".into(), ..Question::default() };
        let request = asked.request().unwrap();
        assert_eq!((request.rows, request.indexes), (10_000_000, 2));
        assert_eq!(request.within_ms, Some(8 * 3_600_000));
        assert_eq!(Question { rows: "lots".into(), ..asked.clone() }.request(), None);
        assert_eq!(Question { target_id: String::new(), ..asked }.request(), None);
    }
}
