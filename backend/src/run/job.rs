//! A run from its claim to its end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use shared::error::{ErrorBody, ErrorCode};
use shared::plan::Choice;
use shared::run::{RunStatus, RunStep};

use crate::domain::ServerFiles;
use crate::load::index_ddl::DroppedIndexes;
use crate::load::staging::Way;
use crate::load::{Cancel, ChunkCounts, Disposition, LoadError, RetryPolicy, flush, staging};
use crate::store::{DroppedIndex, RunEnd, RunPlanned};
use crate::target;

use super::attempt::{self, Ended};
use super::gather::{Gathered, gather};
use super::progress::Tracker;
use super::state::RunState;
use super::{Inner, RunError, RunInput, check, choose, sql, undo};

/// One run at work.
pub(super) struct Job {
    pub inner: Arc<Inner>,
    pub run_id: String,
    pub input: RunInput,
    pub tracker: Arc<Tracker>,
    pub cancel: Cancel,
    /// Whether it goes on with what an earlier process began.
    pub resumed: bool,
    /// Its state, as last saved.
    pub state: Mutex<Option<RunState>>,
    /// Sums of a load whose engine has no ledger of its own.
    pub told: Mutex<ChunkCounts>,
    /// Whether something of its own may be on the target.
    pub left_behind: AtomicBool,
}

impl Job {
    /// Does the run and records how it ended.
    pub async fn run(self) {
        self.tracker.status(RunStatus::Running);
        let worked = self.work().await;
        self.tracker.finish();
        let end = match worked {
            Ok(()) => self.succeeded(),
            Err(e) => self.failed(&e).await,
        };
        let from = if end.status == RunStatus::Succeeded
            || end.status == RunStatus::SucceededWithRejects
        {
            RunStatus::Running
        } else {
            RunStatus::Reverting
        };
        if let Err(e) = self.inner.store.run_end(&self.run_id, from, &end).await {
            tracing::error!(run = %self.run_id, error = %e, "the end of the run is not recorded");
        }
        self.tracker.status(end.status);
    }

    async fn work(&self) -> Result<(), RunError> {
        self.tracker.begin(RunStep::Precheck);
        let earlier = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let staged = earlier.as_ref().is_some_and(RunState::aside);
        let scanned = Arc::new(AtomicU64::new(0));
        let mut input = self.input.clone();
        if let Some(layout) = earlier.as_ref().and_then(|e| e.layout.clone()) {
            input.layout = Some(layout);
        }
        let mut g = gather(&self.inner.store, &input, !staged, scanned).await?;
        self.alone().await?;
        self.pass_over_binary_log(&mut g.conn).await?;
        let choice = self.settle(&g).await?;
        if choice.check_first && !self.resumed {
            self.tracker.begin(RunStep::Check);
            check::first_fault(self, &g, &choice).await?;
        }
        let mut state = match earlier {
            Some(state) if state.resumable() || state.loaded => state,
            Some(state) => {
                // What cannot be gone on with is begun anew.
                undo::sweep(self, &mut g.conn, &state).await?;
                RunState { flush: state.flush, ..self.fresh_state(&g, &choice) }
            }
            None => self.fresh_state(&g, &choice),
        };
        loop {
            match self.attempt(&mut g, &choice, &mut state).await? {
                Ended::Done => return Ok(()),
                Ended::Again => {
                    undo::sweep(self, &mut g.conn, &state).await?;
                    let flush = std::mem::take(&mut state.flush);
                    state = RunState { exact: true, flush, ..self.fresh_state(&g, &choice) };
                }
            }
        }
    }

    /// Whether no earlier run is writing to the same table: the swap of one would undo the other.
    async fn alone(&self) -> Result<(), RunError> {
        let (target, table) = (&self.input.target.name, &self.input.table);
        let others = self.inner.store.runs_unfinished().await?;
        // One whose process is gone writes no more, though nobody has marked it yet.
        let living = others.iter().filter(|o| self.inner.lease.owner_lives(o));
        let other = living.map(|o| &o.view).find(|o| {
            o.status != RunStatus::Queued
                && o.run_id < self.run_id
                && (&o.target, &o.database, &o.table) == (target, &self.input.database, table)
        });
        other.map_or(Ok(()), |o| Err(busy(table, &o.run_id)))
    }

    /// Settles the choice and records the plan.
    async fn settle(&self, g: &Gathered) -> Result<Choice, RunError> {
        let store = &self.inner.store;
        let saved = store.run(&self.run_id).await?.ok_or_else(|| RunError::no_run(&self.run_id))?;
        // A resumed run goes on with the very choice it began with: its chunks depend on it.
        let choice = if self.resumed { saved.view.choice } else { choose::choose(g, &self.input)? };
        let estimate = g.foretell(&choice);
        self.tracker.estimate(&estimate);
        if self.resumed {
            return Ok(choice);
        }
        let reasons = g.view.candidates.iter().find(|c| c.choice == choice);
        let way = attempt::way(g, &choice);
        let planned = RunPlanned {
            server: g.capabilities.server.clone(),
            prechecks: g.view.prechecks.clone(),
            reasons: reasons.map(|c| c.reasons.clone()).unwrap_or_default(),
            estimate: Some(estimate),
            facts: serde_json::to_value(&g.shape).map_err(crate::store::StoreError::from)?,
            sql: sql::statements(g, &self.input, &choice, way, &self.run_id),
            columns: g
                .view
                .mapping
                .iter()
                .filter(|m| m.how != "the server fills it")
                .map(|m| m.column.clone())
                .collect(),
            file_fingerprint: file_fingerprint(&self.input).await?,
            table_fingerprint: super::gather::fingerprint(g.table.as_ref(), &[]),
            choice: choice.clone(),
        };
        store.run_planned(&self.run_id, &planned).await?;
        Ok(choice)
    }

    fn fresh_state(&self, g: &Gathered, choice: &Choice) -> RunState {
        let way = attempt::way(g, choice);
        let engine = g.table.as_ref().map_or(choice.engine.as_str(), |t| t.engine.as_str());
        let found = g.capabilities.engines.iter().find(|e| e.name.eq_ignore_ascii_case(engine));
        RunState {
            way,
            physical: match way {
                Way::Direct => self.input.table.clone(),
                Way::Swap | Way::Move => staging::staging_name(&self.run_id),
            },
            made_table: g.table.is_none() && way == Way::Direct,
            exact: false,
            dropped: None,
            rows_before: 0,
            transactional: found.is_none_or(|e| e.transactions),
            server_files: match &g.server_files {
                ServerFiles::Folder(folder) => Some(folder.clone()),
                _ => None,
            },
            flush: Vec::new(),
            loaded: false,
            counted: None,
            published: false,
            layout: Some(g.layout.clone()),
        }
    }

    /// Keeps the state, before the server is changed by it.
    pub async fn save(&self, state: &RunState) -> Result<(), RunError> {
        *self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(state.clone());
        self.left_behind.store(true, Ordering::Release);
        let value = serde_json::to_value(state).map_err(crate::store::StoreError::from)?;
        Ok(self.inner.store.run_state(&self.run_id, &value).await?)
    }

    /// Tables that replicas do not get the rows of, they do not get either.
    async fn pass_over_binary_log(&self, conn: &mut Conn) -> Result<(), RunError> {
        if self.input.options.skip_binary_log == Some(true) {
            let off = conn.query_drop("SET SESSION sql_log_bin = 0").await;
            off.map_err(|e| LoadError::from_driver("to pass over its binary log", &e))?;
        }
        Ok(())
    }

    /// Sees that the run's own connection stands: through a long load it had nothing to say, and
    /// the server may have closed it or have been started again.
    pub async fn call_back(&self, g: &mut Gathered) -> Result<(), RunError> {
        if g.conn.ping().await.is_ok() {
            return Ok(());
        }
        let spec = self.input.target.clone().with_database(&self.input.database);
        let patience = RetryPolicy::default();
        for attempt in 0.. {
            let error = match target::connect(&spec).await {
                Ok(conn) => {
                    g.conn = conn;
                    break;
                }
                Err(error) => LoadError::from(error),
            };
            if error.disposition() != Disposition::Retry || attempt >= patience.tries {
                return Err(error.into());
            }
            tokio::select! {
                () = tokio::time::sleep(patience.wait(attempt)) => {}
                () = self.cancel.wait() => return Err(RunError::Cancelled),
            }
        }
        self.pass_over_binary_log(&mut g.conn).await
    }

    /// Puts back what was set for the whole server.
    pub async fn put_back(&self, conn: &mut Conn, state: &mut RunState) -> Result<(), RunError> {
        if !state.flush.is_empty() {
            flush::restore(conn, &state.flush).await?;
            state.flush.clear();
            self.save(state).await?;
        }
        Ok(())
    }

    /// Writes dropped indexes of a live table to the journal.
    pub async fn journal(&self, dropped: &DroppedIndexes) -> Result<(), RunError> {
        let plan = serde_json::to_string(dropped).map_err(crate::store::StoreError::from)?;
        let line = DroppedIndex {
            run_id: self.run_id.clone(),
            database: dropped.database.clone(),
            table: dropped.table.clone(),
            drop_sql: dropped.drop_sql.clone(),
            rebuild_sql: dropped.rebuild_sql.clone(),
            plan,
        };
        Ok(self.inner.store.journal_write(&[line]).await?)
    }

    /// The folder of the run's own files.
    pub fn run_dir(&self) -> PathBuf {
        self.inner.store.run_dir(&self.run_id)
    }

    /// Keeps sums that no ledger holds.
    pub fn untold(&self, total: ChunkCounts) {
        *self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = total;
    }

    /// Sums that no ledger holds.
    pub fn told(&self) -> ChunkCounts {
        self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// A statement that was killed because the run is to stop is no failure of the server's.
    pub fn cancelled_or(&self, error: LoadError) -> RunError {
        if self.cancel.is_set() { RunError::Cancelled } else { error.into() }
    }

    fn succeeded(&self) -> RunEnd {
        let tick = self.tracker.tick();
        let status = if tick.rows_rejected > 0 {
            RunStatus::SucceededWithRejects
        } else {
            RunStatus::Succeeded
        };
        let curve = self.tracker.curve();
        let left_behind = self.left_behind.load(Ordering::Acquire);
        let outcome = left_behind.then(|| {
            format!(
                "All rows are in {}. Helper tables of the run could not be removed; their names end in {}. The next start of the service removes them, or `plimsoll sweep`.",
                self.input.table,
                self.run_id.to_ascii_lowercase()
            )
        });
        RunEnd { status, tick, error: None, outcome, resumable: false, left_behind, curve }
    }

    /// Puts back what the run changed and says what remains.
    async fn failed(&self, error: &RunError) -> RunEnd {
        let cancelled = self.cancel.is_set();
        self.tracker.status(RunStatus::Reverting);
        let (running, reverting) = (RunStatus::Running, RunStatus::Reverting);
        if let Err(e) = self.inner.store.run_transition(&self.run_id, running, reverting).await {
            tracing::error!(run = %self.run_id, error = %e, "reverting is not recorded");
        }
        let body = if cancelled { RunError::Cancelled.body() } else { error.body() };
        let left = undo::undo(self, &body).await;
        if left.nothing {
            self.tracker.nothing_loaded();
        }
        RunEnd {
            status: if cancelled { RunStatus::Cancelled } else { RunStatus::Failed },
            tick: self.tracker.tick(),
            error: Some(body),
            outcome: Some(left.sentence),
            resumable: left.resumable,
            curve: self.tracker.curve(),
            left_behind: left.behind,
        }
    }
}

/// A mark of the files' contents.
pub(super) async fn file_fingerprint(input: &RunInput) -> Result<String, RunError> {
    let files = input.files.clone();
    let mark = tokio::task::spawn_blocking(move || crate::source::fingerprint(&files)).await;
    mark.map_err(|_| RunError::Lost)?.map_err(|e| e.body().into())
}

/// The error of a run that another one keeps from its table.
fn busy(table: &str, run_id: &str) -> RunError {
    let body = ErrorBody::new(
        ErrorCode::Conflict,
        format!("Run {run_id} is writing to {table} at this moment."),
    );
    body.with_hint("Wait for it to end, or cancel it.").into()
}
