//! A recording as frames at even steps, made from samples as they come.

use std::collections::BTreeMap;

use reckoning::SimTime;
use reckoning_recording::Sample;

/// More frames a second than a screen shows are of no use.
const MAX_HZ: f64 = 60.0;
/// What a browser is asked to hold; longer recordings are shown with fewer frames.
const MAX_BYTES: f64 = 64e6;
/// Between samples further apart than this nothing is known.
const MAX_GAP_S: f64 = 1.0;
/// Numbers of a body in a frame: x, y, yaw, health and ammunition.
const NUMBERS: usize = 5;
/// Bytes of a body in a frame.
pub const BODY_BYTES: usize = NUMBERS * 4;

/// The moments that are shown.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub first: SimTime,
    pub rate_hz: f64,
    pub frames: usize,
}

impl Grid {
    /// For so many bodies from one moment to another, at the rate they were recorded at if that fits.
    pub fn new(first: SimTime, last: SimTime, recorded_hz: f64, bodies: usize) -> Self {
        let seconds = last.secs_since(first).max(0.0);
        let told_hz = if recorded_hz > 0.0 { recorded_hz } else { 20.0 };
        let bytes_per_hz = seconds * (bodies * BODY_BYTES) as f64;
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
    /// The place of each body in a frame, and its newest sample.
    bodies: BTreeMap<i32, (usize, Option<Sample>)>,
    /// For each frame and body its numbers, as NaN what is not known.
    bytes: Vec<u8>,
    most_health: f32,
}

impl Frames {
    pub fn new(grid: Grid, ids: impl Iterator<Item = i32>) -> Self {
        let bodies: BTreeMap<_, _> = ids.zip((0..).map(|place| (place, None))).collect();
        let bytes = f32::NAN.to_le_bytes().repeat(grid.frames * bodies.len() * BODY_BYTES / 4);
        Self { grid, bodies, bytes, most_health: 0.0 }
    }

    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The next samples of a body, in order of time; where one is older than the last, it begins anew.
    pub fn add(&mut self, id: i32, samples: &[Sample]) {
        let Some((place, last)) = self.bodies.get_mut(&id) else { return };
        let (place, mut before) = (*place, last.take());
        *last = samples.last().copied().or(before);
        for sample in samples {
            self.most_health = self.most_health.max(sample.health.unwrap_or(0.0));
            if let Some(before) = before.replace(*sample) {
                self.fill(place, &before, Some(sample));
            }
        }
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
    fn fill(&mut self, place: usize, before: &Sample, after: Option<&Sample>) {
        let width = self.bytes.len() / self.grid.frames;
        for frame in self.grid.frame_from(before.at)..self.grid.frames {
            let at = self.grid.moment(frame);
            if after.is_some_and(|after| at >= after.at) {
                return;
            }
            // Once nothing is known, nothing is until the next sample.
            let Some(pose) = between(before, after, at) else { return };
            let start = frame * width + place * BODY_BYTES;
            let pose = pose.map(f32::to_le_bytes);
            if let Some(bytes) = self.bytes.get_mut(start..start + BODY_BYTES) {
                bytes.copy_from_slice(pose.as_flattened());
            }
        }
    }
}

/// Straight between two samples; none where nothing is known.
fn between(before: &Sample, after: Option<&Sample>, at: SimTime) -> Option<[f32; NUMBERS]> {
    if !before.alive {
        return None;
    }
    let after = after.filter(|it| it.segment == before.segment && it.alive);
    let yaw = before.yaw_rad.unwrap_or(0.0);
    let passed_s = at.secs_since(before.at);
    let position = match after {
        Some(after) if after.at.secs_since(before.at) <= MAX_GAP_S => {
            before.position.lerp(after.position, passed_s / after.at.secs_since(before.at))
        }
        _ if passed_s <= MAX_GAP_S / 4.0 => before.position,
        _ => return None,
    };
    let [health, ammo] = [before.health, before.ammo].map(|it| it.unwrap_or(f32::NAN));
    Some([position.x as f32, position.y as f32, yaw, health, ammo])
}
