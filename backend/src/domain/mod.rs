//! Plain types that the rooms hand to each other: no IO, no wire shapes.

mod chunk;
mod wire;

pub use chunk::{Chunk, EncodedChunk, RowOrigin};
pub use wire::{WireColumn, Wrap};
