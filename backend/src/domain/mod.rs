//! Plain types that the rooms hand to each other: no IO, no wire shapes.

mod chunk;
mod fit;
mod wire;

pub use chunk::{Chunk, EncodedChunk, RowOrigin};
pub use fit::{Fit, Hindrance, ServerFiles};
pub use wire::{Form, WireColumn, Wrap};
