//! Cost of a host with 64 clients and 256 entities, each sent to every client 20 times a second.
//!
//! Clients acknowledge as real ones do, a tenth of a second later; only the host's own calls
//! are timed. Nothing is asserted: a slow day is no bug.
//!
//! `cargo bench -p reckoning-net --bench host`, or some policies: `... --bench host -- base`

#[path = "../tests/shared/linear_format.rs"]
mod linear_format;

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use reckoning::fairness::{Budget, Policy, Weights};
use reckoning::{DVec3, Kinematics, SimTime, Threshold};
use reckoning_net::wire::{Ack, EntityId, Header, Message, PacketReader, PacketWriter, VERSION};
use reckoning_net::{Host, HostConfig, HostEvent, Owner, PeerId};

use linear_format::format;

const CLIENTS: u32 = 64;
const ENTITIES: u32 = 256;
const SECONDS: i64 = 10;

/// Runs in circles fast enough to cross any threshold in a tick.
fn truth(n: u32, at: SimTime) -> Kinematics {
    let angle = 3.0 * at.as_secs_f64() + f64::from(n);
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let center = DVec3::new(f64::from(n % 16), f64::from(n / 16), 0.0) * 10.0;
    Kinematics::moving(
        at,
        center + DVec3::new(cos, sin, 0.0) * 3.0,
        DVec3::new(-sin, cos, 0.0) * 9.0,
    )
}

/// A client that only acknowledges.
struct Listener {
    sequence: u16,
    newest: Option<u16>,
    /// Acknowledgements on their way: due, newest.
    back: Vec<(SimTime, u16, u16)>,
}

#[derive(Default)]
struct Cost {
    tick: Duration,
    fill: Duration,
    hear: Duration,
    worst_tick: Duration,
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *sum += start.elapsed();
    done
}

fn ack_of(listener: &mut Listener, now: SimTime) -> Option<Vec<u8>> {
    let place = listener.back.iter().rposition(|(due, ..)| *due <= now)?;
    let (_, newest, received_ms) = listener.back[place];
    listener.back.drain(..=place);
    let header = Header {
        sequence: listener.sequence,
        sent_ms: now.as_micros() / 1000,
        ack: Some(Ack { newest, before: u32::MAX, received_ms }),
    };
    listener.sequence = listener.sequence.wrapping_add(1);
    let mut buf = [0; 100];
    let length = PacketWriter::new(&mut buf, &header).finish()?;
    Some(buf[..length].to_vec())
}

fn join(host: &mut Host, listener: &mut Listener, peer: PeerId) {
    let mut buf = [0; 100];
    let header = Header { sequence: 0, sent_ms: 0, ack: None };
    let mut out = PacketWriter::new(&mut buf, &header);
    out.push(None, &Message::Join { version: VERSION, token: &[] });
    let length = out.finish().expect("it fits");
    listener.sequence = 1;
    host.connect(SimTime::ZERO, peer);
    host.handle_datagram(SimTime::ZERO, peer, &buf[..length]);
    while let Some(event) = host.poll_event() {
        if let HostEvent::JoinRequested { peer, .. } = event {
            host.admit(SimTime::ZERO, peer);
        }
    }
}

fn run(name: &str, policy: Policy) {
    let mut config = HostConfig::new(format(true));
    config.fairness = policy;
    config.bytes_per_s = 10_000_000;
    config.zones.classes[0].threshold = Threshold::metres(0.02).expect("positive");
    let mut host = Host::new(config).expect("sound");
    let mut listeners: Vec<Listener> =
        (0..CLIENTS).map(|_| Listener { sequence: 0, newest: None, back: Vec::new() }).collect();
    for (n, listener) in listeners.iter_mut().enumerate() {
        join(&mut host, listener, PeerId(n as u32));
    }
    let bodies: Vec<EntityId> = (0..ENTITIES)
        .map(|n| {
            host.spawn(SimTime::ZERO, Owner::Host, b"", &truth(n, SimTime::ZERO)).expect("room")
        })
        .collect();
    let mut cost = Cost::default();
    let mut buf = [0; 1000];
    for tick in 0..SECONDS * 20 {
        let now = SimTime::from_millis(tick * 50);
        for (n, listener) in listeners.iter_mut().enumerate() {
            if let Some(bytes) = ack_of(listener, now) {
                timed(&mut cost.hear, || host.handle_datagram(now, PeerId(n as u32), &bytes));
            }
        }
        for (n, body) in bodies.iter().enumerate() {
            let truth = truth(n as u32, now);
            timed(&mut cost.tick, || host.observe(*body, &truth));
        }
        let mut this = Duration::ZERO;
        timed(&mut this, || host.handle_timeout(now));
        cost.tick += this;
        while let Some((peer, length)) = timed(&mut cost.fill, || host.poll_datagram(now, &mut buf))
        {
            let header = *PacketReader::new(&buf[..length]).expect("sound").header();
            let listener = &mut listeners[peer.0 as usize];
            listener.newest = Some(header.sequence);
            let arrived = now + Duration::from_millis(50);
            let low_ms = (arrived.as_micros() / 1000) as u16;
            listener.back.push((now + Duration::from_millis(100), header.sequence, low_ms));
        }
        cost.worst_tick = cost.worst_tick.max(this);
        while host.poll_event().is_some() {}
    }
    report(name, &host, &cost);
}

fn report(name: &str, host: &Host, cost: &Cost) {
    let stats = host.stats().traffic;
    let all = cost.tick + cost.fill + cost.hear;
    let each = |span: Duration| span.as_nanos() as f64 / stats.updates_out as f64;
    println!(
        "{name:14} {:8} updates, {:5.1} bytes each; ns each: {:4.0} = tick {:4.0} + fill {:4.0} + \
         acks {:4.0}; {:4.1} % of a core",
        stats.updates_out,
        stats.bytes_out as f64 / stats.updates_out as f64,
        each(all),
        each(cost.tick),
        each(cost.fill),
        each(cost.hear),
        100.0 * all.as_secs_f64() / SECONDS as f64,
    );
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let budget = Budget::per_trigger(f64::from(CLIENTS) / 3.0).expect("positive");
    let weights = Weights::ACCUMULATED;
    let policies = [
        ("base", Policy::Base),
        ("every third", Policy::EveryKth { k: NonZeroU32::new(3).expect("three") }),
        ("deterministic", Policy::Deterministic { budget, weights }),
        ("probabilistic", Policy::Probabilistic { budget, weights }),
    ];
    println!("{CLIENTS} clients x {ENTITIES} entities, {SECONDS} s at 20 ticks a second");
    for (name, policy) in policies {
        if asked.is_empty() || asked.iter().any(|it| name.contains(it.as_str())) {
            run(name, policy);
        }
    }
}
