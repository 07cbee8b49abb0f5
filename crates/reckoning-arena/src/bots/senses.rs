//! Knowledge of a bot: the opponents it has seen, when, and that it was hurt.
//!
//! A bot looks round ten times a second, sees what a player in its place would see, and
//! believes that what it saw goes on for a moment. It notices someone only after its
//! reaction time and forgets in time. Team-mates it always knows, as on a radar.

use reckoning::DVec3;
use reckoning::random::SplitMix64;

use crate::level::place;
use crate::world::{Event, Player, PlayerId, Shooter, World};
use crate::{TICK_S, TICKS_PER_S, ticks};

/// A bot looks round this often.
const LOOK_TICKS: u64 = 6;
/// An opponent not seen for this long is forgotten.
const MEMORY_S: f64 = 6.0;
/// A bot expects a body it lost sight of to go on for this long.
const EXPECT_S: f64 = 0.4;

/// An opponent, as last seen.
#[derive(Clone, Copy, Debug)]
pub struct SeenOpponent {
    pub id: PlayerId,
    position: DVec3,
    velocity: DVec3,
    seen_tick: u64,
    noticed_tick: u64,
    /// In view at the last look, and noticed.
    pub is_noticed: bool,
    /// Nothing solid was between at the last look.
    pub is_open: bool,
}

impl SeenOpponent {
    /// Where the bot thinks it is.
    pub fn believed(&self, tick: u64) -> DVec3 {
        let ago_s = (tick.saturating_sub(self.seen_tick) as f64 * TICK_S).min(EXPECT_S);
        self.position + self.velocity * ago_s
    }

    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }
}

/// What one bot knows.
#[derive(Clone, Debug, Default)]
pub struct Senses {
    pub known: Vec<SeenOpponent>,
    /// The last tick something struck it.
    pub hurt_tick: Option<u64>,
    /// Where that came from.
    pub hurt_from: DVec3,
}

impl Senses {
    /// Feels every tick, looks every few. True when something demands a new decision.
    pub fn update(
        &mut self,
        world: &World,
        me: &Player,
        reaction_s: f64,
        random: &mut SplitMix64,
    ) -> bool {
        let mut alarmed = self.feel(world, me, random);
        if (world.tick() + u64::from(me.id.0)).is_multiple_of(LOOK_TICKS) {
            alarmed |= self.look(world, me, reaction_s);
        }
        alarmed
    }

    fn feel(&mut self, world: &World, me: &Player, random: &mut SplitMix64) -> bool {
        let hit = world.events().iter().find_map(|event| match event {
            Event::Hit { who, by, .. } if *who == me.id => Some(*by),
            _ => None,
        });
        let Some(by) = hit else { return false };
        let from = match by {
            Shooter::Player(id) => world.player(id).map(|it| it.position),
            Shooter::Turret(number) => {
                world.level().file().turrets.get(number).map(|it| place(it.at))
            }
        };
        let fresh = self.hurt_tick.is_none_or(|it| world.tick() > it + u64::from(TICKS_PER_S));
        self.hurt_tick = Some(world.tick());
        let vague = DVec3::new(random.bell(), random.bell(), 0.0) * 40.0;
        self.hurt_from = from.unwrap_or(me.position) + vague;
        fresh
    }

    fn look(&mut self, world: &World, me: &Player, reaction_s: f64) -> bool {
        let (tick, before) = (world.tick(), self.noticed().count());
        for other in world.players().iter().filter(|it| it.team != me.team) {
            let shown = other.is_alive && world.level().shows(me.position, other.position);
            self.note(world, me, other, shown, reaction_s);
        }
        self.known.retain(|it| {
            let lives = world.player(it.id).is_some_and(|other| other.is_alive);
            tick < it.seen_tick + ticks(MEMORY_S) && (lives || !it.is_noticed)
        });
        before == 0 && self.noticed().count() > 0
    }

    fn note(&mut self, world: &World, me: &Player, other: &Player, shown: bool, reaction_s: f64) {
        let tick = world.tick();
        let Some(place) = self.known.iter().position(|it| it.id == other.id) else {
            if shown {
                self.known.push(SeenOpponent {
                    id: other.id,
                    position: other.position,
                    velocity: other.velocity,
                    seen_tick: tick,
                    noticed_tick: tick + ticks(reaction_s),
                    is_noticed: false,
                    is_open: false,
                });
            }
            return;
        };
        let sighting = &mut self.known[place];
        if shown {
            (sighting.position, sighting.velocity) = (other.position, other.velocity);
            sighting.seen_tick = tick;
        } else if sighting.is_noticed {
            sighting.noticed_tick = tick + ticks(reaction_s); // when it shows up again
        }
        sighting.is_noticed = shown && tick >= sighting.noticed_tick;
        sighting.is_open =
            sighting.is_noticed && world.level().walls().sees(me.position, other.position);
    }

    /// Those in view.
    pub fn noticed(&self) -> impl Iterator<Item = &SeenOpponent> {
        self.known.iter().filter(|it| it.is_noticed)
    }

    pub fn of(&self, id: PlayerId) -> Option<&SeenOpponent> {
        self.known.iter().find(|it| it.id == id)
    }

    /// The nearest opponent in view that a shot could reach, if any.
    pub fn nearest_open(&self, from: DVec3, tick: u64) -> Option<&SeenOpponent> {
        self.noticed().filter(|it| it.is_open).min_by(|a, b| {
            let far = |it: &SeenOpponent| it.believed(tick).distance_squared(from);
            far(a).total_cmp(&far(b))
        })
    }

    /// Whether something struck it within the last `span_s`.
    pub fn was_hurt_within(&self, span_s: f64, tick: u64) -> bool {
        self.hurt_tick.is_some_and(|it| tick < it + ticks(span_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::world::{Input, Mode};

    #[test]
    fn nobody_notices_before_the_reaction_time() {
        let mut world = World::new(Level::built_in("tank-field").unwrap(), Mode::TwoTeams, 1);
        let (one, _) = (world.join(), world.join());
        let (mut senses, mut random) = (Senses::default(), SplitMix64::new(1));
        let mut noticed = None;
        for _ in 0..60 {
            world.step(&[]);
            let me = *world.player(one).unwrap();
            if senses.update(&world, &me, 0.3, &mut random) {
                noticed = noticed.or(Some(world.tick()));
            }
        }
        // Seen with the first look, in tick 6; noticed with the first look 18 ticks later.
        assert_eq!(noticed, Some(24));
    }

    #[test]
    fn the_dead_and_the_long_unseen_are_forgotten() {
        let mut world = World::new(Level::built_in("corridors").unwrap(), Mode::TwoTeams, 1);
        let (one, other) = (world.join(), world.join());
        world.step(&[]);
        let mut me = *world.player(one).unwrap();
        me.position = world.player(other).unwrap().position; // face to face
        let (mut senses, mut random) = (Senses::default(), SplitMix64::new(1));
        let mut look = |world: &mut World, me: &Player, count: u32| {
            for _ in 0..count {
                world.step(&[(other, Input::default())]);
                senses.update(world, me, 0.2, &mut random);
            }
            senses.known.len()
        };
        assert_eq!(look(&mut world, &me, 30), 1);
        me.position = world.player(one).unwrap().position; // walls between
        assert_eq!(look(&mut world, &me, 300), 1);
        assert_eq!(look(&mut world, &me, 90), 0);
    }
}
