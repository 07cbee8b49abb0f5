//! The introduction for newcomers, and what else says how to begin: keys, focus, other levels.

use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;

use super::app::App;
use super::dom;
use crate::newcomer::{PLAYS, SETTINGS, is_newcomer};

/// What the browser remembers once the introduction was put away.
const SEEN: &str = "intro";

/// Whether the page was opened by somebody new.
pub fn is_wanted(query: &str) -> bool {
    is_newcomer(query, dom::remembered(SEEN).is_some())
}

/// Shows the introduction and what it is about.
pub fn open(app: &mut App) {
    for (name, value) in SETTINGS {
        app.set(name, value);
    }
    show(app, true);
    dom::focus("play");
}

/// Joins.
pub fn play(app: &mut App) {
    for (name, value) in PLAYS {
        app.set(name, value);
    }
    close(app);
}

/// Puts it away; who looks on, looks on.
pub fn close(app: &mut App) {
    dom::remember(SEEN, "seen");
    show(app, false);
    dom::focus("arena");
}

/// Whether it is shown.
pub fn is_open() -> bool {
    dom::root().and_then(|it| it.get_attribute("data-intro")).as_deref() == Some("open")
}

fn show(app: &mut App, is_open: bool) {
    dom::show("intro", is_open);
    dom::mark("data-intro", if is_open { "open" } else { "shut" });
    // It takes room from the picture, or gives it back.
    app.measure();
}

/// What the hints over the picture depend on.
#[derive(Clone, Copy, Debug)]
pub struct Player {
    /// We move a body, in the one picture.
    pub plays: bool,
    /// We did so by hand.
    pub has_acted: bool,
}

/// Tells the keys until they were used, and later where they went when the focus is elsewhere.
pub fn show_hints(player: Player) {
    let says_keys = player.plays && !player.has_acted;
    dom::show("keys", says_keys);
    let is_elsewhere = player.plays && !says_keys && !dom::is_focused("arena");
    dom::show("focus-note", is_elsewhere);
}

/// The level that is played here; the others are for other servers.
pub fn show_level(name: &str) {
    let told = if name.is_empty() { "a level of its own" } else { name };
    dom::write("level-here", &format!("Here: {}", told.replace('-', " ")));
    for option in dom::all("#level option") {
        if option.get_attribute("value").as_deref() == Some(name) {
            option.remove();
        }
    }
}

/// Says how to start a server with the level that was chosen.
pub fn tell_level() {
    let select = dom::element("level").and_then(|it| it.dyn_into::<HtmlSelectElement>().ok());
    let name = select.map(|it| it.value()).unwrap_or_default();
    dom::show("level-how", !name.is_empty());
    dom::write("level-command", &format!("reckon play --level {name}"));
    dom::write("level-copied", "");
}

/// Copies the command; where the browser forbids that, it is marked at a click.
pub async fn copy_command() {
    let command = dom::element("level-command").and_then(|it| it.text_content());
    let is_copied = dom::copy(&command.unwrap_or_default()).await;
    let told = if is_copied { "Copied." } else { "Click it, and copy it by hand." };
    dom::write("level-copied", told);
}
