//! Trunk, which bundles the dashboard.

use super::install::Tool;

/// The Trunk that the bundle is made with. It never downloads anything for us, so that it is built
/// without the means to.
pub const TRUNK: Tool<'static> = Tool {
    program: "trunk",
    krate: "trunk",
    version: "0.21.14",
    flags: &["--locked", "--no-default-features"],
};
