//! The explainer, as a reader meets it: dragged, driven by keys, its sliders moved, in both themes.

use std::time::Duration;

use serde_json::Value;

use super::{Arena, Browser, LAPTOP, PHONE, distance, number, sleep, slide, state};

/// A phone on its side.
const SIDEWAYS: (u32, u32) = (844, 390);
/// What twice the size leaves of a laptop.
const ZOOMED: (u32, u32) = (720, 450);
/// The steps, in the order of the page.
const STEPS: [&str; 7] = ["guess", "silence", "delay", "blend", "loss", "ahead", "fair"];
/// Before any script of the page: somebody who asked for little motion.
const CALM: &str = "const real = matchMedia.bind(window); \
    window.matchMedia = it => it.includes('motion') ? { matches: true } : real(it);";

fn open(name: &str, size: (u32, u32), arena: &Arena, first: &str) -> Browser {
    let url = format!("{}explain", arena.url());
    let mut browser = Browser::open_after(name, size, &url, first);
    browser.wait_until("the first step", "JSON.parse(reckoning.state()).steps.guess.at_s > 0");
    browser
}

fn step(browser: &mut Browser, name: &str) -> Value {
    state(browser)["steps"][name].clone()
}

fn figure(browser: &mut Browser, name: &str, figure: &str) -> f64 {
    number(&step(browser, name)[figure])
}

fn show(browser: &mut Browser, name: &str) {
    browser.value(&format!(
        "document.querySelector('#{name} .stage').scrollIntoView({{ block: 'center', behavior: 'instant' }})"
    ));
}

/// Where the ball of a step is in the window.
fn ball(browser: &mut Browser, name: &str) -> (f64, f64) {
    let middle = browser.value(&format!(
        "(it => [it.x + it.width / 2, it.y + it.height / 2])\
         (document.querySelector('#{name} .handle').getBoundingClientRect())"
    ));
    (number(&middle[0]), number(&middle[1]))
}

fn is_held(browser: &mut Browser) -> bool {
    browser.value("document.querySelector('#guess .handle.held') != null") == true
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_ball_of_the_explainer_is_dragged_and_driven_by_keys_and_updates_are_sent() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut browser = open("explain", LAPTOP, &arena, "");
    let (x, y) = ball(&mut browser, "guess");
    browser.mouse("mouseMoved", (x, y));
    browser.mouse("mousePressed", (x, y));
    assert!(is_held(&mut browser));
    let before = figure(&mut browser, "guess", "sent");
    for round in 0..6 {
        let side = if round % 2 == 0 { 160.0 } else { -160.0 };
        browser.mouse("mouseMoved", (x + side * 0.5, y + side * 0.3));
        sleep(0.25);
    }
    let sent = figure(&mut browser, "guess", "sent") - before;
    browser.mouse("mouseMoved", (x, y));
    sleep(0.8);
    let apart = distance(ball(&mut browser, "guess"), (x, y));
    browser.mouse("mouseReleased", (x, y));
    println!("{sent} updates while torn about, then {apart:.1} px from the pointer");
    assert!(sent >= 5.0 && apart < 3.0);
    assert!(!is_held(&mut browser));

    // The press gave it the focus; arrows move it, not the page.
    let begin = (step(&mut browser, "guess")["ball"].clone(), browser.value("scrollY"));
    let left = if number(&begin.0[0]) > 8.0 { "ArrowLeft" } else { "ArrowRight" };
    browser.named_key(left, true);
    sleep(0.8);
    browser.picture("explain-keys");
    browser.named_key(left, false);
    let moved = (number(&step(&mut browser, "guess")["ball"][0]) - number(&begin.0[0])).abs();
    println!("moved {moved:.1} m by a key");
    assert!(moved > 1.5);
    assert_eq!(browser.value("scrollY"), begin.1);
    let elsewhere = "performance.getEntriesByType('resource').map(it => it.name)\
                     .filter(it => !it.startsWith(location.origin)).join()";
    assert_eq!(browser.value(elsewhere), "", "nothing is fetched from elsewhere");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn every_slider_of_the_explainer_changes_its_figures_and_only_what_is_seen_runs() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut browser = open("sliders", LAPTOP, &arena, "");
    let unseen = |browser: &mut Browser| number(&step(browser, "fair")["at_s"]);
    let before = unseen(&mut browser);
    sleep(0.5);
    assert_eq!(unseen(&mut browser), before, "nobody looks at it yet");
    // What a slider from one end to the other must do to a figure: at least this many times as much.
    let cases: [(&str, [(&str, f64); 2]); 7] = [
        ("guess", [("mean_m", 2.0), ("per_s", 1.6)]),
        ("silence", [("mean_m", 2.0), ("per_s", 0.5)]),
        ("delay", [("naive_mean_m", 4.0), ("mean_m", 0.0)]),
        ("blend", [("mean_m", 1.5), ("leap_m", 0.5)]),
        ("loss", [("naive_lost", 5.0), ("naive_lost", 0.0)]),
        ("ahead", [("plain_mean_m", 1.3), ("mean_m", 0.8)]),
        ("fair", [("sent", 1.8), ("worst_m", 0.0)]),
    ];
    for (name, sliders) in cases {
        show(&mut browser, name);
        for (place, (what, times)) in sliders.into_iter().enumerate() {
            let ends = ["min", "max"].map(|end| {
                let id = format!("#{name}-{place}");
                let value = browser.value(&format!("Number(document.querySelector('{id}').{end})"));
                slide(&mut browser, &id, number(&value));
                assert_eq!(step(&mut browser, name)["values"][place], value, "{id}");
                let from = number(&step(&mut browser, name)["at_s"]);
                let passed =
                    format!("JSON.parse(reckoning.state()).steps.{name}.at_s > {}", from + 3.0);
                browser.wait_within(Duration::from_secs(30), "three seconds", &passed);
                figure(&mut browser, name, what)
            });
            println!("{name} {place}: {what} {:.2} to {:.2}", ends[0], ends[1]);
            let start = browser
                .value(&format!("Number(document.querySelector('#{name}-{place}').defaultValue)"));
            slide(&mut browser, &format!("#{name}-{place}"), number(&start));
            let grew = ends[1] / ends[0].max(1e-3);
            match times {
                0.0 => assert!(ends[0] != ends[1], "{name} {place}: {ends:?}"),
                below if below < 1.0 => assert!(grew < below, "{name} {place}: {ends:?}"),
                above => assert!(grew > above, "{name} {place}: {ends:?}"),
            }
        }
        let line =
            browser.value(&format!("document.querySelector('#{name} .figures').textContent"));
        println!("    {line}");
        assert!(line.as_str().unwrap().len() > 20);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn who_asked_for_little_motion_sees_none_until_they_move_something() {
    let arena = Arena::play(&["--bots", "0"]);
    let mut browser = open("calm", LAPTOP, &arena, CALM);
    sleep(0.5);
    let at = |browser: &mut Browser| number(&step(browser, "guess")["at_s"]);
    let before = at(&mut browser);
    sleep(0.7);
    assert_eq!(at(&mut browser), before, "nothing moves by itself");
    browser.value("document.querySelector('#guess .once').click()");
    let after = at(&mut browser);
    assert!((0.2..0.4).contains(&(after - before)), "{before} to {after}");
    browser.value("document.querySelector('#guess .handle').focus()");
    let from = number(&step(&mut browser, "guess")["ball"][1]);
    browser.named_key("ArrowDown", true);
    sleep(0.6);
    browser.named_key("ArrowDown", false);
    assert!(number(&step(&mut browser, "guess")["ball"][1]) > from + 0.5);
    browser.value("document.querySelector('#pause').click()");
    let before = at(&mut browser);
    sleep(0.5);
    assert!(at(&mut browser) > before, "it plays when asked to");
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_explainer_fits_screens_scrolls_under_a_finger_and_ends_in_the_arena() {
    let arena = Arena::play(&["--bots", "4"]);
    let sizes = [("laptop", LAPTOP), ("phone", PHONE), ("sideways", SIDEWAYS), ("zoomed", ZOOMED)];
    for (name, size) in sizes {
        let mut browser = open(&format!("explain-{name}"), size, &arena, "");
        let wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.value(wide), 0, "{name} is too wide");
        for theme in ["dark", "light"] {
            let is_other = format!("document.documentElement.dataset.theme != '{theme}'");
            browser.value(&format!("{is_other} && document.querySelector('#theme').click()"));
            browser.value("scrollTo({ top: 0, behavior: 'instant' })");
            sleep(1.0);
            println!("{}", browser.picture(&format!("explain-{name}-{theme}-top")).display());
            for what in STEPS.into_iter().filter(|_| theme == "dark" || name == "phone") {
                show(&mut browser, what);
                sleep(1.5);
                browser.picture(&format!("explain-{name}-{theme}-{what}"));
            }
            browser.value("scrollTo({ top: 1e6, behavior: 'instant' })");
            browser.picture(&format!("explain-{name}-{theme}-end"));
        }
        if name == "phone" {
            drag_by_finger(&mut browser);
        }
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{name}");
        // A click would take the script away that asks what came of it.
        let way = browser.value("document.querySelector('.play').href");
        assert_eq!(way.as_str(), Some(arena.url().as_str()));
        browser.goto(&arena.url());
        browser.wait_until("joined", "JSON.parse(reckoning.state()).status == 'joined'");
    }
}

fn drag_by_finger(browser: &mut Browser) {
    show(browser, "guess");
    sleep(0.3);
    let (x, y) = ball(browser, "guess");
    browser.touch("touchStart", &[(x, y)]);
    let held = is_held(browser);
    for share in 1..=10 {
        browser.touch("touchMove", &[(x + 60.0 - x / 3.0, y + f64::from(share) * 4.0)]);
        sleep(0.05);
    }
    sleep(0.4);
    let apart = distance(ball(browser, "guess"), (x + 60.0 - x / 3.0, y + 40.0));
    browser.touch("touchEnd", &[]);
    println!("{apart:.1} px from the finger");
    assert!(held && apart < 4.0, "{held} {apart}");
}
