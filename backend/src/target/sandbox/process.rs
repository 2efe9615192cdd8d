//! The sandbox's process: made, watched, stopped, and cleared away after a crash.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::failure;
use super::settings::{Tools, user_name};
use crate::target::TargetError;

/// How long a server may take to write everything down before it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// A running server.
#[derive(Debug)]
pub(super) struct Server {
    id: u32,
    ended: Arc<AtomicBool>,
    waiter: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it. It gets a signal to stop when this process dies, even by `kill -9`.
    pub(super) fn spawn(
        program: &Path,
        arguments: Vec<OsString>,
        dir: &Path,
    ) -> Result<Self, TargetError> {
        let mut command = match find_setpriv() {
            Some(setpriv) => {
                let mut command = Command::new(setpriv);
                command.args(["--pdeathsig", "TERM", "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(arguments).current_dir(dir);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let ended = Arc::new(AtomicBool::new(false));
        let (tell, told) = mpsc::channel();
        let flag = Arc::clone(&ended);
        // The signal at death is bound to the thread that started the process, not to the
        // process: so this thread does nothing but wait for the server's end.
        let waiter = std::thread::Builder::new()
            .name("sandbox".to_owned())
            .spawn(move || match command.spawn() {
                Ok(mut child) => {
                    let _ = tell.send(Ok(child.id()));
                    let _ = child.wait();
                    flag.store(true, Ordering::Release);
                }
                Err(error) => {
                    let _ = tell.send(Err(error));
                }
            })
            .map_err(|e| failure(&format!("does not start: {e}")))?;
        match told.recv() {
            Ok(Ok(id)) => Ok(Self { id, ended, waiter: Some(waiter) }),
            Ok(Err(error)) => Err(failure(&format!("does not start: {error}"))),
            Err(_) => Err(failure("does not start: its thread died")),
        }
    }

    pub(super) const fn process_id(&self) -> u32 {
        self.id
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Stops it and waits for its end.
    pub(super) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        if let Some(pid) = pid(self.id).filter(|_| !self.ended.load(Ordering::Acquire)) {
            stop_process(pid, || self.ended.load(Ordering::Acquire));
        }
        let _ = waiter.join();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn find_setpriv() -> Option<PathBuf> {
    ["/usr/bin/setpriv", "/bin/setpriv", "/usr/sbin/setpriv"]
        .iter()
        .map(PathBuf::from)
        .find(|p| p.is_file())
}

fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Asks a process to end, and kills it where it does not.
fn stop_process(pid: Pid, has_ended: impl Fn() -> bool) {
    let _ = kill_process(pid, Signal::TERM);
    let begun = Instant::now();
    while !has_ended() {
        if begun.elapsed() > STOP_TIMEOUT {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Stops a server that a killed service left running on this folder.
pub(super) fn stop_leftover(dir: &Path) {
    let file = dir.join("server.pid");
    let id = std::fs::read_to_string(&file).ok().and_then(|t| t.trim().parse::<u32>().ok());
    let Some((id, pid)) = id.and_then(|id| Some((id, pid(id)?))) else { return };
    // The number may belong to some other process by now: look at what it runs.
    if runs_on(id, dir) {
        stop_process(pid, || test_kill_process(pid).is_err() || !runs_on(id, dir));
    }
    let _ = std::fs::remove_file(file);
}

fn runs_on(id: u32, dir: &Path) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{id}/cmdline")) else { return false };
    let mut wanted = b"--datadir=".to_vec();
    wanted.extend_from_slice(dir.join("data").as_os_str().as_encoded_bytes());
    line.split(|b| *b == 0).any(|argument| argument == wanted)
}

/// Makes the data folder, unless a whole one is there. One that was cut short is made anew.
pub(super) fn install(tools: &Tools, dir: &Path) -> Result<(), TargetError> {
    let (data, mark) = (dir.join("data"), dir.join("installed"));
    if mark.is_file() && data.join("mysql").is_dir() {
        return Ok(());
    }
    let cannot = |e: std::io::Error| failure(&format!("cannot be installed: {e}"));
    if data.exists() {
        std::fs::remove_dir_all(&data).map_err(cannot)?;
    }
    let mut command = Command::new(&tools.install);
    command
        .arg("--no-defaults")
        .arg(format!("--datadir={}", data.display()))
        .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
        .stdin(Stdio::null());
    if let Some(user) = user_name() {
        command.arg(format!("--user={user}"));
    }
    let done = command.output().map_err(cannot)?;
    if !done.status.success() {
        let words = String::from_utf8_lossy(&done.stderr).into_owned();
        let words = if words.trim().is_empty() {
            String::from_utf8_lossy(&done.stdout).into_owned()
        } else {
            words
        };
        return Err(failure(&format!("cannot be installed: {}", tail(&words))));
    }
    std::fs::write(mark, b"").map_err(cannot)
}

/// The last lines of the server's log.
pub(super) fn end_of_log(dir: &Path) -> String {
    let bytes = std::fs::read(dir.join("server.log")).unwrap_or_default();
    tail(&String::from_utf8_lossy(&bytes))
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join(" | ")
}
