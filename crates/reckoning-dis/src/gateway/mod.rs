//! Gateway: who is in an exercise, who of ours is due in it; without I/O and without a clock.
//!
//! ```text
//!   handle_datagram --> entities of others --> poll_event, entities   (put onto the server)
//!   publish         --> bodies of ours     --> poll_datagram          (put into the exercise)
//! ```
//!
//! Entities are numbered `site:application:entity`, bodies by whatever number their server gives them.
//! Everything on our side is in the local frame of [`GatewayConfig::frame`].
//!
//! Users may rely on these properties:
//! - an entity that is silent for the time-out, or says that it is deactivated, is gone, and told of once;
//! - PDUs that are older than what is known of an entity change nothing, whatever the hour;
//! - what a gateway to the same server put into the exercise is told of by nobody else;
//! - whatever comes in, there are no more than `max_entities` entities, and no more events wait than twice that.

mod body;
mod clock;
mod config;
mod entity;
mod mark;
mod stats;

pub use body::BodyState;
pub use config::{GatewayConfig, GatewayError};
pub use entity::{Entity, JointAngle};
pub use stats::GatewayStats;

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use reckoning::SimTime;

use crate::wire::{
    Detonation, EntityId, EntityState, EntityUpdate, Fire, Header, Pdu, PduBody, Request,
    Timestamp, pdus,
};
use body::Published;
use clock::SenderClock;
use entity::{motion, parameter};
use mark::Mark;

/// Something that happened in the exercise.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GatewayEvent {
    /// An entity is there: see [`Gateway::entity`].
    Entered(EntityId),
    /// Its kind, its side, its marking or its appearance is another.
    Changed(EntityId),
    /// It is gone.
    Left(EntityId, Departure),
    /// Somebody fired.
    Fired(Box<Fire>),
    /// Something detonated.
    Detonated(Box<Detonation>),
    /// An entity, or with 0xffff everything, is to begin or go on.
    Started(EntityId),
    /// An entity, or with 0xffff everything, is to stop.
    Stopped(EntityId),
}

/// Why an entity is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It said so, or was removed.
    Removed,
    /// It was silent for too long.
    Silent,
}

/// Clocks of senders that are remembered; of more, the first are forgotten.
const MAX_SENDERS: usize = 1_024;
/// Events that wait beside those of entities.
const MAX_EVENTS: usize = 20_000;
/// An entity whose stamps are so much older than what is known of it has a clock that was set back.
const CLOCK_SET_BACK_S: f64 = 5.0;
/// Bit 23 of the appearance: no longer part of the exercise.
const DEACTIVATED: u32 = 1 << 23;
/// Everybody, in a request.
const ALL: u16 = 0xffff;

/// The state of a gateway between an exercise and a server.
#[derive(Debug)]
pub struct Gateway {
    config: GatewayConfig,
    /// The server's number, once it is known: see [`Gateway::set_server`].
    server: Option<u64>,
    entities: BTreeMap<EntityId, Entity>,
    clocks: BTreeMap<(u16, u16), SenderClock>,
    /// Bodies that other gateways put into the exercise, and when they were heard of.
    taken: BTreeMap<u32, (EntityId, SimTime)>,
    bodies: BTreeMap<u32, Published>,
    numbers: BTreeSet<u16>,
    next_number: u16,
    events: VecDeque<GatewayEvent>,
    outbox: VecDeque<Vec<u8>>,
    stats: GatewayStats,
}

impl Gateway {
    /// A gateway that has heard nothing yet.
    ///
    /// # Errors
    /// Names the first setting that is out of its range.
    pub fn new(config: GatewayConfig) -> Result<Self, GatewayError> {
        config.validate()?;
        Ok(Self {
            config,
            server: None,
            entities: BTreeMap::new(),
            clocks: BTreeMap::new(),
            taken: BTreeMap::new(),
            bodies: BTreeMap::new(),
            numbers: BTreeSet::new(),
            next_number: 1,
            events: VecDeque::new(),
            outbox: VecDeque::new(),
            stats: GatewayStats::default(),
        })
    }

    /// Says which server the bodies are of, by a number that others have not; entities that we put
    /// into the exercise from then on carry it, and those of other gateways with it are passed over.
    pub fn set_server(&mut self, number: u64) {
        self.server = Some(number);
        let is_echo =
            |entity: &Entity| Mark::of(&entity.state).is_some_and(|it| it.server == number);
        let echoes = self.entities.iter().filter(|(_, entity)| is_echo(entity));
        let echoes: Vec<EntityId> = echoes.map(|(id, _)| *id).collect();
        for id in echoes {
            self.remove(id, Departure::Removed);
        }
    }

    /// A datagram of the exercise.
    pub fn handle_datagram(&mut self, now: SimTime, datagram: &[u8]) {
        self.stats.datagrams += 1;
        for read in pdus(datagram) {
            match read {
                Ok(pdu) => self.handle_pdu(now, pdu),
                Err(error) => self.stats.miss(&format!("broken: {}", kind_of(error))),
            }
        }
    }

    fn handle_pdu(&mut self, now: SimTime, pdu: Pdu) {
        self.stats.pdus += 1;
        let Pdu { header, body } = pdu;
        if header.exercise != self.config.exercise {
            self.stats.other_exercises += 1;
            return;
        }
        match body {
            PduBody::EntityState(state) => self.handle_state(now, header.timestamp, state),
            PduBody::EntityUpdate(update) => self.handle_update(now, header.timestamp, update),
            PduBody::Fire(fire) if self.is_ours(fire.firing) => self.stats.own += 1,
            PduBody::Fire(fire) => self.push(GatewayEvent::Fired(Box::new(fire))),
            PduBody::Detonation(it) if self.is_ours(it.firing) => self.stats.own += 1,
            PduBody::Detonation(it) => self.push(GatewayEvent::Detonated(Box::new(it))),
            PduBody::Remove(request) => self.handle_remove(request),
            PduBody::StartResume(it) => self.push(GatewayEvent::Started(it.to)),
            PduBody::StopFreeze(it) => self.push(GatewayEvent::Stopped(it.to)),
            // Entities are there once they tell of their state.
            PduBody::Create(_) => {}
            other @ PduBody::Other { .. } => self.stats.miss(&other.name()),
        }
    }

    /// Only who simulates an entity may remove it.
    fn handle_remove(&mut self, Request { from, to, .. }: Request) {
        let is_theirs = (from.site, from.application) == (to.site, to.application);
        if is_theirs && self.entities.contains_key(&to) {
            self.remove(to, Departure::Removed);
        }
    }

    const fn is_ours(&self, id: EntityId) -> bool {
        id.site == self.config.site && id.application == self.config.application
    }

    fn handle_state(&mut self, now: SimTime, stamp: Timestamp, state: EntityState) {
        let id = state.id;
        if self.is_ours(id) {
            self.stats.own += 1;
            return;
        }
        if self.is_echo(now, &state) {
            return;
        }
        if [0, ALL].contains(&id.entity) {
            self.stats.miss("entity without a number");
            return;
        }
        if state.is_deactivated() {
            return self.remove(id, Departure::Removed);
        }
        if self.is_late(now, stamp, &state) {
            return;
        }
        let Some(entry) = self.config.mapping.entry_of(state.kind) else {
            return self.stats.miss(&format!("entity type {}", state.kind));
        };
        let kind = entry.kind.clone();
        let at = self.seen_at(now, id, stamp);
        let Some((seen, model)) = motion(&state, &self.config.frame, at) else {
            return self.stats.miss("motion that is no number");
        };
        if state.algorithm().is_none() {
            self.stats.miss(&format!("dead-reckoning algorithm {}", state.reckoning.algorithm));
        }
        if !self.entities.contains_key(&id) && self.entities.len() >= self.config.max_entities {
            self.stats.too_many += 1;
            return;
        }
        let joints = self.joints(&state);
        let team = self.config.mapping.team(state.force);
        let pdus = self.entities.get(&id).map_or(0, |known| known.pdus) + 1;
        let entity = Entity { state, seen, model, kind, team, joints, stamp, heard: now, pdus };
        self.put(id, entity);
    }

    /// Whether it is a body of our own server, by another gateway.
    fn is_echo(&mut self, now: SimTime, state: &EntityState) -> bool {
        let mark = Mark::of(state).filter(|mark| Some(mark.server) == self.server);
        let Some(mark) = mark else { return false };
        self.stats.echoes += 1;
        if state.is_deactivated() {
            self.taken.remove(&mark.body);
            return true;
        }
        // Of two that began at once, the lower one goes on.
        let ours = EntityId::new(self.config.site, self.config.application, 0);
        let yields = (state.id.site, state.id.application) < (ours.site, ours.application);
        if !self.bodies.contains_key(&mark.body) || yields {
            self.taken.insert(mark.body, (state.id, now));
            if yields {
                self.withdraw(now, mark.body);
            }
        }
        true
    }

    /// Whether as much or more is known of the entity already.
    fn is_late(&mut self, now: SimTime, stamp: Timestamp, state: &EntityState) -> bool {
        let Some(known) = self.entities.get_mut(&state.id) else { return false };
        let newer_s = stamp.secs_since(known.stamp);
        let is_repeated = newer_s == 0.0 && known.state == *state;
        if !is_repeated && !(-CLOCK_SET_BACK_S..0.0).contains(&newer_s) {
            return false; // equal stamps are those of a sender without a clock
        }
        if is_repeated {
            known.heard = now;
        }
        self.stats.late += 1;
        true
    }

    fn seen_at(&mut self, now: SimTime, id: EntityId, stamp: Timestamp) -> SimTime {
        let ours = self.stamp(now);
        let sender = (id.site, id.application);
        if self.clocks.len() >= MAX_SENDERS && !self.clocks.contains_key(&sender) {
            self.clocks.pop_first();
        }
        self.clocks.entry(sender).or_default().seen_at(now, stamp, ours)
    }

    fn joints(&mut self, state: &EntityState) -> Vec<JointAngle> {
        let Some(entry) = self.config.mapping.entry_of(state.kind) else { return Vec::new() };
        let joints = entry.joint.iter().filter_map(|wanted| {
            let value = |parameter_| parameter(&state.parts, wanted.attached_to, parameter_);
            let sign = wanted.sign();
            Some(JointAngle {
                name: wanted.name.clone(),
                angle_rad: sign * value(wanted.parameter)?,
                rate_radps: sign * value(wanted.rate_parameter()).unwrap_or(0.0),
            })
        });
        let joints: Vec<JointAngle> = joints.collect();
        for part in &state.parts {
            match part {
                crate::wire::PartRecord::Articulated { parameter, .. } => {
                    let is_known = |it: &crate::mapping::JointEntry| {
                        *parameter == it.parameter || *parameter == it.rate_parameter()
                    };
                    if !entry.joint.iter().any(is_known) {
                        self.stats.miss(&format!("articulation parameter {parameter}"));
                    }
                }
                crate::wire::PartRecord::Other { kind, .. } => {
                    self.stats.miss(&format!("part record {kind}"));
                }
            }
        }
        joints
    }

    fn put(&mut self, id: EntityId, entity: Entity) {
        let known = self
            .entities
            .get(&id)
            .map(|it| (it.kind == entity.kind, it.team, it.state.marking, it.state.appearance));
        let is = (true, entity.team, entity.state.marking, entity.state.appearance);
        self.entities.insert(id, entity);
        match known {
            None => self.push(GatewayEvent::Entered(id)),
            Some(known) if known != is => self.push(GatewayEvent::Changed(id)),
            Some(_) => {}
        }
    }

    /// Nothing is known of an entity whose state was never told.
    fn handle_update(&mut self, now: SimTime, stamp: Timestamp, update: EntityUpdate) {
        if self.is_ours(update.id) {
            self.stats.own += 1;
        } else if let Some(known) = self.entities.get(&update.id) {
            let mut state = known.state.clone();
            state.apply(update);
            self.handle_state(now, stamp, state);
        } else {
            self.stats.miss("update of an entity that is not known");
        }
    }

    fn remove(&mut self, id: EntityId, why: Departure) {
        if self.entities.remove(&id).is_some() {
            self.push(GatewayEvent::Left(id, why));
        }
    }

    /// Forgets who is silent for too long.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let patience = self.patience();
        let is_silent = |heard: SimTime| now.saturating_since(heard) > patience;
        let silent = self.entities.iter().filter(|(_, entity)| is_silent(entity.heard));
        let silent: Vec<EntityId> = silent.map(|(id, _)| *id).collect();
        for id in silent {
            self.remove(id, Departure::Silent);
        }
        self.taken.retain(|_, (_, heard)| !is_silent(*heard));
    }

    fn patience(&self) -> Duration {
        self.config.heartbeat.mul_f64(self.config.timeout_heartbeats)
    }

    fn push(&mut self, event: GatewayEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push_back(event);
        } else {
            self.stats.miss("event that nobody took");
        }
    }

    /// The next event; poll until `None`.
    pub fn poll_event(&mut self) -> Option<GatewayEvent> {
        self.events.pop_front()
    }

    /// All entities of others, in order.
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, &Entity)> {
        self.entities.iter().map(|(id, entity)| (*id, entity))
    }

    /// An entity of others.
    #[must_use]
    pub fn entity(&self, id: EntityId) -> Option<&Entity> {
        self.entities.get(&id)
    }

    /// A body of the server as it is now: it is put into the exercise, and told of when the exercise
    /// needs to know. Returns whether it is ours to tell of: not if no entry names its kind, or
    /// another gateway tells of it.
    pub fn publish(&mut self, number: u32, body: &BodyState<'_>) -> bool {
        if self.taken.contains_key(&number) {
            return false;
        }
        let Some(entry) = self.config.mapping.entry_named(body.kind) else {
            self.stats.miss(&format!("kind {:?} of a body", body.kind));
            return false;
        };
        if let Some(published) = self.bodies.get_mut(&number) {
            if !published.observe(body, entry, &self.config) {
                return true;
            }
            let state = published.state.clone();
            self.send(body.truth.at, PduBody::EntityState(state));
            return true;
        }
        let Some(id) = self.free_number() else {
            self.stats.miss("body beyond 65533");
            return false;
        };
        let Some(entry) = self.config.mapping.entry_named(body.kind) else { return false };
        let mark = self.server.map(|server| Mark { server, body: number });
        match Published::start(id, mark, body, entry, &self.config) {
            Ok(published) => {
                let state = published.state.clone();
                self.numbers.insert(id.entity);
                self.bodies.insert(number, published);
                self.send(body.truth.at, PduBody::EntityState(state));
                true
            }
            Err(error) => {
                self.stats.miss(&format!("body: {error}"));
                false
            }
        }
    }

    /// Numbers are used anew as late as possible: who was removed is not to be taken for another.
    fn free_number(&mut self) -> Option<EntityId> {
        for _ in 1..ALL {
            let number = self.next_number;
            self.next_number = if number >= ALL - 1 { 1 } else { number + 1 };
            if !self.numbers.contains(&number) {
                return Some(EntityId::new(self.config.site, self.config.application, number));
            }
        }
        None
    }

    /// A body of the server is gone: its entity is deactivated and removed.
    pub fn withdraw(&mut self, now: SimTime, number: u32) {
        let Some(published) = self.bodies.remove(&number) else { return };
        self.numbers.remove(&published.id.entity);
        let mut state = published.state;
        state.appearance |= DEACTIVATED;
        self.send(now, PduBody::EntityState(state));
        let (from, to) = (EntityId { entity: 0, ..published.id }, published.id);
        self.send(now, PduBody::Remove(Request { from, to, request: u32::from(to.entity) }));
    }

    /// Bodies that are in the exercise.
    pub fn published(&self) -> impl Iterator<Item = (u32, EntityId)> + '_ {
        self.bodies.iter().map(|(number, body)| (*number, body.id))
    }

    fn stamp(&self, now: SimTime) -> Timestamp {
        let zero_s = self.config.utc_past_hour_s;
        Timestamp::new(now.as_secs_f64() + zero_s.unwrap_or(0.0), zero_s.is_some())
    }

    fn send(&mut self, now: SimTime, body: PduBody) {
        let (version, exercise) = (self.config.version, self.config.exercise);
        let header = Header { version, exercise, timestamp: self.stamp(now), status: 0 };
        let mut bytes = Vec::new();
        Pdu { header, body }.encode(&mut bytes);
        self.stats.sent += 1;
        self.stats.sent_bytes += bytes.len() as u64;
        self.outbox.push_back(bytes);
    }

    /// The next datagram for the exercise, one PDU each; poll until `None`.
    pub fn poll_datagram(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop_front()
    }

    /// What was counted.
    #[must_use]
    pub const fn stats(&self) -> &GatewayStats {
        &self.stats
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &GatewayConfig {
        &self.config
    }
}

/// What is wrong, without numbers, so that it can be counted.
const fn kind_of(error: crate::wire::DecodeError) -> &'static str {
    use crate::wire::DecodeError;
    match error {
        DecodeError::NoHeader { .. } => "no header",
        DecodeError::Version { .. } => "protocol version",
        DecodeError::Length { .. } => "length",
        DecodeError::CutOff { .. } => "cut off",
    }
}
