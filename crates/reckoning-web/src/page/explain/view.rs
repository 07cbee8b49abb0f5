//! One step on the page: its canvas, its sliders, its figures.

use reckoning::DVec3;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, HtmlElement, HtmlInputElement};

use super::draw::{Sheet, draw};
use crate::explain::{Demo, Driver, Step};
use crate::page::draw::{DARK, LIGHT};
use crate::page::{dom, panel};

/// Where nothing moves by itself, the step goes on for so long after a hand let go.
const SETTLES_S: f64 = 1.2;
/// What one press of the button lets pass, in so many pieces.
const ONCE: (usize, f64) = (5, 0.05);

/// A step and its elements.
pub struct StepView {
    demo: Box<Demo>,
    stage: HtmlElement,
    canvas: HtmlCanvasElement,
    handle: HtmlElement,
    line: Element,
    once: HtmlElement,
    sliders: Vec<(HtmlInputElement, Element)>,
    sheet: Sheet,
    /// Seconds for which it goes on although nothing moves by itself.
    moved_by_hand_s: f64,
    is_held: bool,
}

impl StepView {
    /// Finds its elements; `None` where one is missing.
    pub fn new(step: Step) -> Option<Self> {
        let section = dom::element(step.name())?;
        let find = |selector: &str| section.query_selector(selector).ok()?;
        let mut sliders = Vec::new();
        for place in 0..2 {
            let id = format!("{}-{place}", step.name());
            let output = find(&format!("output[for={id}]"))?;
            sliders.push((dom::element(&id)?.dyn_into().ok()?, output));
        }
        let mut view = Self {
            demo: Box::new(Demo::running(step).ok()?),
            stage: find(".stage")?.dyn_into().ok()?,
            canvas: find("canvas")?.dyn_into().ok()?,
            handle: find(".handle")?.dyn_into().ok()?,
            line: find(".figures")?,
            once: find(".once")?.dyn_into().ok()?,
            sliders,
            sheet: Sheet::new(step),
            moved_by_hand_s: 0.1,
            is_held: false,
        };
        for place in 0..2 {
            let value = view.sliders[place].0.value_as_number();
            // A browser may keep the sliders of the last visit.
            if value != view.demo.values()[place] {
                view.set(place, value);
            }
            view.show_value(place);
        }
        view.write();
        let _ = view.handle.style().set_property("visibility", "visible");
        Some(view)
    }

    pub const fn name(&self) -> &'static str {
        self.demo.step().name()
    }

    /// A slider moved.
    pub fn set(&mut self, place: usize, value: f64) {
        if self.demo.set(place, value).is_err() {
            return; // nothing that a slider can ask for is refused
        }
        self.show_value(place);
        self.moved_by_hand_s = self.moved_by_hand_s.max(0.1);
    }

    fn show_value(&self, place: usize) {
        let value = self.demo.values()[place];
        let text = self.demo.step().sliders()[place].text(value);
        let (input, output) = &self.sliders[place];
        output.set_text_content(Some(&text));
        let _ = input.set_attribute("aria-valuetext", &text);
    }

    /// A hand takes the ball, or lets go.
    pub fn drive(&mut self, driver: Option<Driver>) {
        self.is_held = driver.is_some();
        self.demo.drive(driver.unwrap_or(Driver::Nobody));
        self.moved_by_hand_s = SETTLES_S;
        dom::set_class(&self.handle, "held", self.is_held);
    }

    /// A little time passes, where none passes by itself.
    pub fn go_on(&mut self) {
        (0..ONCE.0).for_each(|_| self.demo.pass(ONCE.1));
        self.moved_by_hand_s = self.moved_by_hand_s.max(0.02);
        self.write();
    }

    /// Shows the button that lets a little time pass.
    pub fn offer_single_steps(&self, is_paused: bool) {
        self.once.set_hidden(!is_paused);
    }

    /// Moves on and draws, if it is on the screen.
    pub fn frame(&mut self, dt_s: f64, is_paused: bool, writes: bool) {
        let place = self.stage.get_bounding_client_rect();
        let seen = dom::window().and_then(|it| it.inner_height().ok()?.as_f64()).unwrap_or(0.0);
        if place.bottom() < 0.0 || place.top() > seen {
            return;
        }
        let moves = !is_paused || self.moved_by_hand_s > 0.0;
        if moves {
            self.demo.pass(dt_s);
        }
        if !self.is_held {
            self.moved_by_hand_s -= dt_s;
        }
        let colours = if panel::is_light() { &LIGHT } else { &DARK };
        if self.sheet.fit(&self.canvas, colours) || moves {
            draw(&self.sheet, &self.demo, colours);
            self.place_handle();
        }
        if moves && writes {
            self.write();
        }
    }

    fn write(&self) {
        self.line.set_text_content(Some(&self.demo.line()));
    }

    fn place_handle(&self) {
        let [x, y] = self.sheet.to_page(self.demo.place());
        let _ =
            self.handle.style().set_property("transform", &format!("translate({x:.1}px,{y:.1}px)"));
    }

    /// A pointer goes down on it: what it does from now on is ours.
    pub fn take(&self, pointer: i32) {
        let _ = self.stage.set_pointer_capture(pointer);
        let _ = self.handle.focus();
    }

    /// The place of the field under a place of the window.
    pub fn under(&self, at: [f64; 2]) -> DVec3 {
        let corner = self.stage.get_bounding_client_rect();
        self.sheet.to_field([at[0] - corner.x(), at[1] - corner.y()])
    }

    /// For tests: every figure.
    pub fn to_json(&self) -> String {
        self.demo.to_json()
    }
}
