//! The state of one resumable upload: what has happened, and what to do next.
//!
//! ```text
//! Idle ─▶ Creating ─▶ Sending ⇄ Paused          a lost connection: Sending ─▶ Waiting ─▶ Asking ─▶ Sending
//!   └──▶ Asking ──────▶ │ └─▶ Done               a refusal: any ─▶ Failed (the person may try again: Asking)
//! Missing: the page was reloaded; the service has a part and the file must be chosen again.
//! ```

use shared::ErrorBody;

/// Bytes of the first request; later ones grow with the rate.
const FIRST_CHUNK_BYTES: u64 = 4 << 20;
/// Bytes of one request at most.
const CHUNK_BYTES_MAX: u64 = 64 << 20;
/// How long one request should take: long enough to cost nothing, short enough to lose little.
const CHUNK_MS: f64 = 1500.0;
/// The longest wait before the next attempt.
const WAIT_MS_MAX: u32 = 20_000;
/// The rate is taken over this time.
const RATE_WINDOW_MS: f64 = 3000.0;

/// Where an upload stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Phase {
    /// There is none.
    #[default]
    Idle,
    /// The service makes room for it.
    Creating,
    /// The service is asked how much it has.
    Asking,
    /// Bytes are on their way.
    Sending,
    /// The person stopped it for a while.
    Paused,
    /// The connection was lost; the next attempt follows by itself.
    Waiting {
        /// Time until then.
        retry_ms: u32,
    },
    /// All of it has arrived.
    Done,
    /// The service has a part of it; the file must be chosen again to go on.
    Missing,
    /// The service refused it.
    Failed(ErrorBody),
}

/// What the world reports.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The service made room under this identity.
    Created(String),
    /// The service has this many bytes.
    Offset(u64),
    /// Of the request under way, this many bytes have left.
    Sent(u64),
    /// The connection broke.
    Lost,
    /// The service does not know this upload (any more).
    Gone,
    /// The service said no.
    Refused(ErrorBody),
    /// The person pauses.
    Pause,
    /// The person goes on.
    Resume,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Ask the service to make room.
    Create,
    /// Ask the service how much it has.
    Ask,
    /// Send these bytes of the file.
    Send {
        /// First byte.
        from: u64,
        /// How many.
        bytes: u64,
    },
    /// Wait, then ask.
    Wait(u32),
    /// Nothing more for now.
    Stop,
}

/// One upload.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Upload {
    /// Where it stands.
    pub phase: Phase,
    /// The file's name.
    pub name: String,
    /// Bytes in all.
    pub total: u64,
    /// Bytes that the service has confirmed.
    pub confirmed: u64,
    /// Bytes of the request under way that have left.
    pub in_flight: u64,
    /// The service's name for it.
    pub id: Option<String>,
    attempts: u32,
    samples: Vec<(f64, u64)>,
}

impl Upload {
    /// A new upload of a file, or the rest of one that the service has begun to receive as `id`.
    pub fn start(name: &str, total: u64, id: Option<String>) -> (Self, Action) {
        let known = id.is_some();
        let upload = Self {
            phase: if known { Phase::Asking } else { Phase::Creating },
            name: name.to_owned(),
            total,
            id,
            ..Self::default()
        };
        (upload, if known { Action::Ask } else { Action::Create })
    }

    /// What is known after a reload: the service has `received` bytes, the file is not at hand.
    pub fn reloaded(name: &str, total: u64, id: &str, received: u64) -> Self {
        Self {
            phase: if received >= total { Phase::Done } else { Phase::Missing },
            name: name.to_owned(),
            total,
            confirmed: received,
            id: Some(id.to_owned()),
            ..Self::default()
        }
    }

    /// Bytes that have left, confirmed or not.
    pub fn sent(&self) -> u64 {
        (self.confirmed + self.in_flight).min(self.total)
    }

    /// Share that has left, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.sent() as f64 / self.total as f64 }
    }

    /// Whether all of it is with the service.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Whether bytes move or are about to.
    pub fn is_active(&self) -> bool {
        matches!(
            self.phase,
            Phase::Creating | Phase::Asking | Phase::Sending | Phase::Waiting { .. }
        )
    }

    /// Bytes a second over the last seconds.
    pub fn bytes_per_sec(&self) -> Option<f64> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        let ms = last.0 - first.0;
        (ms > 50.0).then(|| last.1.saturating_sub(first.1) as f64 * 1000.0 / ms)
    }

    /// Milliseconds until all has left, at the present rate.
    pub fn remaining_ms(&self) -> Option<u64> {
        let rate = self.bytes_per_sec().filter(|r| *r > 1.0)?;
        Some(((self.total - self.sent()) as f64 * 1000.0 / rate) as u64)
    }

    /// Takes an event at a time in milliseconds and says what to do.
    pub fn on(&mut self, event: Event, now_ms: f64) -> Action {
        match event {
            Event::Created(id) => {
                self.id = Some(id);
                self.at(0, now_ms)
            }
            Event::Offset(offset) => self.at(offset, now_ms),
            Event::Sent(bytes) => {
                self.in_flight = bytes;
                self.sample(now_ms);
                Action::Stop
            }
            Event::Lost => {
                self.in_flight = 0;
                self.samples.clear();
                if self.phase == Phase::Paused {
                    return Action::Stop;
                }
                self.attempts += 1;
                let retry_ms = (500_u32 << self.attempts.min(6)).min(WAIT_MS_MAX);
                self.phase = Phase::Waiting { retry_ms };
                Action::Wait(retry_ms)
            }
            Event::Gone => {
                self.id = None;
                self.confirmed = 0;
                self.in_flight = 0;
                self.samples.clear();
                self.phase = Phase::Creating;
                Action::Create
            }
            Event::Refused(error) => {
                self.in_flight = 0;
                self.phase = Phase::Failed(error);
                Action::Stop
            }
            Event::Pause => {
                if self.is_active() {
                    self.phase = Phase::Paused;
                    self.in_flight = 0;
                    self.samples.clear();
                }
                Action::Stop
            }
            Event::Resume => {
                self.attempts = 0;
                if self.id.is_some() {
                    self.phase = Phase::Asking;
                    Action::Ask
                } else {
                    self.phase = Phase::Creating;
                    Action::Create
                }
            }
        }
    }

    fn at(&mut self, offset: u64, now_ms: f64) -> Action {
        if offset > self.confirmed {
            self.attempts = 0;
        }
        self.confirmed = offset.min(self.total);
        self.in_flight = 0;
        if self.phase == Phase::Paused {
            return Action::Stop;
        }
        self.sample(now_ms);
        if self.confirmed >= self.total {
            self.phase = Phase::Done;
            return Action::Stop;
        }
        self.phase = Phase::Sending;
        let wish =
            self.bytes_per_sec().map_or(FIRST_CHUNK_BYTES, |r| (r * CHUNK_MS / 1000.0) as u64);
        let bytes = wish.clamp(FIRST_CHUNK_BYTES, CHUNK_BYTES_MAX).min(self.total - self.confirmed);
        Action::Send { from: self.confirmed, bytes }
    }

    fn sample(&mut self, now_ms: f64) {
        let sent = self.sent();
        self.samples.push((now_ms, sent));
        let keep = self.samples.iter().position(|s| now_ms - s.0 <= RATE_WINDOW_MS).unwrap_or(0);
        self.samples.drain(..keep);
    }
}

/// The mark by which a file is known again after a reload.
pub fn fingerprint(name: &str, bytes: u64, modified_ms: f64) -> String {
    format!("plimsoll.upload:{bytes}:{modified_ms:.0}:{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::ErrorCode;

    const MB: u64 = 1 << 20;

    #[test]
    fn a_file_goes_chunk_by_chunk_to_the_end() {
        let (mut up, first) = Upload::start("a.csv", 6 * MB, None);
        assert_eq!(first, Action::Create);
        let next = up.on(Event::Created("x".into()), 0.0);
        assert_eq!(next, Action::Send { from: 0, bytes: 4 * MB });
        up.on(Event::Sent(2 * MB), 100.0);
        assert_eq!(up.sent(), 2 * MB);
        let next = up.on(Event::Offset(4 * MB), 200.0);
        assert_eq!(next, Action::Send { from: 4 * MB, bytes: 2 * MB });
        assert_eq!(up.on(Event::Offset(6 * MB), 300.0), Action::Stop);
        assert!(up.is_done());
    }

    #[test]
    fn an_empty_file_is_done_at_once() {
        let (mut up, _) = Upload::start("a.csv", 0, None);
        assert_eq!(up.on(Event::Created("x".into()), 0.0), Action::Stop);
        assert!(up.is_done());
    }

    #[test]
    fn a_lost_connection_waits_longer_each_time_and_goes_on_where_the_service_is() {
        let (mut up, _) = Upload::start("a.csv", 20 * MB, None);
        up.on(Event::Created("x".into()), 0.0);
        assert_eq!(up.on(Event::Lost, 10.0), Action::Wait(1000));
        assert_eq!(up.on(Event::Lost, 20.0), Action::Wait(2000));
        for _ in 0..20 {
            up.on(Event::Lost, 30.0);
        }
        assert_eq!(up.phase, Phase::Waiting { retry_ms: WAIT_MS_MAX });
        assert_eq!(
            up.on(Event::Offset(3 * MB), 99.0),
            Action::Send { from: 3 * MB, bytes: 4 * MB }
        );
        assert_eq!(up.on(Event::Lost, 100.0), Action::Wait(1000), "progress forgets old failures");
    }

    #[test]
    fn a_pause_holds_against_late_news() {
        let (mut up, _) = Upload::start("a.csv", 20 * MB, None);
        up.on(Event::Created("x".into()), 0.0);
        up.on(Event::Pause, 1.0);
        assert_eq!(up.on(Event::Lost, 2.0), Action::Stop);
        assert_eq!(up.on(Event::Offset(4 * MB), 2.0), Action::Stop);
        assert_eq!(up.phase, Phase::Paused);
        assert_eq!(up.on(Event::Resume, 3.0), Action::Ask);
    }

    #[test]
    fn a_reloaded_page_asks_and_a_forgotten_upload_starts_again() {
        let up = Upload::reloaded("a.csv", 10, "x", 4);
        assert_eq!((up.phase.clone(), up.sent()), (Phase::Missing, 4));
        assert!(Upload::reloaded("a.csv", 10, "x", 10).is_done());
        let (mut up, first) = Upload::start("a.csv", 10, Some("x".into()));
        assert_eq!(first, Action::Ask);
        assert_eq!(up.on(Event::Gone, 0.0), Action::Create);
        assert_eq!(up.id, None);
    }

    #[test]
    fn the_rate_is_of_the_last_seconds_and_sizes_the_chunks() {
        let (mut up, _) = Upload::start("a.csv", 1 << 40, None);
        up.on(Event::Created("x".into()), 0.0);
        for i in 1..=50_u64 {
            up.on(Event::Offset(i * 10 * MB), i as f64 * 100.0);
        }
        let rate = up.bytes_per_sec().unwrap();
        assert!((rate - 100.0 * MB as f64).abs() < 0.02 * rate, "{rate}");
        assert!(matches!(
            up.on(Event::Offset(510 * MB), 5100.0),
            Action::Send { bytes: CHUNK_BYTES_MAX, .. }
        ));
        assert!(up.samples.len() < 40, "old samples go");
    }

    #[test]
    fn a_refusal_stops() {
        let (mut up, _) = Upload::start("a.csv", 10, None);
        let error = ErrorBody::new(ErrorCode::DiskFull, "full");
        assert_eq!(up.on(Event::Refused(error.clone()), 0.0), Action::Stop);
        assert_eq!(up.phase, Phase::Failed(error));
    }
}
