//! The explainer in a browser: its steps, their sliders, and hands on the ball.

mod draw;
mod view;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use reckoning::DVec3;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent, PointerEvent};

use self::view::StepView;
use super::{dom, panel};
use crate::explain::{Driver, Step};

/// Figures are written this often, so that they can be read.
const FIGURES_EVERY_MS: f64 = 250.0;
/// What is listened to, on the document: there are many sliders and balls, and one page.
const EVENTS: [&str; 9] = [
    "input",
    "click",
    "pointerdown",
    "pointermove",
    "pointerup",
    "pointercancel",
    "keydown",
    "keyup",
    "focusout",
];
/// Keys and the ways they lead.
const ARROWS: [(&str, DVec3); 4] = [
    ("ArrowLeft", DVec3::NEG_X),
    ("ArrowRight", DVec3::X),
    ("ArrowUp", DVec3::NEG_Y),
    ("ArrowDown", DVec3::Y),
];

/// The whole page.
struct Explainer {
    steps: Vec<StepView>,
    /// Nothing moves but by hand.
    is_paused: bool,
    frame_ms: f64,
    figures_ms: f64,
    /// The step whose ball a pointer holds, and which pointer.
    held: Option<(usize, i32)>,
    /// Which arrows are down.
    arrows: [bool; 4],
}

/// Whether the document is the explainer.
pub fn is_here() -> bool {
    dom::root().and_then(|it| it.get_attribute("data-page")).as_deref() == Some("explain")
}

/// Starts the page.
///
/// # Errors
/// When the document lacks a step.
pub fn start() -> Result<(), JsValue> {
    let mut steps = Vec::new();
    for step in Step::ALL {
        steps.push(StepView::new(step).ok_or("the page lacks a step of the explainer")?);
    }
    let frame_ms = dom::now_ms();
    let (is_paused, figures_ms, held, arrows) = (false, 0.0, None, [false; 4]);
    let mut page = Explainer { steps, is_paused, frame_ms, figures_ms, held, arrows };
    page.pause(dom::is_calm());
    let page = Rc::new(RefCell::new(page));
    let document = dom::document().ok_or("no document")?;
    for kind in EVENTS {
        let shared = page.clone();
        dom::listen::<Event>(&document, kind, move |event| {
            // Giving one element the focus takes it from another while we are at it.
            if let Ok(mut page) = shared.try_borrow_mut() {
                page.handle(kind, &event);
            }
        });
    }
    expose(&page)?;
    super::each_frame(move || {
        if let Ok(mut page) = page.try_borrow_mut() {
            page.frame(dom::now_ms());
        }
    });
    Ok(())
}

/// `window.reckoning`.
fn expose(page: &Rc<RefCell<Explainer>>) -> Result<(), JsValue> {
    let object = js_sys::Object::new();
    let page = page.clone();
    let state = Closure::<dyn FnMut() -> String>::new(move || page.borrow().state());
    js_sys::Reflect::set(&object, &"state".into(), &state.into_js_value())?;
    js_sys::Reflect::set(&js_sys::global(), &"reckoning".into(), &object)?;
    Ok(())
}

impl Explainer {
    /// Time passes where somebody looks.
    fn frame(&mut self, now_ms: f64) {
        let dt_s = (now_ms - self.frame_ms) * 1e-3;
        self.frame_ms = now_ms;
        let writes = now_ms - self.figures_ms >= FIGURES_EVERY_MS;
        if writes {
            self.figures_ms = now_ms;
        }
        for step in &mut self.steps {
            step.frame(dt_s, self.is_paused, writes);
        }
    }

    fn pause(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
        dom::write("pause", if is_paused { "Play" } else { "Pause" });
        for step in &self.steps {
            step.offer_single_steps(is_paused);
        }
    }

    fn state(&self) -> String {
        let mut steps = String::new();
        for step in &self.steps {
            let comma = if steps.is_empty() { "" } else { "," };
            let _ = write!(steps, "{comma}\"{}\":{}", step.name(), step.to_json());
        }
        format!("{{\"page\":\"explain\",\"paused\":{},\"steps\":{{{steps}}}}}", self.is_paused)
    }

    /// Something happened to an element of the page.
    fn handle(&mut self, kind: &str, event: &Event) -> Option<()> {
        let target: Element = event.target()?.dyn_into().ok()?;
        let section = target.closest("section").ok()?;
        let step = section.map(|it| it.id());
        let step = step.and_then(|id| self.steps.iter().position(|it| it.name() == id));
        match kind {
            "click" => self.click(&target.id(), &target.class_name(), step),
            "input" => {
                let input: &HtmlInputElement = target.dyn_ref()?;
                let place = usize::from(input.id().ends_with('1'));
                self.steps.get_mut(step?)?.set(place, input.value_as_number());
            }
            "keydown" | "keyup" if target.class_list().contains("handle") => {
                self.key(event.dyn_ref()?, step?, kind == "keydown");
            }
            "focusout" if self.arrows.contains(&true) => {
                self.arrows = [false; 4];
                self.steps.get_mut(step?)?.drive(None);
            }
            _ => self.pointer(kind, event.dyn_ref()?, &target, step)?,
        }
        Some(())
    }

    fn click(&mut self, id: &str, class: &str, step: Option<usize>) {
        if id == "pause" {
            self.pause(!self.is_paused);
        } else if id == "theme" {
            panel::switch_theme();
        } else if class.starts_with("once")
            && let Some(step) = step.and_then(|it| self.steps.get_mut(it))
        {
            step.go_on();
        }
    }

    fn key(&mut self, event: &KeyboardEvent, step: usize, is_down: bool) {
        let Some(place) = ARROWS.iter().position(|it| it.0 == event.key()) else { return };
        event.prevent_default();
        if self.arrows[place] == is_down {
            return; // a key that is held repeats
        }
        self.arrows[place] = is_down;
        let mut way = DVec3::ZERO;
        for (arrow, is_down) in ARROWS.iter().zip(self.arrows) {
            way += arrow.1 * f64::from(u8::from(is_down));
        }
        let driver = self.arrows.contains(&true).then(|| Driver::Keys(way.normalize_or_zero()));
        self.steps[step].drive(driver);
    }

    /// A finger takes the ball itself, so that a page can be scrolled by its pictures; a mouse
    /// draws it from anywhere.
    fn pointer(
        &mut self,
        kind: &str,
        event: &PointerEvent,
        target: &Element,
        step: Option<usize>,
    ) -> Option<()> {
        let id = event.pointer_id();
        let at = [f64::from(event.client_x()), f64::from(event.client_y())];
        if kind == "pointerdown" {
            let is_ball = target.class_list().contains("handle");
            let is_stage = target.closest(".stage").ok()?.is_some();
            if event.button() != 0 || !is_stage || (event.pointer_type() == "touch" && !is_ball) {
                return None;
            }
            event.prevent_default();
            (self.held, self.arrows) = (Some((step?, id)), [false; 4]);
            self.steps.get_mut(step?)?.take(id);
        }
        let (held, _) = self.held.filter(|it| it.1 == id)?;
        let step = self.steps.get_mut(held)?;
        if kind == "pointerdown" || kind == "pointermove" {
            step.drive(Some(Driver::Pointer(step.under(at))));
        } else {
            self.held = None;
            step.drive(None);
        }
        Some(())
    }
}
