//! A host that moves the bodies of a recording, and a session that watches them over lossy links.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{
    ConfigError, Ghost, GhostConfig, Kinematics, Model, Publisher, PublisherConfig, Quantiser,
    SimTime, Threshold, Update,
};
use reckoning_net::wire::{EntityId, Format, Registry};
use reckoning_net::{
    Host, HostConfig, HostEvent, Owner, PeerId, Session, SessionConfig, Viewpoint,
};
use reckoning_netsim::{Link, LinkConfig};

use super::{LossError, Repair};
use crate::compare::Prepared;
use crate::frontier::{Look, ShownTally, lives};

const WATCHER: PeerId = PeerId(1);
/// Clocks and delays are known before the first body is there.
const SETTLES: Duration = Duration::from_secs(8);
const SETTLING_STEP: Duration = Duration::from_micros(16_667);
/// Who was just born is not judged: nobody can know of it before its entry arrives.
const BORN: Duration = Duration::from_secs(2);
/// Of UDP and IP.
const HEADERS: u32 = 28;
/// Steps of the grid per body width: of position, and of velocity per second.
const POSITION_STEPS: f64 = 32.0;
const VELOCITY_STEPS: f64 = 4.0;

/// One session of a source, as it is played.
pub(super) struct Play<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) flat: bool,
    /// The error that an update is due at, in body widths.
    pub(super) bound_widths: f64,
    pub(super) repair: Repair,
    pub(super) link: LinkConfig,
}

/// What it cost and showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Played {
    pub(super) shown: ShownTally,
    pub(super) updates: u64,
    pub(super) bytes: u64,
    pub(super) body_seconds: f64,
}

impl Played {
    pub(super) fn merge(&mut self, other: &Self) {
        self.shown.merge(&other.shown);
        self.updates += other.updates;
        self.bytes += other.bytes;
        self.body_seconds += other.body_seconds;
    }

    pub(super) fn updates_per_s(&self) -> f64 {
        self.updates as f64 / self.body_seconds
    }

    pub(super) fn bytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.body_seconds
    }
}

/// One life of a body, and what was seen of it.
struct Life {
    states: Vec<Kinematics>,
    looks: Vec<Look>,
}

impl Life {
    /// Where it is at a frame, if it lives then.
    fn truth_at(&self, at: SimTime) -> Option<&Kinematics> {
        let place = self.states.binary_search_by_key(&at, |state| state.at).ok()?;
        self.states.get(place)
    }

    fn is_over(&self, at: SimTime) -> bool {
        self.states.last().is_none_or(|last| last.at < at)
    }

    fn begins(&self) -> SimTime {
        self.states.first().map_or(SimTime::MAX, |first| first.at)
    }

    fn look(&mut self, at: SimTime, shown: reckoning::DVec3) {
        if at.saturating_since(self.begins()) < BORN {
            return;
        }
        if let Some(truth) = self.truth_at(at).map(|truth| truth.position) {
            self.looks.push(Look { at, shown, truth });
        }
    }
}

impl Play<'_> {
    pub(super) fn run(&self) -> Result<Played, LossError> {
        let lives = self.lives();
        let (lives, updates, bytes) = match self.repair {
            Repair::None => self.published(lives)?,
            Repair::Resent | Repair::Held => self.hosted(lives)?,
        };
        let mut played = Played { updates, bytes, ..Played::default() };
        for life in &lives {
            played.shown.add_life(&life.looks, self.prepared.body_width);
            let ends = life.states.last().map_or(SimTime::ZERO, |last| last.at);
            played.body_seconds += ends.secs_since(life.begins());
        }
        Ok(played)
    }

    /// The lives that are long enough to be judged, moved to after the links have settled.
    fn lives(&self) -> Vec<Life> {
        let mut found = Vec::new();
        for course in &self.prepared.courses {
            for places in lives(course) {
                let state = |place: &usize| {
                    let seen = &course.states[*place].kinematics;
                    Kinematics {
                        acceleration: reckoning::DVec3::ZERO,
                        ..Kinematics::moving(self.shifted(seen.at), seen.position, seen.velocity)
                    }
                };
                let life = Life { states: places.iter().map(state).collect(), looks: Vec::new() };
                if life.states.last().is_some_and(|it| it.at.saturating_since(life.begins()) > BORN)
                {
                    found.push(life);
                }
            }
        }
        found
    }

    fn shifted(&self, at: SimTime) -> SimTime {
        let first = self.prepared.frames.first().copied().unwrap_or(SimTime::ZERO);
        SimTime::ZERO + SETTLES + at.saturating_since(first)
    }

    fn frames(&self) -> impl Iterator<Item = SimTime> + '_ {
        self.prepared.frames.iter().map(|at| self.shifted(*at))
    }

    fn format(&self) -> Result<Format, LossError> {
        let width = self.prepared.body_width;
        let steps = Quantiser {
            position_m: width / POSITION_STEPS,
            velocity_mps: width / VELOCITY_STEPS,
            acceleration_mps2: width,
            angular_velocity_radps: 1.0 / 64.0,
            orientation: 1.0 / 256.0,
        };
        Ok(Format::new(self.flat, 1_000, steps, &[Model::Linear], Registry::default())?)
    }

    fn threshold(&self) -> Result<Threshold, LossError> {
        let metres = self.bound_widths * self.prepared.body_width;
        Ok(Threshold::metres(metres).map_err(ConfigError::from)?)
    }

    /// Through a host and a session, and what the host sent.
    fn hosted(&self, mut lives: Vec<Life>) -> Result<(Vec<Life>, u64, u64), LossError> {
        let mut config = HostConfig::new(self.format()?);
        config.judge_held = self.repair == Repair::Held;
        config.zones.classes[0].threshold = self.threshold()?;
        config.zones.classes[0].angle_threshold = None;
        let mut chain = Chain::new(config, self.link)?;
        let mut entities: BTreeMap<usize, EntityId> = BTreeMap::new();
        let settled = (1..480).map(|step| SimTime::ZERO + SETTLING_STEP * step);
        settled.for_each(|now| chain.frame(now));
        let (mut updates, mut bytes) = chain.sent();
        for now in self.frames() {
            for (number, life) in lives.iter().enumerate() {
                if life.is_over(now) {
                    if let Some(entity) = entities.remove(&number) {
                        chain.host.despawn(entity);
                    }
                    continue;
                }
                let Some(truth) = life.truth_at(now) else { continue };
                if let Some(entity) = entities.get(&number) {
                    chain.host.observe(*entity, truth);
                } else {
                    let entity = chain.host.spawn(now, Owner::Host, b"", truth)?;
                    entities.insert(number, entity);
                }
            }
            chain.frame(now);
            let Some(shown_at) = chain.watcher.timeline_at(now) else { continue };
            let ghosts: BTreeMap<EntityId, _> = chain.watcher.ghosts().collect();
            for (number, entity) in &entities {
                if let Some(remote) = ghosts.get(entity) {
                    lives[*number].look(now, remote.ghost().position_at(shown_at));
                }
            }
        }
        let before = (updates, bytes);
        (updates, bytes) = chain.sent();
        Ok((lives, updates - before.0, bytes - before.1))
    }

    /// Through publishers and ghosts that are told of no loss: datagrams of a tick are shared, as
    /// by a host, and a body's first update is there from the start.
    fn published(&self, mut lives: Vec<Life>) -> Result<(Vec<Life>, u64, u64), LossError> {
        let format = self.format()?;
        let mut config = PublisherConfig::default();
        (config.threshold, config.angle_threshold) = (self.threshold()?, None);
        (config.quantiser, config.model) = (Quantiser::EXACT, Model::Linear);
        (config.heartbeat, config.heartbeat_spread) = (Duration::from_secs(1), 0.1);
        let mut link: Link<Vec<(usize, Update)>> = Link::new(self.link)?;
        let mut alive: BTreeMap<usize, (Publisher, Ghost)> = BTreeMap::new();
        let (mut updates, mut next_tick) = (0, SimTime::ZERO);
        for now in self.frames() {
            let mut datagram = Vec::new();
            let ticks = now >= next_tick;
            for (number, life) in lives.iter().enumerate() {
                if life.is_over(now) {
                    alive.remove(&number);
                    continue;
                }
                let Some(truth) = life.truth_at(now) else { continue };
                let truth = format.sayable(truth);
                if let Some((publisher, _)) = alive.get_mut(&number) {
                    let update = if ticks { publisher.observe(&truth) } else { None };
                    if let Some(update) = update {
                        publisher.handle_sent(format.round(&update));
                        datagram.push((number, format.round(&update)));
                    }
                } else {
                    let mut config = config.clone();
                    config.seed = number as u64;
                    let (publisher, first) = Publisher::start(config, &truth)?;
                    let ghost = Ghost::with_config(ghost_config(), first, now)
                        .map_err(ConfigError::from)?;
                    alive.insert(number, (publisher, ghost));
                    updates += 1;
                }
            }
            if ticks {
                next_tick = now + Duration::from_millis(50);
            }
            updates += datagram.len() as u64;
            if !datagram.is_empty() {
                link.send(now, 0, datagram);
            }
            while let Some((_, datagram)) = link.poll(now) {
                for (number, update) in datagram {
                    if let Some((_, ghost)) = alive.get_mut(&number) {
                        ghost.accept(update, now);
                    }
                }
            }
            for (number, (_, ghost)) in &alive {
                lives[*number].look(now, ghost.position_at(now));
            }
        }
        Ok((lives, updates, 0))
    }
}

fn ghost_config() -> GhostConfig {
    GhostConfig::default()
}

/// A host and the session that watches, with a link each way.
struct Chain {
    host: Host,
    watcher: Session,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
}

impl Chain {
    fn new(config: HostConfig, link: LinkConfig) -> Result<Self, LossError> {
        let mut host = Host::new(config)?;
        host.connect(SimTime::ZERO, WATCHER);
        let mut config = SessionConfig::default();
        config.ghost = ghost_config();
        let up = LinkConfig { seed: link.seed ^ 0x5555, ..link };
        let watcher = Session::new(config)?;
        Ok(Self { host, watcher, up: Link::new(up)?, down: Link::new(link)? })
    }

    fn frame(&mut self, now: SimTime) {
        let mut buffer = [0; 1_200];
        while let Some((at, bytes)) = self.up.poll(now) {
            self.host.handle_datagram(at, WATCHER, &bytes);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buffer) {
            self.down.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
        while let Some((at, bytes)) = self.down.poll(now) {
            self.watcher.handle_datagram(at, &bytes);
        }
        self.watcher.handle_timeout(now);
        while self.watcher.poll_event().is_some() {}
        while let Some(length) = self.watcher.poll_datagram(now, &mut buffer) {
            self.up.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
    }

    /// Updates sent so far, and bytes of datagrams with headers.
    fn sent(&self) -> (u64, u64) {
        let traffic = self.host.stats().traffic;
        (traffic.updates_out, traffic.bytes_out + u64::from(HEADERS) * traffic.datagrams_out)
    }
}
