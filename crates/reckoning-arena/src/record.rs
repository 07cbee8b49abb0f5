//! Whole matches as values: every player, input and event of every tick.
//!
//! A [`Match`] is an iterator. Each step lets the bots decide, makes one step of the world
//! and hands out a [`MatchFrame`]; whoever wants a recording keeps the frames it needs. Equal
//! configurations give equal frames, bit for bit.

use std::sync::Arc;

use reckoning::SimTime;

use crate::TICKS_PER_S;
use crate::bots::{Bots, Style};
use crate::level::Level;
use crate::world::{Event, Input, Mode, Player, PlayerId, World};

/// What to play. The default is a session like the third of SHI: 15 players, 28 minutes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MatchConfig {
    /// How many bots.
    pub bots: u16,
    /// How long.
    pub seconds: u32,
    /// The sides of the match.
    pub mode: Mode,
    /// Decides everything that is left to chance, the bots' characters included.
    pub seed: u64,
    /// Characters for the first bots; the others are drawn from the seed.
    pub styles: Vec<Style>,
}

impl Default for MatchConfig {
    fn default() -> Self {
        Self { bots: 15, seconds: 28 * 60, mode: Mode::TwoTeams, seed: 1, styles: Vec::new() }
    }
}

/// One tick of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchFrame {
    /// Its number, from 1.
    pub tick: u64,
    /// Its moment.
    pub at: SimTime,
    /// What everyone did.
    pub inputs: Vec<(PlayerId, Input)>,
    /// What became of it: everyone, by id.
    pub players: Vec<Player>,
    /// Per item of the level, whether it lies there.
    pub items: Vec<bool>,
    /// What happened.
    pub events: Vec<Event>,
}

/// Bots playing for a given time.
#[derive(Clone, Debug)]
pub struct Match {
    world: World,
    bots: Bots,
    last_tick: u64,
}

impl Match {
    /// Everyone has joined; nobody is born yet.
    #[must_use]
    pub fn start(level: impl Into<Arc<Level>>, config: &MatchConfig) -> Self {
        let mut world = World::new(level, config.mode, config.seed);
        let mut bots = Bots::new(config.seed);
        for number in 0..config.bots {
            let id = world.join();
            match config.styles.get(usize::from(number)) {
                Some(style) => bots.add_with_style(id, *style),
                None => bots.add(id),
            }
        }
        let last_tick = u64::from(config.seconds) * u64::from(TICKS_PER_S);
        Self { world, bots, last_tick }
    }

    /// The game as it stands.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The players.
    #[must_use]
    pub fn bots(&self) -> &Bots {
        &self.bots
    }

    /// One tick, without the copy that [`Iterator::next`] makes.
    pub fn step(&mut self) -> &World {
        let inputs = self.bots.decide(&self.world);
        self.world.step(inputs);
        &self.world
    }
}

impl Iterator for Match {
    type Item = MatchFrame;

    fn next(&mut self) -> Option<MatchFrame> {
        if self.world.tick() >= self.last_tick {
            return None;
        }
        self.step();
        Some(MatchFrame {
            tick: self.world.tick(),
            at: self.world.now(),
            inputs: self.bots.inputs().to_vec(),
            players: self.world.players().to_vec(),
            items: self.world.items().collect(),
            events: self.world.events().to_vec(),
        })
    }
}

/// Folds a tick's players into a running hash, bit for bit (FNV-1a). Start with 0.
#[must_use]
pub fn digest(hash: u64, players: &[Player]) -> u64 {
    players.iter().fold(hash, |hash, it| {
        let numbers = [it.position, it.velocity, it.aim, it.heading]
            .into_iter()
            .flat_map(|v| [v.x.to_bits(), v.y.to_bits()]);
        let state = [it.health.to_bits(), it.ammo.into(), it.is_alive.into(), it.id.0.into()];
        numbers.chain(state).fold(hash, |hash, bits| (hash ^ bits).wrapping_mul(0x100_0000_01B3))
    })
}
