//! What a person chose stays: right after Watch, over a reload, in the address, beside others.

use std::time::Duration;

use super::{Arena, Browser, LAPTOP, PHONE, join, set, sleep, state};

const SOON: Duration = Duration::from_secs(10);
/// The page writes what was chosen within this.
const WRITTEN_S: f64 = 1.2;

fn click(browser: &mut Browser, selector: &str) {
    browser.value(&format!("document.querySelector('{selector}').click()"));
}

fn shown(browser: &mut Browser, selector: &str) -> String {
    let value = browser.value(&format!("document.querySelector('{selector}').value"));
    value.as_str().unwrap().to_string()
}

fn address(browser: &mut Browser) -> String {
    browser.value("location.search").as_str().unwrap().to_string()
}

/// Whether a button of the panel is the one that is chosen.
fn is_on(control: &str, value: &str) -> String {
    format!(
        "document.querySelector('[data-control={control}][data-value={value}]').classList\
         .contains('on')"
    )
}

/// Clicks Watch, and a preset in the frame in which the page has joined anew: the server's answers
/// to its introduction are still to come.
fn watch_then_choose(preset: &str) -> String {
    format!(
        "new Promise(done => {{ \
         const find = it => document.querySelector(`[data-control=${{it}}]`); \
         let left = false; \
         const look = () => {{ \
             const joined = JSON.parse(reckoning.state()).status == 'joined'; \
             left ||= !joined; \
             if (!left || !joined) return requestAnimationFrame(look); \
             find('preset][data-value={preset}').click(); \
             done(true); }}; \
         find('watch').click(); \
         look(); }})"
    )
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_preset_that_is_clicked_while_watch_is_under_way_is_kept() {
    let arena = Arena::play(&["--bots", "4"]);
    let mut browser = join("hasty", LAPTOP, &arena);
    for (round, (preset, least_ms)) in
        [("mobile", 100), ("awful", 200)].repeat(3).iter().enumerate()
    {
        click(&mut browser, "[data-control=preset][data-value=lan]");
        sleep(0.5);
        assert_eq!(browser.value(&watch_then_choose(preset)), true);
        sleep(1.5);
        let kept = browser.value(&is_on("preset", preset));
        assert_eq!(kept, true, "round {round}: {preset} was clicked right after Watch");
        let measured = format!(
            "+(document.querySelector('#link').textContent.match(/([0-9]+) ms/) || [0, 0])[1] > {least_ms}"
        );
        browser.wait_within(SOON, &format!("a link as bad as {preset}"), &measured);
    }
    // Before the connection is there, and long after.
    for wait_s in [0.0, 0.06, 0.25, 0.8] {
        click(&mut browser, "[data-control=preset][data-value=lan]");
        click(&mut browser, "[data-control=watch]");
        sleep(wait_s);
        click(&mut browser, "[data-control=preset][data-value=wifi]");
        sleep(1.5);
        assert_eq!(browser.value(&is_on("preset", "wifi")), true, "{wait_s} s after Watch");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Types a name as a person does, who then goes elsewhere.
fn call_oneself(browser: &mut Browser, name: &str) {
    browser.value(&format!(
        "{{ const it = document.querySelector('#name'); it.value = '{name}'; \
         it.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"
    ));
}

fn joined(browser: &mut Browser) {
    browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    browser.wait_until("its settings", "JSON.parse(reckoning.state()).tuning != null");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn settings_and_the_name_stay_over_a_reload_and_an_address_wins() {
    let arena = Arena::play(&["--bots", "2"]);
    let mut browser = Browser::open("reloader", LAPTOP, &arena.url());
    joined(&mut browser);
    // A newcomer reads the introduction first, and plays over the link that it is about.
    click(&mut browser, "#play");
    browser.wait_until("a body", "JSON.parse(reckoning.state()).me != null");
    sleep(WRITTEN_S);
    assert_eq!(address(&mut browser), "?preset=mobile", "nothing else was chosen yet");
    click(&mut browser, "[data-control=preset][data-value=lan]");
    sleep(WRITTEN_S);
    assert_eq!(address(&mut browser), "", "all is as it comes");
    call_oneself(&mut browser, "Zoë");
    click(&mut browser, "[data-control=preset][data-value=mobile]");
    click(&mut browser, "[data-control=errors]");
    set(&mut browser, "threshold", 9.0);
    sleep(WRITTEN_S);
    assert_eq!(address(&mut browser), "?preset=mobile&threshold=9&errors=true");

    // The same address again, then the plain one.
    for url in [format!("{}{}", arena.url(), address(&mut browser)), arena.url()] {
        browser.goto("about:blank");
        browser.goto(&url);
        joined(&mut browser);
        assert_eq!(shown(&mut browser, "#name"), "Zoë", "{url}");
        assert_eq!(browser.value(&is_on("preset", "mobile")), true, "{url}");
        assert_eq!(browser.value("document.querySelector('[data-control=errors]').checked"), true);
        let threshold = "document.querySelector('[data-control=threshold]').value == '9'";
        browser.wait_within(SOON, "the threshold that the server has", threshold);
    }
    browser.goto("about:blank");
    browser.goto(&format!("{}?preset=wifi&other=1", arena.url()));
    joined(&mut browser);
    assert_eq!(browser.value(&is_on("preset", "wifi")), true, "the address wins");
    sleep(WRITTEN_S);
    assert_eq!(address(&mut browser), "?other=1&preset=wifi&threshold=9&errors=true");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn what_another_player_sets_for_everyone_is_told_and_moves_no_control() {
    let arena = Arena::play(&["--bots", "2"]);
    let mut one = join("one", LAPTOP, &arena);
    let mut other = join("other-player", PHONE, &arena);
    joined(&mut one);
    joined(&mut other);
    set(&mut other, "threshold", 12.0);
    let told = "document.querySelector('#everyone').checkVisibility()";
    one.wait_within(SOON, "it is told", told);
    let text = one.value("document.querySelector('#everyone-text').textContent");
    assert_eq!(text, "Someone set the threshold to 12 px for everyone.");
    assert_eq!(state(&mut one)["everyone"], text);
    assert_eq!(shown(&mut one, "[data-control=threshold]"), "4", "the slider did not move");
    println!("{}", one.picture("told").display());

    // A choice of its own leaves the other's as it is.
    click(&mut one, "[data-control=near][data-value=delayed]");
    let near = "JSON.parse(reckoning.state()).tuning.near == 'delayed'";
    one.wait_within(SOON, "its own choice", near);
    assert_eq!(state(&mut one)["tuning"]["threshold_px"], 12.0);

    one.wait_within(SOON, "it is told again", told);
    click(&mut one, "#everyone-take");
    one.wait_within(SOON, "nothing is told", &format!("!{told}"));
    assert_eq!(shown(&mut one, "[data-control=threshold]"), "12");
    other.wait_within(SOON, "the other is told", told);
    let text = other.value("document.querySelector('#everyone-text').textContent");
    assert_eq!(text, "Someone set near ones to \"delayed\" for everyone.");
    for browser in [&mut one, &mut other] {
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_link_that_is_copied_brings_others_to_the_same_settings_but_not_to_the_name() {
    let arena = Arena::play(&["--bots", "2"]);
    let url = format!("{}?name=sharer", arena.url());
    let clipboard = "Object.defineProperty(navigator, 'clipboard', \
                     { value: { writeText: async text => { window.copied = text } } })";
    let mut browser = Browser::open_after("sharer", LAPTOP, &url, clipboard);
    joined(&mut browser);
    click(&mut browser, "[data-control=preset][data-value=awful]");
    click(&mut browser, "[data-control=view][data-value=compare]");
    sleep(WRITTEN_S);
    assert_eq!(address(&mut browser), "?name=sharer&preset=awful&view=compare");
    click(&mut browser, "#copy-link");
    browser.wait_within(SOON, "a link", "!!window.copied");
    let link = browser.value("window.copied").as_str().unwrap().to_string();
    assert_eq!(link, format!("{}?preset=awful&view=compare", arena.url()));
    browser.wait_within(
        SOON,
        "it says so",
        "document.querySelector('#copy-link').textContent == 'Copied'",
    );
    browser.wait_within(
        SOON,
        "and stops",
        "document.querySelector('#copy-link').textContent == 'Copy link'",
    );

    let mut receiver = Browser::open("receiver", LAPTOP, &link);
    joined(&mut receiver);
    assert_eq!(receiver.value(&is_on("preset", "awful")), true);
    assert_eq!(receiver.value(&is_on("view", "compare")), true);
    assert_ne!(shown(&mut receiver, "#name"), "sharer");
}
