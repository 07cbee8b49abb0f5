//! Projections into the future, without any updates: where will the body be after a while?

use rayon::prelude::*;
use reckoning::{ConfigError, DVec3, Kinematics};
use reckoning_predict::{Behaviour, KnownBody, Scene, Trended, TrendedConfig, Walls};

use super::chain::{Projection, TestGround};
use super::places::PlaceKind;
use super::play::BotSubject;

/// STEELE is concerned with 100 ms to 5 s; nobody keeps going for longer than one here.
pub(super) const HORIZONS_S: [f64; 4] = [0.1, 0.25, 0.5, 1.0];
/// The same in ticks.
const HORIZON_TICKS: [usize; 4] = [6, 15, 30, 60];
/// The path of the first half second is looked at in pieces of a thirtieth.
const PIECES: usize = 15;
/// From one projection to the next.
const STEP_TICKS: usize = 15;

/// One player's sums at one kind of place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Misses {
    pub(super) count: f64,
    /// Distance of projection and truth, per horizon.
    pub(super) sums_m: [f64; 4],
    /// Projections that lead through a wall within 0.5 s.
    pub(super) tunnels: f64,
}

impl Misses {
    pub(super) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.tunnels += other.tunnels;
        for (sum, other) in self.sums_m.iter_mut().zip(other.sums_m) {
            *sum += other;
        }
    }
}

/// One player's sums, per [`PlaceKind`].
pub(super) type MissesByKind = [Misses; PlaceKind::ALL.len()];

/// How to project: with which acceleration, for how long, and whether walls stop it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead<'a> {
    pub(super) projection: Projection<'a>,
    pub(super) trust_s: f64,
    pub(super) heeds_walls: bool,
}

impl Ahead<'_> {
    /// Projects everyone who moves, four times a second.
    pub(super) fn run(&self, ground: &TestGround<'_>) -> Result<Vec<MissesByKind>, ConfigError> {
        let mut config = TrendedConfig::default();
        (config.trust_s, config.along_path) = (self.trust_s, true);
        config.pull = self.projection.trends().map_or(config.pull, |(_, pull)| pull);
        let behaviour = Behaviour::Trended(Trended::new(config)?);
        let run = |subject: &BotSubject| self.run_one(ground, subject, &behaviour);
        Ok(ground.subjects.par_iter().map(run).collect())
    }

    fn run_one(
        &self,
        ground: &TestGround<'_>,
        subject: &BotSubject,
        behaviour: &Behaviour,
    ) -> MissesByKind {
        let mut all = MissesByKind::default();
        for life in &subject.lives {
            for start in (0..life.len().saturating_sub(HORIZON_TICKS[3])).step_by(STEP_TICKS) {
                let from = &life[start];
                if from.velocity == DVec3::ZERO {
                    continue;
                }
                let told = self.told(from);
                let bodies = [KnownBody::new(0, 0, told)];
                let mut scene = Scene::new(&bodies, &[]);
                scene.walls = self.heeds_walls.then_some(ground.walls);
                scene.trends = self.projection.trends().map(|(map, _)| map);
                let truths = HORIZON_TICKS.map(|ticks| life[start + ticks].position);
                let mut found = misses(&scene, behaviour, truths);
                found.tunnels = f64::from(u8::from(tunnels(ground.walls, &scene, behaviour)));
                all[ground.places.kind_at(from.position) as usize].add(&found);
            }
        }
        all
    }

    fn told(&self, from: &Kinematics) -> Kinematics {
        // Trends are mixed in place by place, on the way.
        let acceleration = match self.projection {
            Projection::Trend(..) => from.acceleration,
            plain => plain.acceleration(from),
        };
        Kinematics { acceleration, ..*from }
    }
}

fn misses(scene: &Scene<'_>, behaviour: &Behaviour, truths: [DVec3; 4]) -> Misses {
    let mut guesses = [DVec3::ZERO; 4];
    behaviour.roll_out(scene, 0, &HORIZONS_S, &mut guesses);
    let sums_m = [0, 1, 2, 3].map(|horizon| guesses[horizon].distance(truths[horizon]));
    Misses { count: 1.0, sums_m, tunnels: 0.0 }
}

/// Whether the way of the first half second crosses a wall.
fn tunnels(walls: &Walls, scene: &Scene<'_>, behaviour: &Behaviour) -> bool {
    let horizons_s: [f64; PIECES] = std::array::from_fn(|piece| (piece + 1) as f64 / 30.0);
    let mut way = [DVec3::ZERO; PIECES];
    behaviour.roll_out(scene, 0, &horizons_s, &mut way);
    let Some(body) = scene.body(0) else { return false };
    let mut from = body.kinematics.position;
    way.into_iter().any(|to| {
        let crossed = walls.first_hit(from, to).is_some();
        from = to;
        crossed
    })
}
