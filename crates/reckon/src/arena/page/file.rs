//! A file as it is served: raw or compressed, each with a tag by which a browser asks whether what
//! it has is still the newest.

use std::hash::{DefaultHasher, Hasher};

use reckoning_server::axum::body::{Body, Bytes};
use reckoning_server::axum::http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use reckoning_server::axum::http::response::Builder;
use reckoning_server::axum::http::{HeaderMap, HeaderName, Response, StatusCode};

/// Digits of the hash in a file's name.
const HASH_DIGITS: usize = 16;
/// A name with a hash in it means these bytes for ever.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Kept, and asked for at each use whether it is still the newest.
const ASK_AGAIN: &str = "no-cache";

/// How a file may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// A fifth shorter than gzip; browsers take it over TLS and from this machine.
    Brotli,
    /// What every client can read.
    Gzip,
}

impl Packing {
    /// The shortest first.
    pub const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// How HTTP calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// What the name of the compressed file ends with.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }
}

/// One way to send a file.
#[derive(Debug)]
struct Form {
    bytes: Bytes,
    tag: String,
}

impl Form {
    /// Raw and compressed bytes differ, and so do their tags: they are strong ones.
    fn new(bytes: Bytes) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        Self { tag: format!("\"{:016x}\"", hasher.finish()), bytes }
    }
}

/// A file that is served.
#[derive(Debug)]
pub struct File {
    kind: &'static str,
    keeps: &'static str,
    raw: Form,
    packed: Vec<(Packing, Form)>,
}

impl File {
    /// A file of this name and sort.
    pub fn new(name: &str, kind: &'static str, raw: Bytes) -> Self {
        let keeps = if has_hash(name) { FOR_EVER } else { ASK_AGAIN };
        Self { kind, keeps, raw: Form::new(raw), packed: Vec::new() }
    }

    /// The same with its bytes compressed as well; the shortest form comes first.
    pub fn with(mut self, packing: Packing, bytes: Bytes) -> Self {
        self.packed.push((packing, Form::new(bytes)));
        self
    }

    /// The answer to a request with these headers.
    pub fn answer(&self, asked: &HeaderMap) -> Response<Body> {
        let packed = self.packed.iter().find(|it| takes(asked, it.0));
        let form = packed.map_or(&self.raw, |it| &it.1);
        let is_known = knows(asked, &form.tag);
        let status = if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
        let mut answer = isolated(status)
            .header("content-type", self.kind)
            .header("cache-control", self.keeps)
            .header("etag", &form.tag);
        if !self.packed.is_empty() {
            answer = answer.header("vary", "accept-encoding");
        }
        if let Some((packing, _)) = packed {
            answer = answer.header("content-encoding", packing.name());
        }
        let body = if is_known { Body::empty() } else { Body::from(form.bytes.clone()) };
        answer.body(body).unwrap_or_else(|_| Response::new(Body::empty()))
    }
}

/// The two policies isolate the page, so that its clocks are as fine as browsers allow.
pub fn isolated(status: StatusCode) -> Builder {
    Response::builder()
        .status(status)
        .header("cross-origin-opener-policy", "same-origin")
        .header("cross-origin-embedder-policy", "require-corp")
}

/// Whether a name has the hash of its bytes in it, as in `page.0123456789abcdef.js`.
fn has_hash(name: &str) -> bool {
    let is_hash = |part: &str| {
        part.len() == HASH_DIGITS && part.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.split('.').any(is_hash)
}

/// The items of a header that is a list.
fn items(asked: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = asked.get_all(name).into_iter().filter_map(|it| it.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// Whether the client can read that; a weight of zero means that it cannot.
fn takes(asked: &HeaderMap, packing: Packing) -> bool {
    items(asked, ACCEPT_ENCODING).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|it| it.eq_ignore_ascii_case(packing.name()));
        let weight = parts.find_map(|it| it.strip_prefix("q="));
        is_named && weight.and_then(|it| it.parse::<f32>().ok()).is_none_or(|it| it > 0.0)
    })
}

/// Whether the client has the bytes of this tag already. A cache on the way may have weakened it.
fn knows(asked: &HeaderMap, tag: &str) -> bool {
    items(asked, IF_NONE_MATCH).any(|item| item == "*" || item.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(lines: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut asked = HeaderMap::new();
        for (name, value) in lines {
            asked.append(name, value.parse().unwrap());
        }
        asked
    }

    fn said<'a>(answer: &'a Response<Body>, name: &str) -> Option<&'a str> {
        answer.headers().get(name).map(|it| it.to_str().unwrap())
    }

    fn style() -> File {
        let plain = File::new("style.0123456789abcdef.css", "text/css", Bytes::from_static(b"raw"));
        plain
            .with(Packing::Brotli, Bytes::from_static(b"br"))
            .with(Packing::Gzip, Bytes::from_static(b"gz"))
    }

    #[test]
    fn a_client_gets_the_shortest_form_it_can_read_and_caches_are_told_that_it_depends() {
        for (takes, packed) in [
            ("gzip, deflate, br, zstd", Some("br")),
            ("br;q=0, GZIP;q=0.8", Some("gzip")),
            ("gzip, deflate", Some("gzip")),
            ("gzip;q=0", None),
            ("gzip; q=0.0, BR", Some("br")),
            ("bro, x-gzip2", None),
            ("", None),
        ] {
            let answer = style().answer(&asked(&[(ACCEPT_ENCODING, takes)]));
            assert_eq!(said(&answer, "content-encoding"), packed, "{takes}");
            assert_eq!(said(&answer, "vary"), Some("accept-encoding"), "{takes}");
        }
        let two_lines = asked(&[(ACCEPT_ENCODING, "zstd"), (ACCEPT_ENCODING, "gzip")]);
        assert_eq!(said(&style().answer(&two_lines), "content-encoding"), Some("gzip"));
    }

    #[test]
    fn a_client_that_has_the_newest_bytes_gets_none() {
        let first = style().answer(&HeaderMap::new());
        let packed = style().answer(&asked(&[(ACCEPT_ENCODING, "gzip")]));
        let [raw_tag, gzip_tag] = [&first, &packed].map(|it| said(it, "etag").unwrap());
        assert_ne!(raw_tag, gzip_tag, "a strong tag is of one form");
        for (known, status) in [
            (raw_tag.to_string(), 304),
            (format!("W/{raw_tag}"), 304),
            (format!("\"other\", {raw_tag}"), 304),
            ("*".to_string(), 304),
            (gzip_tag.to_string(), 200),
            (raw_tag.trim_matches('"').to_string(), 200),
        ] {
            let mut asked = HeaderMap::new();
            asked.insert(IF_NONE_MATCH, known.parse().unwrap());
            let answer = style().answer(&asked);
            assert_eq!(answer.status().as_u16(), status, "{known}");
            assert_eq!(said(&answer, "etag"), Some(raw_tag), "{known}");
        }
    }

    #[test]
    fn only_a_name_with_a_hash_is_kept_for_ever() {
        let keeps = |name| {
            let answer = File::new(name, "", Bytes::new()).answer(&HeaderMap::new());
            said(&answer, "cache-control").unwrap().to_string()
        };
        assert_eq!(keeps("page.0123456789abcdef.js"), FOR_EVER);
        for name in ["index.html", "page.js", "page.0123456789ABCDEF.js", "0123456789abcde.js"] {
            assert_eq!(keeps(name), ASK_AGAIN, "{name}");
        }
        let plain = File::new("level.bin", "", Bytes::new()).answer(&HeaderMap::new());
        assert_eq!(said(&plain, "vary"), None);
    }
}
