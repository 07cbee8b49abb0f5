//! The arena's page and the files beside it, served by HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reckoning_server::axum::Router;
use reckoning_server::axum::body::{Body, Bytes};
use reckoning_server::axum::http::{Response, StatusCode, Uri};
use serde_json::{Value, json};

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

/// Files that are served beside the page, and how many play.
#[derive(Default)]
pub struct Site {
    files: BTreeMap<String, (&'static str, Bytes)>,
    about: Value,
    players: Arc<AtomicUsize>,
}

impl Site {
    /// The page that was built in, or one that says how to build it.
    pub fn new() -> Self {
        let mut site = Self { about: json!({}), ..Self::default() };
        for (name, bytes) in built::FILES {
            site.put(&format!("/{name}"), kind_of(name), Bytes::from_static(bytes));
        }
        match site.files.get("/index.html").map(|file| file.1.clone()) {
            Some(index) => site.put("/", kind_of("index.html"), index),
            None => site.put("/", kind_of("index.html"), Bytes::from_static(ABSENT.as_bytes())),
        }
        site
    }

    /// Whether the page was built in.
    pub const fn is_whole() -> bool {
        !built::FILES.is_empty()
    }

    /// Serves a file.
    pub fn put(&mut self, path: &str, kind: &'static str, bytes: impl Into<Bytes>) {
        self.files.insert(path.to_string(), (kind, bytes.into()));
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
        Router::new().fallback(move |uri: Uri| {
            let site = site.clone();
            async move { site.answer(uri.path()) }
        })
    }

    fn answer(&self, path: &str) -> Response<Body> {
        if path == "/arena.json" {
            let mut about = self.about.clone();
            about["players"] = self.players.load(Ordering::Relaxed).into();
            return respond(StatusCode::OK, "application/json", format!("{about:#}\n").into());
        }
        match self.files.get(path) {
            Some((kind, bytes)) => respond(StatusCode::OK, kind, bytes.clone()),
            None => {
                respond(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "not here\n".into())
            }
        }
    }
}

/// The two policies isolate the page, so that its clocks are as fine as browsers allow.
fn respond(status: StatusCode, kind: &str, bytes: Bytes) -> Response<Body> {
    let answer = Response::builder()
        .status(status)
        .header("content-type", kind)
        .header("cache-control", "no-cache")
        .header("cross-origin-opener-policy", "same-origin")
        .header("cross-origin-embedder-policy", "require-corp")
        .body(Body::from(bytes));
    answer.unwrap_or_else(|_| Response::new(Body::empty()))
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

    #[test]
    fn every_answer_is_isolated_and_says_what_it_is() {
        let mut site = Site::new();
        site.put("/level.toml", kind_of("level.toml"), "name = 'x'");
        let isolated =
            |kind: &str| vec![kind.to_string(), "same-origin".into(), "require-corp".into()];
        assert_eq!(headers_of(&site.answer("/")), isolated("text/html; charset=utf-8"));
        assert_eq!(headers_of(&site.answer("/arena.json")), isolated("application/json"));
        assert_eq!(headers_of(&site.answer("/level.toml")), isolated("text/plain; charset=utf-8"));
        assert_eq!(site.answer("/trend.bin").status(), StatusCode::NOT_FOUND);
        assert_eq!(kind_of("reckoning_web_bg.wasm"), "application/wasm");
        assert_eq!(kind_of("page.js"), "text/javascript; charset=utf-8");
    }
}
