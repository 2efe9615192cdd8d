//! Plain types that the rooms hand to each other: no IO, no wire shapes.

mod canonical;
mod chunk;
mod fit;
mod wire;

pub use canonical::{NULL, unescape};
pub use chunk::{Chunk, EncodedChunk, RowOrigin};
pub use fit::{Fit, Hindrance, ServerFiles};
pub use wire::{Form, WireColumn, Wrap};
