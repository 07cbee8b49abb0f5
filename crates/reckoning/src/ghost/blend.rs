//! Blends: the way from what a ghost shows to what it now believes.
//!
//! When an update arrives, the picture is off by `e0` and moves differently by `e1` (a
//! velocity). Every blend starts where the picture is and ends, one span `T` later, on the
//! believed path. Two families do that, with `s = t / T`:
//!
//! - **fading offsets** lie over the believed path, `shown = believed + e0 w(s) + e1 g(s)`;
//! - **curves** are drawn once from here to where the body will be at the end of the span.
//!
//! MURPHY's projective velocity blending is of the first family. Both its projections share
//! the last known acceleration, so their blend is the believed path plus
//! `e0 (1-s) + e1 T s (1-s)^2`. The first term has slope `-1/T` from the start, so as
//! printed the shown velocity jumps by `-e0/T` at every update, although the text asks for
//! C1. [`Blend::ProjectiveVelocity`] keeps the idea and eases both terms,
//! `w = (1-s)^3 (1+3s)` and `g = T s (1-s)^3`: the smallest powers for which the velocity
//! is continuous at the update and velocity and acceleration are at the end. It also sheds
//! its error sooner. The printed form stays, for comparison with published figures.

use core::ops::{Add, Mul, Sub};

use glam::DVec3;

/// How a ghost sheds its error when an update arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Blend {
    /// Jumps to the believed path at once.
    Snap,
    /// Moves straight to where the body will be at the end of the span, at constant speed. The
    /// velocity jumps.
    Linear,
    /// Lays the error over the believed path and lets it fade. The velocity jumps.
    Fade,
    /// Projective velocity blending without its jumps in velocity; the best for most.
    #[default]
    ProjectiveVelocity,
    /// Projective velocity blending as MURPHY prints it. The velocity jumps.
    ProjectiveVelocityPrinted,
    /// A cubic Bezier curve; its handles are a third of the velocities at both ends, so it
    /// is the cubic Hermite curve too.
    Bezier,
    /// A quintic Hermite curve over the believed path: acceleration is not bent either.
    Hermite,
    /// A Catmull-Rom curve through where the body came from, is, will be, and will be next.
    /// The velocity jumps.
    CatmullRom,
}

impl Blend {
    /// Every blend there is, for tables.
    pub const ALL: [Self; 8] = [
        Self::Snap,
        Self::Linear,
        Self::Fade,
        Self::ProjectiveVelocity,
        Self::ProjectiveVelocityPrinted,
        Self::Bezier,
        Self::Hermite,
        Self::CatmullRom,
    ];

    /// Whether it is drawn once as a curve rather than laid over the believed path.
    pub(super) const fn is_curve(self) -> bool {
        matches!(self, Self::Linear | Self::Bezier | Self::CatmullRom)
    }

    /// The most that it sheds of an error in a span, as a multiple, and how far it swings beyond
    /// the new velocity, as a share of the change.
    pub(super) const fn steepest(self) -> (f64, f64) {
        match self {
            Self::Snap => (0.0, 0.0),
            Self::Linear => (1.0, 0.0),
            Self::Fade => (1.5, 0.0),
            Self::ProjectiveVelocity => (16.0 / 9.0, 0.25),
            Self::ProjectiveVelocityPrinted => (1.0, 1.0 / 3.0),
            Self::Bezier | Self::CatmullRom => (1.5, 1.0 / 3.0),
            Self::Hermite => (1.875, 0.512),
        }
    }

    /// How much of the position error and, in spans, of the velocity error is left over at
    /// `s` from 0 to 1.
    #[inline]
    pub(super) fn left(self, s: f64) -> (f64, f64) {
        let r = 1.0 - s;
        match self {
            Self::Snap => (0.0, 0.0),
            Self::Fade => (r * r * (1.0 + 2.0 * s), 0.0),
            Self::ProjectiveVelocity => projective_left(s, s),
            Self::ProjectiveVelocityPrinted => (r, s * r * r),
            Self::Hermite => {
                let cubed = r * r * r;
                (cubed * (1.0 + 3.0 * s + 6.0 * s * s), cubed * s * (1.0 + 3.0 * s))
            }
            Self::Linear | Self::Bezier | Self::CatmullRom => (r, 0.0),
        }
    }

    /// The derivatives of [`left`](Self::left) by `s`.
    pub(super) fn left_slope(self, s: f64) -> (f64, f64) {
        let r = 1.0 - s;
        match self {
            Self::Snap => (0.0, 0.0),
            Self::Fade => (-6.0 * s * r, 0.0),
            Self::ProjectiveVelocity => (-12.0 * s * r * r, r * r * (1.0 - 4.0 * s)),
            Self::ProjectiveVelocityPrinted => (-1.0, r * (1.0 - 3.0 * s)),
            Self::Hermite => (-30.0 * s * s * r * r, r * r * (1.0 + s * (2.0 - 15.0 * s))),
            Self::Linear | Self::Bezier | Self::CatmullRom => (-1.0, 0.0),
        }
    }
}

/// How much of the position error is left at `s`, and how many seconds' worth of the velocity
/// error, `blend_s` after the blend began: [`Blend::ProjectiveVelocity`] for a single ghost
/// in double precision and for a [`Crowd`](crate::Crowd) in single.
#[expect(clippy::inline_always, reason = "must be compiled for the caller's vector unit")]
#[inline(always)]
pub(crate) fn projective_left<T>(s: T, blend_s: T) -> (T, T)
where
    T: Copy + From<i8> + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let r = T::from(1) - s;
    let cubed = r * r * r;
    (cubed * (T::from(1) + T::from(3) * s), cubed * blend_s)
}

/// Where a curve begins and what it aims at.
pub(super) struct Ends {
    /// What is shown now.
    pub(super) from: DVec3,
    /// How it moves now.
    pub(super) from_velocity: DVec3,
    /// Where the body will be at the end of the span.
    pub(super) to: DVec3,
    /// How it will move then.
    pub(super) to_velocity: DVec3,
    /// Where it will be a span later.
    pub(super) beyond: DVec3,
    /// The span in seconds.
    pub(super) span_s: f64,
}

/// A cubic in `s`, lowest power first.
pub(super) type Cubic = [DVec3; 4];

impl Ends {
    /// The curve a blend of the second family draws.
    pub(super) fn curve(&self, blend: Blend) -> Cubic {
        let straight = self.to - self.from;
        match blend {
            Blend::Bezier => {
                self.hermite(self.from_velocity * self.span_s, self.to_velocity * self.span_s)
            }
            Blend::CatmullRom => {
                let came_from = self.from - self.from_velocity * self.span_s;
                self.hermite((self.to - came_from) * 0.5, (self.beyond - self.from) * 0.5)
            }
            _ => [self.from, straight, DVec3::ZERO, DVec3::ZERO],
        }
    }

    fn hermite(&self, leave: DVec3, arrive: DVec3) -> Cubic {
        let straight = self.to - self.from;
        [self.from, leave, straight * 3.0 - leave * 2.0 - arrive, leave + arrive - straight * 2.0]
    }
}

/// Value of a cubic at `s`.
#[inline]
pub(super) fn cubic_at(c: &Cubic, s: f64) -> DVec3 {
    c[0] + (c[1] + (c[2] + c[3] * s) * s) * s
}

/// Derivative of a cubic by `s`.
pub(super) fn cubic_slope(c: &Cubic, s: f64) -> DVec3 {
    c[1] + (c[2] * 2.0 + c[3] * (3.0 * s)) * s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_start_whole_and_end_gone() {
        for blend in Blend::ALL.into_iter().filter(|b| !b.is_curve() && *b != Blend::Snap) {
            assert_eq!(blend.left(0.0), (1.0, 0.0), "{blend:?}");
            assert_eq!(blend.left(1.0), (0.0, 0.0), "{blend:?}");
        }
    }

    #[test]
    fn slopes_are_slopes() {
        for blend in Blend::ALL.into_iter().filter(|b| *b != Blend::Snap) {
            for s in [0.1, 0.5, 0.9] {
                let h = 1e-6;
                let (before, after) = (blend.left(s - h), blend.left(s + h));
                let slope = blend.left_slope(s);
                assert!(((after.0 - before.0) / (2.0 * h) - slope.0).abs() < 1e-6, "{blend:?}");
                assert!(((after.1 - before.1) / (2.0 * h) - slope.1).abs() < 1e-6, "{blend:?}");
            }
        }
    }

    #[test]
    fn no_slope_is_steeper_than_the_steepest() {
        for blend in Blend::ALL.into_iter().filter(|b| !b.is_curve() && *b != Blend::Snap) {
            let (most, beyond) = blend.steepest();
            let slopes = (0..=1_000).map(|n| blend.left_slope(f64::from(n) / 1e3));
            let found = slopes.fold((0.0_f64, 0.0_f64), |(w, g), (a, b)| (w.min(a), g.min(b)));
            assert!((found.0 + most).abs() < 1e-3, "{blend:?}: {found:?}");
            assert!((found.1 + beyond).abs() < 1e-3, "{blend:?}: {found:?}");
        }
    }

    #[test]
    fn blends_that_keep_velocity_start_with_it() {
        for blend in [Blend::ProjectiveVelocity, Blend::Hermite] {
            assert_eq!(blend.left_slope(0.0), (0.0, 1.0), "{blend:?}");
        }
    }
}
