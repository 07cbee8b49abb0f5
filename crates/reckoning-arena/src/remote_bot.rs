//! A bot that plays over the network: its knowledge, its decisions, its own body.
//!
//! A [`RemoteBot`] has no I/O. It is given what a client receives ([`ServerMessage`], entities in
//! sight, corrections), lets a bot decide on that alone, and moves its own body by the rules of
//! the level, as the client of a person would.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reckoning::{DVec3, Kinematics, SimTime};

use crate::bots::Bots;
use crate::level::Level;
use crate::protocol::{ServerMessage, Tag};
use crate::world::{Input, Mode, Player, PlayerId, Team, World};

/// What a program that plays over the network knows.
#[derive(Debug)]
pub struct RemoteBot {
    level: Arc<Level>,
    world: World,
    bots: Bots,
    tick: u64,
    /// Entity and player of its own.
    me: Option<(u32, PlayerId)>,
    team: Team,
    /// Its own body, once it was put somewhere.
    body: Option<Player>,
    /// Health, shots left, whether it lives.
    status: (f64, u32, bool),
    others: BTreeMap<u32, (PlayerId, Team)>,
    living: BTreeSet<u16>,
    items: u64,
}

impl RemoteBot {
    /// Knows the level and nothing else. The seed decides the bot's character.
    #[must_use]
    pub fn new(level: impl Into<Arc<Level>>, seed: u64) -> Self {
        let level = level.into();
        Self {
            world: World::new(level.clone(), Mode::TwoTeams, seed),
            bots: Bots::new(seed),
            level,
            tick: 0,
            me: None,
            team: Team(0),
            body: None,
            status: (0.0, 0, false),
            others: BTreeMap::new(),
            living: BTreeSet::new(),
            items: u64::MAX,
        }
    }

    /// Handles a message from the server.
    pub fn handle_message(&mut self, message: &ServerMessage) {
        match *message {
            ServerMessage::Side { team, .. } => self.team = Team(team.into()),
            ServerMessage::You { player, entity } => {
                let id = PlayerId(player);
                if self.me.is_none_or(|me| me.1 != id) {
                    // Whoever it was before plays no more.
                    self.bots.clear();
                    self.bots.add(id);
                }
                self.me = Some((entity, id));
            }
            ServerMessage::Status { health, ammo, alive, .. } => {
                self.status = (health.into(), ammo.into(), alive);
            }
            ServerMessage::Born { player, .. } => {
                self.living.insert(player);
            }
            ServerMessage::Died { player, .. } => {
                self.living.remove(&player);
            }
            ServerMessage::RoundOver { .. } => self.living.clear(),
            ServerMessage::Items { bits } => self.items = bits,
            _ => {}
        }
    }

    /// An entity came into sight.
    pub fn handle_entered(&mut self, entity: u32, tag: &[u8]) {
        if let Ok(tag) = Tag::decode(tag) {
            self.others.insert(entity, (PlayerId(tag.player), Team(tag.team.into())));
        }
    }

    /// An entity is out of sight.
    pub fn handle_exited(&mut self, entity: u32) {
        self.others.remove(&entity);
    }

    /// The server put its own body somewhere.
    pub fn handle_corrected(&mut self, state: &Kinematics) {
        let facing = state.orientation * DVec3::X;
        let id = self.me.map_or(PlayerId(u16::MAX), |me| me.1);
        let mut body = Player::standing(id, self.team, state.position, facing);
        body.velocity = state.velocity;
        self.body = Some(body);
    }

    /// The connection was lost: what was in sight is not any more.
    pub fn handle_lost(&mut self) {
        self.others.clear();
        self.living.clear();
        self.body = None;
    }

    /// The entity of its own.
    #[must_use]
    pub fn entity(&self) -> Option<u32> {
        self.me.map(|me| me.0)
    }

    /// Whether its player lives.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        self.status.2
    }

    /// Its own body.
    #[must_use]
    pub const fn body(&self) -> Option<&Player> {
        self.body.as_ref()
    }

    /// Its own body in the engine's terms.
    #[must_use]
    pub fn kinematics(&self, now: SimTime) -> Option<Kinematics> {
        Some(self.body?.kinematics(now, self.level.file().body.kind))
    }

    /// One step: decides by what is shown of the others, place and velocity by entity, and moves
    /// its own body. `None` while it has none or is dead.
    pub fn step(&mut self, shown: impl Fn(u32) -> Option<(DVec3, DVec3)>) -> Option<Input> {
        self.tick += 1;
        let (_, id) = self.me?;
        let (health, ammo, is_alive) = self.status;
        let body = self.body.as_mut()?;
        (body.id, body.team, body.health, body.ammo) = (id, self.team, health, ammo);
        body.is_alive = is_alive;
        let living = &self.living;
        let others = self.others.iter().filter_map(|(entity, (id, team))| {
            let (at, velocity) = shown(*entity)?;
            let mut other = Player::standing(*id, *team, at, velocity);
            other.velocity = velocity;
            other.is_alive = living.contains(&id.0);
            Some(other)
        });
        self.world.replace_state(self.tick, others.chain([*body]), self.items);
        let inputs = self.bots.decide(&self.world);
        let input = inputs.iter().find(|it| it.0 == id).map(|it| it.1)?;
        if !is_alive {
            return None;
        }
        body.advance(&input, &self.level);
        Some(input)
    }
}
