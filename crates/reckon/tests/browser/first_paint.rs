//! How soon the page is there on a slow line and a slow processor, and what it takes of the line.
//!
//! `RECKONING_PAGE_URL` names the page of another server that is measured and printed as well, for
//! a comparison.

use std::time::Duration;

use super::{Arena, Browser, LAPTOP, number};
use serde_json::json;

/// What browsers call a slow 4G: bytes per second down and up, and milliseconds more per request.
const DOWN: f64 = 1.6e6 / 8.0;
const UP: f64 = 0.75e6 / 8.0;
const LATENCY_MS: f64 = 150.0;
/// How many times slower a processor is pretended to be.
const SLOWDOWN: f64 = 4.0;
/// Loads whose median is judged: other programs use the machine as well.
const LOADS: usize = 3;
/// How much sooner than its module the page is there, in one run on one machine; how soon by the clock
/// is printed, as it is about the machine.
const PAINTS_BEFORE: f64 = 3.0;
const PATIENCE: Duration = Duration::from_mins(2);

/// Notes when the module runs and when the page has joined, by its own clock.
const WATCH: &str = "const look = setInterval(() => { \
    if (window.reckoning) window.runsMs ||= performance.now(); \
    try { if (JSON.parse(reckoning.state()).status == 'joined') { \
        window.joinedMs = performance.now(); clearInterval(look); } } catch {} }, 20)";

/// What one load took.
#[derive(Clone, Copy, Debug)]
struct Load {
    paint_ms: f64,
    runs_ms: f64,
    joined_ms: f64,
    bytes: f64,
}

fn slow(browser: &mut Browser) {
    browser.call("Network.enable", &json!({}));
    let line = json!({ "offline": false, "latency": LATENCY_MS, "downloadThroughput": DOWN, "uploadThroughput": UP });
    browser.call("Network.emulateNetworkConditions", &line);
    browser.call("Emulation.setCPUThrottlingRate", &json!({ "rate": SLOWDOWN }));
}

fn load(browser: &mut Browser, url: &str) -> Load {
    browser.goto("about:blank");
    browser.goto(url);
    browser.wait_within(PATIENCE, "joined", "window.joinedMs > 0");
    let bytes = "[...performance.getEntriesByType('navigation'), \
                  ...performance.getEntriesByType('resource')]\
                 .reduce((sum, it) => sum + it.transferSize, 0)";
    let paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    if std::env::var_os("RECKONING_TIMELINE").is_some() {
        println!("{}", browser.value("performance.getEntriesByType('resource').map(it => `${it.name} ${it.requestStart | 0} ${it.responseEnd | 0}`).join('\\n')").as_str().unwrap());
    }
    Load {
        paint_ms: number(&browser.value(paint)),
        runs_ms: number(&browser.value("window.runsMs")),
        joined_ms: number(&browser.value("window.joinedMs")),
        bytes: number(&browser.value(bytes)),
    }
}

fn median(loads: &[Load], of: impl Fn(&Load) -> f64) -> f64 {
    let mut values: Vec<f64> = loads.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// First loads, each in a browser that has seen nothing, and a second load of the last of them.
fn measure(name: &str, url: &str) -> (Load, Load) {
    let mut firsts = Vec::new();
    let mut again = None;
    for _ in 0..LOADS {
        let mut browser = Browser::open_after(name, LAPTOP, "about:blank", WATCH);
        slow(&mut browser);
        firsts.push(load(&mut browser, url));
        again = Some(load(&mut browser, url));
    }
    let first = Load {
        paint_ms: median(&firsts, |it| it.paint_ms),
        runs_ms: median(&firsts, |it| it.runs_ms),
        joined_ms: median(&firsts, |it| it.joined_ms),
        bytes: median(&firsts, |it| it.bytes),
    };
    let again = again.expect("at least one load");
    for (which, it) in [("first visit", first), ("second visit", again)] {
        println!(
            "{name}, {which}: paints at {:.0} ms, runs at {:.0} ms, joined at {:.0} ms, {:.0} bytes",
            it.paint_ms, it.runs_ms, it.joined_ms, it.bytes
        );
    }
    (first, again)
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn on_a_slow_line_and_processor_the_page_paints_long_before_it_runs() {
    if let Ok(url) = std::env::var("RECKONING_PAGE_URL") {
        measure("other", &url);
    }
    let arena = Arena::play(&["--bots", "4"]);
    let (first, again) = measure("slow", &arena.url());
    assert!(first.paint_ms * PAINTS_BEFORE < first.runs_ms, "{first:?}");
    assert!(again.bytes * 20.0 < first.bytes, "{again:?} after {first:?}: nothing was kept");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn before_the_module_is_there_the_page_has_its_theme_and_says_that_it_loads() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut browser = Browser::open("unfinished", LAPTOP, "about:blank");
    browser.call("Network.enable", &json!({}));
    browser.call("Network.setBlockedURLs", &json!({ "urls": ["*.wasm", "*reckoning_web*.js"] }));
    for (theme, back) in [("light", "rgb(233, 237, 242)"), ("dark", "rgb(13, 17, 23)")] {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        browser.call("Emulation.setEmulatedMedia", &json!({ "features": features }));
        browser.goto(&arena.url());
        let says = "document.querySelector('#message').checkVisibility() && \
                    document.querySelector('#message-title').textContent.length > 5";
        browser.wait_within(PATIENCE, "that it loads", says);
        browser.picture(&format!("unfinished-{theme}"));
        assert_eq!(browser.value("document.documentElement.dataset.theme"), theme);
        assert_eq!(browser.value("getComputedStyle(document.body).backgroundColor"), back);
        assert_eq!(browser.value("typeof window.reckoning"), "undefined");
    }
}

/// Recordings come in ten pieces, a fifth of a second apart.
const SLOW_RECORDING: &str = "const plain = window.fetch; window.fetch = async (url, ...more) => { \
    const answer = await plain.call(window, url, ...more); \
    if (!String(url).includes('recording.bin')) return answer; \
    const bytes = new Uint8Array(await answer.arrayBuffer()); \
    const size = Math.ceil(bytes.length / 10); \
    const pieces = new ReadableStream({ async start(out) { \
        for (let at = 0; at < bytes.length; at += size) { \
            await new Promise(done => setTimeout(done, 200)); \
            out.enqueue(bytes.slice(at, at + size)); } \
        out.close(); } }); \
    return new Response(pieces, { headers: { 'content-length': bytes.length } }); }";

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn while_a_recording_loads_the_page_says_how_much_of_it_has_come() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("loading");
    let _ = std::fs::remove_dir_all(&folder);
    let arena = Arena::play(&["--bots", "16", "--record", folder.to_str().unwrap()]);
    super::sleep(6.0);
    drop(arena);
    let file = std::fs::read_dir(&folder).unwrap().next().expect("a recording").unwrap().path();
    let arena = Arena::watch(file.to_str().unwrap());
    let mut browser = Browser::open_after("loading", LAPTOP, &arena.url(), SLOW_RECORDING);
    let says = "document.querySelector('#message-title').textContent == 'Loading the recording' && \
                /^[0-9]+[.][0-9] of [0-9]+[.][0-9] MB$/\
                .test(document.querySelector('#message-text').textContent)";
    browser.wait_within(PATIENCE, "how much has come", says);
    println!("{}", browser.value("document.querySelector('#message-text').textContent"));
    browser.wait_within(
        PATIENCE,
        "the recording",
        "JSON.parse(reckoning.state()).replay.seconds > 3",
    );
    browser.wait_within(PATIENCE, "no message", "document.querySelector('#message').hidden");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Every reference of the page, as it stands in quotes, to a file of this ending.
fn references(page: &str, ending: &str) -> Vec<String> {
    page.split(['"', '\'']).filter(|it| it.ends_with(ending)).map(str::to_string).collect()
}

fn line<'a>(head: &'a str, name: &str) -> &'a str {
    let found = head.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("no {name} in {head}"))
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_built_page_names_files_by_what_they_hold_and_sends_them_packed() {
    let arena = Arena::play(&["--bots", "0"]);
    let (head, page) = arena.ask("/", "");
    assert_eq!(line(&head, "cache-control"), "no-cache");
    let page = String::from_utf8(page).unwrap();
    let mut seen = 0;
    for ending in [".css", ".js", ".wasm"] {
        for name in references(&page, ending) {
            let path = format!("/{}", name.trim_start_matches("./"));
            let (raw_head, raw) = arena.ask(&path, "");
            assert!(raw_head.starts_with("http/1.1 200"), "{path}: {raw_head}");
            assert!(line(&raw_head, "cache-control").contains("immutable"), "{path}");
            assert!(!raw_head.contains("content-encoding"), "{path}");
            let (head, short) = arena.ask(&path, "accept-encoding: br, gzip\r\n");
            assert_eq!(line(&head, "content-encoding"), "br", "{path}");
            let (head, packed) = arena.ask(&path, "accept-encoding: gzip\r\n");
            assert!(short.len() < packed.len(), "{path}: {}", short.len());
            assert_eq!(line(&head, "content-encoding"), "gzip", "{path}");
            assert_eq!(line(&head, "vary"), "accept-encoding", "{path}");
            assert_ne!(line(&head, "etag"), line(&raw_head, "etag"), "{path}");
            assert!(packed.len() * 2 < raw.len(), "{path}: {} of {}", packed.len(), raw.len());
            assert_eq!(packed[..2], [0x1f, 0x8b], "{path}");
            let known =
                format!("if-none-match: {}\r\naccept-encoding: gzip\r\n", line(&head, "etag"));
            assert!(arena.ask(&path, &known).0.starts_with("http/1.1 304"), "{path}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "a style sheet, a script and the module, not {seen} files");
}
