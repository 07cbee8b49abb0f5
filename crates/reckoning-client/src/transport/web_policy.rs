//! What a browser may speak to which server: nothing unprotected, unless it is on this machine or told.

use super::{Trust, host_and_port};

/// Over what a browser asks for `/reckoning.json` and, where WebTransport fails, plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TcpSecurity {
    /// `https` and `wss`.
    Tls,
    /// `http` and `ws`.
    Plain,
}

impl TcpSecurity {
    /// For a page that came over TLS or not. Browsers allow such a page nothing but TLS; other pages
    /// speak plainly to this machine, and elsewhere only when they are told to.
    pub(crate) fn choose(server: &str, page_is_secure: bool, trust: &Trust) -> Self {
        let may_be_plain = is_this_machine(server) || *trust == Trust::Plaintext;
        if page_is_secure || !may_be_plain { Self::Tls } else { Self::Plain }
    }

    /// The schemes, of pages and of sockets.
    pub(crate) const fn schemes(self) -> [&'static str; 2] {
        match self {
            Self::Tls => ["https", "wss"],
            Self::Plain => ["http", "ws"],
        }
    }
}

/// Whether a WebSocket may stand in for WebTransport: it cannot be pinned.
pub(crate) const fn may_fall_back(trust: &Trust) -> bool {
    !matches!(trust, Trust::Pinned(_))
}

fn is_this_machine(server: &str) -> bool {
    let Ok((host, _)) = host_and_port(server) else { return false };
    let is_loopback = |it: std::net::IpAddr| it.to_canonical().is_loopback();
    host == "localhost" || host.ends_with(".localhost") || host.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemes(server: &str, page_is_secure: bool, trust: &Trust) -> [&'static str; 2] {
        TcpSecurity::choose(server, page_is_secure, trust).schemes()
    }

    #[test]
    fn a_secure_page_never_speaks_plainly() {
        for server in ["127.0.0.1:1", "game.example:1"] {
            for trust in [Trust::SystemRoots, Trust::Pinned([0; 32]), Trust::Plaintext] {
                assert_eq!(schemes(server, true, &trust), ["https", "wss"], "{server} {trust:?}");
            }
        }
    }

    #[test]
    fn other_machines_are_spoken_to_plainly_only_if_told() {
        for server in ["game.example:1", "10.0.0.7:1", "localhost.example:1", "[2001:db8::1]:1"] {
            assert_eq!(schemes(server, false, &Trust::SystemRoots), ["https", "wss"], "{server}");
            assert_eq!(schemes(server, false, &Trust::Plaintext), ["http", "ws"], "{server}");
        }
        for server in ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"] {
            assert_eq!(schemes(server, false, &Trust::SystemRoots), ["http", "ws"], "{server}");
        }
    }

    #[test]
    fn a_pin_is_never_given_up_for_a_websocket() {
        assert!(!may_fall_back(&Trust::Pinned([7; 32])));
        assert!(may_fall_back(&Trust::SystemRoots) && may_fall_back(&Trust::Plaintext));
    }
}
