//! What only the system's package manager can bring: a database server, a compiler, a browser.
//!
//! Nothing is installed that is already there, nothing without saying so first, and where this
//! user may not install anything, the command that would do it is the answer.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process;
use crate::workspace::Workspace;

const INSTALL: &str = include_str!("packages/install.sh");

/// Something that the machine must have.
pub struct Need {
    /// What it is, in a person's words.
    pub what: &'static str,
    /// What it is for.
    pub why: &'static str,
    /// Whether the machine has it.
    pub present: fn() -> bool,
    /// Debian's and Ubuntu's packages that bring it.
    pub packages: &'static [&'static str],
    /// Packages that are taken along where the distribution has them.
    pub optional: &'static [&'static str],
}

/// The database server of the sandbox and of the tests.
pub const MARIADB: Need = Need {
    what: "a MariaDB server",
    why: "the private database that imports can be tried on",
    present: || {
        process::find("mariadbd").is_some() && process::find("mariadb-install-db").is_some()
    },
    packages: &["mariadb-server"],
    optional: &["mariadb-plugin-rocksdb"],
};

/// A C compiler: SQLite, zstd and the cryptography are partly written in C.
pub const C_COMPILER: Need = Need {
    what: "a C compiler",
    why: "parts of SQLite, zstd and ring",
    present: || process::find("cc").is_some(),
    packages: &["build-essential"],
    optional: &[],
};

/// Debian's compiler with the sources of its standard library, for the dashboard.
pub const DEBIAN_RUST: Need = Need {
    what: "a compiler for WebAssembly",
    why: "the dashboard, because rustup could not bring the wasm32-unknown-unknown target",
    present: || {
        process::find("wasm-ld-19").is_some()
            && std::path::Path::new("/usr/bin/rustc").is_file()
            && std::path::Path::new("/usr/lib/rustlib/src/rust/library/std").exists()
    },
    packages: &["rustc-web", "rust-web-src", "lld-19"],
    optional: &[],
};

/// Node, which drives the browser in the end-to-end tests.
pub const NODE: Need = Need {
    what: "Node.js with npm",
    why: "the end-to-end tests in a browser",
    present: || process::find("node").is_some() && process::find("npm").is_some(),
    packages: &["nodejs", "npm"],
    optional: &[],
};

/// The browser of the end-to-end tests, with letters to draw.
pub const CHROMIUM: Need = Need {
    what: "Chromium",
    why: "the end-to-end tests",
    present: || process::find("chromium").is_some(),
    packages: &["chromium", "fonts-liberation"],
    optional: &[],
};

/// Installs those of `needs` that are missing; fails with the command to run where it may not.
pub fn ensure(workspace: &Workspace, needs: &[&Need]) -> Result<()> {
    let missing: Vec<&Need> = needs.iter().copied().filter(|need| !(need.present)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages = words(&missing, |need| need.packages);
    let optional = words(&missing, |need| need.optional);
    let for_what: Vec<String> =
        missing.iter().map(|need| format!("{} ({})", need.what, need.why)).collect();
    let for_what = for_what.join(" and ");
    if process::find("apt-get").is_none() {
        bail!(
            "this machine lacks {for_what}, and has no apt-get to bring it: install what your \
             system calls {packages}, then run this again"
        );
    }
    let Some(mut command) = as_root() else {
        bail!(
            "this machine lacks {for_what}, and only root may install it. Run\n\n    \
             sudo apt-get install {packages}{}{optional}\n\nand then this again",
            if optional.is_empty() { "" } else { " " }
        );
    };
    let list =
        if optional.is_empty() { packages.clone() } else { format!("{packages} {optional}") };
    let title = format!("Installing {list} with apt-get, for {for_what}");
    command.args(["sh", "-c", INSTALL, "install.sh", &packages, &optional]);
    process::phase(&title, &mut command, &workspace.log("apt-get"))?;
    match missing.iter().find(|need| !(need.present)()) {
        None => Ok(()),
        Some(need) => bail!("apt-get succeeded, but {} is still not to be found", need.what),
    }
}

/// The start of a command that runs as root, where this user may.
fn as_root() -> Option<Command> {
    let is_root = process::capture(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    if is_root {
        return Some(Command::new("env"));
    }
    process::succeeds(Command::new("sudo").args(["-n", "true"])).then(|| {
        let mut sudo = Command::new("sudo");
        sudo.arg("-n");
        sudo
    })
}

fn words(needs: &[&Need], list: fn(&Need) -> &'static [&'static str]) -> String {
    needs.iter().flat_map(|need| list(need)).copied().collect::<Vec<_>>().join(" ")
}
