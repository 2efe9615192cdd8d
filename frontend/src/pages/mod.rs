//! One page a route.

mod checks;
mod estimate;
mod import;
mod kit;
mod mend;
mod rejects;
mod run;
mod run_parts;
mod runs;
mod target_form;
mod targets;
mod trials;

pub use estimate::EstimatePage;
pub use import::ImportPage;
pub use kit::KitPage;
pub use run::RunPage;
pub use runs::RunsPage;
pub use targets::TargetsPage;
pub use trials::TrialsPage;

use crate::{browser, text};

/// Names the tab.
fn title(words: &str) {
    browser::set_title(&format!("{words} · {}", text::APP));
}
