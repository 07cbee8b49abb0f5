//! Joints of a kind: parts that turn on a body, sent by its owner or derived by its watchers.
//!
//! A joint that is sent takes two bytes: ten bits of angle over its range and six of rate. It is
//! evaluated at the moment its datagram is sent, so it needs no stamp of its own.

use alloc::string::String;
use core::f64::consts::TAU;
use core::time::Duration;

use libm::round;
use reckoning::error::{SettingError, ThresholdError};
use reckoning::orientation::{shortest_turn_rad, wrap_rad};
use reckoning::{ConfigError, DVec3, Joint, SimTime};
use serde::{Deserialize, Serialize};

use super::MAX_KIND_NAME_BYTES;

/// Joints of a kind at most.
pub const MAX_JOINTS: usize = 16;
/// Those of them that can be sent.
pub const MAX_SENT_JOINTS: usize = 8;

const ANGLE_BITS: u32 = 10;
const ANGLE_CODES: f64 = (1 << ANGLE_BITS) as f64;
const RATE_CODES: f64 = 31.0;
/// A watcher that hears nothing for so many heartbeats lets a joint rest.
const REST_HEARTBEATS: u32 = 3;

/// A part that turns on bodies of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointKind {
    /// Its name, 1 to 32 bytes, another one for each joint of a kind.
    pub name: String,
    /// Where its angle comes from.
    pub source: JointSource,
}

impl JointKind {
    /// A joint that its owner aims.
    #[must_use]
    pub fn sent(name: &str, sent: SentJoint) -> Self {
        Self { name: name.into(), source: JointSource::Sent(sent) }
    }

    /// A joint that watchers derive from how the body moves.
    #[must_use]
    pub fn derived(name: &str, source: JointSource) -> Self {
        Self { name: name.into(), source }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let (bytes, most) = (self.name.len() as f64, MAX_KIND_NAME_BYTES as f64);
        SettingError::in_range("bytes of a joint's name", bytes, 1.0, most)?;
        match &self.source {
            JointSource::Sent(sent) => sent.validate(),
            JointSource::Wheel { hub, radius_m } => {
                SettingError::in_range("wheel radius", *radius_m, 1e-6, 1e6)?;
                SettingError::in_range("distance of a hub", hub.length(), 0.0, 1e6)?;
                Ok(())
            }
            JointSource::Steering { wheelbase_m, max_rad, min_speed_mps } => {
                SettingError::in_range("wheelbase", *wheelbase_m, 1e-6, 1e6)?;
                SettingError::in_range("steering max_rad", *max_rad, 0.0, TAU)?;
                SettingError::in_range("steering min_speed_mps", *min_speed_mps, 1e-6, 1e6)?;
                Ok(())
            }
        }
    }
}

/// Where the angle of a joint comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JointSource {
    /// Its owner: [`Session::aim`](crate::Session::aim), [`Host::aim`](crate::Host::aim).
    Sent(SentJoint),
    /// The way that its hub went over ground, frame by frame.
    Wheel {
        /// Where the hub is in the body's axes.
        hub: DVec3,
        /// The wheel's radius.
        radius_m: f64,
    },
    /// How the body turns: the angle of front wheels.
    Steering {
        /// From the front axle to the rear one.
        wheelbase_m: f64,
        /// How far the wheels can turn to either side.
        max_rad: f64,
        /// Below this speed they straighten.
        min_speed_mps: f64,
    },
}

/// A joint that its owner aims. The default suits a tank's turret: three degrees, all round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SentJoint {
    /// Least and greatest angle; what is aimed beyond is clamped. Default: `None`, all round.
    pub range_rad: Option<(f64, f64)>,
    /// How fast it turns at most; faster rates are clamped. Default: a full turn a second.
    pub max_rate_radps: f64,
    /// Sends an update once the watchers' prediction is further off than this. No less than the
    /// step of its angle: a thousandth of its range. Default: 3 degrees, in radians.
    pub threshold_rad: f64,
    /// Never sends more often than this. Default: 50 ms.
    pub min_interval: Duration,
    /// Sends at least this often while it turns; at rest it sends nothing. Watchers that hear
    /// nothing for three heartbeats let it rest. Not zero. Default: 1 s.
    pub heartbeat: Duration,
    /// How long watchers take to fade the error of an update. Default: 200 ms.
    pub blend: Duration,
}

impl Default for SentJoint {
    fn default() -> Self {
        Self {
            range_rad: None,
            max_rate_radps: TAU,
            threshold_rad: 3.0_f64.to_radians(),
            min_interval: Duration::from_millis(50),
            heartbeat: Duration::from_secs(1),
            blend: Duration::from_millis(200),
        }
    }
}

impl SentJoint {
    fn validate(&self) -> Result<(), ConfigError> {
        if let Some((min, max)) = self.range_rad {
            SettingError::in_range("least angle of a joint", min, -TAU, TAU)?;
            SettingError::in_range("greatest angle of a joint", max, min + 1e-6, min + TAU)?;
        }
        SettingError::in_range("max_rate_radps of a joint", self.max_rate_radps, 1e-6, 1e6)?;
        if !(self.threshold_rad >= self.step_rad() && self.threshold_rad.is_finite()) {
            return Err(ThresholdError::JointNotPositive { got_rad: self.threshold_rad }.into());
        }
        if self.heartbeat.is_zero() {
            return Err(SettingError::SpanZero { name: "heartbeat of a joint" }.into());
        }
        Ok(())
    }

    fn step_rad(&self) -> f64 {
        self.range_rad.map_or(TAU / ANGLE_CODES, |(min, max)| (max - min) / (ANGLE_CODES - 1.0))
    }

    /// An angle within its range. The library's own range, so that wrong settings cannot panic.
    fn clamped(&self, angle_rad: f64) -> f64 {
        self.range_rad.map_or_else(|| wrap_rad(angle_rad), |(min, max)| angle_rad.max(min).min(max))
    }

    /// The joint as it can be: within its range, no faster than it turns. `None` for what is not
    /// finite.
    pub(crate) fn possible(&self, joint: Joint) -> Option<Joint> {
        if !(joint.angle_rad.is_finite() && joint.rate_radps.is_finite()) {
            return None;
        }
        let most = self.max_rate_radps;
        let rate_radps = joint.rate_radps.max(-most).min(most);
        Some(Joint { angle_rad: self.clamped(joint.angle_rad), rate_radps, ..joint })
    }

    /// The joint at a later moment, resting once it was silent for long.
    pub(crate) fn later(&self, joint: &Joint, at: SimTime) -> Joint {
        let rests_at = self.rests_at(joint.at);
        let angle_rad = self.turned(joint, at.min(rests_at));
        let rate_radps = if at < rests_at { joint.rate_radps } else { 0.0 };
        Joint { at, angle_rad, rate_radps }
    }

    fn turned(&self, joint: &Joint, at: SimTime) -> f64 {
        self.clamped(joint.angle_rad + joint.rate_radps * at.secs_since(joint.at))
    }

    /// From when on a joint rests that was last heard of then.
    pub(crate) fn rests_at(&self, heard: SimTime) -> SimTime {
        heard + self.heartbeat.saturating_mul(REST_HEARTBEATS)
    }

    /// Whether watchers that have `exported` need an update. What brakes or turns back is told when
    /// it would be off by the time at which it could be told again, not once it is.
    pub(crate) fn is_due(&self, exported: &Joint, truth: &Joint) -> bool {
        let silence = truth.at.saturating_since(exported.at);
        let turns = exported.rate_radps != 0.0;
        let off_at =
            |at| shortest_turn_rad(self.turned(exported, at), self.turned(truth, at)).abs();
        let off_rad = off_at(truth.at).max(off_at(truth.at + self.min_interval));
        let stops = turns && truth.rate_radps == 0.0;
        silence >= self.min_interval
            && (off_rad > self.threshold_rad || stops || (turns && silence >= self.heartbeat))
    }

    /// Two bytes: the angle in the low ten bits, the rate in the high six.
    pub(crate) fn encode(&self, joint: &Joint) -> u16 {
        let angle = match self.range_rad {
            None => round(wrap_rad(joint.angle_rad) / TAU * ANGLE_CODES) as i32 & 0x3ff,
            Some((min, _)) => round((joint.angle_rad - min) / self.step_rad()) as i32,
        };
        let rate = round(joint.rate_radps / self.max_rate_radps * RATE_CODES) as i32;
        (angle.clamp(0, 0x3ff) | (rate.clamp(-31, 31) & 0x3f) << ANGLE_BITS) as u16
    }

    /// What two bytes say, for the moment at which they were sent.
    pub(crate) fn decode(&self, code: u16, at: SimTime) -> Joint {
        let steps = f64::from(code & 0x3ff) * self.step_rad();
        let angle_rad = self.range_rad.map_or_else(|| wrap_rad(steps), |(min, _)| min + steps);
        // The rate is the upper six bits, with their sign.
        let rate = f64::from((code.cast_signed() >> ANGLE_BITS).max(-31)) / RATE_CODES;
        Joint { at, angle_rad, rate_radps: rate * self.max_rate_radps }
    }
}

/// A joint of a kind, by its place or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointRef<'a> {
    /// The place among the kind's joints.
    Place(usize),
    /// The name.
    Name(&'a str),
}

impl From<usize> for JointRef<'_> {
    fn from(place: usize) -> Self {
        Self::Place(place)
    }
}

impl<'a> From<&'a str> for JointRef<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

/// The joints of a kind.
pub(crate) trait Joints {
    /// The place of a joint.
    fn place(&self, joint: JointRef) -> Option<usize>;
    /// Those that are sent, in order, at most [`MAX_SENT_JOINTS`].
    fn all_sent(&self) -> impl Iterator<Item = &SentJoint>;
    /// The place of a joint among those that are sent.
    fn sent_place(&self, joint: JointRef) -> Option<usize>;
}

impl Joints for [JointKind] {
    fn place(&self, joint: JointRef) -> Option<usize> {
        match joint {
            JointRef::Place(place) => (place < self.len()).then_some(place),
            JointRef::Name(name) => self.iter().position(|joint| joint.name == name),
        }
    }

    fn all_sent(&self) -> impl Iterator<Item = &SentJoint> {
        let sent = |joint: &JointKind| matches!(joint.source, JointSource::Sent(_));
        self.iter().filter(move |joint| sent(joint)).filter_map(|joint| match &joint.source {
            JointSource::Sent(sent) => Some(sent),
            _ => None,
        })
    }

    fn sent_place(&self, joint: JointRef) -> Option<usize> {
        let place = self.place(joint)?;
        let is_sent = |joint: &&JointKind| matches!(joint.source, JointSource::Sent(_));
        let before = self[..place].iter().filter(is_sent).count();
        is_sent(&&self[place]).then_some(before)
    }
}

/// Validates the joints of a kind.
pub(super) fn validate(joints: &[JointKind]) -> Result<(), ConfigError> {
    SettingError::in_range("number of joints", joints.len() as f64, 0.0, MAX_JOINTS as f64)?;
    let sent = joints.all_sent().count() as f64;
    SettingError::in_range("number of joints sent", sent, 0.0, MAX_SENT_JOINTS as f64)?;
    joints.iter().try_for_each(JointKind::validate)?;
    let alike = |(place, joint): (usize, &JointKind)| {
        joints[..place].iter().any(|other| other.name == joint.name)
    };
    let twice = joints.iter().enumerate().filter(|it| alike(*it)).count() as f64;
    SettingError::in_range("joints of the same name", twice, 0.0, 0.0)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bytes_keep_angle_and_rate_to_their_steps() {
        let round_about = SentJoint::default();
        let gun = SentJoint { range_rad: Some((-0.2, 0.6)), ..SentJoint::default() };
        for (joint, step_rad) in [(round_about, TAU / 1024.0), (gun, 0.8 / 1023.0)] {
            for step in 0..2000 {
                let (angle_rad, rate_radps) =
                    (f64::from(step) * 0.007 - 7.0, f64::from(step) * 0.006 - 6.0);
                let seen = Joint { at: SimTime::ZERO, angle_rad, rate_radps };
                let seen = joint.possible(seen).unwrap();
                let got = joint.decode(joint.encode(&seen), SimTime::ZERO);
                let off_rad = shortest_turn_rad(got.angle_rad, seen.angle_rad).abs();
                assert!(off_rad <= step_rad * 0.5001, "{seen:?} {got:?}");
                assert!((got.rate_radps - seen.rate_radps).abs() <= TAU / 31.0 * 0.5001);
            }
        }
        // Whatever bits arrive, the joint is within its range.
        for code in 0..=u16::MAX {
            let got = gun.decode(code, SimTime::ZERO);
            assert!((-0.2001..0.6001).contains(&got.angle_rad) && got.rate_radps.abs() <= TAU);
        }
    }

    #[test]
    fn a_joint_that_is_not_heard_of_comes_to_rest() {
        let joint = SentJoint::default();
        let seen = Joint { at: SimTime::ZERO, angle_rad: 0.0, rate_radps: 0.1 };
        let at = |ms| joint.later(&seen, SimTime::from_millis(ms));
        assert!((at(2_000).angle_rad - 0.2).abs() < 1e-12);
        assert!((at(9_000).angle_rad - 0.3).abs() < 1e-12);
        assert_eq!([at(2_000).rate_radps, at(9_000).rate_radps], [0.1, 0.0]);
    }

    #[test]
    fn a_joint_that_turns_back_is_told_before_it_is_off() {
        let kind = SentJoint::default();
        let told = Joint { at: SimTime::ZERO, angle_rad: 0.0, rate_radps: 1.0 };
        let due = |angle_rad, rate_radps| {
            let at = SimTime::from_millis(60);
            kind.is_due(&told, &Joint { at, angle_rad, rate_radps })
        };
        assert!(!due(0.06, 1.0) && !due(0.06, 0.5), "as told, or nearly so until it may be told");
        assert!(due(0.06, -0.2), "three degrees off after the shortest interval");
        assert!(due(0.12, 1.0), "off already");
    }

    #[test]
    fn joints_that_make_no_sense_are_refused() {
        let refused = |joint: JointKind| validate(&[joint]).is_err();
        let sent = |change: fn(&mut SentJoint)| {
            let mut joint = SentJoint::default();
            change(&mut joint);
            JointKind::sent("turret", joint)
        };
        assert!(!refused(sent(|_| {})));
        assert!(refused(JointKind::sent("", SentJoint::default())));
        assert!(refused(sent(|joint| joint.range_rad = Some((1.0, 0.5)))));
        assert!(refused(sent(|joint| joint.range_rad = Some((f64::NAN, 0.5)))));
        assert!(refused(sent(|joint| joint.threshold_rad = 0.001)));
        assert!(refused(sent(|joint| joint.max_rate_radps = f64::INFINITY)));
        assert!(refused(sent(|joint| joint.heartbeat = Duration::ZERO)));
        let twins = [sent(|_| {}), sent(|_| {})];
        assert!(alloc::format!("{}", validate(&twins).unwrap_err()).contains("same name"));
    }
}
