//! Charts of our own: SVG and plain boxes, coloured by the tokens, each with its table.

mod throughput;
mod timeline;

pub use throughput::Throughput;
pub use timeline::Timeline;
