//! One attempt at a load: prepare, sort, load, rebuild, verify, publish.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use shared::error::ErrorCode;
use shared::plan::{Choice, IndexPolicy, OnDuplicate, OnError, Order};
use shared::run::RunStep;
use shared::target::TableFacts;

use crate::convert::{self, Converter};
use crate::load::index_ddl::{self, DropRule};
use crate::load::staging::{self, Way};
use crate::load::{
    ChunkCounts, Ledger, LoadError, LoadSpec, Sample, Turnstile, flush, keys_decide, verify,
};
use crate::target;

use super::gather::{self, Gathered};
use super::job::Job;
use super::limit::RejectLimit;
use super::load::{Loading, load};
use super::rejects::RejectSink;
use super::sort;
use super::state::{Counted, RunState};
use super::stream::{self, Reading, Road};
use super::{RunError, choose};

/// How an attempt ends.
#[derive(Debug)]
pub enum Ended {
    /// Every row is in and visible.
    Done,
    /// A repeated key was met where the quick way cannot tell which record comes first in the
    /// file: the attempt is to be made again, exactly.
    Again,
}

/// What an attempt works with.
pub(super) struct Setting {
    choice: Choice,
    facts: TableFacts,
    /// What the workers write and how.
    pub(super) spec: LoadSpec,
    converter: Arc<Converter>,
    committed: BTreeMap<u64, ChunkCounts>,
    ledger: Ledger,
}

impl Job {
    /// Makes one attempt.
    ///
    /// # Errors
    /// What stopped it; the caller puts things back.
    pub(super) async fn attempt(
        &self,
        g: &mut Gathered,
        choice: &Choice,
        state: &mut RunState,
    ) -> Result<Ended, RunError> {
        let choice = match state.exact {
            true => choose::exactly(choice, state.transactional, g.capabilities.local_infile),
            false => choice.clone(),
        };
        if let Some(counted) = state.counted.filter(|_| state.loaded) {
            counted.go_on(&self.tracker);
        }
        self.tracker.begin(RunStep::Prepare);
        self.prepare(g, &choice, state).await?;
        // After a swap there is nothing left under the staging table's name.
        let setting = if state.loaded && (state.way != Way::Move || state.published) {
            None
        } else {
            Some(self.setting(g, choice, state).await?)
        };
        if let Some(setting) = setting.as_ref().filter(|_| !state.loaded) {
            if self.fill(g, setting, state).await? {
                return Ok(Ended::Again);
            }
            self.call_back(g).await?;
            if self.rebuild(g, state).await? {
                return Ok(Ended::Again);
            }
            self.call_back(g).await?;
            self.verify(g, setting, state).await?;
            state.loaded = true;
            state.counted = Some(Counted::now(&self.tracker));
            self.save(state).await?;
        }
        self.publish(g, setting.as_ref(), state).await?;
        Ok(Ended::Done)
    }

    /// Makes the tables of the run and drops indexes, each saved before it is done.
    async fn prepare(
        &self,
        g: &mut Gathered,
        choice: &Choice,
        state: &mut RunState,
    ) -> Result<(), RunError> {
        self.save(state).await?;
        if state.loaded {
            return Ok(());
        }
        let database = &self.input.database;
        self.make_physical(g, choice, state).await?;
        let engine = if state.transactional { choice.engine.as_str() } else { "InnoDB" };
        Ledger::of_run(database, &self.run_id).create(&mut g.conn, engine).await?;
        if self.input.options.relax_flush == Some(true) && state.flush.is_empty() {
            state.flush = flush::current(&mut g.conn).await?;
            // Saved before it is changed: a start after a crash puts it back.
            self.save(state).await?;
            flush::relax(&mut g.conn, &state.flush).await?;
        }
        if state.way != Way::Swap && !self.resumed {
            let table = &self.input.table;
            state.rows_before = verify::count(&mut g.conn, database, table).await?;
        }
        let defers = choice.index_policy == IndexPolicy::DropAndRebuild && state.way != Way::Move;
        if defers && state.dropped.is_none() {
            let facts = self.physical_facts(g, state).await?;
            let private = state.way == Way::Swap && !state.exact;
            let rule = if private { DropRule::UniqueToo } else { DropRule::NonUnique };
            if let Some(dropped) = index_ddl::plan_drop(&facts, rule) {
                state.dropped = Some(dropped.clone());
                self.save(state).await?;
                if state.way == Way::Direct {
                    self.journal(&dropped).await?;
                }
                dropped.drop(&mut g.conn).await?;
            }
        }
        self.save(state).await
    }

    async fn make_physical(
        &self,
        g: &mut Gathered,
        choice: &Choice,
        state: &RunState,
    ) -> Result<(), RunError> {
        let (database, table) = (&self.input.database, &self.input.table);
        // A process that died may have come half the way: what gives a row its place is made again.
        let there = staging::exists(&mut g.conn, database, &state.physical).await?;
        if there && state.way != Way::Move {
            return Ok(());
        }
        match (&g.table, state.way) {
            (Some(_), Way::Direct) => {}
            (Some(facts), Way::Swap) => {
                let sql = &facts.create_sql;
                let made = staging::create_like(&mut g.conn, database, table, &self.run_id).await?;
                staging::go_on_numbering(&mut g.conn, database, &made, sql).await?;
            }
            (Some(_), Way::Move) => {
                staging::create_with_positions(&mut g.conn, database, table, &self.run_id).await?;
            }
            (None, way) => {
                if let Some(statement) = &self.input.create_table {
                    staging::create_table(&mut g.conn, database, statement).await?;
                    if way != Way::Direct {
                        let made = self.input.table.as_str();
                        staging::set_aside(&mut g.conn, database, made, &state.physical).await?;
                    }
                } else if let Some(new) = &g.new_table {
                    let mut new = new.clone();
                    new.name.clone_from(&state.physical);
                    new.engine = Some(choice.engine.clone());
                    staging::create_table(&mut g.conn, database, &new.to_sql()).await?;
                }
            }
        }
        Ok(())
    }

    async fn physical_facts(
        &self,
        g: &mut Gathered,
        state: &RunState,
    ) -> Result<TableFacts, RunError> {
        let facts = target::table_facts(&mut g.conn, &self.input.database, &state.physical).await?;
        facts.ok_or_else(|| {
            RunError::refuse(
                ErrorCode::NoSuchTable,
                format!("The table {} is gone.", state.physical),
            )
        })
    }

    /// Settles what the workers need, from the table as it now is.
    async fn setting(
        &self,
        g: &mut Gathered,
        choice: Choice,
        state: &RunState,
    ) -> Result<Setting, RunError> {
        // A staging table whose rows know their place has columns that no file fills.
        let facts = match (&g.table, state.way) {
            (Some(table), Way::Move) => table.clone(),
            _ => self.physical_facts(g, state).await?,
        };
        let mapping = gather::map(&facts, &g.layout, &self.input, &g.capabilities)?;
        let options = &self.input.options;
        let converter = Converter::new(&mapping, &g.layout, options, g.capabilities.flavour)
            .map_err(|e| RunError::from(e.body()))?;
        let columns = converter.wire_columns().to_vec();
        let ledger = Ledger::of_run(&self.input.database, &self.run_id);
        let committed = ledger.committed(&mut g.conn).await?;
        let target = self.input.target.clone().with_database(&self.input.database);
        let mut spec =
            LoadSpec::new(&target, &facts, columns, &choice, &g.capabilities, &self.run_id);
        spec.table.clone_from(&state.physical);
        spec.cancel = self.cancel.clone();
        spec.alone = state.aside();
        spec.server_files = g.server_files.clone();
        spec.session.time_zone = convert::session_zone(&g.layout, options);
        spec.session.sql_mode.clone_from(&options.sql_mode);
        spec.session.skip_binary_log = options.skip_binary_log == Some(true);
        // Rows that are seen at once can no longer be taken back: the first of two must come first.
        let first_stays = state.way == Way::Direct && choice.on_error == OnError::Reject;
        if spec.turnstile.is_some() || (first_stays && keys_decide(&spec.keys, spec.sorted)) {
            spec.turnstile = Some(Arc::new(Turnstile::new(committed.keys().copied())));
        }
        if state.way == Way::Move {
            spec = spec.with_positions();
        }
        Ok(Setting { choice, facts, spec, converter: Arc::new(converter), committed, ledger })
    }

    /// Reads, converts, sorts and writes; whether it has to be done again, exactly.
    async fn fill(
        &self,
        g: &mut Gathered,
        setting: &Setting,
        state: &RunState,
    ) -> Result<bool, RunError> {
        let choice = &setting.choice;
        let limit = RejectLimit::of(&self.input.options)?;
        let workers = choose::workers(choice, &setting.spec);
        let sorts = choice.order == Order::SortByPrimaryKey;
        let stop = choice.on_error == OnError::Stop;
        let road = Arc::new(Road::new(self.cancel.clone(), Arc::clone(&self.tracker), stop));
        let sink = Arc::new(Mutex::new(RejectSink::new(&self.run_dir())?));
        self.recount(setting, &sink, sorts)?;
        let done: Arc<BTreeSet<u64>> = Arc::new(setting.committed.keys().copied().collect());
        let reading = Reading {
            files: self.input.files.clone(),
            layout: g.layout.clone(),
            chunk_bytes: choice.chunk_bytes,
            threads: g.shape.cores.min(workers.max(2)),
            keep_raw: !stop,
            max_bytes_per_sec: self.input.options.max_bytes_per_sec,
            done: if sorts { Arc::default() } else { Arc::clone(&done) },
            bytes_max: self.input.trial.as_ref().map(|t| t.bytes_max),
        };
        let quick = state.way == Way::Swap
            && !state.exact
            && (workers > 1 || sorts || state.dropped.is_some());
        let (chunks, bytes_per_row) = if sorts {
            self.tracker.begin(RunStep::Sort);
            let rows = sort::Job {
                reading: &reading,
                converter: &setting.converter,
                road: &road,
                sink: &sink,
                key: setting.facts.primary_key().unwrap_or_default(),
                limit,
                budget_bytes: self.input.options.sort_bytes.unwrap_or(sort::BUDGET_BYTES),
                dir: &self.run_dir(),
            };
            let sorted = rows.run(&done).await?;
            if let Some(fault) = road.fault() {
                return Err(fault.body.into());
            }
            let rows = self.tracker.tick().rows_read.max(1);
            (sorted, Some(self.input.file_bytes() as f64 / rows as f64))
        } else {
            (stream::begin(&reading, &setting.converter, &road)?, None)
        };
        self.tracker.begin(RunStep::Load);
        let loading = Arc::new(Loading {
            chunks,
            spec: Arc::new(setting.spec.clone()),
            road: Arc::clone(&road),
            sink: Arc::clone(&sink),
            bytes_per_row,
            counts_reading: !sorts,
            // Rows sorted by the primary key meet their like in the order of the file.
            again_on_duplicate: quick.then_some(sorts),
            sample: self.sample(setting, state),
            limit,
        });
        let total = load(&loading, workers).await?;
        sink.lock().unwrap_or_else(PoisonError::into_inner).finish()?;
        if self.cancel.is_set() {
            return Err(RunError::Cancelled);
        }
        if let Some(fault) = road.fault() {
            let duplicate = fault.record && fault.body.code == ErrorCode::DuplicateKey;
            if (duplicate && quick) || (fault.inexact && state.aside() && !state.exact) {
                return Ok(true);
            }
            return Err(fault.body.into());
        }
        let tick = self.tracker.tick();
        if let Some(body) = limit.passed_at_end(tick.rows_rejected, tick.rows_read) {
            return Err(body.into());
        }
        if !state.transactional {
            self.untold(total);
        }
        if let Some(sample) = &loading.sample {
            self.tracker.begin(RunStep::Verify);
            let sample =
                std::mem::take(&mut *sample.lock().unwrap_or_else(PoisonError::into_inner));
            let found = sample.read_back(&setting.spec).await.map_err(|e| self.cancelled_or(e))?;
            tracing::info!(run = %self.run_id, rows = found, "read back as they were sent");
        }
        Ok(false)
    }

    /// Rows to be looked for after the load, where the person asks for that. A rule for repeated
    /// keys may have changed any of them since.
    fn sample(&self, setting: &Setting, state: &RunState) -> Option<Mutex<Sample>> {
        let rows = self.input.options.verify_sample.filter(|n| *n > 0)?;
        if setting.choice.on_duplicate != OnDuplicate::Reject || state.published {
            return None;
        }
        let chunks = self.input.file_bytes() / setting.choice.chunk_bytes.max(1) + 1;
        Sample::new(&setting.spec, &setting.facts, rows as usize, chunks).map(Mutex::new)
    }

    /// Counts what an earlier attempt of a resumed run has put in.
    fn recount(
        &self,
        setting: &Setting,
        sink: &Mutex<RejectSink>,
        sorts: bool,
    ) -> Result<(), RunError> {
        self.tracker.reset_load();
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        let total = verify::sum(setting.committed.values());
        self.tracker.resume_load(&total, sorts);
        if !sorts {
            for (index, counts) in &setting.committed {
                sink.push(*index, counts.rejects.clone())?;
            }
        }
        Ok(())
    }

    /// Builds the dropped indexes; whether a unique key met a repeated value, so that the load has
    /// to be made again with that key in place.
    async fn rebuild(&self, g: &mut Gathered, state: &mut RunState) -> Result<bool, RunError> {
        let Some(dropped) = &state.dropped else { return Ok(false) };
        self.tracker.begin(RunStep::RebuildIndexes);
        index_ddl::speed_up_build(&mut g.conn).await;
        match dropped.rebuild(&mut g.conn).await {
            Ok(()) => {}
            Err(_) if self.cancel.is_set() => return Err(RunError::Cancelled),
            Err(e) if is_duplicate(&e) && state.way == Way::Swap && !state.exact => {
                return Ok(true);
            }
            Err(e) => return Err(e.into()),
        }
        if state.way == Way::Direct {
            self.inner.store.journal_clear(&self.run_id).await?;
        }
        state.dropped = None;
        self.save(state).await?;
        Ok(false)
    }

    /// Counts on both sides.
    async fn verify(
        &self,
        g: &mut Gathered,
        setting: &Setting,
        state: &RunState,
    ) -> Result<(), RunError> {
        self.tracker.begin(RunStep::Verify);
        let after = verify::count(&mut g.conn, &self.input.database, &state.physical).await;
        let after = after.map_err(|e| self.cancelled_or(e))?;
        let total = if state.transactional {
            verify::sum(setting.ledger.committed(&mut g.conn).await?.values())
        } else {
            self.told()
        };
        let before = if state.way == Way::Direct { state.rows_before } else { 0 };
        let t = self.tracker.tick();
        if t.rows_read != t.rows_loaded + t.rows_rejected + t.rows_skipped {
            return Err(RunError::refuse(
                ErrorCode::VerifyFailed,
                format!(
                    "{} records were read, but {} written, {} refused and {} passed over.",
                    t.rows_read, t.rows_loaded, t.rows_rejected, t.rows_skipped
                ),
            ));
        }
        let grown_by_others = state.way == Way::Direct
            && after > (before + total.rows_loaded).saturating_sub(total.rows_replaced);
        if grown_by_others {
            // A table in use: what others added meanwhile is theirs.
            return Ok(());
        }
        Ok(verify::agree(before, after, &total)?)
    }
}

/// How rows reach the table for a choice.
#[must_use]
pub fn way(g: &Gathered, choice: &Choice) -> Way {
    use shared::plan::Visibility;
    match &g.table {
        Some(table) => staging::way(table, choice.mode, choice.visibility).0,
        None if choice.visibility == Visibility::AllAtOnce => Way::Swap,
        None => Way::Direct,
    }
}

fn is_duplicate(error: &LoadError) -> bool {
    const DUP_ENTRY: u16 = 1062;
    matches!(error, LoadError::Server { code: DUP_ENTRY, .. })
}
