//! What the senders of a recording knew besides their motion: sticks, actions, the ball.
//!
//! A game hands these to the engine as [`Senses`]; here they are read from the columns that
//! its recordings have. Nothing of a sample later than the one asked about is looked at.

use reckoning::learned::{Framing, Intent, Mark, Senses};
use reckoning::{DQuat, DVec3, Kinematics, Scene, SimTime};

use super::floors::Floors;
use crate::compare::{Course, Prepared};
use crate::recording::{Column, LevelShape, Recording, Track};

/// Knowledge of one recording.
pub(crate) struct Insight<'a> {
    pub(crate) framing: Framing,
    bounds: Option<(DVec3, DVec3)>,
    floors: Floors,
    bodies: Vec<Body<'a>>,
    ball: Option<&'a Track>,
    middle: Option<Mark>,
}

/// The columns of one body.
struct Body<'a> {
    track: &'a Track,
    columns: [Option<&'a Column>; COLUMNS.len()],
    /// For how long the action has been the same, in seconds.
    acting_s: Vec<f32>,
}

const COLUMNS: [&str; 13] = [
    "joy_x", "joy_y", "action", "airborne", "damage", "pitch", "vx", "vy", "vz", "qx", "qy", "qz",
    "qw",
];
const STICK: usize = 0;
const ACTION: usize = 2;
const AIRBORNE: usize = 3;
const DAMAGE: usize = 4;
const PITCH: usize = 5;
const VELOCITY: usize = 6;
const ROTATION: usize = 9;

impl<'a> Insight<'a> {
    pub(crate) fn of(recording: &'a Recording, prepared: &Prepared) -> Self {
        let ledge = |shape: &LevelShape| matches!(shape, LevelShape::Ledge { .. });
        let side = recording.level.shapes.iter().any(ledge);
        let framing = match (side, recording.meta.dims) {
            (true, _) => Framing::Side,
            (false, 2) => Framing::Flat,
            _ => Framing::Heading,
        };
        let body = |course: &Course| {
            let track = recording.track(course.id).unwrap_or(&recording.tracks[0]);
            let columns = COLUMNS.map(|name| track.column(name));
            Body { track, acting_s: acting_s(track, columns[ACTION]), columns }
        };
        Self {
            framing,
            bounds: recording.meta.bounds.map(|it| bounds(it.min, it.max)),
            floors: Floors::of(&recording.level.shapes, prepared.body_width),
            bodies: prepared.courses.iter().map(body).collect(),
            ball: recording.track(-1),
            middle: side.then(Mark::default),
        }
    }

    /// The motion at a sample, as far as the recording tells more of it than positions.
    pub(crate) fn kinematics(&self, body: usize, place: usize, plain: &Kinematics) -> Kinematics {
        let body = &self.bodies[body];
        let mut told = *plain;
        if let Some([x, y, z]) = body.numbers(VELOCITY, place) {
            told.velocity = DVec3::new(x, y, z);
        }
        if let Some([x, y, z, w]) = body.numbers(ROTATION, place) {
            let turn = DQuat::from_xyzw(x, y, z, w);
            if turn.length_squared() > 0.5 {
                told.orientation = turn.normalize();
            }
        }
        told
    }

    /// What is known besides, at a sample.
    pub(crate) fn senses<'s>(&self, body: usize, place: usize, scene: &'s Scene<'s>) -> Senses<'s> {
        let own = &self.bodies[body];
        let sample = &own.track.samples[place];
        Senses {
            scene: Some(scene),
            id: own.track.id as u32,
            facing_known: sample.yaw_rad.is_some(),
            intent: own.intent(place),
            marks: [self.ball.and_then(|ball| mark_at(ball, sample.at)), self.middle],
            bounds: self.bounds,
            floor_m: self.floors.height_m(sample.position),
        }
    }
}

/// The box, open towards where its corners say nothing.
fn bounds(min: DVec3, max: DVec3) -> (DVec3, DVec3) {
    let (mut low, mut high) = (min, max);
    for axis in 0..3 {
        if low[axis] >= high[axis] {
            (low[axis], high[axis]) = (-1e9, 1e9);
        }
    }
    (low, high)
}

impl Body<'_> {
    fn number(&self, column: usize, place: usize) -> Option<f32> {
        let value = *self.columns[column]?.values.get(place)?;
        (!value.is_nan()).then_some(value)
    }

    fn numbers<const N: usize>(&self, first: usize, place: usize) -> Option<[f64; N]> {
        let mut found = [0.0; N];
        for (k, found) in found.iter_mut().enumerate() {
            *found = f64::from(self.number(first + k, place)?);
        }
        Some(found)
    }

    fn intent(&self, place: usize) -> Option<Intent> {
        let mut intent = Intent::default();
        let stick = self.numbers::<2>(STICK, place);
        let [x, y] = stick.unwrap_or_default();
        intent.directions[0] = DVec3::new(x, y, 0.0);
        let amount = |column| self.number(column, place).unwrap_or(0.0);
        intent.act = amount(ACTION) as u16;
        intent.amounts = [
            amount(AIRBORNE),
            self.acting_s.get(place).map_or(0.0, |&held_s| held_s.min(1.0)),
            amount(DAMAGE) / 100.0,
            amount(PITCH) / 90.0,
            self.spends(place),
            0.0,
        ];
        let known = [STICK, ACTION, AIRBORNE, PITCH].iter().any(|&k| self.columns[k].is_some());
        (known || self.columns[ROTATION].is_some()).then_some(intent)
    }

    /// Whether ammunition, or the boost that stands for it, went down since the last sample.
    fn spends(&self, place: usize) -> f32 {
        let amount = |place: usize| self.track.samples.get(place).and_then(|it| it.ammo);
        let before = place.checked_sub(1).and_then(amount);
        f32::from(u8::from(amount(place).zip(before).is_some_and(|(now, then)| now < then)))
    }
}

fn acting_s(track: &Track, action: Option<&Column>) -> Vec<f32> {
    let Some(action) = action else { return Vec::new() };
    let mut since = SimTime::MIN;
    let mut last = f32::NAN;
    let held = track.samples.iter().zip(&action.values).map(|(sample, &now)| {
        if now.to_bits() != last.to_bits() {
            (since, last) = (sample.at, now);
        }
        sample.at.secs_since(since) as f32
    });
    held.collect()
}

/// Where the ball is at a moment, from its samples up to then.
fn mark_at(ball: &Track, now: SimTime) -> Option<Mark> {
    let next = ball.samples.partition_point(|sample| sample.at <= now);
    let last = ball.samples.get(next.checked_sub(1)?)?;
    if last.at.secs_since(now) < -0.5 {
        return None;
    }
    let earlier = next.checked_sub(3).and_then(|place| ball.samples.get(place));
    let velocity = earlier.filter(|it| it.segment == last.segment).map_or(DVec3::ZERO, |it| {
        let span_s = last.at.secs_since(it.at);
        if span_s > 0.0 { (last.position - it.position) / span_s } else { DVec3::ZERO }
    });
    Some(Mark { position: last.position, velocity })
}
