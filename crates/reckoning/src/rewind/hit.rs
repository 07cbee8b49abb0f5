//! Hit requests and their verdicts.

use core::fmt;

use glam::DVec3;

use super::HitVerdict::{Hit, Miss};
use crate::SimTime;
use crate::math::sqrt;

/// What was aimed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Aim {
    /// A shot that flies straight and at once.
    Ray {
        /// Where it starts.
        from: DVec3,
        /// Where it goes; its length does not matter.
        direction: DVec3,
        /// How far it goes.
        reach_m: f64,
    },
    /// A blow or a blast around a place.
    Circle {
        /// Its middle.
        center: DVec3,
        /// How far it reaches, in all directions.
        radius_m: f64,
    },
}

/// A shooter's claim that its body stood there and hit a target that was shown at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitRequest<E> {
    /// The shooter's own body.
    pub body: E,
    /// Where the shooter claims that it stood.
    pub stood: DVec3,
    /// What it claims to have hit.
    pub target: E,
    /// The size of that, as a ball about its position.
    pub target_radius_m: f64,
    /// The moment its screen showed, on the host's timeline.
    pub shown_at: SimTime,
    /// What it aimed.
    pub aim: Aim,
}

impl<E> HitRequest<E> {
    pub(super) fn is_finite(&self) -> bool {
        let aim = match self.aim {
            Aim::Ray { from, direction, reach_m } => {
                from.is_finite()
                    && direction.is_finite()
                    && direction.length_squared() > 0.0
                    && reach_m.is_finite()
            }
            Aim::Circle { center, radius_m } => center.is_finite() && radius_m.is_finite(),
        };
        aim && self.stood.is_finite() && self.target_radius_m.is_finite()
    }
}

/// The answer to a [`HitRequest`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HitVerdict {
    /// The shooter saw it hit.
    Hit {
        /// Where the shooter saw the target's middle.
        target: DVec3,
        /// How far along the ray it was hit, or how far from the circle's middle it was.
        distance_m: f64,
    },
    /// It missed even by its own screen.
    Miss {
        /// By how much.
        by_m: f64,
    },
    /// The request itself is not acceptable.
    Refused(HitRefusal),
}

/// Why a request was not looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HitRefusal {
    /// The shooter asks more often than it can shoot.
    TooOften,
    /// A number is not finite, or a direction has no length.
    NotFinite,
    /// It is about a moment in the future.
    Future,
    /// It reaches back too far.
    TooOld,
    /// The shooter was not where it claims.
    NotThere,
    /// The shooter was not shown the target then.
    NotShown,
    /// It makes up more time at once than its picture may have lagged behind, or goes back to an
    /// older picture than the last shot's.
    Banked,
    /// It refers to an update that was never sent to the shooter.
    NotSent,
    /// It refers to an update that cannot have arrived at that moment.
    NotArrived,
    /// It contradicts what the shooter said before.
    Contradicted,
    /// The target had reached cover, or was safe by the game's word.
    Covered,
    /// The shooter is shown the target as it was longer ago than hit checks go along with.
    Delayed,
}

impl HitRefusal {
    /// All of them, in the order of [`RewindStats::refused`](super::RewindStats::refused).
    pub const ALL: [Self; 12] = [
        Self::TooOften,
        Self::NotFinite,
        Self::Future,
        Self::TooOld,
        Self::NotThere,
        Self::NotShown,
        Self::Banked,
        Self::NotSent,
        Self::NotArrived,
        Self::Contradicted,
        Self::Covered,
        Self::Delayed,
    ];
}

impl fmt::Display for HitRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooOften => "too many requests",
            Self::NotFinite => "a number is not finite",
            Self::Future => "shown time is in the future",
            Self::TooOld => "shown time is too long ago",
            Self::NotThere => "shooter was elsewhere",
            Self::NotShown => "target was not shown",
            Self::Banked => "time was saved up",
            Self::NotSent => "update was never sent",
            Self::NotArrived => "update cannot have arrived",
            Self::Contradicted => "shooter said otherwise before",
            Self::Covered => "target is in cover",
            Self::Delayed => "target is shown with a delay",
        })
    }
}

impl Aim {
    pub(super) fn judge(&self, target: DVec3, radius_m: f64) -> super::HitVerdict {
        match *self {
            Self::Ray { from, direction, reach_m } => {
                judge_ray(from, direction.normalize_or_zero(), reach_m, target, radius_m)
            }
            Self::Circle { center, radius_m: reach_m } => {
                let distance_m = center.distance(target);
                let by_m = distance_m - (reach_m + radius_m);
                if by_m <= 0.0 { Hit { target, distance_m } } else { Miss { by_m } }
            }
        }
    }
}

/// A ray against a ball.
fn judge_ray(
    from: DVec3,
    way: DVec3,
    reach_m: f64,
    target: DVec3,
    radius_m: f64,
) -> super::HitVerdict {
    let gap = target - from;
    let nearest_m = gap.dot(way).clamp(0.0, reach_m.max(0.0));
    let aside_m = (gap - way * nearest_m).length();
    let by_m = aside_m - radius_m;
    // Numbers too large to be squared end as NaN.
    if by_m > 0.0 || by_m.is_nan() {
        return Miss { by_m };
    }
    let along_m = gap.dot(way);
    let aside_squared = (gap - way * along_m).length_squared();
    let half_chord_m = sqrt((radius_m * radius_m - aside_squared).max(0.0));
    Hit { target, distance_m: (along_m - half_chord_m).clamp(0.0, nearest_m) }
}
