//! One field to one column: check, normalise, encode, or reject. No IO.
//!
//! [`map_columns`] settles once which field of the file fills which column of the table and fails,
//! naming it, on anything that cannot be loaded. [`Converter`] then turns every raw record into the
//! canonical row of [`crate::domain::EncodedChunk`], or into a reject that says why. The server is
//! never left to convert anything: what is sent is already exactly the value that is stored, on
//! either server and in any sql_mode. What would be stored changed (cut, rounded, clamped, guessed)
//! is refused.

mod binary;
mod bit;
mod charset;
mod charset_tables;
mod converter;
mod error;
mod fault;
mod geometry;
mod integer;
mod json;
mod kind;
mod label;
mod mapping;
mod matching;
mod network;
mod null;
mod number;
mod out;
mod settings;
mod sort_key;
mod temporal;
mod text;
mod transform;
mod vector;

mod decimal;
mod float;

pub use converter::Converter;
pub use error::ConvertError;
pub use mapping::{MappedColumn, Mapping, Source, Unused, map_columns};
pub use settings::session_zone;
pub use sort_key::SortKey;

#[cfg(test)]
mod tests;
