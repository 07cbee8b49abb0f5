//! Made-up tanks that do what LI supposes: they make for what attracts them.
//!
//! They serve one purpose: to try whether it is the bots' indifference to LI's attractions that
//! decides what is not reproduced on bots. Two moments in three a tank makes for the item or the
//! weaker tank that pulls it most by LI's force, and anywhere otherwise. It loses health slowly
//! and gets it back from items, so that there is something to want. Field, tanks, sending and
//! the predictors' constants are those of the experiment on bots.

use reckoning::random::SplitMix64;
use reckoning::{DVec3, SimTime};
use reckoning_arena::{Input, Level, MatchConfig, Player, PlayerId, TICKS_PER_S, Team};
use reckoning_recording::{ItemEvent, Recording, Sample, Track, VELOCITY_COLUMNS};

use crate::bots::{level_of, meta_of};

const LEVEL: &str = "tank-field";
/// The share of decisions that follow the strongest attraction.
const DRAWN: f64 = 2.0 / 3.0;
/// Seconds from one decision to the next.
const HELD_S: [f64; 2] = [1.0, 3.0];
const MOST: f64 = 100.0;
const LEAST: f64 = 10.0;
/// Health lost a second.
const LOST_PER_S: f64 = 3.0;
/// An item that was taken comes back after so long.
const BACK_TICKS: u32 = 10 * TICKS_PER_S;

/// A session of tanks that are drawn.
pub(super) fn session(tanks: u16, seconds: u32, seed: u64) -> Option<Recording> {
    let level = Level::built_in(LEVEL).ok()?;
    let mut config = MatchConfig::default();
    (config.bots, config.seconds, config.seed) = (tanks, seconds, seed);
    let mut field = Field::new(&level, tanks, seed);
    let mut recording = Recording {
        source: "made up".to_owned(),
        session: format!("drawn-{seed}"),
        meta: meta_of(&level, &config),
        level: level_of(&level),
        tracks: field.tanks.iter().map(Tank::track).collect(),
        ..Recording::default()
    };
    recording.meta.team_play = false;
    for tick in 0..seconds * TICKS_PER_S {
        field.step(tick, &mut recording);
    }
    Some(recording)
}

struct Field<'a> {
    level: &'a Level,
    dice: SplitMix64,
    tanks: Vec<Tank>,
    items: Vec<Lying>,
}

struct Tank {
    body: Player,
    health: f64,
    goal: DVec3,
    until_tick: u32,
}

struct Lying {
    at: DVec3,
    worth: f64,
    /// When it comes back; 0 while it is there.
    back_tick: u32,
}

impl<'a> Field<'a> {
    fn new(level: &'a Level, tanks: u16, seed: u64) -> Self {
        let place = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0);
        let items = level.file().items.iter();
        let items =
            items.map(|it| Lying { at: place(it.at), worth: it.amount.into(), back_tick: 0 });
        let mut field =
            Self { level, dice: SplitMix64::new(seed), tanks: Vec::new(), items: items.collect() };
        for number in 0..tanks {
            let at = field.anywhere();
            let body = Player::standing(PlayerId(number), Team(number), at, DVec3::X);
            let health = field.dice.between(LEAST, MOST);
            field.tanks.push(Tank { body, health, goal: at, until_tick: 0 });
        }
        field
    }

    /// A free place of the field.
    fn anywhere(&mut self) -> DVec3 {
        let size = self.level.size_px();
        let radius_px = self.level.file().body.radius_px;
        loop {
            let (x, y) = (self.dice.between(0.0, size.x), self.dice.between(0.0, size.y));
            let at = DVec3::new(x, y, 0.0);
            if self.level.walls().slide(at, at, radius_px).0.distance(at) < 1.0 {
                return at;
            }
        }
    }

    fn step(&mut self, tick: u32, recording: &mut Recording) {
        let at = SimTime::from_tick(i64::from(tick), TICKS_PER_S);
        for place in 0..self.tanks.len() {
            if tick >= self.tanks[place].until_tick {
                self.decide(place, tick);
            }
            let tank = &mut self.tanks[place];
            let mut input = Input::default();
            input.go = (tank.goal - tank.body.position).clamp_length_max(1.0);
            tank.body.advance(&input, self.level);
            tank.health = (tank.health - LOST_PER_S / f64::from(TICKS_PER_S)).max(LEAST);
            self.take(place, tick, recording);
            self.tanks[place].write_down(at, &mut recording.tracks[place]);
        }
        for (number, item) in
            self.items.iter_mut().enumerate().filter(|it| it.1.back_tick == tick.max(1))
        {
            item.back_tick = 0;
            recording.item_events.push(ItemEvent { at, item: number as u32, taken_by: None });
        }
    }

    fn take(&mut self, place: usize, tick: u32, recording: &mut Recording) {
        let tank = &mut self.tanks[place];
        let reach_px = 2.0 * self.level.file().body.radius_px;
        let near = |it: &(usize, &mut Lying)| {
            it.1.back_tick == 0 && it.1.at.distance(tank.body.position) < reach_px
        };
        if tank.health >= MOST {
            return;
        }
        if let Some((number, item)) = self.items.iter_mut().enumerate().find(near) {
            tank.health = (tank.health + item.worth).min(MOST);
            (item.back_tick, tank.until_tick) = (tick + BACK_TICKS, tick + 1);
            let at = SimTime::from_tick(i64::from(tick), TICKS_PER_S);
            let taken_by = Some(i32::from(tank.body.id.0));
            recording.item_events.push(ItemEvent { at, item: number as u32, taken_by });
        }
    }

    fn decide(&mut self, place: usize, tick: u32) {
        let held_s = self.dice.between(HELD_S[0], HELD_S[1]);
        let drawn = self.dice.chance(DRAWN).then(|| self.strongest(place)).flatten();
        let goal = drawn.unwrap_or_else(|| self.anywhere());
        let tank = &mut self.tanks[place];
        (tank.goal, tank.until_tick) = (goal, tick + (held_s * f64::from(TICKS_PER_S)) as u32);
    }

    /// Where LI's force is strongest.
    fn strongest(&self, place: usize) -> Option<DVec3> {
        let own = &self.tanks[place];
        let there = self.items.iter().filter(|it| it.back_tick == 0);
        let items = there.map(|it| (it.at, it.worth.min(MOST - own.health)));
        let others = self.tanks.iter().filter(|it| it.body.id != own.body.id);
        let others = others.map(|it| (it.body.position, own.health - it.health));
        let force = |(at, interest): &(DVec3, f64)| {
            interest / at.distance_squared(own.body.position).max(1.0)
        };
        let drawn = items.chain(others).filter(|(_, interest)| *interest > 0.0);
        drawn.max_by(|a, b| force(a).total_cmp(&force(b))).map(|(at, _)| at)
    }
}

impl Tank {
    fn track(&self) -> Track {
        let id = self.body.id.0.into();
        Track::new(id, id, &VELOCITY_COLUMNS)
    }

    fn write_down(&self, at: SimTime, track: &mut Track) {
        let sample = Sample {
            at,
            position: self.body.position,
            health: Some(self.health as f32),
            alive: true,
            ..Sample::default()
        };
        track.push(sample, &self.body.velocity.as_vec3().to_array());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_tanks_fetch_what_they_need_and_take_nothing_that_is_gone() {
        let session = session(6, 60, 1).unwrap();
        let takes = session.item_events.iter().filter(|it| it.taken_by.is_some()).count();
        assert!(takes > 10, "{takes}");
        let mut there = vec![true; session.level.items.len()];
        for event in &session.item_events {
            let there = &mut there[event.item as usize];
            assert_eq!(*there, event.taken_by.is_some(), "{event:?}");
            *there = event.taken_by.is_none();
        }
        let health = session.tracks.iter().flat_map(|it| &it.samples).filter_map(|it| it.health);
        assert!(health.clone().all(|it| (10.0..=100.0).contains(&it)));
    }
}
