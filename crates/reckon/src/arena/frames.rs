//! A recording as frames at even steps, made from samples as they come.
//!
//! ```text
//! flat      x y yaw health ammo                          for each body, frame after frame
//! spatial   x y yaw health ammo  z qw qx qy qz  joints   joints in the order of their names
//! ```

use std::collections::{BTreeMap, BTreeSet};

use reckoning::orientation::shortest_turn_rad;
use reckoning::{DQuat, DVec3, SimTime};
use reckoning_recording::{ORIENTATION_COLUMNS, Sample, Track, joint_column};

/// More frames a second than a screen shows are of no use.
const MAX_HZ: f64 = 60.0;
/// What a browser is asked to hold; longer recordings are shown with fewer frames.
const MAX_BYTES: f64 = 64e6;
/// Between samples further apart than this nothing is known.
const MAX_GAP_S: f64 = 1.0;
/// Numbers of a body in a frame of a flat recording, and the first ones of every other.
const FLAT_NUMBERS: [&str; 5] = ["x", "y", "yaw", "health", "ammo"];
/// Numbers of a body at most, as the page has it; further joints are left out.
const MAX_NUMBERS: usize = 64;

/// Which numbers a frame has of each body.
#[derive(Clone, Debug, Default)]
pub struct FrameNumbers {
    spatial: bool,
    joints: Vec<String>,
}

impl FrameNumbers {
    /// Place, yaw, health and ammunition.
    #[cfg(test)]
    pub const FLAT: Self = Self { spatial: false, joints: Vec::new() };

    /// With height, orientation and the angles of these joints if it is spatial.
    pub fn new(spatial: bool, joints: &BTreeSet<String>) -> Self {
        let room = MAX_NUMBERS - FLAT_NUMBERS.len() - 1 - ORIENTATION_COLUMNS.len();
        let room = if spatial { room } else { 0 };
        Self { spatial, joints: joints.iter().take(room).cloned().collect() }
    }

    /// Their names in order; none for a flat recording, whose numbers need no names.
    pub fn names(&self) -> Vec<String> {
        if !self.spatial {
            return Vec::new();
        }
        let pose = FLAT_NUMBERS.iter().chain(&["z"]).chain(&ORIENTATION_COLUMNS);
        let joints = self.joints.iter().map(|joint| joint_column(joint));
        pose.map(ToString::to_string).chain(joints).collect()
    }

    /// Bytes of a body in a frame.
    pub const fn body_bytes(&self) -> usize {
        let pose = if self.spatial { 1 + ORIENTATION_COLUMNS.len() } else { 0 };
        (FLAT_NUMBERS.len() + pose + self.joints.len()) * 4
    }
}

/// The moments that are shown.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub first: SimTime,
    pub rate_hz: f64,
    pub frames: usize,
}

impl Grid {
    /// For frames of so many bytes from one moment to another, at the rate they were recorded at if
    /// that fits.
    pub fn new(first: SimTime, last: SimTime, recorded_hz: f64, frame_bytes: usize) -> Self {
        let seconds = last.secs_since(first).max(0.0);
        let told_hz = if recorded_hz > 0.0 { recorded_hz } else { 20.0 };
        let bytes_per_hz = seconds * frame_bytes as f64;
        let rate_hz = told_hz.min(MAX_HZ).min(MAX_BYTES / bytes_per_hz.max(1.0));
        Self { first, rate_hz, frames: (seconds * rate_hz) as usize + 1 }
    }

    fn moment(&self, frame: usize) -> SimTime {
        let after_us = (frame as f64 / self.rate_hz * 1e6) as i64;
        SimTime::from_micros(self.first.as_micros().saturating_add(after_us))
    }

    /// The first frame that is not before a moment.
    fn frame_from(&self, at: SimTime) -> usize {
        let near = (at.secs_since(self.first) * self.rate_hz) as usize;
        let near = near.saturating_sub(1);
        (near..near.saturating_add(3)).find(|frame| self.moment(*frame) >= at).unwrap_or(near)
    }
}

/// Frames that are filled in body by body, in any order of bodies.
pub struct Frames {
    grid: Grid,
    numbers: FrameNumbers,
    /// The place of each body in a frame, and what is newest of it.
    bodies: BTreeMap<i32, (usize, Option<Known>)>,
    /// For each frame and body its numbers, as NaN what is not known.
    bytes: Vec<u8>,
    most_health: f32,
}

/// What a recording has of a body at one moment, as far as frames have it.
struct Known {
    sample: Sample,
    orientation: DQuat,
    joints_rad: Vec<f64>,
}

impl Frames {
    pub fn new(grid: Grid, numbers: FrameNumbers, ids: impl Iterator<Item = i32>) -> Self {
        let bodies: BTreeMap<_, _> = ids.zip((0..).map(|place| (place, None))).collect();
        let count = grid.frames * bodies.len() * numbers.body_bytes() / 4;
        let bytes = f32::NAN.to_le_bytes().repeat(count);
        Self { grid, numbers, bodies, bytes, most_health: 0.0 }
    }

    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    pub const fn numbers(&self) -> &FrameNumbers {
        &self.numbers
    }

    /// The next samples of a body, in order of time; where one is older than the last, it begins anew.
    pub fn add(&mut self, track: &Track) {
        let Some((place, last)) = self.bodies.get_mut(&track.id) else { return };
        let (place, mut before) = (*place, last.take());
        for (number, sample) in track.samples.iter().enumerate() {
            self.most_health = self.most_health.max(sample.health.unwrap_or(0.0));
            let known = self.known(track, number, *sample);
            if let Some(before) = &before {
                self.fill(place, before, Some(&known));
            }
            before = Some(known);
        }
        self.bodies.insert(track.id, (place, before));
    }

    fn known(&self, track: &Track, number: usize, sample: Sample) -> Known {
        let joint = |name: &String| track.joint_rad(name, number).unwrap_or(f64::NAN);
        let spatial = self.numbers.spatial;
        let orientation = if spatial { track.orientation(number) } else { DQuat::IDENTITY };
        let joints_rad = self.numbers.joints.iter().map(joint).collect();
        Known { sample, orientation, joints_rad }
    }

    /// The most health that anyone had; 0 where none is known.
    pub const fn most_health(&self) -> f32 {
        self.most_health
    }

    /// The frames as the page wants them.
    pub fn finish(mut self) -> Vec<u8> {
        for (place, last) in std::mem::take(&mut self.bodies).into_values() {
            if let Some(last) = last {
                self.fill(place, &last, None);
            }
        }
        self.bytes
    }

    /// Fills in the frames from one sample up to the next.
    fn fill(&mut self, place: usize, before: &Known, after: Option<&Known>) {
        let width = self.bytes.len() / self.grid.frames;
        for frame in self.grid.frame_from(before.sample.at)..self.grid.frames {
            let at = self.grid.moment(frame);
            if after.is_some_and(|after| at >= after.sample.at) {
                return;
            }
            // Once nothing is known, nothing is until the next sample.
            let Some(between) = Between::new(before, after, at) else { return };
            let start = frame * width + place * self.numbers.body_bytes();
            let Some(bytes) = self.bytes.get_mut(start..start + self.numbers.body_bytes()) else {
                return;
            };
            for (bytes, number) in bytes.chunks_exact_mut(4).zip(between.numbers()) {
                bytes.copy_from_slice(&number.to_le_bytes());
            }
        }
    }
}

/// A moment between two samples, or shortly after the last one.
struct Between<'a> {
    before: &'a Known,
    /// The next sample and how much of the way to it has passed.
    next: Option<(&'a Known, f64)>,
}

impl<'a> Between<'a> {
    /// `None` where nothing is known.
    fn new(before: &'a Known, after: Option<&'a Known>, at: SimTime) -> Option<Self> {
        let sample = &before.sample;
        if !sample.alive {
            return None;
        }
        let goes_on = |it: &&Known| it.sample.segment == sample.segment && it.sample.alive;
        let passed_s = at.secs_since(sample.at);
        let span_s = |it: &Known| it.sample.at.secs_since(sample.at);
        match after.filter(goes_on) {
            Some(after) if span_s(after) <= MAX_GAP_S => {
                Some(Self { before, next: Some((after, passed_s / span_s(after))) })
            }
            _ => (passed_s <= MAX_GAP_S / 4.0).then_some(Self { before, next: None }),
        }
    }

    /// As many as a frame has, and more for a flat recording.
    fn numbers(&self) -> impl Iterator<Item = f32> {
        let sample = &self.before.sample;
        let DVec3 { x, y, z } = self.position();
        let [health, ammo] = [sample.health, sample.ammo].map(|it| it.unwrap_or(f32::NAN));
        let q = self.orientation();
        let flat = [x as f32, y as f32, sample.yaw_rad.unwrap_or(0.0), health, ammo];
        let pose = [z, q.w, q.x, q.y, q.z].map(|it| it as f32);
        let joints = (0..self.before.joints_rad.len()).map(|joint| self.joint_rad(joint) as f32);
        flat.into_iter().chain(pose).chain(joints)
    }

    /// Straight from one to the other.
    fn position(&self) -> DVec3 {
        let here = self.before.sample.position;
        self.next.map_or(here, |(after, part)| here.lerp(after.sample.position, part))
    }

    fn orientation(&self) -> DQuat {
        let here = self.before.orientation;
        self.next.map_or(here, |(after, part)| here.slerp(after.orientation, part))
    }

    /// The short way round; where the next angle is not known, as it was.
    fn joint_rad(&self, joint: usize) -> f64 {
        let here_rad = self.before.joints_rad[joint];
        let next = self.next.map(|(after, part)| (after.joints_rad[joint], part));
        let turn_rad = |(next_rad, part)| shortest_turn_rad(here_rad, next_rad) * part;
        here_rad + next.filter(|(next_rad, _)| next_rad.is_finite()).map_or(0.0, turn_rad)
    }
}
