//! The hills on a host: drivers, clients, bots, and the decisions of the server.
//!
//! A [`HillsHost`] is a [`HillsWorld`], its [`HillsBots`] and the peers that play in it. It works on a
//! [`Host`] that is passed in, and has no I/O: events and ticks go in, [`ArenaRequest`]s come out for
//! what a host cannot do.
//!
//! ```text
//!   owners' bodies   host -> HillsWorld::place      each step, before it
//!   all others       HillsWorld -> host.observe     after it, joints with them
//!   births           HillsWorld -> host.spawn_kind, host.teleport
//!   Fire             judged by what the shooter saw, turrets included
//!   shells           spawned at the muzzle, despawned where they burst
//! ```
//!
//! A person's client moves its own vehicle and the host's guard judges it; everything else is decided
//! here. Whoever comes back within the host's grace period keeps its vehicle. Names of kinds and
//! joints stand in [`kind_name`].

mod broadcast;
mod clients;
mod config;
mod debug_stream;
mod fire;
mod kinds;
mod publish;

pub use config::{host_config, session_config, zones_m};
pub use kinds::{BARREL, STEERING, TURRET, kind_name, kinds};

use std::collections::BTreeMap;
use std::sync::Arc;

use reckoning::{DVec3, SimTime, Threshold};
use reckoning_net::{EntityId, Host, HostEvent, KindId, PeerId};

use self::fire::FireRequest;
use super::body::{BodyId, DriverInput};
use super::bots::HillsBots;
use super::craft::Craft;
use super::level::HillsLevel;
use super::protocol::{HillsNotice, HillsTruthBody, HillsTuning};
use super::world::HillsWorld;
use crate::host::shared::{self, Outbox};
use crate::host::{ArenaEvent, ArenaHostStats, ArenaRequest, PlayerIdentity};
use crate::protocol::ServerMessage;

/// What is played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HillsHostConfig {
    /// How many bots; every third of them drives a car, the others tanks.
    pub bots: u16,
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// How the server reckons at first.
    pub tuning: HillsTuning,
    /// Whether clients may change how the server reckons and simulate links, see the truth, and
    /// watch without a body. Whoever may does so for or against everyone, so the default is no.
    pub demo: bool,
}

impl Default for HillsHostConfig {
    fn default() -> Self {
        Self { bots: 12, seed: 1, tuning: HillsTuning::default(), demo: false }
    }
}

/// One client of the hills.
type ClientState = shared::ClientState<BodyId, (SimTime, HillsTruthBody)>;

/// One body of the world, whoever moves it.
#[derive(Clone, Debug)]
struct Actor {
    /// None before its first birth.
    entity: Option<EntityId>,
    /// Whose it is; none for what the host moves.
    peer: Option<PeerId>,
    name: String,
    /// Lives and deaths so far.
    segment: u32,
    /// Times it came to life, modulo 2^16.
    lives: u16,
    /// Its velocity a step ago.
    velocity: DVec3,
}

/// The hills on a host.
#[derive(Debug)]
pub struct HillsHost {
    level: Arc<HillsLevel>,
    world: HillsWorld,
    bots: HillsBots,
    actors: BTreeMap<BodyId, Actor>,
    by_entity: BTreeMap<EntityId, BodyId>,
    /// Entities of shells in flight, by the number of the shell.
    shells: BTreeMap<u32, EntityId>,
    clients: BTreeMap<PeerId, ClientState>,
    /// Clients that may reconnect, by the peer id they had.
    absent: BTreeMap<PeerId, ClientState>,
    tuning: HillsTuning,
    demo: bool,
    next_step: Option<SimTime>,
    fire_requests: Vec<FireRequest>,
    lobs: Vec<PeerId>,
    outbox: Outbox,
    /// What was sent to all last.
    points: Option<ServerMessage>,
    stats: ArenaHostStats,
}

impl HillsHost {
    /// The hills with their bots, before the first step.
    #[must_use]
    pub fn new(level: impl Into<Arc<HillsLevel>>, config: &HillsHostConfig) -> Self {
        let level = level.into();
        let mut hills = Self {
            world: HillsWorld::new(Arc::clone(&level), config.seed),
            bots: HillsBots::new(config.seed),
            level,
            actors: BTreeMap::new(),
            by_entity: BTreeMap::new(),
            shells: BTreeMap::new(),
            clients: BTreeMap::new(),
            absent: BTreeMap::new(),
            tuning: config.tuning,
            demo: config.demo,
            next_step: None,
            fire_requests: Vec::new(),
            lobs: Vec::new(),
            outbox: Outbox::default(),
            points: None,
            stats: ArenaHostStats::default(),
        };
        hills.name_scenery();
        (0..config.bots).for_each(|number| hills.add_bot(number));
        hills
    }

    /// Something happened at the host.
    pub fn handle_event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Joined { peer, before } => self.joined(*peer, *before, host),
            HostEvent::Left { peer, .. } => self.left(*peer, host),
            HostEvent::Despawned { entity } => self.despawned(*entity),
            HostEvent::Message { peer, bytes } | HostEvent::Command { peer, bytes } => {
                self.heard(now, *peer, bytes, host);
            }
            HostEvent::Judged { verdict, .. } => self.stats.note_verdict(verdict),
            _ => {}
        }
    }

    /// Makes the steps that are due by `now`.
    pub fn tick(&mut self, now: SimTime, host: &mut Host) {
        for at in shared::due_steps(&mut self.next_step, now) {
            self.step(at, host);
        }
    }

    fn step(&mut self, at: SimTime, host: &mut Host) {
        self.stats.steps += 1;
        self.spawn_scenery(at, host);
        self.place_owners(at, host);
        self.fire_requested(at, host);
        self.lob_requested();
        let inputs: Vec<(BodyId, DriverInput)> = self.bots.decide(&self.world).to_vec();
        self.world.step(&inputs);
        self.send_events(at, host);
        self.show_bodies(at, host);
        self.show_shells(at, host);
        self.send_changes(host);
        self.send_debug_stream(at, host);
    }

    /// Applies these settings from now on, and sends them to all clients.
    pub fn set_tuning(&mut self, now: SimTime, tuning: HillsTuning, host: &mut Host) {
        self.tuning = tuning;
        self.apply_tuning(now, host);
        self.broadcast_notice(host, &HillsNotice::Tuning(tuning));
    }

    /// Makes the host reckon as chosen; a shell calls it once before the first tick.
    pub fn apply_tuning(&self, now: SimTime, host: &mut Host) {
        for (entity, id) in &self.by_entity {
            if let Some(body) = self.world.body(*id) {
                host.set_kind(now, *entity, self.kind(body.craft, host));
            }
        }
        // The tuning is within limits that the host takes.
        if let Ok(threshold) = Threshold::metres(f64::from(self.tuning.threshold_m)) {
            let _ = host.set_threshold(threshold);
        }
    }

    /// The kind of bodies of a sort, as the server reckons now.
    fn kind(&self, craft: Craft, host: &Host) -> KindId {
        host.config().kinds.named(&kind_name(craft, &self.tuning)).unwrap_or(KindId::NONE)
    }

    /// What the shell should do; poll until `None` after every tick.
    pub fn poll_request(&mut self) -> Option<ArenaRequest> {
        self.outbox.poll_request()
    }

    /// What happened, for a recording; poll until `None` after every tick.
    pub fn poll_event(&mut self) -> Option<ArenaEvent> {
        self.outbox.poll_event()
    }

    /// What a recording should know of an entity.
    #[must_use]
    pub fn identity(&self, entity: EntityId) -> Option<PlayerIdentity<'_>> {
        if self.shells.values().any(|it| *it == entity) {
            let (team, name) = (PlayerIdentity::NEUTRAL, Craft::Shell.name());
            return Some(PlayerIdentity {
                team,
                name,
                segment: 1,
                alive: true,
                health: 0.0,
                ammo: 0,
            });
        }
        let id = self.by_entity.get(&entity)?;
        let (actor, body) = (self.actors.get(id)?, self.world.body(*id)?);
        let fights = body.craft.is_driven();
        let team = if fights { body.team.into() } else { PlayerIdentity::NEUTRAL };
        let name = actor.name.as_str();
        let (segment, alive, health) = (actor.segment, body.is_alive, body.health as f32);
        Some(PlayerIdentity { team, name, segment, alive, health, ammo: 0 })
    }

    /// The game as it stands.
    #[must_use]
    pub const fn world(&self) -> &HillsWorld {
        &self.world
    }

    /// The body of a peer, if it has one.
    #[must_use]
    pub fn body_of(&self, peer: PeerId) -> Option<BodyId> {
        self.clients.get(&peer)?.player
    }

    /// The entity of a body, once it was born.
    #[must_use]
    pub fn entity_of(&self, body: BodyId) -> Option<EntityId> {
        self.actors.get(&body)?.entity
    }

    /// The entity of a shell in flight, by the shell's number.
    #[must_use]
    pub fn shell_entity(&self, number: u32) -> Option<EntityId> {
        self.shells.get(&number).copied()
    }

    /// How the server reckons.
    #[must_use]
    pub const fn tuning(&self) -> HillsTuning {
        self.tuning
    }

    /// What was counted.
    #[must_use]
    pub const fn stats(&self) -> ArenaHostStats {
        self.stats
    }
}
