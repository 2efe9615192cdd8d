//! A run's events: server-sent, a few times a second, ending with the run.
//!
//! Every event tells the whole state, so that nothing need be kept for those who connect late or
//! again: they get the state of now at once and go on from there.

use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;
use futures_util::stream::unfold;
use serde::Serialize;
use shared::run::{Progress, RunView};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::State;
use super::error::ApiError;

/// Time between two looks at a run, and so between two of its events.
const EVERY: Duration = Duration::from_millis(300);
/// A sign of life while nothing changes, for proxies and for noticing clients that have gone.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The identity of the last event: a browser that comes back with it needs no more.
const END_ID: &str = "end";

/// `GET /runs/{id}/events`.
pub async fn follow(
    request: HttpRequest,
    id: web::Path<String>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let run = state.runs.view(&id).await?;
    let last = request.headers().get("Last-Event-ID").map(header::HeaderValue::as_bytes);
    if run.status.is_final() && last == Some(END_ID.as_bytes()) {
        // The one answer that stops a browser from connecting again and again.
        return Ok(HttpResponse::NoContent().finish());
    }
    let (events, receiver) = mpsc::channel::<Bytes>(4);
    actix_web::rt::spawn(send_events(state, run, events));
    let body = unfold(receiver, |mut receiver| async move {
        let event = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(event), receiver))
    });
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(body))
}

async fn send_events(state: web::Data<State>, run: RunView, events: mpsc::Sender<Bytes>) {
    let mut stopping = state.stopping.clone();
    tokio::select! {
        result = watch_run(&state, run, &events) => {
            if let Err(error) = result {
                // The browser connects again by itself; the log has the cause.
                tracing::error!("a run's events cannot be told: {error}");
            }
        }
        _ = stopping.wait_for(|stopping| *stopping) => {}
        () = events.closed() => {}
    }
}

async fn watch_run(
    state: &State,
    run: RunView,
    events: &mpsc::Sender<Bytes>,
) -> Result<(), ApiError> {
    let mut source = Source::of(state, run);
    let mut every = interval(EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent: Option<Progress> = None;
    let mut sent_at = Instant::now();
    let mut number = 0_u64;
    loop {
        every.tick().await;
        let (progress, ended) = source.look(state).await?;
        if sent.as_ref() != Some(&progress) {
            number += 1;
            if send(events, "progress", &number.to_string(), &progress).await.is_err() {
                return Ok(());
            }
            sent = Some(progress);
            sent_at = Instant::now();
        } else if sent_at.elapsed() >= HEARTBEAT {
            if events.send(Bytes::from_static(b": still here\n\n")).await.is_err() {
                return Ok(());
            }
            sent_at = Instant::now();
        }
        if let Some(run) = ended {
            // Whether the client still listens no longer matters.
            let _ = send(events, "end", END_ID, &run).await;
            return Ok(());
        }
    }
}

/// Where a run's progress is read.
enum Source {
    /// From the run itself, which is under way in this process.
    Live { run_id: String, progress: watch::Receiver<Progress> },
    /// From its record: it has ended, waits, or is under way in another process.
    Record { run: Box<RunView>, rate: Rate, fresh: bool },
}

impl Source {
    fn of(state: &State, run: RunView) -> Self {
        match state.runs.subscribe(&run.run_id) {
            Some(progress) => Self::Live { run_id: run.run_id, progress },
            None => Self::Record { rate: Rate::new(&run), run: Box::new(run), fresh: true },
        }
    }

    /// The progress of now, and the run's record once it has ended.
    async fn look(&mut self, state: &State) -> Result<(Progress, Option<RunView>), ApiError> {
        if let Self::Live { run_id, progress } = self {
            // The channel closes once the run's record is written.
            if progress.has_changed().is_ok() {
                return Ok((progress.borrow().clone(), None));
            }
            let run = state.runs.view(run_id).await?;
            *self = Self::of(state, run);
        } else if let Self::Record { run, fresh: false, .. } = self {
            let now = state.runs.view(&run.run_id).await?;
            match Self::of(state, now) {
                Self::Record { run: now, .. } => **run = *now,
                live @ Self::Live { .. } => *self = live,
            }
        }
        Ok(match self {
            Self::Live { progress, .. } => (progress.borrow().clone(), None),
            Self::Record { run, rate, fresh } => {
                *fresh = false;
                let ended = run.status.is_final().then(|| (**run).clone());
                (progress_of(run, rate), ended)
            }
        })
    }
}

/// One event. JSON has no raw line feeds, so that one `data:` line holds it.
async fn send(
    events: &mpsc::Sender<Bytes>,
    name: &str,
    id: &str,
    data: &impl Serialize,
) -> Result<(), mpsc::error::SendError<Bytes>> {
    let json = serde_json::to_string(data).unwrap_or_else(|error| {
        tracing::error!("an event cannot be written: {error}");
        "null".to_owned()
    });
    events.send(Bytes::from(format!("event: {name}\nid: {id}\ndata: {json}\n\n"))).await
}

/// A run's progress as the control database has it.
fn progress_of(run: &RunView, rate: &mut Rate) -> Progress {
    let running = run.steps.iter().find(|s| Some(s.step) == run.step);
    let step_bytes = running.map_or(run.bytes_read, |s| s.bytes);
    let (rows_per_sec, bytes_per_sec) = rate.note(run);
    Progress {
        status: run.status,
        step: run.step,
        steps: run.steps.clone(),
        rows_read: run.rows_read,
        rows_loaded: run.rows_loaded,
        rows_rejected: run.rows_rejected,
        rows_skipped: run.rows_skipped,
        step_bytes,
        step_bytes_total: (run.file_bytes > 0).then_some(run.file_bytes),
        rows_per_sec,
        bytes_per_sec,
        remaining_ms: None,
        retries: run.retries,
        elapsed_ms: run.elapsed_ms,
        workers: Vec::new(),
    }
}

/// The speed over the last seconds, out of what was seen of a run.
struct Rate {
    /// Elapsed milliseconds, rows, bytes; the oldest first.
    seen: std::collections::VecDeque<(u64, u64, u64)>,
}

impl Rate {
    const WINDOW_MS: u64 = 4000;

    fn new(run: &RunView) -> Self {
        Self { seen: [(run.elapsed_ms, run.rows_read, run.bytes_read)].into() }
    }

    /// Rows and bytes a second.
    fn note(&mut self, run: &RunView) -> (f64, f64) {
        let now = (run.elapsed_ms, run.rows_read, run.bytes_read);
        if self.seen.back() != Some(&now) {
            self.seen.push_back(now);
        }
        while self.seen.len() > 2
            && self.seen.front().is_some_and(|first| first.0 + Self::WINDOW_MS < now.0)
        {
            self.seen.pop_front();
        }
        let Some(first) = self.seen.front() else { return (0.0, 0.0) };
        let secs = now.0.saturating_sub(first.0) as f64 / 1000.0;
        if secs <= 0.0 {
            return (0.0, 0.0);
        }
        let per_sec = |to: u64, from: u64| to.saturating_sub(from) as f64 / secs;
        (per_sec(now.1, first.1), per_sec(now.2, first.2))
    }
}
