//! Planning, checking and starting what the form asks for.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Import, Reader};
use crate::api;

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
                return;
            };
            self.planning.set(true);
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
                    }
                    Err(error) => {
                        self.plan.set(None);
                        self.plan_fault.set(Some(error));
                    }
                }
            });
        });
    }

    /// Checks every row against the table.
    pub fn check_all(self) {
        let Some(request) = self.request() else { return };
        self.checking.set(true);
        self.check.set(None);
        spawn_local(async move {
            let answer = api::check(&request).await;
            let _ = self.check.try_set(Some(answer));
            let _ = self.checking.try_set(false);
        });
    }

    fn request(self) -> Option<shared::api::PlanRequest> {
        let id = self.uploader.state.with_untracked(|u| u.id.clone())?;
        let choice = untrack(|| self.taken()).map(|(_, c)| c.choice);
        self.form.with_untracked(|f| f.run_request(&id, choice))
    }

    /// Starts the run.
    pub fn run(self) {
        let Some(request) = self.request() else { return };
        self.starting.set(true);
        self.start_fault.set(None);
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
