//! Bodies that clients bring along: gateways to other worlds, which have many and name their kinds.
//!
//! [`Guests`] plays any [`Game`] and answers requests beside it. A client that says
//! [`GuestRequest::Hello`] is a gateway: it sees everything, bodies that the game gave it when it
//! joined are taken back, and it may bring as many as `limits.guest_bodies` says. What it brings is
//! its own to move, and gone when it is.
//!
//! ```text
//!   client                                   server
//!   Hello                               -->
//!                                       <--  Server { number }        one and the same for all gateways
//!   Bring { number, kind, tag, .. }     -->
//!                                       <--  Brought { number, entity } or Refused { number, why }
//!   Set { number, .. }, Drop { number } -->
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{
    Delivery, DisconnectReason, EntityId, Host, HostEvent, Owner, PeerId, PropertyValue, Viewpoint,
};
use serde::{Deserialize, Serialize};

use crate::clock::unix_seconds;
use crate::game::{Game, Joiner, RecordedEvent, RecordedIdentity, ServerRequest};
use crate::token;

/// Messages of guests begin with this; no game's own do.
const PREFIX: &[u8] = b"\0guest\0";
/// Longest message that is looked at.
const MAX_REQUEST_BYTES: usize = 2_048;
/// Longest name, of a kind, a tag or a value.
const MAX_WORD_BYTES: usize = 200;
/// Properties of one request.
const MAX_VALUES: usize = 32;
/// Who brings a body may put it where it starts, by a teleport, within this.
const START_WITHIN: Duration = Duration::from_secs(10);

/// What a gateway asks of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GuestRequest {
    /// It is one.
    Hello,
    /// A body.
    Bring(GuestBody),
    /// Other properties of one that it brought.
    Set {
        /// The gateway's number of it.
        number: u32,
        /// Properties that the server declared, by name.
        values: Vec<(String, GuestValue)>,
    },
    /// One that it brought is gone.
    Drop {
        /// The gateway's number of it.
        number: u32,
    },
}

/// A body that a gateway brings along.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GuestBody {
    /// The gateway's own number of it.
    pub number: u32,
    /// The kind, by its name.
    pub kind: String,
    /// Its tag: what others know it by. No two guests have the same.
    pub tag: String,
    /// Its name in recordings.
    pub name: String,
    /// Its side in recordings; -1 is none.
    pub team: i32,
    /// Properties that the server declared, by name.
    pub values: Vec<(String, GuestValue)>,
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as those of `PropertyValue`")]
pub enum GuestValue {
    Bool(bool),
    U8(u8),
    U32(u32),
    F32(f32),
    Text(String),
}

impl From<GuestValue> for PropertyValue {
    fn from(value: GuestValue) -> Self {
        match value {
            GuestValue::Bool(it) => Self::Bool(it),
            GuestValue::U8(it) => Self::U8(it),
            GuestValue::U32(it) => Self::U32(it),
            GuestValue::F32(it) => Self::F32(it),
            GuestValue::Text(it) => Self::Text(it.into()),
        }
    }
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GuestAnswer {
    /// The number of the server, by which gateways tell it from others.
    Server {
        /// Made at random when it started.
        number: u64,
    },
    /// The body is there.
    Brought {
        /// The gateway's number of it.
        number: u32,
        /// The server's.
        entity: u32,
    },
    /// It is not.
    Refused {
        /// The gateway's number of it.
        number: u32,
        /// Why.
        why: GuestRefusal,
    },
}

/// Why a body is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuestRefusal {
    /// The server declared no such kind.
    Kind,
    /// Another gateway, or this one, has brought one with that tag.
    Taken,
    /// More than `limits.guest_bodies`, or than the server holds.
    Full,
}

macro_rules! message {
    ($type:ty) => {
        impl $type {
            /// Its bytes.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                // Plain data always has a text.
                [PREFIX, &serde_json::to_vec(self).unwrap_or_default()].concat()
            }

            /// What a message says; `None` if it is none of these.
            #[must_use]
            pub fn decode(bytes: &[u8]) -> Option<Self> {
                let text = bytes.strip_prefix(PREFIX)?;
                serde_json::from_slice(text).ok().filter(|_| text.len() <= MAX_REQUEST_BYTES)
            }
        }
    };
}

message!(GuestRequest);
message!(GuestAnswer);

/// A body that was brought.
#[derive(Debug)]
struct Guest {
    entity: EntityId,
    tag: String,
    name: String,
    team: i32,
}

/// A game whose clients may bring bodies along.
#[derive(Debug)]
pub struct Guests<G> {
    game: G,
    /// Bodies that one client may bring.
    limit: usize,
    server: u64,
    bodies: BTreeMap<(PeerId, u32), Guest>,
    /// The same by their entities.
    by_entity: BTreeMap<EntityId, (PeerId, u32)>,
}

impl<G: Game> Guests<G> {
    /// The game, with so many bodies that each client may bring; 0 for none.
    #[must_use]
    pub fn new(game: G, limit: usize) -> Self {
        // Without dice, which no system lacks, the time will do.
        let server = token::random().map_or_else(|_| unix_seconds(), u64::from_le_bytes);
        Self { game, limit, server, bodies: BTreeMap::new(), by_entity: BTreeMap::new() }
    }

    fn requested(&mut self, now: SimTime, peer: PeerId, request: GuestRequest, host: &mut Host) {
        match request {
            GuestRequest::Hello => self.greet(peer, host),
            GuestRequest::Bring(body) => {
                let number = body.number;
                let answer = match self.bring(now, peer, body, host) {
                    Ok(entity) => GuestAnswer::Brought { number, entity: entity.0 },
                    Err(why) => GuestAnswer::Refused { number, why },
                };
                answer_to(host, peer, &answer);
            }
            GuestRequest::Set { number, values } => {
                if let Some(guest) = self.bodies.get(&(peer, number)) {
                    set_values(host, guest.entity, values);
                }
            }
            GuestRequest::Drop { number } => {
                self.remove((peer, number), host);
            }
        }
    }

    /// A gateway has no body of its own, and looks from nowhere in particular.
    fn greet(&mut self, peer: PeerId, host: &mut Host) {
        self.drop_all(peer, host);
        let own = host.entities().filter(|(_, owner, _)| *owner == Owner::Peer(peer));
        let own: Vec<EntityId> = own.map(|(entity, ..)| entity).collect();
        for entity in own {
            host.despawn(entity);
        }
        host.set_viewpoint(peer, Viewpoint::Everywhere);
        answer_to(host, peer, &GuestAnswer::Server { number: self.server });
    }

    fn bring(
        &mut self,
        now: SimTime,
        peer: PeerId,
        body: GuestBody,
        host: &mut Host,
    ) -> Result<EntityId, GuestRefusal> {
        let GuestBody { number, kind, tag, name, team, values } = body;
        if self.bodies.contains_key(&(peer, number)) || self.bodies.values().any(|it| it.tag == tag)
        {
            return Err(GuestRefusal::Taken);
        }
        if self.bodies.range((peer, 0)..=(peer, u32::MAX)).count() >= self.limit
            || tag.len().max(name.len()) > MAX_WORD_BYTES
        {
            return Err(GuestRefusal::Full);
        }
        let kind = host.config().kinds.named(&kind).ok_or(GuestRefusal::Kind)?;
        let rest = Kinematics::at_rest(now, DVec3::ZERO);
        let spawned = host.spawn_kind(now, kind, Owner::Peer(peer), tag.as_bytes(), &rest);
        let entity = spawned.map_err(|_| GuestRefusal::Full)?;
        host.allow_teleport(now, entity, START_WITHIN);
        set_values(host, entity, values);
        self.bodies.insert((peer, number), Guest { entity, tag, name, team });
        self.by_entity.insert(entity, (peer, number));
        Ok(entity)
    }

    fn drop_all(&mut self, peer: PeerId, host: &mut Host) {
        let numbers = self.bodies.range((peer, 0)..=(peer, u32::MAX)).map(|(key, _)| *key);
        for key in numbers.collect::<Vec<_>>() {
            self.remove(key, host);
        }
    }

    fn remove(&mut self, key: (PeerId, u32), host: &mut Host) {
        if let Some(guest) = self.bodies.remove(&key) {
            self.by_entity.remove(&guest.entity);
            host.despawn(guest.entity);
        }
    }
}

fn answer_to(host: &mut Host, peer: PeerId, answer: &GuestAnswer) {
    // Who does not take answers gets no more of them, and is told nothing wrong.
    let _ = host.send(peer, &answer.encode(), Delivery::Reliable);
}

/// What the server has not declared, or declared of another type, is left out.
fn set_values(host: &mut Host, entity: EntityId, values: Vec<(String, GuestValue)>) {
    for (name, value) in values.into_iter().take(MAX_VALUES) {
        if let Some(property) = host.config().kinds.property_named(&name) {
            let _ = host.set(entity, property, PropertyValue::from(value));
        }
    }
}

impl<G: Game> Game for Guests<G> {
    fn join(
        &mut self,
        now: SimTime,
        joiner: &Joiner,
        host: &mut Host,
    ) -> Result<(), DisconnectReason> {
        self.game.join(now, joiner, host)
    }

    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Message { peer, bytes } if self.limit > 0 => {
                if let Some(request) = GuestRequest::decode(bytes) {
                    return self.requested(now, *peer, request, host);
                }
            }
            // It begins anew, with what it finds then.
            HostEvent::Joined { before: Some(peer), .. } | HostEvent::Left { peer, .. } => {
                self.drop_all(*peer, host);
            }
            HostEvent::Despawned { entity } => {
                if let Some(key) = self.by_entity.remove(entity) {
                    self.bodies.remove(&key);
                }
            }
            _ => {}
        }
        self.game.event(now, event, host);
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        self.game.tick(now, host);
    }

    fn draining(&mut self, now: SimTime, host: &mut Host) {
        self.game.draining(now, host);
    }

    fn out_of_band(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]) {
        self.game.out_of_band(now, peer, bytes);
    }

    fn poll_request(&mut self) -> Option<ServerRequest> {
        self.game.poll_request()
    }

    fn recorded_identity(&self, entity: EntityId) -> Option<RecordedIdentity<'_>> {
        let guest = self.by_entity.get(&entity).and_then(|key| self.bodies.get(key));
        let Some(guest) = guest else { return self.game.recorded_identity(entity) };
        Some(RecordedIdentity {
            team: guest.team,
            name: &guest.name,
            segment: 1,
            alive: true,
            health: None,
            ammo: None,
        })
    }

    fn poll_recorded_event(&mut self) -> Option<RecordedEvent> {
        self.game.poll_recorded_event()
    }
}

#[cfg(test)]
mod tests {
    use reckoning_net::{Session, SessionConfig};

    use super::*;

    #[test]
    fn requests_and_answers_are_read_again_and_nothing_else_is_one() {
        let body = GuestBody { number: 7, kind: "tank".into(), team: -1, ..GuestBody::default() };
        let request = GuestRequest::Bring(body);
        assert_eq!(GuestRequest::decode(&request.encode()), Some(request.clone()));
        let answer = GuestAnswer::Refused { number: 7, why: GuestRefusal::Taken };
        assert_eq!(GuestAnswer::decode(&answer.encode()), Some(answer));
        for bytes in [&b""[..], b"\0guest", b"\0guest\0", b"\0guest\0{}", b"hello", &[0; 3_000]] {
            assert_eq!(GuestRequest::decode(bytes), None);
        }
        assert!(!request.encode().starts_with(&[0; 7]), "it is not out of band");
    }

    /// A host that two peers have joined.
    fn host() -> Host {
        let text = "[[kind]]\nname = 'tank'\n[[property]]\nname = 'marking'\n";
        let settings = crate::Settings::from_toml(text).unwrap();
        let mut host = Host::new(crate::host_config(&settings)).unwrap();
        for peer in [PeerId(1), PeerId(2)] {
            let mut session = Session::new(SessionConfig::default()).unwrap();
            let mut datagram = [0; 1_200];
            session.handle_timeout(SimTime::ZERO);
            let length = session.poll_datagram(SimTime::ZERO, &mut datagram).unwrap();
            host.connect(SimTime::ZERO, peer);
            host.handle_datagram(SimTime::ZERO, peer, &datagram[..length]);
            assert!(host.admit(SimTime::ZERO, peer));
        }
        host
    }

    fn body(number: u32, kind: &str, tag: &str) -> GuestBody {
        let values = vec![
            ("marking".to_string(), GuestValue::Text("TIGER".into())),
            ("unheard of".to_string(), GuestValue::Bool(true)),
            ("marking".to_string(), GuestValue::U32(7)), // of another type
        ];
        let (kind, tag) = (kind.to_string(), tag.to_string());
        GuestBody { number, kind, tag, values, team: 1, ..GuestBody::default() }
    }

    #[test]
    fn no_two_have_a_tag_and_nobody_brings_more_than_allowed() {
        let (mut guests, mut host) = (Guests::new(crate::Relay::default(), 2), host());
        let (one, two, now) = (PeerId(1), PeerId(2), SimTime::ZERO);
        let mut bring = |peer, number, kind: &str, tag: &str| {
            let brought = guests.bring(now, peer, body(number, kind, tag), &mut host);
            brought.map(|_| guests.bodies.len())
        };
        assert_eq!(bring(one, 0, "tank", "a"), Ok(1));
        assert_eq!(bring(one, 1, "submarine", "b"), Err(GuestRefusal::Kind));
        assert_eq!(bring(two, 0, "tank", "a"), Err(GuestRefusal::Taken), "by another gateway");
        assert_eq!(bring(one, 0, "tank", "c"), Err(GuestRefusal::Taken), "the number");
        assert_eq!(bring(one, 2, "tank", "d"), Ok(2));
        assert_eq!(bring(one, 3, "tank", "e"), Err(GuestRefusal::Full));
        assert_eq!(bring(two, 0, "tank", &"x".repeat(201)), Err(GuestRefusal::Full));
        assert_eq!(bring(two, 0, "tank", "e"), Ok(3));
    }

    #[test]
    fn what_a_gateway_brought_is_gone_when_it_is_and_its_tags_are_free() {
        let (mut guests, mut host) = (Guests::new(crate::Relay::default(), 9), host());
        let now = SimTime::ZERO;
        for (peer, number, tag) in [(1, 0, "a"), (1, 1, "b"), (2, 0, "c")] {
            guests.bring(now, PeerId(peer), body(number, "tank", tag), &mut host).unwrap();
        }
        let entity = guests.bodies[&(PeerId(2), 0)].entity;
        let marking = host.config().kinds.property_named("marking").unwrap();
        assert_eq!(host.get(entity, marking), Some(&PropertyValue::Text("TIGER".into())));
        assert_eq!(guests.recorded_identity(entity).map(|it| it.team), Some(1));
        guests.drop_all(PeerId(1), &mut host);
        assert_eq!(host.entities().map(|(id, ..)| id).collect::<Vec<_>>(), [entity]);
        guests.requested(now, PeerId(2), GuestRequest::Drop { number: 0 }, &mut host);
        assert_eq!((host.entities().count(), guests.by_entity.len()), (0, 0));
        guests.bring(now, PeerId(2), body(0, "tank", "a"), &mut host).unwrap();
    }
}
