//! Reading as the rooms above see it: files on disk to records.

use std::path::PathBuf;

use shared::ImportOptions;

use super::{ChunkReader, Layout, RecordParser, SourceError, profile};

/// Everything read from `files`: one string a record, fields between bars, `~` for NULL.
fn read(
    files: &[(&str, &[u8])],
    options: &ImportOptions,
    chunk_bytes: u64,
) -> Result<Vec<String>, SourceError> {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, bytes)| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    let found = profile(&paths, options, false, &|_| {})?;
    let layout = Layout::from_profile(&found, options);
    let mut reader = ChunkReader::open(&paths, &layout, chunk_bytes)?;
    let mut parser = RecordParser::new(&layout);
    let mut out = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        parser.parse(&chunk, |r| {
            let text = match &r.fields {
                Ok(fields) => fields
                    .iter()
                    .map(|f| {
                        if f.is_null {
                            "~".into()
                        } else {
                            String::from_utf8_lossy(f.bytes).into_owned()
                        }
                    })
                    .collect::<Vec<_>>()
                    .join("|"),
                Err(fault) => {
                    format!("! {}: {}", fault.column.clone().unwrap_or_default(), fault.message)
                }
            };
            out.push(format!("{}@{} {text}", r.row, r.line));
        });
    }
    Ok(out)
}

#[test]
fn plain_csv_is_read_whatever_the_chunks() {
    let data = b"id,name\r\n1,\"a\n\"\"b\"\"\"\n\n2,c\r\n3,d";
    for chunk_bytes in [1, 2, 5, 7, 1 << 20] {
        let rows = read(&[("a.csv", data)], &ImportOptions::default(), chunk_bytes).unwrap();
        assert_eq!(rows, ["1@2 1|a\n\"b\"", "2@5 2|c", "3@6 3|d"], "{chunk_bytes}");
    }
}
