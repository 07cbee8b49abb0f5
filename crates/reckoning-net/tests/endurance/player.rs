//! One player: a session, its game, a clock that may be wrong, and a connection that may break.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reckoning::SimTime;
use reckoning_net::{EntityId, PeerId, Session, SessionEvent};
use reckoning_netsim::{Link, LinkConfig};

use super::game::{Motion, session_config};

/// Waits between two tries to connect, as a client's.
const RETRY_FIRST: Duration = Duration::from_millis(250);
const RETRY_LONGEST: Duration = Duration::from_secs(2);
/// Datagrams that wait for a player that sleeps.
const INBOX: usize = 256;
/// A browser hands them over a few at a time.
const READ_PER_FRAME: usize = 8;

/// The peer of a connection whose other end is gone.
const NOBODY: PeerId = PeerId(u32::MAX);

/// A clock beside the true one.
#[derive(Clone, Copy, Debug)]
pub struct LocalClock {
    /// What it shows at `since`.
    shows: SimTime,
    since: SimTime,
    pub drift_ppm: i64,
}

impl LocalClock {
    pub fn new(shows: SimTime) -> Self {
        Self { shows, since: SimTime::ZERO, drift_ppm: 0 }
    }

    pub fn at(&self, now: SimTime) -> SimTime {
        let passed_us = now.as_micros() - self.since.as_micros();
        let drifted_us = passed_us + passed_us * self.drift_ppm / 1_000_000;
        SimTime::from_micros(self.shows.as_micros() + drifted_us)
    }

    /// Shows `step_us` more from now on.
    pub fn step(&mut self, now: SimTime, step_us: i64) {
        let shows = SimTime::from_micros(self.at(now).as_micros() + step_us);
        (self.shows, self.since) = (shows, now);
    }

    pub fn set_drift(&mut self, now: SimTime, ppm: i64) {
        self.step(now, 0);
        self.drift_ppm = ppm;
    }
}

/// A connection: two links, and what each end knows of its state.
pub struct Wire {
    pub peer: PeerId,
    pub up: Link<Vec<u8>>,
    pub down: Link<Vec<u8>>,
    /// The server closed it then.
    pub closed_at: Option<SimTime>,
}

/// Whether the player's process is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Playing,
    /// Its process is gone; another begins at that moment, if ever.
    Away(SimTime),
}

pub struct Player {
    pub token: u32,
    pub life: Life,
    pub link: LinkConfig,
    pub clock: LocalClock,
    pub session: Session,
    pub wire: Option<Wire>,
    /// Its own bodies, as its game has them.
    pub bodies: BTreeMap<EntityId, Motion>,
    /// Nothing passes upwards or downwards until then.
    pub cut_up: SimTime,
    pub cut_down: SimTime,
    /// It does nothing until then; whether its clock stands meanwhile.
    pub asleep: Option<(SimTime, bool)>,
    pub retry_at: SimTime,
    retry_after: Duration,
    pub joins: u32,
    inbox: VecDeque<Vec<u8>>,
    dials: u64,
}

impl Player {
    pub fn new(token: u32, link: LinkConfig) -> Self {
        Self {
            token,
            life: Life::Playing,
            link,
            clock: LocalClock::new(SimTime::from_millis(7_000 * i64::from(token))),
            session: Session::new(session_config(token)).unwrap(),
            wire: None,
            bodies: BTreeMap::new(),
            cut_up: SimTime::MIN,
            cut_down: SimTime::MIN,
            asleep: None,
            retry_at: SimTime::MIN,
            retry_after: RETRY_FIRST,
            joins: 0,
            inbox: VecDeque::new(),
            dials: 0,
        }
    }

    pub fn is_awake(&self) -> bool {
        self.life == Life::Playing && self.asleep.is_none()
    }

    /// Whether it runs and its connection can carry anything.
    pub fn can_hear(&self, now: SimTime) -> bool {
        self.is_awake() && self.cut_up.max(self.cut_down) <= now
    }

    /// A new session over a new connection.
    pub fn dial(&mut self, peer: PeerId) {
        self.dials += 1;
        self.session = Session::new(session_config(self.token)).unwrap();
        self.bodies.clear();
        self.inbox.clear();
        let link = |way: u64| {
            let seed = self.link.seed ^ way << 32 ^ self.dials << 40;
            Link::new(LinkConfig { seed, ..self.link }).unwrap()
        };
        let wire = Wire { peer, up: link(1), down: link(2), closed_at: None };
        self.wire = Some(wire);
    }

    /// The links are like that from now on; what is under way is lost.
    pub fn set_link(&mut self, link: LinkConfig) {
        self.link = link;
        if let Some(wire) = &mut self.wire {
            wire.up = Link::new(LinkConfig { seed: link.seed ^ 1 << 32, ..link }).unwrap();
            wire.down = Link::new(LinkConfig { seed: link.seed ^ 2 << 32, ..link }).unwrap();
        }
    }

    /// Its process ends without a word.
    pub fn die(&mut self, back_at: SimTime) {
        self.life = Life::Away(back_at);
        self.asleep = None;
        self.bodies.clear();
    }

    /// The other end is gone and will never answer on this connection.
    pub fn lose_host(&mut self) {
        if let Some(wire) = &mut self.wire {
            wire.peer = NOBODY;
        }
    }

    /// Leaves for good, with the words that still pass; a new process begins then.
    pub fn leave(&mut self, now: SimTime, back_at: SimTime) {
        self.session.leave();
        self.send(now, self.clock.at(now));
        self.die(back_at);
    }

    /// Wakes up if it is time; a clock that stood is as late as it slept.
    pub fn wake(&mut self, now: SimTime) {
        if self.asleep.is_some_and(|(until, _)| until <= now) {
            self.asleep = None;
        }
        if let Life::Away(back) = self.life
            && back <= now
        {
            self.life = Life::Playing;
            self.wire = None;
            (self.retry_at, self.retry_after) = (now, RETRY_FIRST);
        }
    }

    pub fn fall_asleep(&mut self, now: SimTime, span: Duration, clock_stands: bool) {
        if clock_stands {
            self.clock.step(now + span, -(span.as_micros() as i64));
        }
        self.asleep = Some((now + span, clock_stands));
    }

    /// One frame of its game.
    pub fn frame(&mut self, now: SimTime) {
        let local = self.clock.at(now);
        self.receive(now, local);
        self.session.handle_timeout(local);
        self.handle_events();
        let bodies: Vec<_> =
            self.bodies.iter().map(|(id, it)| (*id, it.truth(now, local))).collect();
        for (id, truth) in bodies {
            self.session.observe(id, &truth);
        }
        self.send(now, local);
        let closed = self.wire.as_ref().is_some_and(|it| it.closed_at.is_some_and(|at| at <= now));
        if (closed && self.cut_down <= now) || self.session.is_over() {
            self.hang_up(now);
        }
    }

    fn receive(&mut self, now: SimTime, local: SimTime) {
        let Some(wire) = &mut self.wire else { return };
        if self.cut_down <= now {
            self.inbox.extend(std::iter::from_fn(|| wire.down.poll(now)).map(|(_, bytes)| bytes));
        }
        let dropped = self.inbox.len().saturating_sub(INBOX);
        self.inbox.drain(..dropped);
        for _ in 0..self.inbox.len().min(READ_PER_FRAME) {
            let bytes = self.inbox.pop_front().unwrap_or_default();
            self.session.handle_datagram(local, &bytes);
        }
    }

    fn handle_events(&mut self) {
        while let Some(event) = self.session.poll_event() {
            match event {
                SessionEvent::Joined { .. } => {
                    self.joins += 1;
                    self.retry_after = RETRY_FIRST;
                }
                SessionEvent::Revoked(entity) => drop(self.bodies.remove(&entity)),
                SessionEvent::Corrected { entity, state } => {
                    self.bodies.insert(entity, Motion::parked(state.position));
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, now: SimTime, local: SimTime) {
        let Some(wire) = &mut self.wire else { return };
        let mut buf = [0; 1000];
        while let Some(length) = self.session.poll_datagram(local, &mut buf) {
            if self.cut_up <= now {
                wire.up.send(now, length as u32, buf[..length].to_vec());
            }
        }
    }

    /// The session is over: the next one after a while.
    fn hang_up(&mut self, now: SimTime) {
        if self.wire.take().is_some() {
            self.bodies.clear();
            self.retry_at = now + self.retry_after;
            self.retry_after = (self.retry_after * 2).min(RETRY_LONGEST);
        }
    }
}
