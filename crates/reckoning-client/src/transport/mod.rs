//! Transport to the server: datagrams out, datagrams in, and the state of the connection.
//!
//! Natively this is QUIC; in a browser it is WebTransport, or a WebSocket where that fails. The
//! two have the same interface, so that everything above compiles for both unchanged:
//! `open` returns at once, `send` and `receive` never wait, and what does not fit is dropped.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod web;
#[cfg(any(target_arch = "wasm32", test))]
mod web_policy;

use std::collections::VecDeque;
use std::fmt;

use reckoning::{ConfigError, SimTime};

#[cfg(not(target_arch = "wasm32"))]
pub use native::fetch;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::{Clock, Transport, random_identity};
#[cfg(target_arch = "wasm32")]
pub(crate) use web::{Clock, Transport, random_identity};

/// Which servers to trust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// Those whose certificate the system trusts, and on this machine also those that the same user
    /// started: servers note their certificates in a folder that only their user can write.
    #[default]
    SystemRoots,
    /// The one whose certificate has this SHA-256, and nothing else: a browser that cannot reach it
    /// by WebTransport does not try a WebSocket, which cannot be pinned.
    Pinned([u8; 32]),
    /// As [`SystemRoots`](Self::SystemRoots); but a browser may, where nothing better works, speak to
    /// another machine without TLS, so that anyone on the way can read and change what is played.
    Plaintext,
}

/// State of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TransportState {
    Connecting,
    Open,
    /// Over, and why.
    Closed(String),
}

/// Why a client could not begin to connect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConnectError {
    /// The address of the server cannot be used.
    Address {
        /// What was given.
        got: String,
    },
    /// The system gave no network thread, now or earlier in this process.
    System {
        /// What the system reported.
        reason: String,
    },
    /// A setting of the session is out of range.
    Session(ConfigError),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { got } => {
                write!(f, "`{got}` is no server; write host:port, such as 127.0.0.1:4433")
            }
            Self::System { reason } => write!(f, "no network: {reason}; check the system's limits"),
            Self::Session(error) => write!(f, "settings of the session: {error}"),
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Session(error) => Some(error),
            _ => None,
        }
    }
}

/// Host and port of `host:port`; brackets around an IPv6 address are taken off.
pub(crate) fn host_and_port(server: &str) -> Result<(&str, u16), ConnectError> {
    let wrong = || ConnectError::Address { got: server.to_string() };
    let (host, port) = server.rsplit_once(':').ok_or_else(wrong)?;
    let host = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
    let port = port.parse().map_err(|_| wrong())?;
    if host.is_empty() || port == 0 { Err(wrong()) } else { Ok((host, port)) }
}

/// Received datagrams that wait to be read; the oldest is dropped when there are too many.
#[derive(Debug, Default)]
pub(crate) struct ReceiveQueue {
    queue: VecDeque<(SimTime, Vec<u8>)>,
    dropped: u64,
}

/// A second of a busy server; more means that nobody reads.
const INBOX_DATAGRAMS: usize = 256;

impl ReceiveQueue {
    pub(crate) fn push(&mut self, at: SimTime, datagram: Vec<u8>) {
        if self.queue.len() >= INBOX_DATAGRAMS {
            self.queue.pop_front();
            self.dropped += 1;
        }
        self.queue.push_back((at, datagram));
    }

    pub(crate) fn pop(&mut self) -> Option<(SimTime, Vec<u8>)> {
        self.queue.pop_front()
    }

    pub(crate) const fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_a_host_and_a_port() {
        assert_eq!(host_and_port("127.0.0.1:4433"), Ok(("127.0.0.1", 4433)));
        assert_eq!(host_and_port("[::1]:80"), Ok(("::1", 80)));
        assert_eq!(host_and_port("game.example:1"), Ok(("game.example", 1)));
        for wrong in ["", "localhost", ":1", "host:", "host:0", "host:65536"] {
            let error = host_and_port(wrong).unwrap_err();
            assert_eq!(error, ConnectError::Address { got: wrong.to_string() });
        }
    }

    #[test]
    fn an_inbox_nobody_reads_keeps_the_newest() {
        let mut inbox = ReceiveQueue::default();
        for number in 0..=INBOX_DATAGRAMS {
            inbox.push(SimTime::ZERO, vec![(number % 256) as u8]);
        }
        assert_eq!(inbox.dropped(), 1);
        assert_eq!(inbox.pop(), Some((SimTime::ZERO, vec![1])));
    }
}
