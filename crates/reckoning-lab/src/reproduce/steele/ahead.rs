//! Projections into the future, without any updates: where will the body be after a while?

use rayon::prelude::*;
use reckoning::{
    Behaviour, ConfigError, DVec3, Kinematics, Known, Scene, Trended, TrendedConfig, Walls,
};

use super::chain::{Ground, Projection};
use super::places::Kind;
use super::play::Subject;

/// STEELE is concerned with 100 ms to 5 s; nobody keeps going for longer than one here.
pub(super) const HORIZONS_S: [f64; 4] = [0.1, 0.25, 0.5, 1.0];
/// The same in ticks.
const HORIZON_TICKS: [usize; 4] = [6, 15, 30, 60];
/// From one projection to the next.
const STEP_TICKS: usize = 15;

/// One player's sums at one kind of place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Misses {
    pub(super) count: f64,
    /// Distance of projection and truth, per horizon.
    pub(super) sums_m: [f64; 4],
    /// Projections by 0.5 s that end behind a wall.
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

/// One player's sums, per [`Kind`].
pub(super) type MissesByKind = [Misses; Kind::ALL.len()];

/// How to project: with which acceleration, for how long, and whether walls stop it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead<'a> {
    pub(super) projection: Projection<'a>,
    pub(super) trust_s: f64,
    pub(super) heeds_walls: bool,
}

impl Ahead<'_> {
    /// Projects everyone who moves, four times a second.
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Vec<MissesByKind>, ConfigError> {
        let mut config = TrendedConfig::default();
        config.trust_s = self.trust_s;
        let behaviour = Behaviour::Trended(Trended::new(config)?);
        let run = |subject: &Subject| self.run_one(ground, subject, &behaviour);
        Ok(ground.subjects.par_iter().map(run).collect())
    }

    fn run_one(
        &self,
        ground: &Ground<'_>,
        subject: &Subject,
        behaviour: &Behaviour,
    ) -> MissesByKind {
        let mut all = MissesByKind::default();
        for life in &subject.lives {
            for start in (0..life.len().saturating_sub(HORIZON_TICKS[3])).step_by(STEP_TICKS) {
                let from = &life[start];
                if from.velocity == DVec3::ZERO {
                    continue;
                }
                let guesses = self.guesses(ground.walls, from, behaviour);
                let truths = HORIZON_TICKS.map(|ticks| life[start + ticks].position);
                let kind = ground.places.kind_at(from.position);
                all[kind as usize].add(&misses(ground.walls, from, guesses, truths));
            }
        }
        all
    }

    fn guesses(&self, walls: &Walls, from: &Kinematics, behaviour: &Behaviour) -> [DVec3; 4] {
        let told = Kinematics { acceleration: self.projection.acceleration(from), ..*from };
        let bodies = [Known::new(0, 0, told)];
        let mut scene = Scene::new(&bodies, &[]);
        scene.walls = self.heeds_walls.then_some(walls);
        let mut guesses = [DVec3::ZERO; 4];
        behaviour.roll_out(&scene, 0, &HORIZONS_S, &mut guesses);
        guesses
    }
}

fn misses(walls: &Walls, from: &Kinematics, guesses: [DVec3; 4], truths: [DVec3; 4]) -> Misses {
    let sums_m = [0, 1, 2, 3].map(|horizon| guesses[horizon].distance(truths[horizon]));
    // Behind a wall: the guess is cut off from where the body was and from where it went.
    let cut = |place: DVec3| walls.first_hit(place, guesses[2]).is_some();
    let tunnels = f64::from(u8::from(cut(from.position) && cut(truths[2])));
    Misses { count: 1.0, sums_m, tunnels }
}
