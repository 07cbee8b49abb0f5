//! A bot that plays over the network: its knowledge, its decisions, its own body.
//!
//! A [`RemoteBot`] has no I/O. It is given what a client receives ([`ServerMessage`], entities in
//! sight, their properties, corrections), lets a bot decide on that alone, and moves its own body by the rules of
//! the level, as the client of a person would.

use std::collections::BTreeMap;
use std::sync::Arc;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, Session};

use crate::bots::Bots;
use crate::level::Level;
use crate::protocol::{PlayerState, Properties, ServerMessage, Tag};
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
    /// Its own body, once it was put somewhere.
    body: Option<Player>,
    /// How its own player is.
    own: PlayerState,
    others: BTreeMap<u32, (PlayerId, PlayerState)>,
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
            body: None,
            own: PlayerState::default(),
            others: BTreeMap::new(),
            items: u64::MAX,
        }
    }

    /// Handles a message from the server.
    pub fn handle_message(&mut self, message: &ServerMessage) {
        match *message {
            ServerMessage::You { player, entity } => {
                let id = PlayerId(player);
                if self.me.is_none_or(|me| me.1 != id) {
                    // Whoever it was before plays no more.
                    self.bots.clear();
                    self.bots.add(id);
                }
                self.me = Some((entity, id));
            }
            ServerMessage::Items { bits } => self.items = bits,
            _ => {}
        }
    }

    /// An entity came into sight.
    pub fn handle_entered(&mut self, entity: u32, tag: &[u8]) {
        if let Ok(tag) = Tag::decode(tag) {
            self.others.insert(entity, (PlayerId(tag.player), PlayerState::default()));
        }
    }

    /// An entity is out of sight.
    pub fn handle_exited(&mut self, entity: u32) {
        self.others.remove(&entity);
    }

    /// Takes over how everyone is, as far as the session was told.
    pub fn look(&mut self, session: &Session) {
        let Some(properties) = Properties::declared(session.kinds()) else { return };
        if let Some((entity, _)) = self.me {
            self.own = properties.state(session, EntityId(entity));
        }
        for (entity, (_, state)) in &mut self.others {
            *state = properties.state(session, EntityId(*entity));
        }
    }

    /// The server put its own body somewhere.
    pub fn handle_corrected(&mut self, state: &Kinematics) {
        let facing = state.orientation * DVec3::X;
        let id = self.me.map_or(PlayerId(u16::MAX), |me| me.1);
        let mut body = Player::standing(id, team_of(&self.own), state.position, facing);
        body.velocity = state.velocity;
        self.body = Some(body);
    }

    /// The connection was lost: what was in sight is not any more.
    pub fn handle_lost(&mut self) {
        self.others.clear();
        (self.body, self.own) = (None, PlayerState::default());
    }

    /// The entity of its own.
    #[must_use]
    pub fn entity(&self) -> Option<u32> {
        self.me.map(|me| me.0)
    }

    /// Whether its player lives.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        self.own.is_alive
    }

    /// Times its player came to life, modulo 2^16, as far as it was told.
    #[must_use]
    pub const fn lives(&self) -> u16 {
        self.own.lives
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
        let is_alive = self.own.is_alive;
        let body = self.body.as_mut()?;
        (body.id, body.team) = (id, team_of(&self.own));
        (body.health, body.ammo) = (self.own.health.into(), self.own.ammo.into());
        body.is_alive = is_alive;
        let others = self.others.iter().filter_map(|(entity, (id, state))| {
            let (at, velocity) = shown(state.rides.unwrap_or(*entity))?;
            let mut other = Player::standing(*id, team_of(state), at, velocity);
            (other.velocity, other.health) = (velocity, state.health.into());
            other.is_alive = state.is_alive;
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

fn team_of(state: &PlayerState) -> Team {
    Team(state.team.into())
}
