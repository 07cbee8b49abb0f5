//! The [`Game`] trait that a server runs, and [`Relay`], the game without rules.
//!
//! The engine never calls a game; a server does, with its [`Host`], once a step and for each event.
//! Between two steps it does everything else: datagrams, tokens, limits, recordings.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{DisconnectReason, EntityId, Host, HostEvent, KindId, Owner, PeerId};
use reckoning_netsim::LinkConfig;

use crate::token::Token;

/// A client that asks to join and whose token is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Joiner {
    /// The connection.
    pub peer: PeerId,
    /// The contents of its token; `None` where everyone may join.
    pub token: Option<Token>,
}

/// A request of a game to its server, for what the host does not do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerRequest {
    /// Send an out-of-band datagram, beside the protocol; it must begin with seven zero bytes.
    OutOfBand {
        /// To whom.
        to: PeerId,
        /// What, the seven zero bytes included.
        bytes: Vec<u8>,
        /// Whether it passes the client's simulated link, if there is one.
        shaped: bool,
    },
    /// Simulate a link between the server and a client from now on, the same in both
    /// directions; `None` stops it. Out-of-band datagrams of the client do not pass it.
    SimulateLink {
        /// Whose.
        peer: PeerId,
        /// Which.
        link: Option<LinkConfig>,
    },
}

/// Identity and state of an entity in a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedIdentity<'a> {
    /// Its side; -1 is neutral.
    pub team: i32,
    /// Its name, empty when it has none.
    pub name: &'a str,
    /// Counts up whenever it is put elsewhere, or dies.
    pub segment: u32,
    /// Whether it lives.
    pub alive: bool,
    /// Its health, in the game's own points; `None` in games without any.
    pub health: Option<f32>,
    /// Its ammunition, in the game's own points; `None` in games without any.
    pub ammo: Option<f32>,
}

/// Something that happened and that a recording keeps. Births and deaths are seen by
/// [`RecordedIdentity::alive`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedEvent {
    /// An entity killed another one.
    Killed {
        /// Who died.
        entity: EntityId,
        /// By whom.
        by: EntityId,
    },
    /// An entity took an item.
    ItemTaken {
        /// Which, by its place among the items of the recording's level.
        item: u32,
        /// Who.
        by: EntityId,
    },
    /// An item lies in its place again.
    ItemReturned {
        /// Which, by its place among the items of the recording's level.
        item: u32,
    },
}

/// A game that a server runs.
pub trait Game: Send {
    /// A client with a valid token asks to join. The default lets everyone in.
    ///
    /// # Errors
    /// The reason that is sent to the client.
    fn join(
        &mut self,
        now: SimTime,
        joiner: &Joiner,
        host: &mut Host,
    ) -> Result<(), DisconnectReason> {
        let _ = (now, joiner, host);
        Ok(())
    }

    /// Handles an event of the host: a join, a message, a departure.
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host);

    /// One step of the game.
    fn tick(&mut self, now: SimTime, host: &mut Host);

    /// The server is about to shut down and lets nobody in any more; those who play go on for at most
    /// `shutdown.drain_s`. Called once. The default does nothing: a game may tell its players, or end
    /// the match.
    fn draining(&mut self, now: SimTime, host: &mut Host) {
        let _ = (now, host);
    }

    /// A joined client sent an out-of-band datagram, the seven zero bytes included. It has passed
    /// no simulated link. The default does nothing.
    fn out_of_band(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]) {
        let _ = (now, peer, bytes);
    }

    /// The next request to the server; polled until `None` after every step.
    fn poll_request(&mut self) -> Option<ServerRequest> {
        None
    }

    /// Identity of an entity in recordings; `None` records it as neutral and nameless.
    fn recorded_identity(&self, entity: EntityId) -> Option<RecordedIdentity<'_>> {
        let _ = entity;
        None
    }

    /// The next thing for recordings; polled until `None` after every step, recorded or not.
    fn poll_recorded_event(&mut self) -> Option<RecordedEvent> {
        None
    }
}

/// A joiner of [`Relay`] may put its body where it starts, by a teleport, within this.
const START_WITHIN: Duration = Duration::from_secs(10);

/// The game without rules: everyone who joins owns one body, or as many as the token names,
/// and everyone sees all of them. Messages and commands go to nobody.
#[derive(Debug, Default)]
pub struct Relay {
    seats: BTreeMap<PeerId, Vec<u32>>,
    kind: String,
}

impl Relay {
    /// One whose bodies are of the host's kind of that name; of none if it is empty. Without such a
    /// kind joiners get no body, which is logged.
    #[must_use]
    pub fn of_kind(name: &str) -> Self {
        Self { kind: name.to_string(), ..Self::default() }
    }
}

impl Game for Relay {
    fn join(&mut self, _: SimTime, joiner: &Joiner, _: &mut Host) -> Result<(), DisconnectReason> {
        let seats = joiner.token.as_ref().map(|token| token.entities.clone());
        self.seats.insert(joiner.peer, seats.unwrap_or_default());
        Ok(())
    }

    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Joined { peer, before } => {
                let seats = self.seats.remove(peer).unwrap_or_default();
                // Whoever came back has its bodies still.
                if before.is_none() {
                    spawn(now, *peer, &seats, &self.kind, host);
                }
            }
            HostEvent::Left { peer, .. } => {
                self.seats.remove(peer);
            }
            _ => {}
        }
    }

    fn tick(&mut self, _: SimTime, _: &mut Host) {}
}

/// One body for each seat, whose number is its tag; without seats one without a tag.
fn spawn(now: SimTime, peer: PeerId, seats: &[u32], kind: &str, host: &mut Host) {
    let named = host.config().kinds.named(kind);
    let Some(kind) = named.or(kind.is_empty().then_some(KindId::NONE)) else {
        return tracing::error!(peer = peer.0, kind, "no body for a joiner: no such kind");
    };
    let rest = Kinematics::at_rest(now, DVec3::ZERO);
    let tags: Vec<Vec<u8>> = seats.iter().map(|seat| seat.to_le_bytes().to_vec()).collect();
    let tags = if tags.is_empty() { vec![Vec::new()] } else { tags };
    for tag in tags {
        match host.spawn_kind(now, kind, Owner::Peer(peer), &tag, &rest) {
            // The guard does not judge where its owner starts, only how it moves from there.
            Ok(body) => host.allow_teleport(now, body, START_WITHIN),
            Err(error) => tracing::warn!(peer = peer.0, %error, "no body for a joiner"),
        }
    }
}
