//! A driver that plays over the network: its knowledge, its decisions, its own vehicle.
//!
//! A [`RemoteDriver`] has no I/O. It is given what a client receives (messages, entities in sight,
//! their properties, corrections), lets a bot decide on that alone or somebody else, and moves its
//! own vehicle by the rules of the level, as the client of a person does.

use std::collections::BTreeMap;
use std::sync::Arc;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, Session};

use super::body::{Body, BodyId, DriverInput};
use super::bots::HillsBots;
use super::craft::Craft;
use super::drive::drive;
use super::level::HillsLevel;
use super::motion::lasting_acceleration;
use super::protocol::{HillsCommand, HillsTruthBody};
use super::world::HillsWorld;
use crate::protocol::{Picture, PlayerState, Properties, ServerMessage, Tag};

/// What a program that drives over the network knows.
#[derive(Debug)]
pub struct RemoteDriver {
    level: Arc<HillsLevel>,
    world: HillsWorld,
    bots: HillsBots,
    tick: u64,
    /// Entity and body of its own.
    me: Option<(u32, BodyId)>,
    /// Its own vehicle, once it was put somewhere.
    body: Option<Body>,
    /// Its velocity a step ago.
    before: DVec3,
    own: PlayerState,
    others: BTreeMap<u32, Other>,
    fired_tick: u64,
}

/// One vehicle of others.
#[derive(Clone, Debug)]
struct Other {
    id: BodyId,
    craft: Option<Craft>,
    state: PlayerState,
}

impl RemoteDriver {
    /// Knows the level and nothing else. The seed decides the driver's character.
    #[must_use]
    pub fn new(level: impl Into<Arc<HillsLevel>>, seed: u64) -> Self {
        let level = level.into();
        Self {
            world: HillsWorld::new(Arc::clone(&level), seed),
            bots: HillsBots::new(seed),
            level,
            tick: 0,
            me: None,
            body: None,
            before: DVec3::ZERO,
            own: PlayerState::default(),
            others: BTreeMap::new(),
            fired_tick: 0,
        }
    }

    /// Handles a message from the server.
    pub const fn handle_message(&mut self, message: &ServerMessage) {
        if let ServerMessage::You { player, entity } = *message {
            self.me = Some((entity, BodyId(player)));
        }
    }

    /// An entity came into sight.
    pub fn handle_entered(&mut self, entity: u32, tag: &[u8]) {
        if let Ok(tag) = Tag::decode(tag) {
            let other =
                Other { id: BodyId(tag.player), craft: None, state: PlayerState::default() };
            self.others.insert(entity, other);
        }
    }

    /// An entity is out of sight.
    pub fn handle_exited(&mut self, entity: u32) {
        self.others.remove(&entity);
    }

    /// The server put its own vehicle somewhere.
    pub fn handle_corrected(&mut self, state: &Kinematics) {
        let id = self.me.map_or(BodyId(u16::MAX), |me| me.1);
        let aim = self.body.as_ref().map(|it| it.aim).unwrap_or_default();
        let mut body = Body::standing(id, Craft::Tank, self.own.team, state.position);
        (body.velocity, body.orientation) = (state.velocity, state.orientation.normalize());
        (body.angular_velocity, body.aim) = (state.angular_velocity, aim);
        (self.before, self.body) = (state.velocity, Some(body));
    }

    /// The connection was lost: what was in sight is not any more.
    pub fn handle_lost(&mut self) {
        self.others.clear();
        (self.body, self.own) = (None, PlayerState::default());
    }

    /// Takes over how everyone is, as far as the session was told.
    pub fn look(&mut self, session: &Session) {
        let Some(properties) = Properties::declared(session.kinds()) else { return };
        let craft = |entity| {
            let name = session.kinds().name(session.kind(EntityId(entity))?)?;
            Craft::of_kind(name)
        };
        if let Some((entity, id)) = self.me {
            self.own = properties.state(session, EntityId(entity));
            if let Some(body) = &mut self.body {
                (body.id, body.team) = (id, self.own.team);
                body.craft = craft(entity).unwrap_or(body.craft);
                (body.health, body.is_alive) = (self.own.health.into(), self.own.is_alive);
            }
        }
        for (entity, other) in &mut self.others {
            other.craft = craft(*entity);
            other.state = properties.state(session, EntityId(*entity));
        }
    }

    /// The entity of its own.
    #[must_use]
    pub fn entity(&self) -> Option<u32> {
        self.me.map(|me| me.0)
    }

    /// Whether its driver lives.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        self.own.is_alive
    }

    /// Times its driver came to life, modulo 2^16, as far as it was told.
    #[must_use]
    pub const fn lives(&self) -> u16 {
        self.own.lives
    }

    /// Its own vehicle.
    #[must_use]
    pub const fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }

    /// Its own vehicle in the engine's terms.
    #[must_use]
    pub fn kinematics(&self, now: SimTime) -> Option<Kinematics> {
        let body = self.body.as_ref()?;
        let acceleration = lasting_acceleration(body.craft, self.before, body.velocity);
        Some(Kinematics { acceleration, ..body.kinematics(now) })
    }

    /// Its own vehicle as it truly is, for the demonstration.
    #[must_use]
    pub fn truth(&self) -> Option<HillsTruthBody> {
        let (entity, body) = (self.entity()?, self.body.as_ref()?);
        Some(HillsTruthBody {
            entity,
            position: body.position,
            velocity: body.velocity,
            orientation: body.orientation,
            aim: body.aim,
        })
    }

    /// Decides what to do in the next step by what is shown of the others. `None` while it has no
    /// vehicle or is dead.
    pub fn decide(&mut self, shown: impl Fn(u32) -> Option<Kinematics>) -> Option<DriverInput> {
        self.tick += 1;
        let own = self.body.as_ref().filter(|it| it.is_alive)?.clone();
        let id = own.id;
        let others = self.others.iter().filter_map(|(entity, other)| {
            let (craft, seen) = (other.craft.filter(|it| it.is_driven())?, shown(*entity)?);
            let mut body = Body::standing(other.id, craft, other.state.team, seen.position);
            (body.velocity, body.orientation) = (seen.velocity, seen.orientation);
            (body.health, body.is_alive) = (other.state.health.into(), other.state.is_alive);
            body.moves_itself = true;
            Some(body)
        });
        self.world.replace_drivers(self.tick, others.chain([own]));
        let inputs = self.bots.decide(&self.world);
        inputs.iter().find(|it| it.0 == id).map(|it| it.1)
    }

    /// One step of its own vehicle.
    pub fn drive(&mut self, input: &DriverInput) {
        if let Some(body) = self.body.as_mut().filter(|it| it.is_alive) {
            self.before = body.velocity;
            drive(body, input, &self.level);
        }
    }

    /// What to tell the server when the trigger is pulled now; `None` while the gun is hot, or
    /// without a common clock.
    pub fn fire(
        &mut self,
        session: &Session,
        now: SimTime,
        input: &DriverInput,
    ) -> Option<HillsCommand> {
        let pause = crate::ticks(self.level.file().gun.pause_s);
        let body = self.body.as_ref().filter(|it| it.is_alive)?;
        let is_hot = self.fired_tick > 0 && self.tick < self.fired_tick + pause;
        if !input.fire || is_hot {
            return None;
        }
        let shown_at = session.host_time(now)?;
        let (from, aim) = body.gun(input.aim);
        self.fired_tick = self.tick;
        let pictures = Picture::along(session, now, from, aim);
        Some(HillsCommand::Fire { shown_at, from, aim, pictures })
    }
}
