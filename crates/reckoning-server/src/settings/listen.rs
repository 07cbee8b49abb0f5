//! Where to listen: an address, or a name that has one.

use std::net::{SocketAddr, ToSocketAddrs};

use serde::de::{Deserialize, Deserializer, Error};

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    resolve(&String::deserialize(from)?).map_err(D::Error::custom)
}

fn resolve(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let port = text.rsplit_once(':').and_then(|(name, port)| {
        let is_name = !name.is_empty() && !name.contains(':');
        port.parse::<u16>().ok().filter(|_| is_name)
    });
    if port.is_none() {
        return Err(format!(
            "listen = {text:?} is no socket address; write address:port or name:port, such as 127.0.0.1:4433"
        ));
    }
    let found = text.to_socket_addrs().map_err(|error| {
        format!("listen = {text:?}: {error}; write an address of this machine, or 0.0.0.0 for all")
    })?;
    choose(found).ok_or_else(|| format!("listen = {text:?}: the name has no address"))
}

/// The first IPv4 address, which all clients reach, or else the first.
fn choose(found: impl Iterator<Item = SocketAddr>) -> Option<SocketAddr> {
    let found: Vec<SocketAddr> = found.collect();
    found.iter().find(|it| it.is_ipv4()).or(found.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_say_where_to_listen() {
        assert_eq!(resolve("0.0.0.0:7").unwrap(), "0.0.0.0:7".parse().unwrap());
        assert_eq!(resolve("[::1]:7").unwrap(), "[::1]:7".parse().unwrap());
        let local = resolve("localhost:4433").unwrap();
        assert!(local.ip().is_loopback() && local.port() == 4433, "{local}");
        for wrong in ["", "nowhere", "name:", ":4433", "name:65536", "::1:4433"] {
            let refusal = resolve(wrong).unwrap_err();
            assert!(refusal.contains("name:port"), "{wrong}: {refusal}");
        }
    }

    #[test]
    fn of_several_addresses_one_that_all_clients_reach_is_taken() {
        let [six, four]: [SocketAddr; 2] =
            ["[2001:db8::1]:1", "10.0.0.1:1"].map(|it| it.parse().unwrap());
        assert_eq!(choose([six, four].into_iter()), Some(four));
        assert_eq!(choose([six].into_iter()), Some(six));
        assert_eq!(choose(std::iter::empty()), None);
    }
}
