//! A scene over real sockets: a server, a road to each receiver, and clients.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_client::{Client, ClientConfig, EntityId};
use reckoning_net::{Host, HostEvent, Owner, Viewpoint};
use reckoning_server::{Game, Running, Server};

use super::drive::Track;
use super::relay::{Direction, Roads};
use super::{Listener, Outcome, Scene, Tally};

const FRAME: Duration = Duration::from_millis(5);
/// Two handshakes, a join and some clock exchanges at the longest delay, on a busy machine.
const JOIN_WITHIN: Duration = Duration::from_secs(45);
/// For clocks to settle before the drive begins.
const SETTLE: Duration = Duration::from_secs(3);

#[expect(clippy::disallowed_methods, reason = "real sockets in real time")]
fn instant() -> Instant {
    Instant::now()
}

/// What the server's thread and the measuring one share.
struct Stage {
    track: Track,
    begin: OnceLock<Instant>,
    /// The zero of the host's time.
    host_start: Mutex<Option<Instant>>,
    updates: AtomicU64,
    lost: AtomicU64,
}

impl Stage {
    /// The moment of the drive; negative before it begins.
    fn since_begin(&self, real: Instant) -> SimTime {
        let Some(begin) = self.begin.get() else { return SimTime::MIN };
        let micros = |span: Duration| span.as_micros() as i64;
        let (after, before) =
            (real.saturating_duration_since(*begin), begin.saturating_duration_since(real));
        SimTime::from_micros(micros(after) - micros(before))
    }
}

/// The game of one tank, which the host drives.
struct Mover {
    stage: Arc<Stage>,
    body: Option<EntityId>,
}

impl Mover {
    /// The real moment of a host's time. Reading the clock comes after the step began, so the
    /// earliest start ever seen is the best.
    fn real(&self, now: SimTime) -> Instant {
        let passed = now.saturating_since(SimTime::ZERO);
        let seen = instant().checked_sub(passed).unwrap();
        let mut start = self.stage.host_start.lock().unwrap();
        let best = start.map_or(seen, |start| start.min(seen));
        *start = Some(best);
        best + passed
    }
}

impl Game for Mover {
    fn event(&mut self, _: SimTime, event: &HostEvent, host: &mut Host) {
        if let HostEvent::Joined { peer, .. } = event {
            host.set_viewpoint(*peer, Viewpoint::Place(DVec3::ZERO));
        }
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        let at = self.stage.since_begin(self.real(now));
        let truth = Kinematics { at: now, ..self.stage.track.at(at) };
        match self.body {
            Some(body) => drop(host.observe(body, &truth)),
            None => self.body = host.spawn(now, Owner::Host, b"", &truth).ok(),
        }
        let traffic = host.stats().traffic;
        self.stage.updates.store(traffic.updates_out, Ordering::Relaxed);
        self.stage.lost.store(traffic.lost, Ordering::Relaxed);
    }
}

struct Receiver {
    client: Client,
    body: Option<EntityId>,
    tally: Tally,
    clock_error_ms: f64,
    /// It lost the server: the machine stood still for seconds.
    lost: bool,
}

impl Receiver {
    fn new(listener: &Listener, server: &Running, roads: &Roads, seed: u64) -> Self {
        let jitter = Duration::from_millis(listener.jitter_ms);
        let way = Direction { jitter, ..Direction::new(listener.delay_ms) };
        let road = roads.build(server.address(), way, way, seed);
        let mut config = ClientConfig::new(&road.to_string());
        config.session = listener.session();
        let client = Client::connect(config).unwrap();
        Self { client, body: None, tally: Tally::default(), clock_error_ms: 0.0, lost: false }
    }

    fn is_ready(&mut self) -> bool {
        self.client.drive();
        self.body = self.client.ghosts().next().map(|(body, _)| body);
        self.body.is_some()
    }

    fn frame(&mut self, stage: &Stage) {
        self.client.drive();
        let (real, now) = (instant(), self.client.now());
        let at = stage.since_begin(real);
        if at <= SimTime::ZERO {
            return;
        }
        let Some(shown) = self.body.and_then(|body| self.client.shown(body, now)) else {
            self.lost = true;
            return;
        };
        let error_m = shown.position.distance(stage.track.at(at).position);
        self.tally.look(at.as_secs_f64(), error_m);
        let start = stage.host_start.lock().unwrap().unwrap();
        let host_now = SimTime::ZERO + real.saturating_duration_since(start);
        let session = self.client.session();
        let believed = session.and_then(|it| it.host_time(now)).unwrap_or(host_now);
        let off_ms = 1e3 * believed.secs_since(host_now).abs();
        self.clock_error_ms = self.clock_error_ms.max(off_ms);
    }
}

struct Play {
    stage: Arc<Stage>,
    server: Running,
    receivers: Vec<Receiver>,
    updates_before: u64,
    lost_before: u64,
}

impl Play {
    fn open(scene: &Scene, roads: &Roads) -> Self {
        let stage = Arc::new(Stage {
            track: Track::new(scene.drive, scene.seconds, scene.seed),
            begin: OnceLock::new(),
            host_start: Mutex::new(None),
            updates: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        });
        let mut server = Server::new(Scene::settings());
        server.set_host(scene.host());
        let server = server.start(Mover { stage: stage.clone(), body: None }).unwrap();
        let receivers = scene.listeners.iter().zip(0..);
        let receivers = receivers
            .map(|(listener, place)| {
                Receiver::new(listener, &server, roads, scene.seed * 8 + place)
            })
            .collect();
        Self { stage, server, receivers, updates_before: 0, lost_before: 0 }
    }

    fn begin(&mut self, at: Instant) {
        self.stage.begin.set(at).unwrap();
        self.updates_before = self.stage.updates.load(Ordering::Relaxed);
        self.lost_before = self.stage.lost.load(Ordering::Relaxed);
    }

    fn outcome(&self) -> Outcome {
        let off = self.receivers.iter().map(|it| it.clock_error_ms);
        Outcome {
            errors_m: self.receivers.iter().map(|it| it.tally.mean_m()).collect(),
            updates: self.stage.updates.load(Ordering::Relaxed) - self.updates_before,
            lost: self.stage.lost.load(Ordering::Relaxed) - self.lost_before,
            clock_error_ms: off.fold(0.0, f64::max),
        }
    }
}

/// What all scenes of a run came to.
pub struct Run {
    pub outcomes: Vec<Outcome>,
    /// How late the roads were on average, beyond their delays.
    pub late_ms: f64,
    /// Somebody lost the server.
    pub lost: bool,
}

/// Runs scenes of equal length side by side, each with a server of its own.
pub fn run(scenes: &[Scene]) -> Run {
    let roads = Roads::start();
    let mut plays: Vec<Play> = scenes.iter().map(|scene| Play::open(scene, &roads)).collect();
    wait_for_joins(&mut plays);
    let begin = instant() + Duration::from_millis(50);
    for play in &mut plays {
        play.begin(begin);
    }
    let end = begin + Duration::from_secs(u64::from(scenes[0].seconds));
    while instant() < end {
        frames(&mut plays, Receiver::frame);
    }
    let lost = plays.iter().flat_map(|play| &play.receivers).any(|it| it.lost);
    let outcomes = plays.iter().map(Play::outcome).collect();
    let late_ms = roads.lateness.mean_ms();
    for play in plays {
        play.server.stop();
    }
    Run { outcomes, late_ms, lost }
}

fn frames(plays: &mut [Play], mut each: impl FnMut(&mut Receiver, &Stage)) {
    for Play { stage, receivers, .. } in plays {
        for receiver in receivers {
            each(receiver, stage);
        }
    }
    sleep(FRAME);
}

fn wait_for_joins(plays: &mut [Play]) {
    let opened = instant();
    let mut settled = None;
    while settled.is_none_or(|since: Instant| since.elapsed() < SETTLE) {
        let mut ready = true;
        frames(plays, |receiver, _| ready &= receiver.is_ready());
        settled = if ready { settled.or(Some(instant())) } else { None };
        assert!(opened.elapsed() < JOIN_WITHIN, "not everyone has joined within {JOIN_WITHIN:?}");
    }
}
