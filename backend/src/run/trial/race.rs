//! The planner's candidates for a file, raced on its first part.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use shared::ddl::NewTable;
use shared::plan::{Candidate, Strategy};

use super::{Timed, Trial, scratch_options};
use crate::estimate::Shape;
use crate::load::{scratch, staging};
use crate::run::gather::{Gathered, gather};
use crate::run::{RunError, RunInput, learn};

/// Candidates that are raced.
const RACED: usize = 6;
/// Of another engine than the one that the server takes by itself.
const OTHER_ENGINES: usize = 2;
/// Those that run again, on a larger part.
const FINAL: usize = 3;
/// Part of the time for the first heat.
const FIRST_HEAT: f64 = 0.45;

impl Trial {
    /// Races the candidates: all of them on a small part, the best again on a larger one.
    pub(super) async fn race(&mut self) -> Result<(), RunError> {
        let Some(input) = self.input.race.clone() else { return Err(RunError::Lost) };
        let store = self.runs.inner.store.clone();
        let mut g = gather(&store, &input, false, Arc::new(AtomicU64::new(0))).await?;
        let candidates = self.candidates(&mut g, &input).await?;
        let mut field = pick(&candidates);
        let mut loads_left = field.len() as f64 / FIRST_HEAT;
        for heat in 0..2 {
            for candidate in &field {
                if self.is_over() {
                    break;
                }
                let share = self.share_ms(loads_left.ceil() as usize);
                self.heat(&mut g, &input, candidate, share).await?;
                loads_left = (loads_left - 1.0).max(1.0);
            }
            if heat == 0 {
                field = self.fastest(&candidates);
                loads_left = field.len() as f64;
            }
        }
        self.judge_race(&g, &input).await?;
        let _ = g.conn.disconnect().await;
        Ok(())
    }

    /// The candidates for an empty table like the real one; where there is none yet, those of the
    /// plan itself, for any engine.
    async fn candidates(
        &mut self,
        g: &mut Gathered,
        input: &RunInput,
    ) -> Result<Vec<Candidate>, RunError> {
        if g.table.is_none() {
            return Ok(g.view.candidates.clone());
        }
        let table = self.next_table();
        scratch::create_like(&mut g.conn, &input.database, &input.table, &table).await?;
        let options = scratch_options(&input.options);
        let asked = RunInput { table: table.clone(), options, choice: None, ..input.clone() };
        let store = &self.runs.inner.store;
        let empty = gather(store, &asked, false, Arc::new(AtomicU64::new(0))).await;
        scratch::drop(&mut g.conn, &input.database, &table).await?;
        let empty = empty?;
        let _ = empty.conn.disconnect().await;
        Ok(empty.view.candidates)
    }

    async fn heat(
        &mut self,
        g: &mut Gathered,
        input: &RunInput,
        candidate: &Candidate,
        share_ms: u64,
    ) -> Result<(), RunError> {
        let shape = Shape { rows_before: 0, bytes_before: 0, copies: false, ..g.shape.clone() };
        let store = &self.runs.inner.store;
        // Learnt anew each time, so that the second load knows how fast the first one was.
        let known = learn::calibration(store, &input.target.name, &shape).await?;
        let told = known.foretell(&shape, &candidate.choice);
        let mut part = share_ms as f64 / told.expected_ms.max(1) as f64;
        if let Some(most) = self.input.rows_max {
            part = part.min(most as f64 / shape.rows.max(1) as f64);
        }
        let bytes_max = (input.file_bytes() as f64 * part.min(1.0)) as u64;
        let table = self.next_table();
        self.make(g, input, candidate, &table).await?;
        let options = scratch_options(&input.options);
        let load = RunInput {
            table: table.clone(),
            options,
            create_table: None,
            source_id: None,
            ..input.clone()
        };
        let timed = Timed {
            title: candidate.title.clone(),
            choice: &candidate.choice,
            input: load,
            bytes_max: bytes_max.max(1),
            share_ms,
            indexes: shape.indexes,
            in_key_order: shape.in_key_order,
        };
        let raced = self.time(timed).await;
        scratch::drop(&mut g.conn, &input.database, &table).await?;
        raced
    }

    /// Makes the scratch table of a load, of the candidate's engine.
    async fn make(
        &self,
        g: &mut Gathered,
        input: &RunInput,
        candidate: &Candidate,
        table: &str,
    ) -> Result<(), RunError> {
        match &g.new_table {
            None => {
                scratch::create_like(&mut g.conn, &input.database, &input.table, table).await?;
            }
            Some(new) => {
                let engine = Some(candidate.choice.engine.clone());
                let new = NewTable { name: table.to_owned(), engine, ..new.clone() };
                staging::create_table(&mut g.conn, &input.database, &new.to_sql()).await?;
            }
        }
        Ok(())
    }

    /// The candidates that were fastest so far.
    fn fastest(&self, candidates: &[Candidate]) -> Vec<Candidate> {
        let mut best: Vec<_> = self.view.results.iter().filter(|r| r.rows_per_sec > 0.0).collect();
        best.sort_by(|a, b| b.rows_per_sec.total_cmp(&a.rows_per_sec));
        let of = |title: &str| candidates.iter().find(|c| c.title == title).cloned();
        best.into_iter().take(FINAL).filter_map(|r| of(&r.title)).collect()
    }
}

/// Candidates that differ in something worth a load.
fn pick(candidates: &[Candidate]) -> Vec<Candidate> {
    let Some(first) = candidates.first() else { return Vec::new() };
    let mut others = 0;
    let picked = candidates.iter().filter(|c| {
        if c.choice.strategy == Strategy::RowByRow {
            return false;
        }
        if c.choice.engine.eq_ignore_ascii_case(&first.choice.engine) {
            return true;
        }
        others += 1;
        others <= OTHER_ENGINES
    });
    picked.take(RACED).cloned().collect()
}
