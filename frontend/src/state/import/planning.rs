//! Planning, checking and starting what the form asks for.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::plan::Severity;

use super::{Import, Reader};
use crate::api;
use crate::model::form::Into;

/// A file up to this size is checked by itself.
const CHECK_BYTES_MAX: u64 = 32 << 20;

impl Import {
    /// Plans anew when the file, the place or a wish changes.
    pub(super) fn follow_plan(self) {
        let request = Memo::new(move |_| {
            let id = self.uploader.state.with(|u| u.id.clone().filter(|_| u.is_done()))?;
            self.seen.with(|s| s.as_ref().is_some_and(|s| s.by == Reader::Service)).then_some(())?;
            self.form.with(|f| f.plan_request(&id))
        });
        let whole =
            Memo::new(move |_| self.seen.with(|s| s.as_ref().is_some_and(|s| s.profile.whole)));
        Effect::new(move |_| {
            whole.track();
            let ticket = self.latest_plan.ask();
            let Some(request) = request.get() else {
                self.plan.set(None);
                self.plan_fault.set(None);
                self.planning.set(false);
                self.go_on(false);
                return;
            };
            self.planning.set(true);
            // What a check found holds no longer.
            self.latest_check.ask();
            self.checking.set(false);
            self.check.set(None);
            spawn_local(async move {
                TimeoutFuture::new(120).await;
                if !self.latest_plan.is_last(ticket) {
                    return;
                }
                let answer = api::plan(&request).await;
                if !self.latest_plan.is_last(ticket) {
                    return;
                }
                self.planning.set(false);
                match answer {
                    Ok(plan) => {
                        self.plan_fault.set(None);
                        self.plan.set(Some(plan));
                        self.check_small();
                        self.go_on(!untrack(|| self.stopped()));
                    }
                    Err(error) => {
                        self.plan.set(None);
                        self.plan_fault.set(Some(error));
                        self.go_on(false);
                    }
                }
            });
        });
    }

    /// Checks a small file against a table that is there without being asked, so that the matching
    /// shows what would be refused.
    fn check_small(self) {
        let bytes = self.uploader.state.with_untracked(|u| u.total);
        let old = self.form.with_untracked(|f| f.into == Into::Existing);
        let idle = !self.checking.get_untracked() && self.run_id.with_untracked(Option::is_none);
        if old && idle && bytes <= CHECK_BYTES_MAX {
            self.check_all();
        }
    }

    /// Checks every row against the table.
    pub fn check_all(self) {
        let Some(request) = self.request() else { return };
        self.checking.set(true);
        self.check.set(None);
        let ticket = self.latest_check.ask();
        spawn_local(async move {
            let answer = api::check(&request).await;
            if self.latest_check.is_last(ticket) {
                self.check.set(Some(answer));
                self.checking.set(false);
            }
        });
    }

    fn request(self) -> Option<shared::api::PlanRequest> {
        let id = self.uploader.state.with_untracked(|u| u.id.clone())?;
        let choice = untrack(|| self.taken()).map(|(_, c)| c.choice);
        self.form.with_untracked(|f| f.run_request(&id, choice))
    }

    /// Whether a finding, or a column that gets no value, keeps the import from starting.
    pub fn stopped(self) -> bool {
        self.plan.with(|p| {
            p.as_ref().is_some_and(|p| p.prechecks.iter().any(|c| c.severity == Severity::Stops))
        }) || !self.missing().is_empty()
    }

    /// Starts the run; while a plan is made anew, as soon as that allows it: a press is never lost.
    pub fn run(self) {
        self.starting.set(true);
        self.start_fault.set(None);
        if self.planning.get_untracked() {
            self.start_waits.set_value(true);
        } else {
            self.begin();
        }
    }

    /// Ends a start's waiting for a plan.
    fn go_on(self, allowed: bool) {
        if !self.start_waits.get_value() {
            return;
        }
        self.start_waits.set_value(false);
        if allowed {
            self.begin();
        } else {
            self.starting.set(false);
        }
    }

    fn begin(self) {
        let Some(request) = self.request() else {
            self.starting.set(false);
            return;
        };
        spawn_local(async move {
            let answer = api::start(&request).await;
            self.starting.set(false);
            match answer {
                Ok(run) => self.run_id.set(Some(run.run_id)),
                Err(error) => self.start_fault.set(Some(error)),
            }
        });
    }
}
