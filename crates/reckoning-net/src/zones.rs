//! Distance classes around each peer's viewpoint: which entities it is sent, and how finely.
//!
//! ```text
//!        viewpoint
//!            o   class 0  |  class 1   |   class 2    |  out of the interest set
//!            +------------+------------+--------------+
//!            0          20 m         60 m           200 m
//!                          |--|         |---|           |------|
//!                       whatever is inside leaves a class only beyond its hysteresis
//! ```
//!
//! A class sets how far a peer's prediction may be off, how often it is corrected at most, how
//! seldom at least, by which motion model it is predicted, and how coarsely it is written. Nearer
//! classes are entered at their radius and left a little beyond it, so that a body that paces on a
//! border changes nothing. Distances are judged by importance: an entity that counts twice as much
//! is in the class of half its distance.

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::time::Duration;

use reckoning::error::{PublisherError, SettingError};
use reckoning::export::ExportRule;
use reckoning::ground::ClampDetail;
use reckoning::{AngleThreshold, ConfigError, Model, SimTime, Threshold};

use crate::kinds::{Kind, Show};
use crate::wire::{Format, MAX_CLASS};

/// Distance classes at most.
pub const MAX_CLASSES: usize = 8;

/// The least that an entity counts: see [`Kind::importance`](crate::Kind::importance).
pub(crate) const MIN_IMPORTANCE: f64 = 0.01;
/// The most that an entity counts.
pub(crate) const MAX_IMPORTANCE: f64 = 100.0;

/// How entities at one distance are replicated: the export rule of a peer's predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ZoneClass {
    /// Entities up to this far from the viewpoint belong here; infinite for all the rest.
    /// Default: infinite.
    pub radius_m: f64,
    /// An update is due once a peer's prediction is this far off. Default: a quarter of a metre.
    pub threshold: Threshold,
    /// An update is due once the predicted orientation is this far off; `None` ignores it.
    /// Default: 5 degrees.
    pub angle_threshold: Option<AngleThreshold>,
    /// Shortest time between two updates, except for stops and teleports. Default: zero.
    pub min_interval: Duration,
    /// Longest time without an update while the body moves; a body at rest costs nothing once the
    /// peer acknowledged it. Keep it below half of the peers' `max_extrapolation`. Not zero, and at
    /// least `min_interval`. Default: 1 s.
    pub heartbeat: Duration,
    /// Shortens each heartbeat at random by up to this share, and the first one after an entity
    /// entered the interest set by any, so that bodies that entered together do not fall due
    /// together. 0 to 0.5; 0 does neither. Default: 0.1.
    pub heartbeat_spread: f64,
    /// The entity is predicted with this model instead of its own. Default: `None`, its own.
    pub model: Option<Model>,
    /// How often all steps of the format are doubled, 0 to 15: 3 makes them eight times as coarse.
    /// Default: 0.
    pub coarser_log2: u8,
    /// How peers show entities of this class, in place of what their kind says; they change from one
    /// to the other without a jump. Only in the classes of a kind: see [`Kind::zones`](crate::Kind).
    /// Default: `None`, as the kind says.
    pub show: Option<Show>,
    /// How much of the ground is asked for entities of this class that are drawn, in place of what
    /// their distance says ([`Session::shown_on`](crate::Session::shown_on)). Only in the classes of
    /// a kind with a [`ground`](crate::Kind::ground). Default: `None`, by distance.
    pub clamp: Option<ClampDetail>,
}

impl Default for ZoneClass {
    /// Everything everywhere, to a quarter of a metre.
    fn default() -> Self {
        Self {
            radius_m: f64::INFINITY,
            threshold: Threshold::QUARTER_METRE,
            angle_threshold: AngleThreshold::degrees(5.0).ok(),
            min_interval: Duration::ZERO,
            heartbeat: Duration::from_secs(1),
            heartbeat_spread: 0.1,
            model: None,
            coarser_log2: 0,
            show: None,
            clamp: None,
        }
    }
}

impl ZoneClass {
    /// When the next heartbeat falls due after an update at `now`; `roll` is from 0 to 1.
    pub(crate) fn heartbeat_at(&self, now: SimTime, first: bool, roll: f64) -> SimTime {
        let spread = self.heartbeat_spread;
        if spread == 0.0 {
            return now + self.heartbeat;
        }
        let share = if first { roll } else { 1.0 - spread * roll };
        // As a number: there is one of each update, and spans are slow to multiply.
        let wait_us = self.heartbeat.as_secs_f64() * 1e6 * share;
        let due_us = now.as_micros().saturating_add(wait_us as i64);
        SimTime::from_micros(due_us).max(now + self.min_interval)
    }

    /// When a peer of this class is due an update.
    pub(crate) const fn export_rule(&self) -> ExportRule {
        ExportRule {
            threshold: self.threshold,
            angle_threshold: self.angle_threshold,
            min_interval: self.min_interval,
            angle_min_interval: Duration::ZERO,
            export_stops: true,
        }
    }
}

/// The distance classes of a host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ZoneConfig {
    /// Nearest first, at least one, at most [`MAX_CLASSES`], with rising radii. Entities beyond the
    /// last radius are not replicated. Default: one [`ZoneClass::default`].
    pub classes: Vec<ZoneClass>,
    /// A class is left this share of its radius beyond it, from 0 to 1. Default: 0.1.
    pub hysteresis: f64,
    /// Of the entities that go by these classes, only so many are in a peer's interest set: the
    /// nearest, by their importance. One that is not in it has to be nearer, by the hysteresis, than
    /// one that is. What a peer is sent, and what it keeps, does not grow with how many stand around
    /// it then. Kinds without classes of their own share the host's number. Default: `None`, all in
    /// reach.
    pub nearest: Option<NonZeroUsize>,
}

impl Default for ZoneConfig {
    /// One class for everything.
    fn default() -> Self {
        Self { classes: Vec::from([ZoneClass::default()]), hysteresis: 0.1, nearest: None }
    }
}

impl ZoneConfig {
    /// Validates the classes' number and order, and the hysteresis.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let count = self.classes.len();
        SettingError::in_range("number of zone classes", count as f64, 1.0, MAX_CLASSES as f64)?;
        SettingError::in_range("zone hysteresis", self.hysteresis, 0.0, 1.0)?;
        let mut min = 0.0;
        for class in &self.classes {
            // Radii rise, and zero or NaN is none.
            if class.radius_m.partial_cmp(&min) != Some(core::cmp::Ordering::Greater) {
                let (got, max) = (class.radius_m, f64::INFINITY);
                return Err(SettingError::OutOfRange { name: "zone radius", got, min, max }.into());
            }
            min = class.radius_m;
            if class.heartbeat.is_zero() || class.heartbeat < class.min_interval {
                let (heartbeat, min_interval) = (class.heartbeat, class.min_interval);
                return Err(PublisherError::HeartbeatTooShort { heartbeat, min_interval }.into());
            }
            SettingError::in_range("heartbeat_spread", class.heartbeat_spread, 0.0, 0.5)?;
            let most = f64::from(MAX_CLASS);
            SettingError::in_range("coarser_log2", f64::from(class.coarser_log2), 0.0, most)?;
        }
        Ok(())
    }

    /// Refuses what only the classes of a kind can say, and of those a clamp that has no ground.
    ///
    /// # Errors
    /// Names the first setting that would have no effect.
    pub(crate) fn check_showing(&self, kind: Option<&Kind>) -> Result<(), SettingError> {
        for class in &self.classes {
            if class.show.is_some() && kind.is_none() {
                let (name, needs) = ("show of a zone class", "a kind that has the class");
                return Err(SettingError::Ineffective { name, needs });
            }
            if class.clamp.is_some() && kind.is_none_or(|kind| kind.ground.is_none()) {
                let (name, needs) = ("clamp of a zone class", "a kind that stands on the ground");
                return Err(SettingError::Ineffective { name, needs });
            }
        }
        Ok(())
    }

    /// Validates the thresholds of all classes against what a format rounds.
    ///
    /// # Errors
    /// Names the first threshold that rounding alone would cross.
    pub(crate) fn check_thresholds(&self, format: &Format) -> Result<(), ConfigError> {
        for class in &self.classes {
            let format = format.coarser(class.coarser_log2);
            format.check_thresholds(class.threshold, class.angle_threshold)?;
        }
        Ok(())
    }

    /// The class of an entity at this squared distance, given the class it is in; `None` beyond all
    /// classes.
    pub(crate) fn class_at(&self, squared_m2: f64, current: Option<u8>) -> Option<u8> {
        let leave = 1.0 + self.hysteresis;
        let inside = |(place, class): &(usize, &ZoneClass)| {
            let held = current.is_some_and(|current| *place >= usize::from(current));
            let radius_m = if held { class.radius_m * leave } else { class.radius_m };
            // Infinity times infinity is fine; NaN distances are in no class.
            squared_m2 <= radius_m * radius_m
        };
        self.classes.iter().enumerate().find(inside).map(|(place, _)| place as u8)
    }

    /// How far away an entity can be and still be in a class, hysteresis included.
    pub(crate) fn reach_m(&self) -> f64 {
        self.classes.last().map_or(0.0, |class| class.radius_m * (1.0 + self.hysteresis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones() -> ZoneConfig {
        let class = |radius_m| ZoneClass { radius_m, ..ZoneClass::default() };
        ZoneConfig { classes: Vec::from([class(20.0), class(60.0)]), ..ZoneConfig::default() }
    }

    #[test]
    fn classes_are_left_later_than_they_are_entered() {
        let at = |m: f64, current| zones().class_at(m * m, current);
        assert_eq!([at(20.0, None), at(20.1, None), at(60.1, None)], [Some(0), Some(1), None]);
        assert_eq!([at(21.9, Some(0)), at(22.1, Some(0))], [Some(0), Some(1)]);
        assert_eq!([at(20.1, Some(1)), at(19.9, Some(1))], [Some(1), Some(0)]);
        assert_eq!(
            [at(65.9, Some(0)), at(65.9, Some(1)), at(66.1, Some(1))],
            [Some(1), Some(1), None]
        );
        assert_eq!(at(f64::NAN, Some(0)), None);
    }

    #[test]
    fn a_class_is_no_coarser_than_the_wire_can_say() {
        let coarse = |coarser_log2| {
            let mut zones = zones();
            zones.classes[1].coarser_log2 = coarser_log2;
            zones.validate()
        };
        assert!(coarse(15).is_ok());
        assert!(alloc::format!("{}", coarse(16).unwrap_err()).contains("coarser_log2 is 16"));
    }

    #[test]
    fn wrong_classes_are_named() {
        let mut wrong = zones();
        wrong.classes.swap(0, 1);
        let message = alloc::format!("{}", wrong.validate().unwrap_err());
        assert!(message.starts_with("zone radius is 20"), "{message}");
        wrong.classes.clear();
        assert!(wrong.validate().is_err());
        assert_eq!(zones().validate(), Ok(()));
    }
}
