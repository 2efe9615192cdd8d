//! `cargo xtask test`: every check there is, one line each, and a closing line that adds them up.
//!
//! A step that fails does not keep the later ones from running: one run names all that is wrong.

pub mod browser;
mod checks;
mod rust;
mod tally;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::args::Args;
use crate::packages::{self, C_COMPILER, MARIADB};
use crate::say;
use crate::workspace::Workspace;

use self::tally::Tally;

/// One part of the verdict.
struct Step {
    /// What `--only` calls it.
    name: &'static str,
    /// Does it, and counts.
    run: fn(&Workspace) -> Result<Tally>,
}

/// Cheap verdicts first; the dashboard before the service that has it inside, so that the service
/// is compiled once.
const STEPS: [Step; 8] = [
    Step { name: "fmt", run: checks::fmt },
    Step { name: "front", run: browser::dashboard },
    Step { name: "clippy", run: checks::clippy },
    Step { name: "unit", run: rust::unit },
    Step { name: "wasm", run: checks::wasm },
    Step { name: "deny", run: checks::deny },
    Step { name: "it", run: rust::integration },
    Step { name: "e2e", run: browser::end_to_end },
];

/// Runs the steps that were asked for, all without `--only`.
pub fn run(workspace: &Workspace, args: &mut Args) -> Result<ExitCode> {
    let only = args.value("--only")?;
    args.finish()?;
    let steps = chosen(only.as_deref())?;

    let started = Instant::now();
    let mut needs = vec![&C_COMPILER];
    if steps.iter().any(|step| step.name == "it" || step.name == "e2e") {
        needs.push(&MARIADB);
    }
    packages::ensure(workspace, &needs)?;

    let mut total = Tally::default();
    let mut unwell = Vec::new();
    for step in steps {
        let tally = (step.run)(workspace).unwrap_or_else(|error| {
            say::error(&error);
            Tally::one_failed()
        });
        if tally.failed > 0 {
            unwell.push(step.name);
        }
        total += tally;
    }

    if !unwell.is_empty() {
        say::line(&format!("\nNot well: {}", unwell.join(", ")));
    }
    say::line(&format!("All of it took {}", say::seconds(started.elapsed())));
    say::line(&total.closing_line());
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Fetches what the steps need beyond what `up` does.
pub fn setup(workspace: &Workspace) -> Result<()> {
    browser::setup(workspace)
}

fn chosen(only: Option<&str>) -> Result<Vec<&'static Step>> {
    let Some(only) = only else {
        return Ok(STEPS.iter().collect());
    };
    let mut steps = Vec::new();
    for name in only.split(',') {
        match STEPS.iter().find(|step| step.name == name) {
            Some(step) => steps.push(step),
            None => {
                let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
                bail!("there is no step `{name}`; there are {}", names.join(", "));
            }
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_by_name() {
        assert_eq!(chosen(None).unwrap().len(), STEPS.len());
        let names: Vec<_> = chosen(Some("e2e,fmt")).unwrap().iter().map(|step| step.name).collect();
        assert_eq!(names, ["e2e", "fmt"]);
        assert!(chosen(Some("fmt,typo")).is_err());
    }
}
