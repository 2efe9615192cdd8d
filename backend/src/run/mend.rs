//! Rejects mended and loaded alone: the refused records as a file of the run's own form, and a run
//! that adds such a file to the same table.

use std::io::Write;
use std::path::{Path, PathBuf};

use shared::error::ErrorCode;
use shared::options::Format;
use shared::plan::Mode;
use shared::profile::{Compression, Dialect, LineEnd};
use shared::run::{Reject, RunStatus};

use crate::source::Layout;
use crate::store::RunSaved;
use crate::target::TargetSpec;

use super::state::RunState;
use super::{RunError, RunInput, Runs, rejects};

impl Runs {
    /// Writes the refused records of a run, as they stand in its file, under the same header.
    /// Blocking work is done apart.
    ///
    /// # Errors
    /// A run without rejects, or a file that cannot be read or written.
    pub async fn write_records(
        &self,
        run_id: &str,
        out: impl Write + Send + 'static,
    ) -> Result<(), RunError> {
        let saved = self.saved(run_id).await?;
        let layout = layout_of(&saved)?;
        let dir = self.store().run_dir(run_id);
        let work = move || {
            let page = rejects::read(&dir, 0, u64::MAX)?;
            write(out, &layout, &page.rejects)
                .map_err(|source| RunError::Io { path: "the records".to_owned(), source })
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| RunError::Lost)?
    }

    /// Whether the refused records of a run can be written as a file of its form.
    ///
    /// # Errors
    /// As [`Runs::write_records`].
    pub async fn can_mend(&self, run_id: &str) -> Result<(), RunError> {
        layout_of(&self.saved(run_id).await?).map(drop)
    }

    /// What loads the mended records of a run into its table. `target` is asked for again, because
    /// passwords are forgotten with the end of a run.
    ///
    /// # Errors
    /// A run whose rows are not in, or records that still hold what could not be read.
    pub async fn mended(
        &self,
        run_id: &str,
        records: PathBuf,
        target: TargetSpec,
        who: &str,
    ) -> Result<RunInput, RunError> {
        let saved = self.saved(run_id).await?;
        let layout = layout_of(&saved)?;
        if saved.view.status != RunStatus::SucceededWithRejects {
            return Err(RunError::refuse(
                ErrorCode::Conflict,
                format!(
                    "Run {run_id} is {}: only rejects of a run whose other rows are in can be \
                     loaded alone.",
                    saved.view.status.as_str()
                ),
            ));
        }
        let dir = self.store().run_dir(run_id);
        let path = records.clone();
        let raw_bytes = !layout.binary.is_empty();
        let work = move || still_unreadable(&dir, &path, raw_bytes);
        tokio::task::spawn_blocking(work).await.map_err(|_| RunError::Lost)??;
        let mut input = RunInput::from_saved(&saved)?;
        input.files = vec![records];
        input.file_name = format!("{} (mended)", saved.view.file);
        input.source_id = None;
        input.target = target;
        input.create_table = None;
        input.choice = None;
        input.options.mode = Some(Mode::Append);
        input.options.skip_rows = Some(0);
        input.options.sheet = None;
        input.layout = Some(for_records(layout));
        who.clone_into(&mut input.who);
        Ok(input)
    }
}

/// How the run's file was read.
fn layout_of(saved: &RunSaved) -> Result<Layout, RunError> {
    let state = saved.state.clone().and_then(|s| serde_json::from_value::<RunState>(s).ok());
    state.and_then(|s| s.layout).ok_or_else(|| {
        RunError::refuse(
            ErrorCode::NotFound,
            format!("Run {} has no record of how its file was read.", saved.view.run_id),
        )
    })
}

/// Bytes that were no characters stand in the records as U+FFFD; loaded like that, they would stay.
fn still_unreadable(dir: &Path, records: &Path, raw_bytes: bool) -> Result<(), RunError> {
    let unread = |r: &Reject| raw_bytes || r.code == ErrorCode::InvalidEncoding;
    if !rejects::read(dir, 0, u64::MAX)?.rejects.iter().any(unread) {
        return Ok(());
    }
    let path = || records.display().to_string();
    let bytes = std::fs::read(records).map_err(|source| RunError::Io { path: path(), source })?;
    let Some(at) = memchr::memmem::find(&bytes, "\u{FFFD}".as_bytes()) else { return Ok(()) };
    let line = memchr::memchr_iter(b'\n', bytes.get(..at).unwrap_or_default()).count() + 1;
    Err(RunError::refuse(
        ErrorCode::InvalidEncoding,
        format!(
            "Line {line} still has the sign \u{FFFD}, which stands for bytes that could not be read: \
             write the right characters in its place."
        ),
    ))
}

/// The layout of the refused records alone: UTF-8, not packed, the header on top.
fn for_records(mut layout: Layout) -> Layout {
    layout.compression = Compression::None;
    "UTF-8".clone_into(&mut layout.encoding);
    layout.dialect.skip_rows = 0;
    if layout.dialect.line_end == LineEnd::Cr {
        // An editor may well write other line ends.
        layout.dialect.line_end = LineEnd::Any;
    }
    if matches!(layout.format, Format::Parquet | Format::Sheet) {
        layout.format = Format::Csv;
    }
    layout.sheet = None;
    layout
}

fn write(out: impl Write, layout: &Layout, rejects: &[Reject]) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(out);
    let records = rejects.iter().filter_map(|r| r.raw.as_deref()).filter(|r| !r.is_empty());
    match layout.format {
        Format::Json => {
            let records: Vec<&str> = records.collect();
            write!(out, "[\n{}\n]\n", records.join(",\n"))?;
        }
        Format::Jsonl => {
            for record in records {
                writeln!(out, "{record}")?;
            }
        }
        Format::Csv | Format::Parquet | Format::Sheet => {
            let dialect = &layout.dialect;
            if dialect.header {
                let names = layout.source_columns.iter().map(|name| field(name, dialect));
                let end = if dialect.trailing_delimiter { dialect.delimiter.as_str() } else { "" };
                writeln!(out, "{}{end}", names.collect::<Vec<_>>().join(&dialect.delimiter))?;
            }
            for record in records {
                writeln!(out, "{record}")?;
            }
        }
    }
    out.flush()
}

/// A name as the dialect writes it.
fn field(name: &str, dialect: &Dialect) -> String {
    let special = |c: char| {
        matches!(c, '\n' | '\r' | ' ' | '\t')
            || dialect.delimiter.contains(c)
            || Some(c) == dialect.quote
            || Some(c) == dialect.escape
    };
    if !name.chars().any(special) && !name.is_empty() {
        return name.to_owned();
    }
    if let Some(quote) = dialect.quote {
        let before = dialect.escape.unwrap_or(quote);
        let mut out = String::from(quote);
        for c in name.chars() {
            if c == quote || Some(c) == dialect.escape {
                out.push(before);
            }
            out.push(c);
        }
        out.push(quote);
        return out;
    }
    let Some(escape) = dialect.escape else { return name.to_owned() };
    let escaped = |c: char| match c {
        '\n' if escape == '\\' => "\\n".to_owned(),
        '\r' if escape == '\\' => "\\r".to_owned(),
        c if special(c) && c != ' ' => format!("{escape}{c}"),
        c => c.to_string(),
    };
    name.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reject(raw: &str) -> Reject {
        Reject {
            row: 1,
            line: 2,
            column: None,
            value: None,
            key: None,
            code: ErrorCode::InvalidValue,
            message: String::new(),
            raw: Some(raw.to_owned()),
        }
    }

    fn written(layout: &Layout, records: &[&str]) -> String {
        let mut out = Vec::new();
        let rejects: Vec<Reject> = records.iter().map(|r| reject(r)).collect();
        write(&mut out, layout, &rejects).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Reads what is written like any file, by the layout for it.
    fn layout(text: &str, options: &str) -> Layout {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, text).unwrap();
        let options = serde_json::from_str(options).unwrap();
        let found = crate::source::profile(&[path], &options, true, &|_| {}).unwrap();
        Layout::from_profile(&found, &options)
    }

    #[test]
    fn records_stand_under_the_header_of_their_file() {
        let csv = layout("sep=;\nid;\"a;b\"\n1;x\n2;y\n", "{}");
        assert_eq!(written(&csv, &["7;\"q\nr\""]), "id;\"a;b\"\n7;\"q\nr\"\n");
        assert_eq!(for_records(csv).dialect.skip_rows, 0);
        let bare = layout("1\ta\\\\b\n2\t\\N\n", r#"{"header": false}"#);
        assert_eq!(written(&bare, &["3\tx"]), "3\tx\n");
        let lines = layout("{\"a\": 1}\n{\"a\": 2}\n", "{}");
        assert_eq!(written(&lines, &["{\"a\": 3}"]), "{\"a\": 3}\n");
        let array = layout("[{\"a\": 1}, {\"a\": 2}]\n", "{}");
        assert_eq!(written(&array, &["{\"a\": 3}", "{\n}"]), "[\n{\"a\": 3},\n{\n}\n]\n");
    }

    #[test]
    fn what_could_not_be_read_must_be_mended() {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = rejects::RejectSink::new(dir.path()).unwrap();
        let bad = Reject { code: ErrorCode::InvalidEncoding, ..reject("T\u{FFFD}r") };
        sink.push(0, vec![bad]).unwrap();
        sink.finish().unwrap();
        let file = dir.path().join("mended");
        std::fs::write(&file, "a\nT\u{FFFD}r\n").unwrap();
        let error = still_unreadable(dir.path(), &file, false).unwrap_err().body();
        assert!(error.message.contains("Line 2"), "{}", error.message);
        std::fs::write(&file, "a\nTür\n").unwrap();
        assert!(still_unreadable(dir.path(), &file, false).is_ok());
    }
}
