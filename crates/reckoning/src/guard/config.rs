//! Settings of a guard.

use core::time::Duration;

use super::{Envelope, MotionTest, OwnerModels};
use crate::error::SettingError;

/// Settings for a [`Guard`](super::Guard).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GuardConfig {
    /// What bodies of the game can do. Default: [`Envelope::of_speed`] with 10 m/s and 50 m/s^2. No
    /// limit negative.
    pub envelope: Envelope,
    /// Distances may be exceeded by this much: the publisher's threshold and rounding. Default: 0.5
    /// m. Finite, not negative.
    pub tolerance_m: f64,
    /// Distances exceeded by more than this share, and the tolerance, are corrected at once; by
    /// less, once it adds up. Default: 0.1. Not negative; zero corrects every excess.
    pub gross: f64,
    /// Timestamps may lie this far in the host's future: how wrong a client's clock may be.
    /// Default: 100 ms. Any span.
    pub max_lead: Duration,
    /// Updates older than this are rejected. Default: 2 s. Any span.
    pub max_age: Duration,
    /// Updates older than the measured round trip by more than this are rejected as well. Default:
    /// 250 ms. Any span.
    pub stamp_margin: Duration,
    /// How far ahead owners look when they publish: a velocity may be what the body will have by
    /// then, as that of an aimed line is (see [`aim`](crate::aim)). Where a body may be, and what
    /// listeners are shown, is bounded as ever. Default: zero. Any span.
    pub foresight: Duration,
    /// Models that updates may carry; others are rejected. Default: [`OwnerModels::PLAIN`].
    pub models: OwnerModels,
    /// Test of whether a body moves as bodies do or faster, over seconds; an alarm is corrected.
    /// Default: `None`. Learnt from recordings of honest play and kept for ever
    /// ([`Box::leak`](alloc::boxed::Box::leak)).
    pub motion: Option<&'static MotionTest>,
    /// What listeners are shown may lag behind what the owner claims by as far as a body gets in
    /// this time; an owner further ahead is corrected. Default: 2 s. Any span.
    pub max_trail: Duration,
    /// Updates a second that are judged at all, in the long run. Default: 70. Finite, at least 0.1.
    pub updates_per_s: f64,
    /// Updates that may arrive at once, after a hiccup of the network. Default: 140. Finite, at
    /// least 1.
    pub burst: f64,
    /// A silence longer than this that ends with a burst of held-back updates is suspicious when it
    /// happens again and again. Default: 600 ms. Any span.
    pub max_silence: Duration,
    /// How long a client may take to obey a correction, at most: with a measured round trip, that
    /// and 400 ms are enough. Whoever ignores three in a row is disconnected. Default: 900 ms. Any
    /// span.
    pub obey_within: Duration,
    /// Suspicion at which a client is corrected. Default: 1. Not negative.
    pub correct_at: f64,
    /// Suspicion at which it is disconnected. Default: 20. At least `correct_at`; infinity never
    /// does.
    pub disconnect_at: f64,
    /// Suspicion that leaks away per second. Default: 0.25. Finite, not negative.
    pub leak_per_s: f64,
}

impl Default for GuardConfig {
    /// A person who runs at most 10 m/s, in a game measured in metres.
    fn default() -> Self {
        Self::new(Envelope::of_speed(10.0, 50.0), 0.5)
    }
}

impl GuardConfig {
    /// Settings for bodies of this envelope whose publisher lets them stray `tolerance_m`.
    #[must_use]
    pub fn new(envelope: Envelope, tolerance_m: f64) -> Self {
        Self {
            envelope,
            tolerance_m,
            gross: 0.1,
            max_lead: Duration::from_millis(100),
            max_age: Duration::from_secs(2),
            stamp_margin: Duration::from_millis(250),
            foresight: Duration::ZERO,
            models: OwnerModels::PLAIN,
            motion: None,
            max_trail: Duration::from_secs(2),
            updates_per_s: 70.0,
            burst: 140.0,
            max_silence: Duration::from_millis(600),
            obey_within: Duration::from_millis(900),
            correct_at: 1.0,
            disconnect_at: 20.0,
            leak_per_s: 0.25,
        }
    }

    /// Checks every setting; [`Guard::start`](super::Guard::start) does so too.
    ///
    /// # Errors
    /// Names the first setting that is out of its range or not a number.
    pub fn validate(&self) -> Result<(), SettingError> {
        self.envelope.validate()?;
        let far = f64::INFINITY;
        SettingError::in_range("tolerance_m", self.tolerance_m, 0.0, f64::MAX)?;
        SettingError::in_range("gross", self.gross, 0.0, far)?;
        SettingError::in_range("updates_per_s", self.updates_per_s, 0.1, f64::MAX)?;
        SettingError::in_range("burst", self.burst, 1.0, f64::MAX)?;
        SettingError::in_range("leak_per_s", self.leak_per_s, 0.0, f64::MAX)?;
        SettingError::in_range("correct_at", self.correct_at, 0.0, far)?;
        SettingError::in_range("disconnect_at", self.disconnect_at, self.correct_at, far)?;
        Ok(())
    }
}
