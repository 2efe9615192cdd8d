//! The physical terms of a load, and the few numbers that the fit may change in them.
//!
//! A step takes the sum of its terms. Each term is its shipped time multiplied by factors that
//! runs correct: one for the server, one for the machine that reads, one for the term itself, one
//! for the engine, one for the strategy. Logarithms of factors are what is fitted, so that a rate
//! is never negative and twice as slow is as far away as twice as fast.

use shared::plan::Strategy;
use shared::run::RunStep;

use super::engine::EngineClass;

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Term {
    /// What a step takes however small the load is.
    Fixed(RunStep),
    /// Reading, parsing and checking the file, where nothing else is done meanwhile.
    Parse,
    /// The same beside the writing.
    Feed,
    /// Sorting rows in memory.
    Sort,
    /// Sorting by way of the disk.
    Spill,
    /// A row.
    Row,
    /// A byte of a row.
    Byte,
    /// A row out of key order, in memory.
    Scatter,
    /// An index entry.
    Entry,
    /// A page that is not in the buffer pool.
    Miss,
    /// A row of an INSERT, over one of LOAD DATA.
    Values,
    /// A statement.
    Statement,
    /// Waiting for the wire.
    RoundTrip,
    /// A commit.
    Commit,
    /// An entry of an index built afterwards.
    Build,
    /// A row counted.
    Count,
    /// Rows copied from a table aside.
    Copy,
}

/// One term of a step: which, and its shipped time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Which.
    pub term: Term,
    /// Milliseconds by the shipped rates.
    pub ms: f64,
}

/// A step of a load in its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTerms {
    /// The step.
    pub step: RunStep,
    /// Its terms.
    pub parts: Vec<Part>,
    /// The engine.
    pub engine: EngineClass,
    /// The strategy, in steps that depend on it.
    pub strategy: Option<Strategy>,
    /// Logarithm of the share of one writer's time that several take; 0 for one.
    pub sharing: f64,
}

impl StepTerms {
    /// Milliseconds by the shipped rates.
    #[must_use]
    pub fn shipped_ms(&self) -> f64 {
        self.parts.iter().map(|p| p.ms).sum::<f64>() * self.sharing.exp()
    }
}

/// Fitted numbers, by place.
pub(super) const SERVER: usize = 0;
const CLIENT: usize = 1;
/// The exponent of what several writers gain.
pub(super) const SHARING: usize = 2;
const FIXED: usize = 3;
const FIXED_COUNT: usize = 9;
const TERMS: usize = FIXED + FIXED_COUNT;
const TERMS_COUNT: usize = 16;
const ENGINES: usize = TERMS + TERMS_COUNT;
const STRATEGIES: usize = ENGINES + EngineClass::COUNT;
/// How many numbers are fitted.
pub(super) const PARAMETERS: usize = STRATEGIES + Strategy::ALL.len();

/// Places of a term's own number, in the order of the spreads below.
const fn place(term: Term) -> usize {
    match term {
        Term::Fixed(step) => FIXED + step as usize,
        Term::Parse => TERMS,
        Term::Feed => TERMS + 1,
        Term::Sort => TERMS + 2,
        Term::Spill => TERMS + 3,
        Term::Row => TERMS + 4,
        Term::Byte => TERMS + 5,
        Term::Scatter => TERMS + 6,
        Term::Entry => TERMS + 7,
        Term::Miss => TERMS + 8,
        Term::Values => TERMS + 9,
        Term::Statement => TERMS + 10,
        Term::RoundTrip => TERMS + 11,
        Term::Commit => TERMS + 12,
        Term::Build => TERMS + 13,
        Term::Count => TERMS + 14,
        Term::Copy => TERMS + 15,
    }
}

/// Spread of each term's own factor over machines and tables, as a logarithm.
const TERM_SPREADS: [f64; TERMS_COUNT] =
    [0.25, 0.6, 0.3, 0.5, 0.2, 0.25, 0.35, 0.3, 0.9, 0.35, 0.35, 0.25, 0.9, 0.3, 0.5, 0.35];
/// Of the server as a whole: a factor of about 1.6.
const SERVER_SPREAD: f64 = 0.45;
/// Of the machine that reads.
const CLIENT_SPREAD: f64 = 0.35;
/// Of the gain by several writers.
const SHARING_SPREAD: f64 = 0.35;
/// Of what a step takes however small the load is.
const FIXED_SPREAD: f64 = 0.7;
/// Of an engine over the shipped ratio to InnoDB.
const ENGINE_SPREAD: f64 = 0.3;
/// Of a strategy over the shipped ratio to LOAD DATA.
const STRATEGY_SPREAD: f64 = 0.15;
/// Of what the others are measured by: their own factor is the server's.
const REFERENCE_SPREAD: f64 = 0.03;

/// The spread of a fitted number before any run.
pub(super) fn spread(parameter: usize) -> f64 {
    match parameter {
        SERVER => SERVER_SPREAD,
        CLIENT => CLIENT_SPREAD,
        SHARING => SHARING_SPREAD,
        p if p < TERMS => FIXED_SPREAD,
        p if p < ENGINES => TERM_SPREADS.get(p - TERMS).copied().unwrap_or(0.5),
        ENGINES | STRATEGIES => REFERENCE_SPREAD,
        p if p < STRATEGIES => ENGINE_SPREAD,
        _ => STRATEGY_SPREAD,
    }
}

/// Whether a number says something of one server only, rather than of all of its kind.
pub(super) const fn is_local(parameter: usize) -> bool {
    matches!(parameter, SERVER | CLIENT | SHARING) || parameter < TERMS
}

/// The fitted numbers that a term of a step is multiplied by.
pub(super) fn factors(step: &StepTerms, term: Term) -> impl Iterator<Item = usize> {
    let own = Some(place(term));
    let whose = match term {
        Term::Fixed(_) | Term::RoundTrip | Term::Miss | Term::Commit => None,
        Term::Parse | Term::Feed | Term::Sort | Term::Spill => Some(CLIENT),
        _ => Some(SERVER),
    };
    let by_server = whose == Some(SERVER);
    let engine = by_server.then(|| ENGINES + step.engine as usize);
    let strategy = step.strategy.filter(|_| by_server).map(|s| STRATEGIES + s as usize);
    [own, whose, engine, strategy].into_iter().flatten()
}
