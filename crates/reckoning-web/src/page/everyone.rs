//! Controls that hold for everyone: wishes are passed on, and what others chose is told.

use std::cell::RefCell;
use std::rc::Rc;

use reckoning_arena::hills::protocol::HillsTuning;
use reckoning_arena::protocol::ServerTuning;
use web_sys::Event;

use super::app::{App, Source};
use super::dom;
use crate::controls::{Change, Controls};
use crate::everyone::{Everyone, told_change};
use crate::hills::choices::{self, HillsChoices};

/// Those of both games.
#[derive(Debug, Default)]
pub struct EveryonesControls {
    flat: Everyone<ServerTuning>,
    hills: Everyone<HillsTuning>,
}

impl EveryonesControls {
    /// A control was moved here.
    pub fn ask(&mut self, name: &str, value: &str) {
        if choices::NAMES.contains(&name) {
            self.hills.ask(name, value);
        } else {
            self.flat.ask(name, value);
        }
    }

    /// Takes in what the server said.
    pub fn follow(
        &mut self,
        source: &Source,
        controls: &mut Controls,
        choices: &mut HillsChoices,
        now_ms: f64,
    ) {
        match source {
            Source::Live(live) => {
                let shown = self.flat.hear(live.tuning).or_else(|| self.flat.settle(now_ms));
                controls.tuning = shown.unwrap_or(controls.tuning);
            }
            Source::Hills(game) => {
                let Some(live) = game.live() else { return };
                let shown = self.hills.hear(live.tuning).or_else(|| self.hills.settle(now_ms));
                choices.tuning = shown.unwrap_or(choices.tuning);
            }
            _ => {}
        }
    }

    /// Sends what was asked for here.
    pub fn pass_on(
        &mut self,
        source: &mut Source,
        controls: &Controls,
        choices: &HillsChoices,
        now_ms: f64,
    ) {
        match source {
            Source::Live(live) => {
                let Some(tuning) = self.flat.due(now_ms) else { return };
                live.apply(Change::Tuning, &Controls { tuning, ..controls.clone() });
            }
            Source::Hills(game) if game.live().is_some() => {
                let Some(tuning) = self.hills.due(now_ms) else { return };
                game.apply(Change::Tuning, controls, &HillsChoices { tuning, ..*choices });
            }
            _ => {}
        }
    }

    /// What somebody else chose and the controls here do not show, in words.
    pub fn told(&self, controls: &Controls, choices: &HillsChoices) -> Option<String> {
        let (flat, hills) = (&controls.tuning, &choices.tuning);
        let of_flat = self.flat.otherwise(flat).map(|told| told_change(flat, &told));
        of_flat.or_else(|| self.hills.otherwise(hills).map(|told| told_change(hills, &told)))
    }

    /// Says it on the page.
    pub fn show(&self, controls: &Controls, choices: &HillsChoices) {
        let told = self.told(controls, choices);
        dom::show("everyone", told.is_some());
        if let Some(text) = told {
            dom::write("everyone-text", &text);
        }
    }

    /// The controls show what somebody else chose.
    fn take_over(&self, controls: &mut Controls, choices: &mut HillsChoices) {
        controls.tuning = self.flat.otherwise(&controls.tuning).unwrap_or(controls.tuning);
        choices.tuning = self.hills.otherwise(&choices.tuning).unwrap_or(choices.tuning);
    }
}

/// Listens to the button beside what is told.
pub fn listen(app: &Rc<RefCell<App>>) {
    let Some(button) = dom::element("everyone-take") else { return };
    let shared = app.clone();
    dom::listen::<Event>(&button, "click", move |_| {
        if let Ok(mut app) = shared.try_borrow_mut() {
            let App { everyone, controls, choices, .. } = &mut *app;
            everyone.take_over(controls, choices);
        }
    });
}
