//! A run's rejects: streamed to files in the order of the file, the first thousand kept at hand.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use shared::api::RejectPage;
use shared::run::Reject;

use super::RunError;

/// Rejects that a report carries.
pub const REPORTED: usize = 1000;
/// Rejects that are put in order in memory where a sorted load found some of its own.
const REORDERED: u64 = 2_000_000;

/// Takes rejects chunk by chunk, in any order, and writes them in the order of the file.
#[derive(Debug)]
pub struct RejectSink {
    dir: PathBuf,
    files: Option<Files>,
    early: BTreeMap<u64, Vec<Reject>>,
    next: u64,
    count: u64,
    last_row: u64,
    in_order: bool,
}

#[derive(Debug)]
struct Files {
    json: BufWriter<std::fs::File>,
    csv: BufWriter<std::fs::File>,
}

fn json_path(dir: &Path) -> PathBuf {
    dir.join("rejects.jsonl")
}

fn csv_path(dir: &Path) -> PathBuf {
    dir.join("rejects.csv")
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RunError + '_ {
    move |source| RunError::Io { path: path.display().to_string(), source }
}

impl RejectSink {
    /// A sink for a run's folder; what an earlier attempt left there goes.
    ///
    /// # Errors
    /// If the folder cannot be made or emptied.
    pub fn new(dir: &Path) -> Result<Self, RunError> {
        std::fs::create_dir_all(dir).map_err(io(dir))?;
        for path in [json_path(dir), csv_path(dir)] {
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(&path)(e)),
                _ => {}
            }
        }
        Ok(Self {
            dir: dir.to_owned(),
            files: None,
            early: BTreeMap::new(),
            next: 0,
            count: 0,
            last_row: 0,
            in_order: true,
        })
    }

    /// Begins another pass, whose chunks are numbered from 0 again.
    pub fn begin_pass(&mut self) {
        self.early.clear();
        self.next = 0;
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes the rejects of a chunk, an empty list included: the chunks after it wait for it.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn push(&mut self, chunk: u64, mut rejects: Vec<Reject>) -> Result<(), RunError> {
        rejects.sort_by_key(|r| r.row);
        self.early.insert(chunk, rejects);
        loop {
            let Some(rejects) = self.early.remove(&self.next) else { return Ok(()) };
            self.next += 1;
            self.write(&rejects)?;
        }
    }

    fn write(&mut self, rejects: &[Reject]) -> Result<(), RunError> {
        if rejects.is_empty() {
            return Ok(());
        }
        let (json, csv) = (json_path(&self.dir), csv_path(&self.dir));
        if self.files.is_none() {
            let open = |p: &Path| std::fs::File::create(p).map(BufWriter::new).map_err(io(p));
            let mut files = Files { json: open(&json)?, csv: open(&csv)? };
            files.csv.write_all(CSV_HEADER).map_err(io(&csv))?;
            self.files = Some(files);
        }
        let Some(files) = &mut self.files else { return Ok(()) };
        for reject in rejects {
            self.in_order &= reject.row >= self.last_row;
            self.last_row = reject.row;
            self.count += 1;
            serde_json::to_writer(&mut files.json, reject)
                .map_err(std::io::Error::from)
                .and_then(|()| files.json.write_all(b"\n"))
                .map_err(io(&json))?;
            write_csv(&mut files.csv, reject).map_err(io(&csv))?;
        }
        Ok(())
    }

    /// Writes what waits and puts the whole in the order of the file.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(&mut self) -> Result<(), RunError> {
        let waiting: Vec<Reject> =
            std::mem::take(&mut self.early).into_values().flatten().collect();
        self.write(&waiting)?;
        if let Some(mut files) = self.files.take() {
            files.json.flush().map_err(io(&json_path(&self.dir)))?;
            files.csv.flush().map_err(io(&csv_path(&self.dir)))?;
        }
        if !self.in_order && self.count <= REORDERED {
            let mut all = read(&self.dir, 0, u64::MAX)?.rejects;
            all.sort_by_key(|r| r.row);
            (self.count, self.last_row, self.in_order) = (0, 0, true);
            self.write(&all)?;
            return self.finish();
        }
        Ok(())
    }
}

const CSV_HEADER: &[u8] = b"row,line,column,value,key,code,message,raw\n";

fn write_csv(out: &mut impl Write, r: &Reject) -> std::io::Result<()> {
    let code = r.code.as_str();
    let fields = [
        r.column.as_deref(),
        r.value.as_deref(),
        r.key.as_deref(),
        Some(code.as_str()),
        Some(r.message.as_str()),
        r.raw.as_deref(),
    ];
    write!(out, "{},{}", r.row, r.line)?;
    for field in fields {
        out.write_all(b",")?;
        if let Some(text) = field {
            write!(out, "\"{}\"", text.replace('"', "\"\""))?;
        }
    }
    out.write_all(b"\n")
}

/// Rejects of a run's folder, in file order.
///
/// # Errors
/// If the file cannot be read.
pub fn read(dir: &Path, offset: u64, limit: u64) -> Result<RejectPage, RunError> {
    let path = json_path(dir);
    let file = match std::fs::File::open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Ok(RejectPage { rejects: Vec::new(), total: 0 });
        }
        Err(e) => return Err(io(&path)(e)),
    };
    let mut page = RejectPage { rejects: Vec::new(), total: 0 };
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(io(&path))? == 0 {
            return Ok(page);
        }
        if page.total >= offset && page.total - offset < limit {
            // The last line may be cut where the service was killed.
            if let Ok(reject) = serde_json::from_slice(&line) {
                page.rejects.push(reject);
            }
        }
        page.total += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::error::ErrorCode;

    fn reject(row: u64) -> Reject {
        Reject {
            row,
            line: row + 1,
            column: Some("a".into()),
            value: Some("x\"y".into()),
            key: None,
            code: ErrorCode::InvalidValue,
            message: "bad".into(),
            raw: Some("1,x\"y".into()),
        }
    }

    #[test]
    fn chunks_in_any_order_come_out_in_file_order() {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = RejectSink::new(dir.path()).unwrap();
        sink.push(1, vec![reject(7), reject(5)]).unwrap();
        sink.push(0, vec![reject(2)]).unwrap();
        sink.begin_pass();
        sink.push(0, vec![reject(3)]).unwrap();
        sink.finish().unwrap();
        let page = read(dir.path(), 1, 2).unwrap();
        let rows: Vec<u64> = page.rejects.iter().map(|r| r.row).collect();
        assert_eq!((rows, page.total), (vec![3, 5], 4));
        let csv = std::fs::read_to_string(csv_path(dir.path())).unwrap();
        assert_eq!(csv.lines().count(), 5);
        assert!(csv.contains("2,3,\"a\",\"x\"\"y\",,\"invalid_value\",\"bad\",\"1,x\"\"y\""));
    }
}
