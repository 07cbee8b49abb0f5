//! The page for everyone: checked by axe-core, played by the keyboard alone, in windows of all
//! sizes, and as somebody meets it who was never there.

use std::time::Duration;

use super::chrome::Key;
use super::{Arena, Browser, LAPTOP, PHONE, distance, hills, join, place, sleep, state};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(10);
/// What is animated is over by then, and figures are there.
const SETTLES_S: f64 = 1.5;

/// The script of axe-core, or the test is skipped.
fn axe(test: &str) -> Option<String> {
    let path = std::env::var_os("RECKONING_AXE");
    let script = path.and_then(|it| std::fs::read_to_string(it).ok());
    if script.is_none() {
        let why =
            "no axe-core: install npm for `cargo xtask test`, or name axe.min.js by RECKONING_AXE";
        reckoning_testing::skip(test, why);
    }
    script
}

/// Everything that axe-core knows, for the recommendations too; contrast of 7 is the one rule that
/// is left out: the page promises 4.5.
const RUN: &str = "axe.run(document, {
    resultTypes: ['violations'],
    rules: { 'target-size': { enabled: true }, 'identical-links-same-purpose': { enabled: true },
             'meta-refresh-no-exceptions': { enabled: true } },
}).then(it => JSON.stringify(it.violations.map(it => [it.id, it.impact,
    it.nodes.map(it => it.target.join(' ') + ': ' + it.failureSummary + ' ' + it.html)])))";

/// What axe-core has to say of the page as it is, in both themes.
fn check(browser: &mut Browser, script: &str, view: &str) -> Vec<String> {
    browser.value(&format!("{script}; 0"));
    let mut found = Vec::new();
    for _ in 0..2 {
        sleep(SETTLES_S);
        let said = browser.value(RUN);
        let violations: Vec<Value> = serde_json::from_str(said.as_str().unwrap()).unwrap();
        let theme = browser.value("document.documentElement.dataset.theme");
        println!("{view}, {theme}: {} violations", violations.len());
        println!(
            "{}",
            browser.picture(&format!("access-{view}-{}", theme.as_str().unwrap())).display()
        );
        found.extend(violations.iter().map(|it| format!("{view}, {theme}: {it:#}")));
        browser.value("document.querySelector('#theme')?.click()");
    }
    found
}

pub(super) fn set(browser: &mut Browser, name: &str, value: &str) {
    assert_eq!(browser.value(&format!("reckoning.set('{name}', '{value}')")), "", "{name}");
}

pub(super) fn wait_for_bots(browser: &mut Browser, count: u32) {
    browser.wait_until("bots", &format!("JSON.parse(reckoning.state()).ghosts.length >= {count}"));
}

/// Records a game, and shows the recording.
pub(super) fn watch_anew(name: &str, seconds: f64) -> Arena {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let arena = Arena::play(&["--bots", "4", "--record", folder.to_str().unwrap()]);
    sleep(seconds);
    drop(arena);
    let file = std::fs::read_dir(&folder).unwrap().next().expect("a recording").unwrap().path();
    Arena::watch(file.to_str().unwrap())
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn axe_finds_nothing_on_any_view_of_the_arena_in_both_themes() {
    let Some(axe) = axe("axe_finds_nothing_on_any_view_of_the_arena_in_both_themes") else {
        return;
    };
    let arena = Arena::play(&["--bots", "12"]);
    let mut found = Vec::new();
    let mut new = Browser::open("axe-new", LAPTOP, &arena.url());
    new.wait_until("the introduction", "document.querySelector('#intro').checkVisibility()");
    wait_for_bots(&mut new, 12);
    found.extend(check(&mut new, &axe, "intro"));

    let mut browser = join("axe", LAPTOP, &arena);
    wait_for_bots(&mut browser, 12);
    found.extend(check(&mut browser, &axe, "arena"));
    for (name, value) in [("trend", "true"), ("zones", "true"), ("policy", "4")] {
        set(&mut browser, name, value);
    }
    browser.value("document.querySelector('#score').click()");
    browser.value("document.querySelector('#level').value = 'hills'");
    browser.value("document.querySelector('#level').dispatchEvent(new Event('change'))");
    found.extend(check(&mut browser, &axe, "everything-open"));
    browser.value("document.querySelector('#score').click()");
    set(&mut browser, "view", "compare");
    found.extend(check(&mut browser, &axe, "compare"));
    set(&mut browser, "view", "arena");
    set(&mut browser, "watch", "true");
    wait_for_bots(&mut browser, 12);
    found.extend(check(&mut browser, &axe, "watch"));

    let mut phone = join("axe-phone", PHONE, &arena);
    found.extend(check(&mut phone, &axe, "phone"));
    phone.value("document.querySelector('#sheet').click()");
    found.extend(check(&mut phone, &axe, "phone-sheet"));
    drop(arena);
    browser.wait_until("the message", "document.querySelector('#message').checkVisibility()");
    found.extend(check(&mut browser, &axe, "disconnected"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn axe_finds_nothing_in_the_hills_in_a_replay_and_on_the_explainer() {
    let Some(axe) = axe("axe_finds_nothing_in_the_hills_in_a_replay_and_on_the_explainer") else {
        return;
    };
    let mut found = Vec::new();
    let arena = Arena::play(&["--bots", "4"]);
    let explains = format!("{}explain", arena.url());
    let mut browser = Browser::open("axe-explain", LAPTOP, &arena.url());
    if browser.value(&format!("fetch('{explains}').then(it => it.ok)")) == true {
        browser.goto(&explains);
        sleep(SETTLES_S);
        found.extend(check(&mut browser, &axe, "explain"));
    } else {
        reckoning_testing::skip("axe on the explainer", "this server has no /explain");
    }
    drop((browser, arena));
    let arena = watch_anew("access-recording", 5.0);
    let mut browser = Browser::open("axe-replay", LAPTOP, &arena.url());
    browser.wait_until("a recording", "JSON.parse(reckoning.state()).replay.seconds > 3");
    found.extend(check(&mut browser, &axe, "replay"));
    drop((browser, arena));
    let arena = hills::play("6");
    let mut browser = hills::open("axe-hills", LAPTOP, &arena);
    found.extend(check(&mut browser, &axe, "hills"));
    set(&mut browser, "view", "compare");
    found.extend(check(&mut browser, &axe, "hills-compare"));
    assert_eq!(found, Vec::<String>::new());
}

/// The element that has the keyboard: its id, or its control.
fn focused(browser: &mut Browser) -> String {
    let script = "(it => it.dataset.control ? it.dataset.control + ' ' + (it.dataset.value ?? '') \
                  : it.id || it.tagName)(document.activeElement)";
    browser.value(script).as_str().unwrap().trim().to_string()
}

/// Goes from control to control until one has the keyboard.
fn tab_to(browser: &mut Browser, wanted: &str) {
    go_to(browser, wanted, |browser| browser.press(Key::TAB));
}

/// The same the other way.
fn tab_back_to(browser: &mut Browser, wanted: &str) {
    go_to(browser, wanted, |browser| browser.press_shifted(Key::TAB));
}

/// A line of two pixels round what has the focus; round the arena it lies over the picture.
const RING: &str = "(it => it.id == 'arena' \
    ? getComputedStyle(it.parentElement, '::after').borderTopWidth == '2px' \
    : getComputedStyle(it).outlineStyle != 'none' && parseFloat(getComputedStyle(it).outlineWidth) >= 2)\
    (document.activeElement)";

fn go_to(browser: &mut Browser, wanted: &str, mut go: impl FnMut(&mut Browser)) {
    let mut passed = Vec::new();
    for _ in 0..80 {
        let now = focused(browser);
        if now != "BODY" {
            assert_eq!(browser.value(RING), true, "{now} shows no focus");
        }
        if now == wanted {
            return;
        }
        passed.push(now);
        go(browser);
    }
    panic!("the tabulator does not come to {wanted}: {passed:?}");
}

/// Moves, fires and looks at the score.
fn plays_by_keys(browser: &mut Browser) {
    super::walk(browser);
    browser.wait_until("no keys", "!document.querySelector('#keys').checkVisibility()");
    browser.press(Key::SPACE); // fires, and is not swallowed for ever
    browser.key("KeyB", true);
    browser.wait_until("the score", "document.querySelector('#board').checkVisibility()");
    browser.key("KeyB", false);
    browser.wait_until("no score", "!document.querySelector('#board').checkVisibility()");
}

/// Keys of the panel move nobody.
fn plays_only_in_the_arena(browser: &mut Browser) {
    tab_to(browser, "watch");
    browser.wait_until(
        "where the keys went",
        "document.querySelector('#focus-note').checkVisibility()",
    );
    let before = place(&state(browser)["me"]);
    browser.key("KeyD", true);
    sleep(0.5);
    browser.key("KeyD", false);
    assert!(
        distance(before, place(&state(browser)["me"])) < 5.0,
        "a key of the panel moves nobody"
    );
}

/// Arrow keys move what has the focus.
fn changes_a_slider_and_a_list(browser: &mut Browser) {
    tab_to(browser, "latency");
    let latency = "+document.querySelector('[data-control=latency]').value";
    let before = super::number(&browser.value(latency));
    browser.press(Key::RIGHT);
    browser.press(Key::RIGHT);
    assert_eq!(super::number(&browser.value(latency)), before + 10.0, "arrows move a slider");
    let heard = browser.value("document.activeElement.getAttribute('aria-valuetext')");
    browser.wait_until(
        "the value in words",
        &format!(
            "document.activeElement.getAttribute('aria-valuetext') == '{} milliseconds'",
            before + 10.0
        ),
    );
    println!("latency from {before}, then heard as {heard}");

    tab_to(browser, "policy");
    browser.press(Key::DOWN);
    browser.wait_until("fairness", "JSON.parse(reckoning.state()).tuning.policy == 1");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_keyboard_alone_joins_plays_changes_settings_compares_and_leaves() {
    let arena = Arena::play(&["--bots", "6"]);
    let mut browser = Browser::open("keyboard", LAPTOP, &arena.url());
    browser.wait_until("the introduction", "document.querySelector('#intro').checkVisibility()");
    wait_for_bots(&mut browser, 6);
    assert_eq!(state(&mut browser)["me"], Value::Null, "nobody plays before they want to");
    assert_eq!(browser.value("document.documentElement.dataset.view"), "compare");
    tab_to(&mut browser, "play");
    browser.press(Key::ENTER);
    browser.wait_until("a body", "JSON.parse(reckoning.state()).me != null");
    assert_eq!(browser.value("document.querySelector('#intro').checkVisibility()"), false);
    assert_eq!(focused(&mut browser), "arena");
    browser.wait_until("the keys", "document.querySelector('#keys').checkVisibility()");
    browser.picture("keyboard-joined");

    plays_by_keys(&mut browser);
    plays_only_in_the_arena(&mut browser);
    changes_a_slider_and_a_list(&mut browser);

    tab_back_to(&mut browser, "view arena");
    browser.press(Key::RIGHT);
    assert_eq!(focused(&mut browser), "view compare");
    browser.wait_until("the comparison", "document.documentElement.dataset.view == 'compare'");
    let own = "document.querySelector('#own-note').textContent.includes('in the game')";
    browser.wait_within(SOON, "how we are meanwhile", own);
    browser.picture("keyboard-compare");
    tab_back_to(&mut browser, "watch");
    browser.press(Key::SPACE);
    browser.wait_until("no body", "JSON.parse(reckoning.state()).me == null");
    browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_introduction_is_for_newcomers_covers_nothing_and_is_put_away_for_good() {
    let arena = Arena::play(&["--bots", "6"]);
    for (name, size) in [("new", LAPTOP), ("new-phone", PHONE), ("new-low", (844, 390))] {
        let mut browser = Browser::open(name, size, &arena.url());
        browser
            .wait_until("the introduction", "document.querySelector('#intro').checkVisibility()");
        wait_for_bots(&mut browser, 6);
        sleep(SETTLES_S);
        println!("{}", browser.picture(&format!("access-{name}")).display());
        // The arena and the words stand side by side.
        let covered = "(([a, b]) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) \
                       * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)))\
                       (['arena', 'intro'].map(it => document.getElementById(it).getBoundingClientRect()))";
        assert_eq!(super::number(&browser.value(covered)), 0.0, "{name}");
        let shown = "(it => it.bottom <= innerHeight + 1 && it.top >= 0)\
                     (document.querySelector('#play').getBoundingClientRect())";
        assert_eq!(browser.value(shown), true, "{name}: Play is in sight");
        browser.press(Key::ESCAPE);
        browser.wait_until("put away", "!document.querySelector('#intro').checkVisibility()");
        assert_eq!(state(&mut browser)["me"], Value::Null, "{name} looks on");
        browser.goto(&arena.url());
        // Settings stay, so whoever looked on looks on, until that is switched off.
        browser.wait_until("bots again", "JSON.parse(reckoning.state()).ghosts.length == 6");
        assert_eq!(browser.value("document.querySelector('#intro').checkVisibility()"), false);
        assert_eq!(state(&mut browser)["me"], Value::Null, "{name} looks on after a reload");
        browser.value("reckoning.set('watch', 'false')");
        browser.wait_until("a body", "JSON.parse(reckoning.state()).me != null");
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn space_and_arrows_go_through_a_recording() {
    let arena = watch_anew("keys-recording", 8.0);
    let mut browser = Browser::open("keys-replay", LAPTOP, &arena.url());
    browser.wait_until("a recording", "JSON.parse(reckoning.state()).replay.seconds > 5");
    let replay = |browser: &mut Browser| state(browser)["replay"].clone();
    browser.value("document.querySelector('#arena').focus()");
    browser.press(Key::SPACE);
    assert_eq!(replay(&mut browser)["plays"], false);
    for wanted in ["arena", "scrubber"] {
        tab_to(&mut browser, wanted);
        browser.press(Key::LEFT);
        browser.press(Key::LEFT);
        assert_eq!(replay(&mut browser)["at_s"], 0.0, "{wanted}");
        browser.press(Key::RIGHT);
        assert_eq!(replay(&mut browser)["at_s"], 5.0, "{wanted}");
    }
    browser.wait_until(
        "the moment in words",
        "document.querySelector('#scrubber').getAttribute('aria-valuetext').startsWith('5 seconds of')",
    );
    browser.press(Key::SPACE);
    assert_eq!(replay(&mut browser)["plays"], true);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn who_asked_for_little_motion_sees_nothing_turn_or_slide() {
    let arena = Arena::play(&["--bots", "2"]);
    let mut browser = join("calm", LAPTOP, &arena);
    let moving = "[...document.querySelectorAll('*')].filter(it => (it => it.animationName != 'none' \
                  || it.transitionDuration.split(',').some(it => parseFloat(it) > 0))\
                  (getComputedStyle(it))).length";
    assert!(super::number(&browser.value(moving)) > 0.0, "usually something does");
    browser.prefer("prefers-reduced-motion", "reduce");
    assert_eq!(super::number(&browser.value(moving)), 0.0);
}
