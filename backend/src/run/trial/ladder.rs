//! The ladder: every method there is, from row by row up, on rows of the service's own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use mysql_async::Conn;
use shared::plan::{Choice, IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
use shared::target::{Capabilities, Flavour};
use shared::trial::TrialResult;

use super::{Timed, Trial, rows, scratch_options};
use crate::estimate::Shape;
use crate::load::scratch;
use crate::run::gather::gather;
use crate::run::{RunError, RunInput, learn};
use crate::target;

/// Rows of one load where nobody says.
const ROWS: u64 = 200_000;
/// Rows of one load at least: fewer are over before they can be timed.
const ROWS_LEAST: u64 = 2_000;
/// Rows of the rung of prepared statements, and how long it may take.
const PREPARED_ROWS: usize = 50_000;
const PREPARED_FOR: Duration = Duration::from_secs(4);
const ALL_IN_ONE_CHUNK: u64 = 256 << 20;
const CHUNK_BYTES: u64 = 4 << 20;

/// One rung.
struct Rung {
    title: String,
    choice: Choice,
    indexed: bool,
    in_key_order: bool,
}

/// The two files of rows, for as long as the ladder stands.
struct Files {
    folder: PathBuf,
    in_order: PathBuf,
    scattered: PathBuf,
}

impl Files {
    fn make(folder: PathBuf, count: u64) -> Result<Self, RunError> {
        let io = |source| RunError::Io { path: folder.display().to_string(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        let files = Self {
            in_order: folder.join("in_order.csv"),
            scattered: folder.join("scattered.csv"),
            folder,
        };
        rows::write(&files.in_order, count, false)?;
        rows::write(&files.scattered, count, true)?;
        Ok(files)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // What stays is a few megabytes in the data folder.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Trial {
    /// Climbs the ladder.
    pub(super) async fn ladder(&mut self) -> Result<(), RunError> {
        let spec = self.input.target.clone().with_database(&self.input.database);
        let mut conn = target::connect(&spec).await?;
        let capabilities = target::capabilities(&mut conn).await?;
        self.view.server.clone_from(&capabilities.server);
        let count = self.input.rows_max.unwrap_or(ROWS).max(ROWS_LEAST);
        let folder = self.runs.store().data_dir().join("trials").join(&self.view.id);
        let made = tokio::task::spawn_blocking(move || Files::make(folder, count)).await;
        let files = made.map_err(|_| RunError::Lost)??;
        let engine = self.input.engine.clone().unwrap_or_else(|| default_engine(&capabilities));
        let rungs = rungs(&capabilities, &engine);
        self.view.what =
            format!("{} orders of seven columns, {engine}", shared::units::count(count));
        for (i, rung) in rungs.iter().enumerate() {
            if self.is_over() {
                break;
            }
            let share = self.share_ms(rungs.len() - i);
            self.climb(&mut conn, &files, &engine, rung, (share, count)).await?;
        }
        self.prepared(&mut conn, &files, &engine).await?;
        self.judge_ladder();
        let _ = conn.disconnect().await;
        Ok(())
    }

    /// The rung that no import takes: a prepared statement for each row.
    async fn prepared(
        &mut self,
        conn: &mut Conn,
        files: &Files,
        engine: &str,
    ) -> Result<(), RunError> {
        if self.is_over() {
            return Ok(());
        }
        let file = files.in_order.clone();
        let rows = tokio::task::spawn_blocking(move || rows::first(&file, PREPARED_ROWS)).await;
        let rows = rows.map_err(|_| RunError::Lost)??;
        let (table, database) = (self.next_table(), self.input.database.clone());
        scratch::create_orders(conn, &database, &table, engine, false).await?;
        let begun = Instant::now();
        let until = self.until.min(begun + PREPARED_FOR);
        let sent = scratch::insert_prepared(conn, &database, &table, &rows, until).await;
        let took = begun.elapsed();
        scratch::drop(conn, &database, &table).await?;
        let bytes: usize = rows.iter().flatten().map(|field| field.len() + 1).sum();
        let (sent, ms) = (sent?, (took.as_millis() as u64).max(1));
        let choice =
            Choice { strategy: Strategy::SingleTransaction, batch_rows: Some(1), ..ground(engine) };
        self.view.results.insert(
            2.min(self.view.results.len()),
            TrialResult {
                title: "A row at a time, prepared, one transaction".to_owned(),
                choice,
                rows: sent,
                bytes: bytes as u64 * sent / rows.len().max(1) as u64,
                indexes: 0,
                in_key_order: true,
                ms,
                rows_per_sec: sent as f64 / took.as_secs_f64(),
                steps: Vec::new(),
                whole: None,
                note: None,
            },
        );
        self.save().await;
        Ok(())
    }

    async fn climb(
        &mut self,
        conn: &mut Conn,
        files: &Files,
        engine: &str,
        rung: &Rung,
        (share_ms, count): (u64, u64),
    ) -> Result<(), RunError> {
        let table = self.next_table();
        let database = self.input.database.clone();
        scratch::create_orders(conn, &database, &table, engine, rung.indexed).await?;
        let file = if rung.in_key_order { &files.in_order } else { &files.scattered };
        let input = RunInput {
            files: vec![file.clone()],
            file_name: "orders".to_owned(),
            source_id: None,
            target: self.input.target.clone(),
            target_id: self.input.target_id.clone(),
            database: database.clone(),
            table: table.clone(),
            options: scratch_options(&shared::options::ImportOptions::default()),
            create_table: None,
            choice: None,
            layout: None,
            who: self.input.who.clone(),
            trial: None,
        };
        let raced = match self.part(&input, rung, share_ms, count).await {
            Ok(bytes_max) => {
                let timed = Timed {
                    title: rung.title.clone(),
                    choice: &rung.choice,
                    input,
                    bytes_max,
                    share_ms,
                    indexes: if rung.indexed { 3 } else { 0 },
                    in_key_order: rung.in_key_order,
                };
                self.time(timed).await
            }
            Err(e) => Err(e),
        };
        scratch::drop(conn, &database, &table).await?;
        raced
    }

    /// Bytes of the file for which there is time.
    async fn part(
        &self,
        input: &RunInput,
        rung: &Rung,
        share_ms: u64,
        count: u64,
    ) -> Result<u64, RunError> {
        let store = &self.runs.inner.store;
        let g = gather(store, input, false, Arc::new(AtomicU64::new(0))).await?;
        let _ = g.conn.disconnect().await;
        let shape = Shape { rows_before: 0, bytes_before: 0, ..g.shape };
        let known = learn::calibration(store, &input.target.name, &shape).await?;
        let told = known.foretell(&shape, &rung.choice);
        let part = share_ms as f64 / told.expected_ms.max(1) as f64;
        let least = ROWS_LEAST as f64 / count as f64;
        Ok((input.file_bytes() as f64 * part.clamp(least.min(1.0), 1.0)) as u64)
    }
}

fn default_engine(capabilities: &Capabilities) -> String {
    let default = capabilities.engines.iter().find(|e| e.default);
    default.map_or_else(|| "InnoDB".to_owned(), |e| e.name.clone())
}

/// What all rungs have in common.
fn ground(engine: &str) -> Choice {
    Choice {
        engine: engine.to_owned(),
        strategy: Strategy::LoadData,
        order: Order::AsIs,
        index_policy: IndexPolicy::Keep,
        visibility: Visibility::AllAtOnce,
        mode: Mode::Append,
        on_duplicate: OnDuplicate::Reject,
        on_error: OnError::Reject,
        workers: 1,
        chunk_bytes: CHUNK_BYTES,
        batch_bytes: 1 << 20,
        batch_rows: None,
        check_first: false,
    }
}

/// The rungs, from the bottom up.
fn rungs(capabilities: &Capabilities, engine: &str) -> Vec<Rung> {
    let cores = std::thread::available_parallelism().map_or(2, |n| n.get() as u32).clamp(2, 8);
    let base = ground(engine);
    let plain =
        |title: String, choice: Choice| Rung { title, choice, indexed: false, in_key_order: true };
    let insert = |rows: u32| {
        let choice = Choice { strategy: Strategy::Insert, batch_rows: Some(rows), ..base.clone() };
        plain(format!("{rows} rows a statement"), choice)
    };
    let single = |strategy| Choice { strategy, batch_rows: Some(1), ..base.clone() };
    let mut rungs = vec![
        plain("A row and a commit at a time".to_owned(), single(Strategy::RowByRow)),
        plain("A row at a time, one transaction".to_owned(), single(Strategy::SingleTransaction)),
        insert(10),
        insert(100),
        insert(1000),
    ];
    if capabilities.flavour == Flavour::Mariadb {
        let choice = Choice { strategy: Strategy::BulkProtocol, ..base.clone() };
        rungs.push(plain("MariaDB's bulk protocol".to_owned(), choice));
    }
    if !capabilities.local_infile {
        return rungs;
    }
    let one = Choice { chunk_bytes: ALL_IN_ONE_CHUNK, ..base.clone() };
    let many = Choice { workers: cores, ..base.clone() };
    let after = Choice { index_policy: IndexPolicy::DropAndRebuild, ..many.clone() };
    let sorted = |choice: &Choice| Choice { order: Order::SortByPrimaryKey, ..choice.clone() };
    let many_words = format!("LOAD DATA × {cores}");
    rungs.push(plain("LOAD DATA, one transaction".to_owned(), one));
    rungs.push(plain("LOAD DATA, a commit a chunk".to_owned(), base.clone()));
    rungs.push(plain(many_words.clone(), many.clone()));
    let further = [
        ("random order", false, false, many.clone()),
        ("random order, sorted first", false, false, sorted(&many)),
        ("three indexes", true, true, many.clone()),
        ("three indexes built after", true, true, after.clone()),
        ("three indexes, random order", true, false, many),
        ("three indexes built after, sorted first", true, false, sorted(&after)),
    ];
    rungs.extend(further.map(|(words, indexed, in_key_order, choice)| Rung {
        title: format!("{many_words}, {words}"),
        choice,
        indexed,
        in_key_order,
    }));
    rungs
}
