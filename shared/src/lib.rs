//! Wire types, units, error codes and the pure profile code that the browser and the service share.
//!
//! This crate compiles to WebAssembly and knows nothing of servers, sockets or files: what it
//! decides about a sample of bytes, it decides the same in the browser and in the service.

pub mod api;
pub mod capacity;
pub mod column_type;
pub mod ddl;
pub mod error;
pub mod estimate;
pub mod options;
pub mod people;
pub mod plan;
pub mod profile;
pub mod recipe;
pub mod run;
pub mod target;
pub mod trial;
pub mod units;
pub mod wire;

pub use column_type::ColumnType;
pub use error::{ErrorBody, ErrorCode};
pub use estimate::{Estimate, StepEstimate};
pub use options::ImportOptions;
pub use plan::{IndexPolicy, Mode, OnDuplicate, OnError, Order, Strategy, Visibility};
pub use run::{RunStatus, RunStep};
