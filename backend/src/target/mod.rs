//! Connections, capabilities, table facts and the sandbox server.
//!
//! Everything here asks the target and changes nothing on it, but for the sandbox, which is a
//! whole private server of the service's own.

mod capabilities;
mod connect;
mod create_sql;
mod error;
mod facts;
mod privileges;
pub mod sandbox;
mod spec;
mod tables;

pub use capabilities::capabilities;
pub use connect::{connect, connect_loader, kill_connection, kill_query};
pub use error::TargetError;
pub use facts::table_facts;
pub use privileges::may;
pub use spec::TargetSpec;
pub use tables::{databases, tables};
