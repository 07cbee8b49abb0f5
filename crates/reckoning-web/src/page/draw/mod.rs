//! Drawing on the canvas.

mod bodies;
mod compare;
mod ground;
mod palette;
mod plots;
mod sprite_cache;

use std::f64::consts::TAU;

use reckoning::{DVec3, SimTime};
use reckoning_predict::TrendMap;
use web_sys::CanvasRenderingContext2d as Pen;

pub use bodies::{Brush, write_like_names};
pub use compare::{Comparison, draw_compare};
pub use ground::{Backdrop, Ground};
pub use palette::{DARK, LIGHT, Palette};
pub use plots::{Curve, Curves, DASHED, DOTTED, WHOLE, draw_plot};
use sprite_cache::Look;
pub use sprite_cache::SpriteCache;

use crate::camera::Camera;
use crate::controls::Overlays;
use crate::input::{HeldInput, STICK_PX};
use crate::scene::{GameScene, SceneBody};

/// Age of an update at which its ring is half empty.
const AGE_S: f64 = 0.5;

/// What a picture is made of.
pub struct Picture<'a> {
    pub pen: &'a Pen,
    pub camera: &'a Camera,
    pub colours: &'a Palette,
    pub ground: &'a Ground,
    pub bodies: &'a [&'a SceneBody],
    pub scene: &'a GameScene,
    pub overlays: Overlays,
    pub trend: Option<&'a TrendMap>,
    /// Radii around the viewpoint within which bodies are sent ever more finely.
    pub zones_px: &'a [f64],
    /// The person asked for little motion.
    pub is_calm: bool,
    /// Ours, and the host's.
    pub now: SimTime,
    pub host_now: SimTime,
}

impl Picture<'_> {
    pub fn brush(&self) -> Brush<'_> {
        let (pen, camera, colours) = (self.pen, self.camera, self.colours);
        Brush { pen, camera, colours, radius_px: self.ground.radius_px }
    }

    /// Everything over the backdrop.
    pub fn draw(&self, sprites: &mut SpriteCache, dpr: f64) {
        if self.overlays.trend {
            self.draw_trend();
        }
        if self.overlays.zones {
            self.draw_zones();
        }
        let brush = self.brush();
        sprites.prepare(self.colours, dpr, brush.radius());
        if let Some(level) = &self.ground.level {
            let time_s = if self.is_calm { 0.0 } else { self.now.as_secs_f64() };
            ground::draw_things(&brush, level, self.scene.items, time_s, sprites);
        }
        self.draw_others(&brush, sprites);
        brush.bullets(self.host_now, self.scene);
        for body in self.bodies {
            let is_drawn = self.overlays.ghost || body.is_me || body.is_vehicle;
            if is_drawn && body.rides.is_none() && brush.shows(body.shown) {
                let is_struck = !body.is_vehicle && self.scene.flashes(body.player, self.now);
                if body.is_me || !body.is_alive {
                    brush.body(body, body.shown, is_struck);
                } else {
                    let look = if is_struck { Look::Struck } else { Look::Plain };
                    brush.sprite(body, body.shown, look, sprites);
                }
            }
        }
        self.draw_names(&brush, sprites);
    }

    /// The pictures beside the ghosts.
    fn draw_others(&self, brush: &Brush<'_>, sprites: &mut SpriteCache) {
        let others =
            || self.bodies.iter().filter(|it| it.is_alive && !it.is_me && it.rides.is_none());
        let naive_of =
            |it: &SceneBody| it.naive.filter(|place| self.overlays.naive && brush.shows(*place));
        let truth_of = |it: &SceneBody| it.truth.filter(|place| brush.shows(*place));
        for body in others() {
            if let Some(naive) = naive_of(body) {
                brush.sprite(body, naive, Look::Naive, sprites);
            }
            if let Some(truth) = truth_of(body).filter(|_| self.overlays.truth) {
                brush.sprite(body, truth, Look::Truth, sprites);
            }
        }
        if self.overlays.errors {
            let naive = others().filter_map(|it| it.naive.zip(truth_of(it)));
            brush.error_bars(naive.filter(|_| self.overlays.naive), self.colours.naive);
            let ghosts = others().filter_map(|it| Some((it.shown, truth_of(it)?)));
            brush.error_bars(ghosts, self.colours.ghost);
        }
    }

    fn draw_names(&self, brush: &Brush<'_>, sprites: &mut SpriteCache) {
        bodies::write_like_names(self.pen);
        if let Some((place, text)) = self.scene.hint {
            brush.hint(text, place, sprites);
        }
        if let Some(me) = self.bodies.iter().find(|it| it.is_me && it.is_alive) {
            brush.own_name(me.shown, sprites);
        }
        let named = |it: &&&SceneBody| it.is_alive && !it.is_me && it.rides.is_none();
        for body in self.bodies.iter().filter(named) {
            if brush.shows(body.shown) && !body.name.is_empty() {
                brush.name(body, body.shown, sprites);
                brush.ammo(body, body.shown, sprites);
                brush.health(body, body.shown);
            }
        }
    }

    /// Where bodies were seen often, and which way they went.
    fn draw_trend(&self) {
        let Some(map) = self.trend else { return };
        let most = map.cells().fold(1, |most, it| most.max(density(it.1, it.2)));
        for (corner, side, seen) in map.cells() {
            let middle = corner + DVec3::new(0.5, 0.5, 0.0) * side;
            if seen == 0 || !self.camera.shows(middle, side) {
                continue;
            }
            let share = f64::from(density(side, seen)) / f64::from(most);
            let colour = format!("rgba({},{:.3})", self.colours.trend, 0.04 + 0.4 * share.sqrt());
            self.pen.set_fill_style_str(&colour);
            let [x, y] = self.camera.to_page(corner);
            let side = side * self.camera.zoom;
            self.pen.fill_rect(x, y, side - 1.0, side - 1.0);
        }
    }

    /// The rings within which bodies are sent more finely, and the age of each one's last update.
    fn draw_zones(&self) {
        let pen = self.pen;
        let eye = self.bodies.iter().find(|it| it.is_me).map_or(self.camera.centre, |it| it.shown);
        let [x, y] = self.camera.to_page(eye);
        pen.set_stroke_style_str(self.colours.muted);
        pen.set_line_width(1.0);
        for radius_px in self.zones_px {
            pen.begin_path();
            let _ = pen.arc(x, y, radius_px * self.camera.zoom, 0.0, TAU);
            pen.stroke();
        }
        for body in self.bodies.iter().filter(|it| it.is_alive && !it.is_me) {
            let [x, y] = self.camera.to_page(body.shown);
            let left = AGE_S / (AGE_S + body.update_age_s.max(0.0));
            let radius = (self.ground.radius_px * self.camera.zoom).max(6.0) + 9.0;
            pen.set_stroke_style_str(self.colours.interpolated);
            pen.set_line_width(3.0);
            pen.begin_path();
            let _ = pen.arc(x, y, radius, -0.25 * TAU, (left - 0.25) * TAU);
            pen.stroke();
        }
    }
}

/// Sightings by area, scaled to whole numbers.
fn density(side: f64, seen: u32) -> u32 {
    (f64::from(seen) * 1e6 / (side * side).max(1.0)) as u32
}

/// The sticks under the thumbs.
pub fn draw_thumbs(pen: &Pen, held: &HeldInput, colours: &Palette) {
    for thumb in [held.steering, held.aiming].into_iter().flatten() {
        let push = thumb.push() * STICK_PX;
        pen.set_global_alpha(0.35);
        pen.set_stroke_style_str(colours.text);
        pen.set_fill_style_str(colours.text);
        pen.set_line_width(2.0);
        pen.begin_path();
        let _ = pen.arc(thumb.from[0], thumb.from[1], STICK_PX, 0.0, TAU);
        pen.stroke();
        pen.begin_path();
        let _ = pen.arc(thumb.from[0] + push.x, thumb.from[1] + push.y, 22.0, 0.0, TAU);
        pen.fill();
        pen.set_global_alpha(1.0);
    }
}
