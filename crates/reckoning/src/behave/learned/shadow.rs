//! An expert run in the shadow: what it would have published, and whether that has strayed.

use glam::DVec3;

use super::planner::Anchor;
use crate::math::{DECAY_STEPS, decay};
use crate::{Curve, Kinematics, Model};

/// What one expert would have published last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shadow {
    anchor: Anchor,
    way: Way,
}

/// How it goes on. Judging needs no more, and is done for every body and frame.
#[derive(Clone, Copy, Debug)]
enum Way {
    Straight(DVec3),
    Fading { velocity: DVec3, fade_s: f64 },
    Curved(Curve),
}

impl Shadow {
    pub fn new(truth: &Kinematics, model: &Model) -> Self {
        let way = match model {
            Model::Curve(curve) => Way::Curved(*curve),
            Model::Damped { fade } if !fade.is_zero() => {
                Way::Fading { velocity: truth.velocity, fade_s: fade.as_secs_f64() }
            }
            Model::Damped { .. } => Way::Straight(DVec3::ZERO),
            _ => Way::Straight(truth.velocity),
        };
        Self { anchor: Anchor { at: truth.at, position: truth.position }, way }
    }

    /// Whether the truth is further off than the bound, or earlier.
    pub fn has_strayed(&self, truth: &Kinematics, bound_m: f64) -> bool {
        let t_s = truth.at.secs_since(self.anchor.at);
        if t_s <= 0.0 {
            return true;
        }
        let gone = match &self.way {
            Way::Straight(velocity) => *velocity * t_s,
            Way::Fading { velocity, fade_s } => {
                *velocity * (fade_s * (1.0 - decay(t_s * (DECAY_STEPS / fade_s))))
            }
            Way::Curved(curve) => curve.displacement(t_s),
        };
        let off = truth.position - self.anchor.position - gone;
        off.length_squared() > bound_m * bound_m
    }
}
