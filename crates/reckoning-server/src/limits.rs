//! Rate and connection limits per network address.
//!
//! An address is one IPv4 address or one IPv6 network of 64 bits, since a single customer owns all
//! of the latter. The number of accounts is bounded: when all are taken, new addresses
//! are rejected until an account has been idle for a while.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reckoning::{SimTime, TokenBucket};

use crate::metrics::RejectReason;
use crate::settings::Limits;

#[derive(Debug)]
struct Account {
    connections: usize,
    connects: TokenBucket,
    datagrams: TokenBucket,
    seen: SimTime,
    banned_until: SimTime,
}

/// Keeps an account for each address.
#[derive(Clone, Debug)]
pub(crate) struct AddressLimiter {
    limits: Arc<Limits>,
    accounts: Arc<Mutex<BTreeMap<IpAddr, Account>>>,
}

/// An account unused for so long may be closed when all are taken.
const IDLE: Duration = Duration::from_secs(10);

impl AddressLimiter {
    /// A limiter without accounts.
    #[must_use]
    pub(crate) fn new(limits: Arc<Limits>) -> Self {
        Self { limits, accounts: Arc::default() }
    }

    /// Admits a connection, or says why not. It counts until the [`Permit`] is dropped.
    ///
    /// # Errors
    /// When the address has reached a limit.
    pub(crate) fn enter(&self, now: SimTime, address: IpAddr) -> Result<Permit, RejectReason> {
        let address = customer(address);
        let mut accounts = self.accounts();
        if !accounts.contains_key(&address) {
            self.make_room(&mut accounts, now)?;
        }
        let account = accounts.entry(address).or_insert_with(|| self.account(now));
        account.seen = now;
        if now < account.banned_until {
            return Err(RejectReason::Banned);
        }
        if account.connections >= self.limits.connections_per_address {
            return Err(RejectReason::AddressConnections);
        }
        if !account.connects.try_take(now, 1.0) {
            return Err(RejectReason::AddressRate);
        }
        account.connections += 1;
        Ok(Permit { limiter: self.clone(), address })
    }

    /// Whether connections from this address are rejected in any case, so that a handshake is not
    /// worth its cost.
    #[must_use]
    pub(crate) fn is_banned(&self, now: SimTime, address: IpAddr) -> bool {
        self.accounts().get(&customer(address)).is_some_and(|account| now < account.banned_until)
    }

    fn account(&self, now: SimTime) -> Account {
        let limits = &self.limits;
        let connects = f64::from(limits.connects_per_s_per_address);
        let datagrams = f64::from(limits.datagrams_per_s_per_address);
        Account {
            connections: 0,
            connects: TokenBucket::new(now, connects, connects * BURST_S),
            datagrams: TokenBucket::new(now, datagrams, datagrams),
            seen: now,
            banned_until: now,
        }
    }

    fn make_room(
        &self,
        accounts: &mut BTreeMap<IpAddr, Account>,
        now: SimTime,
    ) -> Result<(), RejectReason> {
        if accounts.len() >= self.limits.addresses {
            accounts.retain(|_, it| {
                let idle = now.saturating_since(it.seen) >= IDLE && it.banned_until <= now;
                it.connections > 0 || !idle
            });
        }
        if accounts.len() < self.limits.addresses { Ok(()) } else { Err(RejectReason::Addresses) }
    }

    fn accounts(&self) -> MutexGuard<'_, BTreeMap<IpAddr, Account>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds of connections that may come at once: a family behind one router starts together.
const BURST_S: f64 = 4.0;

/// Permission of one connection, which counts as open until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    limiter: AddressLimiter,
    address: IpAddr,
}

impl Permit {
    /// Whether the address may send one more datagram.
    #[must_use]
    pub(crate) fn may_send(&self, now: SimTime) -> bool {
        let mut accounts = self.limiter.accounts();
        accounts.get_mut(&self.address).is_some_and(|account| {
            account.seen = now;
            account.datagrams.try_take(now, 1.0)
        })
    }

    /// Rejects new connections from this address for a while. Open ones stay: they may be honest
    /// neighbours behind the same router.
    pub(crate) fn ban(&self, now: SimTime) {
        if let Some(account) = self.limiter.accounts().get_mut(&self.address) {
            account.banned_until = now + self.limiter.limits.flood_ban;
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(account) = self.limiter.accounts().get_mut(&self.address) {
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

    fn limiter(change: impl Fn(&mut Limits)) -> AddressLimiter {
        let mut limits = Settings::default().limits;
        change(&mut limits);
        AddressLimiter::new(Arc::new(limits))
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn an_address_holds_so_many_connections_and_no_more() {
        let limiter = limiter(|limits| limits.connections_per_address = 2);
        let first = limiter.enter(SimTime::ZERO, address(1)).unwrap();
        let _second = limiter.enter(SimTime::ZERO, address(1)).unwrap();

        let third = limiter.enter(SimTime::ZERO, address(1)).unwrap_err();
        assert_eq!(third, RejectReason::AddressConnections);
        assert!(limiter.enter(SimTime::ZERO, address(2)).is_ok(), "others are not hurt");
        drop(first);
        assert!(limiter.enter(SimTime::ZERO, address(1)).is_ok(), "a place came free");
    }

    #[test]
    fn an_address_that_comes_too_often_waits() {
        let limiter = limiter(|limits| limits.connects_per_s_per_address = 1);
        let come = |millis| limiter.enter(SimTime::from_millis(millis), address(1)).map(drop);
        for _ in 0..4 {
            assert_eq!(come(0), Ok(()));
        }
        assert_eq!(come(0), Err(RejectReason::AddressRate));
        assert_eq!(come(1_000), Ok(()));
        assert_eq!(come(1_000), Err(RejectReason::AddressRate));
    }

    #[test]
    fn the_book_forgets_the_idle_and_never_outgrows_its_limit() {
        let limiter = limiter(|limits| limits.addresses = 2);
        let _stays = limiter.enter(SimTime::ZERO, address(1)).unwrap();
        limiter.enter(SimTime::ZERO, address(2)).map(drop).unwrap();

        let full = limiter.enter(SimTime::ZERO, address(3)).map(drop);
        assert_eq!(full, Err(RejectReason::Addresses));
        assert!(limiter.enter(SimTime::from_millis(10_000), address(3)).is_ok());
        assert_eq!(limiter.accounts().len(), 2);
    }

    #[test]
    fn an_address_that_flooded_is_let_in_no_more_for_a_while() {
        let limiter = limiter(|limits| limits.flood_ban = Duration::from_secs(20));
        let permit = limiter.enter(SimTime::ZERO, address(1)).unwrap();
        permit.ban(SimTime::from_millis(500));
        let come = |seconds: i64, from| {
            let now = SimTime::from_millis(1_000 * seconds);
            assert_eq!(limiter.is_banned(now, from), limiter.enter(now, from).is_err());
            limiter.enter(now, from).map(drop)
        };

        assert_eq!(come(1, address(1)), Err(RejectReason::Banned));
        assert_eq!(come(1, address(2)), Ok(()), "others are not hurt");
        assert!(permit.may_send(SimTime::from_millis(1_000)), "those who are in stay");
        drop(permit);
        assert_eq!(come(20, address(1)), Err(RejectReason::Banned));
        assert_eq!(come(21, address(1)), Ok(()));
    }

    #[test]
    fn a_full_book_does_not_forget_whom_it_banned() {
        let limiter = limiter(|limits| {
            (limits.addresses, limits.flood_ban) = (1, Duration::from_mins(1));
        });
        limiter.enter(SimTime::ZERO, address(1)).unwrap().ban(SimTime::ZERO);

        let stranger =
            |seconds: i64| limiter.enter(SimTime::from_millis(1_000 * seconds), address(2));
        assert_eq!(stranger(30).map(drop), Err(RejectReason::Addresses));
        assert_eq!(stranger(61).map(drop), Ok(()));
    }

    #[test]
    fn datagrams_of_one_address_share_one_allowance() {
        let limiter = limiter(|limits| limits.datagrams_per_s_per_address = 100);
        let permits = [(); 2].map(|()| limiter.enter(SimTime::ZERO, address(1)).unwrap());
        let sent = |now| (0..200).filter(|it| permits[it % 2].may_send(now)).count();

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
