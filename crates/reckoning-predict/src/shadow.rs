//! An expert run in the shadow: what it would have published, and whether that has strayed.

use glam::DVec3;

use reckoning::math::{DECAY_STEPS, decay};
use reckoning::{Curve, Kinematics, Model, SimTime};

/// Where a plan began.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    at: SimTime,
    position: DVec3,
}

/// What one expert would have published last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    anchor: Anchor,
    way: Way,
}

/// How it goes on. Judging needs no more, and is done for every body and frame: so what can
/// be divided is divided beforehand.
#[derive(Clone, Copy, Debug)]
enum Way {
    Straight {
        per_us: DVec3,
    },
    /// Towards a place, of which a part is left that [`decay`]s.
    Fading {
        reach: DVec3,
        steps_per_us: f64,
    },
    Curved(Curve),
}

impl Shadow {
    pub fn new(truth: &Kinematics, model: &Model) -> Self {
        let way = match model {
            Model::Curve(curve) => Way::Curved(*curve),
            Model::Damped { fade } if !fade.is_zero() => {
                let fade_s = fade.as_secs_f64();
                let steps_per_us = DECAY_STEPS * 1e-6 / fade_s;
                Way::Fading { reach: truth.velocity * fade_s, steps_per_us }
            }
            Model::Damped { .. } | Model::Hold => Way::Straight { per_us: DVec3::ZERO },
            _ => Way::Straight { per_us: truth.velocity * 1e-6 },
        };
        Self { anchor: Anchor { at: truth.at, position: truth.position }, way }
    }

    /// Whether the truth is further off than the bound, or earlier.
    #[inline]
    pub fn has_strayed(&self, truth: &Kinematics, bound_m: f64) -> bool {
        let t_us = truth.at.as_micros().saturating_sub(self.anchor.at.as_micros());
        let gone = match &self.way {
            Way::Straight { per_us } => *per_us * t_us as f64,
            Way::Fading { reach, steps_per_us } => {
                *reach * (1.0 - decay((t_us as f64 * steps_per_us).max(0.0)))
            }
            Way::Curved(curve) => curve.displacement(truth.at.secs_since(self.anchor.at).max(0.0)),
        };
        let off = truth.position - self.anchor.position - gone;
        t_us <= 0 || off.length_squared() > bound_m * bound_m
    }
}
