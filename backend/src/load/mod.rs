//! Writing chunks by each strategy; staging, ledger, index DDL, swap, sort, verify.
//!
//! The rules that hold for every strategy: a chunk's rows and its line in the ledger commit
//! together; a warning or a count that was not foreseen is never a success, the chunk is undone
//! and goes down the slow lane, where the bad records are isolated; what can pass by itself
//! (deadlocks, lost connections) is tried again a whole chunk at a time, after the ledger was
//! asked. Nothing here chooses: it does what its [`LoadSpec`] says.

mod bulk_protocol;
mod cancel;
mod codes;
mod error;
pub mod failpoint;
pub mod flush;
pub mod index_ddl;
mod insert;
mod lane;
pub mod ledger;
mod load_data;
mod loader;
mod one_statement;
mod positions;
mod reject;
mod rocksdb;
mod row_by_row;
mod sample;
pub mod scratch;
pub mod server_files;
mod session;
mod slow;
pub mod sort;
mod spec;
mod sql;
pub mod staging;
pub mod transfer;
mod turnstile;
mod untransacted;
pub mod verify;

pub use cancel::Cancel;
pub use codes::{Class, classify};
pub use error::{Disposition, LoadError};
pub use ledger::{ChunkCounts, Ledger};
pub use loader::{ChunkOutcome, Loader};
pub use sample::Sample;
pub use session::Session;
pub use spec::{KeyNames, LoadSpec, RetryPolicy, keys_decide, workers_max};
pub use turnstile::Turnstile;
