//! Hand-over of a body to another owner, without a jump in place or velocity on any screen.
//!
//! Three sides see it. Whoever *watches* gets the first update of the new owner, whose clock and
//! view are others: [`Ghost::hand_over`]. Whoever *becomes* the owner goes on from the state it was
//! given, which is not quite what its ghost showed: a [`Handover`] lays the difference over its
//! truth and lets it fade. Whoever *was* the owner showed the truth, and from then on has a ghost
//! that is led by what others know: [`Ghost::from_shown`].

use core::time::Duration;

use super::fading::{Fading, Shown};
use super::heading::HeadingRule;
use super::{Accepted, Blend, Ghost, GhostConfig};
use crate::error::SettingError;
use crate::orientation::heading_rad;
use crate::{Kinematics, SimTime, Update};

impl Ghost {
    /// A ghost born from the first update, which arrives `now`, of a body that is `shown` so at
    /// that moment: by its former owner's truth, say. It sets out from there, without a jump in
    /// place and, by the default blend, in velocity; with [`Blend::Snap`] it jumps.
    ///
    /// ```
    /// use reckoning::{DVec3, Ghost, GhostConfig, Kinematics, Model, SimTime, Update, UpdateKind};
    ///
    /// let now = SimTime::from_millis(500);
    /// let truth = Kinematics::moving(now, DVec3::X * 5.0, DVec3::X * 10.0);
    /// // What the others know: it was slower, 100 ms ago.
    /// let known = Kinematics::moving(SimTime::from_millis(400), DVec3::X * 3.8, DVec3::X * 9.0);
    /// let update = Update::new(known, Model::Linear, UpdateKind::Full)?;
    /// let ghost = Ghost::from_shown(GhostConfig::default(), update, &truth, now)?;
    /// assert_eq!(ghost.position_at(now), truth.position);
    /// assert_eq!(ghost.velocity_at(now), truth.velocity);
    /// assert_eq!(ghost.position_at(SimTime::from_millis(900)).x, 8.3);
    /// # Ok::<(), reckoning::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_config`](Self::with_config).
    pub fn from_shown(
        config: GhostConfig,
        first: Update,
        shown: &Kinematics,
        now: SimTime,
    ) -> Result<Self, SettingError> {
        let mut ghost = Self::with_config(config, first, now)?;
        let rule = HeadingRule::new(config.min_heading_speed_mps)?;
        if shown.validate().is_ok() && config.blend != Blend::Snap {
            let shown = shown_by(shown, rule);
            ghost.held_rad = shown.heading_rad;
            ghost.on_rails = false;
            ghost.span_s = ghost.blend_span_s(&shown, now);
            ghost.lead_from(&shown, now);
        }
        Ok(ghost)
    }

    /// Takes the first update of another owner, which arrives `now`, whatever its stamp: that comes
    /// from another clock, and may lie before the former owner's last. The picture does not jump,
    /// and from here on updates are old or new by the new owner's stamps. Drop what still arrives
    /// from the former owner: only the caller can tell whose it is.
    pub fn hand_over(&mut self, update: Update, now: SimTime) -> Accepted {
        self.hedge.forget_probe();
        self.lead(update, now);
        Accepted::Newest
    }
}

/// What a body that changed its owner is still shown off its truth, on the new owner's screen.
///
/// Start one from what was shown and the truth to go on from, both at the same moment, and draw
/// [`shown`](Self::shown) in place of the truth. What is published is the truth.
///
/// ```
/// use core::time::Duration;
/// use reckoning::ghost::Handover;
/// use reckoning::{DVec3, Kinematics, SimTime};
///
/// let ms = SimTime::from_millis;
/// let truth = |at: SimTime| Kinematics::moving(at, DVec3::X * 10.0 * at.as_secs_f64(), DVec3::X * 10.0);
/// let ghost = Kinematics::moving(ms(0), DVec3::Y * 0.3, DVec3::X * 8.0); // as shown until now
/// let handover = Handover::start(&ghost, &truth(ms(0)), Duration::from_millis(300));
///
/// assert_eq!(handover.shown(&truth(ms(0))).position, ghost.position); // no jump
/// assert_eq!(handover.shown(&truth(ms(0))).velocity, ghost.velocity);
/// assert_eq!(handover.shown(&truth(ms(300))), truth(ms(300))); // and on the truth
/// assert!(handover.is_over(ms(300)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handover {
    error: Fading,
}

impl Handover {
    /// Sets out at `truth.at` from what is `shown` then, and is on the truth one `span` later. With
    /// a span of zero, or from what is not finite, it is there at once.
    #[must_use]
    pub fn start(shown: &Kinematics, truth: &Kinematics, span: Duration) -> Self {
        if span.is_zero() || shown.validate().is_err() || truth.validate().is_err() {
            return Self { error: Fading::NONE };
        }
        let (from, to) = (plain(shown), plain(truth));
        Self { error: Fading::between(&from, &to, truth.at, span.as_secs_f64()) }
    }

    /// What to draw of a body whose truth this is, at `truth.at`. Pure.
    #[must_use]
    pub fn shown(&self, truth: &Kinematics) -> Kinematics {
        let now = truth.at;
        if self.is_over(now) {
            return *truth;
        }
        let shown = Kinematics {
            position: truth.position + self.error.position(now),
            velocity: truth.velocity + self.error.velocity(now),
            orientation: (truth.orientation * self.error.rotation(now)).normalize(),
            angular_velocity: truth.angular_velocity
                + truth.orientation * self.error.angular_velocity(now),
            ..*truth
        };
        if shown.validate().is_ok() { shown } else { *truth }
    }

    /// Whether the truth is shown at `now`.
    #[must_use]
    pub fn is_over(&self, now: SimTime) -> bool {
        self.error.progress(now).is_none()
    }
}

/// Without a heading: what owns a body knows how it is turned.
const fn plain(body: &Kinematics) -> Shown {
    let Kinematics { position, velocity, orientation, .. } = *body;
    Shown { position, velocity, orientation, heading_rad: 0.0 }
}

fn shown_by(body: &Kinematics, rule: HeadingRule) -> Shown {
    let heading_rad = rule.of(body.velocity, heading_rad(body.orientation));
    Shown { heading_rad, ..plain(body) }
}
