//! Places that strangers share: when all are taken, whoever has most gives way.
//!
//! A handshake, a request for a page and a connection that has not joined yet each hold a place for
//! a while, and nothing is known of who holds it but its address. First come, first served would let
//! one crowd keep everyone out, so a newcomer whose network has fewer places than another's takes one
//! over from there: from the largest network down to the single customer, and there the oldest. Where
//! nobody has more, the oldest gives way: on a good line it was through long ago.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reckoning::SimTime;
use tokio::sync::Notify;

use crate::networks::{LEVELS, Network, networks};

/// Nobody gives way to equals sooner: an honest handshake, or request, is through by then on a good line.
const PATIENCE: Duration = Duration::from_millis(100);

/// A number of places.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    most: usize,
    book: Arc<Mutex<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    next: u64,
    /// In the order in which they came.
    held: BTreeMap<u64, Holder>,
    /// Places that each network holds, the smallest networks first.
    counts: [BTreeMap<Network, usize>; LEVELS],
}

#[derive(Debug)]
struct Holder {
    networks: [Network; LEVELS],
    since: SimTime,
    displaced: Arc<Notify>,
}

/// One place, held until this is dropped or someone else is given it.
#[derive(Debug)]
pub(crate) struct Place {
    id: u64,
    book: Arc<Mutex<Book>>,
    displaced: Arc<Notify>,
}

impl Place {
    /// Tells when the place was given to someone else; it is to be left then.
    pub(crate) fn displaced(&self) -> Arc<Notify> {
        self.displaced.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.book).remove(self.id);
    }
}

impl Places {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, book: Arc::default() }
    }

    /// A place for an address, taken over from another if need be.
    pub(crate) fn take(&self, now: SimTime, address: IpAddr) -> Option<Place> {
        let networks = networks(address);
        let mut book = lock(&self.book);
        if book.held.len() >= self.most {
            let victim = book.victim(now, &networks)?;
            if let Some(holder) = book.remove(victim) {
                holder.displaced.notify_one();
            }
        }
        let displaced = Arc::new(Notify::new());
        let id = book.insert(Holder { networks, since: now, displaced: displaced.clone() });
        Some(Place { id, book: self.book.clone(), displaced })
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Book {
    fn insert(&mut self, holder: Holder) -> u64 {
        for (counts, network) in self.counts.iter_mut().zip(holder.networks) {
            *counts.entry(network).or_default() += 1;
        }
        self.next += 1;
        self.held.insert(self.next, holder);
        self.next
    }

    fn remove(&mut self, id: u64) -> Option<Holder> {
        let holder = self.held.remove(&id)?;
        for (counts, network) in self.counts.iter_mut().zip(holder.networks) {
            if let Some(count) = counts.get_mut(&network) {
                *count -= 1;
            }
            if counts.get(&network) == Some(&0) {
                counts.remove(&network);
            }
        }
        Some(holder)
    }

    /// Who gives way to a newcomer, if anyone does.
    fn victim(&self, now: SimTime, newcomer: &[Network; LEVELS]) -> Option<u64> {
        let mut within = None;
        for level in (0..LEVELS).rev() {
            let Some((network, count)) = self.largest(level, within) else { break };
            let own = self.counts[level].get(&newcomer[level]).copied().unwrap_or(0);
            // Two apart, or they would take it from each other by turns.
            if count >= own + 2 {
                return self.oldest_of_the_greediest(level, network);
            }
            within = Some(newcomer[level]);
        }
        let (id, holder) = self.held.first_key_value()?;
        (now.saturating_since(holder.since) >= PATIENCE).then_some(*id)
    }

    /// The oldest place of the customer that has most of a network.
    fn oldest_of_the_greediest(&self, level: usize, network: Network) -> Option<u64> {
        let narrower = |network, level| self.largest(level, Some(network)).map(|(it, _)| it);
        let customer = (0..level).rev().try_fold(network, narrower)?;
        self.held.iter().find(|(_, it)| it.networks[0] == customer).map(|(id, _)| *id)
    }

    /// The network of this level that holds most places, within `from`.
    fn largest(&self, level: usize, from: Option<Network>) -> Option<(Network, usize)> {
        let counts = &self.counts[level];
        let most = |(network, count): (&Network, &usize)| (*count, *network);
        let largest = match from {
            Some(from) => counts.range(from.range()).map(most).max(),
            None => counts.iter().map(most).max(),
        };
        largest.map(|(count, network)| (network, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn at(millis: i64) -> SimTime {
        SimTime::from_millis(millis)
    }

    async fn is_displaced(place: &Place) -> bool {
        tokio::time::timeout(Duration::ZERO, place.displaced().notified()).await.is_ok()
    }

    fn displaced(places: &[Place]) -> usize {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut count = 0;
            for place in places {
                count += usize::from(is_displaced(place).await);
            }
            count
        })
    }

    #[test]
    fn one_crowd_does_not_keep_others_out() {
        let places = Places::new(100);
        let crowd: Vec<_> = (0..100).map(|_| places.take(at(0), ip("10.0.0.2")).unwrap()).collect();
        assert!(places.take(at(0), ip("10.0.0.2")).is_none(), "it has enough");

        let honest: Vec<_> = (0..20).map(|_| places.take(at(1), ip("10.0.0.1"))).collect();
        assert!(honest.iter().all(Option::is_some));
        let again = places.take(at(2), ip("10.0.0.2"));
        assert!(again.is_none(), "nothing is taken from who has less");
        assert_eq!(displaced(&crowd), 20);
        drop(crowd);
        drop(honest);
        assert!(lock(&places.book).held.is_empty());
        assert!(lock(&places.book).counts.iter().all(BTreeMap::is_empty));
    }

    #[test]
    fn a_hundred_addresses_are_a_crowd_too() {
        let places = Places::new(256);
        let from = |n: usize| IpAddr::from([127, 0, 0, 2 + (n % 100) as u8]);
        let crowd: Vec<_> = (0..256).filter_map(|n| places.take(at(0), from(n))).collect();
        assert_eq!(crowd.len(), 256);
        // In the same network of 24 bits as the crowd.
        let honest = places.take(at(10), ip("127.0.0.1"));
        assert!(honest.is_some());
        assert_eq!(displaced(&crowd), 1);
    }

    #[test]
    fn a_network_of_48_bits_counts_as_one_against_another() {
        let places = Places::new(64);
        let from = |n: u64| IpAddr::from([0x2001, 0xdb8, 1, n as u16, 0, 0, 0, 1]);
        let crowd: Vec<_> = (0..64).filter_map(|n| places.take(at(0), from(n * 1000))).collect();
        assert_eq!(crowd.len(), 64);
        let honest: Vec<_> = (0..30).map(|_| places.take(at(1), ip("2001:db8:2::1"))).collect();
        assert!(honest.iter().all(Option::is_some));
        assert!(places.take(at(2), from(7)).is_none(), "each has one, together they have most");
        assert_eq!(displaced(&crowd), 30);
    }

    #[test]
    fn among_equals_the_oldest_gives_way_once_it_had_its_time() {
        let places = Places::new(3);
        let from = |n: u8| IpAddr::from([10, n, 0, 1]);
        let crowd: Vec<_> = (0..3).map(|n| places.take(at(0), from(n)).unwrap()).collect();
        assert!(places.take(at(99), from(9)).is_none());
        assert!(places.take(at(100), from(9)).is_some());
        assert_eq!(displaced(&crowd[..1]), 1);
    }
}
