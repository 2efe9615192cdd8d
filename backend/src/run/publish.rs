//! The last steps of an attempt: the rows are shown, settings put back, helper tables removed.

use std::sync::atomic::Ordering;

use shared::run::RunStep;

use crate::load::staging::{self, Way};
use crate::load::verify;

use super::attempt::Setting;
use super::gather::Gathered;
use super::job::Job;
use super::state::{Counted, RunState};
use super::{RunError, undo};

impl Job {
    /// Makes the rows visible and leaves nothing else.
    ///
    /// # Errors
    /// The server refuses, the connection breaks, or the run was cancelled before.
    pub(super) async fn publish(
        &self,
        g: &mut Gathered,
        setting: Option<&Setting>,
        state: &mut RunState,
    ) -> Result<(), RunError> {
        let (database, table) = (&self.input.database, &self.input.table);
        if !state.published {
            self.show(g, setting, state).await?;
            state.published = true;
            state.counted = Some(Counted::now(&self.tracker));
            self.save(state).await?;
        }
        self.tracker.begin(RunStep::Analyze);
        self.call_back(g).await?;
        self.put_back(&mut g.conn, state).await?;
        // Statistics are a kindness; a server that refuses them has the rows all the same.
        if let Err(e) = verify::analyze(&mut g.conn, database, table).await {
            tracing::warn!(run = %self.run_id, error = %e, "no statistics");
        }
        // What cannot be removed now is removed by the sweep of the next start.
        let swept = match self.call_back(g).await {
            Ok(()) => undo::sweep(self, &mut g.conn, state).await,
            gone => gone,
        };
        match swept {
            Ok(()) => self.left_behind.store(false, Ordering::Release),
            Err(e) => tracing::warn!(run = %self.run_id, error = %e, "helper tables stay"),
        }
        self.tracker.finish();
        Ok(())
    }

    /// Makes the rows visible.
    async fn show(
        &self,
        g: &mut Gathered,
        setting: Option<&Setting>,
        state: &RunState,
    ) -> Result<(), RunError> {
        if state.aside() {
            self.tracker.begin(RunStep::Publish);
            if self.cancel.is_set() {
                return Err(RunError::Cancelled);
            }
        }
        match state.way {
            Way::Direct => Ok(()),
            Way::Swap => {
                let (database, table) = (&self.input.database, &self.input.table);
                Ok(staging::publish(&mut g.conn, database, table, &self.run_id).await?)
            }
            Way::Move => {
                let setting = setting.ok_or(RunError::Lost)?;
                self.move_rows(g, &setting.spec, state).await
            }
        }
    }
}
