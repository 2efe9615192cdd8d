//! A run's rejects as a CSV file that a spreadsheet may open.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use shared::run::Reject;
use tokio::sync::mpsc;

use super::csv;

/// The file of a run's folder that holds its rejects, one JSON object a line.
pub const FILE: &str = "rejects.jsonl";

const HEADER: &str = "row,line,column,value,key,code,message,raw\r\n";
const PIECE_BYTES: usize = 64 << 10;

fn open(path: &Path) -> io::Result<Box<dyn Iterator<Item = io::Result<String>>>> {
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::with_capacity(PIECE_BYTES, file).lines())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Box::new(std::iter::empty())),
        Err(error) => Err(error),
    }
}

/// A line that is being written at this moment is not whole yet, and is left for the next time.
fn parse(line: &str) -> Option<Reject> {
    serde_json::from_str(line).ok()
}

/// All rejects as CSV, piece by piece, whatever their number.
pub fn stream(path: PathBuf) -> impl Stream<Item = Result<Bytes, io::Error>> {
    let (Pieces(pieces), stream) = pieces();
    tokio::task::spawn_blocking(move || {
        if let Err(error) = write_csv(&path, &pieces) {
            // The header is out already: cutting the answer short is all that can be done.
            tracing::error!("{} cannot be read: {error}", path.display());
            let _ = pieces.blocking_send(Err(error));
        }
    });
    stream
}

/// Takes what is written and sends it on.
pub struct Pieces(mpsc::Sender<Result<Bytes, io::Error>>);

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer, and what is written as the pieces of an answer.
pub fn pieces() -> (Pieces, impl Stream<Item = Result<Bytes, io::Error>>) {
    let (pieces, receiver) = mpsc::channel(2);
    let stream =
        unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    (Pieces(pieces), stream)
}

fn write_csv(path: &Path, pieces: &mpsc::Sender<Result<Bytes, io::Error>>) -> io::Result<()> {
    let mut text = String::from(HEADER);
    for line in open(path)? {
        if let Some(reject) = parse(&line?) {
            push_record(&mut text, &reject);
        }
        if text.len() >= PIECE_BYTES && pieces.blocking_send(Ok(take(&mut text))).is_err() {
            return Ok(()); // The client has gone.
        }
    }
    let _ = pieces.blocking_send(Ok(take(&mut text)));
    Ok(())
}

fn take(text: &mut String) -> Bytes {
    Bytes::from(std::mem::take(text))
}

fn push_record(text: &mut String, reject: &Reject) {
    let optional = |value: &Option<String>| value.clone().unwrap_or_default();
    let cells = [
        reject.row.to_string(),
        reject.line.to_string(),
        optional(&reject.column),
        optional(&reject.value),
        optional(&reject.key),
        reject.code.as_str(),
        reject.message.clone(),
        optional(&reject.raw),
    ];
    csv::push_record(text, cells.iter().map(String::as_str));
}

/// `Content-Disposition` for a file of rejects, whatever the uploaded file was called.
pub fn disposition(file_name: &str) -> String {
    let stem = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    csv::disposition(stem.split('.').next().unwrap_or_default(), "rejects")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_is_called_after_the_file_alone() {
        for (name, plain) in
            [("trips.csv.gz", "trips"), ("../../etc/passwd", "passwd"), ("", "import")]
        {
            let wanted = format!("attachment; filename=\"{plain}-rejects.csv\"; ");
            assert!(disposition(name).starts_with(&wanted), "{name:?}");
        }
    }
}
