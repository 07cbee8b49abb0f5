//! Whom a proxy speaks for.
//!
//! Each proxy appends the address that it was asked from, so only what trusted proxies appended can be
//! believed: the list is read from its end, over trusted ones, to the first that is not.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

use crate::settings::{ForwardedHeader, Proxies};

/// Whether this is a proxy whose word counts.
pub(crate) fn is_trusted(address: IpAddr, proxies: &Proxies) -> bool {
    proxies.trusted.iter().any(|block| block.0.contains(address))
}

/// The client that a trusted proxy speaks for; `None` when it does not say so, or not in a way that can
/// be read.
pub(crate) fn client(headers: &HeaderMap, proxies: &Proxies) -> Option<IpAddr> {
    let (name, address): (_, fn(&str) -> Option<IpAddr>) = match proxies.header {
        ForwardedHeader::XForwardedFor => ("x-forwarded-for", address),
        ForwardedHeader::Forwarded => ("forwarded", forwarded_for),
    };
    for value in headers.get_all(name).iter().rev() {
        for hop in value.to_str().ok()?.rsplit(',') {
            let address = address(hop.trim())?;
            if !is_trusted(address, proxies) {
                return Some(address);
            }
        }
    }
    None
}

/// `for=` of one hop of the header `Forwarded`.
fn forwarded_for(hop: &str) -> Option<IpAddr> {
    let pairs = hop.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut named = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    address(named.next()?.1.trim().trim_matches('"'))
}

/// An address, with or without brackets and port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().ok().map(|it| it.ip());
    bare.parse::<IpAddr>().ok().or_else(with_port).map(|it| it.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn client_of(header: &str, lines: &[&str]) -> Option<String> {
        let text = format!("[proxies]\ntrusted = ['10.0.0.0/8', '::1']\nheader = '{header}'");
        let proxies = Settings::from_toml(&text).unwrap().proxies;
        let mut headers = HeaderMap::new();
        for line in lines {
            let name: &'static str =
                if header == "forwarded" { "forwarded" } else { "x-forwarded-for" };
            headers.append(name, line.parse().unwrap());
        }
        client(&headers, &proxies).map(|it| it.to_string())
    }

    #[test]
    fn the_last_that_is_no_proxy_of_ours_is_the_client() {
        let of = |lines: &[&str]| client_of("x-forwarded-for", lines);
        assert_eq!(of(&["203.0.113.7"]).unwrap(), "203.0.113.7");
        assert_eq!(
            of(&["1.2.3.4, 203.0.113.7, 10.0.0.9"]).unwrap(),
            "203.0.113.7",
            "not its claim"
        );
        assert_eq!(of(&["1.2.3.4", "203.0.113.7"]).unwrap(), "203.0.113.7");
        assert_eq!(of(&["[2001:db8::1]:4711"]).unwrap(), "2001:db8::1");
        assert_eq!(of(&["::ffff:203.0.113.7"]).unwrap(), "203.0.113.7");
        for nothing in [&[][..], &["10.0.0.1"], &["unknown"], &["203.0.113.7, what"], &["x y z"]] {
            assert_eq!(of(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn the_standard_header_is_read_as_the_standard_says() {
        let of = |lines: &[&str]| client_of("forwarded", lines);
        assert_eq!(of(&["for=192.0.2.60;proto=http;by=203.0.113.43"]).unwrap(), "192.0.2.60");
        assert_eq!(of(&["for=1.1.1.1, For=\"[2001:db8::1]:4711\""]).unwrap(), "2001:db8::1");
        assert_eq!(of(&["for=192.0.2.60, for=10.2.3.4"]).unwrap(), "192.0.2.60");
        assert_eq!(of(&["for=_hidden"]), None);
        assert_eq!(of(&["by=192.0.2.60"]), None);
    }
}
