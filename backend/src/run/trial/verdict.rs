//! What a trial shows, in plain words.

use shared::plan::Strategy;
use shared::trial::TrialResult;
use shared::units;

use super::Trial;
use crate::run::gather::Gathered;
use crate::run::{RunError, RunInput, learn};

impl Trial {
    /// What the whole file would take by each way, as known now, and which way won.
    pub(super) async fn judge_race(
        &mut self,
        g: &Gathered,
        input: &RunInput,
    ) -> Result<(), RunError> {
        let store = &self.runs.inner.store;
        let known = learn::calibration(store, &input.target.name, &g.shape).await?;
        for r in &mut self.view.results {
            if r.rows_per_sec > 0.0 {
                r.whole = Some(known.foretell(&g.shape, &r.choice));
            }
        }
        let timed = self.view.results.iter().filter_map(|r| Some((r, r.whole.as_ref()?)));
        let Some((best, whole)) = timed.min_by_key(|(_, whole)| whole.expected_ms) else {
            self.view.words = vec!["No way could be timed.".to_owned()];
            return Ok(());
        };
        self.view.words = vec![format!(
            "{} would be fastest: {} for all {} rows, between {} and {} in {:.0} of 100 loads.",
            best.title,
            units::duration_ms(whole.expected_ms),
            units::count(g.shape.rows),
            units::duration_ms(whole.low_ms),
            units::duration_ms(whole.high_ms),
            whole.coverage * 100.0
        )];
        Ok(())
    }

    /// How far apart the methods are.
    pub(super) fn judge_ladder(&mut self) {
        let results = &self.view.results;
        let timed = || results.iter().filter(|r| r.rows_per_sec > 0.0);
        let slowest = timed().min_by(|a, b| a.rows_per_sec.total_cmp(&b.rows_per_sec));
        let fastest = timed().max_by(|a, b| a.rows_per_sec.total_cmp(&b.rows_per_sec));
        let (Some(slow), Some(fast)) = (slowest, fastest) else { return };
        let mut words = vec![format!(
            "{} is {:.0} times as fast as {}: {} against {}.",
            fast.title,
            fast.rows_per_sec / slow.rows_per_sec,
            slow.title.to_lowercase(),
            units::rows_per_sec(fast.rows_per_sec),
            units::rows_per_sec(slow.rows_per_sec)
        )];
        let plain = |r: &&TrialResult| r.indexes == 0 && r.in_key_order;
        let batch = |rows: u32| {
            timed().filter(plain).find(|r| {
                r.choice.strategy == Strategy::Insert && r.choice.batch_rows == Some(rows)
            })
        };
        if let (Some(few), Some(many)) = (batch(100), batch(1000)) {
            let more = (many.rows_per_sec / few.rows_per_sec - 1.0) * 100.0;
            words.push(format!(
                "A thousand rows a statement instead of a hundred change {more:+.0} %."
            ));
        }
        self.view.words = words;
    }
}
