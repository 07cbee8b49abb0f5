//! The networks that an address is in, from the one of a single customer to those of its provider.
//!
//! An IPv4 address is a customer; an IPv6 customer has a network of 64 bits at least, often one of 56,
//! sometimes one of 48. Whoever counts per 64 bits gives the owner of a /48 65,536 times what others
//! get, so limits count in all three.

use std::net::IpAddr;

/// How many networks are looked at for each address.
pub(crate) const LEVELS: usize = 3;

/// A block of addresses. IPv4 is taken as the part of IPv6 that it is mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Network {
    first: u128,
    bits: u8,
}

impl Network {
    pub(crate) const fn new(address: IpAddr, bits: u8) -> Self {
        let (first, bits) = match address {
            IpAddr::V4(v4) => (v4.to_ipv6_mapped().to_bits(), bits.saturating_add(96)),
            IpAddr::V6(v6) => (v6.to_bits(), bits),
        };
        Self::of(first, bits)
    }

    const fn of(address: u128, bits: u8) -> Self {
        let bits = if bits > 128 { 128 } else { bits };
        Self { first: address & mask(bits), bits }
    }

    pub(crate) const fn contains(self, address: IpAddr) -> bool {
        Self::new(address.to_canonical(), 128).widened(self.bits).first == self.first
    }

    const fn widened(self, bits: u8) -> Self {
        Self::of(self.first, bits)
    }

    /// All networks within it, for a range of an ordered map.
    pub(crate) const fn range(self) -> std::ops::RangeInclusive<Self> {
        let beyond = !mask(self.bits);
        Self { first: self.first, bits: 0 }..=Self { first: self.first | beyond, bits: 128 }
    }
}

/// The first bits set, 128 at most.
const fn mask(bits: u8) -> u128 {
    if bits == 0 { 0 } else { u128::MAX << (128 - bits) }
}

/// The networks of an address, the smallest first.
pub(crate) fn networks(address: IpAddr) -> [Network; LEVELS] {
    let address = address.to_canonical();
    let bits = if address.is_ipv4() { [32, 24, 16] } else { [64, 56, 48] };
    bits.map(|bits| Network::new(address, bits))
}

/// How many times the allowance of one customer each network has, in the order of [`networks`]; nothing
/// is counted for larger IPv4 networks, whose addresses belong to many.
pub(crate) const fn allowances(address: IpAddr) -> &'static [u32] {
    if address.to_canonical().is_ipv4() { &[1] } else { &[1, 2, 4] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_customer_is_in_networks_of_three_sizes() {
        let [a, b] = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"].map(|it| networks(ip(it)));
        assert_eq!(a, b);
        let near = networks(ip("2001:db8:1:3::1"));
        assert!(near[0] != a[0] && near[1..] == a[1..], "the same 56 bits");
        let farther = networks(ip("2001:db8:1:1200::1"));
        assert!(farther[1] != a[1] && farther[2] == a[2], "the same 48 bits");
        assert_ne!(networks(ip("2001:db8:2::1"))[2], a[2]);
        assert_eq!(networks(ip("::ffff:10.0.0.1")), networks(ip("10.0.0.1")));
        assert!(a[2].range().contains(&a[0]) && a[2].range().contains(&farther[0]));
        assert!(!a[2].range().contains(&networks(ip("2001:db8:2::1"))[0]));
    }

    #[test]
    fn a_block_knows_its_addresses() {
        let block = Network::new(ip("10.1.0.0"), 16);
        assert!(block.contains(ip("10.1.2.3")) && block.contains(ip("::ffff:10.1.2.3")));
        assert!(!block.contains(ip("10.2.0.1")) && !block.contains(ip("a01::1")));
        assert!(Network::new(ip("::"), 0).contains(ip("10.2.0.1")));
        assert!(Network::new(ip("2001:db8::"), 32).contains(ip("2001:db8:9::1")));
    }
}
