//! Features of a learned predictor: one row of numbers about a body and its surroundings.
//!
//! Everything is in the axes of the body's motion ([`Frame`]). What is not known is NaN, and
//! a flag beside each group marks it; the network sees the mean of its training there. The
//! order of the row is part of the model file's version.

use core::ops::Range;

use glam::DVec3;

use super::{Frame, Framing, History};
use crate::scene::LivingBody;
use crate::{Intent, KnownBody, Landmark, Scene, Surroundings};
use reckoning::Kinematics;
use reckoning::math::{ln, sqrt};

/// Numbers in a row.
pub const FEATURES: usize = 130;
/// Groups that may be absent, each with a flag at the end of the row.
pub const GROUPS: usize = 14;
/// Ages of the last frames: a body that has just turned or been hit shows it here first.
const LATE_S: [f64; 2] = [0.016, 0.033];
/// Spans of the past that are given.
const AGES_S: [f64; 6] = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6];
/// Body widths within which neighbours and walls matter most.
const NEAR_UNITS: f64 = 16.0;
/// Half of the square root of two.
const DIAGONAL: f64 = core::f64::consts::FRAC_1_SQRT_2;
/// Cosine and sine of the rays, from straight ahead to straight back, left before right.
const RAYS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (DIAGONAL, DIAGONAL),
    (DIAGONAL, -DIAGONAL),
    (0.0, 1.0),
    (0.0, -1.0),
    (-DIAGONAL, DIAGONAL),
    (-DIAGONAL, -DIAGONAL),
    (-1.0, 0.0),
];

/// How a number of the row changes when the world is seen in a mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Scalar,
    Along,
    Across,
    Up,
    Ray(u8),
}

/// A row of features. NaN stands for what is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    pub(super) values: [f32; FEATURES],
    pub(super) act: u16,
}

impl Features {
    /// Describes a body's state in the axes of `frame`. `unit_m` is the width of a body,
    /// `bound_m` how far the guess may stray.
    #[must_use]
    pub fn new(
        frame: &Frame,
        truth: &Kinematics,
        history: &History,
        around: &Surroundings<'_>,
        unit_m: f64,
        bound_m: f64,
    ) -> Self {
        let near_m = NEAR_UNITS * unit_m;
        let act = around.intent.map_or(0, |intent| intent.act);
        let mut row = RowWriter { frame, near_m, values: [0.0; FEATURES], next: 0, group: 0 };
        row.scalar(ln(bound_m / unit_m));
        row.own(truth, history);
        row.facing(around.facing_known.then_some(truth));
        row.intent(around.intent.as_ref());
        row.state(around);
        row.company(truth, around);
        around.marks.iter().for_each(|mark| row.mark(truth, mark.as_ref()));
        row.items(truth, around);
        row.rays(truth, around);
        row.floor(truth, around, unit_m);
        row.trend(truth, around);
        row.values.iter_mut().for_each(|x| *x = if x.is_infinite() { f32::NAN } else { *x });
        Self { values: row.values, act }
    }

    /// The numbers of the row.
    #[must_use]
    pub const fn values(&self) -> &[f32; FEATURES] {
        &self.values
    }

    /// The action state.
    #[must_use]
    pub const fn act(&self) -> u16 {
        self.act
    }
}

struct RowWriter<'f> {
    frame: &'f Frame,
    near_m: f64,
    values: [f32; FEATURES],
    next: usize,
    group: usize,
}

impl RowWriter<'_> {
    fn scalar(&mut self, x: f64) {
        self.values[self.next] = x as f32;
        self.next += 1;
    }

    fn vector(&mut self, v: DVec3) {
        let told = self.frame.inside(v).to_array().map(|x| x as f32);
        self.values[self.next..self.next + 3].copy_from_slice(&told);
        self.next += 3;
    }

    /// Notes whether the group just written is known; `count` NaNs stand in if not.
    fn flag(&mut self, known: bool, count: usize) {
        if !known {
            self.values[self.next..self.next + count].fill(f32::NAN);
            self.next += count;
        }
        self.values[FEATURES - GROUPS + self.group] = f32::from(u8::from(known));
        self.group += 1;
    }

    fn own(&mut self, truth: &Kinematics, history: &History) {
        history.velocities(AGES_S).into_iter().for_each(|v| self.vector(v));
        self.vector(truth.velocity);
        self.vector(truth.acceleration);
        history.late_velocities(LATE_S).into_iter().for_each(|v| self.vector(v));
        self.vector(truth.angular_velocity * self.frame.handedness());
        self.scalar(sqrt(truth.velocity.length_squared()));
        self.scalar(history.span_s());
    }

    fn facing(&mut self, truth: Option<&Kinematics>) {
        if let Some(truth) = truth {
            self.vector(truth.orientation * DVec3::X);
            self.vector(truth.orientation * DVec3::Z);
        }
        self.flag(truth.is_some(), 6);
    }

    fn intent(&mut self, intent: Option<&Intent>) {
        if let Some(intent) = intent {
            intent.directions.into_iter().for_each(|v| self.vector(v));
            intent.amounts.into_iter().for_each(|x| self.scalar(f64::from(x)));
        }
        self.flag(intent.is_some(), 14);
    }

    fn state(&mut self, around: &Surroundings<'_>) {
        let body = around.scene.and_then(|scene| scene.body(around.id));
        let told = |body: &&KnownBody| {
            body.max_health > 0.0 || body.max_ammo > 0.0 || body.top_speed_mps > 0.0
        };
        let body = body.filter(told);
        if let Some(body) = body {
            let share = |got: f32, most: f32| if most > 0.0 { f64::from(got / most) } else { 0.0 };
            self.scalar(share(body.health, body.max_health));
            self.scalar(share(body.ammo, body.max_ammo));
            self.scalar(body.top_speed_mps);
        }
        self.flag(body.is_some(), 3);
    }

    /// A direction, the shorter the nearer: bounded, and steep where it matters.
    fn near(&mut self, way: DVec3) -> f64 {
        let share = 1.0 / (way.length() + self.near_m);
        self.vector(way * share);
        share * self.near_m
    }

    fn company(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        let (friends, enemies) = around
            .scene
            .map_or(([None; 2], [None; 2]), |scene| nearest_two(scene, around.id, truth.position));
        for other in friends.into_iter().chain(enemies) {
            if let Some(other) = other {
                let weight = self.near(other.position - truth.position);
                self.vector((other.velocity - truth.velocity) * weight);
            }
            self.flag(other.is_some(), 6);
        }
    }

    fn mark(&mut self, truth: &Kinematics, mark: Option<&Landmark>) {
        if let Some(mark) = mark {
            let weight = self.near(mark.position - truth.position);
            self.vector(mark.velocity * weight);
        }
        self.flag(mark.is_some(), 6);
    }

    fn items(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        let mut nearest = [(f64::INFINITY, DVec3::ZERO); 2];
        for item in around.scene.map_or(&[][..], Scene::items) {
            let way = item.position - truth.position;
            keep_nearest(&mut nearest, way.length_squared(), way);
        }
        for (squared, way) in nearest {
            let known = squared.is_finite();
            if known {
                self.near(way);
            }
            self.flag(known, 3);
        }
    }

    fn rays(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        let walls = around.scene.and_then(|scene| scene.walls);
        let known = walls.is_some() || around.bounds.is_some();
        if known {
            for (cos, sin) in RAYS {
                let direction = self.frame.direction(cos, sin);
                let mut free_m = self.near_m;
                if let Some(bounds) = around.bounds {
                    free_m = free_m.min(free_inside(bounds, truth.position, direction));
                }
                if let Some(walls) = walls {
                    let end = truth.position + direction * free_m;
                    free_m *= walls.free_share(truth.position, end);
                }
                self.scalar(1.0 - free_m.max(0.0) / self.near_m);
            }
        }
        self.flag(known, RAYS.len());
    }

    fn floor(&mut self, truth: &Kinematics, around: &Surroundings<'_>, unit_m: f64) {
        let below = around.bounds.map(|(low, _)| (truth.position - low).dot(self.frame.up));
        let height_m = around.floor_m.or(below);
        if let Some(height_m) = height_m {
            self.scalar(height_m / (height_m.abs() + 2.0 * unit_m));
        }
        self.flag(height_m.is_some(), 1);
    }

    fn trend(&mut self, truth: &Kinematics, around: &Surroundings<'_>) {
        let trends = around.scene.and_then(|scene| scene.trends);
        let trend = trends.and_then(|map| map.trend_at(truth.position, truth.velocity));
        if let Some(trend) = trend {
            self.vector(trend.direction);
            self.vector(trend.acceleration);
        }
        self.flag(trend.is_some(), 6);
    }
}

#[derive(Clone, Copy)]
struct Other {
    squared: f64,
    position: DVec3,
    velocity: DVec3,
}

/// The two nearest friends and the two nearest enemies.
fn nearest_two(
    scene: &Scene<'_>,
    id: u32,
    here: DVec3,
) -> ([Option<Other>; 2], [Option<Other>; 2]) {
    let own = scene.body(id).map(|body| body.team);
    let (mut friends, mut enemies) = ([None; 2], [None; 2]);
    for LivingBody { team, index, .. } in scene.living() {
        let other = &scene.bodies()[*index as usize];
        if other.id == id {
            continue;
        }
        let (position, velocity) = (other.kinematics.position, other.kinematics.velocity);
        let squared = position.distance_squared(here);
        let list = if Some(*team) == own { &mut friends } else { &mut enemies };
        let nearer = |than: &Option<Other>| than.is_none_or(|it| squared < it.squared);
        let other = Some(Other { squared, position, velocity });
        if nearer(&list[0]) {
            *list = [other, list[0]];
        } else if nearer(&list[1]) {
            list[1] = other;
        }
    }
    (friends, enemies)
}

fn keep_nearest(nearest: &mut [(f64, DVec3); 2], squared: f64, way: DVec3) {
    if squared < nearest[0].0 {
        *nearest = [(squared, way), nearest[0]];
    } else if squared < nearest[1].0 {
        nearest[1] = (squared, way);
    }
}

/// How far one can go inside a box.
fn free_inside((low, high): (DVec3, DVec3), from: DVec3, direction: DVec3) -> f64 {
    let mut free_m = f64::INFINITY;
    for axis in 0..3 {
        let goes = direction[axis];
        if goes.abs() > 1e-9 {
            let end = if goes > 0.0 { high[axis] } else { low[axis] };
            free_m = free_m.min(((end - from[axis]) / goes).max(0.0));
        }
    }
    free_m
}

/// The numbers of each group that may be absent, without its flag.
const GROUP_SIZES: [usize; GROUPS] = [6, 14, 3, 6, 6, 6, 6, 6, 6, 3, 3, 8, 1, 6];
/// Where the first such group begins.
const FIRST_GROUP: usize = 1 + 3 * (AGES_S.len() + LATE_S.len()) + 11;

/// Where a group stands in the row, and where its flag does: to hide it in training.
#[must_use]
pub fn feature_group(group: usize) -> (Range<usize>, usize) {
    let from = FIRST_GROUP + GROUP_SIZES[..group].iter().sum::<usize>();
    (from..from + GROUP_SIZES[group], FEATURES - GROUPS + group)
}

fn part(feature: usize) -> Part {
    let vector = |k: usize| [Part::Along, Part::Across, Part::Up][k % 3];
    let own = 3 * (AGES_S.len() + LATE_S.len()) + 6;
    match feature {
        0 => Part::Scalar,
        k if k <= own => vector(k - 1),
        // A turn about an axis in the mirror stays a turn to the same side.
        k if k <= own + 3 => [Part::Across, Part::Along, Part::Across][k - own - 1],
        k if k < FIRST_GROUP => Part::Scalar,
        _ => (0..GROUPS).find_map(|g| part_of(g, feature)).unwrap_or(Part::Scalar),
    }
}

fn part_of(group: usize, feature: usize) -> Option<Part> {
    let range = feature_group(group).0;
    let k = feature.checked_sub(range.start).filter(|_| range.contains(&feature))?;
    let vector = [Part::Along, Part::Across, Part::Up][k % 3];
    Some(match group {
        1 if k >= 6 => Part::Scalar,
        2 | 12 => Part::Scalar,
        11 => Part::Ray(k as u8),
        _ => vector,
    })
}

/// Which number of the row stands here when the world is seen in a mirror that stands along
/// the motion, and whether its sign is turned. Seen from the side nothing changes: there the
/// axes are mirrored to begin with.
#[must_use]
pub fn mirrored_feature(framing: Framing, feature: usize) -> (usize, bool) {
    if framing == Framing::Side {
        return (feature, false);
    }
    match part(feature) {
        // Rays come in pairs, left and right, between the first and the last.
        Part::Scalar | Part::Up | Part::Along | Part::Ray(0 | 7) => (feature, false),
        Part::Across => (feature, true),
        Part::Ray(ray) if ray % 2 == 1 => (feature + 1, false),
        Part::Ray(_) => (feature - 1, false),
    }
}
