//! Files read right: formats, unpacking, decoding, whole-file profile, chunks, records.
//!
//! One road for every format: a reader unpacks and decodes to UTF-8 and cuts the stream into
//! chunks at record ends; workers take chunks apart with a [`RecordParser`] each.

mod canonical;
mod chunks;
pub mod decode;
mod error;
mod fingerprint;
mod folder;
mod foreign;
mod json;
mod layout;
mod look;
mod open;
mod parquet;
mod parser;
mod sheet;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_binary;
mod whole;

pub use chunks::{ChunkReader, RECORD_BYTES_MAX};
pub use error::SourceError;
pub use fingerprint::fingerprint;
pub use folder::Folder;
pub use layout::Layout;
pub use parser::{Field, Fields, Record, RecordFault, RecordParser};
pub use whole::profile;
