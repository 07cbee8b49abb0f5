//! The page's address kept in step with its controls, what is remembered from visit to visit, and
//! the button that copies a link.

use std::cell::RefCell;
use std::rc::Rc;

use reckoning_arena::protocol::ModelChoice;
use wasm_bindgen::JsValue;
use web_sys::Event;

use super::app::{App, Source};
use super::dom;
use crate::address::{Scope, foreign, is_for_everyone, pairs, query, written};
use crate::controls::Controls;
use crate::hills::choices::HillsChoices;

/// Between two changes of the address: browsers take only so many in a time.
const KEEP_EVERY_MS: f64 = 500.0;
/// How long a button says what it did.
const SAID_MS: f64 = 2_500.0;
/// What is remembered, as a query, and the address that this page wrote itself.
const SETTINGS: &str = "settings";
const ADDRESS: &str = "address";
const COPY: &str = "copy-link";
const COPY_SAYS: &str = "Copy link";

/// What an address says beside the settings, and what was written last.
#[derive(Debug, Default)]
pub struct Address {
    /// As everything is where nobody chose anything.
    plain: Controls,
    foreign: Vec<(String, String)>,
    written: Option<String>,
    remembered: Option<String>,
    kept_ms: f64,
    /// The settings as a query, for a link.
    link: String,
    said_ms: Option<f64>,
}

impl Address {
    /// What the server does where nobody chose anything.
    pub fn know_server(&mut self, world: &serde_json::Value) {
        let number = world["model"].as_u64().and_then(|it| usize::try_from(it).ok());
        if let Some(model) = number.and_then(|it| ModelChoice::ALL.get(it)) {
            self.plain.tuning.model = *model;
        }
    }

    /// Writes the settings into the address and remembers them, if they changed.
    pub fn keep(
        &mut self,
        source: &Source,
        (controls, choices): (&Controls, &HillsChoices),
        now_ms: f64,
    ) {
        self.say_again(now_ms);
        if !knows_all(source) || now_ms - self.kept_ms < KEEP_EVERY_MS {
            return;
        }
        self.kept_ms = now_ms;
        let plain = (&self.plain, &HillsChoices::default());
        let all = written((controls, choices), plain, Scope::All);
        self.link = query(&all);
        let mut whole = self.foreign.clone();
        whole.iter_mut().filter(|it| it.0 == "name").for_each(|it| it.1.clone_from(&controls.name));
        whole.extend(all);
        replace(&mut self.written, query(&whole), write_address);
        let own = query(&written((controls, choices), plain, Scope::Own));
        replace(&mut self.remembered, own, |own| dom::remember(SETTINGS, own));
    }

    /// The button says what it does again.
    fn say_again(&mut self, now_ms: f64) {
        if self.said_ms.take_if(|it| now_ms - *it > SAID_MS).is_some() {
            dom::write(COPY, COPY_SAYS);
        }
    }
}

/// Whether the settings of everyone are known.
fn knows_all(source: &Source) -> bool {
    match source {
        Source::Live(live) => live.tuning.is_some(),
        Source::Hills(game) => game.live().is_none_or(|live| live.tuning.is_some()),
        Source::Replay(_) => true,
        Source::Loading | Source::Failed(_) => false,
    }
}

fn replace(last: &mut Option<String>, new: String, write: impl FnOnce(&str)) {
    if last.as_ref() != Some(&new) {
        write(&new);
        *last = Some(new);
    }
}

fn write_address(query: &str) {
    let Some(window) = dom::window() else { return };
    let location = window.location();
    let path = location.pathname().unwrap_or_default();
    let url = format!("{path}{query}{}", location.hash().unwrap_or_default());
    if let Ok(history) = window.history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
    if let Ok(Some(storage)) = window.session_storage() {
        let _ = storage.set_item(ADDRESS, query);
    }
}

/// Sets what is remembered, then what the address says. What holds for everyone is not asked for
/// again by an address that this page wrote itself: loading it anew asks nothing of others.
pub fn take_up(app: &mut App) {
    for (name, value) in pairs(&dom::remembered(SETTINGS).unwrap_or_default()) {
        app.set(&name, &value);
    }
    let Some(window) = dom::window() else { return };
    let address = window.location().search().unwrap_or_default();
    let storage = window.session_storage().ok().flatten();
    let last = storage.and_then(|it| it.get_item(ADDRESS).ok().flatten());
    let is_own = last.is_some_and(|it| it == address);
    for (name, value) in pairs(&address) {
        if !(is_own && is_for_everyone(&name)) {
            app.set(&name, &value);
        }
    }
    app.address.foreign = foreign(&address);
}

/// Listens to the button that copies a link.
pub fn listen(app: &Rc<RefCell<App>>) {
    let Some(button) = dom::element(COPY) else { return };
    let shared = app.clone();
    dom::listen::<Event>(&button, "click", move |_| {
        let Ok(mut app) = shared.try_borrow_mut() else { return };
        app.address.said_ms = Some(dom::now_ms());
        wasm_bindgen_futures::spawn_local(copy(app.address.link.clone()));
    });
}

/// Copies a link to this page with these settings. The name stays out: it is for others.
async fn copy(query: String) {
    let Some(location) = dom::window().map(|it| it.location()) else { return };
    let [origin, path] = [location.origin(), location.pathname()].map(Result::unwrap_or_default);
    let is_copied = dom::copy(&format!("{origin}{path}{query}")).await;
    dom::write(COPY, if is_copied { "Copied" } else { "Copy it from the address bar" });
}
