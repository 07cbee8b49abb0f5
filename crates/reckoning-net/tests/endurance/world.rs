//! A host, its players and the time, in one loop, with the shell's part of a connection's life.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{DVec3, SimTime};
use reckoning_net::{Departure, EntityId, Host, HostConfig, HostEvent, Owner, PeerId, Viewpoint};
use reckoning_netsim::LinkConfig;

use super::game::Motion;
use super::player::{Life, Player};

/// A server closes the connection of whoever is gone so much later.
const CLOSE_DELAY: Duration = Duration::from_millis(500);
/// A transport that notices that nothing comes does so after this.
pub const IDLE: Duration = Duration::from_secs(5);
/// While nobody answers, a player tries to connect so often.
const REDIAL: Duration = Duration::from_millis(500);

/// A body as the host's game has it.
#[derive(Clone, Debug)]
pub struct Body {
    pub tag: Vec<u8>,
    /// The token of whoever owns it; `None` for the host.
    pub token: Option<u32>,
    /// Where the host moves it, while it does.
    pub motion: Motion,
}

/// A connection as the server's end knows it.
struct Slot {
    player: usize,
    token: u32,
    heard_at: SimTime,
    closes_at: Option<SimTime>,
}

/// Something that the model has to know of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happened {
    /// The process that a player has now was admitted, not one before it whose words were under way.
    Joined { token: u32 },
    /// A body was despawned because its owner did not come back.
    Despawned { token: Option<u32> },
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct World {
    pub now: SimTime,
    pub frame: Duration,
    config: HostConfig,
    pub host: Host,
    /// The true time at which the host's clock was zero.
    born: SimTime,
    /// The host does nothing until then; it was stopped, or is a new one.
    pub stopped_until: SimTime,
    /// It has just gone on, and its network thread has not read anything yet.
    resumed: bool,
    /// Its last tick, by the true time.
    stepped: SimTime,
    slots: BTreeMap<PeerId, Slot>,
    next_peer: u32,
    /// Peer ids are used again as soon as their connection is gone.
    pub reuses_peers: bool,
    /// The transport notices that nothing comes, before the host does.
    pub notices_idle: bool,
    /// Players are told when the server closes their connection.
    pub tells_closed: bool,
    pub players: Vec<Player>,
    /// When a player could hear again last.
    pub disturbed_at: SimTime,
    pub bodies: BTreeMap<EntityId, Body>,
    /// From where each token looks.
    pub eyes: BTreeMap<u32, DVec3>,
    next_tag: u32,
    pub happened: Vec<(SimTime, Happened)>,
    /// By token: when the host heard last from someone who had joined with it.
    pub heard: BTreeMap<u32, SimTime>,
    pub datagrams: u64,
}

impl World {
    pub fn new(config: HostConfig, links: &[LinkConfig], frame: Duration) -> Self {
        let players = (1..).zip(links).map(|(token, link)| Player::new(token, *link)).collect();
        Self {
            now: SimTime::ZERO,
            frame,
            host: Host::new(config.clone()).unwrap(),
            config,
            born: SimTime::ZERO,
            stopped_until: SimTime::MIN,
            resumed: false,
            stepped: SimTime::MIN,
            slots: BTreeMap::new(),
            next_peer: 1,
            reuses_peers: false,
            notices_idle: false,
            tells_closed: true,
            players,
            disturbed_at: SimTime::MIN,
            bodies: BTreeMap::new(),
            eyes: BTreeMap::new(),
            next_tag: 0,
            happened: Vec::new(),
            heard: BTreeMap::new(),
            datagrams: 0,
        }
    }

    pub fn host_now(&self) -> SimTime {
        SimTime::from_micros(self.now.as_micros() - self.born.as_micros())
    }

    fn host_runs(&self) -> bool {
        self.stopped_until <= self.now
    }

    pub fn run(&mut self, span: Duration) {
        let end = self.now + span;
        while self.now < end {
            self.step();
        }
    }

    pub fn step(&mut self) {
        self.now += self.frame;
        if self.host_runs() {
            self.host_tick();
        } else {
            self.resumed = true;
        }
        for place in 0..self.players.len() {
            let heard = self.players[place].can_hear(self.now - self.frame);
            self.player_frame(place);
            if !heard && self.players[place].can_hear(self.now) {
                self.disturbed_at = self.now;
            }
        }
    }

    fn host_tick(&mut self) {
        self.expire_slots();
        // The thread that ticks may run before the one that reads.
        if !std::mem::take(&mut self.resumed) {
            self.receive_up();
        }
        self.handle_events();
        let (now, at) = (self.now, self.host_now());
        let drives = |body: &Body| body.token.is_none() && body.motion.parks_at() > self.stepped;
        for (id, body) in self.bodies.iter().filter(|(_, body)| drives(body)) {
            self.host.observe(*id, &body.motion.truth(now, at));
        }
        self.stepped = now;
        self.host.handle_timeout(at);
        self.handle_events();
        self.send_down();
    }

    fn receive_up(&mut self) {
        let at = self.host_now();
        for (place, player) in self.players.iter_mut().enumerate() {
            let Some(wire) = &mut player.wire else { continue };
            // An id that is used again stands for another connection.
            let slot = self.slots.get_mut(&wire.peer).filter(|slot| slot.player == place);
            let Some(slot) = slot else {
                while wire.up.poll(self.now).is_some() {}
                continue;
            };
            while let Some((_, bytes)) = wire.up.poll(self.now) {
                self.datagrams += 1;
                slot.heard_at = self.now;
                // Words to a host that has given up on the connection are not heard.
                if self.host.peers().any(|it| it == wire.peer) {
                    self.heard.insert(slot.token, self.now);
                }
                self.host.handle_datagram(at, wire.peer, &bytes);
            }
        }
    }

    /// Closes connections that the host or the transport is done with.
    fn expire_slots(&mut self) {
        let now = self.now;
        let over = |slot: &Slot| {
            let idle = self.notices_idle && now.saturating_since(slot.heard_at) >= IDLE;
            idle || slot.closes_at.is_some_and(|at| at <= now)
        };
        let gone: Vec<_> =
            self.slots.iter().filter(|(_, it)| over(it)).map(|(id, _)| *id).collect();
        for peer in gone {
            self.close(peer);
        }
    }

    fn close(&mut self, peer: PeerId) {
        let at = self.host_now();
        let Some(slot) = self.slots.remove(&peer) else { return };
        self.host.disconnect(at, peer);
        let wire = self.players[slot.player].wire.as_mut();
        if let Some(wire) = wire.filter(|wire| wire.peer == peer && self.tells_closed) {
            wire.closed_at.get_or_insert(self.now);
        }
    }

    fn handle_events(&mut self) {
        while let Some(event) = self.host.poll_event() {
            match event {
                HostEvent::JoinRequested { peer, .. } => {
                    self.host.admit(self.host_now(), peer);
                }
                HostEvent::Joined { peer, .. } => self.handle_joined(peer),
                HostEvent::Left { peer, why } => {
                    assert!(!matches!(why, Departure::Kicked(_)), "nobody is kicked: {why:?}");
                    if let Some(slot) = self.slots.get_mut(&peer) {
                        slot.closes_at.get_or_insert(self.now + CLOSE_DELAY);
                    }
                }
                HostEvent::Despawned { entity } => {
                    let token = self.bodies.remove(&entity).and_then(|body| body.token);
                    self.happened.push((self.now, Happened::Despawned { token }));
                }
                _ => {}
            }
        }
    }

    fn handle_joined(&mut self, peer: PeerId) {
        let Some(slot) = self.slots.get(&peer) else { return };
        let (token, player) = (slot.token, &self.players[slot.player]);
        self.heard.insert(token, self.now);
        let is_its = player.wire.as_ref().is_some_and(|wire| wire.peer == peer);
        if is_its && player.life == Life::Playing {
            self.happened.push((self.now, Happened::Joined { token }));
        }
        self.host.set_viewpoint(peer, Viewpoint::Place(self.eye(token)));
        // Who is new, or came back too late, gets a body.
        if !self.bodies.values().any(|body| body.token == Some(token)) {
            let place = DVec3::new(f64::from(token % 8) * 15.0, -10.0, 0.0);
            self.spawn(place, Some((token, peer)));
        }
    }

    pub fn eye(&self, token: u32) -> DVec3 {
        self.eyes.get(&token).copied().unwrap_or(DVec3::ZERO)
    }

    /// A player looks from elsewhere.
    pub fn look(&mut self, token: u32, place: DVec3) {
        self.eyes.insert(token, place);
        for (peer, _) in self.slots.iter().filter(|(_, slot)| slot.token == token) {
            self.host.set_viewpoint(*peer, Viewpoint::Place(place));
        }
    }

    /// Spawns a body of the host, or of a player.
    pub fn spawn(&mut self, place: DVec3, owner: Option<(u32, PeerId)>) -> Option<EntityId> {
        self.next_tag += 1;
        let tag = self.next_tag.to_le_bytes().to_vec();
        let motion = Motion::parked(place);
        let at = self.host_now();
        let by = owner.map_or(Owner::Host, |(_, peer)| Owner::Peer(peer));
        let id = self.host.spawn(at, by, &tag, &motion.truth(self.now, at)).ok()?;
        self.bodies.insert(id, Body { tag, token: owner.map(|(token, _)| token), motion });
        Some(id)
    }

    pub fn despawn(&mut self, id: EntityId) {
        assert!(self.host.despawn(id) && self.bodies.remove(&id).is_some());
    }

    pub fn teleport(&mut self, id: EntityId, place: DVec3) {
        let (now, at) = (self.now, self.host_now());
        let Some(body) = self.bodies.get_mut(&id) else { return };
        body.motion = Motion::parked(place);
        self.host.teleport(at, id, &body.motion.truth(now, at));
    }

    /// Makes a player the owner, if it is there.
    pub fn grant(&mut self, id: EntityId, token: u32) {
        let at = self.host_now();
        let joined: Vec<PeerId> = self.host.peers().collect();
        let peer = self.slots.iter().find(|(id, it)| it.token == token && joined.contains(id));
        let Some(peer) = peer.map(|(id, _)| *id) else { return };
        if self.host.grant(at, id, peer) {
            self.bodies.entry(id).and_modify(|body| body.token = Some(token));
        }
    }

    /// Makes the host the owner; the body goes on from where the host knows it.
    pub fn revoke(&mut self, id: EntityId) {
        let at = self.host_now();
        let known = self.host.entities().find(|(it, ..)| *it == id);
        let Some(position) = known.map(|(_, _, known)| known.position_at(at)) else { return };
        let Some(body) = self.bodies.get_mut(&id).filter(|body| body.token.is_some()) else {
            return;
        };
        self.host.revoke(id);
        (body.token, body.motion) = (None, Motion::parked(position));
        self.host.observe(id, &body.motion.truth(self.now, at));
    }

    fn send_down(&mut self) {
        let (at, mut buf) = (self.host_now(), [0; 1000]);
        while let Some((peer, length)) = self.host.poll_datagram(at, &mut buf) {
            self.datagrams += 1;
            let Some(slot) = self.slots.get(&peer) else { continue };
            let player = &mut self.players[slot.player];
            let open = player.cut_down <= self.now;
            if let Some(wire) = player.wire.as_mut().filter(|it| it.peer == peer && open) {
                wire.down.send(self.now, length as u32, buf[..length].to_vec());
            }
        }
    }

    fn player_frame(&mut self, place: usize) {
        let now = self.now;
        self.players[place].wake(now);
        if !self.players[place].is_awake() {
            return;
        }
        if self.players[place].wire.is_none() {
            self.dial(place);
        }
        let player = &mut self.players[place];
        let peer = player.wire.as_ref().map(|wire| wire.peer);
        player.frame(now);
        if let (Some(peer), None, true) = (peer, &player.wire, player.cut_up <= now) {
            // It closed the connection, and the server hears of it.
            if let Some(slot) = self.slots.get_mut(&peer) {
                slot.closes_at.get_or_insert(now + player.link.delay);
            }
        }
    }

    fn dial(&mut self, place: usize) {
        let player = &self.players[place];
        if player.retry_at > self.now {
            return;
        }
        if !self.host_runs() || player.cut_up.max(player.cut_down) > self.now {
            self.players[place].retry_at = self.now + REDIAL;
            return;
        }
        let token = player.token;
        let peer = self.free_peer();
        let slot = Slot { player: place, token, heard_at: self.now, closes_at: None };
        self.slots.insert(peer, slot);
        self.host.connect(self.host_now(), peer);
        self.players[place].dial(peer);
    }

    fn free_peer(&mut self) -> PeerId {
        if self.reuses_peers {
            let free = |id: &PeerId| !self.slots.contains_key(id);
            return (1..=u32::MAX).map(PeerId).find(free).unwrap();
        }
        self.next_peer += 1;
        PeerId(self.next_peer)
    }

    /// The host's process stops, and goes on after a while.
    pub fn stop_host(&mut self, span: Duration) {
        self.stopped_until = self.stopped_until.max(self.now + span);
    }

    /// The host's process dies, and another one begins after a while.
    pub fn restart_host(&mut self, down: Duration) {
        self.host = Host::new(self.config.clone()).unwrap();
        self.slots.clear();
        self.bodies.clear();
        self.stopped_until = self.now + down;
        self.born = self.stopped_until;
        (self.next_peer, self.resumed) = (1, false);
        for player in &mut self.players {
            player.lose_host();
        }
    }
}
