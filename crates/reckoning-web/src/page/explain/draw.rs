//! Drawing of a step: field, trails, ball, guesses, and what was sent below.

use std::f64::consts::TAU;

use js_sys::Array;
use reckoning::DVec3;
use wasm_bindgen::JsValue;
use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use crate::explain::{BALL_M, Demo, FIELD_M, Lane, Shown, ShownAs, Step};
use crate::page::dom;
use crate::page::draw::Palette;

/// Height of what was sent, below the field, as a share of the canvas: for one or two, and for five.
const LANES_SHARES: [f64; 2] = [0.14, 0.26];
/// How long the ring of an update grows.
const PULSE_S: f64 = 0.4;

/// A canvas and how the field lies on it.
#[derive(Default)]
pub struct Sheet {
    pen: Option<Pen>,
    width: f64,
    height: f64,
    theme: &'static str,
    dpr: f64,
    lanes_share: f64,
}

impl Sheet {
    /// The sheet of a step.
    pub fn new(step: Step) -> Self {
        let lanes_share = LANES_SHARES[usize::from(step == Step::Fair)];
        Self { lanes_share, ..Self::default() }
    }

    /// Follows the size of the canvas and the theme; returns whether anything changed.
    pub fn fit(&mut self, canvas: &HtmlCanvasElement, colours: &Palette) -> bool {
        let size = [canvas.client_width(), canvas.client_height()].map(f64::from);
        let dpr = dom::window().map_or(1.0, |it| it.device_pixel_ratio()).clamp(1.0, 3.0);
        let is_same = size == [self.width, self.height] && dpr == self.dpr;
        if is_same && self.theme == colours.floor {
            return false;
        }
        ([self.width, self.height], self.dpr, self.theme) = (size, dpr, colours.floor);
        canvas.set_width((self.width * dpr).round() as u32);
        canvas.set_height((self.height * dpr).round() as u32);
        self.pen = dom::pen_of(canvas);
        true
    }

    fn field_height(&self) -> f64 {
        self.height * (1.0 - self.lanes_share)
    }

    /// Pixels in a metre.
    fn scale(&self) -> f64 {
        (self.width / FIELD_M[0]).min(self.field_height() / FIELD_M[1]).max(0.1)
    }

    fn corner(&self) -> [f64; 2] {
        let scale = self.scale();
        [self.width - FIELD_M[0] * scale, self.field_height() - FIELD_M[1] * scale]
            .map(|it| 0.5 * it)
    }

    pub fn to_page(&self, place: DVec3) -> [f64; 2] {
        let ([x, y], scale) = (self.corner(), self.scale());
        [x + place.x * scale, y + place.y * scale]
    }

    pub fn to_field(&self, [x, y]: [f64; 2]) -> DVec3 {
        let (corner, scale) = (self.corner(), self.scale());
        DVec3::new((x - corner[0]) / scale, (y - corner[1]) / scale, 0.0)
    }
}

/// Draws a step.
pub fn draw(sheet: &Sheet, demo: &Demo, colours: &Palette) {
    let Some(pen) = &sheet.pen else { return };
    let _ = pen.set_transform(sheet.dpr, 0.0, 0.0, sheet.dpr, 0.0, 0.0);
    pen.clear_rect(0.0, 0.0, sheet.width, sheet.height);
    let drawing = Drawing { pen, sheet, demo, colours };
    drawing.grid();
    drawing.trails();
    drawing.circle();
    drawing.courses();
    drawing.truth();
    drawing.guesses();
    drawing.lanes();
}

struct Drawing<'a> {
    pen: &'a Pen,
    sheet: &'a Sheet,
    demo: &'a Demo,
    colours: &'a Palette,
}

impl Drawing<'_> {
    const fn colour(&self, shown_as: ShownAs) -> &'static str {
        match shown_as {
            ShownAs::Guess => self.colours.ghost,
            ShownAs::Plain => self.colours.interpolated,
            ShownAs::Naive => self.colours.naive,
        }
    }

    fn stroke(&self, colour: &str, width: f64, alpha: f64) {
        self.pen.set_stroke_style_str(colour);
        self.pen.set_line_width(width);
        self.pen.set_global_alpha(alpha);
        self.pen.stroke();
        self.pen.set_global_alpha(1.0);
    }

    /// A metre to a square.
    fn grid(&self) {
        let ([x, y], scale) = (self.sheet.corner(), self.sheet.scale());
        let (width, height) = (self.sheet.width, self.sheet.field_height());
        self.pen.begin_path();
        for step in -20..40 {
            let [across, down] = [x, y].map(|it| (it + f64::from(step) * scale).round() - 0.5);
            self.pen.move_to(across, 0.0);
            self.pen.line_to(across, height);
            if down < height {
                self.pen.move_to(0.0, down);
                self.pen.line_to(width, down);
            }
        }
        self.stroke(self.colours.grid_strong, 1.0, 1.0);
    }

    fn path(&self, places: &[DVec3]) {
        self.pen.begin_path();
        for place in places {
            let [x, y] = self.sheet.to_page(*place);
            self.pen.line_to(x, y);
        }
    }

    fn ring(&self, place: DVec3, radius_px: f64) {
        let [x, y] = self.sheet.to_page(place);
        self.pen.begin_path();
        let _ = self.pen.arc(x, y, radius_px, 0.0, TAU);
    }

    fn trails(&self) {
        self.pen.set_line_join("round");
        let is_compared = self.demo.step() == Step::Blend;
        self.path(self.demo.trail.places());
        self.stroke(self.colours.truth, 2.0, if is_compared { 0.8 } else { 0.35 });
        for shown in self.demo.shown() {
            if let Some(trail) = shown.trail {
                self.path(trail);
                self.stroke(self.colour(shown.shown_as), 3.0, 0.9);
            }
        }
    }

    /// The circle that the ball may move in, and a ring that grows from the last update.
    fn circle(&self) {
        let Some((middle, radius_m)) = self.demo.circle() else { return };
        let radius_px = radius_m * self.sheet.scale();
        self.ring(middle, radius_px);
        self.pen.set_fill_style_str(self.colours.ghost);
        self.pen.set_global_alpha(0.09);
        self.pen.fill();
        self.dashed(&[6.0, 6.0], || self.stroke(self.colours.ghost, 1.5, 0.75));
        let newest = self.demo.lanes().first().and_then(|it| it.2.newest().copied());
        let age_s = newest.map_or(PULSE_S, |it| self.demo.now().secs_since(it.at));
        if age_s < PULSE_S {
            let share = age_s / PULSE_S;
            self.ring(middle, radius_px * (1.0 + 0.25 * share));
            self.stroke(self.colours.ghost, 3.0, 1.0 - share);
        }
    }

    fn courses(&self) {
        for (shown_as, places) in self.demo.courses() {
            self.path(&places);
            self.dashed(&[2.0, 5.0], || self.stroke(self.colour(shown_as), 2.0, 0.9));
        }
    }

    fn dashed(&self, dashes: &[f64], draws: impl FnOnce()) {
        let list = |them: &[f64]| them.iter().copied().map(JsValue::from_f64).collect::<Array>();
        let _ = self.pen.set_line_dash(&list(dashes));
        draws();
        let _ = self.pen.set_line_dash(&list(&[]));
    }

    fn radius(&self) -> f64 {
        (BALL_M * self.sheet.scale()).max(9.0)
    }

    fn truth(&self) {
        self.ring(self.demo.place(), self.radius());
        self.pen.set_fill_style_str(self.colours.truth);
        self.pen.fill();
        self.ring(self.demo.place(), self.radius() * 0.35);
        self.pen.set_fill_style_str(self.colours.floor);
        self.pen.set_global_alpha(0.55);
        self.pen.fill();
        self.pen.set_global_alpha(1.0);
    }

    fn guesses(&self) {
        let all = self.demo.shown();
        let watchers = if self.demo.step() == Step::Fair { all.len() } else { 1 };
        for (place, shown) in all.iter().enumerate() {
            // Of several watchers the farthest comes first and is the palest.
            let alpha = if watchers > 1 { (place + 2) as f64 / (watchers + 1) as f64 } else { 1.0 };
            self.guess(shown, alpha);
        }
    }

    fn guess(&self, shown: &Shown<'_>, alpha: f64) {
        let radius = self.radius() + 2.0;
        let colour = self.colour(shown.shown_as);
        let [x, y] = self.sheet.to_page(shown.place);
        self.ring(shown.place, radius);
        match shown.shown_as {
            ShownAs::Guess => self.stroke(colour, 3.5, alpha),
            ShownAs::Naive => self.dashed(&[5.0, 4.0], || self.stroke(colour, 2.5, 1.0)),
            ShownAs::Plain => {
                self.pen.begin_path();
                self.pen.rect(x - radius, y - radius, 2.0 * radius, 2.0 * radius);
                self.stroke(colour, 2.5, 1.0);
            }
        }
    }

    /// What was sent over the last seconds, newest at the right.
    fn lanes(&self) {
        let top = self.sheet.field_height();
        self.pen.set_fill_style_str(self.colours.line);
        self.pen.fill_rect(0.0, top, self.sheet.width, 1.0);
        let lanes = self.demo.lanes();
        let height = (self.sheet.height - top - 4.0) / lanes.len() as f64;
        let font_px = (height - 1.0).clamp(8.0, 13.0);
        self.pen.set_font(&format!("{font_px}px system-ui, sans-serif"));
        self.pen.set_text_baseline("middle");
        for (row, (shown_as, name, lane)) in lanes.iter().enumerate() {
            let middle = top + 3.0 + (row as f64 + 0.5) * height;
            self.pen.set_fill_style_str(self.colours.muted);
            let _ = self.pen.fill_text(name, 12.0, middle);
            self.lane(lane, self.colour(*shown_as), middle, (0.36 * height).min(10.0));
        }
    }

    fn lane(&self, lane: &Lane, colour: &str, middle: f64, half: f64) {
        let (left, right) = (104.0, self.sheet.width - 12.0);
        self.pen.begin_path();
        for mark in lane.marks() {
            let age_s = self.demo.now().secs_since(mark.at);
            let x = right - (right - left) * age_s / Lane::SPAN_S;
            if x < left {
                continue;
            }
            if mark.is_lost {
                let arm = half * 0.6;
                for side in [arm, -arm] {
                    self.pen.move_to(x - side, middle - arm);
                    self.pen.line_to(x + side, middle + arm);
                }
            } else {
                self.pen.move_to(x, middle - half);
                self.pen.line_to(x, middle + half);
            }
        }
        self.stroke(colour, if self.sheet.width < 560.0 { 1.0 } else { 2.0 }, 1.0);
    }
}
