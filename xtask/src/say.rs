//! What a person at the terminal reads: one calm line per phase, and how long it took.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a command-line program")]

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// Prints one line.
pub fn line(text: &str) {
    println!("{text}");
}

/// Prints an error with its causes.
pub fn error(error: &anyhow::Error) {
    eprintln!("\nxtask: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
}

/// Announces a phase, before anything of it happens.
pub fn begin(title: &str) {
    println!("{title} …");
    let _ = std::io::stdout().flush();
}

/// Replaces the terminal's last line by how far the phase is; does nothing where nobody looks.
pub fn tick(elapsed: Duration, last_output: &str) {
    if !std::io::stdout().is_terminal() {
        return;
    }
    let last: String = last_output.chars().filter(|c| !c.is_control()).take(60).collect();
    print!("\r\x1b[K  {}  {last}", seconds(elapsed));
    let _ = std::io::stdout().flush();
}

/// Closes a phase.
pub fn end(result: &str, elapsed: Duration) {
    let clear = if std::io::stdout().is_terminal() { "\r\x1b[K" } else { "" };
    println!("{clear}  {result} in {}", seconds(elapsed));
}

/// A duration as a person says it: `0.4 s`, `12 s`, `3 min 5 s`.
pub fn seconds(elapsed: Duration) -> String {
    let secs = elapsed.as_secs_f64();
    if secs < 9.95 {
        format!("{secs:.1} s")
    } else if secs < 119.5 {
        format!("{secs:.0} s")
    } else {
        let whole = secs.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        let said = |ms| seconds(Duration::from_millis(ms));
        assert_eq!(said(420), "0.4 s");
        assert_eq!(said(12_300), "12 s");
        assert_eq!(said(185_000), "3 min 5 s");
    }
}
