//! How much one address may ask of us.
//!
//! An address is one IPv4 address or one IPv6 network of 64 bits, since a single customer owns all
//! of the latter. The accounts themselves are bounded: when the book is full, strangers wait
//! until someone's account has been idle.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reckoning::SimTime;

use crate::settings::Limits;

/// An allowance that refills at a steady rate up to a burst.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    left: f64,
    at: SimTime,
    per_s: f64,
    burst: f64,
}

impl Allowance {
    /// Full at `now`.
    #[must_use]
    pub const fn new(now: SimTime, per_s: f64, burst: f64) -> Self {
        Self { left: burst, at: now, per_s, burst }
    }

    /// Spends `cost`, if that much is left.
    pub fn spend(&mut self, now: SimTime, cost: f64) -> bool {
        let gained = now.secs_since(self.at).max(0.0) * self.per_s;
        self.left = (self.left + gained).min(self.burst);
        self.at = self.at.max(now);
        let enough = self.left >= cost;
        if enough {
            self.left -= cost;
        }
        enough
    }
}

/// Why a connection was turned away at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnedAway {
    /// This address has as many connections as it may.
    TooManyConnections,
    /// This address connects too often.
    TooOften,
    /// More addresses than we keep accounts for.
    BookFull,
    /// This address flooded us a short while ago.
    Banned,
}

#[derive(Debug)]
struct Account {
    connections: usize,
    arrivals: Allowance,
    datagrams: Allowance,
    seen: SimTime,
    banned_until: SimTime,
}

/// Keeps an account for each address.
#[derive(Clone, Debug)]
pub struct Door {
    limits: Arc<Limits>,
    book: Arc<Mutex<BTreeMap<IpAddr, Account>>>,
}

/// An account unused for so long may be closed when the book is full.
const IDLE: Duration = Duration::from_secs(10);

impl Door {
    /// A door with an empty book.
    #[must_use]
    pub fn new(limits: Arc<Limits>) -> Self {
        Self { limits, book: Arc::default() }
    }

    /// Lets a connection in, or says why not. It counts until the [`Visit`] is dropped.
    ///
    /// # Errors
    /// When the address has reached a limit.
    pub fn enter(&self, now: SimTime, address: IpAddr) -> Result<Visit, TurnedAway> {
        let address = customer(address);
        let mut book = self.book();
        if !book.contains_key(&address) {
            self.make_room(&mut book, now)?;
        }
        let account = book.entry(address).or_insert_with(|| self.account(now));
        account.seen = now;
        if now < account.banned_until {
            return Err(TurnedAway::Banned);
        }
        if account.connections >= self.limits.connections_per_address {
            return Err(TurnedAway::TooManyConnections);
        }
        if !account.arrivals.spend(now, 1.0) {
            return Err(TurnedAway::TooOften);
        }
        account.connections += 1;
        Ok(Visit { door: self.clone(), address })
    }

    /// Whether connections from here would be turned away whatever they prove: not worth a
    /// handshake.
    #[must_use]
    pub fn is_banned(&self, now: SimTime, address: IpAddr) -> bool {
        self.book().get(&customer(address)).is_some_and(|account| now < account.banned_until)
    }

    fn account(&self, now: SimTime) -> Account {
        let limits = &self.limits;
        let arrivals = f64::from(limits.connects_per_s_per_address);
        let datagrams = f64::from(limits.datagrams_per_s_per_address);
        Account {
            connections: 0,
            arrivals: Allowance::new(now, arrivals, arrivals * BURST_S),
            datagrams: Allowance::new(now, datagrams, datagrams),
            seen: now,
            banned_until: now,
        }
    }

    fn make_room(
        &self,
        book: &mut BTreeMap<IpAddr, Account>,
        now: SimTime,
    ) -> Result<(), TurnedAway> {
        if book.len() >= self.limits.addresses {
            book.retain(|_, it| {
                let idle = now.saturating_since(it.seen) >= IDLE && it.banned_until <= now;
                it.connections > 0 || !idle
            });
        }
        if book.len() < self.limits.addresses { Ok(()) } else { Err(TurnedAway::BookFull) }
    }

    fn book(&self) -> MutexGuard<'_, BTreeMap<IpAddr, Account>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds of arrivals that may come at once: a family behind one router starts together.
const BURST_S: f64 = 4.0;

/// One connection that was let in.
#[derive(Debug)]
pub struct Visit {
    door: Door,
    address: IpAddr,
}

impl Visit {
    /// Whether the address may send one more datagram.
    #[must_use]
    pub fn may_send(&self, now: SimTime) -> bool {
        let mut book = self.door.book();
        book.get_mut(&self.address).is_some_and(|account| {
            account.seen = now;
            account.datagrams.spend(now, 1.0)
        })
    }

    /// Lets nobody else in from this address for a while. Those who are in stay: they may be
    /// honest neighbours behind the same router.
    pub fn ban(&self, now: SimTime) {
        if let Some(account) = self.door.book().get_mut(&self.address) {
            account.banned_until = now + self.door.limits.flood_ban;
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(account) = self.door.book().get_mut(&self.address) {
            account.connections = account.connections.saturating_sub(1);
        }
    }
}

/// What one customer owns: an IPv4 address, or an IPv6 network of 64 bits.
fn customer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn door(change: impl Fn(&mut Limits)) -> Door {
        let mut limits = Settings::default().limits;
        change(&mut limits);
        Door::new(Arc::new(limits))
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn an_address_holds_so_many_connections_and_no_more() {
        let door = door(|limits| limits.connections_per_address = 2);
        let first = door.enter(SimTime::ZERO, address(1)).unwrap();
        let _second = door.enter(SimTime::ZERO, address(1)).unwrap();

        let third = door.enter(SimTime::ZERO, address(1)).unwrap_err();
        assert_eq!(third, TurnedAway::TooManyConnections);
        assert!(door.enter(SimTime::ZERO, address(2)).is_ok(), "others are not hurt");
        drop(first);
        assert!(door.enter(SimTime::ZERO, address(1)).is_ok(), "a place came free");
    }

    #[test]
    fn an_address_that_comes_too_often_waits() {
        let door = door(|limits| limits.connects_per_s_per_address = 1);
        let come = |millis| door.enter(SimTime::from_millis(millis), address(1)).map(drop);
        for _ in 0..4 {
            assert_eq!(come(0), Ok(()));
        }
        assert_eq!(come(0), Err(TurnedAway::TooOften));
        assert_eq!(come(1_000), Ok(()));
        assert_eq!(come(1_000), Err(TurnedAway::TooOften));
    }

    #[test]
    fn the_book_forgets_the_idle_and_never_outgrows_its_limit() {
        let door = door(|limits| limits.addresses = 2);
        let _stays = door.enter(SimTime::ZERO, address(1)).unwrap();
        door.enter(SimTime::ZERO, address(2)).map(drop).unwrap();

        let full = door.enter(SimTime::ZERO, address(3)).map(drop);
        assert_eq!(full, Err(TurnedAway::BookFull));
        assert!(door.enter(SimTime::from_millis(10_000), address(3)).is_ok());
        assert_eq!(door.book().len(), 2);
    }

    #[test]
    fn an_address_that_flooded_is_let_in_no_more_for_a_while() {
        let door = door(|limits| limits.flood_ban = Duration::from_secs(20));
        let visit = door.enter(SimTime::ZERO, address(1)).unwrap();
        visit.ban(SimTime::from_millis(500));
        let come = |seconds: i64, from| {
            let now = SimTime::from_millis(1_000 * seconds);
            assert_eq!(door.is_banned(now, from), door.enter(now, from).is_err());
            door.enter(now, from).map(drop)
        };

        assert_eq!(come(1, address(1)), Err(TurnedAway::Banned));
        assert_eq!(come(1, address(2)), Ok(()), "others are not hurt");
        assert!(visit.may_send(SimTime::from_millis(1_000)), "those who are in stay");
        drop(visit);
        assert_eq!(come(20, address(1)), Err(TurnedAway::Banned));
        assert_eq!(come(21, address(1)), Ok(()));
    }

    #[test]
    fn a_full_book_does_not_forget_whom_it_banned() {
        let door = door(|limits| {
            (limits.addresses, limits.flood_ban) = (1, Duration::from_mins(1));
        });
        door.enter(SimTime::ZERO, address(1)).unwrap().ban(SimTime::ZERO);

        let stranger = |seconds: i64| door.enter(SimTime::from_millis(1_000 * seconds), address(2));
        assert_eq!(stranger(30).map(drop), Err(TurnedAway::BookFull));
        assert_eq!(stranger(61).map(drop), Ok(()));
    }

    #[test]
    fn datagrams_of_one_address_share_one_allowance() {
        let door = door(|limits| limits.datagrams_per_s_per_address = 100);
        let visits = [(); 2].map(|()| door.enter(SimTime::ZERO, address(1)).unwrap());
        let sent = |now| (0..200).filter(|it| visits[it % 2].may_send(now)).count();

        assert_eq!(sent(SimTime::ZERO), 100);
        assert_eq!(sent(SimTime::from_millis(500)), 50);
    }

    #[test]
    fn a_whole_ipv6_network_is_one_customer() {
        let one: IpAddr = "2001:db8:1:2::1".parse().unwrap();
        let other: IpAddr = "2001:db8:1:2:ffff::9".parse().unwrap();
        let mapped: IpAddr = "::ffff:10.0.0.1".parse().unwrap();

        assert_eq!(customer(one), customer(other));
        assert_ne!(customer(one), customer("2001:db8:1:3::1".parse().unwrap()));
        assert_eq!(customer(mapped), address(1));
    }
}
