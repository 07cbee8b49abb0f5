//! Steps that take too long, in virtual time: the loop's own code, real sessions, no sockets.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

use reckoning::Kinematics;
use reckoning_net::{Session, SessionConfig, SessionEvent};
use tokio::sync::mpsc::Receiver as Batches;

use super::*;
use crate::connection::{Sink, SocketOutbox};
use crate::limits::AddressLimiter;
use crate::{Relay, host_config};

const PERIOD: Duration = Duration::from_millis(20);

/// What a step costs on this machine.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    each: Duration,
    per_update: Duration,
}

/// A relay whose steps take time: some each, and some for every update that is sent.
struct Busy {
    relay: Relay,
    cost: Arc<Mutex<Cost>>,
    took: Arc<Mutex<Duration>>,
    updates: u64,
}

impl Game for Busy {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        self.relay.event(now, event, host);
    }

    fn tick(&mut self, _: SimTime, host: &mut Host) {
        let sent = host.stats().traffic.updates_out;
        let fresh = (sent - std::mem::replace(&mut self.updates, sent)) as u32;
        let cost = *lock(&self.cost);
        *lock(&self.took) = cost.each + cost.per_update * fresh;
    }
}

fn lock<T>(it: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Player {
    session: Session,
    connection: Arc<Connection>,
    outbox: Arc<SocketOutbox>,
    refused: Option<DisconnectReason>,
}

/// A loop, its players and the time.
struct World {
    tick_loop: TickLoop,
    players: Vec<Player>,
    events: Sender<ConnectionEvent>,
    batches: Batches<SendBatch>,
    cost: Arc<Mutex<Cost>>,
    took: Arc<Mutex<Duration>>,
    now: SimTime,
    due: SimTime,
    /// When the players last had a frame.
    framed: SimTime,
    steps: u32,
    longest: Duration,
}

impl World {
    fn new() -> Self {
        let mut settings = Settings::default();
        settings.tick_hz = 50;
        settings.limits.datagrams_per_s_per_address = 1_000_000;
        let (cost, took) = (Arc::default(), Arc::default());
        let relay = Relay::default();
        let game = Busy { relay, cost: Arc::clone(&cost), took: Arc::clone(&took), updates: 0 };
        let (events, connection_events) = channel();
        let (out, batches) = tokio::sync::mpsc::channel(64);
        let tick_loop = TickLoop {
            clock: Clock::start(),
            host: Host::new(host_config(&settings)).unwrap(),
            game: Box::new(game),
            join_auth: JoinAuth::new(None, crate::settings::Access::Open),
            metrics: Arc::default(),
            health: Arc::new(Health::new(Clock::start())),
            connection_events,
            recorder: None,
            stop: Arc::default(),
            batches: out,
            state: LoopState::new(settings.limits.datagram_bytes),
            settings,
        };
        let (now, players) = (SimTime::from_millis(10_000), Vec::new());
        let longest = Duration::ZERO;
        Self {
            tick_loop,
            players,
            events,
            batches,
            cost,
            took,
            now,
            due: now,
            framed: now,
            steps: 0,
            longest,
        }
    }

    fn connect(&mut self) -> usize {
        let limits = Arc::new(self.tick_loop.settings.limits.clone());
        let permit =
            AddressLimiter::new(limits.clone()).enter(self.now, [10, 0, 0, 1].into(), false);
        let outbox = Arc::new(SocketOutbox::default());
        let (peer, sink) = (PeerId(self.players.len() as u32 + 1), Sink::Socket(outbox.clone()));
        let (permit, metrics) = (Arc::new(permit.unwrap()), self.tick_loop.metrics.clone());
        let connection = Arc::new(Connection::new(peer, self.now, permit, sink, limits, metrics));
        self.events.send(ConnectionEvent::Opened(connection.clone())).unwrap();
        let mut config = SessionConfig::default();
        config.token = peer.0.to_le_bytes().to_vec();
        let session = Session::new(config).unwrap();
        self.players.push(Player { session, connection, outbox, refused: None });
        self.players.len() - 1
    }

    /// One step of the loop, and the frames that the players had meanwhile.
    fn step(&mut self) {
        let begin = self.now;
        self.tick_loop.step(begin);
        self.now += *lock(&self.took);
        let took = self.now.saturating_since(begin);
        self.tick_loop.shed(self.now, took);
        self.due = self.tick_loop.next_step(self.due, self.now, PERIOD);
        while let Ok(batch) = self.batches.try_recv() {
            for (connection, bytes) in batch {
                connection.send(bytes);
            }
        }
        self.now = self.now.max(self.due);
        while self.framed + PERIOD <= self.now {
            self.framed += PERIOD;
            self.players.iter_mut().for_each(|player| player.frame(self.framed));
        }
        self.steps += 1;
        self.longest = self.longest.max(self.now.saturating_since(begin));
    }

    fn run(&mut self, seconds: u64) {
        let end = self.now + Duration::from_secs(seconds);
        while self.now < end {
            self.step();
        }
    }

    fn cost(&self, each_ms: u64, per_update_us: u64) {
        *lock(&self.cost) = Cost {
            each: Duration::from_millis(each_ms),
            per_update: Duration::from_micros(per_update_us),
        };
    }

    fn stage(&self) -> usize {
        self.tick_loop.state.overload.stage()
    }

    fn load(&self) -> f64 {
        self.tick_loop.state.overload.load()
    }

    /// Players who are in.
    fn playing(&self) -> usize {
        self.tick_loop.metrics.peers.get() as usize
    }

    fn shown_to(&self, place: usize) -> usize {
        self.players[place].session.ghosts().count()
    }
}

impl Player {
    fn frame(&mut self, now: SimTime) {
        while let Some(bytes) = self.outbox.pop() {
            self.session.handle_datagram(now, &bytes);
        }
        self.session.handle_timeout(now);
        while let Some(event) = self.session.poll_event() {
            if let SessionEvent::Disconnected(why) = event {
                self.refused = Some(why);
            }
        }
        let turn = now.as_secs_f64() * 3.0 + f64::from(self.connection.peer.0);
        let place = DVec3::new(libm::cos(turn), libm::sin(turn), 0.0) * 10.0;
        let velocity = DVec3::new(-libm::sin(turn), libm::cos(turn), 0.0) * 30.0;
        for mine in self.session.owned().collect::<Vec<_>>() {
            self.session.observe(mine, &Kinematics::moving(now, place, velocity));
        }
        let mut buffer = [0; 1_000];
        while let Some(length) = self.session.poll_datagram(now, &mut buffer) {
            let _ = self.connection.receive(now, Bytes::copy_from_slice(&buffer[..length]));
        }
    }
}

const PLAYERS: usize = 12;

fn world() -> World {
    let mut world = World::new();
    for _ in 0..PLAYERS {
        world.connect();
    }
    world.run(5);
    assert_eq!((world.playing(), world.stage()), (PLAYERS, 0));
    world
}

/// Updates that each of the last seconds sent.
fn updates_per_s(world: &mut World, seconds: u64) -> f64 {
    let sent = |world: &World| world.tick_loop.host.stats().traffic.updates_out;
    let (before, from) = (sent(world), world.now);
    world.run(seconds);
    (sent(world) - before) as f64 / world.now.secs_since(from)
}

#[test]
fn sending_that_does_not_fit_is_done_less_often_and_everyone_stays() {
    let mut world = world();
    let calm_per_s = updates_per_s(&mut world, 5);
    // What is sent would take one and a half times the time there is.
    let cost_us = 1.5e6 / calm_per_s;
    world.cost(0, cost_us as u64);
    world.run(20);

    let busy_per_s = updates_per_s(&mut world, 10);
    let stage = world.stage();
    println!(
        "{calm_per_s:.0} updates/s, then {busy_per_s:.0} at stage {stage}, load {:.2}",
        world.load()
    );
    assert!((1..4).contains(&stage), "stage {stage}: fewer rounds, and before fewer clients");
    assert!(world.load() < 0.95, "load {}", world.load());
    assert_eq!((world.playing(), world.shown_to(0)), (PLAYERS, PLAYERS - 1), "everyone stays");
    let newcomer = world.connect();
    world.run(3);
    assert!(world.players[newcomer].session.owned().count() == 1, "there is room");
}

#[test]
fn a_game_that_takes_too_long_is_stepped_less_often_and_takes_nobody_new() {
    let mut world = world();
    world.cost(60, 0); // three periods
    (world.steps, world.longest) = (0, Duration::ZERO);
    let from = world.now;
    world.run(30);

    let possible = world.now.secs_since(from) / 0.06;
    assert!(f64::from(world.steps) > 0.9 * possible, "{} steps of {possible}", world.steps);
    assert!(world.longest <= Duration::from_millis(80), "a spiral: {:?}", world.longest);
    assert_eq!((world.stage(), world.playing()), (4, PLAYERS));
    let late = world.connect();
    world.run(2);
    assert_eq!(world.players[late].refused, Some(DisconnectReason::Full));
    assert_eq!(world.tick_loop.metrics.rejects(RejectReason::Overload), 1);
    assert_eq!(world.tick_loop.metrics.overload.get(), 4);

    world.cost(2, 0);
    world.steps = 0;
    world.run(1);
    assert!(
        world.steps <= 52,
        "{} steps in a second: missed ones are not made up for",
        world.steps
    );
    world.run(29);
    assert_eq!((world.stage(), world.playing()), (0, PLAYERS));
    let newcomer = world.connect();
    world.run(2);
    assert_eq!(world.players[newcomer].session.owned().count(), 1);
}
