//! Figures of the page over bad links: printed, and held to what the product promises.

use std::fs::OpenOptions;
use std::io::Write;

use super::hills;
use super::{Arena, Browser, LAPTOP, PHONE, join, number, set, sleep, state};
use serde_json::Value;

/// The page's meters hold the last five seconds.
const WINDOW_S: f64 = 5.0;
/// Together long enough for hundreds of turns of twelve bots.
const WINDOWS: usize = 4;
/// The median of so many rounds is judged, so that one bad round decides nothing and one good
/// round saves nothing.
const ROUNDS: usize = 3;
/// Of bodies in the level that is played.
const TOP_SPEED_PX_S: f64 = 440.0;
/// How long the arena's ghosts take to shed an error of a body's width, and at least and at most
/// (`reckoning_arena::host::BlendStyle::Close`); others by the root.
const BLEND_S: f64 = 0.2;
const BLEND_BOUNDS_S: [f64; 2] = [0.05, 0.333];
const WIDTH_PX: f64 = 40.0;
/// The fastest that blends shed an error, in errors per span. One blend alone fades by
/// `(1-s)^3 (1+3s)`, whose steepest slope is 16/9; when every update interrupts the blend before
/// it, with the velocity kept, the slope approaches 2, and the next blend may be shorter and add
/// its own 16/9.
const BLEND_SLOPE: f64 = 4.0;
/// A clock that is found to be behind runs faster by so much at most (`ClockConfig::max_slew`), and
/// all that moves with it.
const SLEW: f64 = 0.05;
/// The largest error to expect at 150 +- 40 ms of bodies that are taken to keep their velocity: one
/// turns round at top speed, and its ghost runs on for the delay, three deviations of the jitter
/// and the blend under way.
const MAX_ERROR_PX: f64 = 2.0 * TOP_SPEED_PX_S * (0.15 + 3.0 * 0.04 + BLEND_BOUNDS_S[1]);
/// A link settles, and what was on its way arrives.
const SETTLES_S: f64 = 3.0;

/// Adds a figure to the file that `cargo xtask figures` reads, if it named one.
fn note(key: &str, value: f64) {
    let Some(path) = std::env::var_os("RECKONING_FIGURES") else { return };
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{key}\t{value}")).unwrap();
}

/// Errors over a while with the controls as they are.
fn measure(browser: &mut Browser, seconds: f64) -> Value {
    sleep(SETTLES_S);
    browser.value("reckoning.reset()");
    sleep(seconds);
    state(browser)
}

fn error_px(state: &Value, view: &str) -> f64 {
    number(&state["error"][view])
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn each_slider_changes_the_measured_error_the_way_it_says() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browser = join("sliders", LAPTOP, &arena);
    let settled = |browser: &mut Browser| {
        sleep(SETTLES_S);
        measure(browser, 6.0)
    };
    // The plainest guess: lines that are aimed and judged ahead are nearly as close on a good link
    // whatever the threshold.
    browser.value("reckoning.set('model', 0)");
    let near = settled(&mut browser);
    set(&mut browser, "threshold", 40.0);
    let rough = settled(&mut browser);
    set(&mut browser, "threshold", 1.0);
    let fine = settled(&mut browser);

    set(&mut browser, "threshold", 4.0);
    browser.value("reckoning.set('model', 4)");
    set(&mut browser, "latency", 300.0);
    let far = settled(&mut browser);
    browser.picture("latency-300");
    set(&mut browser, "loss", 50.0);
    let lossy = settled(&mut browser);

    for (name, it) in [
        ("near", &near),
        ("300 ms", &far),
        ("300 ms, 50 % loss", &lossy),
        ("threshold 40 px", &rough),
        ("threshold 1 px", &fine),
    ] {
        println!(
            "{name}: Reckoning {:.1} px, naive {:.1} px, {} looks, {:.1} updates/s",
            error_px(it, "reckoning"),
            error_px(it, "naive"),
            it["error_count"],
            number(&it["updates_per_s"])
        );
    }
    for view in ["reckoning", "naive"] {
        assert!(error_px(&far, view) > 1.5 * error_px(&near, view), "{view} at 300 ms");
    }
    assert!(error_px(&lossy, "reckoning") > error_px(&far, "reckoning"));
    assert!(error_px(&rough, "reckoning") > 1.5 * error_px(&near, "reckoning"));
    // Signs of life and turns cost the same at any threshold.
    assert!(number(&rough["updates_per_s"]) < number(&fine["updates_per_s"]));
}

#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn reckoning_halves_the_naive_error_at_150_ms_and_nothing_jumps() {
    let arena = Arena::play(&["--bots", "12"]);
    let mut browsers = [join("one", LAPTOP, &arena), join("two", LAPTOP, &arena)];
    for browser in &mut browsers {
        for (name, value) in [("latency", 150.0), ("jitter", 40.0), ("loss", 3.0)] {
            set(browser, name, value);
        }
    }
    let ratios: [f64; ROUNDS] = std::array::from_fn(|_| round(&mut browsers));
    let ratio = median(ratios);
    println!("median of {ROUNDS} rounds: ratio {ratio:.2}; rounds {ratios:.2?}");
    assert!(ratio <= 0.5, "more than half of the error that others have: {ratios:.2?}");
    let [browser, _] = &mut browsers;
    browser.picture("at-150-ms");

    // Where paths are no faster than bodies, all of the bound is known beforehand.
    browser.value("reckoning.set('model', 0)");
    let linear = measure(browser, WINDOW_S);
    println!("constant velocity: {}", told_steps(&linear));
    assert!(step_px_s(&linear) <= max_step_px_s(TOP_SPEED_PX_S, MAX_ERROR_PX));

    // Ghosts that jump do not stay within the bound.
    browser.value("reckoning.set('blend', 'snap')");
    let snapped = measure(browser, WINDOW_S);
    println!("without a blend: {}", told_steps(&snapped));
    assert!(step_px_s(&snapped) > explained_step_px_s(&snapped));
}

/// One round: the worst ratio of errors. Every step of a ghost is within what its path and the
/// largest error of the round explain.
fn round(browsers: &mut [Browser; 2]) -> f64 {
    let sums = mean_errors(browsers);
    let states = browsers.each_mut().map(state);
    let ratios = [0, 1].map(|it| worst_ratio(&states[it], sums[it]));
    for state in &states {
        let (step, most) = (step_px_s(state), explained_step_px_s(state));
        assert!(step <= most, "a ghost jumped: {}", told_steps(state));
    }
    ratios[0].max(ratios[1])
}

/// The largest step of a ghost, which is what is drawn.
fn step_px_s(state: &Value) -> f64 {
    number(&state["step"]["reckoning"])
}

/// The largest step to expect of a ghost: the speed of its path, and what a blend adds that sheds an error of `error_px`, which is the distance between a ghost and
/// the path of its newest update. A ghost that jumped by an error `e` between two frames would make
/// a step of `60 e` a second, three times what blends add to a body's width and five times what they
/// add to three.
fn max_step_px_s(path_px_s: f64, error_px: f64) -> f64 {
    let [least_s, most_s] = BLEND_BOUNDS_S;
    let span_s = (BLEND_S * (error_px / WIDTH_PX).sqrt()).clamp(least_s, most_s);
    (1.0 + SLEW) * (path_px_s + BLEND_SLOPE * error_px / span_s)
}

/// The largest step that the observed paths and errors explain. A path may be faster than a body:
/// who is getting faster is taken to go on so for a moment.
fn explained_step_px_s(state: &Value) -> f64 {
    let paths = &state["paths"];
    max_step_px_s(number(&paths["speed_px_s"]).max(TOP_SPEED_PX_S), number(&paths["offset_px"]))
}

fn told_steps(state: &Value) -> String {
    let paths = &state["paths"];
    format!(
        "steps of ghosts up to {:.0} px/s ({:.0} explained: paths up to {:.0} px/s, {:.0} px to \
         shed)",
        step_px_s(state),
        explained_step_px_s(state),
        number(&paths["speed_px_s"]),
        number(&paths["offset_px"]),
    )
}

fn median(mut values: [f64; ROUNDS]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[ROUNDS / 2]
}

/// Mean errors of Reckoning, naive and interpolation over some windows, for each browser.
fn mean_errors(browsers: &mut [Browser; 2]) -> [[f64; 3]; 2] {
    sleep(SETTLES_S);
    for browser in &mut *browsers {
        browser.value("reckoning.reset()");
    }
    let mut sums = [[0.0; 3]; 2];
    for _ in 0..WINDOWS {
        sleep(WINDOW_S);
        for (browser, sums) in browsers.iter_mut().zip(&mut sums) {
            let state = state(browser);
            for (sum, view) in sums.iter_mut().zip(["reckoning", "naive", "interpolation"]) {
                *sum += error_px(&state, view) / WINDOWS as f64;
            }
        }
    }
    sums
}

/// Delay, jitter, loss and burst of the arena's links, as in `testdata/arena-links.txt`, and what is
/// aimed at there: the mean error as a share of that of what was received.
const ARENA_LINKS: [(&str, [f64; 4], f64); 6] = [
    ("0", [0.0, 0.0, 0.0, 1.0], 1.0),
    ("50", [50.0, 0.0, 0.0, 1.0], 0.30),
    ("150", [150.0, 40.0, 3.0, 1.0], 0.30),
    ("350", [350.0, 0.0, 0.0, 1.0], 0.50),
    ("bursts", [350.0, 120.0, 12.0, 4.0], 0.65),
    ("half", [300.0, 0.0, 50.0, 1.0], 1.0),
];
/// Of twelve bots in sight at ten frames a second, a window of five seconds has twice as many looks.
/// The page judges nothing while the game or itself stands still; a window that is mostly that says
/// nothing of a link, and another one is taken.
const LEAST_LOOKS: f64 = 300.0;
/// At forty frames a second and with every fourth bot dead or just born, there are so many. Where there
/// are fewer the machine is busy with something else, and another window is taken if there is time.
const QUIET_LOOKS: f64 = 1_800.0;
const MOST_WINDOWS: usize = 2 * WINDOWS;

/// However bad a link is, what was received is not shown closer to the truth than ghosts are.
#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn no_link_makes_ghosts_worse_than_what_was_received() {
    let arena = Arena::play(&["--bots", "12"]);
    // As in `testdata/arena-links.txt`: who stands about would have all bots fighting round them.
    let mut browser = Browser::open("six-links", LAPTOP, &format!("{}?watch=true", arena.url()));
    browser.wait_until("bots", "JSON.parse(reckoning.state()).ghosts.length == 12");
    for (link, values, goal) in ARENA_LINKS {
        for (name, value) in ["latency", "jitter", "loss", "burst"].into_iter().zip(values) {
            set(&mut browser, name, value);
        }
        sleep(SETTLES_S);
        let rounds: [[f64; LOOKED.len()]; ROUNDS] =
            std::array::from_fn(|_| long_look(&mut browser));
        let ratio = median(rounds.map(|it| it[0] / it[1]));
        println!("{link}: {ratio:.2} of naive, the goal is {goal}; {LOOKED:?}: {rounds:.1?}");
        note(&format!("link_{link}_ratio"), ratio);
        for (at, (key, _)) in LOOKED.into_iter().enumerate() {
            note(&format!("link_{link}_{key}"), median(rounds.map(|it| it[at])));
        }
        assert!(ratio < 1.0, "{link}: {ratio:.2}: {rounds:.1?}");
    }
}

/// What is looked at, and where it stands in the state of the page.
const LOOKED: [(&str, &str); 7] = [
    ("reckoning_px", "/error/reckoning"),
    ("naive_px", "/error/naive"),
    ("interpolation_px", "/error/interpolation"),
    ("best_px", "/interpolation/best"),
    ("buffer_ms", "/interpolation/buffer_ms"),
    ("bytes_per_s", "/bytes_per_s"),
    ("plain_bytes_per_s", "/plain_bytes_per_s"),
];

/// Means over twenty seconds: the windows of five in which the machine was least busy.
fn long_look(browser: &mut Browser) -> [f64; LOOKED.len()] {
    browser.value("reckoning.reset()");
    let mut windows: Vec<(f64, [f64; LOOKED.len()])> = Vec::new();
    let quiet = |windows: &[(f64, _)]| windows.iter().filter(|it| it.0 >= QUIET_LOOKS).count();
    while windows.len() < MOST_WINDOWS && quiet(&windows) < WINDOWS {
        sleep(WINDOW_S);
        let state = state(browser);
        let value = |(_, place): (_, &str)| {
            number(state.pointer(place).unwrap_or_else(|| panic!("{place} in {state}")))
        };
        windows.push((number(&state["error_count"]), LOOKED.map(value)));
    }
    windows.sort_by(|a, b| b.0.total_cmp(&a.0));
    windows.truncate(WINDOWS);
    let least = windows[WINDOWS - 1].0;
    assert!(least >= LEAST_LOOKS, "this machine is too slow: {least} looks in a window");
    let mean = |at: usize| windows.iter().map(|it| it.1[at]).sum::<f64>() / WINDOWS as f64;
    std::array::from_fn(mean)
}

/// Prints the figures of a browser; the larger of the ratios to naive and to interpolation.
fn worst_ratio(state: &Value, [ours, naive, past]: [f64; 3]) -> f64 {
    println!(
        "150 +- 40 ms, 3 % loss: Reckoning {ours:.1} px, naive {naive:.1} px (ratio {:.2}), \
         interpolation {past:.1} px (ratio {:.2}); {}; frames: {}",
        ours / naive,
        ours / past,
        told_steps(state),
        state["frames"]
    );
    let share = number(&state["updates_per_s"]) / number(&state["plain_updates_per_s"]);
    for (key, value) in [
        ("far_reckoning_px", ours),
        ("far_naive_px", naive),
        ("far_interpolation_px", past),
        ("far_step_px_s", step_px_s(state)),
        ("far_updates_share", share),
        ("top_speed_px_s", TOP_SPEED_PX_S),
    ] {
        note(key, value);
    }
    (ours / naive).max(ours / past)
}

/// Ticks of the machine's clock that its host kept for itself, and all ticks; Linux counts them.
fn stolen() -> Option<[f64; 2]> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks = text.lines().next()?.split_whitespace().skip(1).map_while(|it| it.parse().ok());
    let ticks: Vec<f64> = ticks.take(8).collect();
    Some([*ticks.get(7)?, ticks.iter().sum()])
}

fn told(before: Option<[f64; 2]>, after: Option<[f64; 2]>) -> String {
    let (Some(before), Some(after)) = (before, after) else { return String::new() };
    let share = (after[0] - before[0]) / (after[1] - before[1]).max(1.0);
    note("crowd_stolen_percent", 100.0 * share);
    format!("{:.1} % of the time taken by the host, ", 100.0 * share)
}

/// How long a frame takes is printed, not judged: other tests may run on this machine, and
/// its host may have other things to do.
#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn sixty_four_bodies_are_drawn_and_their_frames_timed() {
    let arena = Arena::play(&["--bots", "64"]);
    let url = format!("{}?watch=true&preset=mobile", arena.url());
    let mut browser = Browser::open("crowd", LAPTOP, &url);
    browser.wait_until("all", "JSON.parse(reckoning.state()).ghosts.length == 64");
    browser.value("document.querySelector('#theme').click()");
    for (name, wheel) in [("crowd", 0), ("crowd-from-afar", 20)] {
        for _ in 0..wheel {
            browser.wheel((500.0, 400.0), 120.0);
        }
        let before = stolen();
        let measured = measure(&mut browser, 10.0);
        browser.picture(name);
        println!(
            "64 bodies, {name}: frames {}, {}errors {}, {:.0} updates/s in {:.0} bytes/s",
            measured["frames"],
            told(before, stolen()),
            measured["error"],
            number(&measured["updates_per_s"]),
            number(&measured["bytes_per_s"])
        );
        for (key, field) in
            [("crowd_frames", "count"), ("crowd_late_frames", "late"), ("crowd_p99_ms", "p99_ms")]
        {
            note(key, number(&measured["frames"][field]));
        }
        // Ten a second, which only a page that hangs misses.
        assert!(number(&measured["frames"]["count"]) > 100.0);
        assert!(error_px(&measured, "reckoning") < error_px(&measured, "naive"));
    }
}

/// How many frames a phone gets whose processor is four times slower than this one is printed, as that
/// is about this one.
#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn a_slow_processor_draws_the_arena_and_its_frames_are_counted() {
    let arena = Arena::play(&["--bots", "12"]);
    for (name, size) in [("slow-phone", PHONE), ("slow-laptop", LAPTOP)] {
        let mut browser = join(name, size, &arena);
        browser.call("Emulation.setCPUThrottlingRate", &serde_json::json!({ "rate": 4 }));
        for view in ["arena", "compare"] {
            browser.value(&format!("reckoning.set('view', '{view}')"));
            sleep(SETTLES_S);
            let measured = measure(&mut browser, 10.0);
            let shown = number(&measured["frames"]["count"]) / 10.0;
            let frames = &measured["frames"];
            println!("{name}, {view}, processor 4 x slower: {shown:.1} frames a second, {frames}");
            assert!(shown > 10.0, "{name}, {view}: {frames}");
        }
    }
}

/// A window whose picture of the hills is 800 pixels wide and 500 high, the panel beside it.
const SMALL: (u32, u32) = (1148, 620);
/// Delay, jitter, loss and burst, as the sliders count them.
const LINKS: [(&str, [f64; 4]); 5] = [
    ("lan", [0.0, 0.0, 0.0, 1.0]),
    ("wifi", [40.0, 10.0, 1.0, 1.0]),
    ("mobile", [150.0, 40.0, 3.0, 2.0]),
    ("far", [250.0, 20.0, 1.0, 1.0]),
    ("awful", [350.0, 120.0, 12.0, 4.0]),
];

/// What is drawn of the hills is timed and compared at five links; what no link excuses is judged.
#[test]
#[ignore = "needs a browser: cargo xtask test"]
fn the_hills_are_timed_with_64_bodies_at_five_links() {
    let arena = hills::play("44");
    let mut browser = hills::open("hills-links", SMALL, &arena);
    hills::wait(&mut browser, "64 bodies", "it.bodies >= 64");
    for (link, values) in LINKS {
        for (name, value) in ["latency", "jitter", "loss", "burst"].into_iter().zip(values) {
            set(&mut browser, name, value);
        }
        let measured = measure(&mut browser, WINDOW_S);
        let (frames, seen) = (&measured["frames"], &measured["hills"]);
        println!(
            "hills, {link}: {} bodies, {:.1} ms from frame to frame, script {frames}, figures {}, {:.0} \
             bytes/s against {:.0}",
            seen["bodies"],
            number(&seen["frame_ms"]),
            seen["figures"],
            number(&measured["bytes_per_s"]),
            number(&measured["plain_bytes_per_s"]),
        );
        for (key, value) in [
            ("frame_ms", &seen["frame_ms"]),
            ("p99_ms", &frames["p99_ms"]),
            ("reckoning_m", &seen["figures"]["error_m"][0]),
            ("naive_m", &seen["figures"]["error_m"][1]),
            ("interpolation_m", &seen["figures"]["error_m"][2]),
        ] {
            note(&format!("hills_{link}_{key}"), number(value));
        }
        let deepest = &seen["figures"]["deepest"];
        assert_eq!(
            number(&seen["figures"]["under_share"]),
            0.0,
            "{link}: deepest {deepest}, {seen}"
        );
        let errors = [0, 1].map(|it| number(&seen["figures"]["error_m"][it]));
        assert!(errors[0] < errors[1], "{link}: {errors:?} m");
    }
    browser.picture("hills-64");
}
