//! The arena's page and the files beside it, served by HTTP.

mod file;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reckoning_server::axum::Router;
use reckoning_server::axum::body::{Body, Bytes};
use reckoning_server::axum::http::{HeaderMap, Response, StatusCode, Uri};
use serde_json::{Value, json};

use self::file::{File, Packing, isolated};

mod built {
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

const ABSENT: &str = "\
<!doctype html>
<html lang=\"en\"><meta charset=\"utf-8\"><title>Reckoning</title>
<body style=\"font: 16px/1.5 system-ui; max-width: 40em; margin: 4em auto; padding: 0 1em\">
<h1>The server runs, its page is missing</h1>
<p>This program was built without the arena's page. To build both and play:</p>
<pre>cargo xtask play</pre>
<p>Programs can join all the same: <code>reckon bots --join URL --count 4</code></p>
</html>
";

/// Pages are also found without this.
const PAGE: &str = ".html";

/// Files that are served beside the page, and how many play.
#[derive(Default)]
pub struct Site {
    files: BTreeMap<String, File>,
    about: Value,
    players: Arc<AtomicUsize>,
}

impl Site {
    /// The page that was built in, or one that says how to build it.
    pub fn new() -> Self {
        Self::of(built::FILES)
    }

    fn of(files: &[(&str, &'static [u8])]) -> Self {
        let mut site = Self { about: json!({}), ..Self::default() };
        site.put("/", kind_of("index.html"), ABSENT);
        let is_packed = |name: &str| Packing::ALL.iter().any(|it| name.ends_with(it.ending()));
        for (name, bytes) in files.iter().filter(|it| !is_packed(it.0)) {
            let packed = Packing::ALL.into_iter().filter_map(|packing| {
                let is_it = |it: &&(&str, _)| it.0.strip_suffix(packing.ending()) == Some(*name);
                Some((packing, files.iter().find(is_it)?.1))
            });
            site.put_built(name, bytes, &packed.collect::<Vec<_>>());
        }
        site
    }

    /// A file of the page; a page is found without its ending as well, and the first at the root.
    fn put_built(&mut self, name: &str, raw: &'static [u8], packed: &[(Packing, &'static [u8])]) {
        let page = name.strip_suffix(PAGE).map(|it| if it == "index" { "" } else { it });
        for path in [Some(name), page].into_iter().flatten() {
            let plain = File::new(name, kind_of(name), Bytes::from_static(raw));
            let file = packed.iter().fold(plain, |file, (packing, bytes)| {
                file.with(*packing, Bytes::from_static(bytes))
            });
            self.files.insert(format!("/{path}"), file);
        }
    }

    /// Whether the page was built in.
    pub const fn is_whole() -> bool {
        !built::FILES.is_empty()
    }

    /// Serves a file.
    pub fn put(&mut self, path: &str, kind: &'static str, bytes: impl Into<Bytes>) {
        self.files.insert(path.to_string(), File::new(path, kind, bytes.into()));
    }

    /// What `/arena.json` says, but for the number of players.
    pub fn describe(&mut self, about: Value) {
        self.about = about;
    }

    /// Where the game counts players.
    pub fn players(&self) -> Arc<AtomicUsize> {
        self.players.clone()
    }

    /// As the server wants it.
    pub fn router(self) -> Router {
        let site = Arc::new(self);
        Router::new().fallback(move |uri: Uri, asked: HeaderMap| {
            let site = site.clone();
            async move { site.answer(uri.path(), &asked) }
        })
    }

    fn answer(&self, path: &str, asked: &HeaderMap) -> Response<Body> {
        if path == "/arena.json" {
            let mut about = self.about.clone();
            about["players"] = self.players.load(Ordering::Relaxed).into();
            return respond(StatusCode::OK, "application/json", format!("{about:#}\n"));
        }
        match self.files.get(path) {
            Some(file) => file.answer(asked),
            None => {
                respond(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "not here\n".into())
            }
        }
    }
}

/// An answer that is another the next time.
fn respond(status: StatusCode, kind: &str, text: String) -> Response<Body> {
    let answer = isolated(status).header("content-type", kind).header("cache-control", "no-cache");
    answer.body(Body::from(text)).unwrap_or_else(|_| Response::new(Body::empty()))
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |it| it.1) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "toml" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers_of(answer: &Response<Body>) -> Vec<String> {
        let names = ["content-type", "cross-origin-opener-policy", "cross-origin-embedder-policy"];
        names.map(|name| answer.headers()[name].to_str().unwrap().to_string()).to_vec()
    }

    fn get(site: &Site, path: &str) -> Response<Body> {
        site.answer(path, &HeaderMap::new())
    }

    #[test]
    fn every_answer_is_isolated_and_says_what_it_is() {
        let mut site = Site::new();
        site.put("/level.toml", kind_of("level.toml"), "name = 'x'");
        let isolated =
            |kind: &str| vec![kind.to_string(), "same-origin".into(), "require-corp".into()];
        assert_eq!(headers_of(&get(&site, "/")), isolated("text/html; charset=utf-8"));
        assert_eq!(headers_of(&get(&site, "/arena.json")), isolated("application/json"));
        assert_eq!(headers_of(&get(&site, "/level.toml")), isolated("text/plain; charset=utf-8"));
        assert_eq!(get(&site, "/trend.bin").status(), StatusCode::NOT_FOUND);
        assert_eq!(kind_of("reckoning_web_bg.wasm"), "application/wasm");
        assert_eq!(kind_of("page.js"), "text/javascript; charset=utf-8");
    }

    #[test]
    fn a_built_page_is_served_by_its_names_and_compressed_where_that_was_made() {
        let site = Site::of(&[
            ("explain.html", b"explained"),
            ("index.html", b"arena"),
            ("page.0123456789abcdef.js", b"script"),
            ("page.0123456789abcdef.js.br", b"short"),
            ("page.0123456789abcdef.js.gz", b"packed"),
        ]);
        let tag = |path: &str| get(&site, path).headers()["etag"].clone();
        assert_eq!((tag("/"), tag("/explain")), (tag("/index.html"), tag("/explain.html")));
        assert_ne!(tag("/"), tag("/explain"));
        let mut asked = HeaderMap::new();
        asked.insert("accept-encoding", "gzip".parse().unwrap());
        let script = site.answer("/page.0123456789abcdef.js", &asked);
        assert_eq!(script.headers()["content-encoding"], "gzip");
        assert_eq!(headers_of(&script)[0], "text/javascript; charset=utf-8");
        assert!(site.answer("/", &asked).headers().get("content-encoding").is_none());
        asked.insert("accept-encoding", "gzip, br".parse().unwrap());
        let script = site.answer("/page.0123456789abcdef.js", &asked);
        assert_eq!(script.headers()["content-encoding"], "br");
        for packed in ["/page.0123456789abcdef.js.gz", "/page.0123456789abcdef.js.br"] {
            assert_eq!(get(&site, packed).status(), StatusCode::NOT_FOUND, "{packed}");
        }
        assert_eq!(get(&Site::of(&[]), "/").status(), StatusCode::OK, "it says how to build it");
    }
}
