//! Behaviours: the way a body will go, judged from its surroundings.
//!
//! A [`Behaviour`] looks at a [`Scene`] and rolls a body out into the future. It runs where
//! the knowledge is; to publish its prediction, [`Behaviour::planned_curve`] turns it into a
//! [`Curve`](reckoning::Curve) that everyone else only evaluates.
//!
//! ```text
//!   scene --roll_out--> positions at some horizons --plan--> Model::Curve --> update
//! ```
//!
//! The rest of the engine relies on these properties:
//! - a rollout is a pure function of the scene, the body and the horizons;
//! - one pass answers all horizons, without taking memory from the heap;
//! - a finite scene gives finite positions; the dead stay where they are.

mod hybrid;
mod interest;
mod neighbourhood;
mod patterns;
mod pheromone;
mod plan;
mod preference;
mod rollout;
mod steady;
mod trend;

use glam::DVec3;

pub use hybrid::{InterestHybrid, PatternsHybrid};
pub use interest::{Interest, InterestConfig};
pub use patterns::{Patterns, PatternsConfig};
pub use pheromone::{Pheromone, PheromoneConfig, PheromoneMap};
pub use plan::fit_curve;
pub use preference::{Preference, PreferenceLearner};
pub use steady::SteadyTracker;
pub use trend::{Trended, TrendedConfig};

use crate::Scene;

/// A way of judging where a body will go.
///
/// ```
/// use reckoning::{DVec3, Kinematics, SimTime};
/// use reckoning_predict::{Behaviour, KnownBody, Patterns, PatternsConfig, Scene};
///
/// let still = |x: f64| Kinematics::at_rest(SimTime::ZERO, DVec3::X * x);
/// let mut player = KnownBody::new(1, 0, still(0.0));
/// player.top_speed_mps = 300.0;
/// let bodies = [player, KnownBody::new(2, 0, still(500.0))];
///
/// let ekb = Behaviour::Patterns(Patterns::new(PatternsConfig::default())?);
/// let mut out = [DVec3::ZERO; 2];
/// ekb.roll_out(&Scene::new(&bodies, &[]), 1, &[0.3, 2.1], &mut out);
/// assert!(out[1].x > out[0].x && out[0].x > 0.0); // he joins his friend
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Behaviour {
    /// Keeps its velocity: the traditional method, to compare with.
    Straight,
    /// Play patterns: SHI's EKB and OAEKB.
    Patterns(Patterns),
    /// Play patterns, or straight on: SHI's hybrid.
    PatternsHybrid(PatternsHybrid),
    /// The interest scheme of LI.
    Interest(Interest),
    /// Straight on, then the interest scheme: LI's HM.
    InterestHybrid(InterestHybrid),
    /// Drawn by the trails of others.
    Pheromone(Pheromone),
    /// Accelerates as bodies do at that place: STEELE.
    Trended(Trended),
}

impl Behaviour {
    /// Fills `out` with where the body called `id` will be so many seconds after its last known
    /// state, one place per horizon. Returns whether the scene knows the body; if not,
    /// `out` is left as it is.
    ///
    /// Horizons should rise: then one pass answers them all. Negative ones and NaN count as
    /// zero, and beyond a minute a body stays where it has come to, unless it goes straight.
    pub fn roll_out(
        &self,
        scene: &Scene<'_>,
        id: u32,
        horizons_s: &[f64],
        out: &mut [DVec3],
    ) -> bool {
        let Some(place) = scene.place(id) else { return false };
        let body = &scene.bodies()[place as usize];
        if !body.alive {
            out.fill(body.kinematics.position);
            return true;
        }
        if let Self::PatternsHybrid(hybrid) = self {
            hybrid.roll_out(scene, place, horizons_s, out);
            return true;
        }
        if let Self::InterestHybrid(hybrid) = self {
            hybrid.roll_out(scene, place, horizons_s, out);
            return true;
        }
        let asked = horizons_s.iter().copied().zip(out);
        match self {
            Self::Patterns(patterns) => patterns.roll_out(scene, place, asked),
            Self::Interest(interest) => {
                interest.roll_out(scene, place, body.kinematics.position, asked);
            }
            Self::Pheromone(pheromone) => pheromone.roll_out(scene, place, asked),
            Self::Trended(trended) => trended.roll_out(scene, place, asked),
            _ => asked.for_each(|(horizon_s, out)| *out = hybrid::straight(body, horizon_s)),
        }
        true
    }
}
