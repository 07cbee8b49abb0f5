//! Trains on a known track, made up: no recording has any.

use reckoning::model::{Path, PathRide};
use reckoning::random::SplitMix64;
use reckoning::{ConfigError, DQuat, DVec3, Kinematics, Model, Publisher, Quantiser, SimTime};
use reckoning_net::wire::{Format, Registry};

use super::WireTableError;
use super::publish::BodyExport;
use crate::publishing::threshold_only;

/// How wide a train is.
pub(super) const TRAIN_WIDTH_M: f64 = 3.0;
const TRAINS: u32 = 8;
const MINUTES: i64 = 20;
const FRAMES_PER_S: u32 = 60;

/// A closed line of four kilometres with bends and a hill.
pub(super) fn track() -> Result<&'static Path, WireTableError> {
    let knots = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(900.0, -80.0, 4.0),
        DVec3::new(1_400.0, 400.0, 25.0),
        DVec3::new(900.0, 800.0, 30.0),
        DVec3::new(200.0, 700.0, 12.0),
        DVec3::new(-300.0, 300.0, 0.0),
    ];
    let path = Path::spline(1, &knots, true).map_err(ConfigError::from)?;
    Ok(path.leak())
}

/// The grid of the other tables, with the track and `model` in it.
pub(super) fn train_format(
    track: &'static Path,
    model: Model,
    bound_m: f64,
) -> Result<Format, WireTableError> {
    let steps = Quantiser {
        position_m: bound_m / 32.0,
        velocity_mps: bound_m / 4.0,
        acceleration_mps2: bound_m,
        angular_velocity_radps: 1.0 / 32.0,
        orientation: 1.0 / 128.0,
    };
    let registry = Registry { paths: vec![track], ..Registry::default() };
    Ok(Format::new(false, 1_000, steps, &[model], registry)?)
}

/// Everything that the trains publish, in order of time and train.
pub(super) fn train_exports(
    track: &'static Path,
    model: Model,
    bound_m: f64,
    format: &Format,
) -> Result<Vec<BodyExport>, WireTableError> {
    let mut exports = Vec::new();
    for body in 0..TRAINS {
        let mut train = Train::new(track, body);
        let start = train.truth(format, SimTime::ZERO);
        let (mut publisher, first) = Publisher::start(threshold_only(bound_m, model)?, &start)?;
        let (mut update, mut number) = (Some(first), 0_u16);
        for frame in 1..MINUTES * 60 * i64::from(FRAMES_PER_S) {
            if let Some(update) = update.take() {
                let (update, fresh) = (format.round(&update), number == 0);
                publisher.handle_sent(update);
                exports.push(BodyExport { body, number, fresh, update });
                number = number.wrapping_add(1);
            }
            train.step();
            update =
                publisher.observe(&train.truth(format, SimTime::from_tick(frame, FRAMES_PER_S)));
        }
    }
    exports.sort_by_key(|export| (export.update.at(), export.body));
    Ok(exports)
}

/// One train: it speeds up, goes on, brakes and stands at a platform, over and over.
struct Train {
    track: &'static Path,
    random: SplitMix64,
    progress_m: f64,
    rate_mps: f64,
    push_mps2: f64,
    left_s: f64,
}

impl Train {
    fn new(track: &'static Path, body: u32) -> Self {
        let random = SplitMix64::new(u64::from(body) + 1);
        let progress_m = f64::from(body) * track.length_m() / f64::from(TRAINS);
        Self { track, random, progress_m, rate_mps: 0.0, push_mps2: 0.0, left_s: 0.0 }
    }

    fn step(&mut self) {
        let dt_s = 1.0 / f64::from(FRAMES_PER_S);
        self.left_s -= dt_s;
        if self.left_s <= 0.0 {
            self.begin_leg();
        }
        let before_mps = self.rate_mps;
        self.rate_mps = (self.rate_mps + self.push_mps2 * dt_s).max(0.0);
        self.progress_m += (before_mps + self.rate_mps) * 0.5 * dt_s;
    }

    /// The next of: speed up for a while, coast, brake to a halt, stand.
    fn begin_leg(&mut self) {
        let some =
            |low: f64, high: f64, random: &mut SplitMix64| low + (high - low) * random.unit();
        let standing = self.rate_mps == 0.0;
        (self.push_mps2, self.left_s) = if standing && self.push_mps2 == 0.0 {
            (some(0.5, 1.1, &mut self.random), some(12.0, 24.0, &mut self.random))
        } else if standing {
            (0.0, some(10.0, 30.0, &mut self.random))
        } else if self.push_mps2 > 0.0 {
            // Uphill and downhill it does not keep its speed quite.
            (some(-0.04, -0.01, &mut self.random), some(10.0, 40.0, &mut self.random))
        } else {
            let brake_mps2 = some(0.6, 1.0, &mut self.random);
            (-brake_mps2, self.rate_mps / brake_mps2 + 0.1)
        };
    }

    /// With its nose along the track.
    fn truth(&self, format: &Format, at: SimTime) -> Kinematics {
        let (place, direction) = self.track.place_at(self.progress_m);
        let mut truth = Kinematics::moving(format.round_time(at), place, direction * self.rate_mps);
        truth.acceleration = direction * self.push_mps2;
        truth.orientation = reckoning::orientation::heading_and_pitch_from_velocity(
            direction,
            DQuat::IDENTITY,
            0.0,
        );
        truth
    }
}

/// A train's model on the track.
pub(super) const fn on_track(track: &'static Path) -> Model {
    Model::Path(PathRide { path: track, progress_m: 0.0, rate_mps: 0.0 })
}
