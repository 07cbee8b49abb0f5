//! The same load on renet: every round the full state of every body to everyone, as
//! single-precision numbers over its unreliable channel.
//!
//! A message is the round's number and 37 bodies (id, position and velocity: 28 bytes each), so
//! that none is sliced; seven messages are a round. Packets are encrypted, as ours are.

use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::TryRecvError;
use std::thread::sleep;
use std::time::Duration;

use reckoning::{Kinematics, SimTime};
use reckoning_server::metrics::Histogram;
use reckoning_server::{Clock, unix_seconds};
use renet::{Bytes, ConnectionConfig, DefaultChannel, RenetClient, RenetServer};
use renet_netcode::{
    ClientAuthentication, NetcodeClientTransport, NetcodeServerTransport, ServerAuthentication,
    ServerConfig,
};

use crate::figures::{Figures, Word, words};
use crate::usage::{cpu_s, rss_kb};
use crate::walk::{ROUNDS_HZ, Walker, crowd};
use crate::{Failure, Load};

const PROTOCOL: u64 = 7;
const BODIES_PER_MESSAGE: usize = 37;
const BODY_BYTES: usize = 28;

/// The server's process.
pub fn serve(load: Load) -> Result<(), Failure> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let address = socket.local_addr()?;
    let config = ServerConfig {
        current_time: Duration::from_secs(unix_seconds()),
        max_clients: load.clients,
        protocol_id: PROTOCOL,
        public_addresses: vec![address],
        authentication: ServerAuthentication::Unsecure,
    };
    let transport = NetcodeServerTransport::new(config, socket)?;
    let server = RenetServer::new(ConnectionConfig::default());
    let mut hello = Figures::default();
    hello.set("port", f64::from(address.port()));
    hello.set("empty_rss_kb", rss_kb());
    hello.say();
    let tick = Histogram::default();
    let figures = Figures::default();
    Rival { server, transport, crowd: crowd(), tick, figures, round: 0 }.run(load.tick_hz)
}

struct Rival {
    server: RenetServer,
    transport: NetcodeServerTransport,
    crowd: Vec<Walker>,
    tick: Histogram,
    figures: Figures,
    round: u32,
}

impl Rival {
    fn run(mut self, tick_hz: u32) -> Result<(), Failure> {
        let (words, clock) = (words(), Clock::start());
        let period = Duration::from_secs(1) / tick_hz;
        let (mut before, mut ticks) = (Figures::default(), Vec::new());
        let (mut due, mut last) = (clock.now(), clock.now());
        for number in 0_u32.. {
            let now = clock.now();
            self.step(now, now.saturating_since(last), number % (tick_hz / ROUNDS_HZ).max(1) == 0)?;
            self.tick.observe(clock.now().saturating_since(now));
            last = now;
            due += period;
            if clock.now() > due + period {
                self.add("late_ticks", 1.0);
                due = clock.now();
            }
            sleep(clock.until(due));
            match words.try_recv() {
                Ok(Word::Begin) => (before, ticks) = (self.count(), self.tick.counts()),
                Ok(Word::End) | Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {}
            }
        }
        let mut done = self.count().since(&before);
        for (name, q) in [("tick_p50_us", 0.5), ("tick_p99_us", 0.99), ("tick_worst_us", 1.0)] {
            done.set(name, self.tick.quantile_us_since(&ticks, q) as f64);
        }
        done.set("rss_kb", rss_kb());
        done.set("peers", self.server.connected_clients() as f64);
        done.say();
        Ok(())
    }

    fn step(&mut self, now: SimTime, passed: Duration, sends: bool) -> Result<(), Failure> {
        self.server.update(passed);
        self.transport.update(passed, &mut self.server)?;
        while self.server.get_event().is_some() {}
        let truths: Vec<Kinematics> = self.crowd.iter_mut().map(|it| it.step(now)).collect();
        if sends {
            self.broadcast(&truths);
        }
        self.transport.send_packets(&mut self.server);
        Ok(())
    }

    fn broadcast(&mut self, truths: &[Kinematics]) {
        let clients = self.server.connected_clients() as f64;
        for (place, bodies) in truths.chunks(BODIES_PER_MESSAGE).enumerate() {
            let message = message(self.round, place * BODIES_PER_MESSAGE, bodies);
            self.add("sent", clients);
            self.add("sent_bytes", clients * message.len() as f64);
            self.server.broadcast_message(DefaultChannel::Unreliable, message);
        }
        self.add("sent_updates", clients * truths.len() as f64);
        self.add("rounds", 1.0);
        self.round += 1;
    }

    fn add(&mut self, name: &str, more: f64) {
        self.figures.set(name, self.figures.of(name) + more);
    }

    fn count(&self) -> Figures {
        let mut figures = self.figures.clone();
        figures.set("cpu_s", cpu_s());
        figures
    }
}

fn message(round: u32, first: usize, bodies: &[Kinematics]) -> Bytes {
    let mut bytes = Vec::with_capacity(4 + bodies.len() * BODY_BYTES);
    bytes.extend(round.to_le_bytes());
    for (place, body) in bodies.iter().enumerate() {
        bytes.extend(((first + place) as u32).to_le_bytes());
        for value in body.position.to_array().into_iter().chain(body.velocity.to_array()) {
            bytes.extend((value as f32).to_le_bytes());
        }
    }
    bytes.into()
}

/// One client and what it heard.
struct Player {
    client: RenetClient,
    transport: NetcodeClientTransport,
    received: u64,
    bytes: u64,
    updates: u64,
    /// The rounds that the messages were of, the first and the newest, and how many were of them.
    rounds: Option<[(u32, u64); 2]>,
    frames: u32,
}

/// Acknowledgements leave every so many frames, about as often as ours do: with every frame they
/// would only fill the server's socket.
const FRAMES_PER_ANSWER: u32 = 6;

/// The clients' process.
pub fn play(load: Load, port: u16) -> Result<(), Failure> {
    let server_addr = SocketAddr::from(([127, 0, 0, 1], port));
    let clock = Clock::start();
    let mut players = Vec::new();
    for client_id in 0..load.clients as u64 {
        players.push(Player::new(client_id, server_addr)?);
    }
    let mut last = clock.now();
    let mut frame = |players: &mut [Player]| {
        let now = clock.now();
        let passed = now.saturating_since(last);
        last = now;
        players.iter_mut().for_each(|it| it.frame(passed));
        sleep(Duration::from_millis(8));
    };
    while !players.iter().all(|it| it.received > 0) {
        frame(&mut players);
    }
    Figures::default().say();
    let words = words();
    let mut before = Figures::default();
    loop {
        frame(&mut players);
        match words.try_recv() {
            Ok(Word::Begin) => {
                players.iter_mut().for_each(Player::forget);
                before.set("play_cpu_s", cpu_s());
            }
            Ok(Word::End) => break,
            Err(_) => {}
        }
    }
    heard(&players).since(&before).say();
    Ok(())
}

impl Player {
    fn new(client_id: u64, server_addr: SocketAddr) -> Result<Self, Failure> {
        let now = Duration::from_secs(unix_seconds());
        let unsecure = ClientAuthentication::Unsecure {
            protocol_id: PROTOCOL,
            client_id,
            server_addr,
            user_data: None,
        };
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        let transport = NetcodeClientTransport::new(now, unsecure, socket)?;
        let client = RenetClient::new(ConnectionConfig::default());
        Ok(Self { client, transport, received: 0, bytes: 0, updates: 0, rounds: None, frames: 0 })
    }

    fn frame(&mut self, passed: Duration) {
        self.client.update(passed);
        // Whoever is thrown out shows in the count of those who are in.
        let _ = self.transport.update(passed, &mut self.client);
        while let Some(message) = self.client.receive_message(DefaultChannel::Unreliable) {
            self.hear(&message);
        }
        self.frames += 1;
        if self.frames.is_multiple_of(FRAMES_PER_ANSWER) {
            let _ = self.transport.send_packets(&mut self.client);
        }
    }

    /// Decodes as a game would.
    fn hear(&mut self, message: &[u8]) {
        let Some((round, bodies)) = message.split_first_chunk::<4>() else { return };
        let round = u32::from_le_bytes(*round);
        let mut sum = 0.0;
        for body in bodies.chunks_exact(BODY_BYTES) {
            for value in body.chunks_exact(4).skip(1) {
                sum += f32::from_le_bytes(value.try_into().unwrap_or_default());
            }
            self.updates += 1;
        }
        std::hint::black_box(sum);
        self.received += 1;
        self.bytes += message.len() as u64;
        let [mut first, mut newest] = self.rounds.unwrap_or([(round, 0); 2]);
        if round > newest.0 {
            newest = (round, 0);
        }
        first.1 += u64::from(round == first.0);
        newest.1 += u64::from(round == newest.0);
        self.rounds = Some([first, newest]);
    }

    fn forget(&mut self) {
        (self.received, self.bytes, self.updates, self.rounds) = (0, 0, 0, None);
    }

    /// Messages that did not come, of the rounds between the first and the newest: those two
    /// may be cut by the beginning and the end of the measured time.
    fn missed(&self) -> u64 {
        let Some([first, newest]) = self.rounds.filter(|[first, newest]| first.0 < newest.0) else {
            return 0;
        };
        let per_round = crate::walk::BODIES.div_ceil(BODIES_PER_MESSAGE as u32);
        let due = u64::from((newest.0 - first.0 - 1) * per_round);
        due.saturating_sub(self.received - first.1 - newest.1)
    }
}

fn heard(players: &[Player]) -> Figures {
    let mut figures = Figures::default();
    let sum = |of: fn(&Player) -> u64| players.iter().map(of).sum::<u64>() as f64;
    figures.set("received", sum(|it| it.received));
    figures.set("received_bytes", sum(|it| it.bytes));
    figures.set("received_updates", sum(|it| it.updates));
    figures.set("missed", sum(Player::missed));
    figures.set("play_cpu_s", cpu_s());
    figures.set("play_joined", sum(|it| u64::from(it.client.is_connected())));
    figures
}
