//! One column of a table, to be filled with one value.

use plimsoll::convert::{Converter, map_columns};
use plimsoll::domain::Chunk;
use plimsoll::source::{Layout, RecordParser};
use shared::ImportOptions;
use shared::options::Format;
use shared::profile::{Compression, Dialect};
use shared::target::{ColumnFacts, Flavour, TableFacts};

pub struct Column {
    name: String,
    layout: Layout,
    converter: Converter,
    /// Reads what the other one wrote.
    again: Converter,
}

impl Column {
    pub fn new(sql_type: &str, zone: Option<&str>, format: Option<&str>) -> Self {
        let options = ImportOptions {
            time_zone: zone.map(str::to_owned),
            date_format: format.map(str::to_owned),
            round: Some(true),
            ..ImportOptions::default()
        };
        // A session's clock is that of UTC where the file's is that of a place.
        let session = ImportOptions {
            time_zone: zone.map(|z| if z.contains('/') { "UTC" } else { z }.to_owned()),
            ..ImportOptions::default()
        };
        let dialect = Dialect {
            delimiter: "\u{1}".to_owned(),
            quote: None,
            header: false,
            ..Dialect::default()
        };
        let layout = Layout {
            format: Format::Csv,
            compression: Compression::None,
            encoding: "UTF-8".to_owned(),
            dialect,
            columns: vec!["v".to_owned()],
            source_columns: vec!["v".to_owned()],
            null_markers: Vec::new(),
            quoted_null: false,
            date_formats: Vec::new(),
            binary: Vec::new(),
            sheet: None,
            server_zone: Some("UTC".to_owned()),
        };
        let made = |options: &ImportOptions| {
            let mapping = map_columns(&table(sql_type), &layout.columns, options, Flavour::Mysql);
            let mapping = mapping.expect("maps");
            Converter::new(&mapping, &layout, options, Flavour::Mysql).expect("converts")
        };
        let (converter, again) = (made(&options), made(&session));
        let name = format!("{sql_type} {zone:?} {format:?}");
        Self { name, layout, converter, again }
    }

    /// Writes the value; what came of it must be written the same way again.
    pub fn check(&self, value: &[u8]) {
        let Some(first) = encode(&self.converter, &self.layout, value) else { return };
        if first == b"\\N" {
            return;
        }
        let second = encode(&self.again, &self.layout, &first);
        assert_eq!(second.as_deref(), Some(&*first), "{}: {value:?}", self.name);
    }
}

fn encode(converter: &Converter, layout: &Layout, value: &[u8]) -> Option<Vec<u8>> {
    let kept = |b: &&u8| !matches!(b, b'\n' | b'\r' | 1);
    let mut data: Vec<u8> = value.iter().filter(kept).copied().collect();
    if data.is_empty() {
        return None;
    }
    data.push(b'\n');
    let chunk = Chunk { data, ..Chunk::default() };
    let encoded = converter.encode(&mut RecordParser::new(layout), &chunk, false);
    let row = encoded.data.strip_suffix(b"\n")?;
    Some(row.to_vec())
}

fn table(sql_type: &str) -> TableFacts {
    let column = ColumnFacts {
        name: "v".to_owned(),
        sql_type: sql_type.to_owned(),
        nullable: true,
        has_default: false,
        auto_increment: false,
        generated: false,
        charset: None,
        collation: None,
    };
    TableFacts {
        name: "t".to_owned(),
        engine: "InnoDB".to_owned(),
        empty: true,
        columns: vec![column],
        charset: "utf8mb4".to_owned(),
        ..TableFacts::default()
    }
}
