//! Choice between carrying on, damping and holding, by what each would have shown.
//!
//! Behind a long delay or heavy loss the motion that an update promises is followed for longer than
//! anybody can foresee, and a picture that stood still would be nearer to the truth. Which is best
//! depends on the game, the player and the link, and a ghost can tell: every update that arrives
//! says where the body was at a moment that was shown before. So three experts are asked what they
//! would have shown then, and the picture is their mean by trust:
//!
//! ```text
//! carrying on   the model, as it is
//! damping       the model, in a time that runs out within some tenths of a second
//! holding       where the update says the body was
//! ```
//!
//! Trust is that of an exponentially weighted forecaster which sets its own pace (`AdaHedge`, de Rooij
//! et al., 2014), with a prior and with forgetting. The distance to a mean is at most the mean of
//! the distances, so nothing is drawn at random, and whatever the body and the link do, with `l` the
//! error of the picture before blending, `l_k` that of expert `k`, `p_k` its prior share, `s` the
//! spread of the three errors of a moment and `S` the greatest of them,
//!
//! ```text
//! sum l  <=  sum l_k + (1 + ln(1 / p_k) / D) (sqrt(D sum s^2) / 2 + 2 S)
//! ```
//!
//! where all sums count what is `n` judgements old by `KEPT^n`. Proof: the mix losses of such a
//! forecaster are at most `sum l_k + ln(1 / p_k) / eta`, its losses exceed those by the gaps whose
//! sum is `D / eta`, each gap is at most `eta s^2 / 8` and `s`, and multiplying all losses by a
//! factor changes no weight, so that older ones may count less.

use super::Ghost;
use crate::math::{DECAY_STEPS, decay, exp, ln};
use crate::{SimTime, Update};

/// How many experts there are.
pub(super) const EXPERTS: usize = 3;
/// Trust before anything is known: an owner that publishes a motion means it.
const PRIOR: [f64; EXPERTS] = [0.8, 0.1, 0.1];
/// How fast trust follows errors: `ln(10)`, which makes the bound of the unlikely experts twice the
/// gaps.
const D: f64 = core::f64::consts::LN_10;
/// What is kept of old errors at each judgement: half after fourteen, some three seconds.
const KEPT: f64 = 0.95;
/// A damped motion comes to a halt after about three of these.
const DAMPED_S: f64 = 0.4;

/// Trust in each expert, and what they are judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hedge {
    losses_m: [f64; EXPERTS],
    /// By how much the losses of the mean exceeded its mix losses so far; it sets the pace.
    gap_m: f64,
    weights: [f64; EXPERTS],
    /// The update that is judged next, and when it came to be shown.
    probe: Option<(Update, SimTime)>,
}

impl Hedge {
    pub(super) const fn new(first: &Update, now: SimTime) -> Self {
        Self { losses_m: [0.0; EXPERTS], gap_m: 0.0, weights: PRIOR, probe: Some((*first, now)) }
    }

    pub(super) const fn weights(&self) -> &[f64; EXPERTS] {
        &self.weights
    }

    /// The body is elsewhere, or another owner moves it: what was shown before says nothing.
    pub(super) const fn forget_probe(&mut self) {
        self.probe = None;
    }

    /// An update came to be shown at `now`. It tells the truth of a moment at which one that is
    /// older was on screen, if that had arrived by then; `shift_s` is added to its stamps to get
    /// our time.
    pub(super) fn observe(&mut self, update: &Update, shift_s: f64, now: SimTime) {
        if let Some((probe, arrived)) = &self.probe {
            if update.at().secs_since(*arrived) + shift_s < 0.0 {
                return; // sent before the probe was seen
            }
            let age_s = update.at().secs_since(probe.at());
            let (model, seen) = (probe.model(), probe.kinematics());
            let truth = update.kinematics().position;
            let losses_m =
                warped(age_s).map(|(t_s, _)| model.position_after(seen, t_s).distance(truth));
            self.judge(losses_m);
        }
        self.probe = Some((*update, now));
    }

    fn judge(&mut self, losses_m: [f64; EXPERTS]) {
        let least_m = losses_m.into_iter().fold(f64::INFINITY, f64::min);
        let spread_m = losses_m.into_iter().fold(0.0, f64::max) - least_m;
        // Written so that NaN fails; beyond this squares overflow.
        if !(spread_m < 1e100 && least_m < 1e100) {
            return;
        }
        self.gap_m *= KEPT;
        if self.gap_m < 1e-100 {
            self.gap_m = spread_m; // the first that differs sets the scale
        }
        if self.gap_m >= 1e-100 {
            self.gap_m += self.gap_of(losses_m, least_m);
        }
        for (sum_m, loss_m) in self.losses_m.iter_mut().zip(losses_m) {
            *sum_m = *sum_m * KEPT + loss_m;
        }
        self.weigh();
    }

    /// By how much the loss of the mean exceeds its mix loss.
    fn gap_of(&self, losses_m: [f64; EXPERTS], least_m: f64) -> f64 {
        let eta = D / self.gap_m;
        let (mut mean_m, mut mixed) = (0.0, 0.0);
        for (weight, loss_m) in self.weights.into_iter().zip(losses_m) {
            mean_m += weight * (loss_m - least_m);
            mixed += weight * exp(-eta * (loss_m - least_m));
        }
        // Zero where all trust lies with experts that are hopeless by now.
        let mix_m = if mixed > 0.0 { -ln(mixed) / eta } else { mean_m };
        (mean_m - mix_m).max(0.0)
    }

    fn weigh(&mut self) {
        if self.gap_m < 1e-100 {
            return; // they have all been right
        }
        let least_m = self.losses_m.into_iter().fold(f64::INFINITY, f64::min);
        let eta = D / self.gap_m;
        let mut sum = 0.0;
        for (place, weight) in self.weights.iter_mut().enumerate() {
            *weight = PRIOR[place] * exp(-eta * (self.losses_m[place] - least_m));
            sum += *weight;
        }
        for weight in &mut self.weights {
            *weight /= sum;
        }
    }
}

/// How far into its model each expert is, `t_s` after the update, and how fast that passes.
pub(super) fn warped(t_s: f64) -> [(f64, f64); EXPERTS] {
    if t_s <= 0.0 {
        return [(t_s, 1.0); EXPERTS]; // not yet begun
    }
    let left = decay(t_s * (DECAY_STEPS / DAMPED_S));
    [(t_s, 1.0), (DAMPED_S * (1.0 - left), left), (0.0, 0.0)]
}

impl Ghost {
    /// How much is trusted: carrying on, damping and holding, all together one. Without
    /// [`hedged`](super::GhostConfig::hedged) nothing but carrying on is.
    #[must_use]
    pub const fn trust(&self) -> [f64; EXPERTS] {
        if self.config.hedged { *self.hedge.weights() } else { [1.0, 0.0, 0.0] }
    }
}
