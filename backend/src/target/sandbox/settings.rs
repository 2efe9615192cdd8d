//! Which programs make a sandbox, and with which settings it runs.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::target::TargetError;

/// A Unix socket's path must fit into 108 bytes.
const SOCKET_PATH_MAX: usize = 100;

/// The programs of an installed MariaDB.
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) server: PathBuf,
    pub(super) install: PathBuf,
    pub(super) rocksdb: bool,
}

/// Finds the server and the program that makes a data folder.
pub(super) fn find_tools() -> Result<Tools, TargetError> {
    let missing = |what: &str| TargetError::Sandbox {
        message: format!("No MariaDB server is installed: there is no {what}."),
        hint: "Install it (Debian and Ubuntu: apt-get install mariadb-server-core \
               mariadb-plugin-rocksdb), or save a target of your own."
            .to_owned(),
    };
    let server = find(&["mariadbd"]).ok_or_else(|| missing("mariadbd"))?;
    let install = find(&["mariadb-install-db", "mysql_install_db"])
        .ok_or_else(|| missing("mariadb-install-db"))?;
    Ok(Tools { server, install, rocksdb: plugin("ha_rocksdb.so") })
}

fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/sbin", "/usr/local/bin"];
    let folders: Vec<PathBuf> =
        std::env::split_paths(&path).chain(usual.iter().map(PathBuf::from)).collect();
    names.iter().find_map(|name| {
        folders.iter().map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
    })
}

fn plugin(name: &str) -> bool {
    ["/usr/lib/mysql/plugin", "/usr/lib64/mysql/plugin", "/usr/lib/mariadb/plugin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).is_file())
}

/// Only the owner may look into the folder: whoever reaches the socket is root on the server.
pub(super) fn only_for_owner(dir: &Path) -> io::Result<()> {
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700))
}

/// The socket lies in the folder, or where the path would be too long in one of our own under
/// the folder for temporary files.
pub(super) fn socket_path(dir: &Path) -> io::Result<PathBuf> {
    let inside = dir.join("server.sock");
    if inside.as_os_str().len() <= SOCKET_PATH_MAX {
        return Ok(inside);
    }
    let hash = xxhash_rust::xxh3::xxh3_64(dir.as_os_str().as_encoded_bytes());
    let base = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let outside = base.join(format!("plimsoll-{hash:016x}"));
    std::fs::create_dir_all(&outside)?;
    only_for_owner(&outside)?;
    Ok(outside.join("server.sock"))
}

/// The server's arguments.
pub(super) fn arguments(dir: &Path, socket: &Path, rocksdb: bool) -> Vec<OsString> {
    let memory = memory_bytes().unwrap_or(2 << 30);
    let pool = (memory / 4).clamp(128 << 20, 2 << 30);
    let path = |name: &str, value: &Path| {
        let mut argument = OsString::from(format!("--{name}="));
        argument.push(value);
        argument
    };
    let mut list = vec![
        OsString::from("--no-defaults"),
        path("datadir", &dir.join("data")),
        path("socket", socket),
        path("pid-file", &dir.join("server.pid")),
        path("log-error", &dir.join("server.log")),
        path("secure-file-priv", &dir.join("files")),
        path("tmpdir", &dir.join("files")),
        OsString::from(format!("--innodb-buffer-pool-size={pool}")),
    ];
    let fixed = [
        "--skip-networking",
        "--local-infile=1",
        "--innodb-log-file-size=1G",
        "--innodb-flush-log-at-trx-commit=1",
        "--max-allowed-packet=64M",
        "--character-set-server=utf8mb4",
        "--skip-log-bin",
        "--skip-name-resolve",
    ];
    list.extend(fixed.map(OsString::from));
    if let Some(user) = user_name() {
        list.push(OsString::from(format!("--user={user}")));
    }
    if rocksdb {
        list.push(OsString::from("--plugin-load-add=ha_rocksdb"));
        list.push(OsString::from("--loose-rocksdb-block-cache-size=256M"));
    }
    list
}

/// The server refuses to run as root unless told so by name.
pub(super) fn user_name() -> Option<String> {
    let id = rustix::process::geteuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then(|| name.to_owned())
    })
}

fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
