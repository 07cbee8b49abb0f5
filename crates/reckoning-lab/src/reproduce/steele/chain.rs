//! Publisher and ghost on the tracks of the players, by place.

use std::collections::VecDeque;
use std::time::Duration;

use rayon::prelude::*;
use reckoning::{
    Blend, ConfigError, DVec3, Ghost, GhostConfig, Kinematics, Model, Publisher, SimTime,
    Threshold, Update,
};
use reckoning_predict::{Pull, TrendMap, Walls};

use super::places::{PlaceKind, Places};
use super::play::BotSubject;
use crate::publishing::threshold_only;

/// STEELE names no numbers: an eighth and three quarters of a body.
pub(super) const MIN_THRESHOLD_M: f64 = 0.1;
pub(super) const MAX_THRESHOLD_M: f64 = 0.6;
/// Delay of the updates to the second ghost.
const DELAY: Duration = Duration::from_millis(100);
/// How long ghosts blend: the engine's default.
const BLEND_S: f64 = 0.333;
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

    /// The trends that a projection follows, and how.
    pub(super) const fn trends(&self) -> Option<(&TrendMap, Pull)> {
        match self {
            Self::Trend(map, pull) => Some((map, *pull)),
            _ => None,
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
    fn metres(&self, blended: &Blended, now: SimTime) -> f64 {
        match self {
            Self::Fixed(metres) => *metres,
            Self::ByPlace(map) => {
                let (place, velocity) = (blended.shown, blended.velocity_at(now));
                map.threshold_m(place, velocity, MIN_THRESHOLD_M, MAX_THRESHOLD_M)
            }
        }
    }
}

/// STEELE's (3): the body on screen takes up the velocity that it was last told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blended {
    /// Where it is shown.
    pub(super) shown: DVec3,
    /// Its velocity on screen: what the last two frames differ by.
    seen: DVec3,
    /// V0, V0' and since when.
    from: DVec3,
    told: DVec3,
    since: SimTime,
    span_s: f64,
}

impl Blended {
    pub(super) const fn new(first: &Kinematics, span_s: f64) -> Self {
        let (told, since) = (first.velocity, first.at);
        Self { shown: first.position, seen: told, from: told, told, since, span_s }
    }

    /// T, and how much of the blend is done.
    pub(super) fn progress(&self, now: SimTime) -> (f64, f64) {
        let t_s = now.secs_since(self.since);
        (t_s, (t_s / self.span_s).clamp(0.0, 1.0))
    }

    /// `V_b`.
    pub(super) fn velocity_at(&self, now: SimTime) -> DVec3 {
        self.from.lerp(self.told, self.progress(now).1)
    }

    /// V0 of the blend under way.
    pub(super) fn hear(&mut self, told: DVec3, now: SimTime) {
        (self.from, self.told, self.since) = (self.seen, told, now);
    }

    /// The next frame.
    pub(super) fn show(&mut self, shown: DVec3) {
        self.seen = (shown - self.shown) * f64::from(reckoning_arena::TICKS_PER_S);
        self.shown = shown;
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
            let mut blended = Blended::new(first, BLEND_S);
            for truth in rest {
                let kind = self.places.kind_at(truth.position);
                let tally = &mut tallies[kind as usize];
                self.tick(&mut publisher, (&mut viewers, &mut blended), truth, method, tally)?;
            }
        }
        Ok(tallies)
    }

    fn tick(
        &self,
        publisher: &mut Publisher,
        (viewers, blended): (&mut [DelayedViewer; 2], &mut Blended),
        truth: &Kinematics,
        method: &Method<'_>,
        tally: &mut ChainTally,
    ) -> Result<(), ConfigError> {
        let allowed_m = method.allowed.metres(blended, truth.at);
        publisher.set_threshold(Threshold::metres(allowed_m)?);
        let told = Kinematics { acceleration: method.projection.acceleration(truth), ..*truth };
        if let Some(update) = publisher.observe_on(&told, self.walls) {
            tally.updates += 1.0;
            blended.hear(truth.velocity, truth.at);
            for viewer in viewers.iter_mut() {
                viewer.under_way.push_back(update);
            }
        }
        let shown = viewers.each_mut().map(|it| it.shown(truth.at));
        blended.show(shown[0]);
        let [now_m, late_m] = shown.map(|it| it.distance(truth.position));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: seen at (2, 0) m/s, told (0, 2) m/s, half of the span gone: (1, 1) m/s, which has
    /// a cosine of 0.7071 to x: 0.1 + 0.5 * 0.7071 = 0.4536 m are allowed there.
    #[test]
    fn confidence_goes_by_the_blended_velocity_of_what_is_shown() {
        let first = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 2.0);
        let mut blended = Blended::new(&first, 0.5);
        blended.show(DVec3::X * (2.0 / 60.0));
        blended.hear(DVec3::Y * 2.0, SimTime::ZERO);
        let halfway = SimTime::from_millis(250);
        let velocity = blended.velocity_at(halfway);
        assert!(velocity.distance(DVec3::new(1.0, 1.0, 0.0)) < 1e-9, "{velocity}");
        let along = reckoning_predict::Sighting {
            position: DVec3::ZERO,
            velocity: DVec3::X,
            acceleration: DVec3::ZERO,
        };
        let seen = [-1.0, 0.0, 1.0]
            .map(|x| reckoning_predict::Sighting { position: DVec3::new(x, x, 0.0), ..along });
        let map = TrendMap::new(&seen, &reckoning_predict::TrendMapConfig::default()).unwrap();
        let allowed_m = Allowed::ByPlace(&map).metres(&blended, halfway);
        assert!((allowed_m - 0.4536).abs() < 1e-3, "{allowed_m}");
    }
}
