//! Publisher and ghost on the tracks of the players, by place.

use std::collections::VecDeque;
use std::time::Duration;

use rayon::prelude::*;
use reckoning::{
    Blend, ConfigError, DVec3, Ghost, GhostConfig, Kinematics, Model, Publisher, SimTime,
    Threshold, Update,
};
use reckoning_predict::{Pull, TrendMap, Walls};

use crate::publishing::threshold_only;

use super::places::{PlaceKind, Places};
use super::play::BotSubject;

/// STEELE names no numbers: an eighth and three quarters of a body.
pub(super) const MIN_THRESHOLD_M: f64 = 0.1;
pub(super) const MAX_THRESHOLD_M: f64 = 0.6;
/// Delay of the updates to the second ghost.
const DELAY: Duration = Duration::from_millis(100);
/// STEELE's (10) never stops believing in the acceleration.
const ACCELERATING: Model = Model::Accelerating { trust: Duration::from_hours(1) };

/// With which acceleration bodies are projected.
#[derive(Clone, Copy, Debug)]
pub(super) enum Projection<'a> {
    /// With none.
    Linear,
    /// With the one last known: the traditional method.
    Known,
    /// With half of it: what (9) comes to when no trend is found.
    Halved,
    /// With the usual one mixed in: (9).
    Trend(&'a TrendMap, Pull),
}

impl Projection<'_> {
    pub(super) fn acceleration(&self, truth: &Kinematics) -> DVec3 {
        let known = truth.acceleration;
        match self {
            Self::Linear => DVec3::ZERO,
            Self::Known => known,
            Self::Halved => known * 0.5,
            Self::Trend(map, pull) => map
                .trend_at(truth.position, truth.velocity)
                .map_or(known, |trend| trend.acceleration_for(known, *pull)),
        }
    }

    const fn model(&self) -> Model {
        match self {
            Self::Linear => Model::Linear,
            _ => ACCELERATING,
        }
    }
}

/// How far guesses may stray.
#[derive(Clone, Copy, Debug)]
pub(super) enum Allowed<'a> {
    Fixed(f64),
    /// STEELE's (8).
    ByPlace(&'a TrendMap),
}

impl Allowed<'_> {
    fn metres(&self, truth: &Kinematics) -> f64 {
        match self {
            Self::Fixed(metres) => *metres,
            Self::ByPlace(map) => {
                map.threshold_m(truth.position, truth.velocity, MIN_THRESHOLD_M, MAX_THRESHOLD_M)
            }
        }
    }
}

/// One way to do dead reckoning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method<'a> {
    pub(super) allowed: Allowed<'a>,
    pub(super) projection: Projection<'a>,
}

/// What happened at one kind of place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ChainTally {
    pub(super) ticks: f64,
    pub(super) updates: f64,
    pub(super) allowed_m: f64,
    /// Sums of the distance of truth and shown, at once and 100 ms late.
    pub(super) now_m: f64,
    pub(super) late_m: f64,
}

impl ChainTally {
    pub(super) fn add(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.updates += other.updates;
        self.allowed_m += other.allowed_m;
        self.now_m += other.now_m;
        self.late_m += other.late_m;
    }
}

/// What happened to one subject, per [`PlaceKind`].
pub(super) type ByKind = [ChainTally; PlaceKind::ALL.len()];

/// Where everything happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestGround<'a> {
    pub(super) places: &'a Places,
    pub(super) walls: &'a Walls,
    pub(super) subjects: &'a [BotSubject],
}

impl TestGround<'_> {
    /// Runs everyone's chain.
    pub(super) fn run(&self, method: &Method<'_>) -> Result<Vec<ByKind>, ConfigError> {
        self.subjects.par_iter().map(|subject| self.run_one(subject, method)).collect()
    }

    fn run_one(&self, subject: &BotSubject, method: &Method<'_>) -> Result<ByKind, ConfigError> {
        let mut tallies = ByKind::default();
        for life in &subject.lives {
            let Some((first, rest)) = life.split_first() else { continue };
            let (mut publisher, update) = Publisher::start(
                threshold_only(MIN_THRESHOLD_M, method.projection.model())?,
                first,
            )?;
            let mut viewers =
                [DelayedViewer::new(update, Duration::ZERO)?, DelayedViewer::new(update, DELAY)?];
            for truth in rest {
                let kind = self.places.kind_at(truth.position);
                let tally = &mut tallies[kind as usize];
                self.tick(&mut publisher, &mut viewers, truth, method, tally)?;
            }
        }
        Ok(tallies)
    }

    fn tick(
        &self,
        publisher: &mut Publisher,
        viewers: &mut [DelayedViewer; 2],
        truth: &Kinematics,
        method: &Method<'_>,
        tally: &mut ChainTally,
    ) -> Result<(), ConfigError> {
        let allowed_m = method.allowed.metres(truth);
        publisher.set_threshold(Threshold::metres(allowed_m)?);
        let told = Kinematics { acceleration: method.projection.acceleration(truth), ..*truth };
        if let Some(update) = publisher.observe_on(&told, self.walls) {
            tally.updates += 1.0;
            for viewer in viewers.iter_mut() {
                viewer.under_way.push_back(update);
            }
        }
        let [now_m, late_m] =
            viewers.each_mut().map(|it| it.shown(truth.at).distance(truth.position));
        tally.add(&ChainTally { ticks: 1.0, updates: 0.0, allowed_m, now_m, late_m });
        Ok(())
    }

    /// The fixed threshold that costs as many updates as `wanted` has, to within what a
    /// hair's breadth of threshold changes.
    pub(super) fn as_frugal_as(
        &self,
        wanted: &[ByKind],
        projection: Projection<'_>,
    ) -> Result<f64, ConfigError> {
        let (mut low_m, mut high_m) = (MIN_THRESHOLD_M, MAX_THRESHOLD_M);
        for _ in 0..HALVINGS {
            let middle_m = 0.5 * (low_m + high_m);
            let method = Method { allowed: Allowed::Fixed(middle_m), projection };
            if updates(&self.run(&method)?) > updates(wanted) {
                low_m = middle_m;
            } else {
                high_m = middle_m;
            }
        }
        Ok(0.5 * (low_m + high_m))
    }
}

/// To a tenth of a millimetre.
const HALVINGS: u32 = 12;

/// All updates of everyone.
pub(super) fn updates(subjects: &[ByKind]) -> f64 {
    subjects.iter().flatten().map(|tally| tally.updates).sum()
}

/// A ghost that receives every update after a fixed delay.
struct DelayedViewer {
    ghost: Ghost,
    delay: Duration,
    under_way: VecDeque<Update>,
}

impl DelayedViewer {
    fn new(first: Update, delay: Duration) -> Result<Self, ConfigError> {
        let mut config = GhostConfig::default();
        config.blend = Blend::ProjectiveVelocity;
        config.max_extrapolation = Duration::from_mins(1);
        let ghost = Ghost::with_config(config, first, first.at())?;
        Ok(Self { ghost, delay, under_way: VecDeque::new() })
    }

    fn shown(&mut self, now: SimTime) -> DVec3 {
        while let Some(update) = self.under_way.front().copied() {
            let arrival = update.at() + self.delay;
            if arrival > now {
                break;
            }
            self.under_way.pop_front();
            self.ghost.accept(update, arrival);
        }
        self.ghost.position_at(now)
    }
}
