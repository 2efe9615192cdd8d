//! Progress on standard error: a bar on a terminal, nothing elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use shared::run::Progress;
use shared::units;
use tokio::sync::watch;

/// Shows a run's progress until it ends.
pub async fn follow(mut progress: watch::Receiver<Progress>) {
    if !std::io::stderr().is_terminal() {
        while progress.changed().await.is_ok() {}
        return;
    }
    let bar = ProgressBar::new(0);
    bar.set_style(style());
    bar.enable_steady_tick(Duration::from_millis(200));
    while progress.changed().await.is_ok() {
        let p = progress.borrow_and_update().clone();
        bar.set_length(p.step_bytes_total.unwrap_or(0));
        bar.set_position(p.step_bytes);
        bar.set_message(words(&p));
    }
    bar.finish_and_clear();
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {wide_bar} {bytes}/{total_bytes} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn words(p: &Progress) -> String {
    let mut parts = Vec::new();
    if let Some(step) = p.step {
        parts.push(step.as_str().replace('_', " "));
    }
    parts.push(units::rows_per_sec(p.rows_per_sec));
    if let Some((low, high)) = p.remaining_ms {
        parts.push(format!("{} to {} left", units::duration_ms(low), units::duration_ms(high)));
    }
    if p.rows_rejected > 0 {
        parts.push(format!("{} refused", units::count(p.rows_rejected)));
    }
    parts.join(", ")
}
