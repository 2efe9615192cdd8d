//! Plain types that the rooms hand to each other: no IO, no wire shapes.

mod chunk;
mod fit;
mod wire;

pub use chunk::{Chunk, EncodedChunk, RowOrigin};
pub use fit::{BULK_INSERT_RECOVERS, Fit, Hindrance, ServerFiles, mended};
pub use wire::{WireColumn, Wrap};
