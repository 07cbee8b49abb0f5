//! Made-up players who do what EKB supposes: they keep to their team.
//!
//! They serve one purpose: to try whether it is the bots' indifference to their friends that
//! decides what is not reproduced on bots. Two moments in three a player makes for the middle of
//! its friends, round the walls, and anywhere otherwise, always at top speed. Nothing of their
//! health, their numbers, the map or the constants of the predictors differs on purpose.

use reckoning::random::SplitMix64;
use reckoning::{ConfigError, DVec3, SimTime};
use reckoning_arena::{Input, Level, MatchConfig, Mode, Player, PlayerId, TICKS_PER_S, Team};
use reckoning_predict::{Routes, RoutesConfig};
use reckoning_recording::{Recording, Sample, Track, VELOCITY_COLUMNS};

use crate::bots::{level_of, meta_of};
use crate::compare::walls_of;

const LEVEL: &str = "proving-grounds";
const PLAYERS: u16 = 10;
/// The share of decisions that are for the friends.
const FRIENDLY: f64 = 2.0 / 3.0;
/// Seconds from one decision to the next.
const HELD_S: [f64; 2] = [0.5, 1.5];
/// The way round the walls is looked for this often.
const STEER_TICKS: u32 = 6;

/// A session of players who keep to their team.
pub(super) fn session(seconds: u32, seed: u64) -> Result<Recording, ConfigError> {
    let level = Level::built_in(LEVEL).expect("the level comes with the arena");
    let mut config = MatchConfig::default();
    (config.bots, config.seconds, config.seed) = (PLAYERS, seconds, seed);
    config.mode = Mode::TwoTeams;
    let mut recording = Recording {
        source: "made up".to_owned(),
        session: format!("teams-{seed}"),
        meta: meta_of(&level, &config),
        level: level_of(&level),
        ..Recording::default()
    };
    let routes = routes(&recording)?;
    let mut players = Players::new(&level, &routes, seed);
    recording.tracks = players.tracks();
    for tick in 0..seconds * TICKS_PER_S {
        players.step(tick, &mut recording.tracks);
    }
    Ok(recording)
}

fn routes(recording: &Recording) -> Result<Routes, ConfigError> {
    let walls = walls_of(&recording.level)?.expect("the level has walls");
    let width = recording.meta.body_width;
    let mut config = RoutesConfig::default();
    (config.cell_m, config.clearance_m) = (width, 0.5 * width);
    Ok(Routes::new(walls, config)?)
}

struct Players<'a> {
    level: &'a Level,
    routes: &'a Routes,
    dice: SplitMix64,
    bodies: Vec<Runner>,
}

struct Runner {
    body: Player,
    /// Health for good, which is what others are drawn by or flee from in LI's scheme.
    health: f32,
    goal: DVec3,
    until_tick: u32,
    next: DVec3,
}

impl<'a> Players<'a> {
    fn new(level: &'a Level, routes: &'a Routes, seed: u64) -> Self {
        let mut players = Self { level, routes, dice: SplitMix64::new(seed), bodies: Vec::new() };
        for number in 0..PLAYERS {
            let at = players.anywhere();
            let team = Team(number % 2);
            let body = Player::standing(PlayerId(number), team, at, DVec3::X);
            let health = players.dice.between(20.0, 100.0) as f32;
            players.bodies.push(Runner { body, health, goal: at, until_tick: 0, next: at });
        }
        players
    }

    /// A free place of the level.
    fn anywhere(&mut self) -> DVec3 {
        let size = self.level.size_px();
        let radius_px = self.level.file().body.radius_px;
        loop {
            let (x, y) = (self.dice.between(0.0, size.x), self.dice.between(0.0, size.y));
            let at = DVec3::new(x, y, 0.0);
            let (reached, _) = self.level.walls().slide(at, at, radius_px);
            if reached.distance(at) < 1.0 && !self.routes.walls().inside(at) {
                return at;
            }
        }
    }

    fn tracks(&self) -> Vec<Track> {
        let track =
            |it: &Runner| Track::new(it.body.id.0.into(), it.body.team.0.into(), &VELOCITY_COLUMNS);
        self.bodies.iter().map(track).collect()
    }

    fn step(&mut self, tick: u32, tracks: &mut [Track]) {
        for (place, track) in tracks.iter_mut().enumerate() {
            if tick >= self.bodies[place].until_tick {
                self.decide(place, tick);
            }
            if tick.is_multiple_of(STEER_TICKS) {
                let it = &mut self.bodies[place];
                it.next = self.routes.next_step(it.body.position, it.goal);
            }
            let it = &mut self.bodies[place];
            let way = it.next - it.body.position;
            let reach_px = self.level.file().body.speed_px_s / f64::from(TICKS_PER_S);
            let mut input = Input::default();
            input.go = if way.length() > reach_px { way.normalize_or_zero() } else { DVec3::ZERO };
            it.body.advance(&input, self.level);
            write_down(it, tick, track);
        }
    }

    fn decide(&mut self, place: usize, tick: u32) {
        let held_s = self.dice.between(HELD_S[0], HELD_S[1]);
        let friendly = self.dice.chance(FRIENDLY);
        let goal = if friendly { self.friends_middle(place) } else { self.anywhere() };
        let it = &mut self.bodies[place];
        (it.goal, it.until_tick) = (goal, tick + (held_s * f64::from(TICKS_PER_S)) as u32);
    }

    fn friends_middle(&self, place: usize) -> DVec3 {
        let own = &self.bodies[place].body;
        let friends = self.bodies.iter().map(|it| &it.body);
        let friends = friends.filter(|it| it.team == own.team && it.id != own.id);
        let (sum, count) =
            friends.fold((DVec3::ZERO, 0.0), |(sum, n), it| (sum + it.position, n + 1.0));
        sum / f64::max(count, 1.0)
    }
}

fn write_down(it: &Runner, tick: u32, track: &mut Track) {
    let at = SimTime::from_tick(i64::from(tick), TICKS_PER_S);
    let sample = Sample {
        at,
        position: it.body.position,
        health: Some(it.health),
        alive: true,
        ..Sample::default()
    };
    track.push(sample, &it.body.velocity.as_vec3().to_array());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_players_keep_to_their_team_and_out_of_walls() {
        let session = session(20, 1).unwrap();
        let walls = walls_of(&session.level).unwrap().unwrap();
        let spread = |tracks: Vec<&Track>| {
            let last: Vec<DVec3> = tracks.iter().map(|it| it.samples[1199].position).collect();
            let middle = last.iter().sum::<DVec3>() / last.len() as f64;
            last.iter().map(|it| it.distance(middle)).sum::<f64>() / last.len() as f64
        };
        let team = |team| session.tracks.iter().filter(|it| it.team == team).collect();
        let size = Level::built_in(LEVEL).unwrap().size_px();
        assert!(spread(team(0)) < 0.2 * size.length(), "{}", spread(team(0)));
        for track in &session.tracks {
            assert!(track.samples.iter().all(|it| !walls.inside(it.position)), "{}", track.id);
        }
    }
}
