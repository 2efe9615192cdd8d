//! Rates of one server: the shipped ones, corrected by loads that were measured.
//!
//! Each measured step says how far the sum of its terms is off. The numbers of [`super::terms`]
//! are fitted to all of them at once by least squares on logarithms, held near the shipped rates
//! as tightly as those are trusted (so that three loads are enough, and what no load has told
//! stays as shipped), with the weight of odd loads taken down (as Student's t has it). What is
//! left unknown is known too: the covariance says how far a foretold time may be off.

use nalgebra::{DMatrix, DVector};
use shared::run::RunStep;

use super::terms::{self, PARAMETERS, SERVER, StepTerms};

/// Degrees of freedom of the scatter: how soon a load counts as odd.
const ODDNESS: f64 = 4.0;
/// The same load differs by about this from run to run, whatever is known.
const LEAST_SCATTER: f64 = 0.05;
/// The scatter of a step about its terms, before any load tells.
const SHIPPED_SCATTER: f64 = 0.12;
/// How many loads that is worth.
const SHIPPED_SCATTER_LOADS: f64 = 4.0;
/// Milliseconds by which any step is late or early.
const JITTER_MS: f64 = 4.0;
/// Each load counts a little less than the one after it.
const FADE: f64 = 0.99;
/// What another server of the kind tells of ratios, as a spread; what is local to it tells nothing.
const ELSEWHERE_SPREAD: f64 = 0.15;
const ROUNDS: usize = 14;
const KINDS: usize = 9;

/// A step that was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What it had to do.
    pub terms: StepTerms,
    /// What it took, in milliseconds.
    pub ms: f64,
    /// How many loads ago, for the fading.
    pub age: u32,
}

/// What a step of a load is expected to take.
#[derive(Debug, Clone)]
pub struct Told {
    /// Expected milliseconds.
    pub ms: f64,
    /// Milliseconds by which the step itself scatters.
    pub scatter: f64,
    /// How the logarithm of the time goes with each fitted number.
    slope: Vec<(usize, f64)>,
}

/// Rates with what is not known of them.
#[derive(Debug, Clone)]
pub struct Rates {
    /// Logarithms of the factors over the shipped rates.
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
    /// Scatter of each kind of step.
    scatter: [f64; KINDS],
    /// Loads that they rest on.
    loads: usize,
}

impl Rates {
    /// The shipped rates.
    #[must_use]
    pub fn shipped() -> Self {
        let variances = DVector::from_fn(PARAMETERS, |p, _| terms::spread(p).powi(2));
        Self {
            mean: DVector::zeros(PARAMETERS),
            covariance: DMatrix::from_diagonal(&variances),
            scatter: [SHIPPED_SCATTER; KINDS],
            loads: 0,
        }
    }

    /// These rates as a first guess for another server of the kind: ratios carry over, how fast
    /// the machine is does so only roughly.
    #[must_use]
    pub fn for_another_server(&self) -> Self {
        let mut covariance = self.covariance.clone();
        for p in 0..PARAMETERS {
            let shipped = terms::spread(p);
            let more = if terms::is_local(p) { shipped } else { ELSEWHERE_SPREAD.min(shipped) };
            covariance[(p, p)] += more * more;
        }
        let scatter = self.scatter.map(|s| s.max(SHIPPED_SCATTER));
        Self { mean: self.mean.clone(), covariance, scatter, loads: 0 }
    }

    /// Loads that these rates rest on.
    #[must_use]
    pub const fn loads(&self) -> usize {
        self.loads
    }

    /// The factor of the server as a whole over the shipped rates.
    #[must_use]
    pub fn server_factor(&self) -> f64 {
        self.mean.get(SERVER).copied().unwrap_or(0.0).exp()
    }

    /// The rates corrected by measured steps of `loads` loads.
    #[must_use]
    pub fn fitted(&self, measured: &[Measured], loads: usize) -> Self {
        let Some(precision) = self.covariance.clone().cholesky().map(|c| c.inverse()) else {
            return self.clone();
        };
        let mut fit = Self { loads: self.loads + loads, ..self.clone() };
        for _ in 0..ROUNDS {
            let (information, pull) = self.balance(&fit, &precision, measured);
            let Some(solver) = information.cholesky() else { return fit };
            let step = solver.solve(&pull);
            fit.covariance = solver.inverse();
            // A leap of more than a factor of e is taken in two.
            let leap = step.amax().max(1.0);
            fit.mean += &step / leap;
            fit.scatter = self.scattered(&fit, measured);
            if step.amax() < 1e-4 {
                break;
            }
        }
        fit
    }

    /// The information in the loads and in what was known before, and where they pull to.
    fn balance(
        &self,
        fit: &Self,
        precision: &DMatrix<f64>,
        measured: &[Measured],
    ) -> (DMatrix<f64>, DVector<f64>) {
        let mut information = precision.clone();
        let mut pull = precision * (&self.mean - &fit.mean);
        for m in measured.iter().filter(|m| m.ms > 0.0) {
            let (told, off, variance) = fit.off(m);
            let weight = fade(m.age) * sanity(off, variance) / variance;
            for &(i, a) in &told.slope {
                pull[i] += weight * a * off;
                for &(j, b) in &told.slope {
                    information[(i, j)] += weight * a * b;
                }
            }
        }
        (information, pull)
    }

    /// How far a measured step is off, as a logarithm, and the variance that is expected of it.
    fn off(&self, m: &Measured) -> (Told, f64, f64) {
        let told = self.told(&m.terms);
        let off = m.ms.max(1.0).ln() - told.ms.max(1.0).ln();
        let jitter = JITTER_MS / m.ms.max(told.ms).max(1.0);
        let own = self.scatter_of(m.terms.step);
        (told, off, own.mul_add(own, jitter * jitter))
    }

    fn scattered(&self, fit: &Self, measured: &[Measured]) -> [f64; KINDS] {
        let mut sums = self.scatter.map(|s| (s * s * SHIPPED_SCATTER_LOADS, SHIPPED_SCATTER_LOADS));
        for m in measured.iter().filter(|m| m.ms > 0.0) {
            let (_, off, variance) = fit.off(m);
            let jitter = (JITTER_MS / m.ms.max(1.0)).powi(2);
            let weight = fade(m.age) * sanity(off, variance);
            if let Some((sum, loads)) = sums.get_mut(m.terms.step as usize) {
                // Small steps tell of the jitter, not of the scatter.
                let tells = variance / (variance + jitter);
                *sum += weight * tells * (off * off - jitter).max(0.0);
                *loads += fade(m.age) * tells;
            }
        }
        sums.map(|(sum, loads)| (sum / loads).sqrt().max(LEAST_SCATTER))
    }

    fn scatter_of(&self, step: RunStep) -> f64 {
        self.scatter.get(step as usize).copied().unwrap_or(SHIPPED_SCATTER)
    }

    /// What a step is expected to take.
    #[must_use]
    pub fn told(&self, step: &StepTerms) -> Told {
        let mut slope: Vec<(usize, f64)> = Vec::with_capacity(step.parts.len() + 4);
        let mut sum = 0.0;
        for part in &step.parts {
            let by: f64 = terms::factors(step, part.term).map(|p| self.mean[p]).sum();
            let ms = part.ms * by.exp();
            sum += ms;
            for p in terms::factors(step, part.term) {
                match slope.iter_mut().find(|(q, _)| *q == p) {
                    Some((_, share)) => *share += ms,
                    None => slope.push((p, ms)),
                }
            }
        }
        for (_, share) in &mut slope {
            *share /= sum.max(1e-9);
        }
        if step.sharing != 0.0 {
            slope.push((terms::SHARING, step.sharing));
        }
        // The exponent is 1 and a fitted number more, so that all numbers begin at nothing.
        let shared = step.sharing * (1.0 + self.mean[terms::SHARING]);
        let ms = sum * shared.exp();
        let jitter = JITTER_MS * JITTER_MS;
        let own = (self.scatter_of(step.step) * ms).powi(2);
        Told { ms, scatter: (own + jitter).sqrt(), slope }
    }

    /// The spread of the time of steps together, as a logarithm: what is not known of the rates,
    /// and how each step scatters by itself.
    #[must_use]
    pub fn spread(&self, told: &[&Told]) -> f64 {
        let total: f64 = told.iter().map(|t| t.ms).sum::<f64>().max(1.0);
        let mut slope = DVector::zeros(PARAMETERS);
        let mut by_itself = 0.0;
        for t in told {
            for &(p, a) in &t.slope {
                slope[p] += a * t.ms / total;
            }
            by_itself += (t.scatter / total).powi(2);
        }
        let unknown = (&self.covariance * &slope).dot(&slope);
        (unknown.max(0.0) + by_itself).sqrt()
    }
}

fn fade(age: u32) -> f64 {
    FADE.powi(i32::try_from(age.min(400)).unwrap_or(400))
}

/// The weight of a load that is this far off.
fn sanity(off: f64, variance: f64) -> f64 {
    (ODDNESS + 1.0) / (ODDNESS + off * off / variance.max(1e-9))
}
