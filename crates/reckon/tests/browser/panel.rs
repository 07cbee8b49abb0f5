//! The panel's choices of planners, pictures and fairness, as a person makes them.

use std::time::Duration;

use super::{Arena, Browser, LAPTOP, PHONE, distance, join, number, place, set, sleep, state};
use serde_json::Value;

/// Names of all planners, in the order of their numbers on the page.
const PLANNERS: [&str; 13] = [
    "linear",
    "hold",
    "damped",
    "accelerating",
    "learned",
    "interest",
    "interest-hybrid",
    "ekb",
    "ekb-hybrid",
    "oaekb",
    "oaekb-hybrid",
    "trend",
    "pheromone",
];
/// The server measures over five seconds, and tells once a second.
const MEASURES: Duration = Duration::from_secs(20);

/// Clicks a button of the panel.
fn click(browser: &mut Browser, control: &str, value: &str) {
    browser.value(&format!(
        "document.querySelector('[data-control=\"{control}\"][data-value=\"{value}\"]').click()"
    ));
}

/// Chooses from a list of the panel.
fn choose(browser: &mut Browser, control: &str, value: &str) {
    browser.value(&format!(
        "{{ const it = document.querySelector('select[data-control={control}]'); \
         it.value = '{value}'; it.dispatchEvent(new Event('input', {{ bubbles: true }})); }}"
    ));
}

/// Waits until the server said that it reckons so.
fn wait_for(browser: &mut Browser, key: &str, value: &str) {
    let taken = format!("JSON.parse(reckoning.state()).tuning.{key} == '{value}'");
    browser.wait_within(Duration::from_secs(10), &format!("{key} {value}"), &taken);
}

fn shown(browser: &mut Browser, selector: &str) -> bool {
    browser.value(&format!("document.querySelector('{selector}').checkVisibility()")) == true
}

/// Waits until an element says that; what is around the arena is written some frames later.
fn wait_for_text(browser: &mut Browser, selector: &str, what: &str) {
    let says = format!("document.querySelector('{selector}').textContent.includes('{what}')");
    browser.wait_within(Duration::from_secs(10), what, &says);
}

/// How far the bodies of others went in a second, those together that were there all the time.
fn moved_px(browser: &mut Browser) -> f64 {
    let before = state(browser);
    sleep(1.0);
    let after = state(browser);
    let ghosts = |it: &Value| it["ghosts"].as_array().unwrap().clone();
    let pairs = ghosts(&before).into_iter().filter_map(|old| {
        let new = ghosts(&after).into_iter().find(|it| it["entity"] == old["entity"])?;
        Some(distance(place(&old), place(&new)))
    });
    pairs.sum()
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn every_planner_can_be_chosen_and_says_what_it_is_worth() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browser = join("planners", LAPTOP, &arena);
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 12");
    wait_for_text(&mut browser, "#worth-0", "measuring");
    set(&mut browser, "latency", 100.0);
    for (number_of, name) in PLANNERS.into_iter().enumerate() {
        click(&mut browser, "model", &number_of.to_string());
        wait_for(&mut browser, "planner", name);
        sleep(1.0);
        browser.value("reckoning.reset()");
        let moved = moved_px(&mut browser);
        let state = state(&mut browser);
        let error = number(&state["error"]["reckoning"]);
        println!("{name}: {error:.1} px, moved {moved:.0} px; {}", state["own_planner"]);
        assert!(error.is_finite() && error < 200.0, "{name}: {error} px");
        assert!(moved > 50.0, "{name}: nothing moves");
        let own = state["own_planner"].as_str().unwrap();
        let runs_here = own.contains(name) && own.contains("by this page");
        assert_eq!(runs_here, name != "learned", "{own}");
    }
    let measured = "Object.keys(JSON.parse(reckoning.state()).worth).length == 13";
    browser.wait_within(MEASURES, "what planners are worth", measured);
    let worth = state(&mut browser)["worth"].clone();
    for name in PLANNERS {
        let (error, updates) = (number(&worth[name]["error"]), number(&worth[name]["updates"]));
        println!("{name}: error {error:.2}, updates {updates:.2} of linear");
        assert!(error > 0.05 && error < 20.0 && updates > 0.05 && updates < 20.0, "{name}");
    }
    assert_eq!(worth["linear"]["error"], 1.0);
    assert!(number(&worth["hold"]["updates"]) > 2.0, "standing still is dear");
    wait_for_text(&mut browser, "#worth-1", "×");
    wait_for_text(&mut browser, "#worth-note", "100 ms away");
    browser.value("document.querySelector('#planners').scrollIntoView({ block: 'center' })");
    for _ in 0..2 {
        browser.value("document.querySelector('#theme').click()");
        sleep(0.5);
        let theme = browser.value("document.documentElement.dataset.theme");
        let picture = browser.picture(&format!("planners-{}", theme.as_str().unwrap()));
        println!("{}", picture.display());
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_planner_that_the_server_lacks_is_grey_and_says_why() {
    let arena = Arena::play(&["--bots", "6", "--level", "tank-field"]);
    let mut browser = join("lacking", LAPTOP, &arena);
    let why = "nothing was trained for this level";
    browser
        .wait_until("why", &format!("document.querySelector('#worth-4').textContent == '{why}'"));
    let before = state(&mut browser)["tuning"]["planner"].clone();
    click(&mut browser, "model", "4");
    sleep(1.0);
    assert_eq!(state(&mut browser)["tuning"]["planner"], before);
    assert_eq!(state(&mut browser)["missing"]["learned"], why);
    let refused = browser.value("reckoning.set('model', 4)");
    assert!(refused.as_str().unwrap().contains(why), "{refused}");
    browser.picture("lacking");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn bodies_are_shown_late_by_their_distance_and_change_without_a_jump() {
    let arena = Arena::play(&["--bots", "16"]);
    let mut browser = join("delayed", LAPTOP, &arena);
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 16");
    assert_eq!(state(&mut browser)["hits"], "past");
    assert!(!shown(&mut browser, "#hit-note"));
    let all = |want: bool| {
        format!("JSON.parse(reckoning.state()).ghosts.every(it => it.delayed == {want})")
    };
    let some = "(d => d.includes(true) && d.includes(false))\
                (JSON.parse(reckoning.state()).ghosts.map(it => it.delayed))";
    click(&mut browser, "far", "delayed");
    wait_for(&mut browser, "far", "delayed");
    browser.wait_within(Duration::from_secs(10), "only far ones are late", some);
    assert_eq!(state(&mut browser)["hits"], "past", "far ones cannot be hit anyway");
    click(&mut browser, "near", "delayed");
    wait_for(&mut browser, "near", "delayed");
    browser.wait_within(Duration::from_secs(10), "all are late", &all(true));
    assert_eq!(state(&mut browser)["hits"], "present");
    browser.wait_until("the note", "document.querySelector('#hit-note').checkVisibility()");
    wait_for_text(&mut browser, "#hit-note", "Near players are shown late");
    browser
        .value("document.querySelector('[data-control=near]').scrollIntoView({ block: 'center' })");
    browser.picture("delayed");
    click(&mut browser, "far", "reckoned");
    click(&mut browser, "near", "reckoned");
    wait_for(&mut browser, "near", "reckoned");
    browser.wait_within(Duration::from_secs(10), "all are reckoned", &all(false));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn fairness_has_weights_and_a_budget_and_keeps_accounts_of_all() {
    let arena = Arena::play(&["--bots", "8"]);
    let mut browser = join("fair", LAPTOP, &arena);
    let _other = join("other", PHONE, &arena);
    assert!(!shown(&mut browser, "[data-control=weights]"), "everyone at once has no weights");
    choose(&mut browser, "policy", "4");
    wait_for(&mut browser, "policy", "4");
    browser.wait_until(
        "weights",
        "document.querySelector('[data-control=weights]').checkVisibility()",
    );
    choose(&mut browser, "weights", "3");
    set(&mut browser, "budget", 50.0);
    wait_for(&mut browser, "weights", "3");
    wait_for(&mut browser, "budget_percent", "50");
    let told = "(it => it && it.listeners == 2 && it.confirmed > 0)\
                (JSON.parse(reckoning.state()).account)";
    browser.wait_within(Duration::from_secs(15), "accounts of both", told);
    let account = state(&mut browser)["account"].clone();
    let own = number(&account["confirmed"]) + number(&account["estimated"]);
    println!("{account}");
    assert!(number(&account["least"]) <= own + 0.01 && own <= number(&account["most"]) + 0.01);
    wait_for_text(&mut browser, "#account-note", "Of 2 players");
    browser.value("document.querySelector('#accounts').scrollIntoView({ block: 'center' })");
    println!("{}", browser.picture("fairness").display());
    assert!(moved_px(&mut browser) > 50.0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn without_a_common_clock_the_page_says_so_and_still_plays_and_fires() {
    let arena = Arena::play(&["--bots", "12", "--clock", "per-hop"]);
    let mut browser = join("hops", LAPTOP, &arena);
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length >= 12");
    let now = state(&mut browser);
    assert_eq!((&now["clock"], &now["hits"]), (&"per-hop".into(), &"present".into()));
    browser.wait_until("the note", "document.querySelector('#hit-note').checkVisibility()");
    assert!(shown(&mut browser, "#clock-note"));
    wait_for_text(&mut browser, "#hit-note", "No common clock");
    set(&mut browser, "latency", 100.0);
    sleep(3.0);
    browser.value("reckoning.reset()");
    sleep(3.0);
    let errors = state(&mut browser)["error"].clone();
    println!("{errors}");
    assert!(number(&errors["reckoning"]) < number(&errors["naive"]));
    browser.wait_until("ammunition", "JSON.parse(reckoning.state()).ammo > 0");
    let before = number(&state(&mut browser)["ammo"]);
    browser.mouse("mouseMoved", (400.0, 300.0));
    browser.mouse("mousePressed", (400.0, 300.0));
    let fewer = format!("JSON.parse(reckoning.state()).ammo < {before}");
    browser.wait_within(Duration::from_secs(10), "a shot less", &fewer);
    browser.mouse("mouseReleased", (400.0, 300.0));
    println!("{}", browser.picture("per-hop").display());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_pill_follows_a_change_of_the_link_within_two_seconds_or_measures() {
    let arena = Arena::play(&["--bots", "4"]);
    let mut browser = join("pill", LAPTOP, &arena);
    wait_for_text(&mut browser, "#link", "ms one way");
    for (latency, least_ms, most_ms) in [(350.0, 330.0, 450.0), (0.0, 0.0, 100.0)] {
        set(&mut browser, "latency", latency);
        sleep(2.0);
        let text = browser.value("document.querySelector('#link').textContent");
        let text = text.as_str().unwrap().to_string();
        let state = state(&mut browser);
        println!("{latency} ms: {text}, {}", state["one_way_ms"]);
        let says = |it: &str| text.contains(it);
        let shown = state["one_way_ms"].as_f64();
        let is_right = |ms: f64| (least_ms..=most_ms).contains(&ms);
        assert!(shown.is_none_or(is_right) && (says("measuring") || says("ms one way")), "{text}");
        let told = "JSON.parse(reckoning.state()).one_way_ms";
        let measured = format!("{told} !== null && {told} >= {least_ms} && {told} <= {most_ms}");
        browser.wait_within(Duration::from_secs(10), "the new way", &measured);
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_headline_measures_first_and_interpolation_says_how_it_is_done() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browser = join("headline", LAPTOP, &arena);
    set(&mut browser, "latency", 200.0);
    set(&mut browser, "jitter", 40.0);
    wait_for_text(&mut browser, "#times-text", "measuring");
    wait_for_text(&mut browser, "#times-text", "closer to the truth than a naive game");
    wait_for_text(&mut browser, "#interpolation-note", "Interpolation, buffer");
    wait_for_text(&mut browser, "#interpolation-note", "straight lines; at best");
    let facts = state(&mut browser)["interpolation"].clone();
    println!("{facts}");
    // One send interval and the jitter, however the machine is busy.
    assert!((60.0..600.0).contains(&number(&facts["buffer_ms"])), "{facts}");
    click(&mut browser, "view", "compare");
    sleep(6.0);
    println!("{}", browser.picture("compared-means").display());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_key_that_is_held_plays_as_in_a_naive_game_and_counts_its_shots() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browser = join("feel", LAPTOP, &arena);
    set(&mut browser, "latency", 200.0);
    browser.wait_until("ammunition", "JSON.parse(reckoning.state()).ammo > 0");
    wait_for_text(&mut browser, "#feel-note", "Hold N");
    browser.value("document.querySelector('#arena').focus()");
    browser.key("KeyN", true);
    wait_for_text(&mut browser, "#feel-note", "Naive");
    assert_eq!(state(&mut browser)["draws_naively"], true);
    sleep(1.5); // what is fired just after a change does not count
    browser.mouse("mouseMoved", (400.0, 300.0));
    browser.mouse("mousePressed", (400.0, 300.0));
    let counted = |at: u8| format!("JSON.parse(reckoning.state()).hit_counts[{at}][0] > 0");
    browser.wait_within(Duration::from_secs(20), "a naive shot", &counted(1));
    browser.picture("drawn-naively");
    browser.key("KeyN", false);
    browser.wait_within(Duration::from_secs(20), "a shot with Reckoning", &counted(0));
    browser.mouse("mouseReleased", (400.0, 300.0));
    assert_eq!(state(&mut browser)["draws_naively"], false);
    wait_for_text(&mut browser, "#feel-note", "Shots so far");
    println!("{}", state(&mut browser)["hit_counts"]);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
