//! The pill follows a change of the link, with a real host and session in virtual time.

#![cfg(not(target_arch = "wasm32"))]

use std::time::Duration;

use reckoning::{Model, Quantiser, SimTime};
use reckoning_arena::protocol::{ClientMessage, LinkChoice, ServerMessage};
use reckoning_net::{
    Delivery, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session, SessionConfig,
    SessionEvent,
};
use reckoning_netsim::{Link, LinkConfig, Loss};
use reckoning_web::link_pill::LinkInForce;

const PEER: PeerId = PeerId(1);
const FRAME: Duration = Duration::from_micros(16_667);

const fn choice(delay_ms: u16, loss_percent: u8) -> LinkChoice {
    LinkChoice { delay_ms, loss_percent, ..LinkChoice::NONE }
}

/// Both directions: what is under way when a link changes arrives as it would have.
#[derive(Default)]
struct Way {
    links: Vec<Link<Vec<u8>>>,
}

impl Way {
    fn change(&mut self, choice: LinkChoice, seed: u64) {
        let mut config = LinkConfig::default();
        config.delay = Duration::from_millis(choice.delay_ms.into());
        config.loss = Loss::Independent { share: f64::from(choice.loss_percent) / 100.0 };
        config.seed = seed;
        self.links.push(Link::new(config).unwrap());
    }

    fn send(&mut self, now: SimTime, bytes: &[u8]) {
        self.links.last_mut().unwrap().send(now, bytes.len() as u32, bytes.to_vec());
    }

    fn poll(&mut self, now: SimTime) -> Option<Vec<u8>> {
        self.links.iter_mut().find_map(|link| link.poll(now)).map(|it| it.1)
    }
}

/// A page whose server simulates its link.
struct Page {
    host: Host,
    session: Session,
    up: Way,
    down: Way,
    now: SimTime,
    wanted: LinkChoice,
    in_force: LinkInForce,
    /// What the network is like, whatever was wished for.
    network_changed: u64,
}

impl Page {
    fn new(link: LinkChoice) -> Self {
        let steps = Quantiser {
            position_m: 0.01,
            velocity_mps: 0.03,
            acceleration_mps2: 0.1,
            angular_velocity_radps: 0.01,
            orientation: 0.01,
        };
        let format = Format::new(true, 1_000, steps, &[Model::Linear], Registry::default());
        let mut host = Host::new(HostConfig::new(format.unwrap())).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let session = Session::new(SessionConfig::default()).unwrap();
        let mut page = Self {
            host,
            session,
            up: Way::default(),
            down: Way::default(),
            now: SimTime::ZERO,
            wanted: link,
            in_force: LinkInForce::default(),
            network_changed: 0,
        };
        page.change_network(link);
        page
    }

    fn change_network(&mut self, link: LinkChoice) {
        self.network_changed += 1;
        self.up.change(link, self.network_changed);
        self.down.change(link, self.network_changed + 100);
    }

    fn wish(&mut self, link: LinkChoice) {
        self.wanted = link;
        let wish = ClientMessage::SetLink(link).encode();
        self.session.send(&wish, Delivery::Reliable).unwrap();
    }

    fn frame(&mut self) {
        self.now += FRAME;
        let (now, mut buffer) = (self.now, [0; 1_500]);
        while let Some(bytes) = self.up.poll(now) {
            self.host.handle_datagram(now, PEER, &bytes);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            match event {
                HostEvent::JoinRequested { peer, .. } => {
                    self.host.admit(now, peer);
                    let greeting = ServerMessage::Link(self.wanted).encode();
                    let _ = self.host.send(peer, &greeting, Delivery::Reliable);
                }
                HostEvent::Message { bytes, .. } => self.grant(&bytes),
                _ => {}
            }
        }
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buffer) {
            self.down.send(now, &buffer[..length]);
        }
        while let Some(bytes) = self.down.poll(now) {
            self.session.handle_datagram(now, &bytes);
        }
        self.session.handle_timeout(now);
        while let Some(event) = self.session.poll_event() {
            if let SessionEvent::Message(bytes) = event
                && let Ok(ServerMessage::Link(link)) = ServerMessage::decode(&bytes)
            {
                self.in_force.hear(link, now);
            }
        }
        while let Some(length) = self.session.poll_datagram(now, &mut buffer) {
            self.up.send(now, &buffer[..length]);
        }
    }

    /// The server simulates what was wished for, and says so.
    fn grant(&mut self, bytes: &[u8]) {
        let Ok(ClientMessage::SetLink(link)) = ClientMessage::decode(bytes) else { return };
        self.change_network(link);
        let _ = self.host.send(PEER, &ServerMessage::Link(link).encode(), Delivery::Reliable);
    }

    fn run(&mut self, seconds: f64) {
        let end = self.now + Duration::from_secs_f64(seconds);
        while self.now < end {
            self.frame();
        }
    }

    fn pill_ms(&self) -> Option<f64> {
        let newest = self.session.clock().newest_delay();
        Some(self.in_force.one_way(self.now, self.wanted, newest)?.as_secs_f64() * 1e3)
    }

    /// Frame by frame for some seconds: when, and what the pill says.
    fn watched(&mut self, seconds: f64) -> Vec<(f64, Option<f64>)> {
        let begin = self.now;
        let mut seen = Vec::new();
        while self.now.secs_since(begin) < seconds {
            self.frame();
            seen.push((self.now.secs_since(begin), self.pill_ms()));
        }
        seen
    }
}

/// Frames of both ends add to the way.
fn is_right(ms: f64, link: LinkChoice) -> bool {
    let off = ms - f64::from(link.delay_ms);
    (-1.0..=40.0).contains(&off)
}

#[test]
fn after_a_wish_the_pill_never_shows_the_link_of_before() {
    for (from, to) in [
        (choice(4, 0), choice(350, 0)),
        (choice(350, 0), choice(4, 0)),
        (choice(4, 0), choice(600, 0)),
        (choice(4, 0), choice(350, 12)),
    ] {
        // The wish falls between two exchanges, wherever that is.
        for tenth in 0..10 {
            let mut page = Page::new(from);
            page.run(6.0 + 0.1 * f64::from(tenth));
            assert!(page.pill_ms().is_some_and(|ms| is_right(ms, from)), "{:?}", page.pill_ms());
            page.wish(to);
            let seen = page.watched(8.0);
            for (at_s, shown) in &seen {
                assert!(shown.is_none_or(|ms| is_right(ms, to)), "{shown:?} at {at_s} s: {to:?}");
            }
            let first = seen.iter().find(|it| it.1.is_some());
            let most_s = if to.loss_percent > 0 { 6.0 } else { 3.5 };
            assert!(first.is_some_and(|it| it.0 < most_s), "{first:?}: {to:?}");
        }
    }
}

#[test]
fn where_the_network_itself_changes_the_pill_follows_within_two_seconds_or_measures() {
    for (from, to) in [(choice(4, 0), choice(350, 0)), (choice(350, 0), choice(4, 0))] {
        for tenth in 0..10 {
            let mut page = Page::new(from);
            page.run(6.0 + 0.1 * f64::from(tenth));
            page.change_network(to);
            let seen = page.watched(6.0);
            let later = seen.iter().filter(|it| it.0 > 2.0);
            for (at_s, shown) in later {
                assert!(shown.is_none_or(|ms| is_right(ms, to)), "{shown:?} at {at_s} s: {to:?}");
            }
            assert!(seen.last().is_some_and(|it| it.1.is_some()), "it is measured again");
        }
    }
}
