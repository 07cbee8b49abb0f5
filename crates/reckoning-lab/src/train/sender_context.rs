//! Context of the senders of a recording besides their motion: sticks, actions, the ball.
//!
//! A game hands these to the engine as [`Surroundings`]; here they are read from the columns that
//! its recordings have. Nothing of a sample later than the one asked about is looked at.

use reckoning::{DQuat, DVec3, Kinematics, SimTime};
use reckoning_predict::Scene;
use reckoning_predict::learned::Framing;
use reckoning_predict::{Intent, Landmark, Surroundings};
use reckoning_recording::{Column, LevelShape, Recording, Track};

use super::floors::Floors;
use crate::compare::{BodyCourse, Prepared};

/// Knowledge of one recording.
pub(crate) struct SenderContext<'a> {
    pub(crate) framing: Framing,
    bounds: Option<(DVec3, DVec3)>,
    floors: Floors,
    bodies: Vec<SenderColumns<'a>>,
    ball: Option<&'a Track>,
    middle: Option<Landmark>,
}

/// The columns of one body.
struct SenderColumns<'a> {
    track: &'a Track,
    columns: [Option<&'a Column>; COLUMNS.len()],
    /// For how long the action has been the same, in seconds.
    acting_s: Vec<f32>,
    /// The fastest it fell so far of its own accord: fighters differ most in that.
    fastest_fall: Vec<f32>,
}

const COLUMNS: [&str; 14] = [
    "joy_x", "joy_y", "action", "airborne", "damage", "pitch", "vx", "vy", "vz", "qx", "qy", "qz",
    "qw", "follower",
];
const STICK: usize = 0;
const ACTION: usize = 2;
const AIRBORNE: usize = 3;
const DAMAGE: usize = 4;
const PITCH: usize = 5;
const VELOCITY: usize = 6;
const ROTATION: usize = 9;
const FOLLOWER: usize = 13;
/// Faster than any fighter falls of its own accord, in units per second: 3.5 a frame.
const FASTEST_FALL: f64 = 210.0;
/// Samples over which damage is counted as just taken: a third of a second at 60 Hz.
const GROWS: usize = 20;
/// Samples since which a stick is told to have moved: a twentieth of a second at 60 Hz.
const STICK_MOVES: usize = 3;

impl<'a> SenderContext<'a> {
    pub(crate) fn new(recording: &'a Recording, prepared: &Prepared) -> Self {
        let ledge = |shape: &LevelShape| matches!(shape, LevelShape::Ledge { .. });
        let side = recording.level.shapes.iter().any(ledge);
        let framing = match (side, recording.meta.dims) {
            (true, _) => Framing::Side,
            (false, 2) => Framing::Flat,
            _ => Framing::Heading,
        };
        let body = |course: &BodyCourse| {
            let track = recording.track(course.id).unwrap_or(&recording.tracks[0]);
            let columns = COLUMNS.map(|name| track.column(name));
            SenderColumns {
                track,
                acting_s: acting_s(track, columns[ACTION]),
                fastest_fall: if side { fastest_fall(track) } else { Vec::new() },
                columns,
            }
        };
        Self {
            framing,
            bounds: recording.meta.bounds.map(|it| bounds(it.min, it.max)),
            floors: Floors::from_shapes(&recording.level.shapes, prepared.body_width),
            bodies: prepared.courses.iter().map(body).collect(),
            ball: recording.track(-1),
            middle: middle(recording, side),
        }
    }

    /// The motion at a sample, as far as the recording tells more of it than positions.
    pub(crate) fn kinematics(&self, body: usize, place: usize, plain: &Kinematics) -> Kinematics {
        let body = &self.bodies[body];
        let mut told = *plain;
        let (velocity, rotation) = (body.velocity(place), body.rotation(place));
        told.velocity = velocity.unwrap_or(told.velocity);
        told.orientation = rotation.unwrap_or(told.orientation);
        // What changed since the sample before, in the same segment.
        let Some((before, span_s)) = body.before(place) else { return told };
        if let Some((now, then)) = velocity.zip(body.velocity(before)) {
            told.acceleration = (now - then) / span_s;
        }
        if let Some((now, then)) = rotation.zip(body.rotation(before)) {
            told.angular_velocity = turn_between(then, now) / span_s;
        }
        told
    }

    /// What is known besides, at a sample.
    pub(crate) fn senses<'s>(
        &self,
        body: usize,
        place: usize,
        scene: &'s Scene<'s>,
    ) -> Surroundings<'s> {
        let own = &self.bodies[body];
        let sample = &own.track.samples[place];
        Surroundings {
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

/// The middle of the stage, or of the box that bodies stay in.
fn middle(recording: &Recording, side: bool) -> Option<Landmark> {
    let bounds = recording.meta.bounds.filter(|_| !side);
    let centre = bounds.map(|it| Landmark {
        position: (0.5 * (it.min + it.max)).with_z(it.min.z),
        velocity: DVec3::ZERO,
    });
    if side { Some(Landmark::default()) } else { centre }
}

/// The rotation from one orientation to another as a vector, small as frames make them.
fn turn_between(then: DQuat, now: DQuat) -> DVec3 {
    let turn = now * then.conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = DVec3::new(turn.x, turn.y, turn.z);
    let length = sine.length();
    if length < 1e-9 { sine * 2.0 } else { sine * (2.0 * libm::atan2(length, turn.w) / length) }
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

impl SenderColumns<'_> {
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

    fn velocity(&self, place: usize) -> Option<DVec3> {
        self.numbers(VELOCITY, place).map(DVec3::from_array)
    }

    fn rotation(&self, place: usize) -> Option<DQuat> {
        let [x, y, z, w] = self.numbers(ROTATION, place)?;
        let turn = DQuat::from_xyzw(x, y, z, w);
        (turn.length_squared() > 0.5).then(|| turn.normalize())
    }

    /// The sample before, in the same segment and not long ago, and the seconds since.
    fn before(&self, place: usize) -> Option<(usize, f64)> {
        let before = place.checked_sub(1)?;
        let (then, now) = (self.track.samples.get(before)?, self.track.samples.get(place)?);
        let span_s = now.at.secs_since(then.at);
        (then.segment == now.segment && span_s > 1e-3 && span_s < 0.3).then_some((before, span_s))
    }

    fn stick(&self, place: usize) -> Option<DVec3> {
        let [x, y] = self.numbers::<2>(STICK, place)?;
        Some(DVec3::new(x, y, 0.0))
    }

    /// How much a number has grown over the last samples.
    fn grown(&self, column: usize, place: usize) -> f32 {
        let then = self.number(column, place.saturating_sub(GROWS));
        self.number(column, place).zip(then).map_or(0.0, |(now, then)| (now - then).max(0.0))
    }

    fn intent(&self, place: usize) -> Option<Intent> {
        let mut intent = Intent::default();
        intent.directions[0] = self.stick(place).unwrap_or_default();
        let moved = self.stick(place.saturating_sub(STICK_MOVES));
        intent.directions[1] = moved.unwrap_or_default();
        let amount = |column| self.number(column, place).unwrap_or(0.0);
        intent.act = amount(ACTION) as u16;
        intent.amounts = [
            amount(AIRBORNE),
            self.acting_s.get(place).map_or(0.0, |&held_s| held_s.min(1.0)),
            amount(DAMAGE) / 100.0,
            amount(PITCH) / 90.0,
            self.spends(place),
            self.grown(DAMAGE, place) / 10.0,
            self.fastest_fall.get(place).copied().unwrap_or(0.0),
            amount(FOLLOWER),
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

/// The steepest fall that lasted for four frames, so far.
fn fastest_fall(track: &Track) -> Vec<f32> {
    const FRAMES: usize = 4;
    let mut most = 0.0_f64;
    let fall = |place: usize| {
        let now = &track.samples[place];
        if let Some(then) = place.checked_sub(FRAMES).map(|it| &track.samples[it])
            && then.segment == now.segment
            && now.at > then.at
        {
            let fall = (then.position.y - now.position.y) / now.at.secs_since(then.at);
            // Faster than any fighter falls: it was thrown down.
            most = if fall < FASTEST_FALL { most.max(fall) } else { most };
        }
        (most / FASTEST_FALL) as f32
    };
    (0..track.samples.len()).map(fall).collect()
}

/// Where the ball is at a moment, from its samples up to then.
fn mark_at(ball: &Track, now: SimTime) -> Option<Landmark> {
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
    Some(Landmark { position: last.position, velocity })
}
