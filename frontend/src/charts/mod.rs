//! Charts of our own: SVG and plain boxes, coloured by the tokens, each with its table.

mod curve;
mod rungs;
mod throughput;
mod timeline;
mod trend;

pub use curve::Curve;
pub use rungs::Rungs;
pub use throughput::{CurvePair, Throughput};
pub use timeline::Timeline;
pub use trend::TrendChart;
