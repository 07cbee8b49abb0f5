//! The same scene in virtual time: what the sockets, clocks and threads are compared with.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, Host, HostEvent, Owner, PeerId, Session, Viewpoint};

use super::TICK_HZ;
use super::drive::Track;
use super::{Listener, Outcome, Scene, Tally};

/// When the drive begins; all have joined and know the time.
const BEGIN: SimTime = SimTime::from_millis(8_000);
const STEP: Duration = Duration::from_millis(1);

/// Datagrams on the way to one end, by the moment they arrive.
type Queue = BTreeMap<(SimTime, u64), Vec<u8>>;

struct Watcher {
    listener: Listener,
    session: Session,
    random: SplitMix64,
    /// To the host, and from it.
    queues: [Queue; 2],
    order: u64,
    body: Option<EntityId>,
    tally: Tally,
}

/// Runs a scene to its end.
pub fn run(scene: &Scene) -> Outcome {
    let mut twin = Twin::new(scene);
    let end = BEGIN + Duration::from_secs(u64::from(scene.seconds));
    let mut now = SimTime::ZERO;
    let mut tick = 0;
    while now <= end {
        if SimTime::from_tick(tick, TICK_HZ) <= now {
            tick += 1;
            twin.host_step(now);
        }
        twin.watch(now);
        now += STEP;
    }
    let traffic = twin.host.stats().traffic;
    Outcome {
        errors_m: twin.watchers.iter().map(|it| it.tally.mean_m()).collect(),
        updates: traffic.updates_out - twin.updates_before,
        lost: traffic.lost - twin.lost_before,
        clock_error_ms: 0.0,
    }
}

struct Twin {
    track: Track,
    host: Host,
    body: EntityId,
    watchers: Vec<Watcher>,
    updates_before: u64,
    lost_before: u64,
    buffer: Vec<u8>,
}

impl Twin {
    fn new(scene: &Scene) -> Self {
        let mut host = Host::new(scene.host()).unwrap();
        let rest = Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO);
        let body = host.spawn(SimTime::ZERO, Owner::Host, b"", &rest).unwrap();
        let watchers = scene.listeners.iter().enumerate().map(|(place, listener)| {
            host.connect(SimTime::ZERO, PeerId(place as u32));
            let session = Session::new(listener.session()).unwrap();
            let random = SplitMix64::new(scene.seed).fork(place as u64);
            let queues = [Queue::new(), Queue::new()];
            let (listener, tally) = (*listener, Tally::default());
            Watcher { listener, session, random, queues, order: 0, body: None, tally }
        });
        let watchers = watchers.collect();
        let track = Track::new(scene.drive, scene.seconds, scene.seed);
        let buffer = vec![0; 1_000];
        Self { track, host, body, watchers, updates_before: 0, lost_before: 0, buffer }
    }

    /// One step in the order of the server's loop.
    fn host_step(&mut self, now: SimTime) {
        for (place, watcher) in self.watchers.iter_mut().enumerate() {
            while let Some(first) = watcher.queues[0].first_entry().filter(|it| it.key().0 <= now) {
                let ((at, _), bytes) = first.remove_entry();
                self.host.handle_datagram(at, PeerId(place as u32), &bytes);
            }
        }
        let truth = Kinematics { at: now, ..self.track.at(since_begin(now)) };
        self.host.observe(self.body, &truth);
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Place(DVec3::ZERO));
            }
        }
        while let Some((PeerId(to), length)) = self.host.poll_datagram(now, &mut self.buffer) {
            self.watchers[to as usize].put(1, now, &self.buffer[..length]);
        }
        if now <= BEGIN {
            let traffic = self.host.stats().traffic;
            (self.updates_before, self.lost_before) = (traffic.updates_out, traffic.lost);
        }
    }

    fn watch(&mut self, now: SimTime) {
        for watcher in &mut self.watchers {
            watcher.step(now, &mut self.buffer);
            let Some(body) = watcher.body.filter(|_| now > BEGIN) else { continue };
            let at = since_begin(now);
            let shown = watcher.session.shown(body, now).unwrap();
            let error_m = shown.position.distance(self.track.at(at).position);
            watcher.tally.look(at.as_secs_f64(), error_m);
        }
    }
}

fn since_begin(now: SimTime) -> SimTime {
    SimTime::from_micros(now.as_micros() - BEGIN.as_micros())
}

impl Watcher {
    fn put(&mut self, leg: usize, now: SimTime, bytes: &[u8]) {
        let off = self.random.between(-1.0, 1.0) * self.listener.jitter_ms as f64;
        let way_ms = self.listener.delay_ms as f64 + off;
        self.order += 1;
        let due = now + Duration::from_micros((1e3 * way_ms.max(0.0)) as u64);
        self.queues[leg].insert((due, self.order), bytes.to_vec());
    }

    fn step(&mut self, now: SimTime, buffer: &mut [u8]) {
        while let Some(first) = self.queues[1].first_entry().filter(|it| it.key().0 <= now) {
            let ((at, _), bytes) = first.remove_entry();
            self.session.handle_datagram(at, &bytes);
        }
        self.session.handle_timeout(now);
        while let Some(length) = self.session.poll_datagram(now, buffer) {
            self.put(0, now, &buffer[..length]);
        }
        while self.session.poll_event().is_some() {}
        self.body = self.session.ghosts().next().map(|(body, _)| body);
    }
}
