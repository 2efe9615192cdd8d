//! Running other programs: quietly, with their output in a log that is shown when they fail.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::say;

/// How often a terminal's line about the running program is renewed.
const TICK: Duration = Duration::from_millis(50);
/// Lines of a failed program's log that are worth showing.
const TAIL_LINES: usize = 80;

/// A program that has ended, well or not.
pub struct Ended {
    /// Whether it exited with zero.
    pub success: bool,
    /// All that it printed.
    pub output: String,
    /// How long it ran.
    pub elapsed: Duration,
}

/// A command and the file that its output goes to.
pub struct Job {
    /// What is run.
    pub command: Command,
    /// Where both its streams go.
    pub log: PathBuf,
}

/// Runs `command` with its output in `log`, as a phase with a title; fails with the log's tail.
pub fn phase(title: &str, command: &mut Command, log: &Path) -> Result<Ended> {
    say::begin(title);
    let ended = quietly(command, log)?;
    if ended.success {
        say::end("done", ended.elapsed);
        return Ok(ended);
    }
    say::end("failed", ended.elapsed);
    Err(failure(command, &ended.output, log))
}

/// Runs several commands side by side, as one phase; fails with the first that failed, once all
/// have ended.
pub fn phase_side_by_side(title: &str, mut jobs: Vec<Job>) -> Result<()> {
    say::begin(title);
    let started = Instant::now();
    let mut children = Vec::new();
    for job in &mut jobs {
        children.push(start(&mut job.command, &job.log)?);
    }
    let mut statuses = vec![None; children.len()];
    while let Some(running) = statuses.iter().position(Option::is_none) {
        for (child, status) in children.iter_mut().zip(&mut statuses) {
            if status.is_none() {
                *status = child.try_wait()?;
            }
        }
        say::tick(started.elapsed(), &last_line(&jobs[running].log));
        std::thread::sleep(TICK);
    }
    let failed = statuses.iter().position(|status| status.is_none_or(|status| !status.success()));
    say::end(if failed.is_some() { "failed" } else { "done" }, started.elapsed());
    match failed.and_then(|at| jobs.get(at)) {
        None => Ok(()),
        Some(job) => {
            let output = fs::read(&job.log)?;
            Err(failure(&job.command, &String::from_utf8_lossy(&output), &job.log))
        }
    }
}

/// Runs `command` with both its streams in `log`; a non-zero exit is no error here.
pub fn quietly(command: &mut Command, log: &Path) -> Result<Ended> {
    let started = Instant::now();
    let mut child = start(command, log)?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        say::tick(started.elapsed(), &last_line(log));
        std::thread::sleep(TICK);
    };
    let output = String::from_utf8_lossy(&fs::read(log)?).into_owned();
    Ok(Ended { success: status.success(), output, elapsed: started.elapsed() })
}

fn start(command: &mut Command, log: &Path) -> Result<Child> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    let out = File::create(log).with_context(|| format!("writing {}", log.display()))?;
    let err = out.try_clone()?;
    command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .with_context(|| format!("starting {}", describe(command)))
}

/// Shows the end of what a failed command said, and makes the error of it.
fn failure(command: &Command, output: &str, log: &Path) -> anyhow::Error {
    say::line(&tail(output, TAIL_LINES));
    anyhow!("{} failed; its whole output is in {}", describe(command), log.display())
}

/// What `command` prints on its standard output, trimmed; fails when it does.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("starting {}", describe(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        bail!("{} failed: {said}", describe(command));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether `command` can be started and exits with zero; its output is nobody's business.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Where `program` is: on the PATH, or where servers are kept that no PATH of a user names.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/usr/libexec", "/usr/local/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// The last `lines` lines of `text`.
pub fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().take(4).map(|word| word.to_string_lossy().into_owned()));
    format!("`{}`", words.join(" "))
}

fn last_line(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(end.saturating_sub(400)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, log: &Path) -> Job {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Job { command, log: log.to_path_buf() }
    }

    #[test]
    fn one_that_fails_fails_all_after_all_have_ended() {
        let folder = std::env::temp_dir().join(format!("xtask-{}", std::process::id()));
        let logs = [folder.join("a"), folder.join("b")];
        let both = |a, b| vec![shell(a, &logs[0]), shell(b, &logs[1])];
        phase_side_by_side("two that do well", both("echo a", "echo b")).unwrap();
        let error = phase_side_by_side("one that does not", both("exit 3", "echo late"));
        let second = fs::read_to_string(&logs[1]).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.unwrap_err().to_string().contains("exit 3"));
        assert_eq!(second, "late\n");
    }

    #[test]
    fn the_tail_is_no_longer_than_the_text() {
        assert_eq!(tail("a\nb\nc", 2), "b\nc");
        assert_eq!(tail("a", 9), "a");
    }
}
