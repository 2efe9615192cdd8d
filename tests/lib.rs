//! Fixtures shared by the integration tests: real servers, a database of one's own, and the built
//! service.
//!
//! A test looks like this:
//!
//! ```no_run
//! # async fn a_test() -> anyhow::Result<()> {
//! for server in plimsoll_tests::servers()? {
//!     let database = server.database().await?;
//!     database.run("CREATE TABLE t (id INT PRIMARY KEY)").await?;
//!     let plimsoll = plimsoll_tests::Plimsoll::new()?;
//!     let output = plimsoll.run(["import", "t.csv", "--to", &database.url(), "--table", "t"])?;
//!     assert_eq!(output.status.code(), Some(0));
//!     assert_eq!(database.count("t").await?, 2);
//! }
//! # Ok(()) }
//! ```
//!
//! Each server is started once for the test program, when the first test asks for it, and dies
//! with the program, however that ends.

mod fixtures;

pub use fixtures::ambush::Ambush;
pub use fixtures::database::TestDatabase;
pub use fixtures::mariadb::mariadb;
pub use fixtures::mortal::MortalServer;
pub use fixtures::mysql::mysql;
pub use fixtures::orders;
pub use fixtures::plimsoll::{Plimsoll, Service};
pub use fixtures::proxy::Proxy;
pub use fixtures::server::{Flavour, TestServer};
pub use fixtures::small_disk::SmallDisk;

use anyhow::Result;

/// Every server that this machine can give: MariaDB always, MySQL where there is one.
///
/// # Errors
///
/// When a server that should be there does not start.
pub fn servers() -> Result<Vec<&'static TestServer>> {
    Ok([Some(mariadb()?), mysql()?].into_iter().flatten().collect())
}
