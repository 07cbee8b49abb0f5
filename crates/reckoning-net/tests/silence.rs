//! Time-outs of a session: a host that is gone, and one that only seems so.

#[path = "shared/linear_format.rs"]
mod linear_format;

use core::time::Duration;

use reckoning::SimTime;
use reckoning_net::{Host, HostConfig, HostEvent, PeerId, Session, SessionConfig, SessionEvent};

use linear_format::format;

const PEER: PeerId = PeerId(1);
const STEP: Duration = Duration::from_millis(10);

/// A host and a session with nothing to say to each other, over a bad link.
struct Pair {
    host: Host,
    session: Session,
    now: SimTime,
    under_way: Vec<(SimTime, bool, Vec<u8>)>,
    dice: u64,
    loss: f64,
    jitter_ms: u64,
}

impl Pair {
    fn new(seed: u64, loss: f64, jitter_ms: u64) -> Self {
        let mut host = Host::new(HostConfig::new(format(true))).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let session = Session::new(SessionConfig::default()).unwrap();
        let (now, under_way) = (SimTime::ZERO, Vec::new());
        Self { host, session, now, under_way, dice: seed << 32 | 7, loss, jitter_ms }
    }

    fn dice(&mut self) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice >> 11
    }

    fn carry(&mut self, to_host: bool, bytes: &[u8]) {
        if (self.dice() % 10_000) as f64 >= 10_000.0 * self.loss {
            let delay = Duration::from_millis(20 + self.dice() % (self.jitter_ms + 1));
            self.under_way.push((self.now + delay, to_host, bytes.to_vec()));
        }
    }

    /// A step of both, or of the session alone. Returns the events of the session.
    fn step(&mut self, host_lives: bool) -> Vec<SessionEvent> {
        let (now, mut buf) = (self.now, [0; 1000]);
        let arrived = self.under_way.extract_if(.., |(at, ..)| *at <= now).collect::<Vec<_>>();
        for (_, to_host, bytes) in arrived {
            if !to_host {
                self.session.handle_datagram(now, &bytes);
            } else if host_lives {
                self.host.handle_datagram(now, PEER, &bytes);
            }
        }
        if host_lives {
            self.host.handle_timeout(now);
            while let Some(event) = self.host.poll_event() {
                if let HostEvent::JoinRequested { peer, .. } = event {
                    self.host.admit(now, peer);
                }
            }
            while let Some((_, length)) = self.host.poll_datagram(now, &mut buf) {
                self.carry(false, &buf[..length]);
            }
        }
        self.session.handle_timeout(now);
        while let Some(length) = self.session.poll_datagram(now, &mut buf) {
            self.carry(true, &buf[..length]);
        }
        self.now += STEP;
        core::iter::from_fn(|| self.session.poll_event()).collect()
    }

    fn join(&mut self) {
        while self.session.peer().is_none() {
            self.step(true);
        }
    }
}

#[test]
fn an_idle_session_outlives_an_hour_of_loss_and_jitter() {
    for seed in 1..=6 {
        let mut pair = Pair::new(seed, 0.3, 500);
        pair.join();
        for _ in 0..60_000 {
            assert!(
                !pair.step(true).contains(&SessionEvent::Lost),
                "seed {seed} at {:?}",
                pair.now
            );
        }
        assert!(pair.host.peers().any(|peer| peer == PEER), "the host kept it, too");
        // A copied token must not push out somebody who is only badly connected.
        let sent = pair.session.stats().datagrams_out as f64 / 600.0;
        assert!(sent < 12.0, "{sent} datagrams a second for nothing");
    }
}

#[test]
fn a_dead_host_is_noticed_within_three_seconds() {
    for (loss, jitter_ms) in [(0.0, 0), (0.3, 500)] {
        let mut pair = Pair::new(3, loss, jitter_ms);
        pair.join();
        (0..500).for_each(|_| drop(pair.step(true)));
        let killed = pair.now;
        while !pair.step(false).contains(&SessionEvent::Lost) {}
        let noticed_s = pair.now.secs_since(killed);
        assert!((1.9..=3.6).contains(&noticed_s), "{noticed_s} s");
    }
}

#[test]
fn a_session_that_slept_gives_its_host_time_to_be_heard() {
    let mut pair = Pair::new(5, 0.0, 0);
    pair.join();
    (0..100).for_each(|_| drop(pair.step(true)));
    pair.now += Duration::from_secs(4);
    for _ in 0..400 {
        assert!(!pair.step(true).contains(&SessionEvent::Lost));
    }
}
