//! What counts as one caller: an IPv4 address, or a network of IPv6, because a household has 2^64 addresses of those.
//!
//! Also the networks that an operator names (`--trusted-proxy`). Invariant: an IPv4 address inside of an IPv6 one is
//! the IPv4 address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// What limits are counted for. Private fields: always in canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    address: IpAddr,
    bits: u8,
}

/// What a provider gives to one customer at least, and what costs little to rent at most.
const HOUSEHOLD_BITS: u8 = 64;
const PROVIDER_BITS: u8 = 48;

impl Origin {
    /// An IPv4 address, or the /64 of an IPv6 one.
    pub fn of(address: IpAddr) -> Origin {
        match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => Origin { address: masked(v6, HOUSEHOLD_BITS), bits: HOUSEHOLD_BITS },
            address => Origin { address, bits: u8::MAX },
        }
    }

    /// Whether it is such a network, and no caller.
    pub fn is_wide(&self) -> bool {
        self.bits == PROVIDER_BITS
    }

    /// The address, or the first of its network.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The /48 of an IPv6 address: one who rents it has 65,536 households. Other addresses have no such neighbours.
    pub fn wide(address: IpAddr) -> Option<Origin> {
        match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => {
                Some(Origin { address: masked(v6, PROVIDER_BITS), bits: PROVIDER_BITS })
            }
            _ => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            u8::MAX => self.address.fmt(f),
            bits => write!(f, "{}/{bits}", self.address),
        }
    }
}

fn masked(v6: Ipv6Addr, bits: u8) -> IpAddr {
    Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << (128 - bits))).into()
}

/// Addresses with the same beginning, as `192.0.2.0/24`; a lone address is a network of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                let differing = ours.to_bits() ^ theirs.to_bits();
                differing.checked_shr(32 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => {
                let differing = ours.to_bits() ^ theirs.to_bits();
                differing.checked_shr(128 - u32::from(self.bits)).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// The first address of it, so that one network reads alike however it was typed.
impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, longest) = match self.address {
            IpAddr::V4(v4) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                (IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask)), 32)
            }
            IpAddr::V6(v6) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                (IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask)), 128)
            }
        };
        match self.bits == longest {
            true => write!(f, "{first}"),
            false => write!(f, "{first}/{}", self.bits),
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let wrong = || format!("{text:?} is no address and no network; write one such as 192.0.2.7, 10.0.0.0/8 or ::1");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address = address.trim().parse::<IpAddr>().map_err(|_| wrong())?.to_canonical();
        let longest = if address.is_ipv4() { 32 } else { 128 };
        match bits.unwrap_or(longest) {
            bits if bits <= longest => Ok(Network { address, bits }),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("the test wrote an address")
    }

    #[test]
    fn ipv6_neighbours_count_as_one_address() {
        for (one, other, same, same_wide, why) in [
            ("2001:db8::1", "2001:db8::ffff:1", true, true, "one /64"),
            ("2001:db8::1", "2001:db8:0:1::1", false, true, "the next /64"),
            ("2001:db8::1", "2001:db8:1::1", false, false, "the next /48"),
            ("::ffff:192.0.2.1", "192.0.2.1", true, true, "IPv4 in IPv6"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false, true, "two of IPv4 have no network"),
            ("::1", "::2", false, false, "this machine is nobody's neighbour"),
        ] {
            assert_eq!(Origin::of(ip(one)) == Origin::of(ip(other)), same, "{one} {other}: {why}");
            assert_eq!(Origin::wide(ip(one)) == Origin::wide(ip(other)), same_wide, "{one} {other}: {why}, wide");
        }
    }

    #[test]
    fn a_network_contains_what_begins_as_it_does() {
        for (network, address, inside) in [
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "::ffff:192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db9::1", true),
        ] {
            let parsed: Network = network.parse().expect("the test wrote a network");
            assert_eq!(parsed.contains(ip(address)), inside, "{network} {address}");
        }
        for wrong in ["", "host", "192.0.2.0/33", "192.0.2.0/x", "192.0.2", "::/129"] {
            assert!(wrong.parse::<Network>().is_err_and(|why| why.contains("192.0.2.7")), "{wrong:?}");
        }
    }
}
