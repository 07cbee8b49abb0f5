//! The arena's page in a real browser. `cargo xtask test` finds or installs Chromium, builds the
//! page, names both and runs these tests, which are ignored otherwise. By hand:
//!
//! ```text
//! cargo xtask page
//! export RECKONING_BROWSER=chromium
//! export RECKONING_FIREFOX=firefox   # one test skips itself without
//! cargo test -p reckon --test browser -- --ignored --nocapture --test-threads=1
//! ```
//!
//! `RECKONING_AXE` names a file `axe.min.js` of axe-core, with which views are checked.

#![expect(clippy::disallowed_methods, reason = "a browser takes the time it takes")]

mod access;
mod arena;
mod choices;
mod chrome;
mod explain;
mod figures;
mod firefox;
mod first_paint;
mod hills;
mod panel;
mod secure;
mod social;
mod windows;

use std::time::Duration;

use arena::Arena;
use chrome::Browser;
use serde_json::Value;

const LAPTOP: (u32, u32) = (1440, 900);
const PHONE: (u32, u32) = (390, 844);

/// A player in the game.
fn join(name: &str, size: (u32, u32), arena: &Arena) -> Browser {
    let mut browser = Browser::open(name, size, &format!("{}?name={name}", arena.url()));
    browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    browser.wait_until("a body of its own", "JSON.parse(reckoning.state()).me != null");
    browser
}

fn state(browser: &mut Browser) -> Value {
    let text = browser.value("reckoning.state()");
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

/// Moves a slider of the page, as a hand would.
fn slide(browser: &mut Browser, selector: &str, value: f64) {
    browser.value(&format!(
        "{{ const it = document.querySelector(\"{selector}\"); it.value = {value}; \
         it.dispatchEvent(new Event('input', {{ bubbles: true }})); \
         it.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"
    ));
}

fn set(browser: &mut Browser, control: &str, value: f64) {
    slide(browser, &format!("[data-control={control}]"), value);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

fn place(body: &Value) -> (f64, f64) {
    (number(&body["x"]), number(&body["y"]))
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn sleep(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

/// Walks by the keyboard; which way is free depends on where it was born.
fn walk(browser: &mut Browser) {
    let own = |browser: &mut Browser| place(&state(browser)["me"]);
    let start = own(browser);
    for code in ["KeyD", "KeyA"] {
        browser.key(code, true);
        sleep(0.6);
        browser.key(code, false);
        sleep(0.6);
        if distance(start, own(browser)) > 60.0 {
            break;
        }
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_page_loads_and_joins_without_a_complaint() {
    let arena = Arena::play(&["--bots", "12"]);
    for (name, size) in [("laptop", LAPTOP), ("phone", PHONE)] {
        let mut browser = join(name, size, &arena);
        browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 12");
        sleep(3.0); // something to see in the plots
        println!("{}", browser.picture(name).display());
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{name}");
        println!("{name} speaks {}", state(&mut browser)["transport"]);
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_key_moves_the_own_player_and_another_browser_sees_it() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut mover = join("mover", LAPTOP, &arena);
    let mut watcher = join("watcher", LAPTOP, &arena);
    watcher.wait_until("the mover", "JSON.parse(reckoning.state()).ghosts.length == 1");
    let seen = |watcher: &mut Browser| place(&state(watcher)["ghosts"][0]);
    let own = |mover: &mut Browser| place(&state(mover)["me"]);

    let (start, start_seen) = (own(&mut mover), seen(&mut watcher));
    assert!(distance(start, start_seen) < 5.0, "{start:?} is shown at {start_seen:?}");
    walk(&mut mover);
    let (end, end_seen) = (own(&mut mover), seen(&mut watcher));
    println!("moved from {start:?} to {end:?}, shown from {start_seen:?} to {end_seen:?}");
    assert!(distance(start, end) > 60.0);
    assert!(distance(end, end_seen) < 5.0);
    mover.picture("moved");
    watcher.picture("seen-moving");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_key_gets_into_a_buggy_and_out_and_another_browser_sees_it_drive() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut driver = join("driver", LAPTOP, &arena);
    let mut watcher = join("watcher", LAPTOP, &arena);
    driver.wait_until("a buggy", "JSON.parse(reckoning.state()).vehicles.length > 0");
    let buggy = approach_buggy(&mut driver);
    driver.picture("beside-a-buggy");
    press(&mut driver, "KeyE");
    driver.wait_until("the wheel", "JSON.parse(reckoning.state()).rides !== null");
    let seen = |browser: &mut Browser| vehicle(&state(browser), buggy);
    let start = place(&seen(&mut driver));
    for key in ["KeyW", "KeyS"] {
        driver.key(key, true);
        sleep(1.0);
        driver.key(key, false);
    }
    let (own, shown) = (seen(&mut driver), seen(&mut watcher));
    driver.picture("driving");
    watcher.picture("seen-driving");
    println!("driven from {start:?} to {own}, shown as {shown}");
    assert!(own["driven"] == true && shown["driven"] == true, "{own} and {shown}");
    assert!(distance(start, place(&own)) > 60.0, "{start:?} and {own}");
    sleep(1.0);
    let (own, shown) = (place(&seen(&mut driver)), place(&seen(&mut watcher)));
    assert!(distance(own, shown) < 20.0, "{own:?} is shown at {shown:?}");
    press(&mut driver, "KeyE");
    driver.wait_until("the ground", "JSON.parse(reckoning.state()).rides === null");
    watcher.wait_until(
        "an empty one",
        "!JSON.parse(reckoning.state()).vehicles.some(it => it.driven)",
    );
    assert!(distance(place(&state(&mut driver)["me"]), own) < 150.0, "it got out beside it");
}

fn press(browser: &mut Browser, key: &str) {
    browser.key(key, true);
    browser.key(key, false);
}

fn vehicle(state: &Value, entity: u64) -> Value {
    let vehicles = state["vehicles"].as_array().unwrap();
    vehicles.iter().find(|it| it["entity"] == entity).cloned().unwrap()
}

/// Walks to the nearest buggy; returns its entity.
fn approach_buggy(browser: &mut Browser) -> u64 {
    for _ in 0..60 {
        let now = state(browser);
        let me = place(&now["me"]);
        let vehicles = now["vehicles"].as_array().unwrap();
        let apart = |it: &&Value| distance(place(it), me);
        let nearest = vehicles.iter().min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap();
        let (to, entity) = (place(nearest), nearest["entity"].as_u64().unwrap());
        let ways = [
            ("KeyD", to.0 - me.0 > 25.0),
            ("KeyA", me.0 - to.0 > 25.0),
            ("KeyS", to.1 - me.1 > 25.0),
            ("KeyW", me.1 - to.1 > 25.0),
        ];
        let is_there = ways.iter().all(|it| !it.1);
        for (key, is_down) in ways {
            browser.key(key, is_down);
        }
        if is_there {
            return entity;
        }
        sleep(0.06);
    }
    panic!("no way to a buggy");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn two_thumbs_walk_and_shoot_on_a_phone() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut browser = join("thumbs", PHONE, &arena);
    browser.wait_until("ammunition", "JSON.parse(reckoning.state()).ammo > 0");
    let own = |browser: &mut Browser| place(&state(browser)["me"]);
    let (start, ammo) = (own(&mut browser), number(&state(&mut browser)["ammo"]));
    let (left, right) = ((90.0, 300.0), (300.0, 300.0));
    let mut walked: f64 = 0.0;
    // Which way is free depends on where it was born.
    for way in [60.0, -60.0] {
        browser.touch("touchStart", &[left]);
        browser.touch("touchMove", &[(left.0 + way, left.1)]);
        sleep(0.6);
        browser.touch("touchStart", &[(left.0 + way, left.1), right]);
        browser.touch("touchMove", &[(left.0 + way, left.1), (right.0, right.1 - 50.0)]);
        sleep(0.6);
        walked = walked.max(distance(start, own(&mut browser)));
        browser.picture("thumbs");
        browser.touch("touchEnd", &[]);
        sleep(0.4);
    }
    let left_ammo = number(&state(&mut browser)["ammo"]);
    let stands = own(&mut browser);
    println!("walked {walked:.0} px, ammo {ammo} to {left_ammo}");
    assert!(walked > 60.0, "the left thumb walks");
    assert!(left_ammo < ammo, "the right thumb fires");
    sleep(0.3);
    assert!(distance(stands, own(&mut browser)) < 1.0, "with the fingers off it stands");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_browser_without_webtransport_plays_over_a_websocket() {
    let arena = Arena::play(&["--bots", "12"]);
    let url = format!("{}?name=older", arena.url());
    let first = "delete window.WebTransport";
    let mut browser = Browser::open_after("older", LAPTOP, &url, first);
    browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 12");
    // The clocks agree and what was on its way is there; joining is not what is judged.
    sleep(3.0);
    browser.value("reckoning.reset()");
    let judged = "JSON.parse(reckoning.state()).error_count > 1000";
    browser.wait_until("enough to judge", judged);
    let state = state(&mut browser);
    println!("{}: errors {}", state["transport"], state["error"]);
    assert_eq!(state["transport"], "websocket");
    assert!(number(&state["error"]["reckoning"]) < number(&state["error"]["naive"]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_click_fires() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut browser = join("shooter", LAPTOP, &arena);
    browser.wait_until("ammunition", "JSON.parse(reckoning.state()).ammo > 0");
    let before = number(&state(&mut browser)["ammo"]);
    browser.mouse("mouseMoved", (400.0, 300.0));
    browser.mouse("mousePressed", (400.0, 300.0));
    let fewer = format!("JSON.parse(reckoning.state()).ammo < {before}");
    browser.wait_within(Duration::from_secs(10), "a shot less", &fewer);
    browser.mouse("mouseReleased", (400.0, 300.0));
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_lost_server_is_told_and_the_page_comes_back_by_itself() {
    let arena = Arena::play(&["--bots", "4"]);
    let port = arena.port();
    let mut browser = join("returner", LAPTOP, &arena);
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length == 4");

    arena.kill();
    let shows = "document.querySelector('#message').checkVisibility()";
    browser.wait_within(Duration::from_secs(10), "the message", shows);
    browser.picture("lost");
    assert_ne!(state(&mut browser)["status"], "joined");

    let _again = Arena::play_at(port, &["--bots", "4"]);
    browser.wait_until("joined again", "JSON.parse(reckoning.state()).status == 'joined'");
    browser.wait_until("bots again", "JSON.parse(reckoning.state()).ghosts.length == 4");
    browser.wait_until("no message", &format!("!{shows}"));
    browser.picture("returned");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_scrubber_moves_through_a_recording() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("scrubber");
    let _ = std::fs::remove_dir_all(&folder);
    let arena = Arena::play(&["--bots", "6", "--record", folder.to_str().unwrap()]);
    sleep(8.0);
    drop(arena);
    let file = std::fs::read_dir(&folder).unwrap().next().expect("a recording").unwrap().path();

    let arena = Arena::watch(file.to_str().unwrap());
    let mut browser = Browser::open("scrubber", LAPTOP, &arena.url());
    browser.wait_until("a recording", "JSON.parse(reckoning.state()).replay.seconds > 5");
    let at = |browser: &mut Browser| number(&state(browser)["replay"]["at_s"]);
    let bodies = |browser: &mut Browser| state(browser)["ghosts"].clone();
    browser.value("document.querySelector('#play-pause').click()");
    slide(&mut browser, "#scrubber", 1.0);
    sleep(0.3);
    let (early, early_bodies) = (at(&mut browser), bodies(&mut browser));
    slide(&mut browser, "#scrubber", 5.0);
    sleep(0.3);
    let (late, late_bodies) = (at(&mut browser), bodies(&mut browser));
    browser.picture("replay");

    assert!((early - 1.0).abs() < 0.05 && (late - 5.0).abs() < 0.05, "{early} and {late}");
    assert_ne!(early_bodies, late_bodies);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
