//! The tick loop: a thread that steps host and game at a fixed rate and never waits for a socket.
//!
//! ```text
//!   events   -> connect, disconnect      connections: one bounded queue per client
//!   queues   -> handle_datagram          (in order of arrival, whoever sent it; those of a
//!                                         client behind a simulated link when that delivers)
//!   events, game, handle_timeout         poll_datagram -> batches, which the network
//!                                        thread hands to connections; they drop what does not fit
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

use crate::admission::ConnectionEvent;
use crate::clock::{Clock, unix_seconds};
use crate::conditioner::Conditioner;
use crate::connection::{Connection, SendBatch};
use crate::game::{Game, Joiner, RecordedIdentity, ServerRequest};
use crate::health::{Health, Worker};
use crate::join_auth::JoinAuth;
use crate::metrics::{Metrics, RejectReason};
use crate::overload::Overload;
use crate::record::{RecordedBody, RecordedPose, RecordedStep, Recorder};
use crate::settings::Settings;

/// How long a client that is disconnected has to receive the reason.
const CLOSE_DELAY: Duration = Duration::from_millis(500);

/// Datagrams that are written before they are handed over, a megabyte at most.
const MAX_BATCH: usize = 1024;

/// A connection on which nothing came for so long gives way to another one with its token. A
/// client that lives acknowledges 20 times a second and asks for the time every second, and every
/// 50 ms when nobody answers, so that even at 30 % loss it is never taken for dead.
const DEAD_AFTER: Duration = Duration::from_secs(2);

/// One client, as the loop knows it.
struct ClientSlot {
    connection: Arc<Connection>,
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
    pub(crate) join_auth: JoinAuth,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) connection_events: Receiver<ConnectionEvent>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) batches: Sender<SendBatch>,
    pub(crate) state: LoopState,
}

/// State of the loop that begins empty.
pub(crate) struct LoopState {
    slots: BTreeMap<PeerId, ClientSlot>,
    conditioner: Conditioner,
    inbound: Vec<(SimTime, PeerId, Bytes)>,
    outbound: SendBatch,
    buffer: Vec<u8>,
    /// The last step's time; what came before it counts as coming then.
    stepped: SimTime,
    overload: Overload,
    /// Whether the game knows that the server drains.
    draining: bool,
}

impl LoopState {
    pub(crate) fn new(datagram_bytes: usize) -> Self {
        Self {
            slots: BTreeMap::new(),
            conditioner: Conditioner::default(),
            inbound: Vec::new(),
            outbound: Vec::new(),
            buffer: vec![0; datagram_bytes],
            stepped: SimTime::ZERO,
            overload: Overload::default(),
            draining: false,
        }
    }
}

impl TickLoop {
    /// Steps until it is asked to stop, then shuts down.
    pub(crate) fn run(mut self) {
        let period = Duration::from_secs(1) / self.settings.tick_hz;
        let mut due = self.clock.now();
        while !self.stop.load(Ordering::Relaxed) {
            self.health.beat_now(Worker::Tick);
            self.tell_draining();
            self.timed_step();
            due = self.next_step(due, self.clock.now(), period);
            self.health.beat(Worker::Tick, due);
            self.sleep_until(due);
        }
        self.shut_down(period);
    }

    /// When the step after the one that was due at `due` is due.
    fn next_step(&self, due: SimTime, now: SimTime, period: Duration) -> SimTime {
        let next = due + period;
        if now <= next + period {
            return next;
        }
        // Steps that were missed are not made up for: that would only make it later.
        self.metrics.late_ticks.inc();
        now
    }

    /// Tells the game, once, that nobody is let in any more.
    fn tell_draining(&mut self) {
        if self.health.is_draining() && !self.state.draining {
            self.state.draining = true;
            self.game.draining(self.clock.now(), &mut self.host);
        }
    }

    /// Sleeps, but for datagrams that simulated links deliver meanwhile.
    fn sleep_until(&mut self, due: SimTime) {
        while let Some(next) = self.state.conditioner.next_down().filter(|next| *next < due) {
            thread::sleep(self.clock.until(next));
            self.deliver(self.clock.now());
        }
        thread::sleep(self.clock.until(due));
    }

    fn timed_step(&mut self) {
        let begin = self.clock.now();
        self.step(begin);
        let now = self.clock.now();
        let took = now.saturating_since(begin);
        self.metrics.tick.observe(took);
        self.shed(now, took);
    }

    /// Leaves out more while steps do not fit into their period, and less once they do again.
    fn shed(&mut self, now: SimTime, took: Duration) {
        let period = Duration::from_secs(1) / self.settings.tick_hz;
        let overload = &mut self.state.overload;
        if overload.observe(now, took, period) {
            let (stage, load) = (overload.stage(), overload.load());
            tracing::warn!(stage, load, "overload: what is left out changes");
            self.host.set_shedding(overload.shedding());
            self.metrics.overload.set(stage as u64);
        }
    }

    fn step(&mut self, now: SimTime) {
        self.accept(now);
        self.receive(now);
        self.dispatch(now);
        // Before the host's own tick: a policy must export the game's newest state.
        self.game.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        self.dispatch(now);
        self.handle_requests(now);
        self.send(now);
        self.close_expired(now);
        self.record(now);
        self.update_metrics();
        self.state.stepped = now;
    }

    /// Takes over connections that opened, and drops those that closed.
    fn accept(&mut self, now: SimTime) {
        while let Ok(event) = self.connection_events.try_recv() {
            match event {
                ConnectionEvent::Opened(connection) => {
                    self.host.connect(now, connection.peer);
                    self.state.slots.insert(
                        connection.peer,
                        ClientSlot { connection, joined: false, closes: None },
                    );
                }
                ConnectionEvent::Reloaded(reload) => {
                    self.settings.shutdown = reload.shutdown;
                }
                ConnectionEvent::Closed(peer) => {
                    self.host.disconnect(now, peer);
                    self.join_auth.release(peer);
                    self.state.slots.remove(&peer);
                    self.state.conditioner.forget(peer);
                }
            }
        }
    }

    /// Hands received datagrams to the host, in order of arrival.
    fn receive(&mut self, now: SimTime) {
        let mut inbound = std::mem::take(&mut self.state.inbound);
        for slot in self.state.slots.values() {
            slot.connection.drain(&mut inbound);
        }
        inbound.sort_by_key(|(at, ..)| *at);
        let mut came = Vec::with_capacity(inbound.len());
        for (at, peer, bytes) in inbound.drain(..) {
            if is_out_of_band(&bytes) {
                self.receive_out_of_band(now, peer, &bytes);
            } else if let Some(bytes) = self.state.conditioner.send_up(at, peer, bytes) {
                came.push((at, peer, bytes));
            }
        }
        let direct = came.len();
        self.state.conditioner.arrived_up(now, &mut came);
        if came.len() > direct {
            came.sort_by_key(|(at, ..)| *at);
        }
        for (at, peer, bytes) in &came {
            self.host.handle_datagram((*at).clamp(self.state.stepped, now), *peer, bytes);
        }
        self.state.inbound = inbound;
    }

    fn receive_out_of_band(&mut self, now: SimTime, peer: PeerId, bytes: &[u8]) {
        if self.state.slots.get(&peer).is_some_and(|slot| slot.joined) {
            self.game.out_of_band(now, peer, bytes);
        }
    }

    /// Carries out the requests of the game.
    fn handle_requests(&mut self, now: SimTime) {
        while let Some(request) = self.game.poll_request() {
            match request {
                ServerRequest::OutOfBand { to, bytes, shaped } if is_out_of_band(&bytes) => {
                    if shaped && self.state.conditioner.is_active(to) {
                        self.state.conditioner.send_down(now, to, bytes.into());
                    } else {
                        self.queue(to, bytes.into());
                    }
                }
                ServerRequest::OutOfBand { to, .. } => {
                    tracing::warn!(
                        peer = to.0,
                        "an out-of-band datagram without seven zeros was not sent"
                    );
                }
                ServerRequest::SimulateLink { peer, link }
                    if self.state.slots.contains_key(&peer) =>
                {
                    self.state.conditioner.set(peer, link);
                }
                ServerRequest::SimulateLink { .. } => {}
            }
        }
    }

    /// Dispatches the host's events to the game; joins are authorised here first.
    fn dispatch(&mut self, now: SimTime) {
        while let Some(event) = self.host.poll_event() {
            match &event {
                HostEvent::JoinRequested { peer, token } => {
                    self.authorize(now, *peer, token);
                    continue;
                }
                HostEvent::Joined { peer, .. } => tracing::info!(peer = peer.0, "joined"),
                HostEvent::Left { peer, why } => {
                    match why {
                        Departure::Kicked(DisconnectReason::Conduct) => {
                            self.metrics.kicked.inc();
                            self.join_auth.expel(*peer, unix_seconds());
                        }
                        Departure::Kicked(DisconnectReason::Version(_)) => {
                            self.metrics.count_reject(RejectReason::Version);
                        }
                        _ => {}
                    }
                    tracing::info!(peer = peer.0, ?why, "left");
                    self.close_soon(now, *peer);
                }
                _ => {}
            }
            self.game.event(now, &event, &mut self.host);
        }
    }

    fn authorize(&mut self, now: SimTime, peer: PeerId, token: &[u8]) {
        let overloaded = !self.state.overload.admits();
        let verdict = if overloaded {
            Err(DisconnectReason::Full)
        } else {
            let host = &self.host;
            let silent = |it| host.silent_for(now, it).is_none_or(|span| span >= DEAD_AFTER);
            let joiner = self.join_auth.authorize(peer, token, unix_seconds(), silent);
            joiner.map_err(|error| {
                tracing::info!(peer = peer.0, %error, "join refused");
                self.metrics.count_token_error(&error);
                DisconnectReason::Token
            })
        };
        let verdict = verdict.and_then(|joiner| self.seat(joiner));
        let verdict = verdict.and_then(|it| self.game.join(now, &it, &mut self.host));
        if let Err(refusal) = verdict {
            let cause = match refusal {
                DisconnectReason::Full if overloaded => RejectReason::Overload,
                DisconnectReason::Full => RejectReason::Full,
                DisconnectReason::Token => RejectReason::Token,
                _ => RejectReason::Game,
            };
            self.metrics.count_reject(cause);
            self.host.refuse(now, peer, refusal);
            self.close_soon(now, peer);
        } else if self.host.admit(now, peer)
            && let Some(slot) = self.state.slots.get_mut(&peer)
        {
            // At once: the next who asks in the same step must find the seat taken.
            slot.joined = true;
            slot.connection.joined();
        }
    }

    /// A seat for a joiner: some are for holders of tokens only.
    fn seat(&self, joiner: Joiner) -> Result<Joiner, DisconnectReason> {
        let limits = &self.settings.limits;
        let taken = self.state.slots.values().filter(|slot| slot.joined).count();
        let reserves = joiner.token.is_none() && self.join_auth.knows_tokens();
        let reserved = if reserves { limits.reserved_peers } else { 0 };
        let free = taken < limits.peers.saturating_sub(reserved);
        if free { Ok(joiner) } else { Err(DisconnectReason::Full) }
    }

    fn close_soon(&mut self, now: SimTime, peer: PeerId) {
        self.join_auth.release(peer);
        if let Some(slot) = self.state.slots.get_mut(&peer) {
            slot.joined = false;
            slot.closes.get_or_insert(now + CLOSE_DELAY);
        }
    }

    /// Hands over what is owed, many datagrams at once: the network thread then wakes once, and
    /// carries what one client gets together.
    fn send(&mut self, now: SimTime) {
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut self.state.buffer) {
            let bytes = Bytes::copy_from_slice(self.state.buffer.get(..length).unwrap_or_default());
            if self.state.conditioner.is_active(peer) {
                self.state.conditioner.send_down(now, peer, bytes);
            } else {
                self.queue(peer, bytes);
            }
        }
        self.deliver(now);
    }

    /// Sends what simulated links have let through by now, and whatever else is packed.
    fn deliver(&mut self, now: SimTime) {
        while let Some((peer, bytes)) = self.state.conditioner.poll_down(now) {
            self.queue(peer, bytes);
        }
        self.flush();
    }

    fn queue(&mut self, peer: PeerId, bytes: Bytes) {
        let Some(slot) = self.state.slots.get(&peer) else { return };
        self.state.outbound.push((slot.connection.clone(), bytes));
        if self.state.outbound.len() == MAX_BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let room = Vec::with_capacity(self.state.outbound.len());
        let batch = std::mem::replace(&mut self.state.outbound, room);
        if batch.is_empty() {
            return;
        }
        if let Err(TrySendError::Full(batch) | TrySendError::Closed(batch)) =
            self.batches.try_send(batch)
        {
            for (connection, _) in &batch {
                connection.give_up();
            }
        }
    }

    /// Closes connections of clients that were disconnected, or never joined.
    fn close_expired(&mut self, now: SimTime) {
        let patience = self.settings.limits.join_timeout;
        for slot in self.state.slots.values_mut().filter(|slot| !slot.joined) {
            let late = now.saturating_since(slot.connection.opened) > patience;
            if late && slot.closes.is_none() {
                self.metrics.count_reject(RejectReason::JoinTimeout);
                slot.closes = Some(now);
            }
            if slot.closes.is_some_and(|at| at <= now) {
                // The socket's task notices and reports that it closed.
                slot.connection.close("over");
            }
        }
    }

    fn update_metrics(&self) {
        let peers = self.state.slots.values().filter(|slot| slot.joined).count();
        self.metrics.peers.set(peers as u64);
        self.metrics.connections.set(self.state.slots.len() as u64);
        self.metrics.entities.set(self.host.entities().count() as u64);
        self.metrics.set_host(&self.host.stats().traffic);
        let singly = self.settings.replication.client_errors;
        self.metrics.set_export_errors(&self.host, singly, self.clock.now());
        self.metrics.log_rejects(self.clock.now());
    }

    fn record(&mut self, now: SimTime) {
        let events = std::iter::from_fn(|| self.game.poll_recorded_event());
        let Some(recorder) = &mut self.recorder else { return events.for_each(drop) };
        events.for_each(|event| recorder.note(event));
        if !recorder.wants(now) {
            return;
        }
        let mut step = RecordedStep { at: now, ..RecordedStep::default() };
        for (id, _, known) in self.host.entities() {
            let role = self.game.recorded_identity(id);
            let pose = RecordedPose::new(&self.host, id, known.orientation_at(now), now);
            step.bodies.push(body(id, known, role.as_ref(), pose, now));
            let name = role.map_or("", |role| role.name);
            if recorder.is_new(id.0, name) {
                step.names.push((id.0, name.to_string()));
            }
        }
        recorder.record(step);
    }

    /// Tells everyone that the server shuts down, closes the connections and the recording.
    fn shut_down(mut self, period: Duration) {
        let until = self.clock.now() + self.settings.shutdown.farewell;
        for peer in self.state.slots.keys().copied().collect::<Vec<_>>() {
            self.host.refuse(self.clock.now(), peer, DisconnectReason::Closing);
        }
        while self.clock.now() < until && !self.state.slots.is_empty() {
            let now = self.clock.now();
            self.health.beat(Worker::Tick, now + period);
            self.accept(now);
            self.host.handle_timeout(now);
            while self.host.poll_event().is_some() {}
            self.send(now);
            thread::sleep(period);
        }
        for slot in self.state.slots.values() {
            slot.connection.close("the server shuts down");
        }
        // It only waits from here on; the recording thread gives signs of life of its own.
        self.health.retire(Worker::Tick);
        if let Some(recorder) = self.recorder.take() {
            recorder.finish();
        }
    }
}

fn body(
    id: EntityId,
    known: &Update,
    role: Option<&RecordedIdentity<'_>>,
    pose: RecordedPose,
    now: SimTime,
) -> RecordedBody {
    let ahead = pose.orientation * DVec3::X;
    let yaw_rad = libm::atan2(ahead.y, ahead.x) as f32;
    let (team, segment, alive) =
        role.map_or((-1, 0, true), |role| (role.team, role.segment, role.alive));
    // As it was seen, with what the model makes of it since: a planned curve has a velocity of
    // its own from the start.
    let changed = known.velocity_at(now) - known.velocity_at(known.at());
    let (position, velocity) = (known.position_at(now), known.kinematics().velocity + changed);
    let (health, ammo) = role.map_or((None, None), |role| (role.health, role.ammo));
    let id = id.0;
    RecordedBody { id, position, velocity, yaw_rad, segment, team, alive, health, ammo, pose }
}

#[cfg(test)]
mod busy;

#[cfg(test)]
mod tests {
    use reckoning::{Curve, CurveBasis, Kinematics, Model, UpdateKind};

    use super::*;
    use crate::record::tests::upright;

    #[test]
    fn a_planned_body_is_recorded_with_the_velocity_it_was_seen_with() {
        let seen = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 3.0);
        let plans = [Model::Curve(Curve::still(CurveBasis::FOUR)), Model::Linear];
        for plan in plans {
            let known = Update::new(seen, plan, UpdateKind::Partial).unwrap();
            let recorded = body(EntityId(1), &known, None, upright(), SimTime::from_millis(16));
            assert_eq!(recorded.velocity, DVec3::X * 3.0);
        }
    }
}
