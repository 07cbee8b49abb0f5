//! Rate and connection limits per network address.
//!
//! An account is kept for each [`Network`] that an address is in: the customer's, and for IPv6 those
//! of 56 and 48 bits around it, which have twice and four times the allowance. The number of accounts
//! is bounded: when all are taken, those that nobody used for longest are given up, but for those with
//! open connections and those that are banned.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reckoning::{SimTime, TokenBucket};

use crate::metrics::RejectReason;
use crate::networks::{Network, allowances, networks};
use crate::settings::Limits;

#[derive(Debug)]
struct Account {
    /// How many customers' allowance it has.
    allowance: u32,
    connections: usize,
    connects: TokenBucket,
    /// What is left of its share in times when connections come faster than they can be served.
    share: TokenBucket,
    requests: TokenBucket,
    datagrams: TokenBucket,
    /// Floods within one ban until the whole network is banned.
    floods: TokenBucket,
    seen: SimTime,
    banned_until: SimTime,
}

/// Keeps an account for each network.
#[derive(Clone, Debug)]
pub(crate) struct AddressLimiter {
    limits: Arc<Limits>,
    accounts: Arc<Mutex<Accounts>>,
}

type Accounts = BTreeMap<Network, Account>;

/// One account in so many is given up when all are taken.
const GIVEN_UP: usize = 8;

impl AddressLimiter {
    /// A limiter without accounts.
    #[must_use]
    pub(crate) fn new(limits: Arc<Limits>) -> Self {
        Self { limits, accounts: Arc::default() }
    }

    /// Admits a connection, or says why not. It counts until the [`Permit`] is dropped. In times of
    /// `pressure` only those are admitted who have not connected much of late.
    ///
    /// # Errors
    /// When a network of the address has reached a limit.
    pub(crate) fn enter(
        &self,
        now: SimTime,
        address: IpAddr,
        pressure: bool,
    ) -> Result<Permit, RejectReason> {
        let allowances = allowances(address);
        let networks = networks(address)[..allowances.len()].to_vec();
        let mut accounts = self.accounts();
        // The largest first: what it refuses needs no account for a customer.
        for (network, allowance) in networks.iter().zip(allowances).rev() {
            if !accounts.contains_key(network) {
                self.make_room(&mut accounts, now)?;
            }
            let account = accounts.entry(*network).or_insert_with(|| self.account(now, *allowance));
            account.seen = now;
            account.check(now, &self.limits, pressure)?;
        }
        // Only now: who is refused must not spend what its neighbours have.
        for network in &networks {
            if let Some(account) = accounts.get_mut(network) {
                account.charge(now);
            }
        }
        Ok(Permit { limiter: self.clone(), address, networks })
    }

    /// Whether connections from this address are rejected in any case, so that a handshake is not
    /// worth its cost.
    #[must_use]
    pub(crate) fn is_banned(&self, now: SimTime, address: IpAddr) -> bool {
        let accounts = self.accounts();
        let banned = |network| accounts.get(network).is_some_and(|it| now < it.banned_until);
        networks(address).iter().any(banned)
    }

    fn account(&self, now: SimTime, allowance: u32) -> Account {
        let limits = &self.limits;
        let bucket = |per_s: f64, burst_s: f64| {
            let per_s = per_s * f64::from(allowance);
            TokenBucket::new(now, per_s, (per_s * burst_s).max(1.0))
        };
        let connects = f64::from(limits.connects_per_s_per_address);
        let ban_s = limits.flood_ban.as_secs_f64().max(1.0);
        Account {
            allowance,
            connections: 0,
            connects: bucket(connects, BURST_S),
            share: bucket(connects / SHARE, SHARE_BURST_S),
            requests: bucket(f64::from(limits.requests_per_s_per_address), BURST_S),
            datagrams: bucket(f64::from(limits.datagrams_per_s_per_address), 1.0),
            floods: bucket(1.0 / ban_s, ban_s),
            seen: now,
            banned_until: now,
        }
    }

    fn make_room(&self, accounts: &mut Accounts, now: SimTime) -> Result<(), RejectReason> {
        if accounts.len() < self.limits.addresses {
            return Ok(());
        }
        let unused = |it: &Account| it.connections == 0 && it.banned_until <= now;
        let mut seen: Vec<SimTime> =
            accounts.values().filter(|it| unused(it)).map(|it| it.seen).collect();
        if seen.is_empty() {
            return Err(RejectReason::Addresses);
        }
        let place = seen.len() / GIVEN_UP;
        let (_, &mut until, _) = seen.select_nth_unstable(place);
        accounts.retain(|_, it| !(unused(it) && it.seen <= until));
        Ok(())
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds of connections that may come at once: a family behind one router starts together.
const BURST_S: f64 = 4.0;
/// In times of pressure an address gets so many times less, and some seconds' worth of it at once: a
/// page and all it needs.
const SHARE: f64 = 8.0;
const SHARE_BURST_S: f64 = 4.0;

impl Account {
    /// Whether there is room for one more connection.
    fn check(&mut self, now: SimTime, limits: &Limits, pressure: bool) -> Result<(), RejectReason> {
        if now < self.banned_until {
            return Err(RejectReason::Banned);
        }
        if self.connections >= limits.connections_per_address * self.allowance as usize {
            return Err(RejectReason::AddressConnections);
        }
        let is_free = |bucket: &mut TokenBucket| bucket.level(now) >= 1.0;
        if !is_free(&mut self.connects) || (pressure && !is_free(&mut self.share)) {
            return Err(RejectReason::AddressRate);
        }
        Ok(())
    }

    fn charge(&mut self, now: SimTime) {
        self.connections += 1;
        self.connects.try_take(now, 1.0);
        // In quiet times as well, so that it tells who comes often.
        self.share.try_take(now, 1.0);
    }
}

/// Permission of one connection, which counts as open until this is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    limiter: AddressLimiter,
    address: IpAddr,
    /// The customer's first.
    networks: Vec<Network>,
}

impl Permit {
    /// Whose it is.
    #[must_use]
    pub(crate) const fn address(&self) -> IpAddr {
        self.address
    }

    /// Whether the address may send one more datagram.
    #[must_use]
    pub(crate) fn may_send(&self, now: SimTime) -> bool {
        self.charge(now, |account| &mut account.datagrams)
    }

    /// Whether the address may ask for one more page.
    #[must_use]
    pub(crate) fn may_request(&self, now: SimTime) -> bool {
        self.charge(now, |account| &mut account.requests)
    }

    fn charge(&self, now: SimTime, bucket: impl Fn(&mut Account) -> &mut TokenBucket) -> bool {
        let mut accounts = self.limiter.accounts();
        self.networks.iter().all(|network| {
            accounts.get_mut(network).is_some_and(|account| {
                account.seen = now;
                bucket(account).try_take(now, 1.0)
            })
        })
    }

    /// Rejects new connections from this address for a while, and from a network around it when many
    /// of its addresses flood. Open ones stay: they may be honest neighbours behind the same router.
    pub(crate) fn ban(&self, now: SimTime) {
        let until = now + self.limiter.limits.flood_ban;
        let mut accounts = self.limiter.accounts();
        for (place, network) in self.networks.iter().enumerate() {
            let Some(account) = accounts.get_mut(network) else { continue };
            if place == 0 || !account.floods.try_take(now, 1.0) {
                account.banned_until = until;
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut accounts = self.limiter.accounts();
        for network in &self.networks {
            if let Some(account) = accounts.get_mut(network) {
                account.connections = account.connections.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        let first = limiter.enter(SimTime::ZERO, address(1), false).unwrap();
        let _second = limiter.enter(SimTime::ZERO, address(1), false).unwrap();

        let third = limiter.enter(SimTime::ZERO, address(1), false).unwrap_err();
        assert_eq!(third, RejectReason::AddressConnections);
        assert!(limiter.enter(SimTime::ZERO, address(2), false).is_ok(), "others are not hurt");
        drop(first);
        assert!(limiter.enter(SimTime::ZERO, address(1), false).is_ok(), "a place came free");
    }

    #[test]
    fn an_address_that_comes_too_often_waits() {
        let limiter = limiter(|limits| limits.connects_per_s_per_address = 1);
        let come =
            |millis| limiter.enter(SimTime::from_millis(millis), address(1), false).map(drop);
        for _ in 0..4 {
            assert_eq!(come(0), Ok(()));
        }
        assert_eq!(come(0), Err(RejectReason::AddressRate));
        assert_eq!(come(1_000), Ok(()));
        assert_eq!(come(1_000), Err(RejectReason::AddressRate));
    }

    #[test]
    fn the_book_gives_up_the_unused_and_never_outgrows_its_limit() {
        let limiter = limiter(|limits| limits.addresses = 2);
        let come = |last| limiter.enter(SimTime::ZERO, address(last), false);
        let stays = come(1).unwrap();
        come(2).map(drop).unwrap();

        let third = come(3).unwrap();
        assert_eq!(limiter.accounts().len(), 2, "the second has nothing open");
        assert_eq!(come(4).map(drop), Err(RejectReason::Addresses), "all have");
        drop((stays, third));
        assert!(come(4).is_ok());
    }

    #[test]
    fn an_address_that_flooded_is_let_in_no_more_for_a_while() {
        let limiter = limiter(|limits| limits.flood_ban = Duration::from_secs(20));
        let permit = limiter.enter(SimTime::ZERO, address(1), false).unwrap();
        permit.ban(SimTime::from_millis(500));
        let come = |seconds: i64, from| {
            let now = SimTime::from_millis(1_000 * seconds);
            assert_eq!(limiter.is_banned(now, from), limiter.enter(now, from, false).is_err());
            limiter.enter(now, from, false).map(drop)
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
        limiter.enter(SimTime::ZERO, address(1), false).unwrap().ban(SimTime::ZERO);

        let stranger =
            |seconds: i64| limiter.enter(SimTime::from_millis(1_000 * seconds), address(2), false);
        assert_eq!(stranger(30).map(drop), Err(RejectReason::Addresses));
        assert_eq!(stranger(61).map(drop), Ok(()));
    }

    #[test]
    fn datagrams_of_one_address_share_one_allowance() {
        let limiter = limiter(|limits| limits.datagrams_per_s_per_address = 100);
        let permits = [(); 2].map(|()| limiter.enter(SimTime::ZERO, address(1), false).unwrap());
        let sent = |now| (0..200).filter(|it| permits[it % 2].may_send(now)).count();

        assert_eq!(sent(SimTime::ZERO), 100);
        assert_eq!(sent(SimTime::from_millis(500)), 50);
    }

    fn in_48(subnet: u16) -> IpAddr {
        IpAddr::from([0x2001, 0xdb8, 1, subnet, 0, 0, 0, 1])
    }

    #[test]
    fn a_network_of_48_bits_has_four_allowances_and_not_65_536() {
        let limiter = limiter(|limits| {
            (limits.connections_per_address, limits.connects_per_s_per_address) = (8, 1_000);
        });
        let enter = |subnet| limiter.enter(SimTime::ZERO, in_48(subnet), false);
        let of_one: Vec<_> = (0..100).filter_map(|_| enter(0).ok()).collect();
        let of_56: Vec<_> = (0..100).filter_map(|n| enter(n).ok()).collect();
        let of_48: Vec<_> = (0..1_000).filter_map(|n| enter(256 * (n % 256)).ok()).collect();

        assert_eq!([of_one.len(), of_56.len(), of_48.len()], [8, 8, 16]);
        assert!(limiter.enter(SimTime::ZERO, "2001:db8:2::1".parse().unwrap(), false).is_ok());
    }

    #[test]
    fn a_network_of_48_bits_does_not_fill_the_book() {
        let limiter = limiter(|_| {});
        let knocks = (0..60_000_u32).filter(|n| {
            let now = SimTime::from_micros(i64::from(*n) * 100);
            limiter.enter(now, in_48(*n as u16), false).is_ok()
        });
        let let_in = knocks.count();
        assert!(let_in <= 4 * 32 * (4 + 6), "{let_in} in six seconds");
        assert!(limiter.accounts().len() < 3_000, "{} accounts", limiter.accounts().len());
    }

    #[test]
    fn floods_of_many_addresses_of_a_network_ban_it() {
        let limiter = limiter(|_| {});
        let now = SimTime::ZERO;
        for subnet in 0..8 {
            let Ok(permit) = limiter.enter(now, in_48(subnet), false) else { break };
            permit.ban(now);
        }
        assert!(limiter.is_banned(now, in_48(0)) && limiter.is_banned(now, in_48(200)));
        assert!(!limiter.is_banned(now, "2001:db8:2::1".parse().unwrap()));
    }

    #[test]
    fn under_pressure_those_who_come_seldom_are_let_in() {
        let limiter = limiter(|_| {});
        let crowd: Vec<IpAddr> = (0..100).map(address).collect();
        let knock = |from, millis, pressure| {
            limiter.enter(SimTime::from_millis(millis), from, pressure).map(drop)
        };
        let mut let_in = 0;
        for millis in (0..10_000).step_by(50) {
            let_in += crowd.iter().filter(|it| knock(**it, millis, true).is_ok()).count();
        }
        assert!(let_in <= 100 * (16 + 40), "{let_in} of 20,000: 16 at once, then four a second");
        assert_eq!(knock(address(200), 10_000, true), Ok(()));
        while knock(address(0), 10_020, true).is_ok() {}
        assert_eq!(knock(address(0), 10_020, true), Err(RejectReason::AddressRate));
        assert_eq!(knock(address(0), 10_020, false), Ok(()), "in quiet times it is let in");
    }
}
