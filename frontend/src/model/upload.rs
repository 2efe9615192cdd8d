//! The state of one resumable upload, of one file or of several that are to be one source: what has
//! happened, and what to do next.
//!
//! ```text
//! Idle ─▶ Creating ─▶ Sending ⇄ Paused          a lost connection: Sending ─▶ Waiting ─▶ Asking ─▶ Sending
//!   └──▶ Asking ──────▶ │ └─▶ Done               a refusal: any ─▶ Failed (the person may try again: Asking)
//! Several files: after each but the last ─▶ Creating or Asking; after the last ─▶ Joining ─▶ Done
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
    /// All files are there; the service makes one source of them.
    Joining,
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
    /// The service made one source of all files, of this identity.
    Joined(String),
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
    /// Let the service make one source of all files.
    Join,
    /// Wait, then ask.
    Wait(u32),
    /// Nothing more for now.
    Stop,
}

/// One file of an upload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The service's name for it, once it has begun to arrive.
    pub id: Option<String>,
}

/// One upload.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Upload {
    /// Where it stands.
    pub phase: Phase,
    /// The file's name, or the first one's and how many more there are.
    pub name: String,
    /// Bytes in all.
    pub total: u64,
    /// Bytes that the service has confirmed.
    pub confirmed: u64,
    /// Bytes of the request under way that have left.
    pub in_flight: u64,
    /// The service's name for the source; of several files only once they are one.
    pub id: Option<String>,
    /// The files, in their order.
    pub pieces: Vec<Piece>,
    /// Which of them is on its way.
    pub at: usize,
    attempts: u32,
    samples: Vec<(f64, u64)>,
}

impl Upload {
    /// A new upload, or the rest of one that the service has begun to receive.
    pub fn start(pieces: Vec<Piece>) -> (Self, Action) {
        let names: Vec<&str> = pieces.iter().map(|p| p.name.as_str()).collect();
        let mut upload = Self {
            name: shared::api::joint_name(&names),
            total: pieces.iter().map(|p| p.bytes).sum(),
            pieces,
            ..Self::default()
        };
        upload.tell_id();
        let action = upload.begin_piece();
        (upload, action)
    }

    /// What is known after a reload: the service has `received` bytes, the file is not at hand.
    pub fn reloaded(name: &str, total: u64, id: Option<&str>, received: u64) -> Self {
        Self {
            phase: if id.is_some() && received >= total { Phase::Done } else { Phase::Missing },
            name: name.to_owned(),
            total,
            confirmed: received,
            id: id.map(str::to_owned),
            ..Self::default()
        }
    }

    /// The file that is on its way.
    pub fn piece(&self) -> Option<&Piece> {
        self.pieces.get(self.at)
    }

    /// All names that the service has for it and its files.
    pub fn ids(&self) -> Vec<String> {
        let own = self.id.clone();
        let mut all: Vec<_> =
            own.into_iter().chain(self.pieces.iter().filter_map(|p| p.id.clone())).collect();
        all.dedup();
        all
    }

    /// Of one file, its own identity is the source's.
    fn tell_id(&mut self) {
        if let [one] = self.pieces.as_slice() {
            self.id.clone_from(&one.id);
        }
    }

    fn begin_piece(&mut self) -> Action {
        if self.piece().is_some_and(|p| p.id.is_some()) {
            self.phase = Phase::Asking;
            Action::Ask
        } else {
            self.phase = Phase::Creating;
            Action::Create
        }
    }

    fn piece_id(&mut self, id: Option<String>) {
        if let Some(piece) = self.pieces.get_mut(self.at) {
            piece.id = id;
        }
        self.tell_id();
    }

    /// Bytes of the files that came before this one.
    fn before(&self) -> u64 {
        self.pieces.iter().take(self.at).map(|p| p.bytes).sum()
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
            Phase::Creating
                | Phase::Asking
                | Phase::Sending
                | Phase::Joining
                | Phase::Waiting { .. }
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
                self.piece_id(Some(id));
                self.arrived(0, now_ms)
            }
            Event::Offset(offset) => self.arrived(offset, now_ms),
            Event::Joined(id) => {
                self.id = Some(id);
                self.phase = Phase::Done;
                Action::Stop
            }
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
                self.piece_id(None);
                self.confirmed = self.before();
                self.in_flight = 0;
                self.samples.clear();
                self.begin_piece()
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
                self.begin_piece()
            }
        }
    }

    /// The service has this many bytes of the file that is on its way.
    fn arrived(&mut self, offset: u64, now_ms: f64) -> Action {
        let bytes = self.piece().map_or(0, |p| p.bytes);
        let offset = offset.min(bytes);
        let confirmed = self.before() + offset;
        if confirmed > self.confirmed {
            self.attempts = 0;
        }
        self.confirmed = confirmed;
        self.in_flight = 0;
        if self.phase == Phase::Paused {
            return Action::Stop;
        }
        self.sample(now_ms);
        if offset >= bytes {
            return self.piece_done();
        }
        self.phase = Phase::Sending;
        let wish =
            self.bytes_per_sec().map_or(FIRST_CHUNK_BYTES, |r| (r * CHUNK_MS / 1000.0) as u64);
        let most = bytes - offset;
        Action::Send {
            from: offset,
            bytes: wish.clamp(FIRST_CHUNK_BYTES, CHUNK_BYTES_MAX).min(most),
        }
    }

    fn piece_done(&mut self) -> Action {
        if self.at + 1 < self.pieces.len() {
            self.at += 1;
            self.begin_piece()
        } else if self.pieces.len() > 1 {
            self.phase = Phase::Joining;
            Action::Join
        } else {
            self.phase = Phase::Done;
            Action::Stop
        }
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
mod tests;
