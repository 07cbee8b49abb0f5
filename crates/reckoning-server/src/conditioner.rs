//! Network conditioner: delays, loses and reorders one client's datagrams as a simulated link would.
//!
//! A game may ask for a link between the server and one client. Everything of that client then
//! passes it, in both directions; what it sends counts as received when the link delivers it.
//! Without such a request nothing passes here.

use std::collections::BTreeMap;

use bytes::Bytes;
use reckoning::SimTime;
use reckoning_net::PeerId;
use reckoning_netsim::{Link, LinkConfig};

/// Links whose settings changed while something was under way in them, per direction.
const MAX_OLD_LINKS: usize = 8;
/// Datagrams in flight per direction: several times what an ordinary client has.
const MAX_IN_FLIGHT: u64 = 4_096;
/// Gives the two directions different random sequences.
const DOWN_SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// All simulated links.
#[derive(Default)]
pub(crate) struct Conditioner {
    links: BTreeMap<PeerId, LinkPair>,
}

struct LinkPair {
    up: Direction,
    down: Direction,
}

/// One direction: the link in force, and those before it that are not empty yet.
#[derive(Default)]
struct Direction {
    current: Option<Link<Bytes>>,
    old: Vec<Link<Bytes>>,
}

impl Direction {
    fn change(&mut self, config: Option<LinkConfig>) {
        self.old.extend(self.current.take().filter(|link| link.next_arrival().is_some()));
        if self.old.len() > MAX_OLD_LINKS {
            self.old.remove(0); // what was under way there is lost, as it may be
        }
        self.current = config.and_then(|config| Link::new(config).ok());
    }

    fn send(&mut self, now: SimTime, bytes: Bytes) -> Option<Bytes> {
        let Some(link) = &mut self.current else { return Some(bytes) };
        let stats = link.stats();
        // A duplicate is under way as well, and is delivered without having been sent.
        let gone = stats.lost + stats.overflowed + stats.delivered;
        let under_way = (stats.sent + stats.duplicated).saturating_sub(gone);
        if under_way < MAX_IN_FLIGHT {
            link.send(now, bytes.len() as u32, bytes);
        }
        None
    }

    fn poll(&mut self, now: SimTime) -> Option<(SimTime, Bytes)> {
        self.old.retain(|link| link.next_arrival().is_some());
        self.old.iter_mut().chain(&mut self.current).find_map(|link| link.poll(now))
    }

    fn next_arrival(&self) -> Option<SimTime> {
        self.old.iter().chain(&self.current).filter_map(Link::next_arrival).min()
    }

    fn is_plain(&self) -> bool {
        self.current.is_none() && self.old.iter().all(|link| link.next_arrival().is_none())
    }
}

impl Conditioner {
    /// Simulates this link from now on, the same in both directions; none stops it.
    pub(crate) fn set(&mut self, peer: PeerId, link: Option<LinkConfig>) {
        let pair = self
            .links
            .entry(peer)
            .or_insert_with(|| LinkPair { up: Direction::default(), down: Direction::default() });
        pair.up.change(link);
        let other = |config: LinkConfig| {
            let mut config = config;
            config.seed ^= DOWN_SEED;
            config
        };
        pair.down.change(link.map(other));
    }

    /// Forgets a client that is gone.
    pub(crate) fn forget(&mut self, peer: PeerId) {
        self.links.remove(&peer);
    }

    /// What a client sent, at `now`; given back if it passes no link.
    pub(crate) fn send_up(&mut self, now: SimTime, peer: PeerId, bytes: Bytes) -> Option<Bytes> {
        match self.links.get_mut(&peer) {
            Some(pair) => pair.up.send(now, bytes),
            None => Some(bytes),
        }
    }

    /// Whether what is sent to this client passes a link.
    pub(crate) fn is_active(&self, peer: PeerId) -> bool {
        self.links.get(&peer).is_some_and(|pair| pair.down.current.is_some())
    }

    /// Something for a client, at `now`.
    pub(crate) fn send_down(&mut self, now: SimTime, peer: PeerId, bytes: Bytes) {
        if let Some(pair) = self.links.get_mut(&peer) {
            let _ = pair.down.send(now, bytes);
        }
    }

    /// What has arrived from clients by `now`.
    pub(crate) fn arrived_up(&mut self, now: SimTime, out: &mut Vec<(SimTime, PeerId, Bytes)>) {
        for (peer, pair) in &mut self.links {
            while let Some((at, bytes)) = pair.up.poll(now) {
                out.push((at, *peer, bytes));
            }
        }
    }

    /// The next datagram that has arrived at a client by `now`.
    pub(crate) fn poll_down(&mut self, now: SimTime) -> Option<(PeerId, Bytes)> {
        self.links.retain(|_, pair| !(pair.up.is_plain() && pair.down.is_plain()));
        let mut links = self.links.iter_mut();
        links.find_map(|(peer, pair)| Some((*peer, pair.down.poll(now)?.1)))
    }

    /// When the next datagram arrives at a client.
    pub(crate) fn next_down(&self) -> Option<SimTime> {
        self.links.values().filter_map(|pair| pair.down.next_arrival()).min()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const PEER: PeerId = PeerId(3);

    fn delay(millis: u64) -> LinkConfig {
        let mut config = LinkConfig::default();
        config.delay = Duration::from_millis(millis);
        config
    }

    fn at(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    #[test]
    fn without_a_link_everything_passes_at_once() {
        let mut conditioner = Conditioner::default();
        assert_eq!(conditioner.send_up(at(0), PEER, Bytes::from_static(b"a")).unwrap(), "a");
        assert!(!conditioner.is_active(PEER));
        assert_eq!((conditioner.next_down(), conditioner.poll_down(at(9))), (None, None));
    }

    #[test]
    fn both_directions_are_late_by_the_delay() {
        let mut conditioner = Conditioner::default();
        conditioner.set(PEER, Some(delay(80)));
        assert_eq!(conditioner.send_up(at(10), PEER, Bytes::from_static(b"up")), None);
        conditioner.send_down(at(20), PEER, Bytes::from_static(b"down"));

        assert_eq!(conditioner.next_down(), Some(at(100)));
        let mut came = Vec::new();
        conditioner.arrived_up(at(89), &mut came);
        assert!(came.is_empty() && conditioner.poll_down(at(99)).is_none());
        conditioner.arrived_up(at(95), &mut came);
        assert_eq!(came, [(at(90), PEER, Bytes::from_static(b"up"))]);
        assert_eq!(conditioner.poll_down(at(100)), Some((PEER, Bytes::from_static(b"down"))));
    }

    #[test]
    fn what_is_under_way_survives_a_change() {
        let mut conditioner = Conditioner::default();
        conditioner.set(PEER, Some(delay(100)));
        conditioner.send_down(at(0), PEER, Bytes::from_static(b"old"));
        conditioner.set(PEER, None);

        assert!(!conditioner.is_active(PEER));
        assert_eq!(conditioner.poll_down(at(100)), Some((PEER, Bytes::from_static(b"old"))));
        assert_eq!(conditioner.poll_down(at(100)), None);
        assert!(conditioner.links.is_empty());
    }

    #[test]
    fn a_link_that_doubles_everything_goes_on_and_stays_bounded() {
        let mut conditioner = Conditioner::default();
        let mut config = delay(80);
        config.duplicate = 1.0;
        conditioner.set(PEER, Some(config));
        let mut came = 0;
        for millis in 0..1_000 {
            conditioner.send_down(at(millis), PEER, Bytes::from_static(b"x"));
            came += std::iter::from_fn(|| conditioner.poll_down(at(millis))).count();
        }
        assert_eq!(came, 2 * 920, "two of each that was sent 80 ms ago or earlier");
        for _ in 0..10 * MAX_IN_FLIGHT {
            conditioner.send_down(at(1_000), PEER, Bytes::from_static(b"x"));
        }
        let waiting = std::iter::from_fn(|| conditioner.poll_down(at(2_000))).count() as u64;
        assert!((MAX_IN_FLIGHT..=MAX_IN_FLIGHT + 1).contains(&waiting), "{waiting}");
    }

    #[test]
    fn many_changes_keep_little() {
        let mut conditioner = Conditioner::default();
        for number in 0..1_000 {
            conditioner.set(PEER, Some(delay(1_000 + number)));
            conditioner.send_down(at(0), PEER, Bytes::from_static(b"x"));
        }
        assert!(conditioner.links[&PEER].down.old.len() <= MAX_OLD_LINKS);
    }
}
