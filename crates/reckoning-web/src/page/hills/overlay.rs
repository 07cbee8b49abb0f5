//! Names, health and marks over the picture of the hills.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use reckoning::{DVec3, SimTime};
use reckoning_arena::hills::HillsLevel;
use web_sys::CanvasRenderingContext2d as Pen;

use crate::hills::stance::HillsBody;
use crate::hills::view::View;
use crate::page::draw::Palette;
use crate::scene::GameScene;

/// Names of whom is further away are not written.
const NAMED_M: f64 = 320.0;
/// Over the origin of a body.
const ABOVE_M: f64 = 3.6;
/// Lines of sight that are asked for in one frame.
const SIGHTS_A_FRAME: usize = 3;
const BAR: [f64; 2] = [36.0, 4.0];
const CROSS_PX: f64 = 9.0;
/// Titles of pictures are short where these are narrower.
const NARROW: f64 = 260.0;

/// Who is in sight, asked for a few of them in each frame.
#[derive(Debug, Default)]
pub struct Sights {
    seen: BTreeMap<u32, bool>,
    next: u32,
}

impl Sights {
    fn look(&mut self, view: &View, bodies: &BTreeMap<u32, HillsBody>, level: &HillsLevel) {
        self.seen.retain(|entity, _| bodies.contains_key(entity));
        let rest = bodies.range(self.next..).filter(|it| is_named(it.1));
        let asked: Vec<&HillsBody> = rest.map(|it| it.1).take(SIGHTS_A_FRAME).collect();
        self.next =
            asked.last().filter(|_| asked.len() == SIGHTS_A_FRAME).map_or(0, |it| it.entity + 1);
        for body in asked {
            let is_free = level.first_met(view.eye, above(body)).is_none();
            self.seen.insert(body.entity, is_free);
        }
    }

    fn sees(&self, body: &HillsBody) -> bool {
        self.seen.get(&body.entity).copied().unwrap_or(false)
    }
}

fn is_named(body: &HillsBody) -> bool {
    body.is_alive && !body.is_me && !body.name.is_empty()
}

fn above(body: &HillsBody) -> DVec3 {
    body.shown.pose.position + DVec3::Z * ABOVE_M
}

/// A pen over a picture.
pub struct Overlay<'a> {
    pub pen: &'a Pen,
    pub colours: &'a Palette,
    pub view: &'a View,
    pub now: SimTime,
}

impl Overlay<'_> {
    /// Names and health of all in sight, and from each body to where it truly is.
    pub fn bodies(
        &self,
        bodies: &BTreeMap<u32, HillsBody>,
        scene: Option<&GameScene>,
        sights: &mut Sights,
        level: &HillsLevel,
        has_errors: bool,
    ) {
        sights.look(self.view, bodies, level);
        if has_errors {
            self.errors(bodies);
        }
        crate::page::draw::write_like_names(self.pen);
        for body in bodies.values().filter(|it| is_named(it) && sights.sees(it)) {
            let Some((at, far_m)) = self.view.to_page(above(body)) else { continue };
            if far_m < NAMED_M {
                let struck = scene
                    .zip(body.number)
                    .is_some_and(|(scene, number)| scene.flashes(number, self.now));
                self.name(body, at, struck);
            }
        }
    }

    fn name(&self, body: &HillsBody, [x, y]: [f64; 2], is_struck: bool) {
        let (pen, colours) = (self.pen, self.colours);
        pen.set_stroke_style_str(colours.text_halo);
        pen.set_line_width(3.0);
        let _ = pen.stroke_text(&body.name, x, y - 9.0);
        pen.set_fill_style_str(if is_struck { colours.naive } else { colours.text });
        let _ = pen.fill_text(&body.name, x, y - 9.0);
        let Some(share) = body.health_share.filter(|it| *it < 1.0) else { return };
        let [wide, high] = BAR;
        pen.set_fill_style_str(colours.text_halo);
        pen.fill_rect(x - 0.5 * wide, y, wide, high);
        pen.set_fill_style_str(colours.teams[usize::from(body.team % 2)].0);
        pen.fill_rect(x - 0.5 * wide, y, wide * share, high);
    }

    fn errors(&self, bodies: &BTreeMap<u32, HillsBody>) {
        let pen = self.pen;
        pen.set_stroke_style_str(self.colours.ghost);
        pen.set_line_width(2.5);
        pen.begin_path();
        for body in bodies.values().filter(|it| it.is_alive) {
            let Some(truth) = body.truth else { continue };
            let ends = [body.shown.pose.position, truth.pose.position]
                .map(|it| self.view.to_page(it + DVec3::Z * 0.5));
            if let [Some(([x, y], _)), Some(([to_x, to_y], _))] = ends {
                pen.move_to(x, y);
                pen.line_to(to_x, to_y);
            }
        }
        pen.stroke();
    }
}

/// A mark where the barrel really points.
pub fn crosshair(pen: &Pen, colours: &Palette, at: Option<[f64; 2]>) {
    let Some([x, y]) = at else { return };
    for (width, colour) in [(4.0, colours.text_halo), (1.6, colours.text)] {
        pen.set_line_width(width);
        pen.set_stroke_style_str(colour);
        pen.begin_path();
        let _ = pen.arc(x, y, CROSS_PX, 0.0, TAU);
        for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            pen.move_to(x + dx * (CROSS_PX - 3.0), y + dy * (CROSS_PX - 3.0));
            pen.line_to(x + dx * (CROSS_PX + 4.0), y + dy * (CROSS_PX + 4.0));
        }
        pen.stroke();
    }
}

/// What stands before the first colon or comma.
fn first_part(text: &str) -> &str {
    text.split([':', ',']).next().unwrap_or(text)
}

/// What a picture of the comparison is, and how far off.
pub fn pane_title(
    pen: &Pen,
    colours: &Palette,
    number: usize,
    [left, top, width, _]: [f64; 4],
    [title, said]: [&str; 2],
) {
    let colour = [colours.truth, colours.ghost, colours.naive, colours.interpolated][number];
    // The first row is under the score.
    let under = if top == 0.0 { 50.0 } else { 0.0 };
    pen.set_fill_style_str(colour);
    pen.fill_rect(left, top, width, 3.0);
    // Room for the first part alone.
    let is_narrow = width < NARROW;
    let brief = |text| if is_narrow { first_part(text) } else { text };
    let [title, said] = [brief(title), brief(said)];
    pen.set_text_align("left");
    pen.set_text_baseline("alphabetic");
    pen.set_stroke_style_str(colours.text_halo);
    pen.set_line_width(3.0);
    for (text, font, y, colour) in [
        (title, "600 13px system-ui, sans-serif", 26.0, colour),
        (said, "13px system-ui, sans-serif", 46.0, colours.text),
    ] {
        pen.set_font(font);
        pen.set_fill_style_str(colour);
        let _ = pen.stroke_text(text, left + 14.0, top + under + y);
        let _ = pen.fill_text(text, left + 14.0, top + under + y);
    }
}
