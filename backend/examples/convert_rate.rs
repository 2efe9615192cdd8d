//! How fast one core reads, checks and encodes: `convert_rate FILE`, a file of `make-rows`' columns
//! without header. Prints MB/s of each stage, the best of three.
#![allow(clippy::print_stdout, reason = "a program that prints figures")]

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use plimsoll::convert::{Converter, map_columns};
use plimsoll::domain::Chunk;
use plimsoll::source::{ChunkReader, Layout, RecordParser};
use shared::ImportOptions;
use shared::target::{ColumnFacts, Flavour, TableFacts};

const COLUMNS: [(&str, &str); 7] = [
    ("id", "bigint"),
    ("email", "varchar(64)"),
    ("city", "varchar(32)"),
    ("amount", "decimal(12,2)"),
    ("level", "int"),
    ("created_at", "datetime"),
    ("note", "varchar(100)"),
];

fn table() -> TableFacts {
    let column = |(name, sql_type): &(&str, &str)| ColumnFacts {
        name: (*name).to_owned(),
        sql_type: (*sql_type).to_owned(),
        nullable: true,
        has_default: false,
        auto_increment: false,
        generated: false,
        charset: None,
        collation: None,
    };
    TableFacts {
        database: String::new(),
        name: "orders".to_owned(),
        engine: "InnoDB".to_owned(),
        rows_estimate: 0,
        empty: true,
        data_bytes: 0,
        index_bytes: 0,
        columns: COLUMNS.iter().map(column).collect(),
        indexes: Vec::new(),
        foreign_keys: Vec::new(),
        referenced_by: Vec::new(),
        triggers: Vec::new(),
        partitioned: false,
        charset: "utf8mb4".to_owned(),
        in_use: 0,
        create_sql: String::new(),
    }
}

fn main() -> anyhow::Result<()> {
    let file = PathBuf::from(std::env::args().nth(1).context("which file?")?);
    let options = ImportOptions { header: Some(false), ..ImportOptions::default() };
    let profile = plimsoll::source::profile(std::slice::from_ref(&file), &options, false, &|_| ())
        .map_err(|e| anyhow::anyhow!("{e}"))?;
    let layout = Layout::from_profile(&profile, &options);
    let mapping = map_columns(&table(), &layout.columns, &options, Flavour::Mariadb)?;
    let converter = Converter::new(&mapping, &layout, &options, Flavour::Mariadb)?;
    let mut reader = ChunkReader::open(&[file], &layout, 4 << 20)?;
    let mut chunks: Vec<Chunk> = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        chunks.push(chunk);
    }
    let bytes: usize = chunks.iter().map(|c| c.data.len()).sum();
    let mut parser = RecordParser::new(&layout);
    let (mut parsed, mut encoded) = (0.0_f64, 0.0_f64);
    for _ in 0..3 {
        let begin = Instant::now();
        let mut fields = 0;
        for chunk in &chunks {
            parser.parse(chunk, |r| fields += r.fields.map_or(0, |f| f.len()));
        }
        parsed = parsed.max(bytes as f64 / begin.elapsed().as_secs_f64() / 1e6);
        let begin = Instant::now();
        let (mut rows, mut refused) = (0, 0);
        for chunk in &chunks {
            let out = converter.encode(&mut parser, chunk, false);
            rows += out.rows();
            refused += out.rejects.len();
        }
        encoded = encoded.max(bytes as f64 / begin.elapsed().as_secs_f64() / 1e6);
        println!("{rows} rows, {refused} refused, {fields} fields");
    }
    println!("parse {parsed:.0} MB/s, parse + check + encode {encoded:.0} MB/s");
    Ok(())
}
