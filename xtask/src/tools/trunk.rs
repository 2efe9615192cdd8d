//! Trunk, which bundles the dashboard.

use std::path::PathBuf;

use anyhow::Result;

use super::install::{self, Tool};
use crate::workspace::Workspace;

/// Finds or builds Trunk.
pub fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    let tool = Tool {
        program: "trunk",
        krate: "trunk",
        version: "0.21.14",
        locked: true,
        takes: "about 4 minutes",
    };
    install::ensure(workspace, &tool)
}
