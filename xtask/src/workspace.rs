//! Where things are: the clone, its `target/`, and what is kept inside it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The clone that this command works on.
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the clone from where cargo says this crate is, so that any current folder will do.
    pub fn find() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest)
            .parent()
            .context("the xtask crate has no parent folder")?
            .to_path_buf();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => std::path::absolute(dir)?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// The root of the clone.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path inside the clone.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Cargo's target folder.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The project's own tools: `bin/` and `node_modules/` are in here.
    pub fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// Where the output of each long command is kept.
    pub fn log(&self, name: &str) -> PathBuf {
        self.target.join("xtask").join(format!("{name}.log"))
    }

    /// The built service.
    pub fn plimsoll(&self, release: bool) -> PathBuf {
        self.target.join(if release { "release" } else { "debug" }).join("plimsoll")
    }
}
