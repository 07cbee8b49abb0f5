//! Recordings as the server sends them: a JSON header and a block of numbers.

use std::fmt;

use reckoning::ground::Pose;
use reckoning::{DQuat, DVec3};
use serde::Deserialize;

use crate::hills::stance::Stance;

/// Numbers for each body in each frame of a flat recording, and the first ones of every other.
const FLAT_NUMBERS: [&str; NUMBERS] = ["x", "y", "yaw", "health", "ammo"];
const NUMBERS: usize = 5;
/// What follows in a recording of three dimensions; angles of joints come after it.
const SPATIAL_NUMBERS: [&str; 5] = ["z", "qw", "qx", "qy", "qz"];
/// Numbers of a body at most: far more joints than any body has.
const MAX_NUMBERS: usize = 64;
/// Two frames further apart than this many pixels a second are no motion.
const LEAP_PX_S: f64 = 5_000.0;
/// The same of three dimensions, in metres; shells fly at less.
const LEAP_MPS: f64 = 300.0;

/// What `/recording.json` says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ReplayHeader {
    /// What it is called.
    pub name: String,
    /// How long it is.
    #[serde(default)]
    pub seconds: f64,
    /// Frames a second.
    pub rate_hz: f64,
    /// Its bodies.
    pub bodies: Vec<HeaderBody>,
    /// The most health that anyone had; 0 where none is known.
    #[serde(default)]
    pub most_health: f64,
    /// The level it was played in, if it is one that is known.
    #[serde(default)]
    pub level: Option<String>,
    /// Names of the numbers of a body in a frame; empty in flat recordings.
    #[serde(default)]
    pub numbers: Vec<String>,
}

/// A body of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HeaderBody {
    /// Its number.
    pub id: u32,
    /// Its side.
    #[serde(default)]
    pub team: u8,
    /// 0 walks, 1 is a tank.
    #[serde(default)]
    pub kind: u8,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// The name of its kind, empty where it is not known.
    #[serde(default)]
    pub kind_name: String,
}

/// Why a recording cannot be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayError {
    /// The header is not as it must be.
    Header {
        /// What is wrong with it.
        reason: String,
    },
    /// Frames per second must be positive.
    Rate {
        /// What was given.
        got_hz: f64,
    },
    /// There is nobody in it, or not a single whole frame.
    Empty,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { reason } => write!(f, "the header of the recording is wrong: {reason}"),
            Self::Rate { got_hz } => write!(f, "a rate of {got_hz} Hz shows nothing; record anew"),
            Self::Empty => f.write_str("nobody moves in this recording; choose another"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct ReplayFrames {
    header: ReplayHeader,
    numbers: Vec<f32>,
    frames: usize,
    /// Numbers of a body in a frame.
    stride: usize,
}

impl ReplayFrames {
    /// From the two files; half a frame at the end is left out.
    ///
    /// # Errors
    /// When the header is wrong or there is nothing to show.
    pub fn new(header: &str, frames: &[u8]) -> Result<Self, ReplayError> {
        let header: ReplayHeader = serde_json::from_str(header)
            .map_err(|error| ReplayError::Header { reason: error.to_string() })?;
        if !(header.rate_hz > 0.0 && header.rate_hz.is_finite()) {
            return Err(ReplayError::Rate { got_hz: header.rate_hz });
        }
        let (quads, _) = frames.as_chunks::<4>();
        let numbers: Vec<f32> = quads.iter().map(|quad| f32::from_le_bytes(*quad)).collect();
        let stride = stride(&header)?;
        let width = header.bodies.len() * stride;
        let frames = numbers.len().checked_div(width).unwrap_or(0);
        if frames == 0 {
            return Err(ReplayError::Empty);
        }
        Ok(Self { header, numbers, frames, stride })
    }

    /// The header: rate, bodies, level.
    #[must_use]
    pub const fn header(&self) -> &ReplayHeader {
        &self.header
    }

    /// Its length.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.frames - 1) as f64 / self.header.rate_hz
    }

    /// Where the body of that place in the header is and looks at a moment; `None` while it is
    /// absent.
    #[must_use]
    pub fn pose_at(&self, body: usize, at_s: f64) -> Option<(DVec3, f64)> {
        let frame = (at_s * self.header.rate_hz).clamp(0.0, (self.frames - 1) as f64);
        let before = frame as usize;
        let (here, yaw_rad) = self.flat_pose(before, body)?;
        let Some((next, next_rad)) = self.flat_pose(before + 1, body) else {
            return Some((here, yaw_rad));
        };
        let (way, part) = (next - here, frame - before as f64);
        if way.length() * self.header.rate_hz > LEAP_PX_S {
            return Some((here, yaw_rad));
        }
        let turn_rad = reckoning::orientation::wrap_rad(next_rad - yaw_rad);
        Some((here + way * part, yaw_rad + turn_rad * part))
    }

    /// The health of a body at a moment, as a share of the most there was, and its shots left, as
    /// far as they were recorded.
    #[must_use]
    pub fn values_at(&self, body: usize, at_s: f64) -> (Option<f64>, Option<u16>) {
        let frame = (at_s * self.header.rate_hz).clamp(0.0, (self.frames - 1) as f64) as usize;
        let place = (frame * self.header.bodies.len() + body) * self.stride;
        let numbers = self.numbers.get(place..).and_then(|it| it.first_chunk::<NUMBERS>());
        let Some([_, _, _, health, ammo]) = numbers else { return (None, None) };
        let share = f64::from(*health) / self.header.most_health;
        let share = Some(share.clamp(0.0, 1.0)).filter(|it| it.is_finite());
        (share, Some(*ammo as u16).filter(|_| ammo.is_finite()))
    }

    fn flat_pose(&self, frame: usize, body: usize) -> Option<(DVec3, f64)> {
        if body >= self.header.bodies.len() {
            return None;
        }
        let place = (frame * self.header.bodies.len() + body) * self.stride;
        let [x, y, yaw, ..] = *self.numbers.get(place..)?.first_chunk::<NUMBERS>()?;
        let at = DVec3::new(f64::from(x), f64::from(y), 0.0);
        let yaw_rad = if yaw.is_finite() { f64::from(yaw) } else { 0.0 };
        at.is_finite().then_some((at, yaw_rad))
    }

    /// Whether it has three dimensions.
    #[must_use]
    pub const fn is_spatial(&self) -> bool {
        self.stride > NUMBERS
    }

    /// Where the body of that place in the header is in a frame, and how it stands; `None` while it
    /// is absent. In a flat recording it stands upright at height 0.
    #[must_use]
    pub fn pose(&self, body: usize, frame: usize) -> Option<(DVec3, DQuat)> {
        let (at, yaw_rad) = self.flat_pose(frame, body)?;
        let upright = DQuat::from_rotation_z(yaw_rad);
        let Some(more) = self.spatial(body, frame) else { return Some((at, upright)) };
        let [z, w, x, y, qz] = more.map(f64::from);
        let turned = DQuat::from_xyzw(x, y, qz, w).normalize();
        let turned = if turned.is_finite() { turned } else { upright };
        Some((at.with_z(if z.is_finite() { z } else { 0.0 }), turned))
    }

    fn spatial(&self, body: usize, frame: usize) -> Option<[f32; SPATIAL_NUMBERS.len()]> {
        let place = (frame * self.header.bodies.len() + body) * self.stride + NUMBERS;
        let more = self.numbers.get(place..)?.first_chunk().copied();
        more.filter(|_| self.is_spatial())
    }

    /// The angle of a body's joint in a frame, in radians; `None` where it is not known.
    #[must_use]
    pub fn joint(&self, body: usize, frame: usize, name: &str) -> Option<f64> {
        if body >= self.header.bodies.len() {
            return None;
        }
        let is_joint = |it: &String| it.strip_prefix("joint:") == Some(name);
        let number = self.header.numbers.iter().position(is_joint)?;
        let place = (frame * self.header.bodies.len() + body) * self.stride + number;
        self.numbers.get(place).copied().filter(|it| it.is_finite()).map(f64::from)
    }

    /// How a body of three dimensions stands at a moment, between two frames; `None` while it is
    /// absent.
    #[must_use]
    pub fn stance_at(&self, body: usize, at_s: f64) -> Option<Stance> {
        let frame = (at_s * self.header.rate_hz).clamp(0.0, (self.frames - 1) as f64);
        let before = frame as usize;
        let here = self.stance(body, before)?;
        let Some(next) = self.stance(body, before + 1) else { return Some(here) };
        let way_m = next.pose.position.distance(here.pose.position);
        let is_leap = way_m * self.header.rate_hz > LEAP_MPS;
        Some(if is_leap { here } else { here.towards(&next, frame - before as f64) })
    }

    fn stance(&self, body: usize, frame: usize) -> Option<Stance> {
        let (position, orientation) = self.pose(body, frame)?;
        let joint = |name| self.joint(body, frame, name).unwrap_or(0.0);
        let (turret_rad, barrel_rad) = (joint("turret"), joint("barrel"));
        Some(Stance { pose: Pose { position, orientation }, turret_rad, barrel_rad })
    }

    /// The name of a body's kind; `None` where it is not known.
    #[must_use]
    pub fn kind(&self, body: usize) -> Option<&str> {
        let name = self.header.bodies.get(body)?.kind_name.as_str();
        (!name.is_empty()).then_some(name)
    }

    /// The smallest and the largest place of anyone, for recordings without a level.
    #[must_use]
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let mut bounds = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for pose in self.numbers.chunks_exact(self.stride) {
            let at = DVec3::new(f64::from(pose[0]), f64::from(pose[1]), 0.0);
            if at.is_finite() {
                bounds = (bounds.0.min(at), bounds.1.max(at));
            }
        }
        if bounds.0.is_finite() { bounds } else { (DVec3::ZERO, DVec3::ONE) }
    }
}

/// How many numbers a body has in a frame, in an order that is known.
fn stride(header: &ReplayHeader) -> Result<usize, ReplayError> {
    let numbers = &header.numbers;
    let known = FLAT_NUMBERS.iter().chain(&SPATIAL_NUMBERS);
    let fits = numbers.len() >= FLAT_NUMBERS.len() + SPATIAL_NUMBERS.len()
        && numbers.len() <= MAX_NUMBERS
        && known.zip(numbers).all(|(known, number)| known == number);
    match numbers.len() {
        0 => Ok(NUMBERS),
        count if fits => Ok(count),
        _ => Err(ReplayError::Header { reason: format!("unknown numbers {numbers:?}") }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two bodies for two seconds at 10 Hz: one goes east with 100 px/s, the other is there only
    /// in the first second.
    pub(crate) fn sample() -> ReplayFrames {
        let header = r#"{"name":"a","rate_hz":10,"seconds":2,"level":null,"events":[],"most_health":80,
            "bodies":[{"id":4,"team":1,"kind":0,"name":"Ada"},{"id":9}]}"#;
        let mut bytes = Vec::new();
        for frame in 0..=20_u8 {
            let there = if frame <= 10 { 5.0 } else { f32::NAN };
            let first = [f32::from(frame) * 10.0, 1.0, 0.5, 60.0, f32::from(frame)];
            let second = [there, there, 0.0, f32::NAN, f32::NAN];
            for number in [first, second].concat() {
                bytes.extend(number.to_le_bytes());
            }
        }
        ReplayFrames::new(header, &bytes).unwrap()
    }

    #[test]
    fn places_between_two_frames_are_between_two_places() {
        let recording = sample();
        assert_eq!(recording.seconds(), 2.0);
        let (at, yaw_rad) = recording.pose_at(0, 0.55).unwrap();
        assert!((at - DVec3::new(55.0, 1.0, 0.0)).length() < 1e-4);
        assert_eq!(yaw_rad, 0.5);
        assert_eq!(recording.pose_at(0, 99.0).unwrap().0.x, 200.0);
    }

    #[test]
    fn the_absent_have_no_place() {
        let recording = sample();
        assert!(recording.pose_at(1, 0.95).is_some());
        assert!(recording.pose_at(1, 1.5).is_none());
        assert!(recording.pose_at(2, 0.0).is_none());
        assert_eq!(recording.bounds(), (DVec3::new(0.0, 1.0, 0.0), DVec3::new(200.0, 5.0, 0.0)));
    }

    #[test]
    fn health_and_shots_are_known_where_they_were_recorded() {
        let recording = sample();
        assert_eq!(recording.values_at(0, 0.55), (Some(0.75), Some(5)));
        assert_eq!(recording.values_at(1, 0.55), (None, None));
        assert_eq!(recording.values_at(2, 99.0), (None, None));
    }

    /// One tank for two frames, tilted by a quarter turn about x.
    #[test]
    fn a_recording_of_three_dimensions_has_height_orientation_and_joints() {
        let header = r#"{"name":"a","rate_hz":10,"bodies":[{"id":4,"kind_name":"tank"}],
            "numbers":["x","y","yaw","health","ammo","z","qw","qx","qy","qz","joint:turret"]}"#;
        let half = 0.5_f32.sqrt();
        let frame =
            |x: f32, turret: f32| [x, 2.0, 0.5, 60.0, 3.0, 7.0, half, half, 0.0, 0.0, turret];
        let numbers = [frame(1.0, 0.25), frame(2.0, f32::NAN)].concat();
        let bytes: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        let recording = ReplayFrames::new(header, &bytes).unwrap();
        let (at, turned) = recording.pose(0, 1).unwrap();
        assert_eq!(at, DVec3::new(2.0, 2.0, 7.0));
        assert!((turned * DVec3::Z + DVec3::Y).length() < 1e-6);
        assert_eq!([0, 1].map(|it| recording.joint(0, it, "turret")), [Some(0.25), None]);
        assert_eq!((recording.joint(0, 0, "arm"), recording.joint(1, 0, "turret")), (None, None));
        assert_eq!(recording.kind(0), Some("tank"));
        assert!(recording.pose(0, 2).is_none() && recording.pose(1, 0).is_none());
        // The flat replay reads it as before.
        assert_eq!(recording.pose_at(0, 0.0), Some((DVec3::new(1.0, 2.0, 0.0), 0.5)));
        assert_eq!(recording.values_at(0, 0.0).1, Some(3));
        let flat = sample();
        assert_eq!(flat.pose(0, 3).unwrap().0, DVec3::new(30.0, 1.0, 0.0));
        assert!(!flat.is_spatial() && flat.kind(0).is_none());
    }

    #[test]
    fn what_cannot_be_shown_is_named() {
        let error = |header: &str| ReplayFrames::new(header, &[0; 20]).unwrap_err().to_string();
        assert!(error("{").contains("header"));
        assert!(
            error(r#"{"name":"a","rate_hz":1,"bodies":[{"id":1}],"numbers":["y"]}"#)
                .contains("\"y\"")
        );
        assert!(error(r#"{"name":"a","rate_hz":0,"bodies":[]}"#).contains("0 Hz"));
        assert!(error(r#"{"name":"a","rate_hz":1,"bodies":[]}"#).contains("nobody"));
    }
}
