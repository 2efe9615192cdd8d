//! The way of rows that were gathered aside and are copied into the table in one transaction.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use shared::error::ErrorCode;
use shared::plan::Mode;
use shared::run::Reject;

use crate::load::{ChunkCounts, LoadSpec, transfer, verify};

use super::RunError;
use super::gather::Gathered;
use super::job::Job;
use super::progress::add;
use super::rejects::{self, RejectSink};
use super::state::RunState;

impl Job {
    /// Copies the gathered rows into the table and counts them there.
    pub(super) async fn move_rows(
        &self,
        g: &mut Gathered,
        spec: &LoadSpec,
        state: &RunState,
    ) -> Result<(), RunError> {
        let Some(table) = g.table.clone() else { return Err(RunError::Lost) };
        let replace = self.input.options.mode == Some(Mode::Replace);
        let counts =
            transfer::transfer(spec, &table, replace).await.map_err(|e| self.cancelled_or(e))?;
        self.recount_moved(&counts).await?;
        let after = verify::count(&mut g.conn, &table.database, &table.name).await?;
        let want = (state.rows_before + counts.rows_loaded).saturating_sub(counts.rows_replaced);
        if after < want {
            return Err(RunError::refuse(
                ErrorCode::VerifyFailed,
                format!("The table should have {want} rows now, but it has {after}."),
            ));
        }
        Ok(())
    }

    /// What the copy refused or passed over was counted as written when it was gathered.
    async fn recount_moved(&self, counts: &ChunkCounts) -> Result<(), RunError> {
        let tracker = &self.tracker;
        tracker.rows_loaded.store(counts.rows_loaded, Ordering::Relaxed);
        add(&tracker.rows_rejected, counts.rows_rejected);
        add(&tracker.rows_skipped, counts.rows_skipped);
        if counts.rejects.is_empty() {
            return Ok(());
        }
        let (dir, more) = (self.run_dir(), counts.rejects.clone());
        let written = tokio::task::spawn_blocking(move || {
            let mut all: Vec<Reject> = rejects::read(&dir, 0, u64::MAX)?.rejects;
            // A run that died behind this has them in its file already.
            let there: BTreeSet<u64> = all.iter().map(|r| r.row).collect();
            all.extend(more.into_iter().filter(|r| !there.contains(&r.row)));
            let mut sink = RejectSink::new(&dir)?;
            sink.push(0, all)?;
            sink.finish()
        });
        written.await.map_err(|_| RunError::Lost)?
    }
}
