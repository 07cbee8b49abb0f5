//! The parts of the page outside the canvas: controls, figures, score, messages.

use reckoning::SimTime;
use reckoning_arena::host::BlendStyle;
use reckoning_arena::protocol::{ErrorAccounts, ModelChoice, PlannerWorth};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

use super::draw::Ground;
use super::{choices, dom};
use crate::comparison::InterpolationFacts;
use crate::controls::Controls;
use crate::headline::Verdict;
use crate::hills::choices::HillsChoices;
use crate::hit_counts::HitCounts;
use crate::plot::short;
use crate::replay::ReplayClock;
use crate::scene::GameScene;
use crate::state::{MotionState, PageState};
use crate::words;
use crate::worth::{account_texts, worth_html, worth_note, worth_of};

/// How long the end of a round is shown in large letters.
const BANNER_S: f64 = 4.0;

/// Whether the light theme is on.
pub fn is_light() -> bool {
    dom::root().and_then(|it| it.get_attribute("data-theme")).as_deref() == Some("light")
}

/// The theme that was chosen, or that of the system.
pub fn show_theme() {
    let chosen = dom::remembered("theme");
    let system_light = dom::window()
        .and_then(|it| it.match_media("(prefers-color-scheme: light)").ok().flatten())
        .is_some_and(|it| it.matches());
    let theme = match chosen.as_deref() {
        Some("light") => "light",
        Some("dark") => "dark",
        _ if system_light => "light",
        _ => "dark",
    };
    dom::mark("data-theme", theme);
}

/// The other theme, remembered.
pub fn switch_theme() {
    dom::remember("theme", if is_light() { "dark" } else { "light" });
    show_theme();
}

/// Every control shows what is set.
pub fn show_controls(controls: &Controls, of_hills: &HillsChoices) {
    let mut is_news = false;
    for element in dom::all("[data-control]") {
        let name = element.get_attribute("data-control").unwrap_or_default();
        let value = controls.value(&name).or_else(|| of_hills.value(&name));
        if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
            show_input(input, value.as_deref().unwrap_or_default());
        } else if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
            if let Some(value) = value.filter(|it| *it != select.value()) {
                select.set_value(&value);
            }
        } else {
            is_news |= choices::show(&element, element.get_attribute("data-value") == value);
        }
    }
    if is_news {
        choices::rove();
    }
    for name in ["ghost", "truth", "naive", "trend", "zones"] {
        show_key(name, controls.value(name).as_deref() == Some("false"));
    }
    let view = controls.value("view").unwrap_or_default();
    dom::describe("picture", "aria-labelledby", &format!("tab-{view}"));
    dom::mark("data-view", &view);
    dom::mark("data-watch", &controls.watch.to_string());
}

fn show_key(name: &str, is_off: bool) {
    for key in dom::all(&format!(".key.{name}")) {
        dom::set_class(&key, "off", is_off);
    }
}

fn show_input(input: &HtmlInputElement, value: &str) {
    match input.type_().as_str() {
        "checkbox" => input.set_checked(value == "true"),
        "text" => {
            let active = dom::document().and_then(|it| it.active_element());
            let is_busy = active.as_ref() == Some(input.unchecked_ref::<Element>());
            if !is_busy && input.value() != value {
                input.set_value(value);
            }
        }
        _ => {
            if input.value() != value {
                input.set_value(value);
            }
            let unit = input.get_attribute("data-unit").unwrap_or_default();
            let block = input.closest(".control").ok().flatten();
            let output = block.and_then(|it| it.query_selector("output").ok().flatten());
            if let Some(output) = output {
                let text = words::shown(value, &unit);
                if output.text_content().as_deref() != Some(&text) {
                    output.set_text_content(Some(&text));
                    let _ = input.set_attribute("aria-valuetext", &words::spoken(value, &unit));
                }
            }
        }
    }
}

/// The figures beside the plots and the headline.
pub fn show_figures(state: &PageState) {
    let has_errors = state.error_count > 0;
    let error = |px: f64| if has_errors { short(px) } else { "–".to_string() };
    dom::write("error-ghost", &error(state.error.reckoning));
    dom::write("error-naive", &error(state.error.naive));
    dom::write("error-interpolated", &error(state.error.interpolation));
    dom::write("updates-ghost", &short(state.updates_per_s));
    dom::write("updates-naive", &short(state.plain_updates_per_s));
    dom::write("bytes-ghost", &short(state.bytes_per_s));
    dom::write("bytes-naive", &short(state.plain_bytes_per_s));
    for style in BlendStyle::ALL {
        if let Some(MotionState { error, restless }) = state.motion.get(style.name()) {
            let text = format!("{} px · {} px/s²", short(*error), short(*restless));
            dom::write(&format!("motion-{}", style.name()), &text);
        }
    }
}

/// How many times closer, or that there is no difference.
pub fn show_headline(verdict: Verdict) {
    let (times, text) = verdict.texts();
    dom::write("times", &times);
    dom::write("times-text", text);
}

/// How interpolation is done, and what could be had by it.
pub fn show_interpolation(facts: Option<InterpolationFacts>, is_hills: bool) {
    let unit = if is_hills { "cm" } else { "px" };
    let told = |it: InterpolationFacts| {
        let best = it.best_case(unit).map_or_else(String::new, |best| format!("; {best}"));
        format!("{}{best}.", it.title())
    };
    dom::write("interpolation-note", &facts.map_or_else(String::new, told));
}

/// What each planner is worth, and which of them cannot be chosen.
pub fn show_planners(controls: &Controls, worth: Option<&PlannerWorth>, own: &str) {
    let is_live = worth.is_some() || !own.is_empty();
    for choice in ModelChoice::ALL {
        let missing = controls.missing.get(&choice).map(String::as_str);
        let found = worth.and_then(|it| worth_of(it, choice));
        let html = worth_html(missing.map(dom::escaped).as_deref(), found);
        let number = choice as u8;
        let is_told = is_live || missing.is_some();
        dom::write_html(&format!("worth-{number}"), if is_told { &html } else { "" });
        dom::disable(&format!("[data-control=model][data-value=\"{number}\"]"), missing.is_some());
    }
    let choice = controls.tuning.model;
    let found = worth.and_then(|it| worth_of(it, choice));
    if is_live {
        dom::write("worth-note", &worth_note(found, choice, controls.link.delay_ms));
    }
    dom::write("own-planner", own);
    dom::mark("data-weights", &controls.tuning.policy.has_weights().to_string());
}

/// What hits are worth, by how bodies are drawn.
pub fn show_hits(counts: &HitCounts, now: SimTime) {
    dom::write("feel-note", &counts.note(now));
}

/// Our account of errors among all.
pub fn show_accounts(accounts: Option<&ErrorAccounts>) {
    dom::show("accounts", accounts.is_some());
    if let Some([own, note]) = accounts.map(account_texts) {
        dom::write("account-own", &own);
        dom::write("account-note", &note);
    }
}

/// By which clock, and by what hits are judged.
pub fn show_judging(is_per_hop: bool, judges_the_past: bool) {
    let why = if is_per_hop {
        "No common clock: hits are judged in the present, so aim ahead."
    } else {
        "Near players are shown late: hits are judged in the present, so aim ahead."
    };
    dom::show("clock-note", is_per_hop);
    dom::show("hit-note", !judges_the_past);
    dom::write("hit-note", why);
}

/// The most that health and shots can be; no shots where nobody counts them.
#[derive(Clone, Copy, Debug)]
pub struct MostVitals {
    pub health: f64,
    pub ammo: f64,
}

impl MostVitals {
    /// Of a level of the flat arena.
    pub fn of(ground: &Ground) -> Option<Self> {
        let rules = &ground.level.as_ref()?.file().rules;
        Some(Self { health: rules.health, ammo: f64::from(rules.ammo_max) })
    }
}

/// Score, vitals, feed, banner and board.
pub fn show_scene(scene: &GameScene, now: SimTime, most: Option<MostVitals>, show_board: bool) {
    dom::show("score", true);
    dom::write("score-0", &scene.scores[0].to_string());
    dom::write("score-1", &scene.scores[1].to_string());
    dom::write("clock", &minutes(f64::from(scene.round_left_s)));
    dom::show("vitals", scene.me.is_some());
    if let Some(most) = most {
        let (health, ammo) = (f64::from(scene.status.health), f64::from(scene.status.ammo));
        dom::write("health", &format!("{health:.0}"));
        dom::write("ammo", &format!("{ammo:.0}"));
        dom::fill("health-bar", health / most.health);
        dom::fill("ammo-bar", ammo / most.ammo);
    }
    show_feed(scene, now);
    show_banner(scene, now);
    show_own(scene, now, most);
    dom::show("board", show_board);
    dom::describe("score", "aria-expanded", if show_board { "true" } else { "false" });
    if show_board {
        let me = scene.me.map(|it| it.0);
        let html = [0, 1].map(|team| board_of(team, scene, me)).concat();
        dom::write_html("board", &html);
    }
}

/// In words, while the eye is elsewhere.
fn show_own(scene: &GameScene, now: SimTime, most: Option<MostVitals>) {
    let compares = dom::root().and_then(|it| it.get_attribute("data-view"));
    let back_in_s = scene.status.back_at.map(|at| at.secs_since(now));
    let health = f64::from(scene.status.health);
    let vitals = [health, most.map_or(health, |it| it.health)];
    let compares = compares.as_deref() == Some("compare");
    let (text, in_need) = match scene.me {
        Some(_) => words::own_note(compares, scene.status.is_alive, vitals, back_in_s),
        None => (String::new(), false),
    };
    dom::show("own-note", !text.is_empty());
    dom::write("own-note", &text);
    dom::describe("own-note", "class", if in_need { "note low hurt" } else { "note low" });
}

fn board_of(team: u8, scene: &GameScene, me: Option<u16>) -> String {
    let (class, name) = if team == 0 { ("dot", "Blue") } else { ("dot orange", "Orange") };
    let mut html = format!(
        "<table><tr><th scope=\"col\"><span class=\"{class}\"></span> {name}</th>\
         <th scope=\"col\">kills</th><th scope=\"col\">deaths</th></tr>"
    );
    for (player, entry) in scene.ranking(team) {
        let class = if Some(player) == me { " class=\"me\"" } else { "" };
        let (name, kills, deaths) = (dom::escaped(&entry.name), entry.kills, entry.deaths);
        let row = format!("<tr{class}><td>{name}</td><td>{kills}</td><td>{deaths}</td></tr>");
        html.push_str(&row);
    }
    let others = scene.kills_of_others(team);
    if others > 0 {
        let row = format!("<tr><td class=\"muted\">who left, or is far</td><td>{others}</td></tr>");
        html.push_str(&row);
    }
    html + "</table>"
}

fn show_feed(scene: &GameScene, now: SimTime) {
    let dot = |player: u16| {
        let class = if scene.team_of(player) == 0 { "dot" } else { "dot orange" };
        format!("<span class=\"{class}\"></span>{}", dom::escaped(scene.name_of(player)))
    };
    let lines = scene.feed(now).map(|kill| {
        let by = kill.by.map_or_else(|| "a turret".to_string(), dot);
        format!("<li>{by}<span class=\"muted\">▸</span>{}</li>", dot(kill.victim))
    });
    dom::write_html("feed", &lines.collect::<String>());
}

fn show_banner(scene: &GameScene, now: SimTime) {
    let round = scene.banner.as_ref().filter(|it| now.secs_since(it.1) < BANNER_S);
    let back_in = scene.status.back_at.filter(|_| scene.me.is_some() && !scene.status.is_alive);
    let html = match (round, back_in) {
        (Some((text, _)), _) => dom::escaped(text),
        (None, Some(at)) => {
            let left_s = at.secs_since(now).max(0.0);
            format!("You are out<small>back in {left_s:.1} s</small>")
        }
        _ => String::new(),
    };
    dom::show("banner", !html.is_empty());
    dom::write_html("banner", &html);
}

/// The message shown while there is no picture.
pub fn show_message((status, reason): &(&'static str, String)) {
    let (title, text) = match *status {
        "loading" if reason.is_empty() => ("Loading the arena", String::new()),
        "loading" => ("Loading the recording", reason.clone()),
        "connecting" => ("Joining the game", String::new()),
        "lost" if reason.is_empty() => ("Disconnected", "Reconnecting…".to_string()),
        "lost" => ("Disconnected", format!("Reconnecting… ({reason})")),
        "over" => ("Disconnected", format!("{reason}. Reload the page to try again.")),
        _ => ("", String::new()),
    };
    dom::show("message", !title.is_empty());
    dom::write("message-title", title);
    dom::write("message-text", &text);
}

/// How the server is reached.
pub fn show_link(transport: Option<&str>, way_ms: Option<f64>) {
    let name = match transport {
        Some("webtransport") => "WebTransport",
        Some("websocket") => "WebSocket",
        _ => "Disconnected",
    };
    // The way first: where the pill is cut, it is cut at its end.
    let way = way_ms.map_or_else(|| "measuring".to_string(), |ms| format!("{ms:.0} ms one way"));
    let way = if transport.is_some() { format!("{way} · ") } else { String::new() };
    dom::write("link", &format!("{way}{name}"));
    if let Some(pill) = dom::element("link") {
        dom::set_class(&pill, "bad", transport.is_none());
    }
}

/// The scrubber.
pub fn show_replay(clock: &ReplayClock) {
    dom::show("replay", true);
    dom::write("replay-time", &format!("{} / {}", minutes(clock.at_s()), minutes(clock.seconds())));
    dom::write("play-pause", if clock.plays { "❚❚" } else { "▶" });
    dom::describe("play-pause", "aria-label", if clock.plays { "Pause" } else { "Play" });
    let moment = words::spoken_moment(clock.at_s(), clock.seconds());
    dom::describe("scrubber", "aria-valuetext", &moment);
    let scrubber = dom::element("scrubber").and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
    if let Some(scrubber) = scrubber {
        scrubber.set_max(&format!("{:.2}", clock.seconds()));
        scrubber.set_value(&format!("{:.2}", clock.at_s()));
    }
}

fn minutes(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
