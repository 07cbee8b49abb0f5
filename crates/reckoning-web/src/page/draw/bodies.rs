//! Bodies with their comparison outlines, bullets and names.

use std::f64::consts::TAU;

use reckoning::{DVec3, SimTime};
use web_sys::CanvasRenderingContext2d as Pen;

use super::palette::Palette;
use super::sprite_cache::{Look, SpriteCache, SpriteKey};
use crate::camera::Camera;
use crate::scene::{Bullet, GameScene, SceneBody};

/// Bodies are never smaller on the page.
const MIN_RADIUS: f64 = 7.0;
/// Sprites of bodies look into so many directions: at the rim of a body that is half a pixel.
const TURNS: f64 = 180.0;
/// Room for a line of a name with its halo.
const NAME_HEIGHT: f64 = 20.0;
/// Of the bar of somebody's health.
const BAR_HEIGHT: f64 = 3.0;
/// A ghost this near to the truth is not worth a bar.
const MIN_ERROR_PX: f64 = 1.5;

/// What bodies are drawn with.
#[derive(Clone, Copy)]
pub struct Brush<'a> {
    pub pen: &'a Pen,
    pub camera: &'a Camera,
    pub colours: &'a Palette,
    pub radius_px: f64,
}

impl Brush<'_> {
    pub fn radius(&self) -> f64 {
        (self.radius_px * self.camera.zoom).max(MIN_RADIUS)
    }

    pub fn shows(&self, place: DVec3) -> bool {
        self.camera.shows(place, 4.0 * self.radius_px + 20.0)
    }

    /// Where it really is: a thin solid ring.
    pub fn truth(&self, body: &SceneBody, place: DVec3) {
        self.ring(body, place, self.colours.truth, &[], 2.0);
    }

    /// Where a naive game shows it: dashes.
    pub fn naive(&self, body: &SceneBody, place: DVec3) {
        self.ring(body, place, self.colours.naive, &[5.0, 4.0], 1.8);
    }

    fn ring(&self, body: &SceneBody, place: DVec3, colour: &str, dashes: &[f64], width: f64) {
        let pen = self.pen;
        let dashes: js_sys::Array = dashes.iter().map(|it| js_sys::Number::from(*it)).collect();
        pen.set_stroke_style_str(colour);
        pen.set_line_width(width);
        let _ = pen.set_line_dash(&dashes);
        let [x, y] = self.camera.to_page(place);
        self.outline(body, [x, y], self.radius() + 1.5);
        pen.stroke();
        let _ = pen.set_line_dash(&js_sys::Array::new());
    }

    /// Team 0 is round, team 1 has corners; tanks are longer than wide.
    fn outline(&self, body: &SceneBody, [x, y]: [f64; 2], radius: f64) {
        let pen = self.pen;
        pen.begin_path();
        if body.team.is_multiple_of(2) && !body.is_tank && !body.is_vehicle {
            let _ = pen.arc(x, y, radius, 0.0, TAU);
            return;
        }
        let corners = match (body.is_tank, body.team % 2) {
            _ if body.is_vehicle => &BUGGY[..],
            (true, 0) => &TANK_ROUND[..],
            (true, _) => &TANK_SHARP[..],
            _ => &HEXAGON[..],
        };
        let (sin, cos) = (libm::sin(body.yaw_rad), libm::cos(body.yaw_rad));
        for (at, (along, across)) in corners.iter().enumerate() {
            let (px, py) = (along * cos - across * sin, along * sin + across * cos);
            let (px, py) = (x + px * radius, y + py * radius);
            if at == 0 { pen.move_to(px, py) } else { pen.line_to(px, py) }
        }
        pen.close_path();
    }

    /// The body itself: what the game draws.
    pub fn body(&self, body: &SceneBody, place: DVec3, is_struck: bool) {
        let pen = self.pen;
        let [x, y] = self.camera.to_page(place);
        let radius = self.radius();
        if !body.is_alive {
            return self.fallen(body, [x, y], radius);
        }
        let is_empty = body.is_vehicle && !body.has_driver;
        let (fill, rim) = match self.colours.teams[usize::from(body.team % 2)] {
            _ if is_empty => (self.colours.muted, self.colours.text),
            side => side,
        };
        pen.set_fill_style_str(self.colours.shadow);
        pen.set_global_alpha(0.55);
        self.outline(body, [x + radius * 0.12, y + radius * 0.2], radius * 1.02);
        pen.fill();
        pen.set_global_alpha(1.0);
        if body.is_vehicle {
            self.wheels(body, [x, y], radius);
        } else {
            self.gun(body, [x, y], radius, rim);
        }
        pen.set_fill_style_str(if is_struck { self.colours.struck } else { fill });
        pen.set_stroke_style_str(rim);
        pen.set_line_width(if body.is_me { 2.6 } else { 1.4 });
        self.outline(body, [x, y], radius);
        pen.fill();
        pen.stroke();
        self.face(body, [x, y], radius);
        if body.is_me {
            pen.set_stroke_style_str(self.colours.text);
            pen.set_global_alpha(0.5);
            pen.set_line_width(1.2);
            pen.begin_path();
            let _ = pen.arc(x, y, radius + 6.0, 0.0, TAU);
            pen.stroke();
            pen.set_global_alpha(1.0);
        }
    }

    fn gun(&self, body: &SceneBody, [x, y]: [f64; 2], radius: f64, rim: &str) {
        let (sin, cos) = (libm::sin(body.yaw_rad), libm::cos(body.yaw_rad));
        let pen = self.pen;
        pen.set_stroke_style_str(rim);
        pen.set_line_cap("round");
        pen.set_line_width((radius * 0.34).max(2.0));
        pen.begin_path();
        pen.move_to(x + cos * radius * 0.4, y + sin * radius * 0.4);
        pen.line_to(x + cos * radius * 1.5, y + sin * radius * 1.5);
        pen.stroke();
        pen.set_line_cap("butt");
    }

    /// Four wheels, of which the outline leaves something to see.
    fn wheels(&self, body: &SceneBody, [x, y]: [f64; 2], radius: f64) {
        let (sin, cos) = (libm::sin(body.yaw_rad), libm::cos(body.yaw_rad));
        self.pen.set_fill_style_str(self.colours.text);
        for (along, across) in [(0.8, 0.85), (0.8, -0.85), (-0.8, 0.85), (-0.8, -0.85)] {
            let (px, py) = (along * cos - across * sin, along * sin + across * cos);
            self.pen.begin_path();
            let _ = self.pen.arc(x + px * radius, y + py * radius, radius * 0.34, 0.0, TAU);
            self.pen.fill();
        }
    }

    /// A light half towards where it looks.
    fn face(&self, body: &SceneBody, [x, y]: [f64; 2], radius: f64) {
        let pen = self.pen;
        pen.set_fill_style_str("rgba(255,255,255,0.28)");
        pen.begin_path();
        let _ = pen.arc(x, y, radius * 0.62, body.yaw_rad - 0.9, body.yaw_rad + 0.9);
        pen.line_to(x, y);
        pen.fill();
    }

    fn fallen(&self, body: &SceneBody, [x, y]: [f64; 2], radius: f64) {
        let pen = self.pen;
        let reach = radius * 0.55;
        pen.set_global_alpha(0.55);
        pen.set_stroke_style_str(self.colours.teams[usize::from(body.team % 2)].0);
        pen.set_line_width(2.5);
        pen.begin_path();
        for side in [-1.0, 1.0] {
            pen.move_to(x - reach, y - reach * side);
            pen.line_to(x + reach, y + reach * side);
        }
        pen.stroke();
        pen.set_global_alpha(1.0);
    }

    /// From what is shown to what is true, all in one stroke.
    pub fn error_bars(&self, bars: impl Iterator<Item = (DVec3, DVec3)>, colour: &str) {
        let bars = bars.filter(|(shown, truth)| shown.distance(*truth) >= MIN_ERROR_PX);
        self.lines(bars, 2.5, colour);
    }

    fn lines(&self, lines: impl Iterator<Item = (DVec3, DVec3)>, width: f64, colour: &str) {
        let pen = self.pen;
        pen.set_stroke_style_str(colour);
        pen.set_line_width(width);
        pen.begin_path();
        for (from, to) in lines {
            let ([x, y], [to_x, to_y]) = (self.camera.to_page(from), self.camera.to_page(to));
            pen.move_to(x, y);
            pen.line_to(to_x, to_y);
        }
        pen.stroke();
    }

    /// The name over a body. The pen has the font.
    pub fn name(&self, body: &SceneBody, place: DVec3, sprites: &mut SpriteCache) {
        let [x, y] = self.camera.to_page(place);
        let y = y - self.radius() * 1.5 - 11.0;
        self.write(&body.name, body.is_bot, [x, y], sprites);
    }

    /// The word over our own body, as there are many alike.
    pub fn own_name(&self, place: DVec3, sprites: &mut SpriteCache) {
        let [x, y] = self.camera.to_page(place);
        self.write("you", false, [x, y - self.radius() * 1.5 - 13.0], sprites);
    }

    /// The shots left under a body. The pen has the font.
    pub fn ammo(&self, body: &SceneBody, place: DVec3, sprites: &mut SpriteCache) {
        let Some(ammo) = body.ammo else { return };
        let [x, y] = self.camera.to_page(place);
        self.write(&ammo.to_string(), true, [x, y + self.radius() * 1.5 + 9.0], sprites);
    }

    /// What a key does, under the place it is about. The pen has the font.
    pub fn hint(&self, text: &str, place: DVec3, sprites: &mut SpriteCache) {
        let [x, y] = self.camera.to_page(place);
        self.write(text, false, [x, y + self.radius() * 1.5 + 12.0], sprites);
    }

    fn write(&self, text: &str, is_faint: bool, at: [f64; 2], sprites: &mut SpriteCache) {
        let key = SpriteKey::Name { text: text.to_string(), is_faint };
        let size = || {
            let wide = self.pen.measure_text(text).map_or(0.0, |it| it.width());
            [wide + 8.0, NAME_HEIGHT]
        };
        sprites.put(self.pen, &key, at, size, |pen| {
            write_like_names(pen);
            pen.set_stroke_style_str(self.colours.text_halo);
            pen.set_line_width(3.0);
            let _ = pen.stroke_text(text, 0.0, 0.0);
            pen.set_fill_style_str(if is_faint { self.colours.muted } else { self.colours.text });
            let _ = pen.fill_text(text, 0.0, 0.0);
        });
    }

    /// A bar under the name of whoever was hurt.
    pub fn health(&self, body: &SceneBody, place: DVec3) {
        let Some(share) = body.health_share.filter(|it| *it < 1.0 && body.is_alive) else { return };
        let ([x, y], wide) = (self.camera.to_page(place), self.radius() * 2.0);
        let (left, top) = (x - wide * 0.5, y - self.radius() * 1.5 - BAR_HEIGHT);
        self.pen.set_fill_style_str(self.colours.text_halo);
        self.pen.fill_rect(left, top, wide, BAR_HEIGHT);
        self.pen.set_fill_style_str(self.colours.teams[usize::from(body.team % 2)].0);
        self.pen.fill_rect(left, top, wide * share, BAR_HEIGHT);
    }

    /// Somebody else, from a sprite.
    pub fn sprite(&self, body: &SceneBody, place: DVec3, look: Look, sprites: &mut SpriteCache) {
        let (team, is_tank, radius) = (body.team, body.is_tank, self.radius());
        let alike = match (look, is_tank || body.is_vehicle, team % 2) {
            (Look::Truth | Look::Naive, false, 0) => 1.0,
            (Look::Truth | Look::Naive, false, _) => TURNS / HEXAGON.len() as f64,
            _ => TURNS,
        };
        let turn = (body.yaw_rad / TAU * TURNS).round().rem_euclid(alike);
        let side = body.has_driver.then_some(team);
        let key = match (body.is_vehicle, turn as u16) {
            (true, turn) => SpriteKey::Vehicle { side, look, turn },
            (false, turn) => SpriteKey::Body { team, is_tank, look, turn },
        };
        let size = || [2.0 * (radius * 1.75 + 4.0); 2];
        sprites.put(self.pen, &key, self.camera.to_page(place), size, |pen| {
            let turned = SceneBody { yaw_rad: turn / TURNS * TAU, ..body.clone() };
            let camera = Camera { centre: DVec3::ZERO, size: [0.0; 2], ..*self.camera };
            let brush = Brush { pen, camera: &camera, ..*self };
            match look {
                Look::Plain | Look::Struck => {
                    brush.body(&turned, DVec3::ZERO, look == Look::Struck);
                }
                Look::Truth => brush.truth(&turned, DVec3::ZERO),
                Look::Naive => brush.naive(&turned, DVec3::ZERO),
            }
        });
    }

    /// Bullets with their tails, as they are at the host's time: a stroke for each colour, and
    /// one for all cores.
    pub fn bullets(&self, host_now: SimTime, scene: &GameScene) {
        let lines: Vec<_> =
            scene.bullets.values().filter_map(|it| self.tail(it, host_now)).collect();
        if lines.is_empty() {
            return;
        }
        let side_of = |shooter: u16| match shooter {
            reckoning_arena::protocol::A_TURRET => 2,
            shooter => usize::from(scene.team_of(shooter) % 2),
        };
        let [(first, _), (second, _)] = self.colours.teams;
        self.pen.set_line_cap("round");
        for (side, colour) in [first, second, self.colours.hurt].into_iter().enumerate() {
            let own = lines.iter().filter(|(shooter, ..)| side_of(*shooter) == side);
            self.lines(own.map(|(_, tail, head)| (*tail, *head)), 4.5, colour);
        }
        let cores = lines.iter().map(|(_, tail, head)| (*tail, *head));
        self.lines(cores, 1.8, self.colours.bullet);
        self.pen.set_line_cap("butt");
    }

    /// Whose bullet it is, its tail and its head, while it flies where we look.
    fn tail(&self, bullet: &Bullet, host_now: SimTime) -> Option<(u16, DVec3, DVec3)> {
        let flown_s = host_now.secs_since(bullet.at);
        let head = bullet.from + bullet.velocity * flown_s;
        let tail = bullet.from + bullet.velocity * (flown_s - 0.035).max(0.0);
        let flies = (0.0..=bullet.lasts_s).contains(&flown_s);
        (flies && self.shows(head)).then_some((bullet.shooter, tail, head))
    }
}

/// The font of names.
pub fn write_like_names(pen: &Pen) {
    pen.set_font("500 11px system-ui, sans-serif");
    pen.set_text_align("center");
    pen.set_text_baseline("middle");
}

/// Outlines in radii: along and across the way it looks.
const HEXAGON: [(f64, f64); 6] =
    [(1.12, 0.0), (0.56, 0.97), (-0.56, 0.97), (-1.12, 0.0), (-0.56, -0.97), (0.56, -0.97)];
const TANK_ROUND: [(f64, f64); 8] = [
    (1.2, 0.5),
    (0.95, 0.85),
    (-0.95, 0.85),
    (-1.2, 0.5),
    (-1.2, -0.5),
    (-0.95, -0.85),
    (0.95, -0.85),
    (1.2, -0.5),
];
const TANK_SHARP: [(f64, f64); 6] =
    [(1.35, 0.0), (0.7, 0.9), (-1.15, 0.9), (-0.85, 0.0), (-1.15, -0.9), (0.7, -0.9)];
const BUGGY: [(f64, f64); 8] = [
    (1.5, 0.3),
    (1.1, 0.7),
    (-1.2, 0.8),
    (-1.4, 0.5),
    (-1.4, -0.5),
    (-1.2, -0.8),
    (1.1, -0.7),
    (1.5, -0.3),
];
