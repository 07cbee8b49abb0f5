//! Pages that may connect: browsers tell from which origin a page came.
//!
//! Without this check, a page of anyone's could play from the browser, the address and the network of
//! whoever looks at it. Programs have no origin and are not asked: they could say what they like.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

/// Whether a page may connect. `host` is what the browser believes it speaks to, with or without a
/// port; `local` tells that the server listens on loopback only.
pub(crate) fn is_allowed(headers: &HeaderMap, host: &str, listed: &[String], local: bool) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    let (Ok(origin), None) = (origin.to_str(), origins.next()) else { return false };
    if !listed.is_empty() {
        return listed.iter().any(|it| it == "*" || it.eq_ignore_ascii_case(origin));
    }
    let Some((_, from)) = origin.split_once("://") else { return false };
    let (from, host) = (host_name(from), host_name(host));
    if is_loopback(host) {
        return is_loopback(from);
    }
    // A name that is made to mean 127.0.0.1 must not open a server that is for this machine only.
    !local && from.eq_ignore_ascii_case(host)
}

/// A host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') && port.bytes().all(|it| it.is_ascii_digit()) => {
            name
        }
        _ => host,
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let named = host.eq_ignore_ascii_case("localhost");
    named || bare.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origin: &str, host: &str, listed: &[&str], local: bool) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::ORIGIN, origin.parse().unwrap());
        let listed: Vec<String> = listed.iter().map(ToString::to_string).collect();
        is_allowed(&headers, host, &listed, local)
    }

    #[test]
    fn by_default_a_page_connects_to_where_it_came_from() {
        assert!(is_allowed(&HeaderMap::new(), "game.example", &[], false), "a program");
        assert!(allowed("https://game.example", "game.example:4433", &[], false));
        assert!(allowed("https://Game.example:8443", "game.EXAMPLE:4433", &[], false));
        assert!(allowed("http://[2001:db8::1]:80", "[2001:db8::1]:4433", &[], false));
        for foreign in ["https://evil.example", "https://game.example.evil.example", "null", "x"] {
            assert!(!allowed(foreign, "game.example:4433", &[], false), "{foreign}");
        }
    }

    #[test]
    fn loopback_is_one_host_and_no_other_name_opens_it() {
        for local in [true, false] {
            assert!(allowed("http://localhost:4433", "127.0.0.1:4433", &[], local));
            assert!(allowed("http://[::1]:4433", "localhost:4433", &[], local));
            assert!(!allowed("http://evil.example:4433", "127.0.0.1:4433", &[], local));
        }
        assert!(!allowed("http://evil.example:4433", "evil.example:4433", &[], true), "rebound");
    }

    #[test]
    fn listed_origins_are_the_only_ones() {
        let listed = ["https://game.example"];
        assert!(allowed("https://game.example", "10.0.0.1:4433", &listed, false));
        assert!(!allowed("http://game.example", "game.example", &listed, false));
        assert!(allowed("https://any.example", "game.example", &["*"], false));
        assert!(allowed("null", "game.example", &["null"], false));
    }

    #[test]
    fn two_origins_are_none() {
        let mut headers = HeaderMap::new();
        headers.append(header::ORIGIN, "https://game.example".parse().unwrap());
        headers.append(header::ORIGIN, "https://evil.example".parse().unwrap());
        assert!(!is_allowed(&headers, "game.example", &[], false));
    }
}
