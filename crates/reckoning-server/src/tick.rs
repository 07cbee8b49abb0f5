//! The tick loop: a thread that steps host and game at a fixed rate and never waits for a socket.
//!
//! ```text
//!   arrivals -> connect, disconnect      links: one bounded queue per client
//!   queues   -> handle_datagram          (in order of arrival, whoever sent it; those of a
//!                                         client behind a simulated link when that says)
//!   events, game, handle_timeout         poll_datagram -> parcels, which the network
//!                                        thread hands to links; they drop what does not fit
//!   bodies   -> recording                (a bounded queue as well)
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use reckoning::{DVec3, SimTime, Update};
use reckoning_net::wire::is_out_of_band;
use reckoning_net::{Departure, DisconnectReason, EntityId, Host, HostEvent, PeerId};
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use crate::clock::{Clock, unix_seconds};
use crate::entrance::Arrival;
use crate::game::{Game, Role, Wish};
use crate::gate::Gate;
use crate::link::{Link, Parcel};
use crate::metrics::{Metrics, Refused};
use crate::record::{Body, Recorder, Step};
use crate::settings::Settings;
use crate::shape::Shaping;

/// How long someone who is put out has to hear why.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Datagrams that are written before they are handed over, a megabyte at most.
const MOST_AT_ONCE: usize = 1024;

/// A connection on which nothing came for so long gives way to another one with its token. A
/// client that lives acknowledges 20 times a second and asks for the time every second, and every
/// 50 ms when nobody answers, so that even at 30 % loss it is never taken for dead.
const DEAD_AFTER: Duration = Duration::from_secs(2);

/// One client, as the loop knows it.
struct Seat {
    link: Arc<Link>,
    joined: bool,
    /// When the connection ends, once it must.
    closes: Option<SimTime>,
}

/// The loop and all it owns.
pub(crate) struct TickLoop {
    pub(crate) clock: Clock,
    pub(crate) settings: Settings,
    pub(crate) host: Host,
    pub(crate) game: Box<dyn Game>,
    pub(crate) gate: Gate,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) arrivals: Receiver<Arrival>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) parcels: Sender<Parcel>,
    seats: BTreeMap<PeerId, Seat>,
    shaping: Shaping,
    inbound: Vec<(SimTime, PeerId, Bytes)>,
    outbound: Parcel,
    buffer: Vec<u8>,
    /// The last step's time; what came before it counts as coming then.
    stepped: SimTime,
}

/// What a loop begins with.
pub(crate) struct Parts {
    pub(crate) clock: Clock,
    pub(crate) settings: Settings,
    pub(crate) host: Host,
    pub(crate) game: Box<dyn Game>,
    pub(crate) gate: Gate,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) arrivals: Receiver<Arrival>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) parcels: Sender<Parcel>,
}

impl TickLoop {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { clock, settings, host, game, gate, metrics, arrivals, recorder, stop, parcels } =
            parts;
        let buffer = vec![0; settings.limits.datagram_bytes];
        let (seats, stepped) = (BTreeMap::new(), SimTime::ZERO);
        let (inbound, outbound) = (Vec::new(), Vec::new());
        Self {
            clock,
            settings,
            host,
            game,
            gate,
            metrics,
            arrivals,
            recorder,
            stop,
            parcels,
            seats,
            shaping: Shaping::default(),
            inbound,
            outbound,
            buffer,
            stepped,
        }
    }

    /// Steps until told to stop, then says goodbye.
    pub(crate) fn run(mut self) {
        let period = Duration::from_secs(1) / self.settings.tick_hz;
        let mut due = self.clock.now();
        while !self.stop.load(Ordering::Relaxed) {
            self.timed_step();
            due += period;
            let now = self.clock.now();
            if now > due + period {
                // Steps that were missed are not made up for: that would only make it later.
                self.metrics.late_ticks.one();
                due = now;
            }
            self.sleep_until(due);
        }
        self.farewell(period);
    }

    /// Sleeps, but for datagrams that simulated links deliver meanwhile.
    fn sleep_until(&mut self, due: SimTime) {
        while let Some(next) = self.shaping.next_down().filter(|next| *next < due) {
            thread::sleep(self.clock.until(next));
            self.deliver(self.clock.now());
        }
        thread::sleep(self.clock.until(due));
    }

    fn timed_step(&mut self) {
        let begin = self.clock.now();
        self.step(begin);
        self.metrics.tick.note(self.clock.now().saturating_since(begin));
    }

    fn step(&mut self, now: SimTime) {
        self.meet(now);
        self.take_in(now);
        self.tell(now);
        // Before the host's own tick: what a policy exports must be what the game now says.
        self.game.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        self.tell(now);
        self.grant_wishes(now);
        self.send(now);
        self.put_out(now);
        self.record(now);
        self.count();
        self.stepped = now;
    }

    /// Learns of connections that opened and closed.
    fn meet(&mut self, now: SimTime) {
        while let Ok(arrival) = self.arrivals.try_recv() {
            match arrival {
                Arrival::Opened(link) => {
                    self.host.connect(now, link.peer);
                    self.seats.insert(link.peer, Seat { link, joined: false, closes: None });
                }
                Arrival::Closed(peer) => {
                    self.host.disconnect(now, peer);
                    self.gate.release(peer);
                    self.seats.remove(&peer);
                    self.shaping.forget(peer);
                }
            }
        }
    }

    /// Hands over what came, in order of arrival.
    fn take_in(&mut self, now: SimTime) {
        let mut inbound = std::mem::take(&mut self.inbound);
        for seat in self.seats.values() {
            seat.link.drain(&mut inbound);
        }
        inbound.sort_by_key(|(at, ..)| *at);
        let mut came = Vec::with_capacity(inbound.len());
        for (at, peer, bytes) in inbound.drain(..) {
            if is_out_of_band(&bytes) {
                self.take_aside(now, peer, &bytes);
            } else if let Some(bytes) = self.shaping.send_up(at, peer, bytes) {
                came.push((at, peer, bytes));
            }
        }
        let direct = came.len();
        self.shaping.arrived_up(now, &mut came);
        if came.len() > direct {
            came.sort_by_key(|(at, ..)| *at);
        }
        for (at, peer, bytes) in &came {
            self.host.handle_datagram((*at).clamp(self.stepped, now), *peer, bytes);
        }
        self.inbound = inbound;
    }

    fn take_aside(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]) {
        if self.seats.get(&peer).is_some_and(|seat| seat.joined) {
            self.game.aside(now, peer, bytes);
        }
    }

    /// Carries out what the game wants.
    fn grant_wishes(&mut self, now: SimTime) {
        while let Some(wish) = self.game.poll_wish() {
            match wish {
                Wish::Aside { to, bytes, shaped } if is_out_of_band(&bytes) => {
                    if shaped && self.shaping.shapes(to) {
                        self.shaping.send_down(now, to, bytes.into());
                    } else {
                        self.pack(to, bytes.into());
                    }
                }
                Wish::Aside { to, .. } => {
                    tracing::warn!(peer = to.0, "an aside without seven zeros was not sent");
                }
                Wish::Shape { peer, link } if self.seats.contains_key(&peer) => {
                    self.shaping.set(peer, link);
                }
                Wish::Shape { .. } => {}
            }
        }
    }

    /// Tells the game what happened; joins are checked here first.
    fn tell(&mut self, now: SimTime) {
        while let Some(event) = self.host.poll_event() {
            match &event {
                HostEvent::JoinRequested { peer, token } => {
                    self.judge(now, *peer, token);
                    continue;
                }
                HostEvent::Joined { peer, .. } => self.joined(*peer),
                HostEvent::Left { peer, why } => {
                    if *why == Departure::Kicked(DisconnectReason::Conduct) {
                        self.metrics.expelled.one();
                    }
                    tracing::info!(peer = peer.0, ?why, "left");
                    self.close_soon(now, *peer);
                }
                _ => {}
            }
            self.game.event(now, &event, &mut self.host);
        }
    }

    fn judge(&mut self, now: SimTime, peer: PeerId, token: &[u8]) {
        let full = self.seats.values().filter(|seat| seat.joined).count();
        let verdict = if full >= self.settings.limits.peers {
            Err(DisconnectReason::Full)
        } else {
            let host = &self.host;
            let silent = |it| host.silent_for(now, it).is_none_or(|span| span >= DEAD_AFTER);
            self.gate.check(peer, token, unix_seconds(), silent)
        };
        let verdict = verdict.and_then(|it| self.game.join(now, &it, &mut self.host));
        if let Err(refusal) = verdict {
            let cause =
                if refusal == DisconnectReason::Full { Refused::Full } else { Refused::Token };
            self.metrics.refused(cause);
            self.host.refuse(now, peer, refusal);
            self.close_soon(now, peer);
        } else {
            self.host.admit(now, peer);
        }
    }

    fn joined(&mut self, peer: PeerId) {
        tracing::info!(peer = peer.0, "joined");
        if let Some(seat) = self.seats.get_mut(&peer) {
            seat.joined = true;
        }
    }

    fn close_soon(&mut self, now: SimTime, peer: PeerId) {
        self.gate.release(peer);
        if let Some(seat) = self.seats.get_mut(&peer) {
            seat.joined = false;
            seat.closes.get_or_insert(now + LAST_WORDS);
        }
    }

    /// Hands over what is owed, many datagrams at once: the network thread then wakes once, and
    /// carries what one client gets together.
    fn send(&mut self, now: SimTime) {
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut self.buffer) {
            let bytes = Bytes::copy_from_slice(self.buffer.get(..length).unwrap_or_default());
            if self.shaping.shapes(peer) {
                self.shaping.send_down(now, peer, bytes);
            } else {
                self.pack(peer, bytes);
            }
        }
        self.deliver(now);
    }

    /// Sends what simulated links have let through by now, and whatever else is packed.
    fn deliver(&mut self, now: SimTime) {
        while let Some((peer, bytes)) = self.shaping.poll_down(now) {
            self.pack(peer, bytes);
        }
        self.hand_over();
    }

    fn pack(&mut self, peer: PeerId, bytes: Bytes) {
        let Some(seat) = self.seats.get(&peer) else { return };
        self.outbound.push((seat.link.clone(), bytes));
        if self.outbound.len() == MOST_AT_ONCE {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let room = Vec::with_capacity(self.outbound.len());
        let parcel = std::mem::replace(&mut self.outbound, room);
        if parcel.is_empty() {
            return;
        }
        if let Err(TrySendError::Full(parcel) | TrySendError::Closed(parcel)) =
            self.parcels.try_send(parcel)
        {
            for (link, _) in &parcel {
                link.give_up();
            }
        }
    }

    /// Ends the connections of those who were put out, and of those who never joined.
    fn put_out(&mut self, now: SimTime) {
        let patience = self.settings.limits.join_timeout;
        for seat in self.seats.values_mut().filter(|seat| !seat.joined) {
            let late = now.saturating_since(seat.link.opened) > patience;
            if late && seat.closes.is_none() {
                self.metrics.refused(Refused::JoinTimeout);
                seat.closes = Some(now);
            }
            if seat.closes.is_some_and(|at| at <= now) {
                // The socket's task notices and reports that it closed.
                seat.link.close("over");
            }
        }
    }

    fn count(&self) {
        let peers = self.seats.values().filter(|seat| seat.joined).count();
        self.metrics.peers.set(peers as u64);
        self.metrics.links.set(self.seats.len() as u64);
        self.metrics.entities.set(self.host.entities().count() as u64);
        self.metrics.host(&self.host.stats().traffic);
    }

    fn record(&mut self, now: SimTime) {
        let Some(recorder) = &mut self.recorder else { return };
        if !recorder.wants(now) {
            return;
        }
        let mut step = Step { at: now, ..Step::default() };
        for (id, _, known) in self.host.entities() {
            let role = self.game.role(id);
            step.bodies.push(body(id, known, role.as_ref(), now));
            let name = role.map_or("", |role| role.name);
            if recorder.is_new(id.0, name) {
                step.names.push((id.0, name.to_string()));
            }
        }
        recorder.record(step);
    }

    /// Tells everyone that the server goes, closes the connections and the recording.
    fn farewell(mut self, period: Duration) {
        let until = self.clock.now() + self.settings.shutdown.farewell;
        for peer in self.seats.keys().copied().collect::<Vec<_>>() {
            self.host.refuse(self.clock.now(), peer, DisconnectReason::Closing);
        }
        while self.clock.now() < until && !self.seats.is_empty() {
            let now = self.clock.now();
            self.meet(now);
            self.host.handle_timeout(now);
            while self.host.poll_event().is_some() {}
            self.send(now);
            thread::sleep(period);
        }
        for seat in self.seats.values() {
            seat.link.close("the server goes");
        }
        if let Some(recorder) = self.recorder.take() {
            recorder.finish();
        }
    }
}

fn body(id: EntityId, known: &Update, role: Option<&Role<'_>>, now: SimTime) -> Body {
    let ahead = known.orientation_at(now) * DVec3::X;
    let yaw_rad = libm::atan2(ahead.y, ahead.x) as f32;
    let (team, segment, alive) =
        role.map_or((-1, 0, true), |role| (role.team, role.segment, role.alive));
    // As it was seen, with what the model makes of it since: a planned curve has a velocity of
    // its own from the start.
    let changed = known.velocity_at(now) - known.velocity_at(known.at());
    let (position, velocity) = (known.position_at(now), known.kinematics().velocity + changed);
    Body { id: id.0, position, velocity, yaw_rad, segment, team, alive }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::{Curve, CurveBasis, Kinematics, Model, UpdateKind};

    #[test]
    fn a_planned_body_is_recorded_with_the_velocity_it_was_seen_with() {
        let seen = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 3.0);
        let plans = [Model::Curve(Curve::still(CurveBasis::FOUR)), Model::Linear];
        for plan in plans {
            let known = Update::new(seen, plan, UpdateKind::Partial).unwrap();
            let recorded = body(EntityId(1), &known, None, SimTime::from_millis(16));
            assert_eq!(recorded.velocity, DVec3::X * 3.0);
        }
    }
}
