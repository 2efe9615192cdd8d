//! A load in steps, each in its physical terms by the shipped rates.

use shared::plan::{Choice, IndexPolicy, Order, Strategy, Visibility};
use shared::run::RunStep;

use super::Shape;
use super::engine::{EngineClass, EngineRates, bulk_rates, rates};
use super::terms::{Part, StepTerms, Term};

/// Bytes a second that one core reads, parses, checks and encodes.
const CHECK_BYTES_PER_SEC: f64 = 700e6;
/// Microseconds a row of sorting in memory.
const SORT_ROW_US: f64 = 0.18;
/// Memory for sorting; more goes by way of the disk.
const SORT_BYTES: f64 = (512 << 20) as f64;
/// Bytes of memory a row beside its own: its key, and where it came from.
const SORT_ROW_BYTES: f64 = 72.0;
/// Bytes a second to the disk, or back.
const SPILL_BYTES_PER_SEC: f64 = 350e6;
/// Microseconds of a page that must be read, and another one written for it.
const MISS_US: f64 = 90.0;
/// Microseconds of a statement beside its rows.
const STATEMENT_US: f64 = 30.0;
/// Microseconds a row of an INSERT over one of LOAD DATA, and a byte.
const VALUES_ROW_US: f64 = 0.55;
const VALUES_BYTE_US: f64 = 0.005;
/// What the bulk protocol takes a row more than LOAD DATA, and its share of a byte: values come in
/// binary, and no text is cut into fields.
const BULK_PROTOCOL_ROW_US: f64 = 0.08;
const BULK_PROTOCOL_BYTE: f64 = 0.85;
/// A commit that does not wait for the disk costs this share of one that does.
const COMMIT_UNFLUSHED: f64 = 0.25;
/// What the binary log adds to the bytes of a row.
const BINARY_LOG: f64 = 0.35;
/// What `n` connections gain: the time of one, by this power of those that find a core.
const SHARING_POWER: f64 = 0.62;
/// Building an index takes this many times as long where the table is larger than memory.
const SPILLED_BUILD: f64 = 1.4;
/// Bytes of an index entry that the shipped rates of building were measured with, and the share of
/// them that goes with an entry's width: long entries are compared and moved for longer.
const BUILD_WIDTH: f64 = 26.0;
const BUILD_WIDTH_SHARE: f64 = 0.55;
/// Rows copied from table to table skip the parsing.
const COPY_SHARE: f64 = 0.75;

/// The steps that a load with these choices has, in order.
#[must_use]
pub fn steps(shape: &Shape, choice: &Choice) -> Vec<StepTerms> {
    let load = Load::new(shape, choice);
    let mut steps = vec![load.step(RunStep::Precheck, 20.0)];
    if choice.check_first {
        steps.push(load.step(RunStep::Check, 2.0).with(Term::Parse, load.parse_ms()));
    }
    steps.push(load.step(RunStep::Prepare, 15.0));
    if choice.order == Order::SortByPrimaryKey {
        steps.push(load.sort());
    }
    steps.push(load.load());
    if choice.index_policy == IndexPolicy::DropAndRebuild {
        steps.push(load.rebuild());
    }
    steps.push(load.verify());
    if choice.visibility == Visibility::AllAtOnce {
        steps.push(load.publish());
    }
    steps.push(load.step(RunStep::Analyze, 15.0));
    steps
}

struct Load<'a> {
    shape: &'a Shape,
    choice: &'a Choice,
    class: EngineClass,
    rates: EngineRates,
    rows: f64,
    sorted: bool,
}

impl<'a> Load<'a> {
    fn new(shape: &'a Shape, choice: &'a Choice) -> Self {
        let class = EngineClass::of(&choice.engine);
        let rates = match choice.strategy {
            Strategy::EngineBulk => bulk_rates(class, shape.flavour),
            _ => rates(class, shape.flavour),
        };
        let rows = shape.rows as f64;
        Self { shape, choice, class, rates, rows, sorted: shape.is_sorted(choice) }
    }

    fn step(&self, step: RunStep, fixed_ms: f64) -> StepTerms {
        StepTerms {
            step,
            parts: vec![Part { term: Term::Fixed(step), ms: fixed_ms }],
            engine: self.class,
            strategy: None,
            sharing: 0.0,
        }
    }

    /// Milliseconds in which all cores together read, parse and check the file.
    fn parse_ms(&self) -> f64 {
        let cores = f64::from(self.shape.cores.clamp(1, 4));
        self.shape.bytes as f64 / CHECK_BYTES_PER_SEC / cores * 1e3
    }

    fn sort(&self) -> StepTerms {
        let mut step = self
            .step(RunStep::Sort, 5.0)
            .with(Term::Parse, self.parse_ms())
            .with(Term::Sort, self.rows * SORT_ROW_US / 1e3);
        let bytes = self.rows.mul_add(SORT_ROW_BYTES, self.shape.bytes as f64);
        if bytes > SORT_BYTES {
            // Once out, once in again.
            let ms = 2.0 * bytes / SPILL_BYTES_PER_SEC * 1e3;
            step = step.with(Term::Spill, ms);
        }
        step
    }

    fn load(&self) -> StepTerms {
        let (shape, rates) = (self.shape, &self.rates);
        let logged = if shape.binary_log { 1.0 + BINARY_LOG } else { 1.0 };
        let (row_more, byte_share) = match self.choice.strategy {
            Strategy::BulkProtocol => (BULK_PROTOCOL_ROW_US, BULK_PROTOCOL_BYTE),
            _ => (0.0, 1.0),
        };
        let row = f64::from(shape.columns).mul_add(rates.column, rates.row) + row_more;
        let byte = rates.byte * byte_share * logged;
        let statements = self.statements();
        let mut step = self
            .step(RunStep::Load, 10.0)
            .with(Term::Feed, 0.35 * self.parse_ms())
            .with(Term::Row, self.rows * row / 1e3)
            .with(Term::Byte, shape.bytes as f64 * byte / 1e3)
            .with(Term::Scatter, self.scatter_ms())
            .with(Term::Entry, self.entries_ms())
            .with(Term::Miss, self.misses() * MISS_US / 1e3)
            .with(Term::Statement, statements * STATEMENT_US / 1e3)
            .with(Term::RoundTrip, statements * shape.round_trip_us as f64 / 1e3)
            .with(Term::Commit, self.commits_ms());
        step = step.with(Term::Values, self.values_ms());
        step.strategy = Some(self.choice.strategy);
        step.sharing = -SHARING_POWER * self.writers().ln();
        step
    }

    /// What rows take more by a statement of their own than by LOAD DATA.
    fn values_ms(&self) -> f64 {
        let text = if self.inserts() {
            self.rows * VALUES_ROW_US + self.shape.bytes as f64 * VALUES_BYTE_US
        } else {
            0.0
        };
        let by_statement = self.inserts() || self.choice.strategy == Strategy::BulkProtocol;
        let engine = if by_statement { self.rows * self.rates.by_statement } else { 0.0 };
        (text + engine) / 1e3
    }

    fn inserts(&self) -> bool {
        matches!(
            self.choice.strategy,
            Strategy::Insert | Strategy::SingleTransaction | Strategy::RowByRow
        )
    }

    /// Connections that find a core.
    fn writers(&self) -> f64 {
        f64::from(self.choice.workers.clamp(1, self.shape.cores.max(1)))
    }

    fn scatter_ms(&self) -> f64 {
        if self.sorted {
            return 0.0;
        }
        self.rates.scatter.total_us(self.shape.rows_before, self.shape.rows_after()) / 1e3
    }

    fn entries_ms(&self) -> f64 {
        let kept = f64::from(self.shape.kept_indexes(self.choice));
        let entry = if self.sorted { self.rates.entry } else { self.rates.entry_scattered };
        let us = kept * entry.total_us(self.shape.rows_before, self.shape.rows_after());
        // A bulk loader sorts all entries at its end, as an index build does.
        let spills = if self.choice.strategy == Strategy::EngineBulk { self.spills() } else { 1.0 };
        us * spills / 1e3
    }

    /// What sorting the entries of a table that outgrows memory takes over one that does not.
    fn spills(&self) -> f64 {
        if self.shape.table_bytes_after() > self.shape.pool_bytes { SPILLED_BUILD } else { 1.0 }
    }

    /// Pages that are not in the pool when they are needed. What is written at random grows from
    /// what there was; of each access the share misses that is larger than the pool.
    fn misses(&self) -> f64 {
        let per_row = self.shape.scattered_row_bytes(self.choice);
        if per_row <= 0.0 {
            return 0.0;
        }
        let pool = self.shape.usable_pool();
        let (before, after) = (self.shape.rows_before as f64, self.shape.rows_after() as f64);
        // Missing rows of a table grown to n rows: the integral of 1 - pool / (n × bytes).
        let bend = pool / per_row;
        let missing = |rows: f64| {
            if rows <= bend { 0.0 } else { (rows - bend) - bend * (rows / bend).ln() }
        };
        let entries = f64::from(self.shape.kept_indexes(self.choice));
        let places = entries + if self.sorted { 0.0 } else { 1.0 };
        (missing(after) - missing(before)) * places
    }

    fn rows_to_statement(&self) -> f64 {
        let choice = self.choice;
        let bytes = match choice.strategy {
            Strategy::RowByRow => return 1.0,
            Strategy::Insert | Strategy::SingleTransaction | Strategy::BulkProtocol => {
                choice.batch_bytes.max(1)
            }
            Strategy::LoadData | Strategy::LoadDataServer | Strategy::EngineBulk => {
                choice.chunk_bytes.max(1)
            }
        };
        let fit = (bytes as f64 / self.shape.record_bytes().max(1.0)).max(1.0);
        choice.batch_rows.filter(|_| self.inserts()).map_or(fit, |m| fit.min(f64::from(m.max(1))))
    }

    fn statements(&self) -> f64 {
        self.rows / self.rows_to_statement()
    }

    fn commits_ms(&self) -> f64 {
        let commits = match self.choice.strategy {
            Strategy::RowByRow => self.rows,
            Strategy::SingleTransaction => 1.0,
            Strategy::EngineBulk if self.class == EngineClass::Innodb => 1.0,
            // A chunk's rows, and its line in the ledger with them.
            _ => (self.shape.bytes as f64 / self.choice.chunk_bytes.max(1) as f64).ceil(),
        };
        let waits = if self.shape.flushes { 1.0 } else { COMMIT_UNFLUSHED };
        let logged = if self.shape.binary_log { 2.0 } else { 1.0 };
        commits * self.rates.commit * waits * logged / 1e3
    }

    fn rebuild(&self) -> StepTerms {
        let shape = self.shape;
        // All rows of the table go into the new indexes, not only the new ones.
        let us = self.rates.build.total_us(0, shape.rows_after()) * f64::from(shape.indexes);
        let us = us * self.wider() * self.spills();
        self.step(RunStep::RebuildIndexes, 10.0).with(Term::Build, us / 1e3)
    }

    /// What building takes for entries of this width over the usual ones.
    fn wider(&self) -> f64 {
        let over = self.shape.entry_width.map_or(0.0, |w| w.min(200.0) / BUILD_WIDTH - 1.0);
        BUILD_WIDTH_SHARE.mul_add(over, 1.0)
    }

    fn verify(&self) -> StepTerms {
        let rows = if self.choice.visibility == Visibility::AllAtOnce {
            self.rows
        } else {
            self.shape.rows_after() as f64
        };
        let us = if self.shape.indexes > 0 { self.rates.count_indexed } else { self.rates.count };
        self.step(RunStep::Verify, 3.0).with(Term::Count, rows * us / 1e3)
    }

    fn publish(&self) -> StepTerms {
        let step = self.step(RunStep::Publish, 15.0);
        if !self.shape.copies {
            return step;
        }
        let kept = f64::from(self.shape.indexes);
        let entry = if self.sorted { self.rates.entry } else { self.rates.entry_scattered };
        let row = f64::from(self.shape.columns).mul_add(self.rates.column, self.rates.row);
        let us = self.rows * row + self.shape.bytes as f64 * self.rates.byte;
        let entries = kept * entry.total_us(self.shape.rows_before, self.shape.rows_after());
        step.with(Term::Copy, (us * COPY_SHARE + entries) / 1e3)
    }
}

impl StepTerms {
    fn with(mut self, term: Term, ms: f64) -> Self {
        if ms > 0.0 {
            self.parts.push(Part { term, ms });
        }
        self
    }
}
