//! Every word on the screen, in one place: a translation is another copy of this folder.
//!
//! `words` names the wire's values, `import` and `record` hold the pages' texts.

pub mod foresee;
pub mod import;
pub mod record;
pub mod team;
pub mod words;

pub const APP: &str = "Plimsoll";
pub const SKIP: &str = "Skip to the content";
pub const NAV: &str = "Main";
pub const NAV_IMPORT: &str = "Import";
pub const NAV_RUNS: &str = "Runs";
pub const NAV_ESTIMATE: &str = "Estimate";
pub const NAV_TRIALS: &str = "Trials";
pub const NAV_TARGETS: &str = "Targets";
pub const THEME: &str = "Theme: as the system says, light or dark";
pub const THEME_AUTO: &str = "Auto";
pub const THEME_LIGHT: &str = "Light";
pub const THEME_DARK: &str = "Dark";

pub const CLOSE: &str = "Close";
pub const CANCEL: &str = "Cancel";
pub const COPY: &str = "Copy";
pub const COPIED: &str = "Copied.";
pub const COPY_LINK: &str = "Copy link";
pub const EXPLAIN: &str = "What is this?";
pub const NULL: &str = "NULL";
pub const NEXT: &str = "Next";
pub const PREVIOUS: &str = "Previous";
pub const DETECT_AGAIN: &str = "Detect again";
pub const USE: &str = "Use";

pub const NOT_FOUND_TITLE: &str = "There is nothing here";
pub const NOT_FOUND: &str = "The address may be mistyped, or what it named is gone.";
pub const TO_IMPORT: &str = "Import a file";
pub const TO_RUNS: &str = "All runs";

pub const SERVICE_AWAY: &str = "The service does not answer. It may be restarting; this page goes on by itself once it is back.";
pub const SESSION_OVER: &str = "The service no longer knows this browser. Open the address that it printed when it started, in this or another tab; this page then goes on by itself.";
pub const SERVICE_AWAY_SHORT: &str = "The service does not answer.";
pub const SERVICE_AWAY_HINT: &str = "Check that it is running (cargo xtask up), then try again.";

/// What a refused answer without a body means.
pub fn bare_status(status: u16) -> String {
    format!("The service answered with status {status}.")
}
pub const BARE_STATUS_HINT: &str = "Try again; if it stays, the service's log says more.";
pub const ODD_ANSWER: &str = "The service's answer could not be read.";
pub const ODD_ANSWER_HINT: &str = "Page and service may be of different versions: reload the page.";

/// `1–50 of 1,234`.
pub fn page_of(from: u64, to: u64, total: u64) -> String {
    use shared::units::count;
    format!("{}–{} of {}", count(from), count(to), count(total))
}

/// The foot of the rail.
pub fn as_person(who: &str) -> String {
    format!("as {who}")
}
