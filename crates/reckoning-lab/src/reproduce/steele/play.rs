//! Matches of bots as tracks in metres, and the trends that others are judged by.

use std::sync::Arc;

use rayon::prelude::*;
use reckoning::{ConfigError, DVec3, Kinematics, SimTime};
use reckoning_arena::{Level, Match, MatchConfig, Player, TICKS_PER_S};
use reckoning_predict::{Outline, Sighting, TrendMap, TrendMapConfig, Wall, Walls};

/// A body of 0.8 m across that runs at 6 m/s.
pub(super) const PX_PER_M: f64 = 40.0;
/// Players per match.
pub(super) const BOTS: u16 = 15;
/// Motion has changed when the acceleration did by this share of its size.
const CHANGED: f64 = 0.1;
/// No body moves that far within a tick: it was teleported.
const JUMP_M: f64 = 1.0;

/// One player of one match: what it did from each birth to the next death.
#[derive(Clone, Debug, Default)]
pub(super) struct BotSubject {
    pub(super) lives: Vec<Vec<Kinematics>>,
}

impl BotSubject {
    fn observe(&mut self, now: SimTime, player: &Player, was_alive: bool) {
        if !player.is_alive {
            return;
        }
        let position = player.position / PX_PER_M;
        let mut seen = Kinematics::moving(now, position, player.velocity / PX_PER_M);
        let before = self.lives.last().and_then(|life| life.last());
        match before {
            Some(before) if was_alive && before.position.distance(position) < JUMP_M => {
                seen.acceleration = (seen.velocity - before.velocity) * f64::from(TICKS_PER_S);
            }
            _ => self.lives.push(Vec::new()),
        }
        if let Some(life) = self.lives.last_mut() {
            life.push(seen);
        }
    }
}

/// Everyone's tracks of one match.
pub(super) fn play(level: &Arc<Level>, seed: u64, seconds: u32) -> Vec<BotSubject> {
    let mut config = MatchConfig::default();
    config.bots = BOTS;
    config.seconds = seconds;
    config.seed = seed;
    let mut game = Match::start(Arc::clone(level), &config);
    let mut subjects = vec![BotSubject::default(); usize::from(BOTS)];
    let mut alive = vec![false; usize::from(BOTS)];
    for _ in 0..seconds * TICKS_PER_S {
        let world = game.step();
        let now = world.now();
        for ((subject, alive), player) in subjects.iter_mut().zip(&mut alive).zip(world.players()) {
            subject.observe(now, player, *alive);
            *alive = player.is_alive;
        }
    }
    subjects
}

/// Everyone of several matches, by seed.
pub(super) fn play_all(level: &Arc<Level>, seeds: &[u64], seconds: u32) -> Vec<BotSubject> {
    let matches: Vec<Vec<BotSubject>> =
        seeds.par_iter().map(|&seed| play(level, seed, seconds)).collect();
    matches.into_iter().flatten().collect()
}

/// What is seen of everyone in several matches, for a map.
pub(super) fn sightings(level: &Arc<Level>, seeds: &[u64], seconds: u32) -> Vec<Sighting> {
    let matches: Vec<Vec<Sighting>> =
        seeds.par_iter().map(|&seed| seen_in(&play(level, seed, seconds))).collect();
    matches.into_iter().flatten().collect()
}

fn seen_in(subjects: &[BotSubject]) -> Vec<Sighting> {
    let lives = subjects.iter().flat_map(|subject| &subject.lives);
    let seen =
        lives.flat_map(|life| life.windows(2).filter(|pair| has_changed(&pair[0], &pair[1])));
    let sighting = |pair: &[Kinematics]| Sighting {
        position: pair[1].position,
        velocity: pair[1].velocity,
        acceleration: pair[1].acceleration,
    };
    seen.map(sighting).collect()
}

/// STEELE: "changes in motion will prompt a recording". A body begins to speed up, to brake or
/// to turn, or does so otherwise than a tick before.
fn has_changed(before: &Kinematics, now: &Kinematics) -> bool {
    let most = before.acceleration.length().max(now.acceleration.length());
    let change = now.acceleration.distance(before.acceleration);
    now.acceleration != DVec3::ZERO && change > CHANGED * most
}

/// A map with at most `headings` per cell. No acceleration is left out: those who brake are few
/// and are what the trend is about.
pub(super) fn map_of(seen: &[Sighting], headings: u8) -> Result<TrendMap, ConfigError> {
    let mut config = TrendMapConfig::default();
    config.modes = headings;
    config.smallest_cell_m = 0.5;
    config.trim = 0.0;
    Ok(TrendMap::new(seen, &config)?)
}

/// The level's walls in metres.
pub(super) fn walls_of(level: &Level) -> Result<Walls, ConfigError> {
    let metres = |px: DVec3| px / PX_PER_M;
    let edges = level.walls().edges().iter();
    Ok(Walls::new(edges.map(|edge| Wall::from(Outline::Line(metres(edge.a), metres(edge.b)))))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_is_sighted_when_its_motion_changes_and_not_while_it_goes_on() {
        let state = |tick: i64, acceleration: f64| Kinematics {
            acceleration: DVec3::X * acceleration,
            ..Kinematics::moving(SimTime::from_tick(tick, 60), DVec3::ZERO, DVec3::X)
        };
        // Stands, speeds up for three ticks, goes on, brakes for two.
        let accelerations = [0.0, 0.0, 20.0, 20.0, 20.0, 0.0, 0.0, -30.0, -30.0, 0.0];
        let life: Vec<Kinematics> = (0..).zip(accelerations).map(|(n, a)| state(n, a)).collect();
        let seen = seen_in(&[BotSubject { lives: vec![life] }]);
        let accelerations: Vec<f64> = seen.iter().map(|it| it.acceleration.x).collect();
        assert_eq!(accelerations, [20.0, -30.0]);
    }
}
