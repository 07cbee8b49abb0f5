//! The socket of an exercise: unicast, multicast or broadcast, and a loss for tests.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;

use reckoning::SimTime;
use reckoning::random::SplitMix64;
use reckoning_dis::wire::MAX_DATAGRAM_BYTES;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::failed;
use crate::args::Exercise;
use crate::failure::Failure;

/// Whoever PDUs came from is answered for so long after,
const ANSWERED_FOR: Duration = Duration::from_mins(1);
/// and so many at most.
const MAX_PEERS: usize = 64;
/// Datagrams that are taken in at once; the rest waits for the next frame, or is dropped by the system.
const MAX_AT_ONCE: usize = 20_000;

pub struct Wire {
    socket: UdpSocket,
    /// Where everything is sent.
    fixed: Vec<SocketAddr>,
    /// Without those: who was heard of, and when.
    heard: Option<BTreeMap<SocketAddr, SimTime>>,
    loss: f64,
    dice: SplitMix64,
    buffer: Vec<u8>,
    /// What the system did not take.
    pub unsent: u64,
}

/// What an address is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cast {
    Unicast,
    Multicast,
    Broadcast,
}

/// Without the masks of interfaces, addresses that end in 255 are for all.
fn cast_of(address: IpAddr) -> Cast {
    match address {
        _ if address.is_multicast() => Cast::Multicast,
        IpAddr::V4(v4) if v4.octets()[3] == 255 => Cast::Broadcast,
        _ => Cast::Unicast,
    }
}

impl Wire {
    pub fn open(exercise: &Exercise) -> Result<Self, Failure> {
        let udp = exercise.udp;
        let socket = open(exercise).map_err(|error| {
            failed(format!("cannot receive at {udp}: {error}; choose another address with --udp"))
        })?;
        let mut fixed = exercise.send.clone();
        if cast_of(udp.ip()) != Cast::Unicast {
            fixed.push(udp);
        }
        let heard = fixed.is_empty().then(BTreeMap::new);
        let (loss, dice) = (exercise.loss, SplitMix64::new(u64::from(exercise.application)));
        Ok(Self {
            socket,
            fixed,
            heard,
            loss,
            dice,
            buffer: vec![0; MAX_DATAGRAM_BYTES],
            unsent: 0,
        })
    }

    /// Hands over what came.
    pub fn receive(&mut self, now: SimTime, mut take: impl FnMut(&[u8])) -> Result<(), Failure> {
        for _ in 0..MAX_AT_ONCE {
            let (length, from) = match self.socket.recv_from(&mut self.buffer) {
                Ok(received) => received,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // Somebody we sent to is not there: no news of our own socket.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
                Err(error) => return Err(failed(format!("cannot receive PDUs: {error}"))),
            };
            if self.dice.unit() < self.loss {
                continue;
            }
            if let Some(heard) = &mut self.heard {
                heard.retain(|_, at| now.saturating_since(*at) < ANSWERED_FOR);
                if heard.len() < MAX_PEERS || heard.contains_key(&from) {
                    heard.insert(from, now);
                }
            }
            take(self.buffer.get(..length).unwrap_or_default());
        }
        Ok(())
    }

    /// Sends to everybody. What the system does not take now is counted: PDUs may be lost anyway.
    pub fn send(&mut self, datagram: &[u8]) {
        if self.dice.unit() < self.loss {
            return;
        }
        let heard = self.heard.iter().flat_map(BTreeMap::keys);
        for to in self.fixed.iter().chain(heard) {
            self.unsent += u64::from(self.socket.send_to(datagram, to).is_err());
        }
    }
}

fn open(exercise: &Exercise) -> io::Result<UdpSocket> {
    let udp = exercise.udp;
    let socket = Socket::new(Domain::for_address(udp), Type::DGRAM, Some(Protocol::UDP))?;
    let cast = cast_of(udp.ip());
    // Several programs of one machine take part in an exercise by the same port.
    socket.set_reuse_address(cast != Cast::Unicast)?;
    let everywhere = SocketAddr::new(IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED), udp.port());
    let bound = match cast {
        Cast::Broadcast => everywhere,
        // A group's address lets nothing else in; other systems do not bind to one.
        Cast::Multicast if !cfg!(unix) && udp.is_ipv4() => everywhere,
        _ => udp,
    };
    socket.bind(&SockAddr::from(bound))?;
    let socket = UdpSocket::from(socket);
    socket.set_broadcast(true).or_else(|error| if udp.is_ipv4() { Err(error) } else { Ok(()) })?;
    match udp.ip() {
        IpAddr::V4(group) if cast == Cast::Multicast => {
            socket.join_multicast_v4(&group, &exercise.interface)?;
            socket2::SockRef::from(&socket).set_multicast_if_v4(&exercise.interface)?;
            socket.set_multicast_loop_v4(true)?;
        }
        IpAddr::V6(group) if cast == Cast::Multicast => socket.join_multicast_v6(&group, 0)?,
        _ => {}
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}
