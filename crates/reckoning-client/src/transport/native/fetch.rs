//! Files of a server, by HTTP: what a program asks for before it joins.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use super::trust;
use crate::transport::{Trust, host_and_port};

const TIMEOUT: Duration = Duration::from_secs(5);
/// Longer answers are cut off.
const MAX_ANSWER_BYTES: u64 = 4 << 20;
const ALPN: &[u8] = b"http/1.1";

/// Fetches a text from a server, for example `fetch("https://game.example:4433", "/level.toml", &trust)`.
/// Waits for the answer, five seconds at most. Only natively.
///
/// An address without a scheme means `http` on this machine and `https` elsewhere; nothing falls back
/// to the other.
///
/// # Errors
/// Why there is no such text, or whom we do not believe.
pub fn fetch(server: &str, path: &str, trust: &Trust) -> Result<String, String> {
    let (scheme, server) = split(server);
    let (host, _) = host_and_port(server).map_err(|error| error.to_string())?;
    let reason = |error: std::io::Error| error.to_string();
    let address = server.to_socket_addrs().map_err(reason)?.next().ok_or("it has no address")?;
    let is_plain = scheme.unwrap_or(if is_loopback(&address) { "http" } else { "https" }) == "http";
    if is_plain && matches!(trust, Trust::Pinned(_)) {
        return Err("plain HTTP shows no certificate to pin; write https://".to_string());
    }
    let stream = TcpStream::connect_timeout(&address, TIMEOUT).map_err(reason)?;
    stream.set_read_timeout(Some(TIMEOUT)).map_err(reason)?;
    if is_plain {
        return get(stream, server, path);
    }
    let config = trust::tls(address.ip(), trust, ALPN)?;
    let name = ServerName::try_from(host.to_string()).map_err(|error| error.to_string())?;
    let tls = ClientConnection::new(Arc::new(config), name).map_err(|error| error.to_string())?;
    get(StreamOwned::new(tls, stream), server, path)
}

/// The scheme, if there is one, and `host:port`.
fn split(url: &str) -> (Option<&str>, &str) {
    let (scheme, rest) = url.split_once("://").map_or((None, url), |(it, rest)| (Some(it), rest));
    (scheme, rest.split('/').next().unwrap_or(rest))
}

fn is_loopback(address: &std::net::SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

fn get(mut stream: impl Read + Write, server: &str, path: &str) -> Result<String, String> {
    let reason = |error: std::io::Error| error.to_string();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(reason)?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer).map_err(reason)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("its answer makes no sense")?;
    if head.starts_with("HTTP/1.1 200") {
        Ok(body.to_string())
    } else {
        Err(format!("{path}: {} {}", head.lines().next().unwrap_or_default(), body.trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_or_none() {
        assert_eq!(split("https://game.example:4433/x?y"), (Some("https"), "game.example:4433"));
        assert_eq!(split("http://127.0.0.1:1/"), (Some("http"), "127.0.0.1:1"));
        assert_eq!(split("[::1]:7"), (None, "[::1]:7"));
    }

    #[test]
    fn a_pin_is_not_given_up_for_plain_http() {
        let refusal = fetch("http://127.0.0.1:9", "/", &Trust::Pinned([0; 32])).unwrap_err();
        assert!(refusal.contains("https://"), "{refusal}");
    }
}
