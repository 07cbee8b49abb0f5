//! The load on Reckoning: a server whose game moves all bodies, and clients that count.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use reckoning::{SimTime, Threshold};
use reckoning_client::{Client, ClientConfig, Status};
use reckoning_net::wire::EntityId;
use reckoning_net::{Host, HostEvent, HostStats, Owner};
use reckoning_server::metrics::DropReason;
use reckoning_server::{Game, Running, Server, Settings, host_config, settings};

use crate::figures::{Figures, Word, words};
use crate::usage::{cpu_s, rss_kb};
use crate::walk::{BODIES, ROUNDS_HZ, THRESHOLD_M, Walker, crowd};
use crate::{Failure, Load};

/// What the host counted, for the thread that reports.
type Shared = Arc<Mutex<HostStats>>;

/// Moves all bodies every step.
struct Walk {
    crowd: Vec<Walker>,
    bodies: Vec<EntityId>,
    stats: Shared,
}

impl Game for Walk {
    fn event(&mut self, _: SimTime, _: &HostEvent, _: &mut Host) {}

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        let new = self.bodies.is_empty();
        for (place, walker) in self.crowd.iter_mut().enumerate() {
            let truth = walker.step(now);
            if new {
                self.bodies.extend(host.spawn(now, Owner::Host, b"", &truth).ok());
            } else if let Some(body) = self.bodies.get(place) {
                host.observe(*body, &truth);
            }
        }
        *self.stats.lock().unwrap_or_else(PoisonError::into_inner) = host.stats();
    }
}

/// All clients come from one address and want everything: the limits of a public server make
/// room for that, the rest is as it comes.
fn settings(load: Load) -> Result<Settings, Failure> {
    let mut table = settings::parse("listen = '127.0.0.1:0'\nlog = 'error'")?;
    let clients = load.clients;
    for flag in [
        format!("tick_hz={}", load.tick_hz),
        format!("limits.peers={}", clients + 8),
        format!("limits.connections_per_address={}", clients + 8),
        format!("limits.connects_per_s_per_address={}", clients + 8),
        "limits.datagrams_per_s_per_address=1000000".to_string(),
        "limits.pending_handshakes=1024".to_string(),
        "limits.send_buffer_bytes=64000".to_string(),
        format!("replication.rounds_hz={ROUNDS_HZ}"),
        "replication.budget_bytes_per_s=400000".to_string(),
    ] {
        settings::set(&mut table, &flag)?;
    }
    Ok(Settings::from_table(table)?)
}

/// The server's process.
pub fn serve(load: Load) -> Result<(), Failure> {
    let settings = settings(load)?;
    let mut host = host_config(&settings);
    host.zones.classes[0].threshold = Threshold::metres(THRESHOLD_M)?;
    let mut server = Server::new(settings);
    server.set_host(host);
    let stats = Shared::default();
    let game = Walk { crowd: crowd(), bodies: Vec::new(), stats: stats.clone() };
    let running = server.start(game)?;
    let mut hello = Figures::default();
    hello.set("port", f64::from(running.address().port()));
    hello.set("empty_rss_kb", rss_kb());
    hello.say();
    let words = words();
    let (mut before, mut ticks) = (Figures::default(), Vec::new());
    while words.recv() == Ok(Word::Begin) {
        before = count(&running, &stats);
        ticks = running.metrics().tick.counts();
    }
    let mut done = count(&running, &stats).since(&before);
    let tick = &running.metrics().tick;
    for (name, q) in [("tick_p50_us", 0.5), ("tick_p99_us", 0.99), ("tick_worst_us", 1.0)] {
        done.set(name, tick.quantile_us_since(&ticks, q) as f64);
    }
    done.set("rss_kb", rss_kb());
    done.set("peers", running.metrics().peers.get() as f64);
    done.say();
    // A server that goes says so, and the clients have not counted yet.
    while words.recv().is_ok() {}
    Ok(())
}

fn count(running: &Running, stats: &Shared) -> Figures {
    let metrics = running.metrics();
    let host = *stats.lock().unwrap_or_else(PoisonError::into_inner);
    let mut figures = Figures::default();
    for (name, value) in [
        ("sent", metrics.datagrams_out.get()),
        ("sent_bytes", metrics.bytes_out.get()),
        ("sent_updates", host.traffic.updates_out),
        ("rounds", host.ticks),
        ("late_ticks", metrics.late_ticks.get()),
        ("queue_drops", metrics.drops(DropReason::SendBuffer)),
        ("closed_drops", metrics.drops(DropReason::Closed) + metrics.drops(DropReason::TooLong)),
        (
            "inbound_drops",
            metrics.drops(DropReason::QueueFull) + metrics.drops(DropReason::PeerRate),
        ),
        ("unacknowledged", host.traffic.lost),
    ] {
        figures.set(name, value as f64);
    }
    figures.set("cpu_s", cpu_s());
    figures
}

/// Between two frames of a client.
const FRAME: Duration = Duration::from_millis(8);

/// The clients' process.
pub fn play(load: Load, port: u16) -> Result<(), Failure> {
    let server = format!("127.0.0.1:{port}");
    let mut clients = Vec::new();
    for _ in 0..load.clients {
        clients.push(Client::connect(ClientConfig::new(&server))?);
        // A handshake costs a millisecond or two: not all at once.
        frame(&mut clients, Duration::from_millis(4));
    }
    let sees_all = |client: &Client| client.ghosts().count() == BODIES as usize;
    while !clients.iter().all(sees_all) {
        frame(&mut clients, FRAME);
    }
    Figures::default().say();
    let words = words();
    let mut before = Figures::default();
    loop {
        frame(&mut clients, FRAME);
        match words.try_recv() {
            Ok(Word::Begin) => before = heard(&clients),
            Ok(Word::End) => break,
            Err(_) => {}
        }
    }
    let mut done = heard(&clients).since(&before);
    let joined = clients.iter().filter(|it| *it.status() == Status::Joined).count();
    if let Some(out) = clients.iter().find(|it| *it.status() != Status::Joined) {
        eprintln!("{} are out, such as: {:?}", clients.len() - joined, out.status());
    }
    done.set("play_joined", joined as f64);
    done.say();
    Ok(())
}

fn frame(clients: &mut [Client], rest: Duration) {
    for client in clients {
        client.drive();
        while client.poll_event().is_some() {}
    }
    sleep(rest);
}

fn heard(clients: &[Client]) -> Figures {
    let mut figures = Figures::default();
    let sessions = || clients.iter().filter_map(Client::session).map(|it| *it.stats());
    figures.set("received", sessions().map(|it| it.datagrams_in).sum::<u64>() as f64);
    figures.set("received_bytes", sessions().map(|it| it.bytes_in).sum::<u64>() as f64);
    figures.set("received_updates", sessions().map(|it| it.updates_in).sum::<u64>() as f64);
    figures.set("missed", sessions().map(|it| it.missed).sum::<u64>() as f64);
    figures.set("inbox_drops", clients.iter().map(Client::dropped).sum::<u64>() as f64);
    figures.set("play_cpu_s", cpu_s());
    figures
}
