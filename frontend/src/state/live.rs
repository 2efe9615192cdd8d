//! A run as it goes on: its view, its progress, its curve.

use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::ErrorBody;
use shared::run::{Progress, RunView};

use super::Latest;
use crate::api;
use crate::api::events::{News, Watch};
use crate::model::series::{Point, Series};

/// A run that is watched.
#[derive(Clone, Copy)]
pub struct Live {
    /// The run, once it is known.
    pub view: RwSignal<Option<RunView>>,
    /// How fast it is, while it runs.
    pub progress: RwSignal<Option<Progress>>,
    /// Its throughput since the page was opened.
    pub series: RwSignal<Series>,
    /// Whether the stream is lost for the moment.
    pub lost: RwSignal<bool>,
    /// Why the run cannot be shown.
    pub error: RwSignal<Option<ErrorBody>>,
    watch: StoredValue<Option<Watch>, LocalStorage>,
    turn: Latest,
}

impl Live {
    /// Watches nothing yet. The stream closes with the owner.
    pub fn new() -> Self {
        let live = Self {
            view: RwSignal::new(None),
            progress: RwSignal::new(None),
            series: RwSignal::new(Series::default()),
            lost: RwSignal::new(false),
            error: RwSignal::new(None),
            watch: StoredValue::new_local(None),
            turn: Latest::new(),
        };
        let watch = live.watch;
        on_cleanup(move || {
            watch.try_update_value(|w| *w = None);
        });
        live
    }

    /// Watches a run from now on.
    pub fn watch(self, id: &str) {
        let turn = self.turn.ask();
        self.watch.set_value(None);
        self.series.set(Series::default());
        self.progress.set(None);
        self.error.set(None);
        self.lost.set(false);
        if self.view.with_untracked(|v| v.as_ref().is_some_and(|v| v.run_id != id)) {
            self.view.set(None);
        }
        let id = id.to_owned();
        spawn_local(async move {
            let answer = api::run(&id).await;
            if !self.turn.is_last(turn) {
                return;
            }
            match answer {
                Ok(view) => {
                    let running = !view.status.is_final();
                    self.show(view);
                    if running {
                        self.listen(&id);
                    }
                }
                Err(error) => self.error.set(Some(error)),
            }
        });
    }

    /// Watches nothing any more.
    pub fn forget(self) {
        self.turn.ask();
        self.watch.set_value(None);
        self.view.set(None);
        self.progress.set(None);
        self.series.set(Series::default());
        self.error.set(None);
    }

    fn listen(self, id: &str) {
        let watched = id.to_owned();
        let watch = Watch::run(id, move |news| match news {
            News::Open => {
                if self.lost.try_get_untracked() == Some(true) {
                    let _ = self.lost.try_set(false);
                    self.look(&watched);
                }
            }
            News::Lost => {
                let _ = self.lost.try_set(true);
                self.look(&watched);
            }
            News::Progress(progress) => self.take(&progress),
            News::End(view) => {
                self.show(*view);
            }
        });
        self.watch.set_value(Some(watch));
    }

    /// Looks whether the run ended while the stream was lost, and fills the gap in its curve.
    fn look(self, id: &str) {
        let id = id.to_owned();
        let turn = self.turn.ask();
        spawn_local(async move {
            let Ok(view) = api::run(&id).await else { return };
            if !self.turn.is_last(turn) {
                return;
            }
            if view.status.is_final() {
                self.watch.set_value(None);
                self.show(view);
            } else if !view.curve.is_empty() {
                let _ = self.series.try_set(Series::from_curve(&view.curve));
            }
        });
    }

    /// Shows what the service has of the run: its end, or its state of now.
    fn show(self, view: RunView) {
        let _ = self.lost.try_set(false);
        let _ = self.progress.try_set(None);
        if !view.curve.is_empty() {
            let _ = self.series.try_set(Series::from_curve(&view.curve));
        }
        let _ = self.view.try_set(Some(view));
    }

    fn take(self, progress: &Progress) {
        self.series.try_update(|s| {
            s.push(Point {
                at_ms: progress.elapsed_ms,
                rows_per_sec: progress.rows_per_sec,
                bytes_per_sec: progress.bytes_per_sec,
            });
        });
        self.view.try_update(|view| {
            if let Some(view) = view {
                view.status = progress.status;
                view.step = progress.step;
                view.steps.clone_from(&progress.steps);
                view.rows_read = progress.rows_read;
                view.rows_loaded = progress.rows_loaded;
                view.rows_rejected = progress.rows_rejected;
                view.rows_skipped = progress.rows_skipped;
                view.retries = progress.retries;
                view.elapsed_ms = progress.elapsed_ms;
            }
        });
        let _ = self.progress.try_set(Some(progress.clone()));
    }
}
