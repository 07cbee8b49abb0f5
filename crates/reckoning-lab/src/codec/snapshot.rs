//! Coding of one snapshot against what the receiver has: one function for both directions.

use reckoning::{DQuat, DVec3};

use super::pose::{BodyPose, Course, KnownPoses, MAX_STEPS, Poses, rotation, rotation_vector};
use super::range_coder::{BitCoder, BitModel};
use super::{CodecConfig, CodecError};

/// Bodies of a snapshot, at most.
pub(super) const MAX_BODIES: usize = 4_096;
/// Bits of a body's number.
const NUMBER_BITS: u32 = 12;
/// Bits of the largest correction.
const MAX_BITS: usize = 30;
/// Kinds of bodies by how much they had to be corrected last time.
const UNRESTS: usize = 10;
/// Bits of a correction of the turning, at most: half a turn in its finest steps.
const PARTS: usize = 6;

/// What was learned of the bits so far. It belongs to a snapshot as its bodies do: who has a
/// snapshot has what was known after it, so a lost one costs nothing but itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CodingState {
    stays: BitModel,
    more: BitModel,
    /// Whether it goes on, and since when; of the place and of the turning.
    courses: [[[BitModel; 2]; UNRESTS]; 2],
    /// By unrest, by axis of position or turning: whether the size has so many bits.
    sizes: Vec<[[BitModel; MAX_BITS]; PARTS]>,
    signs: [BitModel; PARTS],
    /// The bits after the first, for each size.
    seconds: [[BitModel; MAX_BITS + 1]; PARTS],
}

impl Default for CodingState {
    fn default() -> Self {
        let bit = BitModel::default();
        Self {
            stays: bit,
            more: bit,
            courses: [[[bit; 2]; UNRESTS]; 2],
            sizes: vec![[[bit; MAX_BITS]; PARTS]; UNRESTS + 1],
            signs: [bit; PARTS],
            seconds: [[bit; MAX_BITS + 1]; PARTS],
        }
    }
}

/// Snapshots that both ends have, and how far apart they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Baselines<'a> {
    pub(super) newest: &'a Poses,
    /// Earlier ones, and how many snapshots before the newest each was; above zero.
    pub(super) earlier: [Option<(&'a Poses, i64)>; 2],
    pub(super) ahead: i64,
}

impl Baselines<'_> {
    fn known(&self, number: u16, newest: BodyPose) -> KnownPoses {
        let earlier = self.earlier.map(|earlier| {
            let (poses, span) = earlier?;
            let pose = poses.get(&number).filter(|pose| pose.life == newest.life)?;
            Some((*pose, span))
        });
        KnownPoses { newest, earlier, ahead: self.ahead }
    }
}

/// Codes a snapshot; `wanted` is what an encoder writes. Gives what a receiver has of it.
pub(super) fn code_snapshot(
    coder: &mut impl BitCoder,
    state: &mut CodingState,
    config: &CodecConfig,
    baselines: Option<&Baselines<'_>>,
    wanted: &Poses,
) -> Result<Poses, CodecError> {
    let mut poses = Poses::new();
    if let Some(baselines) = baselines {
        for (&number, &newest) in baselines.newest {
            let body = wanted.get(&number).filter(|body| body.life == newest.life);
            if coder.code(&mut state.stays, body.is_some()) {
                let known = baselines.known(number, newest);
                let body = body.copied().unwrap_or(newest);
                poses.insert(number, code_known(coder, state, config, &known, &body)?);
            }
        }
    }
    let mut fresh = wanted.iter().filter(|(number, _)| !poses.contains_key(number));
    let fresh: Vec<(u16, BodyPose)> = fresh.by_ref().map(|(n, body)| (*n, *body)).collect();
    let mut fresh = fresh.into_iter();
    loop {
        let next = fresh.next();
        if !coder.code(&mut state.more, next.is_some()) {
            return Ok(poses);
        }
        if poses.len() >= MAX_BODIES {
            return Err(CodecError::TooManyBodies);
        }
        let (number, body) =
            next.unwrap_or((0, BodyPose::new(0, DVec3::ZERO, DQuat::IDENTITY, 1.0)));
        let number = code_plain(coder, u32::from(number), NUMBER_BITS) as u16;
        let life = code_plain(coder, u32::from(body.life), 8) as u8;
        let pose = code_fresh(coder, state, config, life, &body)?;
        poses.insert(number, pose);
    }
}

/// A body that both ends know: off what is foreseen.
fn code_known(
    coder: &mut impl BitCoder,
    state: &mut CodingState,
    config: &CodecConfig,
    known: &KnownPoses,
    body: &BodyPose,
) -> Result<BodyPose, CodecError> {
    let unrest = usize::from(known.newest.unrest).min(UNRESTS - 1);
    let off = |course: &Course| distance(known.position(*course), body.position);
    let course = code_course(coder, &mut state.courses[0][unrest], off);
    let mut pose = known.newest;
    let mut largest = 0;
    for (axis, &base) in known.position(course).iter().enumerate() {
        let part = body.position[axis].wrapping_sub(base);
        let part = code_number(coder, state, unrest, axis, part);
        largest = largest.max(bits_of(part));
        pose.position[axis] = moved(base, part)?;
    }
    pose.unrest = largest as u8;
    if config.turn_step_rad > 0.0 {
        let off = |course: &Course| {
            let off = rotation_vector(known.turn(*course).conjugate() * body.turn);
            (off.length() / config.turn_step_rad) as i64
        };
        let course = code_course(coder, &mut state.courses[1][unrest], off);
        let foreseen = known.turn(course);
        let parts = rotation_vector(foreseen.conjugate() * body.turn) / config.turn_step_rad;
        let parts = code_vector(coder, state, unrest, parts);
        pose.turn = (foreseen * rotation(parts * config.turn_step_rad)).normalize();
    }
    Ok(pose)
}

/// A body that is new to the receiver: off the middle of the world.
fn code_fresh(
    coder: &mut impl BitCoder,
    state: &mut CodingState,
    config: &CodecConfig,
    life: u8,
    body: &BodyPose,
) -> Result<BodyPose, CodecError> {
    let mut pose = BodyPose { life, ..*body };
    for axis in 0..3 {
        let cell = code_number(coder, state, UNRESTS, axis, body.position[axis]);
        pose.position[axis] = moved(0, cell)?;
    }
    pose.unrest = UNRESTS as u8 - 1;
    pose.turn = DQuat::IDENTITY;
    if config.turn_step_rad > 0.0 {
        let parts = rotation_vector(body.turn) / config.turn_step_rad;
        let parts = code_vector(coder, state, UNRESTS, parts);
        pose.turn = rotation(parts * config.turn_step_rad);
    }
    Ok(pose)
}

/// The course that comes nearest, by how far off each is.
fn code_course(
    coder: &mut impl BitCoder,
    models: &mut [BitModel; 2],
    off: impl Fn(&Course) -> i64,
) -> Course {
    let nearest = Course::ALL.into_iter().rev().min_by_key(off).unwrap_or(Course::Hold);
    if !coder.code(&mut models[0], nearest != Course::Hold) {
        return Course::Hold;
    }
    if coder.code(&mut models[1], nearest == Course::Short) { Course::Short } else { Course::Long }
}

fn distance(a: [i32; 3], b: [i32; 3]) -> i64 {
    (0..3).map(|axis| (i64::from(a[axis]) - i64::from(b[axis])).abs()).sum()
}

fn moved(base: i32, part: i32) -> Result<i32, CodecError> {
    let there = base.checked_add(part).filter(|it| (-MAX_STEPS..=MAX_STEPS).contains(it));
    there.ok_or(CodecError::OutOfRange)
}

/// A rotation in steps, rounded.
fn code_vector(
    coder: &mut impl BitCoder,
    state: &mut CodingState,
    unrest: usize,
    parts: DVec3,
) -> DVec3 {
    let parts = parts.to_array();
    DVec3::from_array(std::array::from_fn(|axis| {
        let whole = libm::round(parts[axis]) as i32;
        f64::from(code_number(coder, state, unrest, 3 + axis, whole))
    }))
}

fn bits_of(number: i32) -> usize {
    (32 - number.unsigned_abs().leading_zeros()) as usize
}

/// A whole number: how many bits it has, its sign, the bits after the first.
fn code_number(
    coder: &mut impl BitCoder,
    state: &mut CodingState,
    unrest: usize,
    part: usize,
    number: i32,
) -> i32 {
    let wanted = bits_of(number).min(MAX_BITS);
    let models = &mut state.sizes[unrest][part];
    let size = (0..MAX_BITS).find(|&bits| coder.code(&mut models[bits], bits == wanted));
    let size = size.unwrap_or(MAX_BITS);
    if size == 0 {
        return 0;
    }
    let negative = coder.code(&mut state.signs[part], number < 0);
    let (given, mut magnitude) = (number.unsigned_abs(), 1_u32);
    for place in (0..size - 1).rev() {
        let bit = given >> place & 1 == 1;
        let bit = if place + 2 == size {
            coder.code(&mut state.seconds[part][size], bit)
        } else {
            coder.code_even(bit)
        };
        magnitude = magnitude << 1 | u32::from(bit);
    }
    // At most thirty bits, so the sign fits.
    let magnitude = magnitude.cast_signed();
    if negative { -magnitude } else { magnitude }
}

fn code_plain(coder: &mut impl BitCoder, number: u32, bits: u32) -> u32 {
    (0..bits)
        .rev()
        .fold(0, |sum, place| sum << 1 | u32::from(coder.code_even(number >> place & 1 == 1)))
}
