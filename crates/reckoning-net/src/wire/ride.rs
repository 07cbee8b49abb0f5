//! Updates of bodies that ride a path: their progress and its rate are nearly all that travels.
//!
//! Place, velocity and orientation follow from the progress; what a body is off the path, and how
//! it is turned against it, is told when it changes. Since a rider's motion is a straight line in
//! its progress, the stamp may be moved along it: it counts in coarser ticks than others.

use libm::sqrt;
use reckoning::model::{Path, PathRide};
use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime, Update};

use super::quantized_update::{
    QuantizedModel, QuantizedTurn, QuantizedUpdate, Steps, cell, vector,
};
use super::{DecodeError, Format};

/// How much of its mean change of rate since the baseline a rider that strayed has by now: two
/// for one that accelerated evenly, as trains do.
const RIDE_KICK: f64 = 2.0;
/// Off the path by less than this many steps along every axis, a body is on it.
const ON_PATH_STEPS: f64 = 0.75;
/// Stamps of riders are at least this fine.
const MIN_RIDE_HZ: u32 = 120;
/// A path that rises more steeply than this has no heading.
const MIN_LEVEL: f64 = 1e-6;

/// The path of a model that is one.
pub(super) const fn path_of(model: &Model) -> Option<&'static Path> {
    match model {
        Model::Path(ride) => Some(ride.path),
        _ => None,
    }
}

impl Format {
    /// Ticks between stamps of riders: the largest power of two that leaves enough of them.
    pub(super) const fn ride_ticks(&self) -> i64 {
        let mut ticks = 1;
        while self.stamp_hz as i64 >= MIN_RIDE_HZ as i64 * 2 * ticks {
            ticks *= 2;
        }
        ticks
    }

    /// The tick nearest to `at` that a stamp of an update with this model can say.
    pub(super) fn stamp_tick(&self, at: SimTime, model: &Model) -> i64 {
        let tick = self.tick_of(at);
        if path_of(model).is_none() {
            return tick;
        }
        let ticks = self.ride_ticks();
        (tick + ticks / 2).div_euclid(ticks) * ticks
    }

    /// The moment nearest to `at` that a stamp of an update with this model can say.
    pub(crate) fn stamp_time(&self, at: SimTime, model: &Model) -> SimTime {
        self.time_of(self.stamp_tick(at, model))
    }

    /// The moment after the stamp `at` that a stamp of an update with this model can say next.
    pub(crate) fn next_stamp(&self, at: SimTime, model: &Model) -> SimTime {
        let ticks = if path_of(model).is_some() { self.ride_ticks() } else { 1 };
        self.time_of(self.stamp_tick(at, model) + ticks)
    }

    fn level(&self, v: DVec3) -> DVec3 {
        if self.flat { DVec3::new(v.x, v.y, 0.0) } else { v }
    }

    /// How a body is turned that follows the path there.
    fn heading_of(&self, path: &Path, progress_m: f64) -> DQuat {
        heading(self.level(path.place_at(progress_m).1))
    }
}

impl QuantizedUpdate {
    pub(super) fn from_ride(format: &Format, update: &Update, ride: &PathRide) -> Self {
        let steps = &format.steps;
        let tick = format.stamp_tick(update.at(), update.model());
        let mut quantized = Self::as_predicted(
            format,
            update.kind(),
            tick,
            Model::Path(PathRide { progress_m: 0.0, rate_mps: 0.0, ..*ride }),
        );
        let late_s = quantized.at.secs_since(update.at());
        let progress = cell(ride.progress_m + ride.rate_mps * late_s, steps.position_m);
        quantized.teleports = update.teleports();
        quantized.position = offset(format, update, ride);
        quantized.turn =
            QuantizedTurn::from_orientation(format, against_path(format, update, ride));
        let rate = cell(ride.rate_mps, steps.velocity_mps);
        quantized.plan = QuantizedModel::Ride { progress, rate };
        quantized
    }

    /// The state of a body whose model is already whole.
    pub(super) fn riding(
        &self,
        format: &Format,
        ride: PathRide,
    ) -> Result<Kinematics, DecodeError> {
        let (place, _) = ride.path.place_at(ride.progress_m);
        let mut seen = Kinematics::moving(self.at, format.level(place), DVec3::ZERO);
        if self.position != [0; 3] {
            seen.position += vector(self.position, format.steps.position_m);
        }
        seen.velocity = format.level(Model::Path(ride).velocity_at(&seen, self.at));
        seen.orientation =
            format.heading_of(ride.path, ride.progress_m) * self.turn.orientation(format)?;
        Ok(seen)
    }
}

/// What is predicted of a rider from a baseline, which may ride the same path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RidePrediction {
    pub(super) offset: Steps,
    pub(super) progress: i64,
    rate_mps: f64,
    /// How it is turned against the path.
    pub(super) orientation: DQuat,
}

impl RidePrediction {
    pub(super) fn at(format: &Format, baseline: &Update, path: &Path, t_s: f64) -> Self {
        match baseline.model() {
            Model::Path(old) if old.path.id() == path.id() => Self {
                offset: offset(format, baseline, old),
                progress: cell(
                    path.wrap(old.progress_m + old.rate_mps * t_s),
                    format.steps.position_m,
                ),
                rate_mps: old.rate_mps,
                orientation: against_path(format, baseline, old),
            },
            _ => Self::default(),
        }
    }

    /// The rate of a rider that is `off` its predicted progress: the baseline's, plus what must
    /// have taken it there, unless it leapt.
    pub(super) fn rate(&self, format: &Format, off: i64, t_s: f64, leapt: bool) -> i64 {
        let steps = &format.steps;
        let mut rate_mps = self.rate_mps;
        if t_s > 0.0 && !leapt {
            rate_mps += off as f64 * steps.position_m * RIDE_KICK / t_s;
        }
        cell(rate_mps, steps.velocity_mps)
    }
}

/// Where the body is beside the path.
fn offset(format: &Format, update: &Update, ride: &PathRide) -> Steps {
    let step = format.steps.position_m;
    let (place, _) = ride.path.place_at(ride.progress_m);
    let off = format.level(update.kinematics().position - place);
    if off.abs().max_element() < ON_PATH_STEPS * step {
        return [0; 3];
    }
    format.cells(off, step)
}

/// How the body is turned against the path.
fn against_path(format: &Format, update: &Update, ride: &PathRide) -> DQuat {
    let heading = format.heading_of(ride.path, ride.progress_m);
    let against = heading.conjugate() * update.kinematics().orientation;
    if against.is_finite() { against } else { DQuat::IDENTITY }
}

/// The orientation of a body whose nose points along `direction` and whose sides are level.
fn heading(direction: DVec3) -> DQuat {
    let level = sqrt(direction.x * direction.x + direction.y * direction.y);
    let length = sqrt(level * level + direction.z * direction.z);
    // Written so that what is not finite is straight up as well.
    if !(level > MIN_LEVEL && length.is_finite()) {
        return DQuat::IDENTITY;
    }
    let (cy, sy) = half_turn(direction.x / level, direction.y / level);
    let (cp, sp) = half_turn(level / length, -direction.z / length);
    DQuat::from_xyzw(-sy * sp, cy * sp, sy * cp, cy * cp)
}

/// Cosine and sine of half of the angle with this cosine and sine.
fn half_turn(cos: f64, sin: f64) -> (f64, f64) {
    if cos >= 0.0 {
        let half = sqrt((1.0 + cos) * 0.5);
        return (half, sin / (2.0 * half));
    }
    let half = sqrt((1.0 - cos) * 0.5);
    (sin.abs() / (2.0 * half), if sin < 0.0 { -half } else { half })
}
