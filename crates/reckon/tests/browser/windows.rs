//! Windows of all sizes, looked at: pictures of them are test artefacts.

use super::access::{set, wait_for_bots, watch_anew};
use super::{Arena, Browser, LAPTOP, join, number, sleep};

/// A window, how many pixels of the screen make one of the page, and how high the arena is at least,
/// as a share of the window.
struct Window {
    name: &'static str,
    size: (u32, u32),
    ratio: f64,
    is_phone: bool,
    share: f64,
}

const fn window(name: &'static str, size: (u32, u32), ratio: f64, share: f64) -> Window {
    Window { name, size, ratio, is_phone: false, share }
}

const fn phone(name: &'static str, size: (u32, u32), ratio: f64, share: f64) -> Window {
    Window { is_phone: true, ..window(name, size, ratio, share) }
}

/// A laptop, a low one, a phone upright and on its side, and the first two magnified.
const WINDOWS: [Window; 7] = [
    window("1400x900", (1400, 900), 1.0, 0.8),
    window("1280x640", (1280, 640), 1.0, 0.7),
    phone("390x844", (390, 844), 2.0, 0.6),
    phone("844x390", (844, 390), 2.0, 0.85),
    window("1400x900-at-200", (700, 450), 2.0, 0.85),
    window("1280x640-at-200", (640, 320), 2.0, 0.85),
    window("1280x1024-at-400", (320, 256), 4.0, 0.7),
];

/// One in each theme.
fn take_pictures(browser: &mut Browser, name: &str) {
    for _ in 0..2 {
        sleep(0.8);
        let theme = browser.value("document.documentElement.dataset.theme");
        let file = format!("window-{name}-{}", theme.as_str().unwrap());
        println!("{}", browser.picture(&file).display());
        browser.value("document.querySelector('#theme').click()");
    }
}

/// What is wider than where it stands: the page, the panel, the headline, or a part of the panel.
const CUT: &str = "(panel => ['html', '#panel', '.hero', '#times-text', '#live', '#replay']
    .filter(it => (it => it.scrollWidth > it.clientWidth + 1)(document.querySelector(it)))
    .concat([...panel.querySelectorAll('*')].filter(it => it.checkVisibility()
        && it.getBoundingClientRect().right > panel.getBoundingClientRect().left + panel.clientWidth + 1)
        .map(it => it.outerHTML.slice(0, 90))).join())(document.querySelector('#panel'))";

fn check(browser: &mut Browser, name: &str, size: (u32, u32), share: f64) {
    let high = browser.value("document.querySelector('#arena').clientHeight");
    let high = number(&high) / f64::from(size.1);
    assert!(high >= share, "{name}: the arena has {high:.2} of the height");
    assert_eq!(browser.value(CUT), "", "{name}: cut at the side");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn every_window_has_room_for_the_arena_and_loses_nothing() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browser = join("windows", LAPTOP, &arena);
    wait_for_bots(&mut browser, 12);
    set(&mut browser, "preset", "mobile");
    sleep(4.0);
    for Window { name, size, ratio, is_phone, share } in WINDOWS {
        browser.resize(size, ratio, is_phone);
        for (view, watch, picture) in [
            ("arena", "false", "arena"),
            ("compare", "false", "compare"),
            ("arena", "true", "watch"),
        ] {
            set(&mut browser, "view", view);
            set(&mut browser, "watch", watch);
            browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
            wait_for_bots(&mut browser, 6);
            take_pictures(&mut browser, &format!("{name}-{picture}"));
        }
        check(&mut browser, name, size, share);
        set(&mut browser, "view", "arena");
        set(&mut browser, "watch", "false");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_recording_has_room_in_every_window() {
    let arena = watch_anew("windows-recording", 8.0);
    let mut browser = Browser::open("windows-replay", LAPTOP, &arena.url());
    browser.wait_until("a recording", "JSON.parse(reckoning.state()).replay.seconds > 5");
    for Window { name, size, ratio, is_phone, share } in WINDOWS {
        browser.resize(size, ratio, is_phone);
        set(&mut browser, "at", "1");
        take_pictures(&mut browser, &format!("{name}-replay"));
        check(&mut browser, name, size, share);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn what_lies_over_the_arena_and_other_levels_explain_themselves() {
    let arena = Arena::play(&["--bots", "4"]);
    let mut browser = join("explained", LAPTOP, &arena);
    let keys = "[...document.querySelectorAll('.key')].filter(it => it.checkVisibility())\
                .map(it => it.textContent).join(', ')";
    let seen = |browser: &mut Browser| browser.value(keys).as_str().unwrap().to_string();
    assert!(!seen(&mut browser).contains("told about"), "what is off needs no legend");
    set(&mut browser, "zones", "true");
    browser.wait_until("rings", &format!("({keys}).includes('told about more often')"));
    assert!(!seen(&mut browser).contains("bodies were there"));
    set(&mut browser, "trend", "true");
    browser.wait_until("the map", &format!("({keys}).includes('bodies were there more often')"));
    println!("{}", seen(&mut browser));

    let levels = browser.value("[...document.querySelector('#level').options].map(it => it.text)");
    println!("{levels}");
    assert_eq!(levels[0], "Here: proving grounds");
    assert_eq!(levels.as_array().unwrap().len(), 4, "what is played here is listed once");
    browser.value(
        "{ const it = document.querySelector('#level'); it.value = 'hills'; \
         it.dispatchEvent(new Event('change')) }",
    );
    let command = "document.querySelector('#level-command').textContent";
    assert_eq!(browser.value(command), "reckon play --level hills");
    browser.value("document.querySelector('#level-copy').click()");
    browser.wait_until("a word on it", "document.querySelector('#level-copied').textContent");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
