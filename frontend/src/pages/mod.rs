//! One page a route.

mod checks;
mod compare;
mod enter;
mod estimate;
mod history;
mod import;
mod kit;
mod mend;
mod rejects;
mod run;
mod run_parts;
mod target_form;
mod targets;
mod team;
mod trials;

pub use compare::ComparePage;
pub use enter::{InvitationPage, LoginPage};
pub use estimate::EstimatePage;
pub use history::RunsPage;
pub use import::ImportPage;
pub use kit::KitPage;
pub use run::RunPage;
pub use targets::TargetsPage;
pub use team::TeamPage;
pub use trials::TrialsPage;

use crate::{browser, text};

/// Names the tab.
fn title(words: &str) {
    browser::set_title(&format!("{words} · {}", text::APP));
}
