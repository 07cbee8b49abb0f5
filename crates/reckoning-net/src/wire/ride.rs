//! Updates of bodies that ride a path: their progress and its rate are nearly all that travels.
//!
//! Place, velocity and orientation follow from the progress; what a body is off the path, and how
//! it is turned against it, is told when it changes. Since a rider's motion is a straight line in
//! its progress, the stamp may be moved along it: it counts in coarser ticks than others.

use libm::{ceil, sqrt};
use reckoning::model::{Path, PathRide};
use reckoning::{DQuat, DVec3, Kinematics, Model, SimTime, Update};

use super::quantized_update::{
    MAX_CELL, QuantizedModel, QuantizedTurn, QuantizedUpdate, Steps, cell, vector,
};
use super::{DecodeError, Format};

/// How much of its mean change of rate since the baseline a rider that strayed has by now: two
/// for one that accelerated evenly, as trains do.
const RIDE_KICK: f64 = 2.0;
/// Off the path by less than this many steps along every axis, a body is on it.
const ON_PATH_STEPS: f64 = 0.75;
/// Stamps of riders are at least this fine.
const MIN_RIDE_HZ: u32 = 60;
/// Progress counts in so many steps of position: an eighth of a threshold that suits these.
const PROGRESS_STEPS: f64 = 4.0;
/// Its rate counts in so many steps of progress in a second.
const RATE_STEPS: f64 = 2.0;
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

    /// The step that riders' progress counts in.
    pub(super) fn progress_step_m(&self) -> f64 {
        self.steps.position_m * PROGRESS_STEPS
    }

    /// The step of progress nearest to a place along a path, and never the end of a closed one, which
    /// is its beginning.
    fn progress_cell(&self, path: &Path, progress_m: f64) -> i64 {
        let step = cell(path.wrap(progress_m), self.progress_step_m());
        self.lap(path).map_or(step, |lap| if step >= lap { 0 } else { step })
    }

    /// How many steps of progress a closed path has.
    fn lap(&self, path: &Path) -> Option<i64> {
        let steps = ceil(path.length_m() / self.progress_step_m()) as i64;
        (path.is_closed() && (1..=MAX_CELL).contains(&steps)).then_some(steps)
    }

    /// The step that the rate of their progress counts in.
    pub(super) fn rate_step_mps(&self) -> f64 {
        self.progress_step_m() * RATE_STEPS
    }

    /// The tick nearest to `at`, of a rider the last one, that a stamp of an update with this model can say.
    pub(super) fn stamp_tick(&self, at: SimTime, model: &Model) -> i64 {
        let tick = self.tick_of(at);
        if path_of(model).is_none() {
            return tick;
        }
        // Not later than its datagram, which counts whole milliseconds, so that most stamps need
        // not be told; the nearest tick may be.
        let ticks = self.ride_ticks();
        let reached = if self.time_of(tick) > at { tick - 1 } else { tick };
        reached.div_euclid(ticks) * ticks
    }

    /// The moment nearest to `at`, of a rider the last one, that a stamp of an update with this model can say.
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

    /// What is left of `update` where watchers derive how the body is turned: on a path it is told to
    /// be turned along it, which takes nothing.
    pub(crate) fn round_along(&self, update: &Update) -> Update {
        let mut quantized = QuantizedUpdate::from_update(self, update);
        if path_of(&quantized.model).is_some() {
            quantized.turn = QuantizedTurn::none(self.flat);
        }
        quantized.update(self).unwrap_or(*update)
    }

    /// How a body is turned that follows the path there.
    fn heading_of(&self, path: &Path, progress_m: f64) -> DQuat {
        heading(self.level(path.place_at(progress_m).1))
    }
}

impl QuantizedUpdate {
    pub(super) fn from_ride(format: &Format, update: &Update, ride: &PathRide) -> Self {
        let tick = format.stamp_tick(update.at(), update.model());
        let mut quantized = Self::as_predicted(
            format,
            update.kind(),
            tick,
            Model::Path(PathRide { progress_m: 0.0, rate_mps: 0.0, ..*ride }),
        );
        let late_s = quantized.at.secs_since(update.at());
        let progress = format.progress_cell(ride.path, ride.progress_m + ride.rate_mps * late_s);
        quantized.teleports = update.teleports();
        quantized.position = offset(format, update, ride);
        quantized.turn =
            QuantizedTurn::from_orientation(format, against_path(format, update, ride));
        let rate = cell(ride.rate_mps, format.rate_step_mps());
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
    progress: i64,
    /// Steps of a closed path.
    lap: Option<i64>,
    rate_mps: f64,
    /// How it is turned against the path.
    pub(super) orientation: DQuat,
}

impl RidePrediction {
    /// Of a rider of which nothing is known.
    pub(super) fn new(format: &Format, path: &Path) -> Self {
        Self { lap: format.lap(path), ..Self::default() }
    }

    pub(super) fn at(format: &Format, baseline: &Update, path: &Path, t_s: f64) -> Self {
        match baseline.model() {
            Model::Path(old) if old.path.id() == path.id() => Self {
                offset: offset(format, baseline, old),
                progress: format.progress_cell(path, old.progress_m + old.rate_mps * t_s),
                lap: format.lap(path),
                rate_mps: old.rate_mps,
                orientation: against_path(format, baseline, old),
            },
            _ => Self::new(format, path),
        }
    }

    /// How far a progress is off the predicted one, the short way round a closed path.
    pub(super) fn off(&self, progress: i64) -> i64 {
        let off = progress - self.progress;
        self.lap.map_or(off, |lap| (off + lap / 2).rem_euclid(lap) - lap / 2)
    }

    /// The inverse of [`off`](Self::off).
    pub(super) fn progress(&self, off: i64) -> i64 {
        let progress = self.progress + off;
        self.lap.map_or(progress, |lap| progress.rem_euclid(lap))
    }

    /// The rate of a rider that is `off` its predicted progress: the baseline's, plus what must
    /// have taken it there, unless it leapt.
    pub(super) fn rate(&self, format: &Format, off: i64, t_s: f64, leapt: bool) -> i64 {
        let mut rate_mps = self.rate_mps;
        if t_s > 0.0 && !leapt {
            rate_mps += off as f64 * format.progress_step_m() * RIDE_KICK / t_s;
        }
        cell(rate_mps, format.rate_step_mps())
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
