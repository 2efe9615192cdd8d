//! The dashboard's tool chain, fetched into the project's own `target/` where it is missing.

mod bindgen;
pub mod install;
pub mod pack;
mod trunk;
pub mod wasm_opt;
pub mod wasm_target;

use std::path::PathBuf;

use anyhow::Result;

use self::install::Tool;
use crate::process::{self, Job};
use crate::workspace::Workspace;

/// Finds Trunk and wasm-bindgen, or builds what is missing of them, with `meanwhile` beside it:
/// compiling them leaves a core idle now and then. Returns where Trunk is.
pub fn ensure(workspace: &Workspace, meanwhile: Option<Job>) -> Result<PathBuf> {
    let version = bindgen::version(workspace)?;
    let tools = [trunk::TRUNK, bindgen::tool(&version)];
    let missing: Vec<&Tool<'_>> =
        tools.iter().filter(|tool| tool.find(workspace).is_none()).collect();
    if !missing.is_empty() {
        let names: Vec<String> =
            missing.iter().map(|tool| format!("{} {}", tool.program, tool.version)).collect();
        let beside = if meanwhile.is_some() { ", the dashboard's code beside" } else { "" };
        let title = format!(
            "Building {}, once{beside} (six minutes or so on two cores)",
            names.join(" and ")
        );
        let jobs = missing.iter().map(|tool| tool.job(workspace)).chain(meanwhile).collect();
        process::phase_side_by_side(&title, jobs)?;
    }
    for tool in &tools {
        tool.built(workspace)?;
    }
    trunk::TRUNK.built(workspace)
}
