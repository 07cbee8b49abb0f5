//! How a ghost is turned by its motion: angular velocity and heading.

use glam::{DQuat, DVec3};

use super::Ghost;
use super::fading::Shown;
use super::heading::{HeadingRule, level};
use crate::{Kinematics, SimTime};

impl Ghost {
    /// How fast the drawn body turns, in world axes: the slope of
    /// [`orientation_at`](Self::orientation_at).
    #[must_use]
    pub fn angular_velocity_at(&self, now: SimTime) -> DVec3 {
        let (t_s, rate) = self.model_time(now);
        let seen = self.update.kinematics();
        let believed = self.update.angular_velocity() * rate;
        let Some(s) = self.blended(now) else { return believed };
        let (slope, _) = self.config.blend.left_slope(s);
        let orientation = self.update.model().orientation_after(seen, t_s);
        let shown = believed + orientation * (self.turn * (slope / self.span_s));
        if shown.is_finite() { shown } else { DVec3::ZERO }
    }

    /// The heading of a level body whose nose points the way it goes, for bodies whose orientation
    /// is not sent. Pure, as everything that is asked of a ghost.
    ///
    /// It follows the motion that the update promised, not that of the picture, which is led back
    /// where a body that stops was shown too far ahead. A body slower than
    /// [`min_heading_speed_mps`](super::GhostConfig::min_heading_speed_mps) keeps the heading it
    /// had; before it ever moved, that of the first update's orientation. Updates turn it over the
    /// span of the blend, the short way round.
    ///
    /// ```
    /// use reckoning::orientation::heading_rad;
    /// use reckoning::{Blend, DVec3, Ghost, Kinematics, Model, SimTime, Update, UpdateKind};
    ///
    /// let update = |ms, y, speed| {
    ///     let seen = Kinematics::moving(SimTime::from_millis(ms), DVec3::Y * y, DVec3::Y * speed);
    ///     Update::new(seen, Model::Linear, UpdateKind::Partial)
    /// };
    /// let mut boat = Ghost::new(update(0, 0.0, 8.0)?, Blend::ProjectiveVelocity);
    /// boat.accept(update(1_000, 8.0, 0.0)?, SimTime::from_millis(1_100)); // it stopped
    ///
    /// let backing = SimTime::from_millis(1_300); // from 0.8 m too far ahead
    /// assert!(boat.velocity_at(backing).y < 0.0);
    /// assert!((heading_rad(boat.heading_at(backing)) - 90.0_f64.to_radians()).abs() < 1e-9);
    /// # Ok::<(), reckoning::ConfigError>(())
    /// ```
    #[must_use]
    pub fn heading_at(&self, now: SimTime) -> DQuat {
        level(self.shown_heading(now))
    }

    /// Everything about the drawn body at once, but its acceleration, which is left at zero: ready
    /// for a [`Follower`](crate::Follower) or a [`Handover`](super::Handover).
    #[must_use]
    pub fn kinematics_at(&self, now: SimTime) -> Kinematics {
        Kinematics {
            velocity: self.velocity_at(now),
            orientation: self.orientation_at(now),
            angular_velocity: self.angular_velocity_at(now),
            ..Kinematics::at_rest(now, self.position_at(now))
        }
    }

    pub(super) fn shown(&self, now: SimTime) -> Shown {
        Shown {
            position: self.position_at(now),
            velocity: self.velocity_at(now),
            orientation: self.orientation_at(now),
            heading_rad: self.shown_heading(now),
        }
    }

    fn shown_heading(&self, now: SimTime) -> f64 {
        let left = |s| self.config.blend.left(s).0;
        self.believed_heading(now) + self.blended(now).map_or(0.0, left) * self.heading_off_rad
    }

    pub(super) fn believed_heading(&self, now: SimTime) -> f64 {
        let (t_s, _) = self.model_time(now);
        self.heading_after(t_s)
    }

    /// The heading after so many seconds of the model.
    pub(super) fn heading_after(&self, t_s: f64) -> f64 {
        // Settings were validated before.
        let rule = HeadingRule::new(self.config.min_heading_speed_mps);
        rule.map_or(self.held_rad, |rule| rule.after(&self.update, t_s, self.held_rad))
    }
}
